"""The comparison of a live page with its built file.

Compares what the digest of the ledger compares, so scripts and markup that a host adds or rewrites
do not count.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from ..linter.rules.live import LivePage
from ..model import Page
from ..read import content, server, walk
from ..read.content import DigestRule
from ..read.contents import read
from ..read.facts import ReadOptions, extract_facts
from ..read.main_part import main_part, remove
from ..site import Site
from ..syntax.html import parse_tree
from ..syntax.urls import relative_path
from .asking import Request
from .page_text import text_of, title_of

MAX_PAGE = 256 * 1024  # bytes that are read of a page
_LOGIN = re.compile(rb"<input[^<>]{0,500}\btype\s{0,9}=\s{0,9}[\"']?password", re.IGNORECASE)
_FILE_LIST = re.compile("(?:index of|directory listing for) /")
_LAST_TAG = re.compile(rb"(</\w{1,40}>)\s*+\Z")
_ANY_PAGE = "page.html"  # both copies of a page are read under the same name
_END = 40  # last characters of a text that a page must contain if its last tag is missing
_PHRASE = 3  # words that two texts share by chance only in few places
_SHARED = 0.1  # of the phrases, in an older or changed page
# Cloudflare hides addresses: "[email protected]" stands for each.
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,9}|\[email.protected\]")


class _Text(NamedTuple):
    """The title, the main heading and the main text of a page, in lower case."""

    title: str
    heading: str
    words: Sequence[str]

    def is_like(self, other: _Text) -> bool:
        """Whether another page has the title, the heading or a part of the text."""
        if self.heading and self.heading == other.heading:
            return True
        if self.title and self.title == other.title:
            return True
        return self._shares_text(other)

    def _shares_text(self, other: _Text) -> bool:
        """Whether a part of the text is in another page; of a few words, all of them."""
        if len(self.words) < _PHRASE:
            return bool(self.words) and set(self.words) <= set(other.words)
        own = self._phrases()
        return len(own & other._phrases()) >= _SHARED * len(own)

    def _phrases(self) -> set[tuple[str, ...]]:
        """The words in groups of three, at each place."""
        starts = range(len(self.words) - _PHRASE + 1)
        return {tuple(self.words[start : start + _PHRASE]) for start in starts}


class BuiltPages:
    """The built pages of URLs, and the rule of their digests. `readers` read each by its URL."""

    def __init__(self, readers: Mapping[str, Callable[[], bytes]], rule: DigestRule) -> None:
        self.compared = 0  # live pages
        self._readers = readers
        self._rule = rule
        self._titles: dict[str, str] = {}
        self._owners: dict[str, str] = {}  # one URL of each title
        self._logins: set[str] = set()
        for url, read_page in readers.items():
            try:
                body = read_page()
            except OSError:  # it is compared if it can be read
                continue
            title = title_of(body)
            self._titles[url] = title
            self._owners.setdefault(title, url)
            if _LOGIN.search(body):
                self._logins.add(url)

    def compare(self, page: LivePage, body: bytes) -> LivePage:
        """The live page, with how its body differs from the built one."""
        own = self._titles.get(page.url)
        if own is None:
            return page
        self.compared += 1
        if _LOGIN.search(body) and page.url not in self._logins:
            return page._replace(shows="a login form")
        title = title_of(body)
        if title and title != own:
            if _FILE_LIST.match(title):
                return page._replace(shows="a list of files")
            if title in self._owners:
                return page._replace(shows=f"the page of {self._owners[title]}")
        try:
            built = self._readers[page.url]()
        except OSError:
            return page
        return _compare(page, built, body, self._rule)


def _compare(page: LivePage, built: bytes, live: bytes, rule: DigestRule) -> LivePage:
    """The live page, with how it differs from its built file, if it shows no known other page."""
    if built == live:
        return page
    is_whole = len(built) < MAX_PAGE and len(live) < MAX_PAGE
    if is_whole:
        missing_end = _missing_end(built, live)
        if missing_end:
            return page._replace(missing_end=missing_end)
        if _digest(built, rule) == _digest(live, rule):
            return page
    own = _read_text(built, rule)
    shown = _read_text(live, rule)
    has_nothing = not (own.title or own.heading or own.words)
    if has_nothing or own == shown:  # a host may rewrite links
        return page
    if own.words and not own.is_like(shown):
        return page._replace(shows="another page")
    return page._replace(is_changed=is_whole)


def _missing_end(built: bytes, live: bytes) -> str:
    """The last tag of a built page, if the live page ends before it. "" if it is complete.

    A minifier may remove the last tags, so the end of the text must be missing too.
    """
    last = _LAST_TAG.search(built[-100:])
    if last is None:
        return ""
    tag = last[1].lower()
    if live.lower().count(tag) >= built.lower().count(tag):
        return ""
    is_beginning = bool(live.strip()) and built.startswith(live.rstrip())
    end = "".join(text_of(built).split())[-_END:]
    if is_beginning or end not in "".join(text_of(live).split()):
        return tag.decode("ascii", "replace")
    return ""


def _digest(body: bytes, rule: DigestRule) -> str | None:
    """The digest that the ledger would record for a page."""
    options = ReadOptions(signals=None, dates=False, digest=rule, images=False)
    return extract_facts(_ANY_PAGE, body, options).digest


def _read_text(body: bytes, rule: DigestRule) -> _Text:
    """What a page says, without the parts that do not count for its digest."""
    tree = parse_tree(body)
    title = content.read_outline(tree, body).title
    main = main_part(tree, _ANY_PAGE)
    if main is None:
        return _Text(_squeezed(title), "", ())
    for selector in (*rule.drop, "time[datetime]"):
        remove(main.node, main.node.css(selector))
    heading = main.node.css_first("h1")
    return _Text(
        _squeezed(title),
        _squeezed(heading.text() if heading else ""),
        tuple(re.findall(r"\w+", _squeezed(main.node.text()))),
    )


def _squeezed(text: str) -> str:
    """A text in lower case with single spaces, without addresses."""
    return _EMAIL.sub(" ", " ".join(text.lower().split())).strip()


def built_files(chosen: Sequence[Request], site: Site) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """The requested URLs that have a built file, with what reads the beginning of each file."""
    if not os.path.isdir(site.root):
        return
    root = walk.folder(site.root, (), site.include)
    for entry in chosen:
        path = relative_path(entry.url, site.base_url)
        page = None if path is None else server.page_at(root, path)
        if page is not None:
            yield entry.url, partial(_beginning_of, root, page)


def _beginning_of(root: walk.SiteRoot, page: Page) -> bytes:
    """The first bytes of a page. Raises OSError."""
    _, data = read(root, page, MAX_PAGE)
    return data
