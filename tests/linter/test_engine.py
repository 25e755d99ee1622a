"""Entries about which no rule says anything are judged at one look."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import Run, write_site
from support.sitemaps import LOC, SPACE, urlset

from sitemapper import SitemapperError
from sitemapper.linter import ALL, chosen, validate
from sitemapper.linter.rules import entries, locs

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
PLACES = [
    "https://example.com/",
    "https://example.com/b/",
    "https://example.org/",
    "http://example.com/",
]
MORE = st.builds(lambda loc, fields: "".join((loc, *fields)), LOCS, st.lists(FIELDS, max_size=2))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ENTRIES | MORE, min_size=1, max_size=6), st.sampled_from(["", *PLACES]))
def test_a_look_at_an_entry_finds_what_its_rules_find(
    tmp_path: Path, rows: list[str], place: str
) -> None:
    file = named_by_index(tmp_path, rows, place)
    quick = list(validate([file], now=1_800_000_000))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entries, "is_plain", lambda entry: False)
        patch.setattr(locs, "is_plain", lambda entry: False)
        assert quick == list(validate([file], now=1_800_000_000))


def named_by_index(folder: Path, rows: list[str], place: str) -> str:
    """A sitemap, or the index that names it at a place."""
    index, part = folder / "index.xml", folder / "part.xml"
    part.write_text(urlset(*rows, spaces=' xmlns:x="x"'), "utf-8")
    index.write_text(
        f'<sitemapindex xmlns="{SPACE}"><sitemap><loc>{place}part.xml</loc></sitemap></sitemapindex>',
        "utf-8",
    )
    return str(index if place else part)


@pytest.mark.parametrize(
    ("config", "code"),
    [("", 1), ("[respect]\nrobots = false\n", 0)],
)
def test_validate_reads_robots_txt_as_the_build_does(
    tmp_path: Path, run: Run, config: str, code: int
) -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: Bingbot\nAllow: /\n"
    site = write_site(tmp_path / "public", {"robots.txt": text, "sitemap.xml": urlset(LOC)})
    (tmp_path / "sitemapper.toml").write_text(config)
    assert run("validate", site) == code, run.out
    assert ("SM406" in run.out) == bool(code)


def test_every_rule_has_its_own_code_and_says_what_to_do() -> None:
    assert len({rule.code for rule in ALL}) == len(ALL)
    assert [rule.code for rule in ALL if not (rule.title and rule.reason and rule.fix)] == []


def test_select_and_disable_take_families() -> None:
    stops = {"SM101", "SM102", "SM103", "SM105", "SM107", "SM108", "SM109"}
    assert chosen(["SM2"], ["SM20"]) == {"SM212", *stops}
    assert chosen(["SM203,SM30"], []) == {"SM203", *(f"SM30{n}" for n in range(1, 9)), *stops}
    for select, disable in ((["SM601"], []), (["SM2"], ["SM2"])):
        with pytest.raises(SitemapperError):
            chosen(select, disable)
    assert len(chosen([], [])) == 30
    with pytest.raises(SitemapperError):
        chosen(["SM"], [])
