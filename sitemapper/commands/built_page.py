"""How a live page differs from the built one. What hosts add and rewrite does not count. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from ..read.content import main_part, read_text, remove, text_of, title_of
from ..read.html import parse
from .judge import Fault
from .target import MAX_PAGE

_LOGIN = re.compile(rb"<input[^<>]{0,500}\btype\s{0,9}=\s{0,9}[\"']?password", re.IGNORECASE)
_FILE_LIST = re.compile("(?:index of|directory listing for) /")
# Three words in a row are the same by chance only in few places. An older version of a page shares
# a tenth of them, another page hardly any.
_PHRASE = 3
_MIN_SHARE = 0.1
# Cloudflare hides addresses: "[email protected]" stands for each.
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,9}|\[email.protected\]")


class _Text(NamedTuple):
    """Title, main heading and words of the main text, in lower case."""

    title: str
    heading: str
    words: tuple[str, ...]


def compare_page(
    built: bytes, live: bytes, drop: tuple[str, ...], titles: Mapping[str, str]
) -> Fault | None:
    """Says how a live page differs from the built page of its URL, both cut at `MAX_PAGE` bytes.

    `drop` are CSS selectors of what does not count. `titles` has the URLs of other built pages, by
    their titles.
    """
    if built == live:
        return None
    if _LOGIN.search(live) and not _LOGIN.search(built):
        return _replaced("a login form")
    built_text, live_text = _read(built, drop), _read(live, drop)
    title = live_text.title
    if title and title != built_text.title:
        if _FILE_LIST.match(title):
            return _replaced("a list of files")
        if title in titles:
            return _replaced(f"the page of {titles[title]}")
    # Of a longer page, other words may be in the bytes that were read.
    are_whole = max(len(built), len(live)) < MAX_PAGE
    if built.startswith(live.rstrip()):
        return ("SM633", "is cut off: it is the beginning of the built page") if are_whole else None
    if built_text.words and not _is_like(built_text, live_text):
        return _replaced("another page")
    # Minifiers change the white space between elements.
    is_same = built_text[:2] == live_text[:2] and _packed(built_text) == _packed(live_text)
    if is_same or not are_whole or not any(built_text):
        return None
    return "SM635", "are not those of this build"


def title_in(data: bytes) -> str:
    """The title of a page, as `compare_page` finds it in `titles`."""
    return _plain(title_of(parse(data)))


def _replaced(what: str) -> Fault:
    return "SM633", f"shows {what} instead of the built page"


def _read(data: bytes, drop: tuple[str, ...]) -> _Text:
    tree = parse(data)
    title = _plain(title_of(tree))
    main = main_part(tree, "page.html")  # both under one name
    for selector in (*drop, "time[datetime]"):
        remove(main, main.css(selector))
    heading = _plain(text_of(main.css_first("h1")))
    return _Text(title, heading, tuple(re.findall(r"\w+", _plain(read_text(main)))))


def _plain(text: str) -> str:
    return _EMAIL.sub(" ", " ".join(text.lower().split())).strip()


def _packed(text: _Text) -> str:
    return "".join(text.words)


def _is_like(built: _Text, live: _Text) -> bool:
    """Whether the live text is of another version of the page, and not of another page."""
    if built.heading and built.heading == live.heading:
        return True
    if built.title and built.title == live.title:
        return True
    length = min(_PHRASE, len(built.words))
    phrases = _phrases(built.words, length)
    shared = phrases & _phrases(live.words, length)
    return len(shared) >= _MIN_SHARE * len(phrases)


def _phrases(words: tuple[str, ...], length: int) -> set[tuple[str, ...]]:
    return {words[start : start + length] for start in range(len(words) - length + 1)}
