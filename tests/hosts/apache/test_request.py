"""A URL as Apache maps it to a file, and the variables that follow from it."""

from __future__ import annotations

import pytest

from sitemapper.hosts.apache.request import Context, Files, Request, read_base, why_text_unknown

KINDS = {"": "d", "a": "d", "a/b.html": "f"}
FILES = Files("/p/", lambda path: KINDS.get(path, ""))


@pytest.mark.parametrize(
    ("uri", "file", "kind", "info"),
    [
        ("/p/", "/p/", "d", ""),
        ("/p/a", "/p/a", "d", ""),
        ("/p/a/", "/p/a/", "d", ""),
        ("/p/a/b.html", "/p/a/b.html", "f", ""),
        ("/p/a/b.html/x", "/p/a/b.html", "f", "/x"),
        ("/p/c/d/", "/p/c", "", "/d/"),  # as far as the first name that does not exist
    ],
)
def test_a_path_is_mapped_to_a_file(uri: str, file: str, kind: str, info: str) -> None:
    located = FILES.locate(uri)
    assert located is not None
    assert located[:3] == (file, kind, info)


def test_nothing_is_known_outside_the_site() -> None:
    assert FILES.locate("/other") is None


def test_the_base_url_gives_host_scheme_and_path() -> None:
    base = read_base("https://Example.com:8443/p/")
    assert base == ("https", "example.com", "8443", "/p/", "https://Example.com:8443")


def test_references_are_replaced() -> None:
    request = Request("/p/a", "/p/a", env={"X": "1", "Y": None})
    context = Context(read_base("http://example.com/p/"), request, "/p/a", rule_groups=["ab", "b"])
    assert context.expand("%{REQUEST_URI}.$1%2\\$1%{HTTPS}%{ENV:X}") == "/p/a.b$1off1"
    assert context.expand("%{ENV:Y}") is None
    assert context.expand("${map:x}") is None


def test_why_a_text_is_unknown() -> None:
    assert why_text_unknown("%{REQUEST_URI}") == ""
    assert why_text_unknown("%{HTTP:Accept-Language}") == "depends on %{HTTP:Accept-Language}"
