"""GitLab Pages shows a file before it looks at `_redirects`, so no redirect takes a page away."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import build, paths, write_site

PAGES = {"index.html": "<p>a", "b.html": "<p>b"}


@pytest.mark.parametrize("status", ["", "301", "302", "301!"])
def test_a_redirect_from_a_page_does_nothing(tmp_path: Path, status: str) -> None:
    write_site(tmp_path / "site", PAGES | {"_redirects": f"/b.html / {status}\n"})
    build(tmp_path / "site", host="gitlab")
    assert set(paths(tmp_path / "site")) == {"", "b.html"}


def test_a_canonical_chooses_the_form_of_a_page(tmp_path: Path) -> None:
    canonical = '<link rel="canonical" href="https://example.com/b">'
    write_site(tmp_path / "site", PAGES | {"b.html": canonical})
    build(tmp_path / "site", host="gitlab")
    assert set(paths(tmp_path / "site")) == {"", "b"}
