"""SM4xx: indexes and robots.txt."""

from __future__ import annotations

from collections.abc import Iterator

from ...syntax.dates import period
from ...syntax.urls import resolve
from ..elements import Document, Entry, Link, origin
from ..rule import Message, Severity, rule


@rule("SM401")
def missing(link: Link) -> Iterator[Message]:
    """An index names a sitemap that does not exist.

    Crawlers report the index as faulty, and do not find the pages of that sitemap.
    Fix: publish the file beside the index, or remove its entry.
    """
    if link.by == "index" and not link.exists:
        yield link.line, f"{link.url}: no such file beside the index"


@rule("SM402")
def nested(link: Link) -> Iterator[Message]:
    """An index names another index.

    The protocol allows one level only, and crawlers do not read further.
    Fix: name the sitemaps themselves, or name both indexes in robots.txt.
    """
    if link.by == "index" and link.is_index:
        yield link.line, f"{link.url} is itself an index"


@rule("SM403", Severity.WARNING)
def outdated(document: Document) -> Iterator[Message]:
    """The date in the index is older than the newest page of the sitemap.

    Crawlers that rely on the index do not fetch the sitemap, and miss the change.
    Fix: write the newest date of each sitemap into the index.
    """
    date = period(document.context.date)
    if date and document.newest > date[1] + 86_400:
        yield 1, f"has a page newer than {document.context.date}, its date in {document.context.named_by}"


@rule("SM404")
def relative(link: Link) -> Iterator[Message]:
    """A Sitemap line of robots.txt has no absolute URL.

    Crawlers need the whole URL, and ignore a path.
    Fix: write Sitemap: https://example.com/sitemap.xml
    """
    if link.by == "robots" and not origin(link.url):
        yield link.line, f"Sitemap: {link.url!r} is not an absolute URL"


@rule("SM405", Severity.WARNING)
def unwritten(link: Link) -> Iterator[Message]:
    """robots.txt names a sitemap that does not exist.

    Crawlers request it and get an error, unless another server has it.
    Fix: publish the file, or remove the line.
    """
    if link.by == "robots" and origin(link.url) and not link.exists:
        yield link.line, f"Sitemap: {link.url}: no such file below the folder of robots.txt"


@rule("SM406")
def closed(entry: Entry) -> Iterator[Message]:
    """robots.txt disallows a URL that the sitemap lists.

    The two contradict each other. Search engines report the page as submitted but blocked.
    Fix: allow it in robots.txt, or remove it from the sitemap.
    """
    crawling = entry.context.crawling
    url = resolve(entry.loc, entry.loc) if crawling and origin(entry.loc) else None
    if crawling and url and (line := crawling.forbids(url)):
        yield entry.node.line, f"{entry.loc} is disallowed by {line}"


OF_LINKS = (missing, nested, relative, unwritten)
OF_DOCUMENTS = (outdated,)
OF_ENTRIES = (closed,)
