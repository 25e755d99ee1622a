"""SM4xx: indexes and robots.txt."""

from __future__ import annotations

from collections.abc import Iterator

from ...syntax.dates import period
from ...syntax.urls import resolve
from ..model import Document, Entry, Fault, origin, rules

MISSING, NESTED, OUTDATED, RELATIVE, UNWRITTEN, CLOSED = ALL = rules("""
SM401 error: An index names a sitemap that does not exist.
Crawlers report the index as faulty, and do not find the pages of that sitemap.
Fix: publish the file beside the index, or remove its entry.

SM402 error: An index names another index.
The protocol allows one level only, and crawlers do not read further.
Fix: name the sitemaps themselves, or name both indexes in robots.txt.

SM403 warning: The date in the index is older than the newest page of the sitemap.
Crawlers that rely on the index do not fetch the sitemap, and miss the change.
Fix: write the newest date of each sitemap into the index.

SM404 error: A Sitemap line of robots.txt has no absolute URL.
Crawlers need the whole URL, and ignore a path.
Fix: write Sitemap: https://example.com/sitemap.xml

SM405 warning: robots.txt names a sitemap that does not exist.
Crawlers request it and get an error, unless another server has it.
Fix: publish the file, or remove the line.

SM406 error: robots.txt disallows a URL that the sitemap lists.
The two contradict each other. Search engines report the page as submitted but blocked.
Fix: allow it in robots.txt, or remove it from the sitemap.
""")


def check_child(entry: Entry, exists: bool, is_index: bool) -> Iterator[Fault]:
    """What is wrong with a sitemap that an index names."""
    if not exists:
        yield MISSING, entry.line, f"{entry.loc}: no such file beside the index"
    if is_index:
        yield NESTED, entry.line, f"{entry.loc} is itself an index"


def check_robots_line(line: int, url: str, exists: bool) -> Iterator[Fault]:
    """What is wrong with a sitemap that robots.txt names."""
    if not origin(url):
        yield RELATIVE, line, f"Sitemap: {url!r} is not an absolute URL"
    elif not exists:
        yield UNWRITTEN, line, f"Sitemap: {url}: no such file below the folder of robots.txt"


def check_document(document: Document) -> Iterator[Fault]:
    """Whether the date that the index has for a sitemap is too old."""
    date = period(document.context.date)
    if date and document.newest > date[1] + 86_400:
        text = f"has a page newer than {document.context.date}, its date in {document.context.named_by}"
        yield OUTDATED, 1, text


def check_entry(entry: Entry) -> Iterator[Fault]:
    """Whether robots.txt disallows an entry."""
    crawling = entry.context.crawling
    url = resolve(entry.loc, entry.loc) if crawling and origin(entry.loc) else None
    if crawling and url and (line := crawling.forbids(url)):
        yield CLOSED, entry.node.line, f"{entry.loc} is disallowed by {line}"
