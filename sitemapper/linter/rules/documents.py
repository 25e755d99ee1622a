"""SM1xx and SM4xx: the document itself, its limits, indexes and robots.txt."""

from collections.abc import Iterator

from ...protocol import MAX_URLS
from ...syntax.urls import resolve, web_origin
from ..model import Document, Fault, LintedEntry, Rule, Severity

MALFORMED = Rule(
    "SM101",
    Severity.ERROR,
    "The file is not well-formed XML.",
    reason=(
        "Crawlers read sitemaps with an XML parser, which stops at the first error. Everything "
        "after it is lost."
    ),
    fix=(
        "escape & < > \" ' as entities, close every element, and put nothing before the XML "
        "declaration."
    ),
)
ENCODING = Rule(
    "SM102",
    Severity.ERROR,
    "The file is not UTF-8.",
    reason="The protocol allows no other encoding. Crawlers may read wrong characters, or none.",
    fix="save the file as UTF-8, and declare no other encoding.",
)
WRONG_ROOT = Rule(
    "SM103",
    Severity.ERROR,
    "The root element is not that of a sitemap, in its namespace.",
    reason=(
        "Crawlers read urlset and sitemapindex in the namespace of the protocol. They do not read "
        "HTML pages or a\n"
        "misspelled namespace."
    ),
    fix=(
        'write <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">, or <sitemapindex> '
        "with the same\n"
        "xmlns."
    ),
)
TOO_MANY = Rule(
    "SM104",
    Severity.ERROR,
    "A file has more than 50,000 entries.",
    reason=(
        "This is the limit of the protocol, for an index too. Search engines reject the file or "
        "ignore the rest."
    ),
    fix="split the sitemap, and list its parts in an index.",
)
TOO_LARGE = Rule(
    "SM105",
    Severity.ERROR,
    "A file is larger than 52,428,800 bytes uncompressed.",
    reason=(
        "This is the limit of the protocol, even if the compressed file is small. The rest was "
        "not checked."
    ),
    fix="split the sitemap, and list its parts in an index.",
)
EMPTY = Rule(
    "SM106",
    Severity.ERROR,
    "The sitemap is empty.",
    reason=(
        "The schema requires at least one entry. An empty sitemap is usually the result of a "
        "failed build."
    ),
    fix="find out why the generator listed nothing, or delete the file.",
)
UNSAFE = Rule(
    "SM107",
    Severity.ERROR,
    "The file has a DOCTYPE or declares entities.",
    reason=(
        "The protocol allows neither. Entities can expand to gigabytes or load other files, so "
        "crawlers reject\n"
        "them. The rest of the file was not checked."
    ),
    fix="remove the DOCTYPE, and write characters or &#...; instead of entities.",
)
TOO_COMPLEX = Rule(
    "SM108",
    Severity.ERROR,
    "Elements are nested too deep, or an element, line or tag is too long.",
    reason=(
        "No sitemap needs 32 levels, a tag of 1 MiB or 20,000 elements in one entry. Parsers "
        "have limits, so the\n"
        "rest of the file was not checked."
    ),
    fix="look for a missing end tag or line break in what writes the file.",
)
DAMAGED = Rule(
    "SM109",
    Severity.ERROR,
    "A compressed file cannot be decompressed.",
    reason="Crawlers accept only gzip, and only complete files. Zip archives are not allowed.",
    fix="compress the file again with gzip, and make sure that no server compresses it twice.",
)
MISSING = Rule(
    "SM401",
    Severity.ERROR,
    "An index lists a sitemap that does not exist.",
    reason="Crawlers report the index as faulty, and do not find the pages of that sitemap.",
    fix="publish the file beside the index, or remove its entry.",
)
NESTED = Rule(
    "SM402",
    Severity.ERROR,
    "An index lists another index.",
    reason="The protocol allows one level only, and crawlers do not read further.",
    fix="list its sitemaps directly, or remove its entry and list it in robots.txt instead.",
)
RELATIVE = Rule(
    "SM404",
    Severity.ERROR,
    "A Sitemap line of robots.txt has no absolute URL.",
    reason="Crawlers need the whole URL, and ignore a path.",
    fix="write Sitemap: https://example.com/sitemap.xml",
)
UNWRITTEN = Rule(
    "SM405",
    Severity.WARNING,
    "robots.txt lists a sitemap that does not exist.",
    reason="Crawlers request it and get an error, unless another server has it.",
    fix="publish the file, or remove the line.",
)
CLOSED = Rule(
    "SM406",
    Severity.ERROR,
    "robots.txt disallows a URL that the sitemap lists.",
    reason=(
        "The sitemap and the robots.txt of the checked folder contradict each other. Search "
        "engines report the\n"
        "page as submitted but blocked."
    ),
    fix="allow it in robots.txt, or remove it from the sitemap.",
)
ALL = (
    MALFORMED,
    ENCODING,
    WRONG_ROOT,
    TOO_MANY,
    TOO_LARGE,
    EMPTY,
    UNSAFE,
    TOO_COMPLEX,
    DAMAGED,
    MISSING,
    NESTED,
    RELATIVE,
    UNWRITTEN,
    CLOSED,
)
# Reading ends at a fault of these.
FATAL = (MALFORMED, ENCODING, WRONG_ROOT, TOO_LARGE, UNSAFE, TOO_COMPLEX, DAMAGED)


def check_document(document: Document) -> Iterator[Fault]:
    """Yields the faults of a sitemap with more than 50,000 entries, or with none.

    A file that could be read only in part may have entries after the error, so it is not empty.
    """
    if document.entries > MAX_URLS:
        yield TOO_MANY, 1, f"{document.entries:,} entries; the protocol allows {MAX_URLS:,}"
    if document.is_whole and not document.entries:
        yield EMPTY, 1, "lists no URL" if document.root else "is empty"


def check_child(entry: LintedEntry, *, is_missing: bool, is_index: bool) -> Iterator[Fault]:
    """Yields the faults of an entry of an index: its sitemap is missing, or is an index itself."""
    if is_missing:
        yield MISSING, entry.line, f"{entry.loc}: no such file beside the index"
    if is_index:
        yield NESTED, entry.line, f"{entry.loc} is itself an index"


def check_robots_line(line: int, url: str, *, is_missing: bool) -> Iterator[Fault]:
    """Yields the faults of a `Sitemap:` line of robots.txt: it is not absolute, or has no file."""
    if not web_origin(url):
        yield RELATIVE, line, f"Sitemap: {url!r} is not an absolute URL"
    elif is_missing:
        yield UNWRITTEN, line, f"Sitemap: {url}: no such file below the folder of robots.txt"


def check_entry(entry: LintedEntry) -> Iterator[Fault]:
    """Yields the fault of an entry that robots.txt closes to all crawlers.

    `https://a.example/b/c`, with the line `Disallow: /b/` → CLOSED. There is no fault if no
    robots.txt was read, or if the URL is not absolute.
    """
    crawling = entry.context.crawling
    if crawling is None or not web_origin(entry.loc):
        return
    url = resolve(entry.loc, entry.loc)  # normalised, as crawlers compare it
    line = crawling.forbids(url) if url else None
    if line:
        yield CLOSED, entry.node.line, f"{entry.loc} is disallowed by {line}"
