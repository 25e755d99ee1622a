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
    """The value that a file assigns to a name, and the line of the assignment."""

    value: object
    line: int


def read_constants(text: str) -> dict[str, Assigned]:
    """The values that a Python file assigns, by name, as far as they are certain without a run.

        author = "Ann"; copyright = author    → "Ann" for both
        version = read_version()              → NOT_LITERAL: it is no literal
        if dev: url = "a"                     → NOT_LITERAL: it may not run
        tags = ["a"]; tags.append("b")        → NOT_LITERAL: a list may be changed by other lines
        url = "a"; url = "b"                  → NOT_LITERAL: it is set twice
        url = "a"; from local import *        → NOT_LITERAL: the import may replace it

    Raises SyntaxError if the text is no Python, ValueError if it is too long.
    """
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(f"has more than {_MOST_CHARACTERS:,} characters")
    tree = ast.parse(text)
    times_set = Counter(name for name, _ in _names_set_below(tree))
    mentions = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    constants: dict[str, Assigned] = {}
    for statement in tree.body:
        if _imports_all(statement):
            constants = {name: Assigned(NOT_LITERAL, statement.lineno) for name in constants}
        if isinstance(statement, _SCOPES):
            continue  # names inside of a function or a class are its own
        for name, line in _names_set_below(statement):
            constants[name] = Assigned(NOT_LITERAL, line)
        # Only an assignment at the top of the file certainly runs.
        value = _value_of(statement, constants)
        for name in _targets_of(statement):
            may_be_changed = isinstance(value, _MUTABLE) and mentions[name] > 1
            if times_set[name] == 1 and not may_be_changed:
                constants[name] = Assigned(value, statement.lineno)
    return constants


def _names_set_below(top: ast.AST) -> Iterator[tuple[str, int]]:
    """The names that a part of a file sets, deletes or imports, each with its line.

    `for a in b: c = 1` → `a` and `c`; `import os.path` → `os`; `import numpy as np` → `np`.
    """
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


def _value_of(statement: ast.stmt, constants: dict[str, Assigned]) -> object:
    """The value that a statement assigns: of a literal, or of a name in `constants`.

    `A = ["b"]` → `["b"]`. NOT_LITERAL for any other statement, such as `A = find()`.
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
