"""`image:image` elements: the images in a page's main content (docs/protocol.md §3b)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from ...model import Diagnostic, PageFacts, PageUrl, ResolvePage
from ...protocol import IMAGE_NAMESPACE, MAX_IMAGES, MAX_URL_LENGTH
from ...syntax.urls import resolve

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

NAMESPACE = f' xmlns:image="{IMAGE_NAMESPACE}"'
# A URL of a `srcset`, which may contain commas but not end with one, and how large its image is.
_CANDIDATE = re.compile(r"([^\s,](?:\S*[^\s,])?)(?:\s+(\d{1,9}(?:\.\d{1,9})?)[wx])?[^,]*")
_NO_FILE = re.compile(r"#|(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def read(main: LexborNode) -> tuple[str, ...]:
    """The images in the main content of a page, with the URLs as they are written, each once."""
    found = dict.fromkeys(url for node in main.css("img") if not _is_pixel(node) for url in _best(node))
    return tuple(islice(found, MAX_IMAGES))


def render(seen: PageFacts, own: PageUrl, _look: ResolvePage) -> tuple[str, tuple[Diagnostic, ...]]:
    """The elements for one page."""
    rows = (f"<image:image><image:loc>{escape(url)}</image:loc></image:image>" for url in locs(seen, own.loc))
    return "".join(rows), ()


def locs(seen: PageFacts, loc: str) -> list[str]:
    """The absolute URLs of the images of a page, in its order."""
    base = (resolve(seen.head.base, loc) if seen.head.base else None) or loc
    urls = (resolve(url, base) for url in seen.images)
    return list(dict.fromkeys(url for url in urls if url and len(url) < MAX_URL_LENGTH))


def _is_pixel(node: LexborNode) -> bool:
    """Whether an image only counts visits."""
    sides = ((node.attributes.get(side) or "").strip().removesuffix("px") for side in ("width", "height"))
    return all(side in ("0", "1") for side in sides)


def _best(node: LexborNode) -> Iterator[str]:
    """The largest form of an image: of its `srcset`, else its `src`, else of the `picture` around it."""
    yield from islice((url for url in _candidates(node) if url and not _NO_FILE.match(url)), 1)


def _candidates(node: LexborNode) -> Iterator[str]:
    yield from _largest(node)
    yield (node.attributes.get("src") or "").strip()
    sources: list[LexborNode] = []
    before = node.prev if node.parent and node.parent.tag == "picture" else None
    while before and before.tag != "img":  # so that many images do not share many sources
        sources += [before] if before.tag == "source" else []
        before = before.prev
    for source in reversed(sources):
        yield from _largest(source)


def _largest(node: LexborNode) -> list[str]:
    """The URLs of a `srcset`, the largest image first."""
    found = _CANDIDATE.findall(node.attributes.get("srcset") or "")
    return [url for url, _ in sorted(found, key=lambda pair: -float(pair[1] or 1))]
