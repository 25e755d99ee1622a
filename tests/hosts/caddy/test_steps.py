"""Directives in groups, files that `try_files` finds, and what ends all knowledge."""

from __future__ import annotations

import pytest
from support.caddy import reason

from sitemapper.model import Reason

C = Reason.CLOSED


# Asked of Caddy 2.6.
@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("handle_path /a/* {\nrespond /index.html 404\n}", "/a/index.html", C),
        ("handle /a/* {\nreverse_proxy app\n}\nrespond /a/* 403", "/a/", None),
        ("rewrite /b.html /c.html\nrespond /b.html 403", "/b.html", None),
        ("import other\nrespond /b.html 403", "/b.html", None),
        ("root /a/* /other\nrespond /a/* 403", "/a/", None),
        ("try_files {path} {path}.html\nrespond /b.html 403", "/b", C),
        ("try_files {path} /index.html\nrespond /b.html 403", "/b.html", C),
        ("try_files {path} {path}.html =404", "/a/", C),
        ("try_files {path} {path}.html =404", "/b", None),
    ],
)  # fmt: skip
def test_what_runs_for_a_page(text: str, path: str, expected: Reason | None) -> None:
    assert reason(path, text) is expected
