"""Redirects and headers of the host leave pages out, if every host that may serve the site agrees."""

from __future__ import annotations

import pytest
from support import Site, build
from support.heads import canonical
from support.verdicts import Case, assert_verdicts, each

from sitemapper import Reason, SitemapperError

TWO = {"a.html": "", "b.html": ""}
MOVED = {**TWO, "_redirects": "/a /b 301!\n/a.html /b 301!\n"}
HIDDEN = {**TWO, "_headers": "/a*\n  X-Robots-Tag: noindex\n"}
LOST = {"a.html": "", "lost.html": "", "_redirects": "/* /lost.html 404\n"}
LINKED = {**TWO, "_headers": '/a.html\n  Link: </b.html>; rel="canonical"\n'}
LINKED_IN_CAPITALS = {**TWO, "_headers": '/A.html\n  Link: </b.html>; rel="canonical"\n'}
LINKED_IN_HEAD = {**LINKED, "a.html": canonical("/a.html")}
NETLIFY = {"host": "netlify"}
CASES = [
    Case("a redirect", MOVED, ["b.html"], {"a.html": Reason.REDIRECT}, NETLIFY),
    Case("a redirect that not every possible host follows", {**TWO, "_redirects": "/a.html /b 301\n"}, ["a.html", "b.html"]),
    Case("a redirect, whatever noindex says", MOVED, ["b.html"], {"a.html": Reason.REDIRECT}, {**NETLIFY, "respect": {"noindex": False}}),
    Case("a header with noindex", HIDDEN, ["b.html"], {"a.html": Reason.NOINDEX}, NETLIFY),
    Case("a header with noindex, on demand", HIDDEN, ["a.html", "b.html"], values={**NETLIFY, "respect": {"noindex": False}}),
    Case("an error page that the host names", LOST, ["a.html"], {"lost.html": Reason.NOT_A_PAGE}, NETLIFY),
    Case("a header with a canonical", LINKED, ["b.html"], {"a.html": Reason.CANONICAL}, NETLIFY),
    Case("a header with a canonical, and another in the head", LINKED_IN_HEAD, ["a.html", "b.html"], values=NETLIFY),
    Case("a header with a canonical, on demand", LINKED, ["a.html", "b.html"], values={**NETLIFY, "respect": {"canonical": False}}),
    Case("a header with a canonical, of all possible hosts", LINKED, ["b.html"], {"a.html": Reason.CANONICAL}),
    Case("a header with a canonical, on a host that ignores letter case", LINKED_IN_CAPITALS, ["a.html", "b.html"]),
    Case("no host, no rules", MOVED, ["a.html", "b.html"], values={"host": "none"}),
]  # fmt: skip


@each(CASES)
def test_verdicts(site: Site, case: Case) -> None:
    assert_verdicts(site, case)


def test_a_preview_header_on_everything_ends_in_an_error(site: Site) -> None:
    root = site({"a.html": "", "b.html": "", "_headers": "/*\n  X-Robots-Tag: noindex\n"})
    with pytest.raises(SitemapperError, match=r"no page to list \(excluded: 2 noindex"):
        build(root, host="cloudflare")
