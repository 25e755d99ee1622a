"""The formats of sitemaps: XML with its extensions, and text (sitemaps.org/protocol.html). Pure."""

import re
from collections.abc import Iterable, Sequence

from ..config import Settings
from ..model import NO_VALUES, Entry
from ..protocol import MARK

_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_XHTML = "http://www.w3.org/1999/xhtml"
_IMAGE = "http://www.google.com/schemas/sitemap-image/1.1"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
# In an index of ours, what follows names sitemaps of other builds.
OTHERS = b"<!-- sitemaps of other tools -->\n"
# A text sitemap can have no mark of ours, so the main sitemap names the endings of ours.
_TEXT_MARK = "<!-- sitemapper wrote the text form too: {} -->\n"
_TEXT_ENDINGS = re.compile(_TEXT_MARK.strip().format("([^<>]*)").encode())
URLSET_END = b"</urlset>\n"
INDEX_END = b"</sitemapindex>\n"


def escape(text: str) -> str:
    """Escapes the five characters that the protocol requires as entities."""
    text = text.replace("&", "&amp;").replace("'", "&apos;").replace('"', "&quot;")
    return text.replace("<", "&lt;").replace(">", "&gt;")


def xml_row(entry: Entry) -> str:
    """The line of a URL in a sitemap: `<url><loc>…</loc><lastmod>…</lastmod></url>`."""
    loc = entry.loc
    if "&" in loc or "'" in loc:  # all other characters of XML are percent-encoded in URLs
        loc = escape(loc)
    row = f"<url><loc>{loc}</loc>"
    if entry.lastmod:
        row += f"<lastmod>{entry.lastmod}</lastmod>"
    if entry.values is not NO_VALUES:
        if entry.values.changefreq:
            row += f"<changefreq>{entry.values.changefreq}</changefreq>"
        if entry.values.priority:
            row += f"<priority>{entry.values.priority}</priority>"
    if entry.alternates or entry.images:
        from html import escape as attribute  # few sites have these elements

        for language, url in entry.alternates:
            href = attribute(url)
            row += f'<xhtml:link rel="alternate" hreflang="{language}" href="{href}"/>'
        for url in entry.images:
            row += f"<image:image><image:loc>{attribute(url)}</image:loc></image:image>"
    return row + "</url>\n"


def text_row(entry: Entry) -> str:
    """The line of a URL in a text sitemap."""
    return entry.loc + "\n"


def urlset_start(settings: Settings, endings: Iterable[str]) -> bytes:
    """All of a sitemap before its first URL. `endings` are those of our text sitemaps."""
    namespaces = ""
    if settings.hreflang:
        namespaces += f' xmlns:xhtml="{_XHTML}"'
    if settings.images:
        namespaces += f' xmlns:image="{_IMAGE}"'
    return _start("urlset", "sitemap.xsd", settings, namespaces, endings)


def index_of(
    ours: Sequence[tuple[str, str]],
    others: Sequence[tuple[str, str]],
    settings: Settings,
    endings: Iterable[str],
) -> bytes:
    """An index of sitemaps of this build and of others: (URL, newest date or "").

    `endings` are those of our text sitemaps, such as `-1.txt`.
    """
    parts = [_start("sitemapindex", "siteindex.xsd", settings, "", endings)]
    parts += map(_index_row, ours)
    if others:
        parts += [OTHERS, *map(_index_row, others)]
    return b"".join([*parts, INDEX_END])


def _index_row(sitemap: tuple[str, str]) -> bytes:
    url, newest = sitemap
    lastmod = f"<lastmod>{newest}</lastmod>" if newest else ""
    return f"<sitemap><loc>{escape(url)}</loc>{lastmod}</sitemap>\n".encode()


def _start(
    root: str, schema: str, settings: Settings, namespaces: str, endings: Iterable[str]
) -> bytes:
    attributes = f'xmlns="{_NAMESPACE}"{namespaces}'
    if settings.sitemap.schema_location:
        attributes += f' xmlns:xsi="{_XSI}"'
        attributes += f' xsi:schemaLocation="{_NAMESPACE} {_NAMESPACE}/{schema}"'
    start = f'<?xml version="1.0" encoding="UTF-8"?>\n{MARK.decode()}\n<{root} {attributes}>\n'
    joined = " ".join(endings)
    if joined:
        start += _TEXT_MARK.format(joined)
    return start.encode()


def text_endings(main: bytes) -> list[str]:
    """The endings of our text sitemaps, from the comment in the main sitemap: `.txt`, `-1.txt`."""
    match = _TEXT_ENDINGS.search(main)
    return match[1].decode("ascii", "replace").split() if match else []
