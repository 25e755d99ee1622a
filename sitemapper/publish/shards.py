"""Cuts the entries into sitemaps within the limits of the protocol, and names their files. Pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple
from zlib import crc32

from ..config import Settings
from ..errors import SitemapperError
from ..model import Entry
from ..protocol import MAX_URLS
from ..syntax.dates import moment
from . import formats

# URLs of a shard of the strategy `stable`: the least, and what follows it in the mean.
_STABLE_LEAST = 1_000
_STABLE_MEAN = 15_000


class SitemapFile(NamedTuple):
    """A file to publish, not compressed. An index has no entries."""

    name: str
    data: bytes
    entries: Sequence[Entry] | None = None
    is_text: bool = False


class _Part(NamedTuple):
    """Entries for one file, with their rendered rows."""

    entries: Sequence[Entry]
    rows: bytes
    ending: str = "-1"  # behind the stem, if the file is one of several


def sitemap_files(
    entries: Sequence[Entry],
    settings: Settings,
    name: str,
    base_url: str,
    others: Sequence[tuple[str, str]] = (),
) -> Iterator[SitemapFile]:
    """Yields the files in the order in which they are published, one rendered at a time.

    First the sitemaps that an index names, then the main one (`name`), then text sitemaps. `others`
    are sitemaps of other builds for the index, (URL, newest date). Raises SitemapperError if
    there are too many, or if `max_bytes` is too small for an entry.
    """
    stem = name.removesuffix(".xml")
    options = settings.sitemap
    start = formats.urlset_start(settings, names_of(".txt", options.gzip) if options.text else ())
    parts = _xml_parts(entries, settings, len(start))
    first_two = [*islice(parts, 2)] or [_Part((), b"")]
    has_index = bool(others) or options.index == "always" or options.gzip == "only"
    has_index = has_index or len(first_two) > 1
    indexed: list[tuple[str, str]] = []
    for part in chain(first_two, parts):
        shard = f"{stem}{part.ending}.xml" if has_index else name
        yield SitemapFile(shard, start + part.rows + formats.URLSET_END, part.entries)
        url = base_url + names_of(shard, options.gzip)[0]
        indexed.append((url, newest(entry.lastmod for entry in part.entries)))
    number = len(indexed) + len(others)
    if number > MAX_URLS:
        raise SitemapperError(
            f"the site needs {number:,} sitemaps, and an index may list {MAX_URLS:,}",
            "raise max_urls and max_bytes, or build parts of the site under their own base URLs",
        )
    texts: list[SitemapFile] = []
    if options.text:
        text_parts = list(_cut(entries, formats.text_row, settings, options.max_bytes))
        for part in text_parts or [_Part((), b"")]:
            ending = part.ending if len(text_parts) > 1 else ""
            texts.append(SitemapFile(f"{stem}{ending}.txt", part.rows, part.entries, is_text=True))
    if has_index:
        names = [name for text in texts for name in names_of(text.name, options.gzip)]
        endings = [name.removeprefix(stem) for name in names]
        yield SitemapFile(name, formats.index_of(indexed, others, settings, endings))
    yield from texts


def names_of(name: str, gzip: str, *, is_index: bool = False) -> list[str]:
    """The names under which a file is written: plain, packed, or both. An index stays plain."""
    if gzip == "no" or (gzip == "only" and is_index):
        return [name]
    return [f"{name}.gz"] if gzip == "only" else [name, f"{name}.gz"]


def newest(dates: Iterable[str | None]) -> str:
    """The newest of some dates in W3C Datetime, "" without one."""
    texts = {date for date in dates if date}
    if all(len(date) == 25 and date.endswith("+00:00") for date in texts):
        return max(texts, default="")  # texts of one form sort as their moments
    return max(texts, key=lambda date: (moment(date) or 0, date))


def _xml_parts(entries: Sequence[Entry], settings: Settings, start: int) -> Iterator[_Part]:
    """Cuts the pages in no section, then those of each section in its order."""
    room = settings.sitemap.max_bytes - start - len(formats.URLSET_END)
    is_stable = settings.sitemap.strategy == "stable"
    for section in dict.fromkeys(["", *(section.name for section in settings.sitemaps)]):
        chosen = [entry for entry in entries if entry.values.section == section]
        for part in _cut(chosen, formats.xml_row, settings, room, is_stable=is_stable):
            ending = part.ending
            if section and ending == "-1":  # the first one is only `sitemap-blog.xml`
                ending = ""
            yield part._replace(ending=f"-{section}{ending}" if section else ending)


def _cut(
    entries: Sequence[Entry],
    render: Callable[[Entry], str],
    settings: Settings,
    room: int,
    *,
    is_stable: bool = False,
) -> Iterator[_Part]:
    """Cuts entries where the next one exceeds `max_urls` or the room for rows, in bytes.

    With `stable`, also before URLs that their hashes choose, so that a new page changes only one
    part, which its first URL names.
    """
    rows: list[bytes] = []
    start = size = number = 0
    for index, entry in enumerate([*entries, None]):
        row = render(entry).encode() if entry else b""
        is_end = entry is None or len(rows) == settings.sitemap.max_urls or size + len(row) > room
        if is_stable and entry and len(rows) >= _STABLE_LEAST:
            is_end = is_end or crc32(entry.loc.encode()) % _STABLE_MEAN == 0
        if rows and is_end:
            number += 1
            ending = f"-{_key(entries[start].loc) if is_stable else number}"
            yield _Part(entries[start:index], b"".join(rows), ending)
            start, size, rows = index, 0, []
        if len(row) > room:
            what = f"max_bytes leaves {max(room, 0)} bytes, too few for one URL"
            raise SitemapperError(what, "raise it")
        rows.append(row)
        size += len(row)


def _key(loc: str) -> str:
    from hashlib import blake2b  # loads OpenSSL

    return blake2b(loc.encode(), digest_size=6).hexdigest()
