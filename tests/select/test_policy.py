"""What a run asks about each page follows from its settings, its host and its robots.txt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from support import BASE, settings

from sitemapper.hosts.host import NO_HOST, FindKind, Host, HostEffect, HostRules, nothing_there
from sitemapper.model import Origin, Reason
from sitemapper.select import signals
from sitemapper.select.candidate import Candidate
from sitemapper.select.evaluate import checks_of
from sitemapper.select.overrides import PageRule
from sitemapper.select.policy import IndexPolicy
from sitemapper.syntax.crawling import read_crawling
from sitemapper.syntax.gitignore import Line, PatternSets
from sitemapper.syntax.urls import Locator, UrlForms

FORMS = UrlForms(folder=("a/",), page=("b", "b.html"))


def policy(**changes: Any) -> IndexPolicy:
    """A policy without rules, with all signals."""
    plain = IndexPolicy(
        signals=signals.ALL,
        rules=PatternSets([]),
        sections=PatternSets([]),
        locator=Locator(BASE, "directory"),
        respect=settings("public").settings.respect,
        crawling=None,
        host=NO_HOST,
        now=0,
    )
    return plain._replace(**changes)


def host(**reasons: Reason) -> Host:
    """A known host that does something with these paths at the top of the site."""

    def find(path: str, look: FindKind) -> Sequence[HostEffect | None]:
        reason = reasons.get(path.removeprefix("/").replace(".", "_"))
        return [HostEffect(reason, Origin("rules", 1))] if reason else []

    return Host(("toy",), (HostRules(find, None, FORMS),))


RULE = PageRule(Origin("sitemapper.toml", 1), None, "0.5", None, None)
RULES = PatternSets([(RULE, [Line("*.html", Origin("match"))])])
CLOSED = read_crawling(b"User-agent: *\nDisallow: /p/\n", ["*"])


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({}, []),
        ({"rules": RULES}, ["rule"]),
        ({"crawling": CLOSED}, ["robots"]),
        ({"host": host(a=Reason.REDIRECT)}, ["host"]),
        ({"rules": RULES, "crawling": CLOSED, "host": host(a=Reason.REDIRECT)}, ["rule", "robots", "host"]),
    ],
    ids=["nothing", "rules", "robots.txt", "a host", "all"],
)  # fmt: skip
def test_the_checks_before_a_page_is_read(changes: dict[str, Any], names: list[str]) -> None:
    checks = checks_of(policy(**changes)).of_path
    assert [check.__module__.rpartition(".")[2] for check in checks] == names
    assert checks_of(policy(**changes)).looks_at_paths is bool(names)


def test_a_switch_takes_the_check_away() -> None:
    respect = settings("public", respect={"noindex": False}).settings.respect
    checks = checks_of(policy(signals=signals.respected(respect))).of_content
    names = {check.__module__.rpartition(".")[2] for check in checks}
    assert "canonical" in names
    assert names.isdisjoint({"noindex", "unavailable_after", "rule", "robots"})


@pytest.mark.parametrize(
    ("locator", "expected"),
    [
        (Locator(BASE, "slash"), False),
        (Locator(BASE, "bare"), True),
        (Locator(BASE, "clean", served=FORMS), False),
        (Locator(BASE, "clean", served=FORMS._replace(clash=("b.html", "a/"))), True),
    ],
    ids=["a style", "without endings", "a host", "a host that prefers one of two files"],
)
def test_other_files_may_change_a_url(locator: Locator, expected: bool) -> None:
    assert checks_of(policy(locator=locator)).looks_at_paths is expected


@pytest.mark.parametrize(
    ("of_host", "listed"),
    [
        (NO_HOST, "a"),
        (host(a=Reason.REDIRECT), "a.html"),
        (host(a=Reason.NOINDEX), "a"),
        (host(a=Reason.CLOSED), "a"),
        (host(a=Reason.DUPLICATE), "a.html"),
        (host(a=Reason.CANONICAL), "a"),
        (host(a=Reason.REDIRECT, a_html=Reason.REDIRECT), "a"),
    ],
    ids=[
        "no rules",
        "led to an unknown place",
        "noindex",
        "closed",
        "another page",
        "a canonical",
        "all redirected",
    ],
)
def test_a_rule_for_the_first_url_decides_about_the_page(of_host: Host, listed: str) -> None:
    locator = Locator(BASE, "clean", forms=FORMS, served=FORMS)
    found = policy(locator=locator, host=of_host).locate(
        "a.html", f"{BASE}x", nothing_there, has_twin=False
    )
    assert found.loc == BASE + listed


def test_a_page_of_an_unknown_host_is_at_the_url_of_its_style() -> None:
    found = policy().locate("a.html", f"{BASE}x", nothing_there, has_twin=False)
    assert found == (f"{BASE}x", ())


@pytest.mark.parametrize(
    ("of_host", "served", "path", "expected"),
    [
        (NO_HOST, None, "a/", True),
        (NO_HOST, FORMS, "a", True),
        (NO_HOST, FORMS, "a/", False),
        (host(a=Reason.REDIRECT), FORMS, "a", False),
        (host(a=Reason.NOINDEX), FORMS, "a", True),
        (NO_HOST, FORMS._replace(escaped="a"), "a", False),
    ],
    ids=["no host", "a form of the host", "another form", "redirected", "noindex", "not escaped"],
)
def test_whether_a_host_shows_a_page_at_the_url_of_its_canonical(
    of_host: Host, served: UrlForms | None, path: str, expected: bool
) -> None:
    locator = Locator(BASE, "clean", served=served)
    page = Candidate("a.html", f"{BASE}a")
    rules = policy(locator=locator, host=of_host)
    assert rules.is_shown_at(page, BASE + path, path, nothing_there) is expected
