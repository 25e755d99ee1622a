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
# Rows that are searched for a key. A word on more rows is a key in each entry of a long list.
_MAX_ROWS_PER_WORD = 100
# Patterns are compiled when they are used.
# JSON may contain NUL and single surrogates, which a name cannot contain.
_IMPOSSIBLE_IN_NAME = "[\0\ud800-\udfff]"
# A string, which is kept, or what JSON does not allow: a comment, a final comma.
_COMMENT = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|//[^\n]*+|/\*[\s\S]*?(?:\*/|\Z)'
_FINAL_COMMA = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|,(?=\s*+[\]}])'
_ASSIGNMENT = r'(?m)^[ \t]*([\w-]+)[ \t]*=[ \t]*"?([^"\s]*)'
_WORD = r"\w+(?:-\w+)*"
# Lines that are a comment in JavaScript or Python.
_COMMENT_IN_CODE = r"(?m)^[ \t]*+(?:(?://|#)[^\n]*+|/\*[\s\S]*?(?:\*/|\Z))"
# A key, and its value if that is one string, which no operator or call continues.
_KEY_IN_CODE = r"""(?x)
    (?<![\w$]) ([a-zA-Z_$][\w$]*+) ["']? [ \t]*+
    (?: \+=
      | [:=] (?![=>])
        (?: \s*+ (["'`]) ([^"'`\\$\n]*+) \2
            [ \t\r]*+ (?= [,;)}\]\#\n] | /[/*] | \Z ) (?! \s*+ [+.?%|&] )
        )?
    )
"""
_SCRIPTS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
_LANGUAGES = {".toml": "TOML", ".yaml": "YAML", ".yml": "YAML"}
# What the readers raise for a file that is damaged or nested too deep.
_READ_ERRORS = (ValueError, RecursionError)


def parse(text: str, file: str) -> dict[str, Found]:
    """Reads the settings in a project's file, by key, each with the line on which it is written.

    The file may be in TOML, JSON or YAML, or a Doxyfile. In Python, JavaScript and TypeScript, only
    plain literals are read.

        url = "a", below [site]     → `site.url` is "a"
        tags: ["b", "c"]            → `tags[]` is the text "b", a line break, "c"
        url: !ENV URL               → `url` is NOT_LITERAL: only a program gives its value
        a file that is not valid    → `*` is NOT_LITERAL, with the error, and there is no other key

    A text with a NUL or a half of a surrogate pair is left out, because no name can contain it.
    """
    try:
        settings = _read_by_language(text, file)
    except _READ_ERRORS as error:
        return {MORE_KEYS: _describe_read_error(error, text, file)}
    return {
        key: found
        for key, found in settings.items()
        if not re.search(_IMPOSSIBLE_IN_NAME, found.text)
    }


def find_setting(settings: Mapping[str, Found], key: str) -> Found | None:
    """Finds what a file sets for a key; None if the file certainly does not set it.

    For `site.url`, this is the first of these settings that the file has:

        site.url   the setting itself
        site       if it is NOT_LITERAL: the whole table is computed, as by `site: !ENV SITE`
        *          NOT_LITERAL: the file has an error
    """
    if key in settings:
        return settings[key]
    # The tables around the key, from the inmost one: `a.b.c` → `a.b`, `a`, "".
    table_name = key
    while table_name:
        table_name = table_name.rpartition(".")[0]
        table = settings.get(table_name)
        if table and table.value is NOT_LITERAL:
            return table
    return settings.get(MORE_KEYS)


def lines_of(text: str) -> list[str]:
    """Splits a settings file or a host's file into lines without ends: `a\\r\\nb\\n` → `a`, `b`.

    `str.splitlines` would also end a line at a form feed, U+0085 or U+2028. In `_redirects`, what
    follows one of these in a comment would then be read as a rule, which no host does.
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()  # no line begins after the last line end
    return [line.removesuffix("\r") for line in lines]


def is_script(file: str) -> bool:
    """Whether a file is in JavaScript or TypeScript, by its ending: `astro.config.mjs`."""
    return os.path.splitext(file)[1] in _SCRIPTS


def _read_by_language(text: str, file: str) -> dict[str, Found]:
    """Reads the settings in a file with the reader for its ending, each with its line.

    `hugo.toml` is read as TOML, `Doxyfile` as `KEY = value`. {} for an ending without a reader.
    Raises one of `_READ_ERRORS` for a file that is not valid.
    """
    ending = os.path.splitext(file)[1]
    if is_script(file) or ending == ".py":
        return _read_literals(text, file)
    read = _READERS.get(ending)  # these readers give no lines
    return _find_lines(read(text), text, file) if read else {}


def _find_lines(tables: Mapping[str, object], text: str, file: str) -> dict[str, Found]:
    """Finds the line of each setting in the text of its file, if the file's reader gives no lines.

    It is the first line with both the last part of the key and the value: for `site.url`, "a", the
    line `url: a`. A setting has no line if no line has both, as for a value with escapes.
    """
    settings: dict[str, Found] = {}
    rows = lines_of(text)
    numbers_by_word = _rows_by_word(rows)
    for key, value in _flatten(tables):
        # Only rows with the word of the key are searched for the value, because files are long.
        last_part = key.rpartition(".")[2].lower()
        written_value = "" if value is NOT_LITERAL else value
        numbers = numbers_by_word.get(last_part, ())
        possible_lines = (number for number in numbers if written_value in rows[number - 1])
        settings[key] = Found(value, file, next(possible_lines, None))
    return settings


def _rows_by_word(rows: Iterable[str]) -> dict[str, list[int]]:
    """Lists the numbers of the rows that have each word: `URL: a` in row 2 → `url: [2]`, `a: [2]`.

    Words are in lower case. A word has 100 rows at most, because the text may be a long list.
    """
    numbers: dict[str, list[int]] = {}
    for number, row in enumerate(rows, 1):
        for word in re.findall(_WORD, row.lower()):
            rows_of_word = numbers.setdefault(word, [])
            if len(rows_of_word) < _MAX_ROWS_PER_WORD:
                rows_of_word.append(number)
    return numbers


def _flatten(table: object, key_prefix: str = "") -> Iterator[tuple[str, str | NotLiteral]]:
    """Yields the values of nested tables as texts, each with its whole key.

    {"a": {"b": True}}           → ("a.b", "true")
    {"a": ["b", "c"]}            → ("a[]", "b\\nc"): the texts of a list as lines
    {"a": date(2026, 3, 1)}      → ("a", "2026-03-01")
    {"a": NOT_LITERAL}           → ("a", NOT_LITERAL)
    {"a": 1, "b": None}          → nothing: no setting that is read here is a number
    """
    if not isinstance(table, Mapping):
        return
    for key, value in table.items():
        if isinstance(value, bool):
            yield f"{key_prefix}{key}", str(value).lower()
        elif isinstance(value, str | NotLiteral):
            yield f"{key_prefix}{key}", value
        elif isinstance(value, date):  # as in TOML; a time is a date to Python, too
            yield f"{key_prefix}{key}", value.isoformat()
        elif isinstance(value, list):
            yield f"{key_prefix}{key}[]", "\n".join(_texts_of_list(value))
        else:
            yield from _flatten(value, f"{key_prefix}{key}.")


def _texts_of_list(items: Iterable[object]) -> Iterator[str]:
    """Yields the texts in a list, such as the names of plugins: `["a", {"b": {…}}]` → `a`, `b`.

    A plugin with options is a table with its name as the only key. Other items are left out.
    """
    for item in items:
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping) and len(item) == 1:
            yield from map(str, item)


def _describe_read_error(error: Exception, text: str, file: str) -> Found:
    """Says what is wrong with a file, and on which line, from the error that its reader raised.

    RecursionError                         → `is nested too deep`, without a line
    Invalid value (at line 3, column 1)    → `is not valid TOML`, on line 3
    Invalid value (at end of document)     → `is not valid TOML`, on the last line with text
    nested more than 99 deep               → `nested more than 99 deep`, without a line
    """
    if isinstance(error, RecursionError):
        return Found(NOT_LITERAL, file, problem="is nested too deep")
    line = None
    line_in_message = re.search(r"\bline (\d+)", str(error))
    if line_in_message:
        line = int(line_in_message[1])
    elif "end of document" in str(error):  # tomllib gives no line for the last one
        line = text.rstrip().count("\n") + 1
    problem = f"is not valid {_language_of(file)}" if line else str(error)
    return Found(NOT_LITERAL, file, line, problem)


def _language_of(file: str) -> str:
    """Returns the name of a file's language for messages: `a.yml` → `YAML`.

    Any ending without a language of its own stands for JSON.
    """
    return _LANGUAGES.get(os.path.splitext(file)[1], "JSON")


# --- code


def _read_literals(text: str, file: str) -> dict[str, Found]:
    """Reads the plain literals of a file in JavaScript, TypeScript or Python, by a pattern.

        url: "a",  const url = "a"    → `url` is "a", in whatever table it is
        url: find(),  url: `${a}/b`   → `url` is NOT_LITERAL
        url: "a", more: { url: "b" }  → `url` is NOT_LITERAL, without a line: it is set twice

    Lines with only a comment do not count.
    """
    # Line breaks stay, for the numbers of lines.
    code = re.sub(_COMMENT_IN_CODE, lambda comment: "\n" * comment[0].count("\n"), text)
    settings: dict[str, Found] = {}
    line, end = 1, 0
    for match in re.finditer(_KEY_IN_CODE, code):
        line += code.count("\n", end, match.start())
        end = match.start()
        key, _quote, literal = match.groups()
        value = NOT_LITERAL if literal is None else literal
        settings[key] = Found(NOT_LITERAL, file) if key in settings else Found(value, file, line)
    return settings


# --- tables


def read_table(name: str, text: str) -> dict[str, Any]:
    """Parses the text of a host's file in TOML or JSON: `{"a": 1} // b` → `{"a": 1}`.

    `name` is the file's name, whose ending says which of the two it is. JSON may have comments and
    final commas. {} for an empty text. Raises ValueError with a message for the user.
    """
    language = _language_of(name)
    try:
        return read_toml(text) if language == "TOML" else _read_json(text)
    except (ValueError, RecursionError) as error:
        problem = f"{name}: is not {language}: {error}"
        raise ValueError(with_help(problem, 'correct it, or set host = "none"')) from None


def read_toml(text: str) -> dict[str, Any]:
    """Parses a text in TOML: `[a]`, and below it `b = 1` → `{"a": {"b": 1}}`.

    Raises ValueError if the text is not TOML, or if a key has more than 200 dots, for which tomllib
    would take very long.
    """
    if not text:
        return {}
    for number, row in enumerate(lines_of(text), 1):
        if row.count(".") <= _MAX_DOTS:
            continue
        # Dots in strings do not count. A key ends at `=`, and in `{ a = 1, b = 2 }` the next one
        # begins after a comma.
        without_strings = re.sub(r"\"[^\"]*\"|'[^']*'", "", row)
        if any(part.count(".") > _MAX_DOTS for part in re.split("[=,]", without_strings)):
            raise ValueError(f"A key has more than {_MAX_DOTS} parts (at line {number}, column 1)")
    # Imported here: it compiles expressions, and many sites have no TOML.
    from tomllib import loads

    return loads(text)


def _read_json(text: str) -> dict[str, Any]:
    """Parses a text in JSON with comments and final commas: `{"a": [1,]} // b` → `{"a": [1]}`.

    {} for an empty text, and for JSON that is not an object. Raises ValueError if it is not JSON.
    """
    strict_json = text
    for pattern in (_COMMENT, _FINAL_COMMA):
        # The first group of each pattern is a string, which stays: `//` in it begins no comment. A
        # comment leaves its line breaks, so that errors have the right line.
        strict_json = re.sub(
            pattern, lambda match: match[1] or "\n" * match[0].count("\n"), strict_json
        )
    value = json.loads(strict_json or "{}")
    return value if isinstance(value, dict) else {}


def _read_assignments(text: str) -> dict[str, str]:
    """Reads the values of a Doxyfile or a project of Lektor: `url = "a"` → `{"url": "a"}`.

    A value ends at the first blank: `url = a b` → `a`. Sections are ignored. The last row of a key
    counts.
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
