"""What a page shows, and whether it is the host's page for missing paths."""

from __future__ import annotations

import pytest
from support import BASE

from sitemapper.commands.page_text import not_found_page

MADE_UP = f"{BASE}docs/0123456789abcdef"


@pytest.mark.parametrize(
    ("text", "is_shown"),
    [
        ("No page at /docs/old-tea.html!", True),
        ("NO PAGE at https://example.com/docs/old-tea.html", True),
        ("No page at old tea", True),
        ("No page at /docs/other.html", False),
        ("No page at all", False),
        ("No page at /docs/old-tea.html, sorry", False),
    ],
)
def test_the_page_for_missing_paths_may_name_each_path_in_its_own_way(
    text: str, is_shown: bool
) -> None:
    missing = not_found_page(b"<title>Oops</title><p>No page at /docs/0123456789abcdef", MADE_UP)
    shown = f"<title>Oops</title><p>{text}".encode()
    assert missing.is_shown_at(f"{BASE}docs/old-tea.html", shown) is is_shown
