"""The images in the main content of a page, with their URLs as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from ..protocol import MAX_IMAGES

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from ..syntax.html import Attributes

# A URL of a `srcset`, which may contain commas but not end with one, and how large its image is.
_CANDIDATE = re.compile(r"([^\s,](?:\S*[^\s,])?)(?:\s+(\d{1,9}(?:\.\d{1,9})?)[wx])?[^,]*")
_NO_FILE = re.compile(r"#|(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def read_images(main: LexborNode) -> tuple[str, ...]:
    """The images in the main content of a page, with the URLs as they are written, each once."""
    best: dict[str, None] = {}
    for node in main.css("img"):
        attributes = node.attributes
        sides = [(attributes.get(side) or "").strip().removesuffix("px") for side in ("width", "height")]
        if not all(side in ("0", "1") for side in sides):  # which only count visits
            forms = (url for url in _candidates(node, attributes) if url and not _NO_FILE.match(url))
            best |= dict.fromkeys(islice(forms, 1))
    return tuple(islice(best, MAX_IMAGES))


def _candidates(node: LexborNode, attributes: Attributes) -> Iterator[str]:
    """The forms of an image, the best first: of its `srcset`, its `src`, of the `picture` around it."""
    yield from _largest_first(attributes)
    yield (attributes.get("src") or "").strip()
    sources: list[LexborNode] = []
    before = node.prev if node.parent and node.parent.tag == "picture" else None
    while before and before.tag != "img":  # so that many images do not share many sources
        sources += [before] if before.tag == "source" else []
        before = before.prev
    for source in reversed(sources):
        yield from _largest_first(source.attributes)


def _largest_first(attributes: Attributes) -> list[str]:
    """The URLs of a `srcset`, the largest image first."""
    sizes = _CANDIDATE.findall(attributes.get("srcset") or "")
    return [url for url, _ in sorted(sizes, key=lambda pair: -float(pair[1] or 1))]
