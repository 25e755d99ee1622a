"""What a page shows: title and text, and whether it is the page for missing paths. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from html import unescape
from itertools import groupby
from typing import NamedTuple
from urllib.parse import unquote

from ..syntax.html import parse_tree

_TITLE = re.compile(rb"<title[^<>]*>([^<]{0,2000})</title", re.IGNORECASE)


def title_of(body: bytes) -> str:
    """The title of a page in lower case with single spaces, "" if it has none."""
    match = _TITLE.search(body)
    if match is None:
        return ""
    title = unescape(match[1].decode("utf-8", "replace"))
    return " ".join(title.lower().split())


def text_of(body: bytes) -> str:
    """The text of a page with all its parts, but without scripts."""
    tree = parse_tree(body)
    for node in tree.css("script, style, template"):
        node.decompose()
    return tree.body.text() if tree.body else ""


class NotFoundPage(NamedTuple):
    """What the host shows for `place`, a path that does not exist."""

    place: str
    title: str
    text: str

    def is_shown_at(self, place: str, body: bytes) -> bool:
        """Whether a page says the same, apart from the words of the URLs, which both may repeat.

        "No page at /a/b.html" and "There is no b" may be for any path.
        """
        if not self.text.strip():
            return False
        of_urls = {*_words(unquote(place)), *_words(unquote(self.place))}
        shown = _without(of_urls, f"{title_of(body)} {text_of(body)}")
        return shown == _without(of_urls, f"{self.title} {self.text}")


def not_found_page(body: bytes, place: str) -> NotFoundPage:
    """The page that the host sent for a path that does not exist."""
    return NotFoundPage(place, title_of(body), text_of(body))


def _words(text: str) -> list[str]:
    """The words of a text in lower case: "/docs/old-tea.html" → docs, old, tea, html."""
    return re.findall(r"[^\W_]+", text.lower())


def _without(of_urls: Collection[str], text: str) -> list[str]:
    """The words of a text, with one mark in the place of words that are in a URL.

    With the words of /docs/old-tea: "No page at /docs/old-tea!" → no, page, at, …
    """
    marked = ["…" if word in of_urls else word for word in _words(text)]
    return [word for word, _ in groupby(marked)]
