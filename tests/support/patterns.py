"""The regular expressions of a package, how each is used, and texts on which a slow one takes long."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterator
from itertools import accumulate, groupby, product
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

_SCANS = {"search", "findall", "finditer", "sub", "subn", "split"}
_METHODS = {*_SCANS, "match", "fullmatch"}
_PATTERN = re.compile(r"\\[sdwb]|\(\?|\[\^")  # what text has that is given to `re` somewhere else
_CANDIDATES = "a1 <\"/=-\n\t'>&{([*%A"  # characters of classes
_REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}
_ONE = {"LITERAL", "NOT_LITERAL", "ANY", "IN"}
_LOOKS = {"ASSERT", "ASSERT_NOT"}


class Usage(NamedTuple):
    """A regular expression, where it is from, and how it is used: `search`, `match` or `fullmatch`."""

    place: str
    pattern: re.Pattern[Any]
    method: str

    def run(self, text: Any) -> None:
        """Uses it once on a text, to the end of the text."""
        if self.method == "search":
            for _ in self.pattern.finditer(text):
                pass
        else:
            getattr(self.pattern, self.method)(text)


def usages(package: ModuleType) -> list[Usage]:
    """Each regular expression of a package: those compiled by its modules, and the literals in its code."""
    modules = [
        importlib.import_module(info.name)
        for info in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
        if not info.name.endswith("__main__")
    ]
    trees = {module: ast.parse(Path(str(module.__file__)).read_text("utf-8")) for module in modules}
    calls = [
        (getattr(module, node.value.id, None), node.attr)
        for module, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.attr in _METHODS
    ]
    found: dict[tuple[Any, ...], Usage] = {}
    for module, tree in trees.items():
        for place, pattern, method in [*_compiled(module, calls), *_called(module, tree)]:
            kind = "search" if method in _SCANS else method
            found.setdefault((pattern.pattern, pattern.flags, kind), Usage(place, pattern, kind))
    known = [text if isinstance(text, str) else text.decode("latin-1") for text, _, _ in found]
    others = [usage for module, tree in trees.items() for usage in _texts(module, tree)]
    return [
        *found.values(),
        *(usage for usage in others if not any(usage.pattern.pattern in k for k in known)),
    ]


def _compiled(module: ModuleType, calls: list[tuple[Any, str]]) -> Iterator[Usage]:
    for name, value in vars(module).items():
        for pattern in _patterns_in(value) if not name.startswith("__") else ():
            methods = {method for called, method in calls if called is pattern}
            for method in methods or {"search"}:
                yield Usage(f"{module.__name__}.{name}", pattern, method)


def _patterns_in(value: object) -> Iterator[re.Pattern[Any]]:
    """The compiled patterns in a value of a module, in its tuples, lists and dicts too."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, (tuple, list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _patterns_in(item)


def _called(module: ModuleType, tree: ast.Module) -> Iterator[Usage]:
    """What the code gives to functions of `re`, as far as a literal or a constant of the module says it."""
    for node in ast.walk(tree):
        function = node.func if isinstance(node, ast.Call) and node.args else None
        if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
            continue
        text = (
            _text(node.args[0], module)
            if function.value.id == "re" and function.attr in _METHODS
            else None
        )
        if text is not None:
            yield Usage(
                f"{module.__name__}:{node.lineno}", re.compile(text, _flags(node)), function.attr
            )


def _flags(call: ast.Call) -> int:
    names = {n.attr for n in ast.walk(call) if isinstance(n, ast.Attribute) and n.attr.isupper()}
    return sum(getattr(re, name, 0) for name in names)


def _text(node: ast.expr, module: ModuleType) -> Any:
    """The text of an expression; a part that only a run knows is an `x`."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = (p.value if isinstance(p, ast.FormattedValue) else p for p in node.values)
        return "".join(text if isinstance(text := _text(p, module), str) else "x" for p in parts)
    value = getattr(module, node.id, None) if isinstance(node, ast.Name) else None
    return value if isinstance(value, (str, bytes)) else None


def _texts(module: ModuleType, tree: ast.Module) -> Iterator[Usage]:
    """Other literals that look like a pattern, as in tables."""
    parts = {
        part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
    }
    # Docstrings are prose, even if they show the syntax of another engine.
    parts |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and node not in parts else None
        if isinstance(text, str) and _PATTERN.search(text):
            try:
                yield Usage(f"{module.__name__}:{node.lineno}", re.compile(text), "search")
            except re.error:
                continue  # a part of a pattern


class Attack(NamedTuple):
    """A text: a beginning, what is repeated, an end."""

    start: str
    unit: str
    end: str

    def text(self, count: int, like: str | bytes) -> str | bytes:
        """The text, of the type of a pattern."""
        text = self.start + self.unit * count + self.end
        return text if isinstance(like, str) else text.encode("latin-1", "replace")


def attacks(pattern: re.Pattern[Any]) -> list[Attack]:
    """Repeats of what the parts of a pattern match, alone and behind what stands before them."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    characters = list(dict.fromkeys(_characters(tree)))[:12]
    units = {unit for sequence in _sequences(tree) for unit in _windows(sequence)}
    units |= {*characters, *map("".join, product(characters[:6], repeat=2))}
    starts = accumulate(map(_sample, tree), initial="")
    behind = {(start, character) for start in starts for character in characters} | set(
        _repeats(tree, "")
    )
    plain = {Attack("", unit, end) for unit in units for end in ("", "\0")}
    return sorted(
        attack for attack in plain | {Attack(*pair, "\0") for pair in behind} if attack.unit
    )


def _sequences(tree: Any) -> Iterator[Any]:
    """A pattern, and those that stand inside it."""
    yield tree
    for operator, value in tree:
        for inner in _children(operator, value):
            yield from _sequences(inner)


def _windows(tree: Any) -> Iterator[str]:
    """What up to five neighbours in a pattern match."""
    groups = (
        (is_text, map(_sample, run))
        for is_text, run in groupby(tree, lambda node: str(node[0]) == "LITERAL")
    )
    pieces = [
        piece for is_text, run in groups for piece in (["".join(run)] if is_text else run) if piece
    ]
    for start in range(len(pieces)):
        yield from accumulate(pieces[start : start + 5])


def _repeats(tree: Any, prefix: str) -> Iterator[tuple[str, str]]:
    """Each repeated part with what stands before it."""
    for operator, value in tree:
        for inner in _children(operator, value):
            if str(operator) in _REPEATS:
                yield prefix, "".join(map(_sample, inner))
                yield from ((prefix, character) for character in [*_characters(inner)][:6])
            yield from _repeats(inner, prefix)
        prefix += _sample((operator, value))


def _children(operator: Any, value: Any) -> list[Any]:
    name = str(operator)
    if name == "BRANCH":
        return list(value[1])
    if name == "ATOMIC_GROUP":
        return [value]
    place = {"SUBPATTERN": 3, "ASSERT": 1, "ASSERT_NOT": 1} | dict.fromkeys(_REPEATS, 2)
    return [value[place[name]]] if name in place else []


def _sample(node: Any) -> str:
    """A text that a part matches, with one turn of each repeat."""
    operator, value = node
    if str(operator) in _ONE:
        return next(iter(_members(str(operator), value)), "")
    parts = [] if str(operator) in _LOOKS else _children(operator, value)[:1]
    return "".join(_sample(inner) for part in parts for inner in part)


def _characters(tree: Any) -> Iterator[str]:
    """Characters that the parts of a pattern match: literals, and a few of each class."""
    for operator, value in tree:
        if str(operator) in _ONE:
            yield from _members(str(operator), value)[:3]
        for inner in _children(operator, value):
            yield from _characters(inner)


def _members(name: str, value: Any) -> list[str]:
    if name == "LITERAL":
        return [chr(value)]
    if name != "IN":
        return [c for c in _CANDIDATES[::-1] if name == "ANY" or ord(c) != value]
    is_negated = str(value[0][0]) == "NEGATE"
    own = (
        []
        if is_negated
        else [chr(v if str(o) == "LITERAL" else v[0]) for o, v in value if str(o) != "CATEGORY"]
    )
    members = re.compile(
        "|".join(_class(*item) for item in value if str(item[0]) != "NEGATE") or "(?!)"
    )
    return own + [c for c in _CANDIDATES if bool(members.fullmatch(c)) != is_negated]


def _class(operator: Any, value: Any) -> str:
    if str(operator) == "LITERAL":
        return re.escape(chr(value))
    if str(operator) == "RANGE":
        return f"[{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}]"
    kind = rf"\{str(value).rpartition('_')[2][0].lower()}"
    return kind.upper() if "NOT" in str(value) else kind
