"""Who may import whom: downwards only, and the doors to the world where DESIGN puts them."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "sitemapper"
# Each room may import rooms of later rows, and of its own row.
FLOORS = (
    {"__main__"},
    {"cli"},
    {"flags"},
    {"report_findings"},
    {"checking", "check_against"},
    {"building"},
    {"cli.text", "output.write", "commands.init"},
    {"linter"},
    {"explanation", "changes"},
    {"published"},
    {"lock"},
    {"workers"},
    {"pipeline"},
    {"tally"},
    {"inspection", "evidence", "spool"},
    {"plan"},
    {"extra_urls", "config", "site_files", "url_styles"},
    {"parallel_walk"},
    {"fingerprint"},
    {"config_errors"},
    {"config_sources"},
    {"lastmod", "judge", "shards"},
    {"cache"},
    {"reading"},
    {"walking", "content"},
    {"formats"},
    {"extensions"},
    {"page_rules", "robots", "hosts", "head"},
    {"settings"},
    {"urls", "dates", "patterns"},
    {"output_names", "user_files", "generators"},
    {"listener"},
    {"parallel"},
    {"model", "errors"},
)
FLOOR = {room: n for n, rooms in enumerate(FLOORS) for room in rooms}


def modules() -> dict[str, ast.Module]:
    files = [p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py"]
    return {p.relative_to(PACKAGE).as_posix(): ast.parse(p.read_text()) for p in sorted(files)}


def imports(tree: ast.Module, level: int) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == level:
            names = [node.module] if node.module else [alias.name for alias in node.names]
            found |= {name.partition(".")[0] for name in names}
    return found


def room(path: str) -> str:
    return path.partition("/")[0].removesuffix(".py")


def test_every_room_has_a_floor_and_imports_downwards() -> None:
    for path, tree in modules().items():
        inside = path.count("/")
        for name in imports(tree, inside + 1) - {"__version__", room(path)}:
            assert FLOOR[room(path)] <= FLOOR[name], f"{path} imports {name}"


def calls(tree: ast.Module) -> set[str]:
    return {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}


def test_only_cli_knows_typer_and_the_clock() -> None:
    for path, tree in modules().items():
        text = ast.unparse(tree)
        assert "import typer" not in text or path in ("cli/app.py", "cli/flags.py"), path
        if path not in ("cli/app.py", "__main__.py"):
            assert not calls(tree) & {"datetime.now", "time.time", "print", "os.getcwd", "os.chdir"}, path
            assert "os.environ" not in text, path


def test_only_publish_writes() -> None:
    for path, tree in modules().items():
        if path not in ("output/write.py", "output/lock.py", "pages/cache.py", "pipeline/fingerprint.py"):
            assert not calls(tree) & {"os.replace", "os.rename", "os.unlink", "os.makedirs", "os.mkdir"}, path


def test_every_module_says_what_it_is_for() -> None:
    assert [path for path, tree in modules().items() if not ast.get_docstring(tree)] == []
