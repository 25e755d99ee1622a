"""What is wrong with a file as a whole."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from support import BASE
from support.findings import Files, assert_rule_tells_apart, codes
from support.sitemaps import LOC, locs, urlset

DEEP = urlset(LOC + "<x:a>" * 40 + "</x:a>" * 40, spaces='xmlns:x="x"')


# code: files (or sitemap.xml) that break the rule, and those that do not
CASES: dict[str, tuple[Files, Files]] = {
    "SM101": ("<urlset><url>&</url></urlset>", urlset(LOC)),
    "SM102": (urlset(LOC).replace("UTF-8", "ISO-8859-1"), urlset(LOC).replace("UTF-8", "utf-8")),
    "SM103": (urlset(LOC).replace("0.9", "9.0"), urlset(LOC)),
    "SM104": (locs(*(f"{BASE}{n}" for n in range(50_001))), locs(*(f"{BASE}{n}" for n in range(50_000)))),
    "SM105": (
        {"sitemap.xml.gz": gzip.compress((urlset(LOC) + " " * 52_428_800).encode())},
        {"sitemap.xml.gz": gzip.compress((urlset(LOC) + " " * 1_000_000).encode())},
    ),
    "SM106": (urlset(), urlset(LOC)),
    "SM107": (f'<!DOCTYPE x [<!ENTITY a "b">]>\n{urlset(LOC)[39:]}', urlset(LOC)),
    "SM108": (DEEP, urlset(LOC + "<x:a><x:b/></x:a>", spaces='xmlns:x="x"')),
    "SM109": (
        {"sitemap.xml.gz": gzip.compress(urlset(LOC).encode())[:-9]},
        {"sitemap.xml.gz": gzip.compress(urlset(LOC).encode())},
    ),
    "SM110": (urlset(f"{LOC}<lastMod>2026-01-01</lastMod>"), urlset(f"{LOC}<lastmod>2026-01-01</lastmod>")),
}  # fmt: skip


def test_every_rule_of_the_family_has_its_cases() -> None:
    assert list(CASES) == codes("SM1")


SLOW = {"SM104"}  # its files hold 50,000 URLs


@pytest.mark.parametrize(
    "code", [pytest.param(c, marks=[pytest.mark.slow] * (c in SLOW)) for c in CASES]
)
def test_a_rule_finds_what_breaks_it_and_nothing_else(code: str, tmp_path: Path) -> None:
    assert_rule_tells_apart(code, *CASES[code], tmp_path)
