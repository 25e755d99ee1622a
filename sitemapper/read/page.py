"""What one page says: its bytes to `Facts`. Nothing here raises, whatever the bytes are."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ..files import ancestors, open_regular, site_file
from ..model import NO_FACTS, Facts, Found, OwnUrl, Page
from ..syntax.urls import PAGE_ENDINGS, own_url, resolve
from .html import Attributes, Tags, all_tags, parse, read_tags, value

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

# Bytes that are read of a page: the default of Google's crawlers (Search Central, "Googlebot").
SIZE_LIMIT = 15 * 1024 * 1024
_HTML_ENDINGS = (*PAGE_ENDINGS, ".shtml", ".php")
_OG_URL = 'head meta[property="og:url"]'
_AGENTS = ("robots", "googlebot")  # of metas that count for a general sitemap
_MAY_EXCLUDE = re.compile(r"noindex|none|unavailable_after", re.IGNORECASE)
# Google ignores canonicals with one of these attributes.
_VARIANT = frozenset(("hreflang", "lang", "media", "type"))
_REFRESH = re.compile(
    r"""(?isx)
    \s*+ (?P<seconds>\d*+) [\d.]*+   # seconds, whose fraction does not count
    (?: \s*+ [;,] | (?<=\s) | \s )   # what separates them from the URL
    \s*+ (?: url \s*+ = \s*+ )?+
    (?P<quote>['"])? (?P<url> (?(quote) (?: (?!(?P=quote)) . )* | .* ) )  # up to the second quote
    """
)
# A page that refreshes after so long shows something meanwhile, such as news, and loads it again. A
# redirect is faster.
_MIN_SECONDS_OF_RELOAD = 300
# What states the last change of a page, beside JSON-LD.
_DATED = (
    'meta[property="article:modified_time" i]',
    'meta[name="last-modified" i]',
    'meta[name="dcterms.modified" i]',
    'meta[name="date" i]',
    'time[itemprop~="dateModified"]',
)

_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*[{\[]")
# Copies of WordPress and Ghost have feeds in `feed/index.html`, and other XML for programs.
_XML = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<\?xml .*?\?>|<\?xml-stylesheet .*?\?>|<!--.*?-->)*+"
    rb"<(?:rss|feed|rdf:rdf|rsd|oembed)[\s>]",
    re.IGNORECASE | re.DOTALL,
)


# What a whole page has, and a template that fills a part of one lacks.
_DOCUMENT = re.compile(rb"<(?:!doctype|html|head|title)\b", re.IGNORECASE)


class Options(NamedTuple):
    """Which facts are read of each page. With none of them, no page is opened."""

    signals: bool = False  # robots, refresh, base, kind, og:url of the home page
    canonical: bool = False
    alternates: bool = False
    date: bool = False
    text: bool = False  # title, h1 and the length of the text
    images: bool = False
    digest: bool = False
    drop: tuple[str, ...] = ()  # CSS selectors of what is not in the digest


def wanted(found: Found, *, has_sources: bool = False) -> Options:
    """Chooses the facts that a build needs from pages, by the settings of the site.

    It asks for no more, because reading takes most of the time. `has_sources` says that a plugin of
    a generator knows the source files of pages.
    """
    settings = found.config.settings
    date_sources = set(settings.lastmod)
    # Otherwise, the canonicals of pages show the base URL and the form of URLs.
    has_known_urls = settings.base_url is not None and settings.url_style != "auto"
    respect = settings.respect
    respects_pages = respect.noindex or respect.canonical or respect.refresh
    # The text shows which file is the source of a page, or that it shows more than its sources.
    top = ancestors(found.project.folder if found.project else found.folder)[-1]
    has_git = os.path.exists(os.path.join(top, ".git"))
    needs_source = not date_sources.isdisjoint(("auto", "published", "front_matter", "git"))
    return Options(
        signals=respects_pages or not has_known_urls,
        canonical=respect.canonical or not has_known_urls,
        alternates=settings.hreflang,
        date="page" in date_sources,
        text=(has_git or has_sources) and needs_source,
        images=settings.images,
        digest=found.ledger is not None,
        drop=settings.ledger.drop,
    )


def read_pages(folder: str, options: Options, pages: Sequence[Page]) -> list[Facts]:
    """Reads what `options` ask for from some pages of the site in `folder`, in their order.

    A page that cannot be read has only the fact `error`.
    """
    facts_of_pages: list[Facts] = []
    # Many pages say the same, mostly nothing. Of equal facts, only the first ones are kept, so that
    # memory has them once.
    first_equal = {NO_FACTS: NO_FACTS}
    for page in pages:
        is_html = _is_html(page.path)
        if not is_html and not options.digest:  # such as a PDF, which says nothing
            facts_of_pages.append(NO_FACTS)
            continue
        try:
            data, mtime = _read(folder, page.path)
        except OSError as error:
            facts_of_pages.append(Facts(error=error.strerror or type(error).__name__))
            continue
        if is_html:
            facts = facts_of(page.path, data, options)
        else:
            from .content import digest_bytes  # most runs make no digests

            facts = Facts(digest=digest_bytes(data, options.drop))
        # The file was written again after the walk, whose time must not date this content. The next
        # run makes the digest, and finds the page changed.
        if options.digest and mtime != page.mtime:
            facts = facts._replace(digest=None)
        facts_of_pages.append(first_equal.setdefault(facts, facts))
    return facts_of_pages


def _read(folder: str, path: str) -> tuple[bytes, int]:
    """Reads the first `SIZE_LIMIT` bytes of a file of the site, and its time in nanoseconds.

    Raises OSError, also if the file became a pipe or a device since the walk.
    """
    with open_regular(site_file(folder, path)) as file:
        return file.read(SIZE_LIMIT), os.fstat(file.fileno()).st_mtime_ns


def _is_html(path: str) -> bool:
    """Whether servers show a file as HTML: `a.html`, `a.php`, and `a` without an ending."""
    return path.lower().endswith(_HTML_ENDINGS) or "." not in path.rpartition("/")[2]


def facts_of(path: str, data: bytes, options: Options) -> Facts:
    """Reads what `options` ask for from the bytes of an HTML page.

    The whole page is parsed only if its head is not enough. A file that is no page, such as JSON,
    has only the fact `kind`.
    """
    kind = _kind_of(data)
    if kind is not None:
        return Facts(kind=kind)
    wants_content = options.text or options.digest or options.images
    is_home = path == "index.html"  # of which `og:url` is wanted, which `read_tags` does not read
    if not (wants_content or options.date or is_home):
        return _facts_of_tags(path, read_tags(data), options)

    tree = parse(data)
    facts = _facts_of_tags(path, all_tags(tree), options)
    meta = tree.css_first(_OG_URL) if is_home else None
    if meta:
        facts = facts._replace(og_url=value(meta.attributes, "content"))
    if options.date:
        facts = facts._replace(date=_read_date(tree))
    if not wants_content:
        return facts

    # Imported here: most runs read no content.
    from . import content

    # The main part comes last, because nodes are removed from the tree.
    title = content.title_of(tree)
    structured = content.structured_data(tree) if options.digest else []
    first_heading = content.text_of(tree.css_first("h1"))
    main = content.main_part(tree, path)
    if options.images:
        facts = facts._replace(images=content.read_images(main))
    if options.text:
        # A theme may have the heading of a page outside of the main part.
        heading = content.text_of(main.css_first("h1")) or first_heading
        length = len(content.text_of(main).encode("utf-8", "replace"))
        facts = facts._replace(title=title, h1=heading, text_length=length)
    if options.digest:
        digest = content.digest_page(title, structured, main, options.drop)
        facts = facts._replace(digest=digest)
    return facts


def _kind_of(data: bytes) -> str | None:
    """Says what a file is if it is no page: "an empty file", "JSON"; None for a page."""
    if not data or data.isspace():
        return "an empty file"
    if _XML.match(data, 0, 4096):
        return "a feed or other XML"
    if _JSON.match(data):
        with suppress(ValueError, RecursionError):  # else it only begins like JSON
            json.loads(data)
            return "JSON"
    # MkDocs copies the templates of a theme that lies among the pages, as at starlette.io.
    if b"{%" in data and _DOCUMENT.search(data) is None:
        return "a template"
    return None


def _facts_of_tags(path: str, tags: Tags, options: Options) -> Facts:
    """Makes facts of the tags of the page at `path`: of those that decide how it is listed.

    These facts are canonical, robots, refresh, base and alternates.
    """
    # Only metas such as `noindex` are kept, so that the facts of most pages are equal.
    robots: list[tuple[str, str]] = []
    for meta in tags.metas:
        name = value(meta, "name")
        text = value(meta, "content")
        if name.lower() in _AGENTS and _MAY_EXCLUDE.search(text):
            robots.append((name, text))
    base_urls = [value(base, "href") for base in tags.bases]
    return Facts(
        canonical=_read_canonical(path, tags.links) if options.canonical else None,
        robots=tuple(robots),
        refresh=_read_refresh(tags),
        base=next(filter(None, base_urls), None),  # the first one that is not empty counts
        alternates=tuple(_read_alternates(tags.links)) if options.alternates else (),
    )


def _read_canonical(path: str, links: Iterable[Attributes]) -> OwnUrl | str | None:
    """Reads the canonical of the page at `path`; None if there is none.

    An absolute URL that ends in the page's own path is split into base URL and form. Any other one
    is returned as it is written.
    """
    hrefs: set[str] = set()
    for link in links:
        if "canonical" in value(link, "rel").lower().split() and _VARIANT.isdisjoint(link):
            hrefs.add(value(link, "href"))
    hrefs.discard("")
    if len(hrefs) != 1:  # of two that differ, Google ignores both
        return None

    [href] = hrefs
    url = resolve(href, "")  # None for a relative one, as the base URL is not known yet
    own = own_url(path, url) if url else None
    if own is None:
        return href
    return _shared(own)


def _read_refresh(tags: Tags) -> str | None:
    """Reads the URL to which a page redirects by its meta refresh, None if it does not redirect."""
    for meta in tags.head_metas:
        target = _refresh_target(meta)
        if target:
            return target
    # Javadoc and Zola redirect by a script, and by a refresh in `noscript` for all others. If no
    # script has the URL, the page may be an app that says how to allow scripts.
    for meta in tags.noscript:
        target = _refresh_target(meta)
        if target and target in tags.scripts:
            return target
    return None


def _refresh_target(meta: Attributes) -> str:
    """The URL in the content of a meta refresh: `0; url='/tea/'` → `/tea/`, "" without one."""
    if value(meta, "http-equiv").lower() != "refresh":
        return ""
    match = _REFRESH.match(value(meta, "content"))
    if match is None:
        return ""
    seconds = int(match["seconds"][:9] or 0)  # `int` refuses thousands of digits
    if seconds >= _MIN_SECONDS_OF_RELOAD:
        return ""
    return match["url"].strip()


def _read_alternates(links: Iterable[Attributes]) -> Iterator[tuple[str, str]]:
    """Yields language and URL of each `<link rel="alternate" hreflang="de" href="/de/">`."""
    for link in links:
        language = value(link, "hreflang")
        if not language or "alternate" not in value(link, "rel").lower().split():
            continue
        # Feeds may have a language, too. A link without a type leads to a page.
        is_page = "type" not in link or "html" in value(link, "type").lower()
        href = value(link, "href")
        if is_page and href:
            yield language, href


@lru_cache(maxsize=64)
def _shared(url: OwnUrl) -> OwnUrl:
    """Returns the first of equal values: the cache keeps it, so memory has it once."""
    return url


def _read_date(tree: LexborHTMLParser) -> str | None:
    """Reads the date of the last change that a page states, as it is written; None without one.

    JSON-LD is the first choice, then the tags of `_DATED` in their order.
    """
    for script in tree.css('script[type="application/ld+json"]'):
        for date in _dates_in_json(script.text()):
            return date  # the first one counts
    for selector in _DATED:
        for element in tree.css(selector):
            attributes = element.attributes
            date = attributes.get("content") or attributes.get("datetime") or element.text()
            if date.strip():
                return date.strip()
    return None


def _dates_in_json(text: str) -> Iterator[str]:
    """Yields the values of `dateModified` in a script of JSON-LD.

    Only an object at the top counts, or one in an array or a `@graph` there: objects inside of it
    may have the date of a comment.
    """
    try:
        pending = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while pending:
        node = pending.pop(0)
        if isinstance(node, list):
            pending += node  # the elements of an array
        elif isinstance(node, dict):
            pending.append(node.get("@graph"))
            date = node.get("dateModified")
            if isinstance(date, str):
                yield date.strip()


def links_of(folder: str, path: str) -> tuple[str, ...]:
    """Lists the URLs in the links of a page, as they are written: `../tea/`.

    A page that cannot be read has none.
    """
    try:
        data, _ = _read(folder, path)
    except OSError:
        return ()
    links = parse(data).css("a[href]")
    return tuple(value(link.attributes, "href") for link in links)
