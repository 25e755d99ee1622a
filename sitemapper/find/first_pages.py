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
        """Finds the base URL of the site by removing the page's path from the end of the URL.

        For the page `docs/a.html`:

        | URL | base URL |
        |---|---|
        | `https://a.example/docs/a.html` | `https://a.example/` |
        | `https://a.example/docs/a/`, as all URL forms count | `https://a.example/` |
        | `https://a.example/b`, which is another page's | "" |
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
    """Yields each page that has a canonical, with the canonical as an absolute URL.

    `a.html` with `<link rel="canonical" href="/a/">` → `a.html` and `https://a.example/a/`, if
    `base_url` is `https://a.example/`. Pages that redirect by a meta refresh are left out, since
    their canonical is that of the target.
    """
    for path, data in starts:
        canonical = canonical_of(data)
        if not canonical or re.search(_REFRESH, data):
            continue
        url = urls.resolve(canonical, base_url + path)
        if url:
            yield PageUrl(path, url)


def find_og_url(home: PageStart, base_url: str) -> PageUrl | None:
    """Finds the `og:url` (ogp.me) of the home page as an absolute URL, None if it has none.

    `<meta property="og:url" content="/docs/">` → `https://a.example/docs/`.
    """
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
    """Finds a URL by the first group of a pattern, outside of HTML comments; "" if there is none.

    `href="/a?b&amp;c"` → `/a?b&c`.
    """
    match = pattern.search(_COMMENT.sub(b"", start))
    if match is None:
        return ""
    return unescaped(match[1].decode("utf-8", "replace"))


class UrlPath(NamedTuple):
    """A file of the site, and the path of a URL that shows it: `a/index.html` and `a/`."""

    file: str
    path: str


class FirstPages(NamedTuple):
    """Reads the canonicals and links of a site's first pages, as paths below its base URL.

    `follows_canonicals` is the key `[respect] canonical`: without it, no canonical is read.
    `former_base` is a base URL that the host redirects to this one, so its URLs count as ours; ""
    for none.
    """

    root: walk.SiteRoot
    base_url: str
    first_look: FirstLook
    follows_canonicals: bool = True
    former_base: str = ""

    def starts(self, pages: Iterable[Page]) -> Iterator[PageStart]:
        """Yields the path of each page and its first bytes."""
        for page in pages:
            yield self.first_look.page(self.root, page)

    def path_of(self, reference: str, page: str) -> str | None:
        """Resolves a URL in a page to a path below the base URL, None if it leads elsewhere.

        | page | reference | result |
        |---|---|---|
        | `a/b.html` | `../c/#d` | `c/` |
        | `a/b.html` | `https://other.example/` | None |

        `page` may also be a folder such as `a/`, or "" for the base URL.
        """
        url = urls.resolve(reference, self.base_url + page)
        if not url:
            return None
        url = urls.moved_url(url, self.former_base, self.base_url)
        return urls.relative_path(url, self.base_url)

    def own_canonicals(self, pages: Iterable[Page]) -> Iterator[UrlPath]:
        """Yields the pages whose canonical is their own URL, with the path of the canonical.

        `b.html` with the canonical `https://a.example/b` → `b.html` and `b`, which shows that the
        site leaves `.html` out of its URLs. Pages without a canonical, or with that of another
        page, are left out. Nothing is yielded if canonicals are not followed.
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
        """Yields the links in pages that lead to files of the site: each file, and the link's path.

        `<a href="../c/">` in `a/b.html` → `c/index.html` and `c/`. Each link counts once a page,
        and at most `most` links of a page count (0: all). With `only_showing_style`, only those
        links count that show in which form the server has its URLs.
        """

        # Pages share most of their links, and finding a file costs a system call.
        @cache
        def find_wanted(target: str, folder: str) -> UrlPath | None:
            """Resolves a link in a page of the folder, None for no file or an unwanted link."""
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
    """Yields a note about the first page whose `<link rel="sitemap">` leads to another sitemap.

    A page links to `/sitemap-index.xml`, but the build writes sitemap.xml → the note says so, and
    advises to set that name or to correct the link. Nothing is yielded if no page has such a link.
    With `is_name_set`, a person chose the name of our sitemap. A linked file that exists is then
    another tool's, on purpose.
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
    """Whether a linked sitemap is another tool's on purpose, so that the link needs no note.

    | the linked file | on purpose |
    |---|---|
    | is listed in `[sitemap] others` | yes |
    | exists, and a person chose another name for our sitemap | yes |
    | anything else | no |
    """
    if path in output.options.others:
        return True
    return is_name_set and os.path.isfile(reader.root.file(path))
