"""The picture of the rooms in docs/contributing.md, made from the imports of the package."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "sitemapper"
# Rooms of one file with values and small tools, which most files import. They are not drawn.
_SMALL = {"__init__", "__main__", "__version__"}


def describe_rooms() -> str:
    """The rooms from the top to the bottom, each with those on which it stands.

    An arrow leads to what a room imports, unless another arrow leads there, too: with `a → b` and
    `b → c`, there is no `a → c`.
    """
    imports = {room: found - {room} for room, found in _read_imports().items()}
    levels = {room: _level(room, imports) for room in imports}
    below = {room: _all_below(room, imports) for room in imports}
    width = max(map(len, imports)) + 1
    lines = []
    for room in sorted(imports, key=lambda room: (-levels[room], room)):
        direct = [
            other
            for other in sorted(imports[room])
            if not any(other in below[third] for third in imports[room])
        ]
        arrow = f"→ {'  '.join(map(_name, direct))}" if direct else ""
        lines.append(f"{levels[room]:>2}  {_name(room):<{width}} {arrow}".rstrip())
    return "```\n" + "\n".join(lines) + "\n```\n"


def _read_imports() -> dict[str, set[str]]:
    """The rooms that each room imports, from all of its files."""
    imports: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] in _SMALL:
            continue
        found = imports.setdefault(parts[0], set())
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                node.body = []  # what only type checkers import
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level == len(parts):
                names = [node.module] if node.module else [alias.name for alias in node.names]
                found |= {name.partition(".")[0] for name in names} - _SMALL
    return imports


def _level(room: str, imports: dict[str, set[str]]) -> int:
    """How many rooms are below a room, one on top of the other."""
    return max((_level(other, imports) + 1 for other in imports[room]), default=0)


def _all_below(room: str, imports: dict[str, set[str]]) -> set[str]:
    """All rooms that a room imports, and those that these import."""
    found = set(imports[room])
    for other in imports[room]:
        found |= _all_below(other, imports)
    return found


def _name(room: str) -> str:
    """A folder with a slash at its end, or a file."""
    return f"{room}/" if (PACKAGE / room).is_dir() else f"{room}.py"
