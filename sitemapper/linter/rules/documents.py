"""SM1xx: the document itself, and its limits."""

from __future__ import annotations

from collections.abc import Iterator

from sitemapper.linter.facts import MAX_BYTES, MAX_ENTRIES, Document, Fault
from sitemapper.linter.rule import Rule, Said, Severity


class Malformed(Fault):
    """The file is not well-formed XML.

    A crawler reads a sitemap with an XML parser, which gives up at the first fault: what stands behind it
    is lost.
    Fix: escape & < > " ' as entities, close every element, let nothing stand before the XML declaration.
    """


class Encoding(Fault):
    """The file is not UTF-8.

    The protocol allows no other encoding; crawlers may read other letters than you wrote, or none.
    Fix: write the file as UTF-8 without a declaration of anything else.
    """


class WrongRoot(Fault):
    """The root is not urlset or sitemapindex in the namespace of the protocol.

    Feeds, pages and sitemaps with a misspelt namespace are not read as sitemaps.
    Fix: <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">, or <sitemapindex> with the same xmlns.
    """


def too_many(document: Document) -> Iterator[Said]:
    """More than 50,000 URLs in one file.

    The protocol's limit, for an index too; search engines refuse the file or ignore the rest.
    Fix: split the sitemap and name its parts in an index.
    """
    if document.entries > MAX_ENTRIES:
        yield 1, f"{document.entries:,} entries; the protocol allows {MAX_ENTRIES:,}"


class TooLarge(Fault):
    """More than 52,428,800 bytes, uncompressed.

    The protocol's limit, however small the file is once packed; what lies behind it was not checked here.
    Fix: split the sitemap and name its parts in an index.
    """


def empty(document: Document) -> Iterator[Said]:
    """No URL at all.

    The schema wants one at least, and an empty sitemap is mostly the sign of a build that failed.
    Fix: look why the generator listed nothing, or take the file away.
    """
    if document.is_whole and not document.entries:
        yield 1, "lists nothing" if document.root else "is empty"


class Unsafe(Fault):
    """A DOCTYPE or entities of its own.

    The protocol knows neither. Entities can make a small file unpack to gigabytes or pull in others, so
    crawlers refuse them, and the file is not read further here.
    Fix: take the DOCTYPE away and write characters or &#...; in place of entities.
    """


class Monstrous(Fault):
    """Nested too deep, or one element, line or tag is too long.

    No sitemap needs 32 levels, a tag of a megabyte or 20,000 elements in one entry; parsers have limits, so
    the file is not read further.
    Fix: look what wrote this; mostly an end tag or a line break is missing.
    """


class Damaged(Fault):
    """The packed file cannot be unpacked.

    Crawlers accept gzip only, whole and intact; zip archives are not allowed.
    Fix: pack it again with gzip, and let no server pack it twice.
    """


class Stray(Fault):
    """An element, attribute or text that the protocol does not know.

    It is ignored at best: <lastMod> and <loc > in another namespace are no lastmod and no loc. The schema
    refuses it.
    Fix: spell names as the protocol does; give extensions their own namespace.
    """


FAULTS = (
    Rule("SM101", Severity.ERROR, Malformed),
    Rule("SM102", Severity.ERROR, Encoding),
    Rule("SM103", Severity.ERROR, WrongRoot),
    Rule("SM105", Severity.ERROR, TooLarge),
    Rule("SM107", Severity.ERROR, Unsafe),
    Rule("SM108", Severity.ERROR, Monstrous),
    Rule("SM109", Severity.ERROR, Damaged),
    Rule("SM110", Severity.ERROR, Stray),
)
OF_DOCUMENTS = (Rule("SM104", Severity.ERROR, too_many), Rule("SM106", Severity.ERROR, empty))
TOO_LARGE = f"more than {MAX_BYTES:,} bytes uncompressed; the rest was not read"
