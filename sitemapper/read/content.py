"""The main content of a page, its images and its titles; and a digest of its significant content.

Significant content is what readers come for: the title, the main text, link targets, image sources
and structured data. Header, navigation, footer, asides, scripts, styles and comments do not count.
Neither do parts that change with each build (white space, nonces, tokens, fingerprints in the names
of assets, dates of the build), and parts that all pages share (in the title, the name of the site
and its release).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ..protocol import MAX_IMAGES
from ..syntax.source_text import words
from .main_part import MainPart, read_text, remove, remove_from_part, without_surroundings

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from ..syntax.html import Attributes

# Increase this with each change of the rule. Digests of another rule change no date
# (lastmod/ledger.py).
_VERSION = 5
# What separates a title from the name of the site, which is often last. A release in a title.
_TITLE_SEPARATOR = re.compile(r" (?:[-–—|·•»~/]|::) | \((?=[^()]*\)$)")
_RELEASE = re.compile(r"\bv?\d+(?:\.\d+)+[\w.+~-]*")
_MAX_SEPARATORS = 16  # of a title; its beginnings and ends take the square of their number
_SEPARATOR = re.compile("[-–—|·•»«~/:]")  # a title without one has no parts
_TITLE_PARTS = re.compile(r"\s[-–—|·•»«~/:]+\s|[|·•»:]\s*")
_SPACE = b" \t\n\r\f\v"
_NAME_IN_HEADER = "header h1, header a, nav a"
_SITE_NAME = 'meta[property="og:site_name"]'
_BUILD_DATES = ("dateModified", "sdDatePublished")
_MEDIA = {"png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "mp4", "webm", "mp3", "ogg"}
_ASSETS = _MEDIA | {"js", "mjs", "css", "map", "json", "wasm", "woff", "woff2", "ttf"}
# What bundlers put into names.
_HEX = r"(?=\d{0,64}[a-f])(?=[a-f]{0,64}\d)[0-9a-f]"  # with a digit and a letter among them
_FINGERPRINT = re.compile(
    rf"""
      [._-]{_HEX}{{6,64}}(?=\.)
    | [._-](?P<word>[\w-]{{8}})(?:_\w{{5,8}})?(?=\.)  # base64url, unless it looks like a word
    | _hu_?[0-9a-f]{{8,64}}(?:_\d{{1,12}})?  # Hugo's, and what follows
    | (?<=/){_HEX}{{16,64}}/  # a folder that is a hash
    """,
    re.VERBOSE,
)
# The lookahead and the bounds keep the search linear in names of any length.
_TOKEN = re.compile(r"[?&](?=\w++=)\w{0,64}?(?:token|nonce|csrf)\w*+=[^&]*", re.I)
# The release or commit at which a link shows a file of a repository.
_REF = re.compile(r"(?<=/(?:blob|tree)/)(?:v?\d++(?:\.\d++)++[\w.-]*+|[0-9a-f]{7,40})(?=/)")
# A URL in a `srcset`, which may contain commas but not end with one, and the size of its image:
# `tea.png 2x` or `tea.png 800w`.
_SIZED_URL = re.compile(r"([^\s,](?:\S*[^\s,])?)(?:\s+(\d{1,9}(?:\.\d{1,9})?)[wx])?[^,]*")
_NO_FILE = re.compile(r"#|(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE | re.ASCII)


class DigestRule(NamedTuple):
    """What counts as content of a page.

    `drop` are the selectors of `[ledger] drop`. `fingerprint` identifies the rule: digests of
    different rules cannot be compared.
    """

    drop: tuple[str, ...]
    fingerprint: str


class Outline(NamedTuple):
    """What the digest needs from outside the main part: JSON-LD, title, and the site's name.

    `site_name` is "" if the page does not show it.
    """

    structured: tuple[str, ...]
    title: str
    site_name: str


def make_rule(drop: Iterable[str]) -> DigestRule:
    """Makes the rule of digests from the CSS selectors of `[ledger] drop`: what to leave out.

    Its fingerprint changes with the selectors and with `_VERSION`. The settings have checked that
    the selectors are valid.
    """
    selectors = tuple(drop)
    text = f"{_VERSION} {json.dumps(selectors)}"
    fingerprint = hashlib.blake2b(text.encode(), digest_size=2).hexdigest()
    return DigestRule(selectors, fingerprint)


def digest_bytes(data: bytes, rule: DigestRule) -> str:
    """Makes the digest of some content: `1a2b-0123456789abcdef`.

    If the digest of a page is the same in the next run, its content has not changed. The first part
    identifies the rule that says what counts as content: digests of two rules cannot be compared.
    """
    content_hash = hashlib.blake2b(data, digest_size=8).hexdigest()  # 64 bits
    return f"{rule.fingerprint}-{content_hash}"


def digest_page(
    outline: Outline, main: MainPart | None, rule: DigestRule
) -> tuple[str, tuple[int, ...]]:
    """Makes the digest of a page's content: if it differs in the next run, the page has changed.

    Returns two values, such as `("1a2b-0123456789abcdef", (0, 2))`: the digest, and the positions
    in `rule.drop` of the selectors that matched, here of the first and the third.

    `rule.drop` are selectors of the user. Elements that match one are left out of the digest. The
    positions show at the end of a run which selectors matched on no page: the user is warned of
    these. If the page has no body (`main` is None), only its structured data and its title count.
    """
    dropped: list[int] = []
    texts = list(outline.structured)
    if main is None:
        texts.append(_page_title(outline))
    else:
        # One by one, not joined by commas: an unclosed selector, `[a`, would swallow the next.
        for number, selector in enumerate(rule.drop):
            nodes = main.node.css(selector)
            main = remove_from_part(main, nodes)
            if nodes:
                dropped.append(number)
        texts += _significant_texts(outline, main)
    data = "\n".join(texts).encode("utf-8", "surrogatepass")
    # Templates and minifiers change white space, so it does not count.
    return digest_bytes(data.translate(None, _SPACE), rule), tuple(dropped)


def _significant_texts(outline: Outline, main: MainPart) -> list[str]:
    """Collects the texts of a page from which its digest is made. If one changes, the page changed.

    `<h1>Plug v1.2</h1> <a href="a.html?token=1">Hot</a>`, titled `Plug v1.2` → `a.html`, `Plug`,
    `Hot`: without the token and the release, which may change though nobody edited the page.

    The order of the texts must stay. Otherwise, all digests would change, and so the dates of all
    pages. Removes nodes from `main`, so its text may not be read afterwards.
    """
    # Remove from the tree the text that may change though nobody edited the page: `3 days ago`, the
    # `¶` that a theme adds to headings, and a heading with a release, such as `Plug v1.2` of ExDoc.
    remove(main.node, _unstable_nodes(main))
    heading = main.node.css_first("h1")
    heading_text = _text(heading)
    has_release = _RELEASE.search(heading_text) is not None
    if heading and has_release:
        heading.decompose()
    # 1. The URLs, without tokens, fingerprints of files and the like.
    texts = ["\n".join(map(_normalise_url, main.urls))]
    # 2. The dates, as in `<time datetime="2026-03-01">`.
    texts += _dates_of(main)
    # 3. The title, without the name of the site. A title such as `Tea - Lindenhof` is left out if
    # the heading is `Tea`.
    if not _title_repeats_heading(outline.title, heading_text):
        texts.append(_page_title(outline))
    # 4. The heading that was removed, without its release.
    if has_release:
        texts.append(_RELEASE.sub("", heading_text))
    # 5. All text that is left, with any other heading.
    texts.append(read_text(main.node))
    return texts


def _dates_of(main: MainPart) -> Iterator[str]:
    """Yields the dates in the main part of a page: `<time datetime="2026-03-01">` → `2026-03-01`.

    The caller makes a digest of them. A date of change is left out, because the build may have
    written it.
    """
    # From the last to the first. The order has no meaning, but with another one, all digests would
    # differ from those in ledgers.
    for attributes in reversed(main.attributes):
        is_date_of_change = "dateModified" in (attributes.get("itemprop") or "")
        if "datetime" in attributes and not is_date_of_change:
            yield attributes["datetime"] or ""


def _unstable_nodes(main: MainPart) -> list[LexborNode]:
    """Finds the nodes of a main part whose text may change though nobody edited the page.

    - `<time datetime="2026-03-01">3 days ago</time>`: the text depends on the day of the build
    - `<a href="#hot">¶</a>`: a theme adds such links to headings. Their text has no letter or digit
    """
    unstable = []
    for node, attributes, url in zip(main.targets, main.attributes, main.urls, strict=True):
        is_link_to_heading = url[:1] == "#" and not any(map(str.isalnum, node.text()))
        if is_link_to_heading or "datetime" in attributes:
            unstable.append(node)
    return unstable


def _title_repeats_heading(title: str, heading: str) -> bool:
    """Whether a title is the heading of the page, perhaps with more text before or after it.

    | title             | heading |       |
    |-------------------|---------|-------|
    | `Tea`             | `Tea`   | True  |
    | `Tea - Lindenhof` | `Tea`   | True  |
    | `Lindenhof: Tea`  | `Tea`   | True  |
    | `Teapots`         | `Tea`   | False |

    If True, the digest of the page leaves the title out. The rest is mostly the name of the site,
    and no page changes if that name does.
    """
    if not heading:
        return False
    before, match, after = title.partition(heading)
    if not match:
        return False
    is_beginning = not before and not after[:1].isalnum()
    is_end = not after and not before[-1:].isalnum()
    return is_beginning or is_end


def read_outline(tree: LexborHTMLParser, data: bytes) -> Outline:
    """Reads what the digest of a page needs from outside its main part: three kinds of text.

    - its JSON-LD, without dates of builds: `{"name": "Tea", "dateModified": "2026-03-01"}` →
      `{"name": "Tea"}`
    - its title, `Tea - Lindenhof`
    - the name of the site, `Lindenhof`, which `_page_title` removes from the title
    """
    structured: list[str] = []
    scripts = tree.tags("script") if b"ld+json" in data else []
    for script in scripts:
        kind = script.attributes.get("type") or ""
        if kind.lower() != "application/ld+json":
            continue
        text = script.text()
        with suppress(ValueError, RecursionError):  # a script that is not JSON stays as it is
            text = json.dumps(_undated(json.loads(text)), sort_keys=True, ensure_ascii=False)
        structured.append(text)
    title = _title_of(tree)
    return Outline(tuple(structured), title, _site_name_of(tree, title))


def _site_name_of(tree: LexborHTMLParser, title: str) -> str:
    """Reads the name of the site on a page, so that it can be removed from the page's title.

    `<meta property="og:site_name" content="Lindenhof">` → `Lindenhof`. Without this meta, it is the
    text of the first heading or link in the header or the navigation. "" if it is not needed.
    """
    meta = tree.head.css_first(_SITE_NAME) if tree.head else None
    name = meta.attributes.get("content") if meta else None
    if name is not None:
        return name
    if _TITLE_SEPARATOR.search(title):
        # Of `Tea - Lindenhof`, the last part is removed (`_page_title`), so no name is needed.
        return ""
    return _text(tree.css_first(_NAME_IN_HEADER))


def read_titles(tree: LexborHTMLParser, metas: Iterable[Attributes]) -> tuple[str, ...]:
    """Reads the titles that a page shows, and their parts, in lower-case words.

    `<title>Tea | Lindenhof</title>` → `tea lindenhof`, `tea` and `lindenhof`. They also come from
    the first headings and from `og:title`. If a file with a similar path has one of these titles,
    it is likely the source of the page. `metas` are the `<meta>` tags of the page.
    """
    # By name, because this takes a fifth of the time of CSS selectors.
    titles = [heading.text() for heading in tree.tags("h1")[:3]]
    og_titles = (meta.get("content") for meta in metas if meta.get("property") == "og:title")
    titles.append(next(og_titles, "") or "")
    titles.append(_title_of(tree))
    # Dictionaries drop repetitions: most titles of a page are the same, or parts of each other.
    parts: dict[str, None] = {}
    for title in dict.fromkeys(titles):
        parts |= dict.fromkeys(_title_parts(title))
    in_words = dict.fromkeys(map(words, parts))
    return tuple(part for part in in_words if part)


def _title_of(tree: LexborHTMLParser) -> str:
    """Reads the `<title>` in the head of a page, "" without one. In a body, it is an SVG's."""
    return _text(tree.head.css_first("title")) if tree.head else ""


def _title_parts(title: str) -> Iterator[str]:
    """Yields the whole title, its beginnings and ends, and each part between two separators.

    `Tea | Drinks | Lindenhof` has `Tea | Drinks`, `Drinks | Lindenhof` and each of the three.
    """
    yield title
    if not _SEPARATOR.search(title):
        return
    for separator in islice(_TITLE_PARTS.finditer(title), _MAX_SEPARATORS):
        yield title[: separator.start()]
        yield title[separator.end() :]
    yield from _TITLE_PARTS.split(title)


def _page_title(outline: Outline) -> str:
    """Returns the title of a page without the name of the site and without releases.

    - `Plug v1.2 - Hexdocs` → `Plug`, if the name of the site is known to be `Hexdocs`
    - `Plug - Hexdocs` → `Plug`, if the name is not known: the last part is taken for it
    - `Plug` → `Plug`, because it has only one part
    """
    parts = _TITLE_SEPARATOR.split(outline.title)
    own_parts = [part for part in parts if part != outline.site_name]
    has_site_name = len(own_parts) < len(parts)
    if not has_site_name and len(parts) > 1:
        own_parts.pop()  # most themes write the name of the site last
    return _RELEASE.sub("", " ".join(own_parts))


def _text(node: LexborNode | None) -> str:
    """Reads the text of a node, with one space between words. "" for None."""
    return " ".join(node.text().split()) if node else ""


def _normalise_url(url: str) -> str:
    """Removes from a URL on a page what may change though nobody edited the page.

    - `a.html?token=1#b` → `a.html`
    - `https://github.com/a/b/blob/v1.2/c.py` → `https://github.com/a/b/blob//c.py`
    - `a.4f3a9c.png?v=2` → `a.png`, because the names of images, scripts and the like often contain
      the hash of their bytes (a fingerprint)
    """
    if "#" in url:
        url = url.partition("#")[0]
    if "/blob/" in url or "/tree/" in url:  # a file in a repository, at a release or a commit
        url = _REF.sub("", url)
    if url[-1:] == "/" or url[-5:] == ".html":  # most targets need nothing else
        return url
    if "?" in url:
        url = _TOKEN.sub("", url)
    path = url.partition("?")[0]
    is_asset = path.rpartition(".")[2].lower() in _ASSETS  # an image, a script or the like
    if not is_asset:
        return url
    if "/_next/static/" in path:
        # `page.0a1b2c3d4e5f6.js` → `page.js`: the second-last part is Turbopack's fingerprint.
        folder, _, file = path.rpartition("/")
        parts = file.rsplit(".", 2)
        path = f"{folder}/{'.'.join(parts[::2])}"
    return _FINGERPRINT.sub(_without_fingerprint, path)


def _without_fingerprint(match: re.Match[str]) -> str:
    """Returns "" for a fingerprint in the name of a file, and the matched text itself for a word.

    Bundlers put random characters into names, such as `-Bq3xT0aZ` in `a-Bq3xT0aZ.js`, and they
    change with each build. `.Homepage` in `a.Homepage.js` looks alike, but is a word.
    """
    word = match["word"]
    if not word:  # hexadecimal or the like, which is never a word
        return ""
    # Random characters have small letters, capitals, and two or more capitals or digits after the
    # first. So has `NewPage2`, but few files have such a name.
    has_both_cases = re.search("[a-z]", word) and re.search("[A-Z]", word)
    capitals_and_digits = re.findall("[A-Z]|[0-9]", word[1:])
    is_random = has_both_cases and len(capitals_and_digits) > 1
    return "" if is_random else match[0]


def _undated(value: Any) -> Any:
    """Removes the dates of builds from JSON-LD, and normalises its URLs.

    `{"name": "Tea", "dateModified": "2026-03-01"}` → `{"name": "Tea"}`.
    """
    if isinstance(value, dict):
        return {key: _undated(inner) for key, inner in value.items() if key not in _BUILD_DATES}
    if isinstance(value, list):
        return [_undated(inner) for inner in value]
    if isinstance(value, str):
        return _normalise_url(value)
    return value


# --- images


def read_images(tree: LexborHTMLParser) -> tuple[str, ...]:
    """Reads the URLs of the images in the main content of a page, as written, each once.

    `<img src="tea.png">` → `tea.png`. If an image is there in several sizes, the URL of the largest
    is read. Images of one pixel and `data:` URLs are left out, and so are images beyond the number
    that the protocol allows for a page. Removes navigation and the like from the tree.
    """
    main = without_surroundings(tree)
    if main is None:
        return ()
    urls: dict[str, None] = {}
    for image in main.css("img"):
        attributes = image.attributes
        sides = (attributes.get("width") or "", attributes.get("height") or "")
        if all(side.strip().removesuffix("px") in ("0", "1") for side in sides):
            continue  # nobody sees it: it counts visits
        # The first URL that can be listed: `src` may be a `data:` placeholder for the `<source>`.
        for url in _urls_of(image, attributes):
            if url and not _NO_FILE.match(url):
                urls[url] = None
                break
    return tuple(islice(urls, MAX_IMAGES))


def _urls_of(image: LexborNode, attributes: Attributes) -> Iterator[str]:
    """Yields the URLs of one image, the best first. The caller takes the first that it can list.

    1. those in its `srcset`, the largest image first
    2. its `src`, "" without one
    3. those of the `<source>` elements before it, in their order, if it is in a `<picture>`
    """
    yield from _largest_first(attributes)
    yield (attributes.get("src") or "").strip()
    if image.parent and image.parent.tag == "picture":
        sources: list[LexborNode] = []
        sibling = image.prev
        # Only sources after the image before it: each source is then looked at once, however many
        # images are in one `<picture>`.
        while sibling and sibling.tag != "img":
            if sibling.tag == "source":
                sources.append(sibling)
            sibling = sibling.prev
        for source in reversed(sources):
            yield from _largest_first(source.attributes)


def _largest_first(attributes: Attributes) -> list[str]:
    """Returns the URLs of a `srcset`, the largest image first: `a.png, b.png 2x` → `b.png, a.png`.

    A URL without a size is for `1x` (HTML standard, srcset attributes). Sizes are all like `2x`, or
    all widths like `480w`, so their numbers can be compared.
    """
    urls_and_sizes = _SIZED_URL.findall(attributes.get("srcset") or "")  # ("b.png", "2")
    sized_urls = [(float(size or 1), url) for url, size in urls_and_sizes]
    sized_urls.sort(key=lambda sized_url: sized_url[0], reverse=True)
    return [url for _, url in sized_urls]
