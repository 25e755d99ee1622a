"""What help and references say of a key."""

from __future__ import annotations

import pytest

from sitemapper.config.describe import key_help, number


@pytest.mark.parametrize(
    ("key", "note"),
    [
        ("max_drop", "[0 to 100]"),
        ("sitemap.max_urls", "[1 to 50,000]"),
        ("lastmod", "[page, git, ledger, mtime; repeatable]"),
        ("ignore", "[adds to the configuration; repeatable]"),
    ],
)
def test_help_names_limits_and_choices(key: str, note: str) -> None:
    assert key_help(key).endswith(note)


def test_help_is_the_description_where_there_is_nothing_to_add() -> None:
    assert key_help("sitemap.text") == "Also write `sitemap.txt`, with one URL a line."


def test_a_number_has_one_form() -> None:
    assert [number(value) for value in (50_000, 100.0, 0.5)] == ["50,000", "100", "0.5"]
