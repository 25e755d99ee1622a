"""The order in which Caddy runs directives, whatever their order in the file."""

from __future__ import annotations

import pytest
from support.caddy import reason

from sitemapper.model import Reason

R, C, N = Reason.REDIRECT, Reason.CLOSED, Reason.NOINDEX


# Asked of Caddy 2.6.
@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        # The more specific header is set first, and replaced.
        ("header /b.html X-Robots-Tag noindex\nheader X-Robots-Tag all", "/b.html", None),
        ("header X-Robots-Tag noindex\nheader /b.html +X-Robots-Tag all", "/b.html", N),
        ("header X-Robots-Tag noindex\nheader /b.html -X-Robots-Tag", "/b.html", None),
        # `handle` is before `respond`, and `redir` before both.
        ("handle {\nfile_server\n}\nrespond /a/* 403", "/a/", None),
        ("handle {\nfile_server\n}\nredir /a/* /x", "/a/", R),
        ("handle {\nfile_server\n}\nhandle /a/* {\nrespond 404\n}", "/a/", C),
        ("@x path_regexp ^/\nhandle @x {\nrespond 410\n}\nhandle /a/* {\n}", "/a/", C),
        ("route {\nrespond /a/* 403\nredir /a/* /x\n}", "/a/", C),
    ],
)  # fmt: skip
def test_the_order_decides(text: str, path: str, expected: Reason | None) -> None:
    assert reason(path, text) is expected
