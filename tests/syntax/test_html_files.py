"""Which files are pages, by their names alone."""

from __future__ import annotations

import pytest

from sitemapper.syntax.html_files import is_html, is_page_name


@pytest.mark.parametrize(
    ("name", "is_page", "holds_html"),
    [
        ("a.html", True, True),
        ("a.HTM", True, True),
        ("docs/a.xhtml", True, True),
        ("index.php", False, True),
        ("a.shtml", False, True),
        ("about", False, True),
        ("v1.2/about", False, True),
        ("a.pdf", False, False),
        ("a.html.bak", False, False),
        (".html", True, True),
    ],
)
def test_names_of_pages(name: str, is_page: bool, holds_html: bool) -> None:
    assert (is_page_name(name), is_html(name)) == (is_page, holds_html)
