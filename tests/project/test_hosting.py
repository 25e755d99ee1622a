"""The host of a site is the one whose files lie in the project, or the one that is configured."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Site, settings

from sitemapper import SitemapperError
from sitemapper.project.hosting import find_host


@pytest.mark.parametrize(
    ("marker", "names"),
    [
        ("netlify.toml", ("netlify",)),
        ("wrangler.toml", ("cloudflare",)),
        ("vercel.json", ("vercel",)),
        ("other.toml", ("cloudflare", "netlify")),
    ],
)
def test_a_project_file_names_the_host(
    site: Site, tmp_path: Path, marker: str, names: tuple[str, ...]
) -> None:
    root = site({"a.html": "", "_redirects": "/a.html /b.html 301!"})
    (tmp_path / marker).write_text("{}" if marker.endswith("json") else "")
    assert find_host(settings(root)).names == names


def test_the_configured_host_counts_whatever_lies_there(site: Site, tmp_path: Path) -> None:
    (tmp_path / "netlify.toml").write_text("")
    root = site({"a.html": ""})
    assert find_host(settings(root, host="cloudflare")).names == ("cloudflare",)
    assert find_host(settings(root, host="none")).names == ()


def test_a_file_that_the_host_would_refuse_is_an_error(site: Site, tmp_path: Path) -> None:
    (tmp_path / "vercel.json").write_text("{")
    with pytest.raises(SitemapperError, match=r"vercel\.json"):
        find_host(settings(site({"a.html": ""})))
