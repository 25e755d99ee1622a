"""The house: rooms on floors, imports downwards only, and the doors to the world where they belong."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "sitemapper"
FLOORS = {
    "messages": 0, "errors": 0, "protocol": 0, "_version": 0,
    "histogram": 0, "long_list": 0, "merge": 0, "posix_signals": 0, "recent": 0,
    "fs": 1, "model": 1,
    "syntax": 2, "net": 2,
    "config": 3,
    "replace": 4,
    "hosts": 5, "read": 5,
    "linter": 6, "site": 6,
    "lastmod": 7, "select": 7,
    "plan": 8, "tally": 8, "observer": 8,
    "publish": 9,
    "find": 10, "run": 10,
    "commands": 11,
    "cli": 12,
    "integrations": 13, "__main__": 13, "": 13,
}  # fmt: skip
FILES = {p.relative_to(PACKAGE).as_posix(): p.read_text() for p in sorted(PACKAGE.rglob("*.py"))}


@cache
def tree_of(path: str) -> ast.Module:
    return ast.parse(FILES[path])


@cache
def nodes_of(path: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(path)))


def room(path: str) -> str:
    return path.removesuffix("__init__.py").partition("/")[0].removesuffix(".py")


def imported(path: str) -> set[str]:
    """The rooms that a file imports from."""
    found = set()
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and node.level == path.count("/") + 1:
            names = [node.module] if node.module else [alias.name for alias in node.names]
            found |= {name.partition(".")[0] for name in names}
    return found


def test_every_file_imports_downwards_or_within_its_room() -> None:
    ancestors = [
        f"{path} imports {other}"
        for path in FILES
        if path != "__init__.py"
        for other in imported(path) - {room(path)}
        if FLOORS[other] >= FLOORS[room(path)]
    ]
    assert ancestors == []


@cache
def called_in(path: str) -> set[str]:
    """What a file calls, as it is written there."""
    calls = (node for node in nodes_of(path) if isinstance(node, ast.Call))
    return {ast.unparse(call.func) for call in calls}


def users(*calls: str) -> set[str]:
    """The files in which something is called."""
    return {path for path in FILES if called_in(path) & set(calls)}


def test_only_the_rim_knows_typer_prints_and_reads_the_clock_and_the_environment() -> None:
    process = {path for path in FILES if room(path) in ("cli", "integrations", "__main__")}
    assert users("datetime.now", "time.time") <= process | {"__init__.py"}
    assert users("print", "os.getcwd", "os.chdir") <= process
    environment = {path for path, text in FILES.items() if "os.environ" in text}
    assert environment <= process | {"lastmod/repository.py"}  # what git inherits
    assert {path for path, text in FILES.items() if "import typer" in text} <= process


def test_only_one_file_writes_the_output() -> None:
    writers = {"replace.py", "publish/write.py"}
    assert users("os.replace", "os.rename", "os.unlink") <= writers
    assert users("os.makedirs", "os.mkdir") <= {"publish/write.py"}


def loaded(path: str) -> set[str]:
    """The modules of others that a file imports, with those above them: `http.client`, `http`."""
    names = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module or "")
    return names | {name.rpartition(".")[0] for name in names}


def test_only_net_opens_sockets_and_only_one_of_its_files_knows_urllib3() -> None:
    network = {
        "urllib3",
        "http",
        "socket",
        "ssl",
        "urllib.request",
        "socketserver",
        "asyncio",
        "ftplib",
        "smtplib",
    }
    assert {room(path) for path in FILES if loaded(path) & network} == {"net"}
    assert [path for path in FILES if "urllib3" in loaded(path)] == ["net/client.py"]


def test_every_file_says_what_it_is_for() -> None:
    assert [path for path in FILES if not ast.get_docstring(tree_of(path))] == []
