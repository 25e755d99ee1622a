"""Rules in JSON and TOML, with the lines of their patterns."""

from __future__ import annotations

from sitemapper.hosts.tables import entries, text_at

JSON = '{"redirects": [\n{"source": "/a", "to": 1},\n{"regex": "^/b"},\n{"source": 3},\n{"source": "/a"}]}'
TOML = "[[redirects]]\nsource = '/a'\n\n[[redirects]]\nsource = \"/b\"\n"


def test_each_pattern_has_its_line() -> None:
    table = {"redirects": [{"source": "/a"}, {"regex": "^/b"}, {"source": 3}, {"source": "/a"}]}
    found = entries(table, JSON, "redirects", ("source", "regex"))
    assert [(entry.key, entry.pattern, entry.line) for entry in found] == [
        ("source", "/a", 2),
        ("regex", "^/b", 3),
        ("source", "/a", 5),
    ]


def test_toml_has_strings_in_single_quotes() -> None:
    table = {"redirects": [{"source": "/a"}, {"source": "/b"}]}
    assert [entry.line for entry in entries(table, TOML, "redirects")] == [2, 5]


def test_the_text_at_a_key() -> None:
    table = {"build": {"publish": "dist", "jobs": 3}}
    assert text_at(table, "build.publish") == "dist"
    assert [text_at(table, key) for key in ("build.jobs", "build", "build.publish.x")] == [""] * 3
