"""What Netlify does with its files that other hosts do not."""

from __future__ import annotations

import pytest

from sitemapper.model import Reason
from sitemapper.syntax.hosts.netlify import HOST

R, N = Reason.REDIRECT, Reason.NOINDEX


@pytest.mark.parametrize(
    ("redirects", "path", "reason"),
    [
        ("/old /new 301", "/old", None),  # the file at /old wins
        ("/old /new 301!", "/old", R),
        ("/old /new 301!", "/OLD/", R),
        ("/old /new 200!", "/old", None),  # a rewrite
        ("/gone /404.html 410!", "/gone", R),
        ("/old /new 301! Language=de", "/old", None),
    ],
)
def test_only_a_forced_redirect_hides_a_file(redirects: str, path: str, reason: Reason | None) -> None:
    effect = HOST.read({"_redirects": redirects}, "example.com").effect(path)
    assert (effect and effect.reason) is reason


def test_a_header_says_where_it_stands() -> None:
    effect = HOST.read({"_headers": "/*\n  X-Robots-Tag: noindex\n"}, "example.com").effect("/a")
    assert effect is not None
    assert (effect.reason, str(effect.origin)) == (N, "_headers:2: X-Robots-Tag: noindex")


def test_a_header_cannot_be_taken_back() -> None:
    headers = "/*\n  X-Robots-Tag: noindex\n/a\n  ! X-Robots-Tag\n"
    assert HOST.read({"_headers": headers}, "example.com").effect("/a") is not None


def test_its_project_file_names_it() -> None:
    assert (HOST.name, HOST.markers) == ("netlify", ("netlify.toml",))
