"""Feeds as sitemaps: search engines read RSS 2.0 and Atom, with a URL and a date for each entry.

sitemaps.org, "Other Sitemap formats": the URL is the `link` of an entry, and its lastmod is the
`pubDate` of RSS, the `updated` of Atom 1.0 or the `modified` of Atom 0.3.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..protocol import NAMESPACE
from ..syntax.dates import mail_moment, moment, utc_text
from ..syntax.urls import resolve
from .model import FileError, Node, shorten
from .rules.entries import BAD_FEED_DATE

XML_BASE = "http://www.w3.org/XML/1998/namespace base"  # `xml:base`, as expat names it


class Feed(NamedTuple):
    """A format of feeds: its namespaces, its entries, how many elements are around one, and dates.

    The first of `dates` that an entry has is its lastmod. `expected` describes a date in words.
    """

    namespaces: tuple[str, ...]
    entry: str
    depth: int
    dates: tuple[str, ...]
    seconds: Callable[[str], int | None]
    expected: str


FEEDS = {
    # RSS 2.0 has no namespace, and dates of RFC 822 (rssboard.org/rss-specification).
    "rss": Feed(
        ("",),
        "item",
        2,  # <rss><channel>
        ("pubDate",),
        mail_moment,
        "an RFC 822 date such as Sun, 01 Mar 2026 12:00:00 +0000",
    ),
    # Atom 1.0 (RFC 4287) and 0.3 have dates of RFC 3339.
    "feed": Feed(
        ("http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"),
        "entry",
        1,
        ("updated", "modified", "published"),
        moment,
        "a W3C Datetime such as 2026-03-01T12:00:00+00:00",
    ),
}


def read_entry(feed: Feed, node: Node, base: str) -> Iterator[Node | FileError]:
    """Turns the entry of a feed into one of a sitemap, with `loc` and `lastmod`.

    Of several dates, the first valid one counts. Before the entry come the errors in its dates.
    `base` is the `xml:base` of the feed, "" for none.
    """
    fields = []
    link = _find_link(node)
    if link:
        bases = (base, node.attributes.get(XML_BASE, ""), link.attributes.get(XML_BASE, ""))
        fields.append(_field("loc", _url_of(link, bases), link.line))
    has_date = False
    for name in feed.dates:
        for date in node.named(name, node.space):
            seconds = feed.seconds(date.text)
            if seconds is None:
                what = f"{name} {shorten(date.text, 60)!r} is not {feed.expected}"
                yield FileError(BAD_FEED_DATE, date.line, what)
            elif not has_date:
                has_date = True
                fields.append(_field("lastmod", utc_text(seconds), date.line))
    yield Node(NAMESPACE, node.name, {}, "", tuple(fields), node.line)


def _field(name: str, text: str, line: int) -> Node:
    """A field of a sitemap."""
    return Node(NAMESPACE, name, {}, text, (), line)


def _find_link(node: Node) -> Node | None:
    """The link to the page of an entry. Atom's other links have a `rel` (RFC 4287, 4.2.7.2)."""
    for link in node.named("link", node.space):
        if link.attributes.get("rel", "alternate") == "alternate":
            return link
    return None


def _url_of(link: Node, bases: tuple[str, ...]) -> str:
    """The URL of a link: the text in RSS, `href` in Atom, where `xml:base` may be its beginning."""
    url = link.attributes.get("href", link.text)
    for base in reversed(bases):
        if base:
            url = resolve(url, base) or url
    return url
