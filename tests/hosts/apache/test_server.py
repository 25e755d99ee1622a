"""What Apache answers, step by step: access, rules, redirects, folders, files."""

from __future__ import annotations

import pytest

from sitemapper.hosts.apache.reading import read_file
from sitemapper.hosts.apache.request import Files, read_base
from sitemapper.hosts.apache.server import NOWHERE, Server

BASE = read_base("https://example.com/")
KINDS = {"": "d", "a": "d", "index.html": "f", "b.html": "f", "a/index.html": "f"}
FILES = Files("/", lambda path: KINDS.get(path, ""))
ON = "RewriteEngine On\n"


def answer(path: str, text: str) -> tuple[int, str]:
    rules = read_file(".htaccess", "/", text, "/")
    found = Server(BASE, {"/": rules.layers}, 0).answer(path, FILES)
    return found.status, found.file or found.target


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("", "/", (200, "/index.html")),
        ("", "/a", (301, "https://example.com/a/")),
        ("", "/b", (NOWHERE, "")),
        ("", "/b.html/", (NOWHERE, "")),
        ("AcceptPathInfo On", "/b.html/", (200, "/b.html")),
        ("Options +MultiViews", "/b", (200, "/b.html")),
        # Access comes first, then mod_rewrite, then mod_alias.
        ("Require all denied\nRedirect / /x", "/b.html", (403, "")),
        (
            ON + "RewriteRule ^b /x [R]\nRedirect /b.html /y",
            "/b.html",
            (302, "https://example.com/x"),
        ),
        (ON + "RewriteRule ^b /a/\nRedirect /b.html /y", "/b.html", (302, "https://example.com/y")),
        # The index of a folder is a request of its own.
        ("<Files index.html>\nRequire all denied\n</Files>", "/a/", (403, "")),
        ("Redirect gone /index.html", "/", (410, "")),
        (ON + "RewriteRule ^(.*)$ x$1", "/b.html", (NOWHERE, "")),  # goes round in circles
        ("Options None\n" + ON, "/b.html", (403, "")),
    ],
)
def test_the_order_of_the_steps(text: str, path: str, expected: tuple[int, str]) -> None:
    assert answer(path, text) == expected
