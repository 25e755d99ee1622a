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


def test_the_api_is_there() -> None:
    assert all(getattr(sitemapper, name) for name in sitemapper.__all__)


def test_the_package_loads_nothing_slow() -> None:
    code = "import sys, sitemapper; print(*[m for m in sys.modules if m.startswith('sitemapper.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "sitemapper._version sitemapper.errors sitemapper.observer\n"


def test_a_run_without_a_time_has_that_of_the_clock(site: Site) -> None:
    root = site(
        {"a.html": "", "b.html": '<meta name="robots" content="unavailable_after: 2099-01-01">'}
    )
    setup = sitemapper.load({"base_url": BASE, "site": str(root)})
    later = datetime(2100, 1, 1, tzinfo=UTC)
    assert len(sitemapper.build(setup).selected.listed) == 2
    assert not sitemapper.check(setup).plan.is_changed
    assert sitemapper.check(setup, now=later).plan.is_changed
    assert sitemapper.explain(setup, "b.html").reason == ""
    assert sitemapper.explain(setup, "b.html", now=later).reason == "noindex"
    assert sitemapper.build(setup, now=later).plan.listed == 1


def test_validate_yields_findings(site: Site) -> None:
    root = site({"sitemap.xml": "<urlset>"})
    assert [one.code for one in sitemapper.validate([str(root)])][:1] == ["SM101"]


def test_load_adds_values_to_the_file_that_a_person_wrote(tmp_path: Path) -> None:
    """No variable is read unless the caller passes it."""
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\nstrict = true\n')
    setup = sitemapper.load({"strict": False, "max_drop": 9}, cwd=str(tmp_path))
    settings = setup.config.settings
    assert (settings.base_url, settings.strict, settings.max_drop) == (BASE, False, 9)
    variable = {"SITEMAPPER_MAX_DROP": "8"}
    asked = sitemapper.load(cwd=str(tmp_path), environment=variable, config=["strict = false"])
    assert (asked.config.settings.strict, asked.config.settings.max_drop) == (False, 8)
    with pytest.raises(SitemapperError, match="settings: siet: unknown key; did you mean site?"):
        sitemapper.load({"siet": "public"}, cwd=str(tmp_path))
