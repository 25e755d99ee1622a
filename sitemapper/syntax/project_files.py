"""Project files of generators and hosts to their tables, or the texts of their keys.

Nothing is executed.
"""

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..errors import with_help
from .answers import Answer, Opener
from .yaml_text import COMPUTED, read_yaml

_MAX_DOTS = 200  # of a key; tomllib takes more than the square of their number
# Patterns are compiled when they are used.
# JSON may contain NUL and single surrogates, which a name cannot contain.
_NO_NAME = "[\0\ud800-\udfff]"
# A string, which is kept, or what JSON does not allow: a comment, a final comma.
_COMMENT = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|//[^\n]*+|/\*[\s\S]*?(?:\*/|\Z)'
_FINAL_COMMA = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|,(?=\s*+[\]}])'
_ASSIGNMENT = r'(?m)^[ \t]*([\w-]+)[ \t]*=[ \t]*"?([^"\s]*)'
_SCRIPT_ENDINGS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
_DEPENDENCY_TABLES = ("dependencies", "devDependencies")


def _nothing(name: str) -> str:
    """The text of no file."""
    return ""


def values(text: str, name: str, opener: Opener = _nothing) -> dict[str, Answer]:
    """What a project file says of each key: its text, or that only code can tell it.

    A key in a table is `table.key`. The texts of a list are the lines of `key[]`. `opener` reads
    the files that a script imports.
    """
    try:
        found = _read(text, name, opener)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return {key: _printable(answer) for key, answer in found.items() if _is_name(answer.text)}


def _read(text: str, name: str, opener: Opener) -> dict[str, Answer]:
    ending = posixpath.splitext(name)[1]
    if is_script(name):
        # Imported here, as below: most projects have no settings in a script.
        from .js_settings import read_settings

        return read_settings(text, name, opener)
    if ending == ".py":
        from .python_settings import read_constants

        return read_constants(text)
    read = _READERS.get(ending)
    return {key: Answer(value) for key, value in read(text)} if read else {}


class Fault(NamedTuple):
    """Why a project file cannot be read: the language that it is not, and the line."""

    language: str
    line: int


def find_fault(text: str, name: str) -> Fault | None:
    """Where a project file breaks the rules of its language, None if it can be read."""
    ending = posixpath.splitext(name)[1]
    if is_script(name):
        from .js_settings import find_error

        line = find_error(text, name)
        language = "TypeScript" if "ts" in ending else "JavaScript"
        return Fault(language, line) if line else None
    try:
        _read(text, name, _nothing)
    except SyntaxError as error:
        return Fault("Python", error.lineno or 1)
    except ValueError as error:
        found = re.search(r"\bline (\d+)", str(error))
        language = _LANGUAGES.get(ending, "JSON")
        if found:
            return Fault(language, int(found[1]))
        is_at_end = "end of document" in str(error)
        return Fault(language, text.rstrip().count("\n") + 1) if is_at_end else None
    except (RecursionError, MemoryError):
        return None
    return None


def is_script(name: str) -> bool:
    """Whether a file is one of JavaScript or TypeScript."""
    return posixpath.splitext(name)[1] in _SCRIPT_ENDINGS


def plugins_in(script: str, name: str) -> set[str]:
    """The modules in use and the texts of a script, each of which may name a plugin."""
    if not script:
        return set()
    from .js_settings import mentions

    return mentions(script, name)


def _is_name(text: str | None) -> bool:
    """Whether a text may be the name of a file or a host. An unknown one may be."""
    return text is None or not re.search(_NO_NAME, text)


def _printable(answer: Answer) -> Answer:
    return answer._replace(candidates=tuple(filter(_is_name, answer.candidates)))


def read_toml(text: str) -> dict[str, Any]:
    """The tables of a text.

    Raises ValueError if it is not TOML, or if a key has very many parts.
    """
    if not text:
        return {}
    _check_keys(text)
    # Imported here: it compiles expressions, and many sites have no TOML.
    from tomllib import loads as parse

    return parse(text)


def _check_keys(text: str) -> None:
    """Raises ValueError for a key with very many parts."""
    if text.count(".") <= _MAX_DOTS:
        return
    for number, row in enumerate(text.splitlines(), 1):
        if row.count(".") <= _MAX_DOTS:
            continue
        # Dots in strings do not count. A key ends at `=`, or in an inline table begins behind `,`.
        without_strings = re.sub(r"\"[^\"]*\"|'[^']*'", "", row)
        dots_of_parts = [part.count(".") for part in re.split("[=,]", without_strings)]
        if max(dots_of_parts) > _MAX_DOTS:
            raise ValueError(f"A key has more than {_MAX_DOTS} parts (at line {number}, column 1)")


def read_table(name: str, text: str) -> dict[str, Any]:
    """A project file in TOML or JSON, with comments and final commas; {} for an empty one.

    Raises ValueError with a message for the user.
    """
    language = _LANGUAGES.get(posixpath.splitext(name)[1], "JSON")
    try:
        return _READ[language](text)
    except (ValueError, RecursionError) as error:
        problem = f"{name}: is not {language}: {error}"
        raise ValueError(with_help(problem, 'correct it, or set host = "none"')) from None


def _read_json(text: str) -> dict[str, Any]:
    """The table in a JSON text with comments and final commas; {} if it is something else."""
    plain = text
    for pattern in (_COMMENT, _FINAL_COMMA):
        # Each match is a string, the first group, which stays, or what has to go.
        # Lines keep their numbers.
        plain = re.sub(pattern, lambda match: match[1] or "\n" * match[0].count("\n"), plain)
    table = json.loads(plain or "{}")
    return table if isinstance(table, dict) else {}


_LANGUAGES = {".toml": "TOML", ".yaml": "YAML", ".yml": "YAML"}
_READ = {"TOML": read_toml, "JSON": _read_json}


def line_of(text: str, key: str, value: str) -> int | None:
    """The number of the first line that has the last part of a key and a value. None if none has.

    For the key `site.url`, it is a line such as `url: https://example.com/`.
    """
    last_part = key.rpartition(".")[2]
    word = re.compile(rf"(?i)\b{re.escape(last_part)}\b")
    for number, row in enumerate(text.splitlines(), 1):
        if value in row and word.search(row):
            return number
    return None


def packages(text: str) -> set[str]:
    """The names of the dependencies in a package.json."""
    names: set[str] = set()
    for key in values(text, "package.json"):
        table, _, name = key.partition(".")
        if table in _DEPENDENCY_TABLES:
            names.add(name)
    return names


def _flat(table: object, above: str = "") -> Iterator[tuple[str, str | None]]:
    """The strings and booleans of nested tables: `{"a": {"b": True}}` → `("a.b", "true")`.

    The texts of a list are lines: `{"a": ["b", "c"]}` → `("a[]", "b\\nc")`. What is computed has
    no text.
    """
    if not isinstance(table, Mapping):
        return
    for key, value in table.items():
        if isinstance(value, bool):
            yield above + key, str(value).lower()
        elif isinstance(value, str):
            yield above + key, value
        elif value is COMPUTED:
            yield above + key, None
        elif isinstance(value, list):
            yield f"{above}{key}[]", "\n".join(_names_in(value))
        else:
            yield from _flat(value, f"{above}{key}.")


def _names_in(items: list[object]) -> Iterator[str]:
    """The texts of a list. An item with options has the name as its only key: `- search: {…}`."""
    for item in items:
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping) and len(item) == 1:
            yield from item


_READERS: dict[str, Callable[[str], Iterable[tuple[str, str | None]]]] = {
    ".toml": lambda text: _flat(read_toml(text)),
    ".json": lambda text: _flat(read_table("", text)),
    ".yml": lambda text: _flat(read_yaml(text)),
    ".yaml": lambda text: _flat(read_yaml(text)),
    **dict.fromkeys(("", ".lektorproject"), lambda text: re.findall(_ASSIGNMENT, text)),
}
