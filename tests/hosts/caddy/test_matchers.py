"""Which requests a directive is for. What is not understood takes no page away."""

from __future__ import annotations

import pytest
from support.caddy import reason

from sitemapper.model import Reason

C, N = Reason.CLOSED, Reason.NOINDEX


# Asked of Caddy 2.6.
@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("@x path /a/* *.html\nheader @x X-Robots-Tag noindex", "/b.html", N),
        ("@x not path /a/*\nrespond @x 404", "/b.html", C),
        ("@x {\npath /a/*\nmethod GET HEAD\n}\nrespond @x 404", "/a/", C),
        ("@x path_regexp x ^/(a|c)\nrespond @x 404", "/a/", C),
        ("@x host www.example.com\nredir @x https://example.com{uri}", "/a/", None),
        ("@x remote_ip 10.0.0.0/8\nrespond @x 403", "/a/", None),
        ("@x {\nnot {\npath /a/*\n}\n}\nrespond @x 403", "/b.html", None),
        ("@x path_regexp (?=b)\nrespond @x 403", "/b.html", None),
        ("respond /[ab]* 403", "/b.html", None),
    ],
)  # fmt: skip
def test_which_pages_a_matcher_takes(text: str, path: str, expected: Reason | None) -> None:
    assert reason(path, text) is expected
