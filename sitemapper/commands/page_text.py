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
    """Reads the title of a page, in lower case with single spaces. "" if it has none.

    `<title>Tea &amp;\n Cake</title>` → `tea & cake`.
    """
    match = _TITLE.search(body)
    if match is None:
        return ""
    title = unescape(match[1].decode("utf-8", "replace"))
    return " ".join(title.lower().split())


def text_of(body: bytes) -> str:
    """Reads all text in the body of a page, also of menus. "" if it has no body.

    The text of scripts, styles and templates is left out, because visitors do not see it.
    """
    tree = parse_tree(body)
    for node in tree.css("script, style, template"):
        node.decompose()
    return tree.body.text() if tree.body else ""


class NotFoundPage(NamedTuple):
    """The title and text of the page that the host shows for `place`, a path that cannot exist."""

    place: str
    title: str
    text: str

    def is_shown_at(self, place: str, body: bytes) -> bool:
        """Whether the page at `place` has the same title and text, so that it is missing, too.

        Both may repeat their own URL, so words of the two URLs do not count: "No page at /a/b.html"
        is the same as "No page at /3f9c". If the text of the
        “not found” page is empty, nothing can be said, and the result is False.
        """
        if not self.text.strip():
            return False
        words_of_urls = {*_words(unquote(place)), *_words(unquote(self.place))}
        shown_words = _words_except(words_of_urls, f"{title_of(body)} {text_of(body)}")
        return shown_words == _words_except(words_of_urls, f"{self.title} {self.text}")


def not_found_page(body: bytes, place: str) -> NotFoundPage:
    """The “not found” page of a host, from the body that it sent for `place`."""
    return NotFoundPage(place, title_of(body), text_of(body))


def _words(text: str) -> list[str]:
    """Splits a text into words in lower case: "/docs/old-tea.html" → docs, old, tea, html."""
    return re.findall(r"[^\W_]+", text.lower())


def _words_except(words_of_urls: Collection[str], text: str) -> list[str]:
    """Splits a text into words, and replaces each run of words from URLs by one mark.

    With the words of /docs/old-tea: "No page at /docs/old-tea!" → no, page, at, …
    """
    marked = ["…" if word in words_of_urls else word for word in _words(text)]
    # URLs have different numbers of words, so marks in a row become one.
    return [word for word, _ in groupby(marked)]
