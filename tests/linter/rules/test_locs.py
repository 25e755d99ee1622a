"""What is wrong with a URL."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE
from support.findings import Files, assert_rule_tells_apart, codes, findings_in
from support.sitemaps import index, locs

# code: files (or sitemap.xml) that break the rule, and those that do not
CASES: dict[str, tuple[Files, Files]] = {
    "SM301": (locs("/a/"), locs(BASE)),
    "SM302": (locs(BASE + "a" * 2028), locs(BASE + "a" * 2027)),
    "SM303": (locs(f"{BASE}über uns"), locs(f"{BASE}%C3%BCber%20uns?a=b&amp;c=[d]")),
    "SM304": (locs(f"{BASE}#a"), locs(f"{BASE}%23a")),
    "SM305": (locs(BASE, "http://example.com/b"), locs(BASE, "HTTPS://Example.com/b")),
    "SM306": (
        {"i.xml": index("<loc>https://example.com/a/s.xml</loc>"), "a/s.xml": locs(f"{BASE}b/")},
        {"i.xml": index("<loc>https://example.com/a/s.xml</loc>"), "a/s.xml": locs(f"{BASE}a/b/")},
    ),
    "SM307": (locs(BASE, BASE), locs(BASE, f"{BASE}b")),
    "SM308": (locs(f"{BASE}a;jsessionid=1?b=2"), locs(f"{BASE}sessions?inside=1")),
}  # fmt: skip


def test_every_rule_of_the_family_has_its_cases() -> None:
    assert list(CASES) == codes("SM3")


@pytest.mark.parametrize("code", CASES)
def test_a_rule_finds_what_breaks_it_and_nothing_else(code: str, tmp_path: Path) -> None:
    assert_rule_tells_apart(code, *CASES[code], tmp_path)


@pytest.mark.parametrize("url", ["http://[", "https://example.com:x/", "https://[::1/a#b?sid=1"])
def test_what_no_parser_takes_for_a_url_is_one_finding(url: str, tmp_path: Path) -> None:
    assert [finding.code for finding in findings_in(tmp_path, locs(BASE, url))] == ["SM301"]
