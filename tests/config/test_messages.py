"""What is said about wrong values."""

from __future__ import annotations

import pytest

from sitemapper import SitemapperError, load


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"host": "github"},
            "settings: host: must be one of auto, none, cloudflare, netlify, vercel, not 'github'\n"
            'help: write host = "none"',
        ),
        (
            {"respect": {"host": False}},
            'settings: respect.host: was removed\nhelp: write host = "none", above the tables',
        ),
        (
            {"respect": {"no_page": False}},
            "settings: respect.no_page: was renamed\nhelp: write not_a_page",
        ),
        (
            {"dates": {"guard": "error"}},
            "settings: dates.guard: must be one of warn, omit, not 'error'\n"
            'help: write guard = "warn", and strict = true above the tables',
        ),
    ],
)
def test_what_was_removed_says_what_to_write_instead(values: dict[str, object], message: str) -> None:
    with pytest.raises(SitemapperError) as caught:
        load({"base_url": "https://example.com/", **values})
    assert str(caught.value) == message
