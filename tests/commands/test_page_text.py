"""What a page shows, and whether it is the host's page for missing paths."""

from __future__ import annotations

import pytest
from support import BASE

from sitemapper.commands.page_text import not_found_page, text_of, title_of

MADE_UP = f"{BASE}docs/0123456789abcdef"


@pytest.mark.parametrize(
    ("body", "title"),
    [
        (b"<TITLE lang=en>\n Tea &amp;\n Cups </TITLE>", "tea & cups"),
        ("<title>Äpfel</title>".encode(), "äpfel"),
        (b"<title>a</title><title>b</title>", "a"),
        (b"<title>never closed", ""),
        (b"<p>text", ""),
    ],
)
def test_the_title_of_a_page(body: bytes, title: str) -> None:
    assert title_of(body) == title


def test_scripts_styles_and_templates_are_no_text() -> None:
    body = b"<nav>Home</nav><script>x()</script><style>a{}</style><template>t</template><p>Tea"
    assert text_of(body).split() == ["HomeTea"]


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


def test_another_title_is_another_page() -> None:
    missing = not_found_page(b"<title>Not found</title><p>Try the search", MADE_UP)
    place = f"{BASE}a"
    assert missing.is_shown_at(place, b"<title>Not found</title><p>Try the search")
    assert not missing.is_shown_at(place, b"<title>Search</title><p>Try the search")
