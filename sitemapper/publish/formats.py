"""The formats of sitemaps: XML with its extensions, and text (sitemaps.org/protocol.html)."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from .. import protocol
from ..model import LastMod, Listed
from ..read.sitemap import MARK, OTHERS
from ..site import Output

DatedSitemap = tuple[str, LastMod | None]  # the URL of a sitemap and its newest date

# A text sitemap is a list of URLs, so it cannot have a comment by which the next build would
# recognise it. A comment in the main sitemap, `sitemap.xml`, has the endings of the text sitemaps
# in its place: `-1.txt -2.txt` for `sitemap-1.txt` and `sitemap-2.txt`.
_TEXT_MARK = "<!-- sitemapper wrote the text form too: {} -->\n"
# Compiled when it is used.
_TEXT_ENDINGS = rb"<!-- sitemapper wrote the text form too: ([^<>]*) -->"


class Extension(NamedTuple):
    """An extension of the protocol.

    If it is switched off, nothing was read for it, so `render` gives no elements.
    """

    setting: str  # that switches it on: `images`
    namespace: str  # an attribute of the root: ` xmlns:image="…"`
    render: Callable[[Listed], str]  # the elements of an entry


def hreflang(entry: Listed) -> str:
    """Renders the language versions of a page as `xhtml:link` elements.

    For each version: `<xhtml:link rel="alternate" hreflang="de" href="https://a.example/de/a"/>`
    (Google, "Tell Google about localized versions of your page").
    """
    # Imported here: few sites have these elements, and html loads the names of all characters.
    import html

    return "".join(
        f'<xhtml:link rel="alternate" hreflang="{language}" href="{html.escape(url)}"/>'
        for language, url in entry.alternates
    )


def images(entry: Listed) -> str:
    """Renders the images in a page's main content as `image:image` elements.

    `<image:image><image:loc>https://a.example/a.png</image:loc></image:image>` for each image
    (Google, "Image sitemaps").
    """
    # Imported here: few sites list images, and html loads the names of all characters.
    import html

    locs = (f"<image:loc>{html.escape(url)}</image:loc>" for url in entry.images)
    return "".join(f"<image:image>{loc}</image:image>" for loc in locs)


EXTENSIONS = (
    Extension("hreflang", f' xmlns:xhtml="{protocol.XHTML_NAMESPACE}"', hreflang),
    Extension("images", f' xmlns:image="{protocol.IMAGE_NAMESPACE}"', images),
)


def _urlset_head(output: Output) -> bytes:
    """Writes the bytes of a sitemap before its entries: `<?xml …?>`, our mark, and `<urlset …>`.

    The root has the namespaces of the extensions that are switched on, such as images.

    If the site also has text sitemaps, a comment has their endings: `.txt`, `.txt.gz` or both. From
    this comment, later builds know which text files are ours.
    """
    namespaces = ""
    for extension in EXTENSIONS:
        if extension.setting in output.extensions:
            namespaces += extension.namespace
    text_endings: list[str] = []
    if output.options.text:
        endings_by_gzip = {"no": [".txt"], "also": [".txt", ".txt.gz"], "only": [".txt.gz"]}
        text_endings = endings_by_gzip[output.options.gzip]
    return _start_of_xml(protocol.URLSET, "sitemap.xsd", output, text_endings, namespaces)


def _start_of_xml(
    root: str,
    schema: str,
    output: Output,
    text_endings: Iterable[str],
    namespaces: str = "",
) -> bytes:
    """Writes the bytes of a sitemap or an index before its first entry.

        <?xml version="1.0" encoding="UTF-8"?>
        <!-- sitemapper wrote this file; its next run will replace it -->
        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        <!-- sitemapper wrote the text form too: .txt .txt.gz -->

    The second line is our mark, by which the next run recognises the file. The last line is there
    if `text_endings` are given. By them, the next run recognises our text sitemaps, which can have
    no mark themselves: `.txt` for `sitemap.txt` beside `sitemap.xml`.

    `root` is `urlset` or `sitemapindex`, and `schema` the file that describes it at sitemaps.org.
    `namespaces` are further attributes of the root.
    """
    space = protocol.NAMESPACE
    attributes = f'xmlns="{space}"{namespaces}'
    if output.options.schema_location:
        attributes += f' xmlns:xsi="{protocol.XSI_NAMESPACE}"'
        attributes += f' xsi:schemaLocation="{space} {space}/{schema}"'
    parts = [b'<?xml version="1.0" encoding="UTF-8"?>\n', MARK, b"\n"]
    parts.append(f"<{root} {attributes}>\n".encode())
    joined_endings = " ".join(text_endings)
    if joined_endings:
        parts.append(_TEXT_MARK.format(joined_endings).encode())
    return b"".join(parts)


def escape(text: str) -> str:
    """Escapes the five characters that the protocol requires as entities."""
    text = text.replace("&", "&amp;").replace("'", "&apos;").replace('"', "&quot;")
    return text.replace("<", "&lt;").replace(">", "&gt;")


def _render_xml(entries: Sequence[Listed], dates: Sequence[LastMod | None]) -> list[str]:
    """Renders each entry and its date as a line: `<url><loc>…</loc><lastmod>…</lastmod></url>`.

    Entries with other elements, such as images, get all of theirs.
    """
    locs: Iterable[str] = [entry.loc for entry in entries]
    # Of the five characters that XML escapes (& ' " < >), a URL contains only these two, because
    # the others are percent-encoded.
    joined = "".join(locs)
    if "&" in joined or "'" in joined:
        locs = map(escape, locs)
    # Fields are read by their index, which is faster than by name, because this runs for each page.
    # lastmod[1] is the text of a date. entry[3] to entry[6] are the fields that few entries have:
    # changefreq, priority, alternates and images.
    return [
        f"<url><loc>{loc}</loc><lastmod>{lastmod[1]}</lastmod></url>\n"
        if lastmod and not (entry[3] or entry[4] or entry[5] or entry[6])
        else _render_all_elements(loc, lastmod, entry)
        for loc, entry, lastmod in zip(locs, entries, dates, strict=True)
    ]


def _render_all_elements(loc: str, lastmod: LastMod | None, entry: Listed) -> str:
    """Renders an entry as a line with every element that it has, in the order of the schema.

    That order is loc, lastmod, changefreq, priority, and then extensions. `loc` is escaped already.
    """
    elements = f"<loc>{loc}</loc>"
    if lastmod:
        elements += f"<lastmod>{lastmod.text}</lastmod>"
    if entry.changefreq:
        elements += f"<changefreq>{entry.changefreq}</changefreq>"
    if entry.priority:
        elements += f"<priority>{entry.priority}</priority>"
    if entry.alternates or entry.images:
        elements += "".join(extension.render(entry) for extension in EXTENSIONS)
    return f"<url>{elements}</url>\n"


def index(
    ours: Sequence[DatedSitemap],
    others: Sequence[DatedSitemap],
    output: Output,
    text_endings: Iterable[str],
) -> bytes:
    """Writes the index: a row for each of our sitemaps, then for those of other tools.

    Each sitemap is given by its URL and newest date. A comment before those of other tools tells
    later runs that the rows after it are not ours. `text_endings` are the endings of our text
    sitemaps, such as `.txt`. They get no row, and are named in a comment.
    """
    head = _start_of_xml(protocol.SITEMAPINDEX, "siteindex.xsd", output, text_endings)
    parts = [head, *map(_index_row, ours)]
    if others:
        parts += [OTHERS, *map(_index_row, others)]
    return b"".join([*parts, b"</sitemapindex>\n"])


def _index_row(sitemap: DatedSitemap) -> bytes:
    """Writes the line of the index for a sitemap, with its newest date if it has one.

    `<sitemap><loc>https://a.example/sitemap-1.xml</loc><lastmod>2026-03-01</lastmod></sitemap>`
    """
    loc, newest = sitemap
    lastmod = f"<lastmod>{newest.text}</lastmod>" if newest else ""
    return f"<sitemap><loc>{escape(loc)}</loc>{lastmod}</sitemap>\n".encode()


def _no_head(_output: Output) -> bytes:
    """Returns no bytes, because a text sitemap has nothing before its first URL.

    This function has the parameter of `_urlset_head`, because a format names one of the two. It is
    no lambda, because a lambda cannot be sent to worker processes.
    """
    return b""


def _render_text(entries: Sequence[Listed], _dates: Sequence[LastMod | None]) -> list[str]:
    """Renders each entry as a line with its URL, without its date."""
    return [entry.loc + "\n" for entry in entries]


def marked_endings(sitemap: bytes) -> list[str]:
    """Reads which text sitemaps are ours from a comment in the main sitemap, as their endings.

    `<!-- sitemapper wrote the text form too: .txt .txt.gz -->` → `.txt`, `.txt.gz`. Empty without
    this comment.
    """
    match = re.search(_TEXT_ENDINGS, sitemap)
    if match is None:
        return []
    return match[1].decode("ascii", "replace").split()


class Format(NamedTuple):
    """A format of sitemaps."""

    extension: str
    mark: bytes  # shows that a file is ours; without one, the main sitemap names our files
    setting: str  # the key of `[sitemap]` that switches it on, "" for none
    head: Callable[[Output], bytes]  # the beginning of a file
    tail: bytes
    render: Callable[[Sequence[Listed], Sequence[LastMod | None]], list[str]]  # a line an entry
    indexed: bool  # whether the index names it; then it may have sections


ALL = (
    Format("xml", MARK, "", _urlset_head, b"</urlset>\n", _render_xml, indexed=True),
    Format("txt", b"", "text", _no_head, b"", _render_text, indexed=False),
)


def enabled(output: Output) -> tuple[Format, ...]:
    """Lists the formats to write: XML always, and text if the setting `text` is on."""
    written = []
    for file_format in ALL:
        is_on = not file_format.setting or getattr(output.options, file_format.setting)
        if is_on:
            written.append(file_format)
    return tuple(written)


def by_extension(extension: str) -> Format:
    """Finds the format whose files have this extension, `xml` or `txt`."""
    return next(file_format for file_format in ALL if file_format.extension == extension)
