"""The settings that a Python file assigns, such as conf.py, read without running it."""

import ast
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ..model import NOT_LITERAL

_MAX_CHARACTERS = 1 << 16  # an f-string of n parts takes Python n² steps
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_MUTABLE = (list, dict, set)


class Assigned(NamedTuple):
    """The value that a file assigns to a name, and the line of the assignment."""

    value: object
    line: int


def read_constants(text: str) -> dict[str, Assigned]:
    """Reads the values that a Python file assigns to names, without running the file.

        author = "Ann"; copyright = author    → "Ann" for both
        version = read_version()              → NOT_LITERAL: it is no literal
        if dev: url = "a"                     → NOT_LITERAL: it may not run
        tags = ["a"]; tags.append("b")        → NOT_LITERAL: a list may be changed by other lines
        url = "a"; url = "b"                  → NOT_LITERAL: it is set twice
        url = "a"; from local import *        → NOT_LITERAL: the import may replace it

    Raises SyntaxError if the text is no Python, ValueError if it is too long.
    """
    if len(text) > _MAX_CHARACTERS:
        raise ValueError(f"has more than {_MAX_CHARACTERS:,} characters")
    tree = ast.parse(text)
    # How often the file sets each name, and how often it mentions it at all. A name that is set
    # twice has no certain value.
    times_set = Counter(name for name, _ in _names_set_below(tree))
    times_mentioned = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    constants: dict[str, Assigned] = {}
    for statement in tree.body:
        # `from local import *` may replace every name before it.
        if _imports_all(statement):
            constants = {name: Assigned(NOT_LITERAL, statement.lineno) for name in constants}
        if isinstance(statement, _SCOPES):
            continue  # names inside of a function or a class are its own
        # First, no name that the statement sets is certain: it may be set by an `if` or a loop.
        for name, line in _names_set_below(statement):
            constants[name] = Assigned(NOT_LITERAL, line)
        # Then the names of an assignment at the top of the file are, because it certainly runs.
        value = _assigned_value(statement, constants)
        for name in _targets_of(statement):
            may_be_changed = isinstance(value, _MUTABLE) and times_mentioned[name] > 1
            if times_set[name] == 1 and not may_be_changed:
                constants[name] = Assigned(value, statement.lineno)
    return constants


def _names_set_below(top: ast.AST) -> Iterator[tuple[str, int]]:
    """Yields the names that a part of a file sets, deletes or imports, each with its line.

    `for a in b: c = 1` → `a` and `c`; `import os.path` → `os`; `import numpy as np` → `np`.
    """
    for node in ast.walk(top):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id, node.lineno
        elif isinstance(node, ast.alias) and node.name != "*":
            yield node.asname or node.name.partition(".")[0], node.lineno


def _imports_all(statement: ast.stmt) -> bool:
    """Whether a statement contains `from … import *`, which may replace any name set before."""
    imports = [node for node in ast.walk(statement) if isinstance(node, ast.ImportFrom)]
    return any(node.names[0].name == "*" for node in imports)


def _targets_of(statement: ast.stmt) -> list[str]:
    """Lists the names to which a statement assigns its whole value.

    A = B = "c"     → `A` and `B`
    A: str = "c"    → `A`
    A.b = "c"       → none: it changes a part of `A`
    A, B = c        → none: each name gets a part of the value
    if a: B = "c"   → none: the statement itself is no assignment
    """
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _assigned_value(statement: ast.stmt, constants: dict[str, Assigned]) -> object:
    """Returns the value that a statement assigns, or NOT_LITERAL if it is not certain.

    A = ["b"]     → ["b"]
    A = B         → the value of `B` in `constants`, or NOT_LITERAL if it is not there
    A = find()    → NOT_LITERAL
    import A      → NOT_LITERAL: no assignment
    """
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    if value is None:
        return NOT_LITERAL
    if isinstance(value, ast.Name):
        return constants[value.id].value if value.id in constants else NOT_LITERAL
    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return NOT_LITERAL
