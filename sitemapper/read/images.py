"""The images in the main content of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from ..protocol import MAX_IMAGES
from .main_part import find_main, remove
from .surroundings import find_surroundings

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from ..syntax.html import Attributes

# A URL in a `srcset`, which may contain commas but not end with one, and the size of its image:
# `tea.png 2x` or `tea.png 800w`.
_SIZED_URL = re.compile(r"([^\s,](?:\S*[^\s,])?)(?:\s+(\d{1,9}(?:\.\d{1,9})?)[wx])?[^,]*")
_NO_FILE = re.compile(r"#|(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE | re.ASCII)


def read_images(tree: LexborHTMLParser) -> tuple[str, ...]:
    """Reads the URLs of the images in the main content of a page, as written, each once.

    `<img src="tea.png">` → `tea.png`. Of an image in several sizes, the largest counts. Images of
    one pixel and `data:` URLs are left out, and so is what exceeds the limit of the protocol.
    Removes navigation and the like from the tree.
    """
    main, is_body = find_main(tree)
    if main is None:
        return ()
    remove(main, find_surroundings(main, is_body=is_body))
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

    They are from its `srcset`, then its `src` ("" without one), then the `<source>` elements of a
    `<picture>` around it, in their order.
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

    A URL without a size is for `1x` (HTML standard, srcset attributes).
    """
    sized_urls = _SIZED_URL.findall(attributes.get("srcset") or "")
    sized_urls.sort(key=lambda sized_url: -float(sized_url[1] or 1))
    return [url for url, _ in sized_urls]
