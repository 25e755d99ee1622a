"""What is known of an entry while a sitemap is read."""

from __future__ import annotations

import pytest
from support import BASE

from sitemapper.linter import ALL
from sitemapper.linter.model import Context, Document, Entry, Node, origin
from sitemapper.protocol import NAMESPACE

OTHER = "https://example.com/other"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://Example.com/a", "https://example.com"),
        ("HTTPS://example.com:443/a", "https://example.com"),
        ("http://example.com:443/a", "http://example.com:443"),
        ("https://example.com", "https://example.com"),
        ("https://me@example.com/", ""),
        ("https://example.com:port/", ""),
        ("https://[::1/", ""),
        ("ftp://example.com/", ""),
        ("//example.com/a", ""),
        ("/a", ""),
        ("", ""),
    ],
)
def test_the_origin_of_a_url(url: str, expected: str) -> None:
    assert origin(url) == expected


def element(
    name: str, text: str = "", *children: Node, space: str = NAMESPACE, line: int = 1
) -> Node:
    return Node(space, name, {}, text, children, line)


def read(document: Document, line: int, *children: Node) -> Entry:
    return document.add("urlset", element("url", "", *children, line=line))


def test_an_entry_knows_the_first_one_with_its_url() -> None:
    document = Document(Context(0))
    entries = [
        read(document, n, element("loc", BASE + path)) for n, path in ((3, "a"), (5, "b"), (7, "a"))
    ]
    assert [entry.first for entry in entries] == [None, None, 3]
    assert (document.entries, {entry.origin for entry in entries}) == (3, {"https://example.com"})


def test_an_entry_has_the_fields_of_the_protocol_and_more() -> None:
    plain = read(
        Document(Context(0)), 2, element("loc", BASE, line=3), element("lastmod", "2026-01-02")
    )
    assert (plain.loc, plain.line, plain.date, plain.has_more) == (BASE, 3, "2026-01-02", False)
    more = read(Document(Context(0)), 2, element("loc", BASE), element("image", space=OTHER))
    assert (more.has_more, more.date, len(more.node.named("image", OTHER))) == (True, "", 1)


def test_a_document_remembers_its_newest_date_and_counts_news() -> None:
    document = Document(Context(0))
    for date in ("2026-01-02", "2026-03-01T12:00:00Z", "someday"):
        read(document, 1, element("loc", BASE + date), element("lastmod", date))
    read(document, 1, element("loc", BASE), element("news", space=OTHER))
    assert (document.newest, document.dates.total, document.news) == (1_772_366_400, 2, 1)


def test_every_rule_has_a_page_that_says_what_to_do() -> None:
    assert [rule.code for rule in ALL if not (rule.title and rule.reason and rule.fix)] == []
