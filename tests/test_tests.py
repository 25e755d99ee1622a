"""The modules of the package have test files of their names, in the folders of their rooms.

The file of a command in `cli/` may have its tests with those of `commands/`, which run the command.
"""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "sitemapper"
MOST_WITHOUT = 8  # may only shrink


def test_most_modules_have_a_test_file_of_their_name() -> None:
    without = [
        module.as_posix()
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.name not in ("__init__.py", "__main__.py") and "def " in path.read_text()
        if (module := path.relative_to(PACKAGE).with_suffix(""))
        and not any(
            (TESTS / folder / f"test_{module.name}.py").exists()
            for folder in (module.parent, *(["commands"] if module.parent.name == "cli" else []))
        )
    ]
    assert len(without) <= MOST_WITHOUT, without
