"""What is said about wrong values."""

from __future__ import annotations

import pytest

from sitemapper import SitemapperError, load


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"host": "netlfy"},
            "settings: host: must be one of auto, none, cloudflare, netlify, vercel, firebase, azure, apache, not 'netlfy'\n"
            "help: did you mean 'netlify'?",
        ),
        (
            {"respect": {"canonicals": False}},
            "settings: respect.canonicals: unknown key\nhelp: did you mean 'canonical'?",
        ),
        (
            {"dates": {"strict": True}},
            "settings: dates.strict: unknown key\nhelp: it belongs at the top, above [dates]",
        ),
        (
            {"max_urls": 5},
            "settings: max_urls: unknown key\nhelp: it belongs under [sitemap]",
        ),
        (
            {"sitemap": [{"name": "a.xml"}]},
            "settings: sitemap: must be a table\n"
            "help: write [sitemap] and its keys on the lines below it; for several sitemaps write [[sitemaps]]",
        ),
        ({"ignore": "a/"}, 'settings: ignore: must be a list\nhelp: write ["a/"]'),
    ],
)
def test_what_is_wrong_with_a_value_and_what_to_do(values: dict[str, object], message: str) -> None:
    with pytest.raises(SitemapperError) as caught:
        load({"base_url": "https://example.com/", **values})
    assert str(caught.value) == message


def test_a_number_that_python_does_not_print() -> None:
    with pytest.raises(SitemapperError, match="not a number of thousands of digits"):
        load({"base_url": "https://example.com/", "sitemap": {"max_urls": 10**5000}})
