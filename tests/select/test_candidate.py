"""A page on its way to a verdict: the URL under which it is listed, and the origins of a verdict."""

from __future__ import annotations

from typing import Any

import pytest
from support import BASE, settings

from sitemapper.hosts.host import NO_HOST
from sitemapper.model import Metadata, Origin, PageFacts, Reason
from sitemapper.select.candidate import Candidate, Canonical
from sitemapper.select.overrides import PageOverrides
from sitemapper.select.policy import IndexPolicy
from sitemapper.syntax.gitignore import PatternSets
from sitemapper.syntax.urls import Locator

PAGE = Candidate("a+b.html", f"{BASE}a+b.html")


def policy(base: str) -> IndexPolicy:
    return IndexPolicy(
        signals=(),
        rules=PatternSets([]),
        sections=PatternSets([]),
        locator=Locator(base, "directory"),
        respect=settings("public").settings.respect,
        crawling=None,
        host=NO_HOST,
        now=0,
    )


def naming(url: str, *, is_shown: bool = True) -> Candidate:
    """The page with a canonical in another spelling."""
    return PAGE._replace(canonical=Canonical(url, url, "a+b.html", "a+b.html", is_shown))


@pytest.mark.parametrize(
    ("page", "listed"),
    [
        (PAGE, f"{BASE}a+b.html"),
        (naming(f"{BASE}a%2Bb.html"), f"{BASE}a%2Bb.html"),
        (naming("http://example.com/a%2Bb.html"), f"{BASE}a%2Bb.html"),
        (naming(f"{BASE}a%2Bb.html", is_shown=False), f"{BASE}a+b.html"),
    ],
    ids=["no canonical", "its spelling", "the scheme of the base URL", "a form that is redirected"],
)
def test_the_listed_url(page: Candidate, listed: str) -> None:
    assert page.canonical_loc(policy(BASE)) == listed


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, True),
        ({"overrides": PageOverrides(priority="0.5")}, False),
        ({"effects": [None]}, False),
        ({"twin": "a+b/index.html"}, False),
    ],
)
def test_whether_only_its_content_can_say_something(
    changes: dict[str, Any], expected: bool
) -> None:
    assert Candidate(PAGE.path, PAGE.loc, **changes).has_one_plain_url is expected


def test_the_text_of_a_signal_in_its_head() -> None:
    page = PAGE._replace(facts=PageFacts(Metadata({"refresh": "/b.html"})))
    assert (page.text_of("refresh"), page.text_of("noindex")) == ("/b.html", None)


def test_an_excluded_page_names_what_decided() -> None:
    by_tag = PAGE.exclude(Reason.NOINDEX, "<meta>")
    assert (by_tag.path, by_tag.reason) == ("a+b.html", Reason.NOINDEX)
    assert by_tag.origin == Origin("a+b.html", None, "<meta>")
    by_twin = PAGE._replace(twin="a/index.html").exclude_for_twin(f"{BASE}a/")
    assert by_twin.reason is Reason.DUPLICATE
    assert str(by_twin.origin) == f"a/index.html: is what {BASE}a/ serves"
