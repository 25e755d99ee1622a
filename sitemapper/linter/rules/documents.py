"""SM1xx: the document itself, and its limits."""

from __future__ import annotations

from collections.abc import Iterator

from ...protocol import MAX_URLS
from ..model import Document, Fault, rules

(
    MALFORMED, ENCODING, WRONG_ROOT, TOO_MANY, TOO_LARGE, EMPTY, UNSAFE, TOO_COMPLEX, DAMAGED, UNEXPECTED,
) = ALL = rules("""
SM101 error: The file is not well-formed XML.
Crawlers read sitemaps with an XML parser, which stops at the first error. Everything after it is lost.
Fix: escape & < > " ' as entities, close every element, and put nothing before the XML declaration.

SM102 error: The file is not UTF-8.
The protocol allows no other encoding. Crawlers may read wrong characters, or none.
Fix: save the file as UTF-8, and declare no other encoding.

SM103 error: The root element is not urlset or sitemapindex in the namespace of the protocol.
Crawlers do not read feeds, HTML pages or a misspelled namespace as a sitemap.
Fix: write <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">, or <sitemapindex> with the same
xmlns.

SM104 error: A file has more than 50,000 entries.
This is the limit of the protocol, for an index too. Search engines reject the file or ignore the rest.
Fix: split the sitemap, and list its parts in an index.

SM105 error: A file is larger than 52,428,800 bytes uncompressed.
This is the limit of the protocol, even if the compressed file is small. The rest was not checked.
Fix: split the sitemap, and list its parts in an index.

SM106 error: The sitemap is empty.
The schema requires at least one entry. An empty sitemap is usually the result of a failed build.
Fix: find out why the generator listed nothing, or delete the file.

SM107 error: The file has a DOCTYPE or declares entities.
The protocol allows neither. Entities can expand to gigabytes or load other files, so crawlers reject
them. The rest of the file was not checked.
Fix: remove the DOCTYPE, and write characters or &#...; instead of entities.

SM108 error: Elements are nested too deep, or an element, line or tag is too long.
No sitemap needs 32 levels, a tag of 1 MiB or 20,000 elements in one entry. Parsers have limits, so the
rest of the file was not checked.
Fix: look for a missing end tag or line break in what writes the file.

SM109 error: A compressed file cannot be decompressed.
Crawlers accept only gzip, and only complete files. Zip archives are not allowed.
Fix: compress the file again with gzip, and make sure that no server compresses it twice.

SM110 error: The protocol does not have this element, attribute or text.
Crawlers ignore it at best: <lastMod> is not lastmod, nor is <lastmod> in another namespace. The schema
rejects it.
Fix: spell names as the protocol does, and give extensions their own namespace.
""")  # fmt: skip
FATAL = (MALFORMED, ENCODING, WRONG_ROOT, TOO_LARGE, UNSAFE, TOO_COMPLEX, DAMAGED)  # end the reading


def check_document(document: Document) -> Iterator[Fault]:
    """What is wrong with the number of entries. The other faults are found by reading."""
    if document.entries > MAX_URLS:
        yield TOO_MANY, 1, f"{document.entries:,} entries; the protocol allows {MAX_URLS:,}"
    if document.is_whole and not document.entries:
        yield EMPTY, 1, "lists no URL" if document.root else "is empty"
