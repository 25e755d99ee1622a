"""Project files of generators and hosts to their tables, or the texts of their keys.

Nothing is executed.
"""

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..errors import with_help
from .answers import ANYTHING, NOT_LITERAL, Answer
from .yaml_text import read_yaml

_MAX_DOTS = 200  # of a key; tomllib takes more than the square of their number
# Patterns are compiled when they are used.
# JSON may contain NUL and single surrogates, which a name cannot contain.
_NO_NAME = "[\0\ud800-\udfff]"
# A string, which is kept, or what JSON does not allow: a comment, a final comma.
_COMMENT = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|//[^\n]*+|/\*[\s\S]*?(?:\*/|\Z)'
_FINAL_COMMA = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|,(?=\s*+[\]}])'
_ASSIGNMENT = r'(?m)^[ \t]*([\w-]+)[ \t]*=[ \t]*"?([^"\s]*)'
_JAVASCRIPT = (".js", ".mjs", ".cjs", ".jsx")
_TYPESCRIPT = (".ts", ".mts", ".cts", ".tsx")
_LANGUAGES = {
    **dict.fromkeys(_JAVASCRIPT, "JavaScript"),
    **dict.fromkeys(_TYPESCRIPT, "TypeScript"),
    ".py": "Python",
    ".toml": "TOML",
    ".yaml": "YAML",
    ".yml": "YAML",
}
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # what readers raise
_DEPENDENCY_TABLES = ("dependencies", "devDependencies")


def values(text: str, name: str) -> dict[str, Answer]:
    """What a project file says of each key: its text, or that only code can tell it.

    A key in a table is `table.key`. The texts of a list are the lines of `key[]`. Of a file that
    cannot be read, nothing is certain.
    """
    try:
        found = _read(text, name)
    except _UNREADABLE as error:
        return {ANYTHING: Answer(None, _fault_of(error, text, name).line)}
    return {key: answer for key, answer in found.items() if _is_name(answer.text)}


def _read(text: str, name: str) -> dict[str, Answer]:
    ending = posixpath.splitext(name)[1]
    if is_script(name):
        # Imported here, as below: most projects have no settings in a script.
        from .js_settings import read_settings

        return read_settings(text, name)
    answers: dict[str, Answer] = {}
    if ending == ".py":
        from .python_settings import read_constants

        for constant, assigned in read_constants(text).items():
            for key, value in _flat({constant: assigned.value}):
                answers[key] = Answer(value, assigned.line)
        return answers
    read = _READERS.get(ending)
    for key, value in read(text) if read else ():
        answers[key] = Answer(value)
    return answers


class Fault(NamedTuple):
    """Why a project file cannot be read, and the line if it is known."""

    problem: str
    line: int | None = None


def find_fault(text: str, name: str) -> Fault | None:
    """Why a project file cannot be read, None if it can."""
    try:
        _read(text, name)
    except _UNREADABLE as error:
        return _fault_of(error, text, name)
    return None


def _fault_of(error: Exception, text: str, name: str) -> Fault:
    """What the error of a reader says of a file."""
    if isinstance(error, RecursionError | MemoryError):
        return Fault("is nested too deep")
    problem = f"is not valid {_language_of(name)}"
    if isinstance(error, SyntaxError):
        return Fault(problem, error.lineno or 1)
    found = re.search(r"\bline (\d+)", str(error))
    if found:
        return Fault(problem, int(found[1]))
    if "end of document" in str(error):  # of TOML
        return Fault(problem, text.rstrip().count("\n") + 1)
    return Fault(str(error))


def _language_of(name: str) -> str:
    """The language of a project file by its name."""
    return _LANGUAGES.get(posixpath.splitext(name)[1], "JSON")


def is_script(name: str) -> bool:
    """Whether a file is one of JavaScript or TypeScript."""
    return posixpath.splitext(name)[1] in (*_JAVASCRIPT, *_TYPESCRIPT)


def plugins_in(script: str, name: str) -> set[str]:
    """The modules in use and the texts of a script, each of which may name a plugin."""
    if not script:
        return set()
    from .js_tree import mentions

    try:
        return mentions(script, name)
    except (SyntaxError, ValueError):
        return set()


def _is_name(text: str | None) -> bool:
    """Whether a text may be the name of a file or a host. An unknown one may be."""
    return text is None or not re.search(_NO_NAME, text)


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
    language = _language_of(name)
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
            yield f"{above}{key}", str(value).lower()
        elif isinstance(value, str):
            yield f"{above}{key}", value
        elif value is NOT_LITERAL:
            yield f"{above}{key}", None
        elif isinstance(value, list | tuple):
            yield f"{above}{key}[]", "\n".join(_names_in(value))
        else:
            yield from _flat(value, f"{above}{key}.")


def _names_in(items: Iterable[object]) -> Iterator[str]:
    """The texts of a list. An item with options has the name as its only key: `- search: {…}`."""
    for item in items:
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping) and len(item) == 1:
            yield from map(str, item)


_READERS: dict[str, Callable[[str], Iterable[tuple[str, str | None]]]] = {
    ".toml": lambda text: _flat(read_toml(text)),
    ".json": lambda text: _flat(_read_json(text)),
    ".yml": lambda text: _flat(read_yaml(text)),
    ".yaml": lambda text: _flat(read_yaml(text)),
    **dict.fromkeys(("", ".lektorproject"), lambda text: re.findall(_ASSIGNMENT, text)),
}
