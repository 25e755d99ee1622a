"""Each module of the package that has a function has a test file of its name, in the folder of its room."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "sitemapper"
# May only shrink. What they do is held by the tests of their callers.
WITHOUT = {
    "cli/observer",
    "cli/parameters",
    "cli/report/lists",
    "cli/report/tree",
    "cli/request",
    "cli/signals",
    "config/describe",
    "config/filenames",
    "config/settings",
    "errors",
    "fs",
    "lastmod/mtime",
    "linter/compressed",
    "linter/elements",
    "linter/engine",
    "model",
    "output/spool",
    "output/text",
    "pages/evaluate",
    "pages/overrides",
    "pipeline/evidence",
    "pipeline/plan",
    "pipeline/run",
    "pipeline/stats",
    "project/environment",
    "project/generators",
    "site/server",
    "syntax/hosts/cloudflare",
    "syntax/hosts/netlify",
    "syntax/html_files",
    "syntax/uniform",
}


def test_each_module_has_its_test_file() -> None:
    modules = [
        path.relative_to(PACKAGE).with_suffix("")
        for path in PACKAGE.rglob("*.py")
        if path.name not in ("__init__.py", "__main__.py") and "def " in path.read_text()
    ]
    missing = {
        module.as_posix()
        for module in modules
        if not (TESTS / module.parent / f"test_{module.name.lstrip('_')}.py").exists()
    }
    assert missing == WITHOUT, "write its tests in a file of its name; or take the name out of WITHOUT"
    assert 5 * len(WITHOUT) <= 2 * len(modules)
