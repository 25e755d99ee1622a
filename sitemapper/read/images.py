"""The images in the main content of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from ..protocol import MAX_IMAGES
from .main_part import find_main, leads_to_source
from .surroundings import surrounding

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from ..syntax.html import Attributes

# A URL of a `srcset`, which may contain commas but not end with one, and how large its image is.
_CANDIDATE = re.compile(r"([^\s,](?:\S*[^\s,])?)(?:\s+(\d{1,9}(?:\.\d{1,9})?)[wx])?[^,]*")
_NO_FILE = re.compile(r"#|(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE | re.ASCII)


def read_images(tree: LexborHTMLParser) -> tuple[str, ...]:
    """The images in the main content, each once, with their URLs as written."""
    urls: dict[str, None] = {}
    for image in _content_images(tree):
        attributes = image.attributes
        sides = (attributes.get("width") or "", attributes.get("height") or "")
        if all(side.strip().removesuffix("px") in ("0", "1") for side in sides):
            continue  # nobody sees it: it counts visits
        for url in _candidates(image, attributes):
            if url and not _NO_FILE.match(url):
                urls[url] = None
                break
    return tuple(islice(urls, MAX_IMAGES))


def _content_images(tree: LexborHTMLParser) -> list[LexborNode]:
    """The `img` of the main content.

    Checks only the elements above them, in a third of the time.
    """
    main, is_body = find_main(tree)
    images = main.css("img") if main else []
    if main is None or not images:
        return []
    above = _with_ancestors(images, main)
    surroundings = surrounding(main, above.values(), is_body=is_body)
    outside = {node.mem_id for node in surroundings}
    for mem_id, node in above.items():
        is_below = node.parent and node.parent.mem_id in outside
        if is_below or leads_to_source(node):
            outside.add(mem_id)
    return [image for image in images if image.mem_id not in outside]


def _with_ancestors(images: Iterable[LexborNode], main: LexborNode) -> dict[int, LexborNode]:
    """The images and the elements between them and the main part, by address, parents first."""
    nodes: dict[int, LexborNode] = {}
    for image in images:
        chain: list[LexborNode] = []
        node: LexborNode | None = image
        while node and node.mem_id != main.mem_id and node.mem_id not in nodes:
            chain.append(node)
            node = node.parent
        nodes |= {node.mem_id: node for node in reversed(chain)}
    return nodes


def _candidates(image: LexborNode, attributes: Attributes) -> Iterator[str]:
    """The forms of an image, the best first:

    of its `srcset`, its `src`, of the `picture` around it.
    """
    yield from _largest_first(attributes)
    yield (attributes.get("src") or "").strip()
    if image.parent and image.parent.tag == "picture":
        sources: list[LexborNode] = []
        sibling = image.prev
        # Those before another image are that image's, so that many images and sources stay fast.
        while sibling and sibling.tag != "img":
            if sibling.tag == "source":
                sources.append(sibling)
            sibling = sibling.prev
        for source in reversed(sources):
            yield from _largest_first(source.attributes)


def _largest_first(attributes: Attributes) -> list[str]:
    """The URLs of a `srcset`. One without a size is for `1x` (HTML standard, srcset attributes)."""
    candidates = _CANDIDATE.findall(attributes.get("srcset") or "")
    candidates.sort(key=lambda candidate: -float(candidate[1] or 1))
    return [url for url, _ in candidates]
