"""What a server shows at a path."""

from __future__ import annotations

import pytest
from support import BASE, Site, build, paths

CANONICAL = f'<link rel="canonical" href="{BASE}a/"><p>text'


@pytest.mark.parametrize("name", ["index.html", "index.htm", "index.xhtml"])
def test_a_canonical_may_name_the_folder_of_any_index_page(site: Site, name: str) -> None:
    root = site({f"a/{name}": CANONICAL})
    build(root)
    assert paths(root) == ["a/"]


def test_index_html_comes_first(site: Site) -> None:
    root = site({"a/index.html": "", "a/index.htm": CANONICAL})
    build(root)
    assert paths(root) == ["a/"]
