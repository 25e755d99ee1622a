"""Project files of generators to the texts of their keys. Pure: nothing of them is executed."""

from __future__ import annotations

import ast
import json
import posixpath
import re
import tomllib
from collections.abc import Callable
from typing import Any

# A key with its indent and its value. A comment, a bracket, or a key with its quoted value.
_YAML = re.compile(r"""(?m)^([ \t]*)(\w+)[ \t]*:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'#]*))""")
_JAVASCRIPT = re.compile(
    r"""(?m)^[ \t]*//.*|/\*[\s\S]*?(?:\*/|\Z)|([{\[(])|([}\])])"""
    r"""|\b(\w++)["']?\s*[:=]\s*(?:"([^"\n]*)"|'([^'\n]*)')"""
)


def values(text: str, name: str) -> dict[str, str]:
    """The texts of a project file by key, `key.inner` for those of a table; nothing is executed."""
    read = _READERS.get(posixpath.splitext(name)[1], _javascript)
    try:
        data = read(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    tables = data if isinstance(data, dict) else {}
    inner = {f"{k}.{key}": v for k, t in tables.items() if isinstance(t, dict) for key, v in t.items()}
    return {key: value for key, value in (inner | tables).items() if isinstance(value, str)}


def _constants(text: str) -> dict[str, str]:
    """What a Python file assigns as constants; expressions are not evaluated."""
    return {
        target.id: node.value.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }


def _yaml(text: str) -> dict[str, str]:
    """The outermost keys and those one level below."""
    values: dict[str, str] = {}
    table = level = ""
    for indent, key, *quoted in _YAML.findall(text):
        if not indent:
            table, level = f"{key}.", ""
        level = level or indent
        if indent == level:
            values[table + key if indent else key] = "".join(quoted)
    return values


def _javascript(text: str) -> dict[str, str]:
    """Of a key that comes more than once, the value that is nested least."""
    chosen: dict[str, tuple[int, str]] = {}
    depth = 0
    for opened, closed, key, *quoted in _JAVASCRIPT.findall(text):
        depth += bool(opened) - bool(closed)
        if key and depth < chosen.get(key, (99, ""))[0]:
            chosen[key] = depth, "".join(quoted)
    return {key: value for key, (_, value) in chosen.items()}


_READERS: dict[str, Callable[[str], Any]] = {
    ".py": _constants,
    ".toml": tomllib.loads,
    ".json": json.loads,
    ".yml": _yaml,
    ".yaml": _yaml,
    "": lambda text: dict(re.findall(r'(?m)^(\w+)[ \t]*=[ \t]*"?([^"\s]*)', text)),
}
