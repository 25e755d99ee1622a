"""At which URL a page is listed, and which rule of a host takes it away there."""

from __future__ import annotations

from typing import Any

import pytest
from support import BASE, settings

from sitemapper.hosts.host import NO_HOST, Host, make_rules
from sitemapper.hosts.rule import Pattern, Rule
from sitemapper.model import Origin, Reason
from sitemapper.select import signals
from sitemapper.select.checked_page import CheckedPage
from sitemapper.select.policy import IndexPolicy
from sitemapper.syntax.gitignore import PatternSets
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


def host(**actions: Reason | str) -> Host:
    """A known host that does something with these paths at the top of the site.

    A text is the path to which one leads.
    """
    rules = []
    for name, action in actions.items():
        path = f"/{name.replace('_', '.')}"
        target = action if isinstance(action, str) else "/elsewhere"
        reason = Reason.REDIRECT if isinstance(action, str) else action
        rules.append(Rule(Pattern(path), reason, Origin("rules", len(rules) + 1), target))
    return Host(("toy",), (make_rules(FORMS, rules),))


R = Reason.REDIRECT
CIRCLE = host(a="/a.html", a_html="/a")


@pytest.mark.parametrize(
    ("of_host", "listed", "reasons"),
    [
        (NO_HOST, "a", []),
        (host(b=R), "a", [None]),
        (host(a=R), "a", [R]),
        (host(a=Reason.CLOSED), "a", [Reason.CLOSED]),
        (host(a=Reason.DUPLICATE), "a", [Reason.DUPLICATE]),
        (host(a="/a.html"), "a.html", [None]),
        (host(a="https://example.com/a.html?x"), "a.html", [None]),
        (host(a="/a.html", a_html="/b"), "a.html", [R]),
        (host(a="/a.html", a_html=Reason.CLOSED), "a.html", [Reason.CLOSED]),
        (CIRCLE, "a", [None]),
        (host(a="/a/"), "a", [R]),  # where it does not show the page
        (host(a="/a"), "a", [R]),
        (host(a=""), "a", [None]),
    ],
    ids=[
        "no rules",
        "a rule for another path",
        "redirected",
        "closed",
        "another page",
        "to another form",
        "to another form by its URL",
        "to another form, and on",
        "to another form that is closed",
        "in a circle",
        "to a form that is none",
        "to itself",
        "to a place that is not known",
    ],
)
def test_the_rule_for_the_url_that_would_be_listed_decides(
    of_host: Host, listed: str, reasons: list[Reason | None]
) -> None:
    locator = Locator(BASE, "clean", forms=FORMS, served=FORMS)
    found = policy(locator=locator, host=of_host).locate(CheckedPage("a.html", f"{BASE}x"))
    assert found.loc == BASE + listed
    assert [rule and rule.action for rule in found.rules] == reasons
    assert found.is_in_circle is (listed == "a" and of_host is CIRCLE)


def test_hosts_that_lead_to_different_forms_change_nothing() -> None:
    both = Host(("x", "y"), (*host(a="/a.html").rules, *host().rules))
    found = policy(host=both).locate(CheckedPage("a.html", f"{BASE}a"))
    assert (found.loc, found.is_taken_away) == (f"{BASE}a", False)


def test_a_page_of_an_unknown_host_is_at_the_url_of_its_style() -> None:
    found = policy().locate(CheckedPage("a.html", f"{BASE}x"))
    assert found == (f"{BASE}x", (), False)


@pytest.mark.parametrize(
    ("served", "path", "expected"),
    [
        (None, "a/", True),
        (FORMS, "a", True),
        (FORMS, "a/", False),
        (FORMS._replace(escaped="a"), "a", False),
    ],
    ids=["no host", "a form of the host", "another form", "not escaped"],
)
def test_whether_a_host_shows_a_page_at_the_url_of_its_canonical(
    served: UrlForms | None, path: str, expected: bool
) -> None:
    page = CheckedPage("a.html", f"{BASE}a")
    rules = policy(locator=Locator(BASE, "clean", served=served))
    assert rules.is_shown_at(page, BASE + path, path) is expected
