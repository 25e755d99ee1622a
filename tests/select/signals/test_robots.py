"""robots.txt closes a page to all crawlers."""

from __future__ import annotations

import pytest
from support import BASE, Site, build, paths
from support.heard import heard
from support.verdicts import Case, assert_verdicts, each

from sitemapper import Reason

CLOSED = "User-agent: *\nDisallow: /\n"
CASES = [
    Case("disallowed", {"p/a.html": "", "b.html": "", "robots.txt": "User-agent: *\nDisallow: /p/\n"}, ["b.html"], {"p/a.html": Reason.ROBOTS}),
    Case("not respected", {"a.html": "", "robots.txt": CLOSED}, ["a.html"], values={"respect": {"robots": False}}),
    Case("to one crawler", {"a.html": "", "robots.txt": "User-agent: one\nDisallow: /\n"}, ["a.html"]),
    Case("to one crawler and all others", {"a.html": "", "robots.txt": "User-agent: one\nUser-agent: *\nDisallow: /\n"}, [], {"a.html": Reason.ROBOTS}),
    Case("a robots.txt below the root of its host", {"a.html": "", "robots.txt": CLOSED}, ["docs/a.html"], values={"base_url": f"{BASE}docs/"}),
]  # fmt: skip


@each(CASES)
def test_verdicts(site: Site, case: Case) -> None:
    assert_verdicts(site, case)


@pytest.mark.parametrize("name", ["a[b]", "c{d", "f|g", "x^y", 'q"r'])
def test_rules_with_characters_that_urls_encode_close_pages(site: Site, name: str) -> None:
    root = site(
        {"ok.html": "", f"{name}.html": "", "robots.txt": f"User-agent: *\nDisallow: /{name}\n"}
    )
    build(root)
    assert paths(root) == ["ok.html"]


def test_the_line_that_closes_a_page_is_of_the_group_for_all_crawlers(site: Site) -> None:
    robots = "User-agent: Bad\nDisallow: /private/secret\n\nUser-agent: *\nDisallow: /private\n"
    root = site({"a.html": "", "private/secret.html": "", "robots.txt": robots})
    line = "robots.txt:5: Disallow: /private"
    assert heard(root).excluded == {"private/secret.html": (Reason.ROBOTS, line)}
