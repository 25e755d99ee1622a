"""Renders entries as sitemaps, XML or text, by sitemaps.org/protocol.html. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple
from zlib import crc32

from ..config import Settings
from ..messages import SitemapperError
from ..model import Entry
from ..protocol import FORMATS, MARK, MAX_URLS, NAMESPACE
from ..syntax.dates import moment

# URLs of a shard of the strategy `stable`: the least, and what follows it in the mean.
_STABLE_LEAST = 1_000
_STABLE_MEAN = 15_000
_XHTML = "http://www.w3.org/1999/xhtml"
_IMAGE = "http://www.google.com/schemas/sitemap-image/1.1"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
# In an index of ours, what follows names sitemaps of other builds.
OTHERS = b"<!-- sitemaps of other tools -->\n"
# A text sitemap can have no mark of ours, so the main sitemap names the endings of ours.
_TEXT_MARK = "<!-- sitemapper wrote the text form too: {} -->\n"
_TEXT_ENDINGS = re.compile(_TEXT_MARK.strip().format("([^<>]*)").encode())
_URLSET_END = b"</urlset>\n"
INDEX_END = b"</sitemapindex>\n"


class SitemapFile(NamedTuple):
    """A file to publish, not compressed. An index has no entries."""

    name: str
    data: bytes
    entries: Sequence[Entry] | None = None


# --- Files and their names


def sitemap_files(
    entries: Sequence[Entry],
    settings: Settings,
    name: str,
    base_url: str,
    others: Sequence[tuple[str, str]] = (),
) -> Iterator[SitemapFile]:
    """Yields the sitemaps of the entries, one rendered at a time, in the order to publish them.

    A small site has one file, `name`. A large one has shards (`sitemap-1.xml`), then `name` as
    their index. The text sitemaps follow. `others` are sitemaps of other builds for the index,
    (URL, newest date). Raises SitemapperError if there are too many, or if `max_bytes` is too small
    for an entry.
    """
    options = settings.sitemap
    stem = name.removesuffix(".xml")
    # The text forms that the settings ask for: {"text": ".txt"}.
    formats = {key: ending for key, ending in FORMATS.items() if getattr(options, key)}
    start = _start("urlset", settings, formats.values())
    parts = _xml_parts(entries, settings, options.max_bytes - len(start) - len(_URLSET_END))

    # A part is a group of entries that fits into one sitemap. Only two are made at first, to save
    # memory: if there is a second one, an index is needed.
    first_two = list(islice(parts, 2)) or [("-1", [], b"")]  # an empty site has an empty sitemap
    has_index = (
        bool(others)
        or options.index == "always"
        or options.gzip == "only"  # the shards are packed, and the index is not
        or len(first_two) > 1
    )

    # Yield the XML sitemaps, and keep the URL and newest date of each for the index.
    indexed: list[tuple[str, str]] = []
    for ending, part, rows in chain(first_two, parts):
        shard = f"{stem}{ending}.xml" if has_index else name
        yield SitemapFile(shard, start + rows + _URLSET_END, part)
        published_name = names_of(shard, options.gzip)[0]
        indexed.append((base_url + published_name, newest(entry.lastmod for entry in part)))
    total = len(indexed) + len(others)
    if total > MAX_URLS:
        raise SitemapperError(
            f"the site needs {total:,} sitemaps, and an index may list {MAX_URLS:,}",
            "raise max_urls and max_bytes, or build parts of the site under their own base URLs",
        )

    # The text sitemaps are made first, because the index has their names, but they come last.
    texts: list[SitemapFile] = []
    for key in formats:
        texts += _text_files(stem, key, entries, settings)

    # The index comes after the sitemaps that it names, so that it never names a missing file.
    if has_index:
        endings = [text.name.removeprefix(stem) for text in texts]
        lines = [_start("sitemapindex", settings, endings)]
        lines += map(_index_row, indexed)
        if others:
            lines += [OTHERS, *map(_index_row, others)]
        yield SitemapFile(name, b"".join([*lines, INDEX_END]))
    yield from texts


def names_of(name: str, gzip: str, *, is_index: bool = False) -> list[str]:
    """Lists the names under which a sitemap is written: plain, packed, or both.

    With gzip "no", `sitemap.xml`; with "only", `sitemap.xml.gz`; with "also", the plain name first,
    then the packed one. With "only", an index stays plain, so that crawlers find it.
    """
    if gzip == "no" or (gzip == "only" and is_index):
        return [name]
    return [f"{name}.gz"] if gzip == "only" else [name, f"{name}.gz"]


def newest(dates: Iterable[str | None]) -> str:
    """Finds the newest of some dates in W3C Datetime, such as 2026-03-01; "" without one."""
    texts = {date for date in dates if date}
    # Texts of this one form, 2026-03-01T12:00:00+00:00, sort as their moments. So they need not be
    # parsed, which would take long for a large site.
    if all(len(date) == 25 and date.endswith("+00:00") for date in texts):
        return max(texts, default="")
    return max(texts, key=lambda date: (moment(date) or 0, date))


def text_endings(main: bytes) -> list[str]:
    """Reads which text sitemaps we wrote, from the comment in the main sitemap.

    Returns the ends of their names: `.txt`, or `-1.txt` and `-2.txt`. `main` are its bytes.
    """
    match = _TEXT_ENDINGS.search(main)
    return match[1].decode("ascii", "replace").split() if match else []


# --- Cuts


def _xml_parts(
    entries: Sequence[Entry], settings: Settings, room: int
) -> Iterator[tuple[str, Sequence[Entry], bytes]]:
    """Cuts the entries into the parts that make one XML sitemap each.

    The pages in no section come first, then those of each section. Yields the ending that a part
    gives to the name of its sitemap, its entries, and their rows. The endings are `-1`, `-2`;
    `-blog`, `-blog-2` for a section; and `-0123456789ab` with the strategy `stable`. `room` is how
    many bytes the rows may have.
    """
    is_stable = settings.sitemap.strategy == "stable"
    section_names = [section.name for section in settings.sitemaps]
    for section in ("", *section_names):
        members = [entry for entry in entries if entry.values.section == section]
        parts = _cut(members, _xml_row, settings, room, is_stable=is_stable)
        for number, (part, rows) in enumerate(parts, 1):
            ending = f"-{section}" if section else ""
            if is_stable:
                ending += f"-{_key(part[0].loc)}"
            elif number > 1 or not section:  # the first one is only `sitemap-blog.xml`
                ending += f"-{number}"
            yield ending, part, rows


def _text_files(
    stem: str, key: str, entries: Sequence[Entry], settings: Settings
) -> Iterator[SitemapFile]:
    """Yields the text sitemaps: `sitemap.txt`, or `sitemap-1.txt`, … where a limit is exceeded.

    `stem` is what their names begin with, and `key` one of `FORMATS`. A site without pages has one
    that is empty.
    """
    parts = list(_cut(entries, _ROWS[key], settings, settings.sitemap.max_bytes))
    for number, (part, rows) in enumerate(parts or [([], b"")], 1):
        suffix = f"-{number}" if len(parts) > 1 else ""
        yield SitemapFile(f"{stem}{suffix}{FORMATS[key]}", rows, part)


def _cut(
    entries: Sequence[Entry],
    render: Callable[[Entry], str],
    settings: Settings,
    room: int,
    *,
    is_stable: bool = False,
) -> Iterator[tuple[Sequence[Entry], bytes]]:
    """Cuts entries into parts, where the next one exceeds `max_urls` or `room`, in bytes.

    Yields each part with its rows, as `render` makes them from the entries.

    With `is_stable`, it also cuts before URLs whose hash has a certain value. A new page then
    changes only the part that it is in: cuts by number would move in all parts behind it.
    """
    # The rows since the last cut, their size, and the index of the first one.
    rows: list[bytes] = []
    start = size = 0
    for index, entry in enumerate(entries):
        row = render(entry).encode()
        if len(row) > room:
            what = f"max_bytes leaves {max(room, 0)} bytes, too few for one URL"
            raise SitemapperError(what, "raise it")
        is_full = len(rows) == settings.sitemap.max_urls or size + len(row) > room
        is_stable_cut = False
        if is_stable and len(rows) >= _STABLE_LEAST:
            is_stable_cut = crc32(entry.loc.encode()) % _STABLE_MEAN == 0
        if is_full or is_stable_cut:
            yield entries[start:index], b"".join(rows)
            start, size, rows = index, 0, []
        rows.append(row)
        size += len(row)
    if rows:
        yield entries[start:], b"".join(rows)


def _key(loc: str) -> str:
    """A short hash of the first URL of a shard, which names the shard."""
    from hashlib import blake2b  # loads OpenSSL

    return blake2b(loc.encode(), digest_size=6).hexdigest()


# --- Lines


def _start(root: str, settings: Settings, endings: Iterable[str]) -> bytes:
    """Writes what stands in a sitemap or an index before its first row, with our mark.

    The mark is a comment by which later runs know that the file is ours. `root` is the root
    element, "urlset" or "sitemapindex". `endings` are those of the names of our text sitemaps, such
    as `.txt`. A second comment lists them, because a text sitemap can have no mark itself.
    """
    # Declare the XML namespaces of the elements that the rows will have.
    attributes = f'xmlns="{NAMESPACE}"'
    schema = "siteindex.xsd"
    if root == "urlset":
        schema = "sitemap.xsd"
        if settings.hreflang:
            attributes += f' xmlns:xhtml="{_XHTML}"'
        if settings.images:
            attributes += f' xmlns:image="{_IMAGE}"'

    # On request, name the XML schema, by which validators can check the file.
    if settings.sitemap.schema_location:
        attributes += f' xmlns:xsi="{_XSI}" xsi:schemaLocation="{NAMESPACE} {NAMESPACE}/{schema}"'
    start = f'<?xml version="1.0" encoding="UTF-8"?>\n{MARK.decode()}\n<{root} {attributes}>\n'
    names = [name for ending in endings for name in names_of(ending, settings.sitemap.gzip)]
    if names:
        start += _TEXT_MARK.format(" ".join(names))
    return start.encode()


def _index_row(sitemap: tuple[str, str]) -> bytes:
    """Writes the row of a sitemap in the index, from its URL and its newest date, "" for none."""
    url, date = sitemap
    lastmod = f"<lastmod>{date}</lastmod>" if date else ""
    return f"<sitemap><loc>{_escape(url)}</loc>{lastmod}</sitemap>\n".encode()


def _xml_row(entry: Entry) -> str:
    """Writes an entry as a row of XML: `<url><loc>https://a.example/tea/</loc></url>`."""
    row = f"<url><loc>{_escape(entry.loc)}</loc>"
    if entry.lastmod:
        row += f"<lastmod>{entry.lastmod}</lastmod>"
    if entry.values.changefreq:
        row += f"<changefreq>{entry.values.changefreq}</changefreq>"
    if entry.values.priority:
        row += f"<priority>{entry.values.priority}</priority>"
    for language, url in entry.alternates:
        href = _escape(url)
        row += f'<xhtml:link rel="alternate" hreflang="{language}" href="{href}"/>'
    for url in entry.images:
        row += f"<image:image><image:loc>{_escape(url)}</image:loc></image:image>"
    return row + "</url>\n"


def _escape(url: str) -> str:
    """Escapes a URL for XML. It has no `<`, `>` or quotation marks, which are percent-encoded."""
    if "&" not in url and "'" not in url:
        return url
    return url.replace("&", "&amp;").replace("'", "&apos;")


def _text_row(entry: Entry) -> str:
    return f"{entry.loc}\n"


# The row of an entry in each of `FORMATS`. It is shorter than in XML.
_ROWS = {"text": _text_row}
