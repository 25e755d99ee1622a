"""What a page shows: title and text, and whether it is the page for missing paths. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ..syntax.html import parse_tree

_ECHO = "\0"  # stands for what a page repeats of its URL
_ECHOES = re.compile(rf"{_ECHO}(?: {_ECHO})+")
_WORD = re.compile(rf"\w+|{_ECHO}")
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
        """Whether a page says the same, apart from the paths that both may repeat.

        "No page at /a/b.html" and "There is no b" may be for any path.
        """
        if not self.text.strip():
            return False
        echoes = sorted({*_echoes(place), *_echoes(self.place)}, key=len, reverse=True)
        pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, echoes))})(?!\w)")
        if _without(text_of(body), pattern) != _without(self.text, pattern):
            return False
        return _without(title_of(body), pattern) == _without(self.title, pattern)


def not_found_page(body: bytes, place: str) -> NotFoundPage:
    """The page that the host sent for a path that does not exist."""
    return NotFoundPage(place, title_of(body), text_of(body))


def _echoes(place: str) -> Iterator[str]:
    """What a page may repeat of its own URL, in lower case: the URL, the path and its names."""
    encoded = urlsplit(place).path
    yield place.lower()
    for path in (encoded, unquote(encoded)):
        whole = path.strip("/").lower()
        names = whole.split("/")
        stem = names[-1].rpartition(".")[0]
        in_words = re.sub("[-_]", " ", stem or names[-1])
        for echo in (f"/{whole}/", f"/{whole}", whole, stem, in_words, *names):
            if echo.strip("/ "):
                yield echo


def _without(text: str, echoes: re.Pattern[str]) -> str:
    """The words of a text in lower case, with a mark in the place of echoes."""
    marked = echoes.sub(f" {_ECHO} ", " ".join(text.lower().split()))
    words = " ".join(_WORD.findall(marked))
    return _ECHOES.sub(_ECHO, words)
