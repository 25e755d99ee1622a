"""The comparison of a live page with its built file.

Compares what the digest of the ledger compares, so scripts and markup that a host adds or rewrites
do not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from html import unescape
from typing import NamedTuple

from ..linter.rules.live import LivePage
from ..model import Page
from ..read import content, server
from ..read.content import DigestRule
from ..read.facts import ReadOptions, extract_facts
from ..read.main_part import main_part, remove
from ..read.server import read
from ..read.walk import SiteRoot
from ..syntax.html import parse_tree
from ..syntax.urls import relative_path
from .asking import Request

MAX_PAGE = 256 * 1024  # bytes that are read of a page
_LOGIN = re.compile(rb"<input[^<>]{0,500}\btype\s{0,9}=\s{0,9}[\"']?password", re.IGNORECASE)
_FILE_LIST = re.compile("(?:index of|directory listing for) /")
_TITLE = re.compile(rb"<title[^<>]*>([^<]{0,2000})</title", re.IGNORECASE)
_LAST_TAG = re.compile(rb"(</\w{1,40}>)\s*+\Z")
_END = 40  # last characters of a text that a page must contain if its last tag is missing
_ANY_PAGE = "page.html"  # both copies of a page are read under the same name
_PHRASE_WORDS = 3  # so many words in a row are the same by chance only in few places
# An older or changed version of a page shares so many of its phrases, another page hardly any.
_MIN_SHARE_OF_PHRASES = 0.1
# Cloudflare hides addresses: "[email protected]" stands for each.
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,9}|\[email.protected\]")


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


class _Text(NamedTuple):
    """The title, the main heading and the words of the main text of a page, in lower case."""

    title: str
    heading: str
    words: Sequence[str]

    def is_like(self, other: _Text) -> bool:
        """Whether another text is of a version of this page, and not of another page.

        One of these is enough: the same heading, the same title, or a tenth of the phrases of this
        text. A phrase is three words in a row.
        """
        if self.heading and self.heading == other.heading:
            return True
        if self.title and self.title == other.title:
            return True
        length = min(_PHRASE_WORDS, len(self.words))  # a text of one or two words is one phrase
        phrases = self._phrases(length)
        shared = phrases & other._phrases(length)
        return len(shared) >= _MIN_SHARE_OF_PHRASES * len(phrases)

    def _phrases(self, length: int) -> set[tuple[str, ...]]:
        """Lists all phrases with `length` words. Of a b c d, with 3: (a, b, c), (b, c, d)."""
        starts = range(len(self.words) - length + 1)
        return {tuple(self.words[start : start + length]) for start in starts}


class _BuiltPage(NamedTuple):
    """A built page: a function that reads it again, its title, and whether it has a login form."""

    read: Callable[[], tuple[Page, bytes]]
    title: str
    has_login: bool


class BuiltPages:
    """The built pages of the requested URLs, with which live pages are compared.

    They are in the folder `root`, served at `base_url`. Without a folder, there are no built pages.
    `rule` says which parts of a page count for its digest. The title of each page is read at once,
    and the page is read again when it is compared.
    """

    def __init__(
        self, chosen: Sequence[Request], root: SiteRoot | None, base_url: str, rule: DigestRule
    ) -> None:
        """Reads the built pages of the `chosen` URLs, and keeps their titles.

        `root` is the folder of the built site, None if the site was not built here. `rule` says
        which parts of a page are compared.
        """
        self.compared = 0  # how many live pages `compare` has compared
        self._rule = rule
        self._page_by_url: dict[str, _BuiltPage] = {}
        # The first URL with each title. If the host shows the page of another URL, its title says
        # which one.
        self._url_by_title: dict[str, str] = {}
        if root is None:
            return
        for request in chosen:
            path = relative_path(request.url, base_url)
            page = None if path is None else server.page_at(root, path)
            if page is not None:
                self._add(request.url, partial(read, root, page, MAX_PAGE))

    def _add(self, url: str, read_page: Callable[[], tuple[Page, bytes]]) -> None:
        """Adds a built page to those with which `compare` compares live pages.

        Keeps its title, and whether it has a login form, because a host may show another page or a
        login form in its place. A page that cannot be read is not added, and so not compared.
        """
        try:
            _, body = read_page()
        except OSError:
            return
        title = title_of(body)
        has_login = _LOGIN.search(body) is not None
        self._page_by_url[url] = _BuiltPage(read_page, title, has_login)
        self._url_by_title.setdefault(title, url)

    def compare(self, page: LivePage, body: bytes) -> LivePage:
        """Adds to a live page how its body differs from the built page of its URL.

        the page has no built file                      → it stays as it is
        a login form that the built page does not have  → `shows="a login form"`
        the title "Index of /b"                         → `shows="a list of files"`
        the title of the built page of /c               → `shows="the page of …/c"`
        anything else                                   → what `_compare_bodies` finds
        """
        built_page = self._page_by_url.get(page.url)
        if built_page is None:
            return page
        self.compared += 1
        if _LOGIN.search(body) and not built_page.has_login:
            return page._replace(shows="a login form")
        title = title_of(body)
        if title and title != built_page.title:
            if _FILE_LIST.match(title):
                return page._replace(shows="a list of files")
            if title in self._url_by_title:
                return page._replace(shows=f"the page of {self._url_by_title[title]}")
        try:
            _, built = built_page.read()
        except OSError:  # it was removed meanwhile
            return page
        return _compare_bodies(page, built, body, self._rule)


def _compare_bodies(page: LivePage, built: bytes, live: bytes, rule: DigestRule) -> LivePage:
    """Compares the bodies of a built page and a live page, and adds the difference to `page`.

    Only the text counts: a host may rewrite links and images, for example. `rule` says which parts
    of a page do not count either.

    the live page was cut off           → `missing_end="</html>"`
    its text is that of another page    → `shows="another page"`
    its text has changed                → `is_changed=True`
    its text is the same                → `page` as it is
    """
    if built == live:
        return page
    # Of a longer page, only MAX_PAGE bytes were read, so its end is not known.
    are_both_whole = len(built) < MAX_PAGE and len(live) < MAX_PAGE
    if are_both_whole:
        missing_end = _find_missing_end(built, live)
        if missing_end:
            return page._replace(missing_end=missing_end)
        if _digest(built, rule) == _digest(live, rule):
            return page
    built_text = _read_text(built, rule)
    live_text = _read_text(live, rule)
    has_no_text = not (built_text.title or built_text.heading or built_text.words)
    if has_no_text or built_text == live_text:
        return page
    if built_text.words and not built_text.is_like(live_text):
        return page._replace(shows="another page")
    if are_both_whole:
        return page._replace(is_changed=True)
    # A longer page may only seem to differ: if the host adds markup, fewer words of the page are in
    # the bytes that were read.
    return page


def _find_missing_end(built: bytes, live: bytes) -> str:
    """Returns the last tag of a built page, such as `</html>`, if the live page was cut off.

    "" if the live page is complete. A missing tag alone does not show that a page was cut off: a
    host that minifies pages may remove the last tags. So one of these has to be true, too:

    - the live page is just the beginning of the built page
    - the last 40 characters of the built text are missing in the live page
    """
    last = _LAST_TAG.search(built[-100:])  # the end is enough for a tag, and quick to search
    if last is None:
        return ""
    tag = last[1].lower()
    # Counted, because a script or an example may contain the same tag before the end.
    has_all_tags = live.lower().count(tag) >= built.lower().count(tag)
    if has_all_tags:
        return ""
    is_beginning = bool(live.strip()) and built.startswith(live.rstrip())
    # Without spaces, which a minifier may change.
    end_of_text = "".join(text_of(built).split())[-_END:]
    if is_beginning or end_of_text not in "".join(text_of(live).split()):
        return tag.decode("ascii", "replace")
    return ""


def _digest(body: bytes, rule: DigestRule) -> str | None:
    """Computes the digest that the ledger would record for a page, None if it would not."""
    options = ReadOptions(signals=None, dates=False, digest=rule, images=False)
    return extract_facts(_ANY_PAGE, body, options).digest


def _read_text(body: bytes, rule: DigestRule) -> _Text:
    """Reads the title, heading and words of a page, as far as they count for its digest.

    Dates and the parts that `[ledger] drop` names do not count. A page without a main part has only
    a title.
    """
    tree = parse_tree(body)
    title = content.read_outline(tree, body).title
    main = main_part(tree, _ANY_PAGE)
    if main is None:
        return _Text(title=_normalise(title), heading="", words=())
    for selector in (*rule.drop, "time[datetime]"):
        remove(main.node, main.node.css(selector))
    heading = main.node.css_first("h1")
    return _Text(
        title=_normalise(title),
        heading=_normalise(heading.text() if heading else ""),
        words=tuple(re.findall(r"\w+", _normalise(main.node.text()))),
    )


def _normalise(text: str) -> str:
    """Puts a text into lower case with single spaces, and removes e-mail addresses.

    Some hosts hide addresses, so they must not make a difference: "Mail  a@b.example" → "mail".
    """
    return _EMAIL.sub(" ", " ".join(text.lower().split())).strip()
