"""A RewriteRule with its conditions, as it is written."""

from __future__ import annotations

import pytest

from sitemapper.hosts.apache.request import Context, Files, Request, read_base
from sitemapper.hosts.apache.rewriting import evaluate, read_condition, read_flags, read_rule
from sitemapper.model import Origin

CONTEXT = Context(read_base("https://example.com/"), Request("/b.html", "/b.html"), "/b.html")
FILES = Files("/", lambda path: "f" if path == "b.html" else "")
LINE = Origin(".htaccess", 1, "")


def test_flags_have_short_and_long_names() -> None:
    flags = read_flags("[R=301, nocase,S=2,E=A:1,last]")
    assert flags == (frozenset(("R", "NC", "S", "E", "L")), 301, 2, ("A:1",))


@pytest.mark.parametrize("text", ["[X]", "[R=x]", "[S=y]"])
def test_a_flag_that_apache_does_not_have_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_flags(text)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["%{REQUEST_URI}", "^/b"], True),
        (["%{REQUEST_URI}", "!^/b"], False),
        (["%{REQUEST_URI}", "=/B.HTML", "[NC]"], True),
        (["%{REQUEST_FILENAME}", "-f"], True),
        (["%{REQUEST_FILENAME}", "!-d"], True),
        (["%{REQUEST_FILENAME}", "-l"], None),
        (["%{REQUEST_FILENAME}x", "-l"], False),
        (["%{REQUEST_FILENAME}", "^/var"], None),  # the folder on the server is not known
        (["%{REQUEST_FILENAME}", "html$"], True),
        (["/etc/maintenance", "-f"], None),
        (["%{REQUEST_URI}", "-f"], False),
        (["%{HTTP_COOKIE}", "x"], None),
        (["%{REQUEST_URI}", "(?=b)"], None),
        (["%{REQUEST_URI}"], None),
        (["expr", "%{REQUEST_URI} == '/b.html'"], True),
    ],
)
def test_a_condition_is_true_false_or_unknown(words: list[str], expected: bool | None) -> None:
    assert evaluate(read_condition(words), CONTEXT, FILES).holds is expected


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["^a", "/b", "[R]"], ""),
        (["(?=a)", "/b"], "expression not understood"),
        (["^a", "/b", "[P]"], "the answer comes from a program"),
        (["^a", "${map:$1}"], "depends on a map"),
        (["^a"], "not understood"),
    ],
)
def test_why_a_rule_is_unknown(words: list[str], why: str) -> None:
    _, reason = read_rule(words, (), LINE)
    assert reason == why
