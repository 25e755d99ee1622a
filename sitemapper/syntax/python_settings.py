"""The settings that a Python file assigns, such as conf.py, read without running it."""

import ast
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ..model import NOT_LITERAL

_MOST_CHARACTERS = 1 << 16  # an f-string of n parts takes Python n² steps
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_MUTABLE = (list, dict, set)


class Assigned(NamedTuple):
    """What a file assigns to a name, and the line that says so."""

    value: object
    line: int


def read_constants(text: str) -> dict[str, Assigned]:
    """What a file says of the names that it sets: the value of a literal, or NOT_LITERAL.

    A literal is what `ast.literal_eval` reads, or the name of one. It is assigned once, at the top
    of the file, and no `from … import *` behind it can replace it. A list may be changed wherever
    its name stands, so that it is only a literal if that is nowhere else.

    Raises SyntaxError if the text is no Python, ValueError if it is too long.
    """
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(f"has more than {_MOST_CHARACTERS:,} characters")
    tree = ast.parse(text)
    times_set = Counter(name for name, _ in _names_set_below(tree))
    mentions = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    found: dict[str, Assigned] = {}
    for statement in tree.body:
        if _imports_all(statement):
            found = {name: Assigned(NOT_LITERAL, statement.lineno) for name in found}
        if isinstance(statement, _SCOPES):
            continue
        for name, line in _names_set_below(statement):
            found[name] = Assigned(NOT_LITERAL, line)
        value = _value_of(statement, found)
        for name in _targets_of(statement):
            is_changed = isinstance(value, _MUTABLE) and mentions[name] > 1
            if times_set[name] == 1 and not is_changed:
                found[name] = Assigned(value, statement.lineno)
    return found


def _names_set_below(top: ast.AST) -> Iterator[tuple[str, int]]:
    """The names that a part of a file sets, deletes or imports, each with its line."""
    for node in ast.walk(top):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id, node.lineno
        elif isinstance(node, ast.alias) and node.name != "*":
            yield node.asname or node.name.partition(".")[0], node.lineno


def _imports_all(statement: ast.stmt) -> bool:
    """Whether a statement contains `from … import *`."""
    imports = [node for node in ast.walk(statement) if isinstance(node, ast.ImportFrom)]
    return any(node.names[0].name == "*" for node in imports)


def _targets_of(statement: ast.stmt) -> list[str]:
    """The names to which a statement assigns its value: `A = B = "c"`, `A: str = "c"`."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _value_of(statement: ast.stmt, found: dict[str, Assigned]) -> object:
    """The value that a statement assigns, NOT_LITERAL if only running it would tell."""
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    if value is None:
        return NOT_LITERAL
    if isinstance(value, ast.Name):
        return found[value.id].value if value.id in found else NOT_LITERAL
    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return NOT_LITERAL
