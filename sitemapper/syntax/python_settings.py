"""The settings that a Python file assigns, such as conf.py, read without running it."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping

from .answers import Answer

_MAX_SIZE = 1 << 16  # characters; an f-string of n parts takes Python n² steps
_MAX_DEPTH = 60  # of an expression
_MAX_TEXT = 4_096  # characters of a text that is put together
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_ENVIRONMENT = ("environ.get", "getenv")  # of the module os

# A text, None for a value without one, () for what only running the file would tell.
_Value = str | None | tuple[str, ...]


def read_constants(text: str) -> dict[str, Answer]:
    """What a file says of the names that it assigns.

    A name that is set once to a text, to another such name, or to texts that `+` joins has a text.
    `getenv("NAME", "text")` is that text. The texts of a list are the lines of `name[]`.
    """
    if len(text) > _MAX_SIZE:
        raise ValueError(f"it has more than {_MAX_SIZE} characters")
    tree = ast.parse(text)
    stores = _count_stores(tree)
    at_top = {id(statement) for statement in tree.body}
    answers: dict[str, Answer] = {}
    for name, value, statement in _assignments(tree):
        if stores[name] == 1 and id(statement) in at_top:
            _answer(name, value, statement.lineno, answers)
        else:
            before = answers.get(name)
            candidates = before.candidates if before else ()
            literal = _value_of(value, answers, 0)
            if isinstance(literal, str) and literal and literal not in candidates:
                candidates = (*candidates, literal)
            line = before.line if before else statement.lineno
            answers[name] = Answer(None, line, candidates)
    return answers


def _answer(name: str, value: ast.expr, line: int, answers: dict[str, Answer]) -> None:
    """Adds what an assignment says of a name."""
    if isinstance(value, ast.List | ast.Tuple):
        texts = [item.value for item in value.elts if isinstance(item, ast.Constant)]
        lines = "\n".join(text for text in texts if isinstance(text, str))
        answers[f"{name}[]"] = Answer(lines, line)
        return
    found = _value_of(value, answers, 0)
    if isinstance(found, str):
        answers[name] = Answer(found, line)
    elif found is not None:
        answers[name] = Answer(None, line, found)


def _assignments(tree: ast.Module) -> Iterator[tuple[str, ast.expr, ast.stmt]]:
    """The names that a file assigns outside of functions, in order, each with its value."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _SCOPES):
            continue
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, node.value, node
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            if isinstance(node.target, ast.Name) and node.value is not None:
                yield node.target.id, node.value, node
        elif not isinstance(node, ast.expr):
            waiting += reversed(list(ast.iter_child_nodes(node)))


def _count_stores(tree: ast.Module) -> Counter[str]:
    """How often a program sets each name, in any scope."""
    stores: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            stores[node.target.id] += 1  # it also needs the value before
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stores[node.id] += 1
    return stores


def _value_of(node: ast.expr, known: Mapping[str, Answer], depth: int) -> _Value:
    """The value of an expression. What is unknown is a tuple of the texts that it may be."""
    if depth > _MAX_DEPTH:
        return ()
    if isinstance(node, ast.Constant):
        return _of_constant(node.value)
    if isinstance(node, ast.Name):
        return _of_name(node.id, known)
    parts = [_value_of(part, known, depth + 1) for part in _parts_of(node)]
    if isinstance(node, ast.BoolOp):
        return _first_of(parts)
    if isinstance(node, ast.IfExp):
        return _either(parts)
    return _joined(parts) if parts else ()


def _parts_of(node: ast.expr) -> list[ast.expr]:
    """The parts of which the value of an expression is made, none if only running it would tell."""
    if isinstance(node, ast.JoinedStr):
        return node.values
    if isinstance(node, ast.FormattedValue) and node.conversion == -1 and not node.format_spec:
        return [node.value]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [node.left, node.right]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        # A variable of the environment need not be set.
        return [part for part in node.values if not _is_environment(part, 1)]
    if _is_environment(node, 2) and isinstance(node, ast.Call):
        return node.args[1:]
    return []


def _of_name(name: str, known: Mapping[str, Answer]) -> _Value:
    answer = known.get(name)
    if answer is None:
        return ()
    return answer.candidates if answer.text is None else answer.text


def _of_constant(value: object) -> _Value:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else None


def _is_environment(node: ast.expr, arguments: int) -> bool:
    """Whether an expression asks for a variable of the environment, with so many arguments."""
    if not isinstance(node, ast.Call) or len(node.args) != arguments:
        return False
    return _dotted(node.func).removeprefix("os.") in _ENVIRONMENT


def _dotted(node: ast.expr) -> str:
    """The names of `a.b.c` as text, "" for another expression."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join(reversed([*names, node.id]))


def _first_of(values: list[_Value]) -> _Value:
    """`a or b`: the first that is not empty."""
    found: list[_Value] = []
    for value in values:
        if value in (None, "", "false"):
            continue
        found.append(value)
        if isinstance(value, str):
            break
    return _either(found) if found else None


def _joined(values: list[_Value]) -> _Value:
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < len(values) or sum(map(len, texts)) > _MAX_TEXT:
        return ()
    return "".join(texts)


def _either(values: list[_Value]) -> _Value:
    """One of several values, of which only running the file would choose one."""
    texts: dict[str, None] = {}
    for value in values:
        if isinstance(value, str):
            texts[value] = None
        elif isinstance(value, tuple):
            texts |= dict.fromkeys(value)
    if len(texts) == 1 and all(isinstance(value, str) for value in values):
        return next(iter(texts))
    return tuple(text for text in texts if text)
