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
    """Reads the settings in a file, by key, each with the line on which it is written.

    [site]                 → `site.url` is "a", on line 2
    url = "a"
    tags = ["b", "c"]      → `site.tags[]` is the text "b", a line break, "c"
    url: find()            → `url` is NOT_LITERAL: only running the file would give its value
    site: { ...more }      → `site.*` is NOT_LITERAL: `site` may have more keys
    a file with an error   → only the key `*`, with the error
    """
    try:
        settings = _read(text, file)
    except _UNREADABLE as error:
        return {MORE_KEYS: _unreadable(error, text, file)}
    return {key: found for key, found in settings.items() if not re.search(_NO_NAME, found.text)}


def find_setting(settings: Mapping[str, Found], key: str) -> Found | None:
    """The setting of a key in a file. None if the file certainly does not set it.

    For `site.url`, the first of these that is there:

        site.url   the setting itself
        site.*     the table may have more keys: not a literal
        site       the whole table is computed, as by `site = find()`: not a literal
        *          the file may have more keys
    """
    if key in settings:
        return settings[key]
    table_name = key
    while table_name:
        table_name = table_name.rpartition(".")[0]
        more_keys = settings.get(f"{table_name}.{MORE_KEYS}" if table_name else MORE_KEYS)
        if more_keys:
            return more_keys
        table = settings.get(table_name)
        if table and table.value is NOT_LITERAL:
            return table
    return None


def lines_of(text: str) -> list[str]:
    """The lines of a settings file or a host's file, without their ends: `a\\r\\nb\\n` → `a`, `b`.

    `str.splitlines` would also end a line at a form feed, U+0085 or U+2028. In `_redirects`, what
    follows one of these in a comment would then be read as a rule, which no host does.
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()  # no line begins after the last line end
    return [line.removesuffix("\r") for line in lines]


def is_script(file: str) -> bool:
    """Whether a file is one of JavaScript or TypeScript."""
    return os.path.splitext(file)[1] in _SCRIPTS


def _read(text: str, file: str) -> dict[str, Found]:
    """Reads a file by the language that its ending shows; {} for an ending that is not supported.

    Raises one of `_UNREADABLE` for a file that is not valid.
    """
    if is_script(file):
        # Imported here, as below: most projects have no settings in a script.
        from .js_settings import read_settings

        return read_settings(text, file)
    ending = os.path.splitext(file)[1]
    settings: dict[str, Found] = {}
    if ending == ".py":
        from .python_settings import read_constants

        for name, assigned in read_constants(text).items():
            for key, value in _flat({name: assigned.value}):
                settings[key] = Found(value, file, assigned.line)
        return settings
    read = _READERS.get(ending)
    if read is None:
        return {}
    rows = lines_of(text)
    numbers_by_word = _number_words(rows)
    for key, value in _flat(read(text)):
        # These readers give no lines. So it is the first line with the last part of the key and the
        # value, or none, as for a value with escapes.
        last_part = key.rpartition(".")[2].lower()
        written_value = "" if value is NOT_LITERAL else value
        numbers = numbers_by_word.get(last_part, ())
        places = (number for number in numbers if written_value in rows[number - 1])
        settings[key] = Found(value, file, next(places, None))
    return settings


def _number_words(rows: Iterable[str]) -> dict[str, list[int]]:
    """The numbers of the first rows with each word: `url: a` in row 2 → `{"url": [2], "a": [2]}`.

    Words are in lower case.
    """
    numbers: dict[str, list[int]] = {}
    for number, row in enumerate(rows, 1):
        for word in re.findall(_WORD, row.lower()):
            rows_of_word = numbers.setdefault(word, [])
            if len(rows_of_word) < _MAX_ROWS:
                rows_of_word.append(number)
    return numbers


def _flat(table: object, above: str = "") -> Iterator[tuple[str, str | NotLiteral]]:
    """Yields the texts, dates and booleans of nested tables, each with its key, all as texts.

        {"a": {"b": True}}    → ("a.b", "true")
        {"a": ["b", "c"]}     → ("a[]", "b\\nc"): the texts of a list as lines

    Numbers and nulls are left out.
    """
    if not isinstance(table, Mapping):
        return
    for key, value in table.items():
        if isinstance(value, bool):
            yield f"{above}{key}", str(value).lower()
        elif isinstance(value, str | NotLiteral):
            yield f"{above}{key}", value
        elif isinstance(value, date):  # as in TOML; a time is a date to Python, too
            yield f"{above}{key}", value.isoformat()
        elif isinstance(value, list | tuple):
            yield f"{above}{key}[]", "\n".join(_names_in(value))
        else:
            yield from _flat(value, f"{above}{key}.")


def _names_in(items: Iterable[object]) -> Iterator[str]:
    """The texts in a list, such as the names of plugins.

    An item with options is a table with the name as its only key: `["a", {"b": {…}}]` → `a`, `b`.
    """
    for item in items:
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping) and len(item) == 1:
            yield from map(str, item)


def _unreadable(error: Exception, text: str, file: str) -> Found:
    """What is wrong with a file, from the error that its reader raised, and where.

    `invalid token (at line 3, column 1)` of a TOML file → `is not valid TOML`, on line 3.
    """
    if isinstance(error, RecursionError | MemoryError):
        return Found(NOT_LITERAL, file, problem="is nested too deep")
    line = None
    line_in_message = re.search(r"\bline (\d+)", str(error))
    if isinstance(error, SyntaxError):
        line = error.lineno or 1
    elif line_in_message:
        line = int(line_in_message[1])
    elif "end of document" in str(error):  # tomllib gives no line for the last one
        line = text.rstrip().count("\n") + 1
    problem = f"is not valid {_language_of(file)}" if line else str(error)
    return Found(NOT_LITERAL, file, line, problem)


def _language_of(file: str) -> str:
    return _LANGUAGES.get(os.path.splitext(file)[1], "JSON")


# --- tables


def read_table(name: str, text: str) -> dict[str, Any]:
    """The table in a file `name` of TOML or JSON; {} for an empty one.

    JSON may have comments and final commas. Raises ValueError with a message for the user.
    """
    language = _language_of(name)
    try:
        return read_toml(text) if language == "TOML" else _read_json(text)
    except (ValueError, RecursionError) as error:
        problem = f"{name}: is not {language}: {error}"
        raise ValueError(with_help(problem, 'correct it, or set host = "none"')) from None


def read_toml(text: str) -> dict[str, Any]:
    """The tables of a text in TOML: `[a]` and `b = 1` → `{"a": {"b": 1}}`.

    Raises ValueError if the text is not TOML, or if a key has more than 200 dots, for which tomllib
    would take very long.
    """
    if not text:
        return {}
    _check_keys(text)
    # Imported here: it compiles expressions, and many sites have no TOML.
    from tomllib import loads

    return loads(text)


def _check_keys(text: str) -> None:
    """Raises ValueError for a key with more than `_MAX_DOTS` dots, such as `a.b.c = 1` with two."""
    if text.count(".") <= _MAX_DOTS:
        return
    for number, row in enumerate(lines_of(text), 1):
        if row.count(".") <= _MAX_DOTS:
            continue
        # Dots in strings do not count. A key ends at `=`, and in `{ a = 1, b = 2 }` the next one
        # begins after a comma.
        without_strings = re.sub(r"\"[^\"]*\"|'[^']*'", "", row)
        dots_of_parts = [part.count(".") for part in re.split("[=,]", without_strings)]
        if max(dots_of_parts) > _MAX_DOTS:
            raise ValueError(f"A key has more than {_MAX_DOTS} parts (at line {number}, column 1)")


def _read_json(text: str) -> dict[str, Any]:
    """The table in a text of JSON, which may have comments and final commas: `{"a": [1,]} // b`.

    {} for any other value. Raises ValueError if it is not JSON.
    """
    plain = text
    for pattern in (_COMMENT, _FINAL_COMMA):
        # A string, the first group of each pattern, is matched so that it stays: `//` in it is no
        # comment. A comment leaves its line breaks, so that errors have the right line.
        plain = re.sub(pattern, lambda match: match[1] or "\n" * match[0].count("\n"), plain)
    table = json.loads(plain or "{}")
    return table if isinstance(table, dict) else {}


def _read_assignments(text: str) -> dict[str, str]:
    """The values in a Doxyfile or a project of Lektor: `url = "https://a"` → `{"url": "https://a"}`.

    The last row of a key counts.
    """
    return dict(re.findall(_ASSIGNMENT, text))


_READERS: dict[str, Callable[[str], Mapping[str, object]]] = {
    ".toml": read_toml,
    ".json": _read_json,
    ".yml": read_yaml,
    ".yaml": read_yaml,
    "": _read_assignments,
    ".lektorproject": _read_assignments,
}
