"""Project files of generators and hosts to their tables, or the texts of their keys.

Nothing is executed.
"""

import ast
import json
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..errors import with_help
from .yaml_text import read_yaml

_MAX_PYTHON = 1 << 16  # characters; an f-string of n parts takes Python n² steps
_MAX_DOTS = 200  # of a key; tomllib takes more than the square of their number
# Patterns are compiled when they are used.
# JSON may contain NUL and single surrogates, which a name cannot contain.
_NO_NAME = "[\0\ud800-\udfff]"
# A string, which is kept, or what JSON does not allow: a comment, a final comma.
_COMMENT = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|//[^\n]*+|/\*[\s\S]*?(?:\*/|\Z)'
_FINAL_COMMA = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|,(?=\s*+[\]}])'
_JAVASCRIPT = r"""(?mx)
    ^[ \t]*//.* | /\*[\s\S]*?(?:\*/|\Z)  # a comment
  | (?P<opened>[{\[(]) | (?P<closed>[}\])])
  | \b(?P<key>\w++) ["']?\s*[:=](?!=|>)\s*
    (?:
      (?: "(?P<double>[^"\n]*)" | '(?P<single>[^'\n]*)' | `(?P<template>[^`$\n]*)`
        | (?P<boolean>true|false)\b | (?P<name>[A-Za-z_$][\w$]*+) )
      (?= [ \t]* (?: [,;}\])\r\n] | // | \Z ) )  # and no expression continues
    | (?=[^\s"'`{\[(]) | (?=["'`])  # a value that is computed
    )
"""
_CONSTANT_TYPE = r"(\bconst[ \t]+[\w$]++)\s*+:\s*+[\w$][\w$.<>\[\]| ]*+="
_MAX_DEPTH = 99  # of the brackets around a key in JavaScript
_ASSIGNMENT = r'(?m)^[ \t]*([\w-]+)[ \t]*=[ \t]*"?([^"\s]*)'
_DEPENDENCY_TABLES = ("dependencies", "devDependencies")


def values(text: str, name: str) -> dict[str, str]:
    """The strings and booleans in a project file by key.

    A key in a table is `table.key`. The texts of a list are the lines of `key[]`. Values that only
    code can compute are left out, or have no text.
    """
    ending = posixpath.splitext(name)[1]
    read = _READERS.get(ending, _javascript)
    try:
        found = dict(read(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return {key: value for key, value in found.items() if not re.search(_NO_NAME, value)}


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
    is_toml = name.endswith(".toml")
    try:
        return read_toml(text) if is_toml else _read_json(text)
    except (ValueError, RecursionError) as error:
        language = "TOML" if is_toml else "JSON"
        problem = f"{name}: is not {language}: {error}"
        raise ValueError(with_help(problem, 'correct it, or set host = "none"')) from None


def _read_json(text: str) -> dict[str, Any]:
    """The table in a JSON text with comments and final commas; {} if it is something else."""
    plain = text
    for pattern in (_COMMENT, _FINAL_COMMA):
        # Each match is a string, the first group, which stays, or what has to go.
        plain = re.sub(pattern, lambda match: match[1] or "", plain)
    table = json.loads(plain or "{}")
    return table if isinstance(table, dict) else {}


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


def _flat(table: object, above: str = "") -> Iterator[tuple[str, str]]:
    """The strings and booleans of nested tables: `{"a": {"b": True}}` → `("a.b", "true")`.

    The texts of a list are lines: `{"a": ["b", "c"]}` → `("a[]", "b\\nc")`.
    """
    if not isinstance(table, Mapping):
        return
    for key, value in table.items():
        if isinstance(value, bool):
            yield above + key, str(value).lower()
        elif isinstance(value, str):
            yield above + key, value
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


def _constants(text: str) -> dict[str, str]:
    """The names that a Python file sets once to a constant, a list of them or another such name.

    `A = "x"` and `B = A` → `{"A": "x", "B": "x"}`. Nothing is evaluated.
    """
    if len(text) > _MAX_PYTHON:
        raise ValueError(f"it has more than {_MAX_PYTHON} characters")
    tree = ast.parse(text)
    stores = _count_stores(tree)
    constants: dict[str, object] = {}
    for statement in tree.body:
        if not isinstance(statement, ast.Assign):
            continue
        value: object = None  # of any other expression; `_flat` leaves it out
        if isinstance(statement.value, ast.Constant):
            value = statement.value.value
        elif isinstance(statement.value, ast.Name):
            value = constants.get(statement.value.id)
        elif isinstance(statement.value, ast.List | ast.Tuple):
            items = statement.value.elts
            value = [item.value for item in items if isinstance(item, ast.Constant)]
        for target in statement.targets:
            if isinstance(target, ast.Name) and stores[target.id] == 1:
                constants[target.id] = value
    return dict(_flat(constants))


def _count_stores(tree: ast.Module) -> Counter[str]:
    """How often a program sets each name, in any scope."""
    stores: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stores[node.id] += 1
    return stores


class _JavascriptValue(NamedTuple):
    """The value of a key, the depth of its brackets, and the name it has instead of a text."""

    depth: int
    text: str
    name: str


def _javascript(text: str) -> dict[str, str]:
    """The values of keys: `{site: {url: "x"}}` → `{"url": "x"}`, whatever is around it.

    If a key appears twice, the least nested counts. Its text is "" if code computes it. If a value
    is the name of a constant in the file, the text of the constant is used.
    """
    untyped = re.sub(_CONSTANT_TYPE, r"\1 =", text)
    chosen: dict[str, _JavascriptValue] = {}
    depth = 0
    for match in re.finditer(_JAVASCRIPT, untyped):
        if match["opened"]:
            depth += 1
        elif match["closed"]:
            depth -= 1
        key = match["key"]
        if not key or depth >= _MAX_DEPTH:
            continue
        if key in chosen and chosen[key].depth <= depth:
            continue
        quoted = match["double"] or match["single"] or match["template"]
        text_of_value = quoted or match["boolean"] or ""
        chosen[key] = _JavascriptValue(depth, text_of_value, match["name"] or "")
    constants: dict[str, str] = {}
    for name in re.findall(r"\bconst\s+([\w$]+)", untyped):
        if name in chosen and chosen[name].depth == 0:
            constants[name] = chosen[name].text
    return {key: value.text or constants.get(value.name, "") for key, value in chosen.items()}


_READERS: dict[str, Callable[[str], Mapping[str, str] | Iterable[tuple[str, str]]]] = {
    ".py": _constants,
    ".toml": lambda text: _flat(read_toml(text)),
    ".json": lambda text: _flat(read_table("", text)),
    ".yml": lambda text: _flat(read_yaml(text)),
    ".yaml": lambda text: _flat(read_yaml(text)),
    **dict.fromkeys(("", ".lektorproject"), lambda text: re.findall(_ASSIGNMENT, text)),
}
