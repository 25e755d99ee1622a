"""The signals together: their order, and the origins that a person can act on.

`tests/select/signals/` has the tests of each signal.
"""

from __future__ import annotations

from support import Site
from support.heads import NOINDEX, canonical, head, refresh
from support.heard import heard
from support.verdicts import Case, assert_verdicts, each

from sitemapper import Reason

CLOSED = "User-agent: *\nDisallow: /\n"
ELSEWHERE = '<head><meta http-equiv=refresh content="0;url=/z"><link rel=canonical href=/z>'
NO_HTML = {"rules": [{"match": ["*.html"], "list": False}]}
CASES = [
    Case("a rule before all", {"a.html": NOINDEX, "robots.txt": CLOSED}, [], {"a.html": Reason.RULE}, NO_HTML),
    Case("robots.txt before what is in the page", {"a.html": NOINDEX, "robots.txt": CLOSED}, [], {"a.html": Reason.ROBOTS}),
    Case("redirect before noindex before canonical", {"a.html": NOINDEX.replace("<head>", ELSEWHERE)}, [], {"a.html": Reason.REDIRECT}),
    Case("noindex before canonical", {"a.html": NOINDEX.replace("<head>", "<head><link rel=canonical href=/z>")}, [], {"a.html": Reason.NOINDEX}),
]  # fmt: skip


@each(CASES)
def test_the_first_signal_decides(site: Site, case: Case) -> None:
    assert_verdicts(site, case)


def test_origins_quote_what_decided(site: Site) -> None:
    root = site(
        {
            "a.html": NOINDEX, "b.html": canonical("/c.html"), "c.html": "", "d.html": refresh("0; url=c.html"),
            "p/x.html": "", "robots.txt": "# hi\nUser-agent: *\nDisallow: /p\n", "_headers": "/h.html\n  X-Robots-Tag: noindex\n",
            "i.html": head('<meta name=robots content="unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow">'),
            "_redirects": "/R.html /c.html 301!\n/r.html /c.html 301\n", "h.html": "", "r.html": "",
        }
    )  # fmt: skip
    assert {path: origin for path, (_, origin) in heard(root).excluded.items()} == {
        "a.html": 'a.html: <meta name="robots" content="noindex">',
        "b.html": 'b.html: <link rel="canonical" href="/c.html">',
        "d.html": 'd.html: <meta http-equiv="refresh"> to c.html',
        "h.html": "_headers:2: X-Robots-Tag: noindex",
        "i.html": "i.html: unavailable_after: 25 Jun 2010 15:00:00 PST",
        "p/x.html": "robots.txt:3: Disallow: /p",
        "r.html": "_redirects:2: /r.html /c.html 301",
    }
