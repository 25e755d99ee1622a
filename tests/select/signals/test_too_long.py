"""A URL of 2,048 characters or more is left out: the protocol allows fewer."""

from __future__ import annotations

from typing import Any

import pytest
from support import BASE, POSIX, Site, locs
from support.heads import canonical
from support.heard import heard

from sitemapper import Reason

SLOW = {"rules": [{"match": ["no-such/*"], "priority": 0.5}]}  # asks about each page


def path_with_url_of(length: int) -> str:
    """The path of a page in folders with names of 99 letters."""
    room = length - len(BASE) - len(".html")
    return (("x" * 99 + "/") * 30)[:room] + ".html"


@POSIX
@pytest.mark.parametrize("values", [{}, {"respect": {"canonical": False}}, SLOW])
def test_the_limit_is_that_of_the_protocol(site: Site, values: dict[str, Any]) -> None:
    longest, too_long = path_with_url_of(2047), path_with_url_of(2048)
    root = site({longest: "a", too_long: "b"})
    excluded, warned = heard(root, **values)
    assert excluded == {too_long: (Reason.TOO_LONG, "2048 characters: at most 2,047")}
    assert warned["TOO_LONG"] == (f"{too_long} (2048 characters: at most 2,047)",)
    assert locs(root) == [BASE + longest]


def test_the_escapes_of_a_url_count(site: Site) -> None:
    longest = "/".join(["é" * 100] * 3) + ".html"  # 606 bytes, and 1,807 characters in the URL
    too_long = "/".join(["é" * 100] * 4) + ".html"
    assert list(heard(site({longest: "a", too_long: "b"})).excluded) == [too_long]


def test_the_url_of_the_canonical_counts(site: Site) -> None:
    """Its spelling is listed, which may be longer than that of the style."""
    path = "/".join(["+" * 200] * 4) + ".html"
    root = site({path: canonical("/" + path.replace("+", "%2B"))})
    assert [reason for reason, _ in heard(root).excluded.values()] == [Reason.TOO_LONG]
    assert heard(root, respect={"canonical": False}).excluded == {}
