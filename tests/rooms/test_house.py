"""The house of the new core: imports go downwards, and the doors to the world are where they belong."""

from __future__ import annotations

import ast
import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "sitemapper_next"
# From the top to the bottom: a room imports from those below it only.
ROOMS = (
    "__main__", "cli", "integrations", "commands", "publish", "lastmod", "select", "settle",
    "find", "scan", "read", "config", "hosts", "net", "syntax", "git", "files",
    "model", "observer", "protocol", "messages", "errors", "",
)  # fmt: skip


def imports(path: Path) -> set[str]:
    """The rooms from which a file imports when it runs, apart from its own."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    depth = len(path.relative_to(PACKAGE).parts)
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            names = [node.module] if node.module else [alias.name for alias in node.names]
            found |= {name.partition(".")[0] for name in names}
    return found


def test_imports_go_downwards() -> None:
    upwards = []
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py").replace("__init__", "")
        for other in imports(path):
            if other != room and ROOMS.index(other) <= ROOMS.index(room):
                upwards.append(f"{path.relative_to(PACKAGE)} imports {other}")
    assert upwards == []


def test_nothing_reads_the_clock_or_the_environment_or_prints() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text()
        for word in ("print(", "time.time(", "datetime.now(", "os.getcwd("):
            assert not re.search(rf"(?<!\w){re.escape(word)}", text), f"{path.name} has {word}"
        if path.name != "git.py":  # git gets the environment of the process
            assert "os.environ" not in text, path.name
