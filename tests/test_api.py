"""The package as a Python programmer meets it."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support import BASE, Site

import sitemapper
from sitemapper import SitemapperError


def test_dir_shows_the_api_and_nothing_else() -> None:
    assert dir(sitemapper) == sorted([*sitemapper.__all__, "__version__"])
    assert all(getattr(sitemapper, name) for name in dir(sitemapper))


def test_dir_loads_nothing() -> None:
    code = "import sys, sitemapper; dir(sitemapper); print([m for m in sys.modules if m.startswith('sitemapper.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_run_without_a_time_has_that_of_the_clock(site: Site) -> None:
    root = site(
        {"a.html": "", "b.html": '<meta name="robots" content="unavailable_after: 2099-01-01">'}
    )
    settings = sitemapper.load({"base_url": BASE, "site": str(root)})
    later = datetime(2100, 1, 1, tzinfo=UTC)
    assert sitemapper.build(settings).listed == 2
    assert sitemapper.check(settings).is_same
    assert not sitemapper.check(settings, now=later).is_same
    assert isinstance(sitemapper.explain(settings, "b.html").decision, sitemapper.model.Listed)
    assert isinstance(
        sitemapper.explain(settings, "b.html", now=later).decision, sitemapper.Excluded
    )
    assert sitemapper.build(settings, now=later).listed == 1


def test_load_reads_a_file_only_when_asked(tmp_path: Path) -> None:
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\nstrict = true\n')
    with pytest.raises(SitemapperError, match="^no base URL: the address of the site"):
        sitemapper.load()
    assert sitemapper.load({"base_url": BASE}).settings.strict is False
    assert sitemapper.load(config="sitemapper.toml").settings.strict is True
    assert sitemapper.load(cwd=".").settings.strict is True
