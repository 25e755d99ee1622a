"""The house: imports go downwards, and the doors to the world are where they belong."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "sitemapper"
# From the top to the bottom: a room imports from those below it only.
ROOMS = (
    "__main__", "cli", "integrations", "commands", "publish", "lastmod", "select", "settle",
    "linter", "find", "scan", "read", "config", "hosts", "net", "syntax", "git", "files",
    "model", "protocol", "messages", "__version__",
)  # fmt: skip


FILES = {
    path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text())
    for path in sorted(PACKAGE.rglob("*.py"))
}


def room_of(path: str) -> str:
    return path.partition("/")[0].removesuffix(".py").replace("__init__", "")


def imports(path: str) -> set[str]:
    """The rooms from which a file imports when it runs, apart from its own."""
    tree = FILES[path]
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == path.count("/") + 1:
            names = [node.module] if node.module else [alias.name for alias in node.names]
            found |= {name.partition(".")[0] for name in names}
    return found


def test_imports_go_downwards() -> None:
    upwards = []
    for path in FILES:
        room = room_of(path)
        for other in imports(path) if room else ():
            if other != room and ROOMS.index(other) <= ROOMS.index(room):
                upwards.append(f"{path} imports {other}")
    assert upwards == []


def users(*calls: str) -> set[str]:
    """The rooms in which something is called."""
    found = set()
    for path, tree in FILES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in calls:
                found.add(room_of(path))
    return found


def loads(*modules: str) -> set[str]:
    """The rooms that import modules of others."""
    found = set()
    for path, tree in FILES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            else:
                continue
            if {name.partition(".")[0] for name in names} & set(modules):
                found.add(room_of(path))
    return found


RIM = {"", "__main__", "cli", "integrations"}


def test_the_doors_to_the_world_are_where_they_belong() -> None:
    assert users("datetime.now", "time.time", "time.perf_counter") <= RIM
    assert users("time.monotonic") <= {*RIM, "net"}  # requests a second, and waits for answers
    assert users("print", "os.getcwd", "os.chdir", "sys.stdout.write", "sys.stderr.write") <= RIM
    assert loads("typer", "rich") <= RIM
    assert users("os.replace", "os.rename", "os.unlink", "os.makedirs", "os.mkdir") <= {
        "publish",
        "cli",
        "commands",  # submit takes a list of changes, and puts back what was not accepted
    }
    assert loads("urllib3", "socket", "ssl", "socketserver") <= {"net"}
    environment = {path for path in FILES if "os.environ" in ast.unparse(FILES[path])}
    assert {room_of(path) for path in environment} <= {*RIM, "git"}  # git gets that of the process


def test_every_file_says_what_it_is_for() -> None:
    assert [path for path, tree in FILES.items() if not ast.get_docstring(tree)] == []
