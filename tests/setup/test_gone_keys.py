"""Keys of earlier releases have no effect any more, and a warning says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, Run, Site


@pytest.mark.parametrize(
    ("value", "warning"),
    [
        ("omit", "sitemapper.toml:3: dates.guard\n  help: remove it"),
        (
            "warn",
            "sitemapper.toml:3: dates.guard: to take the times of files as they are, "
            'write lastmod = ["mtime"]\n',
        ),
    ],
)
def test_the_guard_of_dates_is_gone(
    site: Site, run: Run, tmp_path: Path, value: str, warning: str
) -> None:
    root = site({"a.html": "<p>a", "b.html": "<p>b"})
    config = f'base_url = "{BASE}"\n[dates]\nguard = "{value}"\n'
    (tmp_path / "sitemapper.toml").write_text(config)
    assert run("build", root) == 0
    assert f"warning: this setting has no effect any more: {warning}" in run.err
