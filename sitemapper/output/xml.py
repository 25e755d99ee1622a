"""`<urlset>` and `<sitemapindex>` (docs/protocol.md §0), with the mark that makes a file ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..config.settings import Settings
from ..model import LastMod, Listed
from ..protocol import NAMESPACE, SITEMAPINDEX, URLSET, XSI_NAMESPACE
from . import extensions, text

DatedSitemap = tuple[str, LastMod | None]  # the URL of a sitemap and its newest date

MARK = b"<!-- sitemapper wrote this file; its next run will replace it -->"
# In an index, what follows is not ours.
OTHERS = b"<!-- sitemaps of other tools -->\n"
# A table of URLs and dates in a browser. So short that the root begins in the first 512 bytes.
VIEW = (
    b'<?xml-stylesheet type="text/css" href="data:text/css,urlset,sitemapindex{display:table;'
    b"font:1em%20sans-serif;color-scheme:light%20dark}url,sitemap{display:table-row}"
    b'loc,lastmod{display:table-cell;padding:4px%201em}changefreq,priority,image{display:none}"?>\n'
)
MOST_VIEWED = 5_000  # rows of a table that a browser shows at once
URLSET_TAIL = b"</urlset>\n"


def urlset_head(settings: Settings, urls: int) -> bytes:
    """What stands before so many entries of a sitemap."""
    spaces = "".join(extension.namespace for extension in extensions.wanted(settings))
    # Where there is no index, there is one text file, compressed as the settings say.
    packings = {"no": [".txt"], "also": [".txt", ".txt.gz"], "only": [".txt.gz"]}
    texts = packings[settings.sitemap.gzip] if settings.sitemap.text else ()
    return _head(URLSET, "sitemap.xsd", spaces, settings, urls) + text.mark(texts)


def _head(root: str, schema: str, spaces: str, settings: Settings, rows: int) -> bytes:
    located = f' xmlns:xsi="{XSI_NAMESPACE}" xsi:schemaLocation="{NAMESPACE} {NAMESPACE}/{schema}"'
    where = located if settings.sitemap.schema_location else ""
    view = VIEW if settings.sitemap.view and rows <= MOST_VIEWED else b""
    element = f'<{root} xmlns="{NAMESPACE}"{spaces}{where}>\n'.encode()
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + MARK + b"\n" + view + element


def escape(text: str) -> str:
    """The five characters that the protocol requires as entities."""
    text = text.replace("&", "&amp;").replace("'", "&apos;").replace('"', "&quot;")
    return text.replace("<", "&lt;").replace(">", "&gt;")


def render(entries: Sequence[Listed], dates: Sequence[LastMod | None]) -> list[str]:
    """One `<url>` element a line for each entry with its date."""
    locs: Iterable[str] = [entry.loc for entry in entries]
    # Percent-encoding leaves only these two of the five characters in a URL.
    joined = "".join(locs)
    if "&" in joined or "'" in joined:
        locs = map(escape, locs)
    return [
        f"<url><loc>{loc}</loc><lastmod>{lastmod[1]}</lastmod></url>\n"
        if lastmod and not (entry[3] or entry[4] or entry[5] or entry[6])
        else _full(loc, lastmod, entry)
        for loc, entry, lastmod in zip(locs, entries, dates, strict=True)
    ]


def _full(loc: str, lastmod: LastMod | None, entry: Listed) -> str:
    dated = f"<lastmod>{lastmod.text}</lastmod>" if lastmod else ""
    frequency = f"<changefreq>{entry.changefreq}</changefreq>" if entry.changefreq else ""
    priority = f"<priority>{entry.priority}</priority>" if entry.priority else ""
    more = extensions.render(entry) if entry.alternates or entry.images else ""
    return f"<url><loc>{loc}</loc>{dated}{frequency}{priority}{more}</url>\n"


def index(
    sitemaps: Iterable[DatedSitemap],
    others: Iterable[DatedSitemap],
    settings: Settings,
    texts: Iterable[str] = (),
) -> bytes:
    """The whole index file: the endings of our text files, our sitemaps, then those of other tools."""
    ours, more = list(map(_row, sitemaps)), list(map(_row, others))
    head = _head(SITEMAPINDEX, "siteindex.xsd", "", settings, len(ours) + len(more))
    return b"".join([head, text.mark(texts), *ours, *([OTHERS] if more else ()), *more, b"</sitemapindex>\n"])


def _row(sitemap: DatedSitemap) -> bytes:
    loc, newest = sitemap
    dated = f"<lastmod>{newest.text}</lastmod>" if newest else ""
    return f"<sitemap><loc>{escape(loc)}</loc>{dated}</sitemap>\n".encode()
