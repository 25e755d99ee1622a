"""Project files of generators and hosts to their tables, or the texts of their keys. Nothing is executed."""

import ast
import json
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..errors import with_help

_MAX_PYTHON = 1 << 16  # characters; an f-string of n parts takes Python n² steps
_MAX_DOTS = 200  # of a key; tomllib takes more than the square of their number
# Patterns that are compiled when they are used.
# A text, which stays, or what JSON does not have: a comment, a final comma.
_COMMENT = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|//[^\n]*+|/\*[\s\S]*?(?:\*/|\Z)'
_FINAL_COMMA = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|,(?=\s*+[\]}])'
# A key with its indent and its value. A value that begins with one of &*!|>[{ is no plain text.
_YAML = r"""(?m)^([ \t]*)([\w-]+)[ \t]*:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'#&*!|>\[{]\S*)?)"""
# A comment, a bracket, or a key with its value: a text or a truth value, unless an expression goes on.
_JAVASCRIPT = (
    r"""(?m)^[ \t]*//.*|/\*[\s\S]*?(?:\*/|\Z)|([{\[(])|([}\])])"""
    r"""|\b(\w++)["']?\s*[:=](?!=|>)\s*(?:(?:"([^"\n]*)"|'([^'\n]*)'|`([^`$\n]*)`|(true|false)\b|([A-Za-z_$][\w$]*+))"""
    r"""(?=[ \t]*(?:[,;}\])\r\n]|//|\Z))|(?=[^\s"'`{\[(])|(?=["'`]))"""
)
_ASSIGNMENT = r'(?m)^[ \t]*([\w-]+)[ \t]*=[ \t]*"?([^"\s]*)'


def values(text: str, name: str) -> dict[str, str]:
    """The texts and truth values of a project file by key, `table.key` for those of a table.

    A value that only code can compute is left out, or has no text.
    """
    try:
        found = dict(_READERS.get(posixpath.splitext(name)[1], _javascript)(text))
        # JSON may have NUL and half of a surrogate pair, which cannot be in a name.
        return {key: value for key, value in found.items() if not re.search("[\0\ud800-\udfff]", value)}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}


def read_toml(text: str) -> dict[str, Any]:
    """The tables of a text. Raises ValueError where it is not TOML, or a key has very many parts."""
    for number, row in enumerate(text.splitlines(), 1) if text.count(".") > _MAX_DOTS else ():
        if row.count(".") > _MAX_DOTS:
            parts = re.split("[=,]", re.sub(r"\"[^\"]*\"|'[^']*'", "", row))
            if max(part.count(".") for part in parts) > _MAX_DOTS:
                raise ValueError(f"A key has more than {_MAX_DOTS} parts (at line {number}, column 1)")
    if not text:
        return {}
    # Imported here: it compiles expressions, and many sites have no TOML.
    from tomllib import loads as parse

    return parse(text)


def read_table(name: str, text: str) -> dict[str, Any]:
    """A project file in TOML or JSON, with comments and final commas; {} for an empty one.

    Raises ValueError with a message for the user.
    """
    try:
        if name.endswith(".toml"):
            return read_toml(text)
        for pattern in (_COMMENT, _FINAL_COMMA):
            text = re.sub(pattern, lambda match: match[1] or "", text)
        table = json.loads(text or "{}")
        return table if isinstance(table, dict) else {}
    except (ValueError, RecursionError) as error:
        problem = f"{name}: is not {'TOML' if name.endswith('.toml') else 'JSON'}: {error}"
        raise ValueError(with_help(problem, 'correct it, or set host = "none"')) from None


def line_of(text: str, key: str, value: str) -> int | None:
    """The line of the file at which a key has a value, as far as it has one of its own."""
    word = re.compile(rf"(?i)\b{re.escape(key.rpartition('.')[2])}\b")
    rows = text.splitlines()
    return next((n for n, row in enumerate(rows, 1) if value in row and word.search(row)), None)


def packages(text: str) -> set[str]:
    """The dependencies that a package.json names."""
    keys = (key.partition(".") for key in values(text, "package.json"))
    return {name for table, _, name in keys if table in ("dependencies", "devDependencies")}


def _flat(table: object, above: str = "") -> Iterator[tuple[str, str]]:
    """The texts and truth values of nested tables."""
    for key, value in table.items() if isinstance(table, Mapping) else ():
        if isinstance(value, bool):
            yield above + key, str(value).lower()
        elif isinstance(value, str):
            yield above + key, value
        else:
            yield from _flat(value, f"{above}{key}.")


def _constants(text: str) -> dict[str, str]:
    """What a Python file assigns once, as a constant or by the name of one; nothing else is evaluated."""
    if len(text) > _MAX_PYTHON:
        raise ValueError(f"it has more than {_MAX_PYTHON} characters")
    tree = ast.parse(text)
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    stores = Counter(node.id for node in names if isinstance(node.ctx, ast.Store))
    constants: dict[str, object] = {}
    for node in (node for node in tree.body if isinstance(node, ast.Assign)):
        known = constants.get(node.value.id) if isinstance(node.value, ast.Name) else None
        value = node.value.value if isinstance(node.value, ast.Constant) else known
        named = (target.id for target in node.targets if isinstance(target, ast.Name))
        constants.update((name, value) for name in named if stores[name] == 1)
    return dict(_flat(constants))


def _yaml(text: str) -> dict[str, str]:
    """The outermost keys and those one level below."""
    found: dict[str, str] = {}
    table = level = ""
    for indent, key, *quoted in re.findall(_YAML, text):
        if not indent:
            table, level = f"{key}.", ""
        level = level or indent
        if indent == level:
            found[table + key if indent else key] = "".join(quoted)
    return found


def _javascript(text: str) -> dict[str, str]:
    """Of a key that comes more than once, the value that is nested least; none if that one is code.

    The name of a constant stands for its text, if the file has it.
    """
    chosen: dict[str, tuple[int, str, str]] = {}
    depth = 0
    text = re.sub(r"(\bconst[ \t]+[\w$]++)\s*+:\s*+[\w$][\w$.<>\[\]| ]*+=", r"\1 =", text)  # its type
    for opened, closed, key, *quoted, name in re.findall(_JAVASCRIPT, text):
        depth += bool(opened) - bool(closed)
        if key and depth < chosen.get(key, (99, "", ""))[0]:
            chosen[key] = depth, "".join(quoted), name
    names = set(re.findall(r"\bconst\s+([\w$]+)", text))
    constants = {key: text for key, (depth, text, _) in chosen.items() if key in names and not depth}
    return {key: text or constants.get(name, "") for key, (_, text, name) in chosen.items()}


_READERS: dict[str, Callable[[str], Mapping[str, str] | Iterable[tuple[str, str]]]] = {
    ".py": _constants,
    ".toml": lambda text: _flat(read_toml(text)),
    ".json": lambda text: _flat(read_table("", text)),
    ".yml": _yaml,
    ".yaml": _yaml,
    **dict.fromkeys(("", ".lektorproject"), lambda text: re.findall(_ASSIGNMENT, text)),
}
