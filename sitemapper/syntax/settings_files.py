"""Settings files of projects: what a file says of each key, and where. Nothing is executed."""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from ..errors import with_help
from ..model import MORE_KEYS, NOT_LITERAL, Found, NotLiteral
from .yaml_text import read_yaml

_MAX_DOTS = 200  # of a key; tomllib takes more than the square of their number
_MAX_ROWS = 100  # that are searched for a key; a name on more rows is that of a list's entries
# Patterns are compiled when they are used.
# JSON may contain NUL and single surrogates, which a name cannot contain.
_NO_NAME = "[\0\ud800-\udfff]"
# A string, which is kept, or what JSON does not allow: a comment, a final comma.
_COMMENT = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|//[^\n]*+|/\*[\s\S]*?(?:\*/|\Z)'
_FINAL_COMMA = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|,(?=\s*+[\]}])'
_ASSIGNMENT = r'(?m)^[ \t]*([\w-]+)[ \t]*=[ \t]*"?([^"\s]*)'
_WORD = r"\w+(?:-\w+)*"
_SCRIPTS = {
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), "JavaScript"),
    **dict.fromkeys((".ts", ".mts", ".cts", ".tsx"), "TypeScript"),
}
_LANGUAGES = {**_SCRIPTS, ".py": "Python", ".toml": "TOML", ".yaml": "YAML", ".yml": "YAML"}
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # what readers raise


def parse(text: str, file: str) -> dict[str, Found]:
    """What a settings file says of each key: a literal, or that only running it would tell.

    `[site]` and `url = "a"` below it in TOML → `{"site.url": Found("a", file, 2)}`. The texts of a
    list are the lines of `key[]`. `site.*` says that the table `site` may have more keys. A file
    that cannot be read has only the key `*`, with the reason.
    """
    try:
        found = _read(text, file)
    except _UNREADABLE as error:
        return {MORE_KEYS: _unreadable(error, text, file)}
    return {key: one for key, one in found.items() if not re.search(_NO_NAME, one.text)}


def look_up(settings: Mapping[str, Found], key: str) -> Found | None:
    """What a file says of a key, None if it does not set it.

    A key is not literal, too, if that of a table above it is, or if the table may have more keys.
    """
    if key in settings:
        return settings[key]
    above = key
    while above:
        above = above.rpartition(".")[0]
        more_keys = settings.get(f"{above}.{MORE_KEYS}" if above else MORE_KEYS)
        if more_keys:
            return more_keys
        table = settings.get(above)
        if table and table.value is NOT_LITERAL:
            return table
    return None


def lines_of(text: str) -> list[str]:
    """The lines of a settings file or a host's file, without their ends: `a\\r\\nb\\n` → `a`, `b`.

    `str.splitlines` also ends a line at form feeds, U+0085 and U+2028. Then the rest of a comment
    in `_redirects` would be a rule, which no host reads.
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()  # no line begins after the last line end
    return [line.removesuffix("\r") for line in lines]


def is_script(file: str) -> bool:
    """Whether a file is one of JavaScript or TypeScript."""
    return os.path.splitext(file)[1] in _SCRIPTS


def _read(text: str, file: str) -> dict[str, Found]:
    if is_script(file):
        # Imported here, as below: most projects have no settings in a script.
        from .js_settings import read_settings

        return read_settings(text, file)
    ending = os.path.splitext(file)[1]
    found: dict[str, Found] = {}
    if ending == ".py":
        from .python_settings import read_constants

        for name, assigned in read_constants(text).items():
            for key, value in _flat({name: assigned.value}):
                found[key] = Found(value, file, assigned.line)
        return found
    read = _READERS.get(ending)
    if read is None:
        return {}
    rows = lines_of(text)
    numbers = _number_words(rows)
    for key, value in _flat(read(text)):
        last_part = key.rpartition(".")[2].lower()
        shown = "" if value is NOT_LITERAL else value
        places = (number for number in numbers.get(last_part, ()) if shown in rows[number - 1])
        found[key] = Found(value, file, next(places, None))
    return found


def _number_words(rows: Iterable[str]) -> dict[str, list[int]]:
    """The numbers of the first rows with each word, in lower case."""
    numbers: dict[str, list[int]] = {}
    for number, row in enumerate(rows, 1):
        for word in re.findall(_WORD, row.lower()):
            rows_of_word = numbers.setdefault(word, [])
            if len(rows_of_word) < _MAX_ROWS:
                rows_of_word.append(number)
    return numbers


def _flat(table: object, above: str = "") -> Iterator[tuple[str, str | NotLiteral]]:
    """The strings, dates and booleans of nested tables: `{"a": {"b": True}}` → `("a.b", "true")`.

    The texts of a list are lines: `{"a": ["b", "c"]}` → `("a[]", "b\\nc")`.
    """
    if not isinstance(table, Mapping):
        return
    for key, value in table.items():
        if isinstance(value, bool):
            yield f"{above}{key}", str(value).lower()
        elif isinstance(value, str | NotLiteral):
            yield f"{above}{key}", value
        elif isinstance(value, date):  # of TOML; a time is one, too
            yield f"{above}{key}", value.isoformat()
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


def _unreadable(error: Exception, text: str, file: str) -> Found:
    """Why a file cannot be read, from the error of its reader, with the line if it is known."""
    if isinstance(error, RecursionError | MemoryError):
        return Found(NOT_LITERAL, file, problem="is nested too deep")
    line = None
    at = re.search(r"\bline (\d+)", str(error))
    if isinstance(error, SyntaxError):
        line = error.lineno or 1
    elif at:
        line = int(at[1])
    elif "end of document" in str(error):  # of TOML
        line = text.rstrip().count("\n") + 1
    problem = f"is not valid {_language_of(file)}" if line else str(error)
    return Found(NOT_LITERAL, file, line, problem)


def _language_of(file: str) -> str:
    return _LANGUAGES.get(os.path.splitext(file)[1], "JSON")


# --- tables


def read_table(name: str, text: str) -> dict[str, Any]:
    """A project file in TOML or JSON, with comments and final commas; {} for an empty one.

    Raises ValueError with a message for the user.
    """
    language = _language_of(name)
    try:
        return read_toml(text) if language == "TOML" else _read_json(text)
    except (ValueError, RecursionError) as error:
        problem = f"{name}: is not {language}: {error}"
        raise ValueError(with_help(problem, 'correct it, or set host = "none"')) from None


def read_toml(text: str) -> dict[str, Any]:
    """The tables of a text.

    Raises ValueError if it is not TOML, or if a key has very many parts.
    """
    if not text:
        return {}
    _check_keys(text)
    # Imported here: it compiles expressions, and many sites have no TOML.
    from tomllib import loads

    return loads(text)


def _check_keys(text: str) -> None:
    """Raises ValueError for a key with very many parts."""
    if text.count(".") <= _MAX_DOTS:
        return
    for number, row in enumerate(lines_of(text), 1):
        if row.count(".") <= _MAX_DOTS:
            continue
        # Dots in strings do not count. A key ends at `=`, or in an inline table begins behind `,`.
        without_strings = re.sub(r"\"[^\"]*\"|'[^']*'", "", row)
        dots_of_parts = [part.count(".") for part in re.split("[=,]", without_strings)]
        if max(dots_of_parts) > _MAX_DOTS:
            raise ValueError(f"A key has more than {_MAX_DOTS} parts (at line {number}, column 1)")


def _read_json(text: str) -> dict[str, Any]:
    """The table in a JSON text with comments and final commas; {} if it is something else."""
    plain = text
    for pattern in (_COMMENT, _FINAL_COMMA):
        # Each match is a string, the first group, which stays, or what has to go.
        # Lines keep their numbers.
        plain = re.sub(pattern, lambda match: match[1] or "\n" * match[0].count("\n"), plain)
    table = json.loads(plain or "{}")
    return table if isinstance(table, dict) else {}


def _read_assignments(text: str) -> dict[str, str]:
    """The rows `KEY = value` of a Doxyfile, or of a project of Lektor. The last one counts."""
    return dict(re.findall(_ASSIGNMENT, text))


_READERS: dict[str, Callable[[str], Mapping[str, object]]] = {
    ".toml": read_toml,
    ".json": _read_json,
    ".yml": read_yaml,
    ".yaml": read_yaml,
    "": _read_assignments,
    ".lektorproject": _read_assignments,
}
