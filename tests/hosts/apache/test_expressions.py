"""Expressions of `<If>`, as far as the path decides them."""

from __future__ import annotations

import pytest

from sitemapper.hosts.apache.expressions import Expression
from sitemapper.hosts.apache.request import Context, Files, Request, read_base

BASE = read_base("https://example.com/")
CONTEXT = Context(BASE, Request("/a/b.html", "/a/b.html"), "/a/b.html")
FILES = Files("/", lambda path: "f" if path == "a/b.html" else "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%{REQUEST_URI} =~ m#^/a/#", True),
        ("%{REQUEST_URI} !~ /B\\.HTML/i", False),
        ("%{REQUEST_URI} == '/a/b.html' && %{HTTPS} == 'on'", True),
        ("%{REQUEST_URI} in {'/x', '/a/b.html'}", True),
        ("!(%{REQUEST_METHOD} == 'POST') and true", True),
        ("-f %{REQUEST_FILENAME}", True),
        ("-d %{REQUEST_FILENAME} || -z %{QUERY_STRING}", True),
        ("%{HTTP_HOST} != 'example.com'", False),
        ("%{HTTP_COOKIE} =~ /x/", None),
        ("%{HTTP_COOKIE} =~ /x/ && false", False),
        ("%{HTTP_COOKIE} =~ /x/ || true", True),
        ("%{TIME_HOUR} -gt 8", None),
    ],
)
def test_an_expression_is_true_false_or_unknown(text: str, expected: bool | None) -> None:
    assert Expression(text).holds(CONTEXT, FILES) is expected


@pytest.mark.parametrize(
    "text", ["", "(", "%{A} ==", "%{A} =~ x", "a b c d", "(" * 60 + "true" + ")" * 60]
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"|."):
        Expression(text)


def test_the_reason_of_an_unknown_one() -> None:
    assert Expression("%{HTTP_USER_AGENT} =~ /bot/").unknown == "depends on the browser"
