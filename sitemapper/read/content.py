"""The content of a page: a digest of what is significant in it, its title and its images.

Significant is what readers come for: the title, the main text, link targets, image sources and
structured data. What changes with each build or release is not: white space, fingerprints in
the names of assets, dates of the build, the name of the site in the title.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from ..protocol import MAX_IMAGES
from .html import value
from .main_part import read_text, remove, text_of

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from .html import Attributes

# Increase this with each change of the rule: digests of another rule change no date.
VERSION = 7
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
# A URL in a `srcset`, which may contain commas but not end with one, and the size of its image:
# `tea.png 2x` or `tea.png 800w`.
_SIZED_URL = re.compile(r"([^\s,](?:\S*[^\s,])?)(?:\s+(\d{1,9}(?:\.\d{1,9})?)[wx])?[^,]*")
_NO_FILE = re.compile(r"#|(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE | re.ASCII)


def structured_data(tree: LexborHTMLParser) -> list[str]:
    """Reads the scripts of JSON-LD, before the main part is taken out of the tree."""
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
    """Makes the digest of a page: another one in a later run says that its content has changed.

    Elements that match a selector of `drop` are left out. Nodes are removed from `main`.
    """
    for selector in drop:  # not joined, because an unclosed `[a` would swallow the next
        remove(main, main.css(selector))
    texts = [*structured, *_significant_texts(title, main)]
    data = "\n".join(texts).encode("utf-8", "surrogatepass")
    return digest_bytes(data.translate(None, _SPACE), drop)


def _significant_texts(title: str, main: LexborNode) -> list[str]:
    """Collects the texts of a page from which its digest is made, and removes nodes."""
    texts: list[str] = []
    unstable: list[LexborNode] = []
    for node in main.css(_TARGETS):
        attributes = node.attributes
        url = value(attributes, "href") or value(attributes, "src") or value(attributes, "srcset")
        texts.append(_normalize_url(url))
        if "datetime" in attributes:
            unstable.append(node)  # its text may be `3 days ago`
            if "dateModified" not in value(attributes, "itemprop"):
                texts.append(value(attributes, "datetime"))
        elif url[:1] == "#" and not any(map(str.isalnum, node.text())):
            unstable.append(node)  # the `¶` that a theme adds to headings
    remove(main, unstable)

    # Most titles are the heading and, behind it, the name of the site: `Tea - Lindenhof`.
    parts = _TITLE_SEPARATOR.split(title)
    if text_of(main.css_first("h1")) not in parts:
        own_parts = parts[:-1] or parts
        texts.append(_RELEASE.sub("", " ".join(own_parts)))
    texts.append(read_text(main))
    return texts


def _normalize_url(url: str) -> str:
    """Removes from a URL what may change though nobody edited the page.

    `a.html#b` → `a.html`, `a.4f3a9c.png?v=2` → `a.png`, `/blob/v1.2/c.py` → `/blob//c.py`.
    """
    url = url.partition("#")[0]
    if "/blob/" in url or "/tree/" in url:
        url = _REF.sub("", url)
    media = _MEDIA.match(url)
    if media is None:
        return url
    return _FINGERPRINT.sub(r"\g<name>", media[0])


def read_images(main: LexborNode) -> tuple[str, ...]:
    """Reads the URLs of the images in the main part of a page, as written, each once.

    Of an image in several sizes, it is the URL of the largest. Images of one pixel and `data:` URLs
    are left out, and so is what exceeds the limit of the protocol.
    """
    urls: dict[str, None] = {}
    for image in main.css("img"):
        attributes = image.attributes
        sides = (value(attributes, "width"), value(attributes, "height"))
        if all(side.removesuffix("px") in ("0", "1") for side in sides):
            continue  # it counts visits, such as PayPal's
        candidates = [*_largest_first(attributes), value(attributes, "src")]
        if image.parent and image.parent.tag == "picture":
            for source in image.parent.css("source"):
                candidates += _largest_first(source.attributes)
        # The first that can be listed: `src` may be a `data:` placeholder.
        for url in candidates:
            if url and not _NO_FILE.match(url):
                urls[url] = None
                break
    return tuple(urls)[:MAX_IMAGES]


def _largest_first(attributes: Attributes) -> list[str]:
    """The URLs of a `srcset`: `a.png, b.png 2x` → `b.png`, `a.png`; without a size, it is `1x`."""
    sized = _SIZED_URL.findall(value(attributes, "srcset"))
    sized.sort(key=lambda url_and_size: float(url_and_size[1] or 1), reverse=True)
    return [url for url, _ in sized]
