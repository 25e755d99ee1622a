"""The URLs in the first pages of a site: those in their heads, and those of their links."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from ..messages import Kind, Message
from ..model import Page
from ..read import server, walk
from ..site import Output
from ..syntax import urls
from ..syntax.html import unescaped
from .first_look import FirstLook, PageStart

_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_CANONICAL = re.compile(
    rb"""(?ix)
    <link\s
    (?= [^<>]* \brel=["']?canonical )      # rel="canonical", anywhere in the tag
    [^<>]* \bhref=["']? ([^"'\s<>]+)       # href="/a/"
    """
)
_OG_URL = re.compile(
    rb"""(?ix)
    <meta\s
    (?= [^<>]* \bproperty=["']?og:url["'\s] )   # property="og:url", anywhere in the tag
    [^<>]* \bcontent=["']? ([^"'\s<>]+)         # content="https://a.example/"
    """
)
_SITEMAP = re.compile(
    rb"""(?ix)
    <link\s
    (?= [^<>]* \brel=["']?sitemap["'\s/>] )     # rel="sitemap", anywhere in the tag
    [^<>]* \bhref=["']? ([^"'\s<>]+)            # href="/sitemap.xml"
    """
)
# `<meta http-equiv="refresh" …>`. Compiled when it is used.
_REFRESH = rb"""(?i)<meta\s[^<>]*http-equiv=["']?refresh"""
# No parser, because comments and scripts rarely contain enough links to decide. Compiled when it is
# used.
_LINK = rb"""(?ix)
    <a\s (?: [^<>]*? \s )?                  # <a class="b"
    href \s* = \s* ["']?                     # href="
    ( [^"'\s<>\#?] [^"'\s<>]* )             # ../b/, but not #part or ?query of the same page
"""
FEW = 10  # links of a page that count, so that no page with hundreds of them decides alone


class PageUrl(NamedTuple):
    """The path of a page in the site, and the absolute URL in its head, such as its canonical."""

    path: str
    url: str

    @property
    def base_url(self) -> str:
        """The base URL at which the page would have this URL, in any URL form.

        `docs/a.html` and `https://a.example/docs/a/` → `https://a.example/`. "" if the URL is that
        of another page, such as `https://a.example/b`.
        """
        if "?" in self.url:
            return ""
        at_root = urls.Locator("/", "directory")
        for served_path in at_root.served_paths(self.path):
            end_of_url = at_root.encoded(served_path)  # begins with a slash
            if self.url.endswith(end_of_url):
                return self.url.removesuffix(end_of_url) + "/"
        # The URL of a home page may be `https://a.example/docs`: its server adds the slash.
        last_part = self.url.rpartition("/")[2]
        if self.path in urls.INDEXES and "." not in last_part:
            return f"{self.url}/"
        return ""


def list_canonicals(starts: Iterable[PageStart], base_url: str) -> Iterator[PageUrl]:
    """The canonicals of pages, as absolute URLs; relative ones are resolved at `base_url`.

    Pages that redirect by a meta refresh are left out: their canonical is that of the target.
    """
    for path, data in starts:
        canonical = canonical_of(data)
        if not canonical or re.search(_REFRESH, data):
            continue
        url = urls.resolve(canonical, base_url + path)
        if url:
            yield PageUrl(path, url)


def find_og_url(home: PageStart, base_url: str) -> PageUrl | None:
    """The `og:url` of the home page as an absolute URL (ogp.me), None if it has none."""
    text = _url_of(_OG_URL, home.data)
    url = urls.resolve(text, base_url + home.path) if text else None
    return PageUrl(home.path, url) if url else None


def canonical_of(start: bytes) -> str:
    """The canonical in the first bytes of a page, as it is written there; "" if there is none."""
    # No parser, so that a run with a full cache does not load one.
    return _url_of(_CANONICAL, start)


def sitemap_link_of(start: bytes) -> str:
    """The target of `<link rel="sitemap">` in the first bytes of a page, "" if there is none."""
    return _url_of(_SITEMAP, start)


def _url_of(pattern: re.Pattern[bytes], start: bytes) -> str:
    """The URL that a pattern finds in a page outside of comments, "" if it finds none."""
    match = pattern.search(_COMMENT.sub(b"", start))
    if match is None:
        return ""
    return unescaped(match[1].decode("utf-8", "replace"))


class UrlPath(NamedTuple):
    """A file of the site, and the path of a URL that shows it: `a/index.html` and `a/`."""

    file: str
    path: str


class FirstPages(NamedTuple):
    """Reads the URLs in pages of a site that is at a base URL.

    `follows_canonicals` is the key `[respect] canonical`. `former_base` is a base URL that the host
    redirects to this one.
    """

    root: walk.SiteRoot
    base_url: str
    first_look: FirstLook
    follows_canonicals: bool = True
    former_base: str = ""

    def starts(self, pages: Iterable[Page]) -> Iterator[PageStart]:
        """The pages with their first bytes."""
        for page in pages:
            yield self.first_look.page(self.root, page)

    def path_of(self, reference: str, page: str) -> str | None:
        """The path below the base URL to which a reference in a page leads, None if it is outside.

        In `a/b.html`, `../c/#d` leads to `c/`.
        """
        url = urls.resolve(reference, self.base_url + page)
        if not url:
            return None
        url = urls.moved_url(url, self.former_base, self.base_url)
        return urls.relative_path(url, self.base_url)

    def own_canonicals(self, pages: Iterable[Page]) -> Iterator[UrlPath]:
        """The pages whose canonical is their own URL, with the path of the canonical.

        `b.html` with the canonical `https://a.example/b` → `b.html` and `b`. Pages without a
        canonical, or with that of another page, are left out. So are all if canonicals are not
        followed.
        """
        if not self.follows_canonicals:
            return
        for page, data in self.starts(pages):
            canonical = canonical_of(data)
            url_path = self.path_of(canonical, page) if canonical else None
            if url_path is not None and server.file_for_url_path(self.root, url_path) == page:
                yield UrlPath(page, url_path)

    def links(
        self, pages: Iterable[Page], most: int = 0, *, only_showing_style: bool = False
    ) -> Iterator[UrlPath]:
        """The files of the site to which pages link, and the paths in the links.

        Each link counts once a page, and at most `most` links of a page count (0: all). With
        `only_showing_style`, only links that show the server's URL forms do.
        """

        # Pages share most of their links, and finding a file costs a system call.
        @cache
        def find_wanted(target: str, folder: str) -> UrlPath | None:
            """The link in a page of the folder, None if it leads to no file or is not wanted."""
            path = self.path_of(target, folder)
            if path is None:
                return None
            file = server.file_for_url_path(self.root, path)
            if file is None:
                return None
            link = UrlPath(file, path)
            return None if only_showing_style and not _shows_style(link) else link

        for path, data in self.starts(pages):
            folder = path[: path.rfind("/") + 1]
            seen: set[UrlPath] = set()
            for match in re.finditer(_LINK, data):
                target = match[1].decode("utf-8", "replace").partition("#")[0]
                if not target:
                    continue
                # For links from the root, one entry of the cache serves all folders.
                is_from_root = target.startswith("/")
                link = find_wanted(target, "" if is_from_root else folder)
                if link is None or link in seen:
                    continue
                seen.add(link)
                yield link
                if len(seen) == most:
                    break


def _shows_style(link: UrlPath) -> bool:
    """Whether a link shows in which URL form the server shows pages.

    | link to | with the path | shows it |
    |---|---|---|
    | `b.html` | any, such as `b` or `b.html` | yes |
    | `a/index.html` | `a/` | yes |
    | `a/index.html` | `a` or `a/index.html` | no: most servers show the page at `a/` as well |
    | the home page | "" | no: it has the same URL in all of them |
    """
    if not link.path:
        return False
    folder = urls.folder_of(link.file)
    if folder is None:
        return link.file.endswith(".html")
    return link.path == folder


# --- the sitemap to which pages link by `<link rel="sitemap">`


def note_other_sitemap(
    pages: Sequence[Page], reader: FirstPages, output: Output, *, is_name_set: bool
) -> Iterator[Message]:
    """The note about the first page that links to another sitemap of this site, if there is one.

    `<link rel="sitemap" href="/sitemap-index.xml">` is one if the build writes sitemap.xml. With
    `is_name_set`, the settings give the name of our sitemap. A linked file that is there is then
    that of another tool, on purpose.
    """
    own_path = reader.path_of(output.sitemap_url, "")
    for page, start in reader.starts(pages):
        link = sitemap_link_of(start)
        linked_path = reader.path_of(link, page) if link else None
        if not linked_path or linked_path.removesuffix(".gz") == own_path:
            continue
        if _is_kept(linked_path, reader, output, is_name_set=is_name_set):
            continue
        advice = 'correct <link rel="sitemap">'
        is_beside_pages = output.folder == reader.root.root and "/" not in linked_path
        if is_beside_pages and linked_path.endswith(".xml"):  # only such a name can be set
            advice = f'set name = "{linked_path}" under [sitemap], or {advice}'
        yield Message(Kind.LINKED_SITEMAP, (page, linked_path, output.name), help=advice)
        return


def _is_kept(path: str, reader: FirstPages, output: Output, *, is_name_set: bool) -> bool:
    """Whether a linked sitemap is one of another tool, which the site keeps beside ours.

    It is if `[sitemap] others` lists it, or if it is there and our sitemap has a name of its own.
    """
    if path in output.options.others:
        return True
    return is_name_set and os.path.isfile(reader.root.file(path))
