"""Settings files of projects: what a file says of each key, and where. Nothing is executed."""

import ast
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any, NamedTuple

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
# Of a Python file: an f-string of n parts takes Python n² steps.
_MAX_CHARACTERS_OF_PYTHON = 1 << 16
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_MUTABLE = (list, dict, set)
_SCRIPTS = {
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), "JavaScript"),
    **dict.fromkeys((".ts", ".mts", ".cts", ".tsx"), "TypeScript"),
}
_LANGUAGES = {**_SCRIPTS, ".py": "Python", ".toml": "TOML", ".yaml": "YAML", ".yml": "YAML"}
# What the readers raise for a file that is damaged, too long, or nested too deep.
_READ_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)


def parse(text: str, file: str) -> dict[str, Found]:
    """Reads the settings in a project's file, by key, each with the line on which it is written.

    The file may be in TOML, JSON, YAML, Python, JavaScript or TypeScript, or a Doxyfile:

        url = "a", below [site]     → `site.url` is "a"
        tags: ["b", "c"]            → `tags[]` is the text "b", a line break, "c"
        url: find()                 → `url` is NOT_LITERAL: only running the file gives its value
        site: { ...more }           → `site.*` is NOT_LITERAL: `site` may have more keys
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
        site.*     NOT_LITERAL: the table may have more keys, as with `{ ...more }`
        site       if it is NOT_LITERAL: the whole table is computed, as by `site = find()`
        *          NOT_LITERAL: the file may have more keys, or has an error
    """
    if key in settings:
        return settings[key]
    # The tables around the key, from the inmost one to the file itself: `a.b.c` → `a.b`, `a`, "".
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

    `hugo.toml` is read as TOML, `conf.py` as Python, `Doxyfile` as `KEY = value`. {} for an ending
    without a reader. Raises one of `_READ_ERRORS` for a file that is not valid.
    """
    if is_script(file):
        # Imported here: most projects have no settings in a script.
        from .js_settings import read_settings

        return read_settings(text, file)
    ending = os.path.splitext(file)[1]
    if ending == ".py":
        return _read_python(text, file)
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
        elif isinstance(value, list | tuple):
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
    SyntaxError of a script, on line 3     → `is not valid JavaScript`, on line 3
    Invalid value (at line 3, column 1)    → `is not valid TOML`, on line 3
    Invalid value (at end of document)     → `is not valid TOML`, on the last line with text
    has more than 65,536 characters        → `has more than 65,536 characters`, without a line
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
    """Returns the name of a file's language for messages: `a.yml` → `YAML`.

    Any ending without a language of its own stands for JSON.
    """
    return _LANGUAGES.get(os.path.splitext(file)[1], "JSON")


# --- Python


class _Assigned(NamedTuple):
    """The value that a file assigns to a name, and the line of the assignment."""

    value: object
    line: int


def _read_python(text: str, file: str) -> dict[str, Found]:
    """Reads the settings in a Python file: `url = "a"` → `url` is "a".

    In a table, each key is a setting of its own: `site = {"url": "a"}` → `site.url` is "a". Raises
    the same errors as `_read_constants`.
    """
    return {
        key: Found(value, file, assigned.line)
        for name, assigned in _read_constants(text).items()
        for key, value in _flatten({name: assigned.value})
    }


def _read_constants(text: str) -> dict[str, _Assigned]:
    """Reads the values that a Python file assigns to names, without running the file.

        author = "Ann"; copyright = author    → "Ann" for both
        version = read_version()              → NOT_LITERAL: it is no literal
        url = "a"; from local import *        → NOT_LITERAL: the import may replace it
        if dev: url = "a"                     → NOT_LITERAL: it may not run
        tags = ["a"]; tags.append("b")        → NOT_LITERAL: a list may be changed by other lines
        url = "a"; url = "b"                  → NOT_LITERAL: it is set twice

    Raises SyntaxError if the text is no Python, ValueError if it is too long.
    """
    if len(text) > _MAX_CHARACTERS_OF_PYTHON:
        raise ValueError(f"has more than {_MAX_CHARACTERS_OF_PYTHON:,} characters")
    tree = ast.parse(text)
    times_set = Counter(name for name, _ in _names_set_below(tree))
    times_mentioned = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    constants: dict[str, _Assigned] = {}
    for statement in tree.body:
        if isinstance(statement, _SCOPES):
            continue  # names inside of a function or a class are its own
        # 1. Names that a statement sets have no certain value: in an `if`, it may not run.
        for name, line in _names_set_below(statement):
            # `from local import *` may replace every name before it.
            replaced_names = list(constants) if name == "*" else [name]
            constants |= dict.fromkeys(replaced_names, _Assigned(NOT_LITERAL, line))
        # 2. Only an assignment at the top of the file certainly runs, so its value counts.
        for name, expression in _assignments_in(statement):
            value = _python_literal(expression, constants)
            # Wherever the file mentions the name of a list, it may change it: `tags.append("b")`.
            may_be_changed = isinstance(value, _MUTABLE) and times_mentioned[name] > 1
            if times_set[name] == 1 and not may_be_changed:
                constants[name] = _Assigned(value, statement.lineno)
    return constants


def _assignments_in(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yields the names to which a statement certainly assigns, each with the assigned expression.

    a = b = find()    → `a` and `b`, each with `find()`
    a: str = "b"      → `a`, with `"b"`
    a.b = "c"         → nothing: it changes a part of `a`
    a, b = c          → nothing: each name gets a part of `c`
    if c: a = "b"     → nothing: it may not run
    """
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
        return
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id, statement.value


def _names_set_below(top: ast.AST) -> Iterator[tuple[str, int]]:
    """Yields the names that a part of a file sets, deletes or imports, each with its line.

    `for a in b: c = 1` → `a` and `c`; `import os.path` → `os`; `from local import *` → `*`.
    """
    for node in ast.walk(top):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id, node.lineno
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0], node.lineno


def _python_literal(value: ast.expr, constants: dict[str, _Assigned]) -> object:
    """Returns the value of an expression, or NOT_LITERAL if only running the file would give it.

    ["b"]     → ["b"]
    B         → the value of `B` in `constants`, or NOT_LITERAL if it is not there
    find()    → NOT_LITERAL
    """
    if isinstance(value, ast.Name):
        return constants[value.id].value if value.id in constants else NOT_LITERAL
    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return NOT_LITERAL


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
