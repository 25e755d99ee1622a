"""Files with findings, for each format."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    """A list with two errors and a warning, and a name that needs an escape."""
    path = tmp_path / "site map.txt"
    urls = ("a b", "a|`b`", "c", "c")
    path.write_text("".join(f"https://example.com/{url}\n" for url in urls))
    return path
