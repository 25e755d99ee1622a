"""SM4xx: indexes and robots.txt."""

from __future__ import annotations

from collections.abc import Iterator

from sitemapper.linter.facts import Document, Entry, Link, origin
from sitemapper.linter.rule import Rule, Said, Severity
from sitemapper.syntax.dates import period
from sitemapper.syntax.urls import resolve


def missing(link: Link) -> Iterator[Said]:
    """An index names a sitemap that is not there.

    Crawlers report the whole index as faulty; its pages are not found through it.
    Fix: publish the file beside the index, or take its line out.
    """
    if link.by == "index" and not link.exists:
        yield link.line, f"{link.url}: no such file lies beside the index"


def nested(link: Link) -> Iterator[Said]:
    """An index names another index.

    The protocol allows one level only; crawlers do not read further.
    Fix: name the sitemaps themselves, or both indexes in robots.txt.
    """
    if link.by == "index" and link.is_index:
        yield link.line, f"{link.url} is an index itself"


def outdated(document: Document) -> Iterator[Said]:
    """The index gives a sitemap an older date than its newest page has.

    Crawlers that go by the index do not fetch the sitemap, and miss the change.
    Fix: write the newest date of each sitemap into the index.
    """
    told = period(document.context.date)
    if told and document.newest > told[1] + 86_400:
        yield 1, f"has newer pages than {document.context.told_by} says, {document.context.date}"


def relative(link: Link) -> Iterator[Said]:
    """A Sitemap line of robots.txt without an absolute URL.

    Crawlers need the whole address there; a path alone is ignored.
    Fix: Sitemap: https://example.com/sitemap.xml
    """
    if link.by == "robots" and not origin(link.url):
        yield link.line, f"Sitemap: {link.url!r} is no absolute URL"


def unwritten(link: Link) -> Iterator[Said]:
    """robots.txt names a sitemap that is not there.

    Crawlers ask for it and get an error, if it is not served from another place.
    Fix: publish the file, or take the line out.
    """
    if link.by == "robots" and origin(link.url) and not link.exists:
        yield link.line, f"Sitemap: {link.url}: no such file lies below robots.txt"


def closed(entry: Entry) -> Iterator[Said]:
    """robots.txt keeps crawlers from a URL that the sitemap lists.

    The two contradict each other; the page is reported as submitted but blocked.
    Fix: open it in robots.txt, or take it out of the sitemap.
    """
    url = resolve(entry.loc, entry.loc) if entry.context.crawling and origin(entry.loc) else None
    if url and entry.context.crawling:
        rule = entry.context.crawling.forbids(url)
        if rule:
            yield entry.node.line, f"{entry.loc} is disallowed, {rule}"


OF_LINKS = (
    Rule("SM401", Severity.ERROR, missing),
    Rule("SM402", Severity.ERROR, nested),
    Rule("SM404", Severity.ERROR, relative),
    Rule("SM405", Severity.WARNING, unwritten),
)
OF_DOCUMENTS = (Rule("SM403", Severity.WARNING, outdated),)
OF_ENTRIES = (Rule("SM406", Severity.ERROR, closed),)
