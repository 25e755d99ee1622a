"""What the rules of the possible hosts do with a page, and the forms of URLs on which they agree."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sitemapper.hosts.host import Find, Host, HostEffect, HostRules
from sitemapper.model import Origin, Reason
from sitemapper.syntax.urls import STYLES, UrlForms


def effect(reason: Reason, target: str = "") -> HostEffect:
    return HostEffect(reason, Origin("f", 1, ""), target)


def found(*effects: HostEffect | None) -> Find:
    return lambda _path, _look: effects


NOINDEX, CANONICAL = effect(Reason.NOINDEX), effect(Reason.CANONICAL)
MOVED, TO_ITSELF = effect(Reason.REDIRECT), effect(Reason.REDIRECT, "/a")


@pytest.mark.parametrize(
    ("redirects", "headers", "expected"),
    [
        ([MOVED], [NOINDEX], MOVED),
        ([None, MOVED], [NOINDEX], NOINDEX),
        ([TO_ITSELF], [], None),
        ([TO_ITSELF, MOVED], [], MOVED),
        ([], [NOINDEX, None], None),
        ([], [CANONICAL, NOINDEX], NOINDEX),
        ([], [NOINDEX, None, CANONICAL], CANONICAL),
    ],
)
def test_the_effect_of_a_host(
    redirects: Sequence[HostEffect | None],
    headers: Sequence[HostEffect | None],
    expected: HostEffect | None,
) -> None:
    assert (
        HostRules(found(*redirects), found(*headers), STYLES["directory"]).effect("/a") == expected
    )


def test_only_forms_of_all_hosts_count() -> None:
    one, other = UrlForms(("a/", "a"), ("b",)), UrlForms(("a",), ("b.html", "b"))
    rules = (HostRules(None, None, one), HostRules(None, None, other))
    assert Host(("x", "y"), rules).forms == UrlForms(("a",), ("b",))
    assert Host(("x",), rules[:1]).forms == one
    assert Host(("x", "y"), rules, is_known=False).forms is None
    assert (
        Host(("x", "y"), (rules[0], HostRules(None, None, UrlForms(("a/",), ("b.html",))))).forms
        is None
    )
