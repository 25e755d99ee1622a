"""Entries about which no rule says anything are judged at one look."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.sitemaps import urlset

from sitemapper.linter import validate
from sitemapper.linter.rules import entries

LOCS = st.sampled_from(
    [
        "https://example.com/a", "https://example.com/b/", "http://example.com/a", "https://EXAMPLE.com/a", "/a", "", "x",
        "https://example.com", "https://example.com:443/a", "https://example.com/a?sid=1", "https://example.com/a;sid=1",
        "https://example.com/%41", "https://example.com/ü", "https://example.com/a#b", "https://./a", "https://u:p@example.com/a",
        f"https://example.com/{'a' * 2_100}", "https://example.com/a b",
    ]
).map("<loc>{}</loc>".format)  # fmt: skip
FIELDS = st.sampled_from(
    [
        "<lastmod>2024-01-01</lastmod>", "<lastmod>2999-01-01</lastmod>", "<lastmod>soon</lastmod>", "<news/>", "<x:news/>",
        "<changefreq>daily</changefreq>", "<changefreq>often</changefreq>", "<priority>2</priority>", "<loc>/b</loc>",
    ]
)  # fmt: skip
ENTRIES = st.builds(
    lambda loc, fields: "".join((*fields[:1], loc, *fields[1:])), LOCS, st.lists(FIELDS, max_size=3)
)
MORE = st.builds(lambda loc, fields: "".join((loc, *fields)), LOCS, st.lists(FIELDS, max_size=2))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ENTRIES | MORE, min_size=1, max_size=6))
def test_a_look_at_an_entry_finds_what_its_rules_find(tmp_path: Path, rows: list[str]) -> None:
    file = tmp_path / "sitemap.xml"
    file.write_text(urlset(*rows, spaces=' xmlns:x="x"'), "utf-8")
    quick = list(validate([str(file)], now=1_800_000_000))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entries, "is_plain", lambda entry: False)
        assert quick == list(validate([str(file)], now=1_800_000_000))
