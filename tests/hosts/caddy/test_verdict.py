"""What becomes of a page by a redirect, a password, an error or a header."""

from __future__ import annotations

import pytest
from support.caddy import reason

from sitemapper.model import Reason

R, C, N = Reason.REDIRECT, Reason.CLOSED, Reason.NOINDEX


# Asked of Caddy 2.6.
@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("redir /b.html /x", "/b.html", R),
        ("redir /b.html /x", "/a/", None),
        ("redir /B* /x 301", "/b.html", R),  # the case of letters does not count
        ("redir https://example.org{uri} permanent", "/b.html", R),
        ("redir * https://{host}{uri}", "/b.html", None),  # to itself
        ("redir /b.html {http.vars.to}", "/b.html", None),
        ("basic_auth /a/* {\nbob hash\n}", "/a/", C),
        ("basicauth /a/* {\nbob hash\n}", "/b.html", None),
        ("respond /a/* 403", "/a/index.html", C),
        ('respond /b.html "gone" 410', "/b.html", C),
        ('respond /b.html "hello"', "/b.html", None),
        ("error /a/* 404", "/a/", C),
        ("header /b.html X-Robots-Tag noindex", "/b.html", N),
        ("header /b.html {\nX-Robots-Tag none\n}", "/b.html", N),
        ("header /b.html ?X-Robots-Tag none", "/b.html", None),
        ("header X-Robots-Tag {tag}", "/b.html", None),
        ("header /b.html >X-Robots-Tag noindex\nheader X-Robots-Tag all", "/b.html", N),
        ("handle_errors {\nrewrite * /{err.status_code}.html\nfile_server\n}", "/404.html", Reason.NOT_A_PAGE),
    ],
)  # fmt: skip
def test_what_happens_to_a_page(text: str, path: str, expected: Reason | None) -> None:
    assert reason(path, text) is expected
