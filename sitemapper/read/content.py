"""The content of a page: its main part, a digest of what is significant in it, title and images.

The main part is what is left without navigation, header, footer, asides and menus. A menu is a list
of links of which one leads to the page itself: a theme shows it on all pages of a folder, and its
class may say nothing. An index of posts does not list itself, so it is none.

Significant is what readers come for: the title, the main text, link targets, image sources and
structured data. What changes with each build or release is not: white space, fingerprints in
the names of assets, dates of the build, the name of the site in the title.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..protocol import MAX_IMAGES
from ..syntax.urls import own_url, quote_path, resolve
from .html import value

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode


# Increase this with each change of what counts: digests of another rule change no date.
VERSION = 7
_MAIN = "main, [role=main]"
# Within `:is`, lexbor looks for the attribute of an element once, which saves a third of the time.
_SURROUNDINGS = (
    "nav, footer, aside, script, style, template, noscript, button, [hidden], "
    "[role]:is([role=navigation], [role=banner], [role=contentinfo], [role=complementary], "
    "[role=search], [role=menu], [role=menubar]), "
    "a[rel]:is([rel~=next], [rel~=prev], [rel~=edit]), "
    # md-content__button: of Material for MkDocs, to edit and view.
    "[class]:is(.breadcrumb, .breadcrumbs, .breadcrumb-list, .pagination, .pager, "
    ".post-pagination, .links-nextprev, .post-navigation, .md-content__button), "
    # Sidebars, tables of contents and comments; a frame of the whole page may have such a class.
    "[class]:is(.sidebar, .docs-sidebar, .md-sidebar, .sidebar-links, .toc, .toc-container, "
    ".toc-list, .section-toc, .vertical_toc, .horizontal_toc, .theme-doc-toc-mobile, .comments, "
    ".comments-disabled-message):not(:has(h1, article, main)), "
    # Links that edit or show the source, such as pdoc's.
    "a[href]:is([href*='/edit/'], .git)"
)
# In a page without `<main>`, headers count as well, and so do the classes and IDs of old themes.
# The header of an article is content. titlearea: Doxygen's project and release; package-header:
# Haddock's; rp-nav: Rspress's.
_SURROUNDINGS_OF_BODY = (
    "header:not(article header), [class]:is(.header, .footer, .sidebar, .titlearea, .rp-nav), "
    "[id]:is(#header, #footer, #sidebar, #titlearea, #package-header, #page-header)"
)
_CONTENT = "h1, article, main"  # which a menu does not contain
_MIN_LINKS_OF_MENU = 3  # two links, such as "previous" and "next", are no menu
_MIN_SHARE_IN_LINKS = 0.8  # of the letters of a menu; the rest are headings of groups
_MAX_MENUS = 32  # lists that are looked at, so that a page of lists takes no long time

_SPACE = b" \t\n\r\f\v"
# What a digest reads beside the text.
_TARGETS = "a, [src]:is(img, iframe, video, audio), source, time"
# What separates a title from the name of the site, which is often last. A release in a title.
_TITLE_SEPARATOR = re.compile(r" (?:[-–—|·•»~/]|::) | \((?=[^()]*\)$)")
_RELEASE = re.compile(r"\bv?\d+(?:\.\d+)+[\w.+~-]*")
_BUILD_DATE = re.compile(r'"(?:dateModified|sdDatePublished)"\s*:\s*"[^"]*"')  # in JSON-LD
# An image, a video or a sound, whose query only names a version.
_MEDIA = re.compile(
    r"[^?]*\.(?:png|jpe?g|gif|svg|webp|avif|ico|mp4|webm|mp3|ogg)(?![^?])", re.IGNORECASE
)
# What bundlers put into names.
_HEX = r"(?=\d{0,64}[a-f])(?=[a-f]{0,64}\d)[0-9a-f]"  # with a digit and a letter among them
_FINGERPRINT = re.compile(
    rf"""
      (?P<name>/_next/static/\S{{0,999}}/[^/.]*)\.[\w-]{{8,16}}(?=\.\w+$)  # Turbopack's
    | [._-]{_HEX}{{6,64}}(?=\.)
    # base64url, which has small letters, capitals, and two capitals or digits after the first:
    # a word such as `.Homepage` has not.
    | [._-](?=[\w-]{{0,7}}[a-z])(?=[\w-]{{0,7}}[A-Z])(?=[\w-](?:[\w-]{{0,5}}[A-Z0-9]){{2}})
      [\w-]{{8}}(?:_\w{{5,8}})?(?=\.)
    | _hu_?[0-9a-f]{{8,64}}(?:_\d{{1,12}})?  # Hugo's, and what follows
    | (?<=/){_HEX}{{16,64}}/  # a folder that is a hash
    """,
    re.VERBOSE,
)
# The release or commit at which a link shows a file of a repository.
_REF = re.compile(r"(?<=/(?:blob|tree)/)(?:v?\d++(?:\.\d++)++[\w.-]*+|[0-9a-f]{7,40})(?=/)")
# The first URL of a `srcset`, which may contain commas but not end with one: `a.png, b.png 2x`.
_FIRST_URL = re.compile(r"\A[\s,]*+([^\s,](?:\S*[^\s,])?)")
_NO_FILE = re.compile(r"#|(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE | re.ASCII)


def main_part(tree: LexborHTMLParser, path: str) -> LexborNode:
    """Finds the element with the main content of the page at `path`, and removes all around it.

    It is `<main>`, an element with `role="main"`, or else the body; the whole page if it has no
    body. Navigation, sidebars, menus and the like are removed from the tree.
    """
    main_element = tree.css_first(_MAIN)
    main = main_element or tree.body or tree.root
    assert main is not None  # every tree has a root
    surroundings = _SURROUNDINGS
    if main_element is None:  # headers and footers of the page are inside the body
        surroundings += ", " + _SURROUNDINGS_OF_BODY
    remove(main, main.css(surroundings))
    lists = main.css("ul, ol")[:_MAX_MENUS]
    remove(main, [node for node in lists if _is_menu(node, path)])
    return main


def remove(main: LexborNode, nodes: Iterable[LexborNode]) -> None:
    """Removes nodes below `main` from its tree, with all that is in them.

    A node may be inside of another one. lexbor frees the memory of a removed node with all that is
    in it, so none of these nodes may be touched again.
    """
    removed: set[int] = set()  # their addresses in memory
    for node in nodes:
        if node.mem_id == main.mem_id or node.mem_id in removed:
            continue
        removed.update(inner.mem_id for inner in node.traverse())
        node.decompose()


def read_text(node: LexborNode) -> str:
    """The text of a node as it is written, in half the time of `node.text()`."""
    try:
        return node.text_lexbor()
    except RuntimeError:  # selectolax before 1.0 raises it for a node without text
        return ""


def text_of(node: LexborNode | None) -> str:
    """The text of a node, with one space between words; "" for None."""
    if node is None:
        return ""
    return " ".join(read_text(node).split())


def _is_menu(node: LexborNode, path: str) -> bool:
    """Whether a list is mostly links, one of which leads to the page at `path` itself."""
    links = node.css("a[href]")
    if len(links) < _MIN_LINKS_OF_MENU or node.css_first(_CONTENT) is not None:
        return False
    if not any(_leads_to(link, path) for link in links):
        return False
    letters_in_links = sum(len(text_of(link)) for link in links)
    return letters_in_links >= _MIN_SHARE_IN_LINKS * len(text_of(node))


def _leads_to(link: LexborNode, path: str) -> bool:
    """Whether a link in the page at `path` leads to this page: `../tea/` in `tea/index.html`."""
    href = value(link.attributes, "href")
    # Nothing in a URL shows that it is that of the home page.
    if path == "index.html" or re.search("[#?]", href):
        return False
    # The address of the site is not known, and not needed: a made-up host serves as well, because
    # only the end of the URL is compared with the path.
    url = resolve(href, f"https://x.example/{quote_path(path)}")
    return url is not None and own_url(path, url) is not None


def structured_data(tree: LexborHTMLParser) -> list[str]:
    """Reads the structured data of a page, the scripts of JSON-LD, without dates of the build.

    To be called before `main_part`, which removes all scripts from the tree.
    """
    scripts = tree.css('script[type="application/ld+json" i]')
    return [_BUILD_DATE.sub("", script.text()) for script in scripts]


def title_of(tree: LexborHTMLParser) -> str:
    """Reads the title in the head of a page. In a body, it is that of a drawing."""
    return text_of(tree.head.css_first("title")) if tree.head else ""


def digest_bytes(data: bytes, drop: tuple[str, ...]) -> str:
    """Makes the digest of some content: `1a2b-0123456789abcdef`.

    The first part identifies the rule that says what counts as content: `VERSION` and the CSS
    selectors of `[ledger] drop`. Digests of two rules cannot be compared.
    """
    rule = hashlib.blake2b(f"{VERSION} {drop}".encode(), digest_size=2)
    return f"{rule.hexdigest()}-{hashlib.blake2b(data, digest_size=8).hexdigest()}"


def digest_page(title: str, structured: list[str], main: LexborNode, drop: tuple[str, ...]) -> str:
    """Makes the digest of a page. If a later run makes another one, the content has changed.

    `structured` are its scripts of JSON-LD, and `main` is its main part, from which nodes are
    removed. Elements that match a CSS selector of `drop` are left out.
    """
    for selector in drop:  # not joined with commas: an unclosed `[a` would swallow the next one
        remove(main, main.css(selector))
    texts = [*structured, *_read_targets(main)]
    texts.append(_title_without_site(title, main))
    texts.append(read_text(main))  # last, because `_read_targets` removes elements
    data = "\n".join(texts).encode("utf-8", "surrogatepass")
    return digest_bytes(data.translate(None, _SPACE), drop)


def _read_targets(main: LexborNode) -> list[str]:
    """Reads the URLs of links and images, and the dates of `<time>`, for the digest of a page.

    Removes from `main` what changes without an edit: a text such as `3 days ago`, and the signs
    with which themes link headings.
    """
    texts: list[str] = []
    unstable: list[LexborNode] = []
    for node in main.css(_TARGETS):
        attributes = node.attributes
        url = value(attributes, "href") or value(attributes, "src") or value(attributes, "srcset")
        texts.append(_normalize_url(url))
        if "datetime" in attributes:
            unstable.append(node)  # its text may be `3 days ago`
            # The date of the last change is no content.
            if "dateModified" not in value(attributes, "itemprop"):
                texts.append(value(attributes, "datetime"))
        elif url[:1] == "#" and not any(map(str.isalnum, node.text())):
            unstable.append(node)  # such as the `¶` beside a heading
    remove(main, unstable)
    return texts


def _title_without_site(title: str, main: LexborNode) -> str:
    """Removes the name of the site from a title: `Tea - Lindenhof` → `Tea`.

    The last part is taken for this name. A release such as `v1.2` is removed, too: if the name or
    the release changes, the page does not. The result is "" if one part of the title is the heading
    of the page, because the digest reads that anyway.
    """
    parts = _TITLE_SEPARATOR.split(title)
    if text_of(main.css_first("h1")) in parts:
        return ""
    without_site_name = parts[:-1] or parts  # a title without a separator is kept whole
    return _RELEASE.sub("", " ".join(without_site_name))


def _normalize_url(url: str) -> str:
    """Removes from a URL what may change though nobody edited the page.

    `a.html#b` → `a.html`, `a.4f3a9c.png?v=2` → `a.png`, `/blob/v1.2/c.py` → `/blob//c.py`.
    """
    url = url.partition("#")[0]
    if "/blob/" in url or "/tree/" in url:
        url = _REF.sub("", url)
    # Fingerprints are in the names of images and the like; a query only names their version.
    media = _MEDIA.match(url)
    if media is None:
        return url
    return _FINGERPRINT.sub(r"\g<name>", media[0])


def read_images(main: LexborNode) -> tuple[str, ...]:
    """Reads the URLs of the images in the main part of a page, as written, each once.

    Images that load late may have a `data:` placeholder as `src`: then the first URL of `srcset`
    counts. No more than 1,000 are returned, the limit for one page.
    """
    urls: dict[str, None] = {}  # the keys are a set that keeps their order
    for image in main.css("img"):
        attributes = image.attributes
        candidates = [value(attributes, "src"), *_FIRST_URL.findall(value(attributes, "srcset"))]
        for url in candidates:
            if url and not _NO_FILE.match(url):
                urls[url] = None
                break
    return tuple(urls)[:MAX_IMAGES]
