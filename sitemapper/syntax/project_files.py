"""Project files of generators and hosts to their tables, or the texts of their keys.

Nothing is executed.
"""

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
# A string, which is kept, or what JSON does not allow: a comment, a final comma.
_COMMENT = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|//[^\n]*+|/\*[\s\S]*?(?:\*/|\Z)'
_FINAL_COMMA = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|,(?=\s*+[\]}])'
# A key with its indent and its value. A value that begins with one of &*!|>[{ is not plain text.
_YAML = r"""(?m)^([ \t]*)([\w-]+)[ \t]*:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'#&*!|>\[{]\S*)?)"""
# A comment, a bracket, or a key with a string or boolean, unless an expression continues.
_JAVASCRIPT = (
    r"""(?m)^[ \t]*//.*|/\*[\s\S]*?(?:\*/|\Z)|([{\[(])|([}\])])"""
    r"""|\b(\w++)["']?\s*[:=](?!=|>)\s*(?:(?:"([^"\n]*)"|'([^'\n]*)'|`([^`$\n]*)`|(true|false)\b|([A-Za-z_$][\w$]*+))"""
    r"""(?=[ \t]*(?:[,;}\])\r\n]|//|\Z))|(?=[^\s"'`{\[(])|(?=["'`]))"""
)
_ASSIGNMENT = r'(?m)^[ \t]*([\w-]+)[ \t]*=[ \t]*"?([^"\s]*)'


def values(text: str, name: str) -> dict[str, str]:
    """The strings and booleans in a project file by key; `table.key` for those in a table.

    Values that only code can compute are left out, or have no text.
    """
    try:
        found = dict(_READERS.get(posixpath.splitext(name)[1], _javascript)(text))
        # JSON may contain NUL and single surrogates, which a name cannot contain.
        return {
            key: value for key, value in found.items() if not re.search("[\0\ud800-\udfff]", value)
        }
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}


def read_toml(text: str) -> dict[str, Any]:
    """The tables of a text.

    Raises ValueError if it is not TOML, or if a key has very many parts.
    """
    for number, row in enumerate(text.splitlines(), 1) if text.count(".") > _MAX_DOTS else ():
        if row.count(".") > _MAX_DOTS:
            parts = re.split("[=,]", re.sub(r"\"[^\"]*\"|'[^']*'", "", row))
            if max(part.count(".") for part in parts) > _MAX_DOTS:
                raise ValueError(
                    f"A key has more than {_MAX_DOTS} parts (at line {number}, column 1)"
                )
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
    """The line of the file that sets a key, if it can be found."""
    word = re.compile(rf"(?i)\b{re.escape(key.rpartition('.')[2])}\b")
    rows = text.splitlines()
    return next((n for n, row in enumerate(rows, 1) if value in row and word.search(row)), None)


def packages(text: str) -> set[str]:
    """The dependencies in a package.json."""
    keys = (key.partition(".") for key in values(text, "package.json"))
    return {name for table, _, name in keys if table in ("dependencies", "devDependencies")}


def _flat(table: object, above: str = "") -> Iterator[tuple[str, str]]:
    """The strings and booleans of nested tables."""
    for key, value in table.items() if isinstance(table, Mapping) else ():
        if isinstance(value, bool):
            yield above + key, str(value).lower()
        elif isinstance(value, str):
            yield above + key, value
        else:
            yield from _flat(value, f"{above}{key}.")


def _constants(text: str) -> dict[str, str]:
    """The names that a Python file sets once to a constant or another such name.

    Nothing is evaluated.
    """
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
    """The keys on the top level and one level below."""
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
    """The values of keys. If a key appears twice, the least nested counts; none if that one is
    code.

    If a value is the name of a constant in the file, its text is used.
    """
    chosen: dict[str, tuple[int, str, str]] = {}
    depth = 0
    text = re.sub(
        r"(\bconst[ \t]+[\w$]++)\s*+:\s*+[\w$][\w$.<>\[\]| ]*+=", r"\1 =", text
    )  # its type
    for opened, closed, key, *quoted, name in re.findall(_JAVASCRIPT, text):
        depth += bool(opened) - bool(closed)
        if key and depth < chosen.get(key, (99, "", ""))[0]:
            chosen[key] = depth, "".join(quoted), name
    names = set(re.findall(r"\bconst\s+([\w$]+)", text))
    constants = {
        key: text for key, (depth, text, _) in chosen.items() if key in names and not depth
    }
    return {key: text or constants.get(name, "") for key, (_, text, name) in chosen.items()}


_READERS: dict[str, Callable[[str], Mapping[str, str] | Iterable[tuple[str, str]]]] = {
    ".py": _constants,
    ".toml": lambda text: _flat(read_toml(text)),
    ".json": lambda text: _flat(read_table("", text)),
    ".yml": _yaml,
    ".yaml": _yaml,
    **dict.fromkeys(("", ".lektorproject"), lambda text: re.findall(_ASSIGNMENT, text)),
}
