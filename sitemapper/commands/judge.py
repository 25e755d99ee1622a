"""Chooses the URLs of the live host to request, and turns its answers into facts for the rules.

Pure.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import unescape
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from ..extract.metadata import read_metadata
from ..linter.rules.live import LiveAnswer, LivePage
from ..pages import signals
from ..protocol import MAX_BYTES
from ..syntax.html import parse_tree
from ..syntax.links import base_of
from ..syntax.robots import header_forbids, is_past
from ..syntax.urls import resolve

if TYPE_CHECKING:
    from ..net.client import Answer

MAX_PAGE = 256 * 1024  # bytes that are read of a page
PageText = tuple[str, str]  # the title and the text of a page
_GZIP = b"\x1f\x8b"
HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)", re.IGNORECASE)
_TITLE = re.compile(rb"<title[^<>]*>([^<]{0,2000})</title", re.IGNORECASE)
_LOGIN = re.compile(rb"<input[^<>]{0,500}\btype\s{0,9}=\s{0,9}[\"']?password", re.IGNORECASE)
_FILE_LIST = re.compile("(?:index of|directory listing for) /")
# What bot checks send with 403, or instead of a page.
_CHALLENGE_HEADERS = ("cf-mitigated", "x-vercel-mitigated", "x-amzn-waf-action")
_CHALLENGE = re.compile(
    rb"just a moment|_incapsula_resource|captcha|errors\.edgesuite\.net", re.IGNORECASE
)
_MAX_LINK = 2_000  # characters that are read of a Link header
_CANONICAL = re.compile(
    r"<([^<>]*+)>(?:[^,;<]*+;(?!\s*rel=\"?canonical))*[^,;<]*+;\s*rel=\"?canonical\"?",
    re.IGNORECASE,
)


class Scope(NamedTuple):
    """The sitemap's URL, the base of the URLs in it, and the base to which requests are sent."""

    sitemap: str
    base: str
    at: str

    @property
    def is_preview(self) -> bool:
        """Whether requests are sent to another host than the listed one."""
        return self.at != self.base

    def place(self, url: str) -> str | None:
        """The URL to request for a listed URL. None if it is outside the scope."""
        return self.at + url[len(self.base) :] if url.startswith(self.base) else None

    def listed(self, place: str) -> str:
        """The listed URL for a requested one."""
        return self.base + place[len(self.at) :] if place.startswith(self.at) else place


class Request(NamedTuple):
    """A URL to request, where it is listed, and its role there."""

    url: str
    file: str
    line: int
    alternates: tuple[str, ...] = ()
    role: str = "listed"


def plan(entries: Sequence[Request], sample: int | None) -> list[Request]:
    """All entries if there are few, else at most `sample`.

    Up to half of them are the first of each top folder, largest folders first. The others are
    evenly spread over all entries, so that large folders get more of them.
    """
    if sample is None or len(entries) <= sample:
        return list(entries)
    paths = (entry.url.partition("://")[2].partition("/")[2] for entry in entries)
    tops = [path.rpartition("/")[0].partition("/")[0] for path in paths]
    first = {top: n for n, top in reversed(list(enumerate(tops)))}
    chosen = {first[top] for top, _ in Counter(tops).most_common(sample // 2)}
    others = [n for n in range(len(entries)) if n not in chosen]
    rest = sample - len(chosen)
    chosen |= {others[n * (len(others) - 1) // max(1, rest - 1)] for n in range(rest)}
    return [entries[n] for n in sorted(chosen)]


def title_of(body: bytes) -> str:
    """The title of a page in lower case with single spaces, "" if it has none."""
    match = _TITLE.search(body)
    return " ".join(unescape(match[1].decode("utf-8", "replace")).lower().split()) if match else ""


class BuiltPages:
    """Facts about the built pages, from their URLs and bytes:

    their titles, and which have a login form.
    """

    def __init__(self, pages: Iterable[tuple[str, bytes]]) -> None:
        self._titles: dict[str, str] = {}
        self._owners: dict[str, str] = {}  # one URL of each title
        self._logins: set[str] = set()
        for url, body in pages:
            self._titles[url] = title = title_of(body)
            self._owners.setdefault(title, url)
            if _LOGIN.search(body):
                self._logins.add(url)

    def shown_instead(self, url: str, body: bytes) -> str:
        """What a body shows instead of the built page. "" if it may be that page."""
        own = self._titles.get(url)
        if own is None:
            return ""
        if _LOGIN.search(body) and url not in self._logins:
            return "a login form"
        title = title_of(body)
        if title == own or not title:
            return ""
        owner = f"the page of {self._owners[title]}" if title in self._owners else ""
        return "a list of files" if _FILE_LIST.match(title) else owner


def judge(
    entry: Request, answer: Answer, scope: Scope, not_found: PageText, now: int, built: BuiltPages
) -> LivePage:
    """The facts in an answer for a page.

    `not_found` is the content of the page for missing ones. Pure.
    """
    place = scope.place(entry.url) or entry.url
    page = LivePage(entry.url, facts_of(answer, place, scope), entry.role)
    if answer.status != 200 or page.answer.error:
        return page
    body, unpackable = unpack(answer, entry.url, MAX_PAGE)
    is_html = "html" in answer.header("content-type") or bool(HTML.match(body))
    metadata = read_metadata(body if is_html else b"", signals.in_heads())
    texts = metadata.signals
    base = base_of(metadata, entry.url)
    links = filter(None, (_CANONICAL.search(link[:_MAX_LINK]) for link in answer.values("link")))
    href = texts.get("canonical") or next((link[1] for link in links), None)
    canonical = resolve(href, base) if href else None
    refresh = resolve(texts["refresh"], base) if "refresh" in texts else None
    target = refresh if refresh and refresh != entry.url else ""
    elsewhere = canonical if canonical and canonical != resolve(entry.url, entry.url) else ""
    is_other_scheme = elsewhere.partition("://")[2] == entry.url.partition("://")[2]
    may_be_missing = is_html and place != scope.at and not re.search(r"/404(\.html|/)?$", place)
    return page._replace(
        answer=page.answer._replace(target=target, unpackable=unpackable),
        noindex=_noindex(() if scope.is_preview else answer.values("x-robots-tag"), texts, now),
        canonical="" if is_other_scheme else elsewhere,
        other_scheme=elsewhere if is_other_scheme else "",
        shows=built.shown_instead(entry.url, body) if is_html else "",
        is_empty=not body and not unpackable,
        is_not_found_page=may_be_missing
        and bool(not_found[1])
        and text_of(body, place) == not_found,
    )


def _noindex(headers: Iterable[str], texts: Mapping[str, str], now: int) -> str:
    """The header, tag or past date that forbids indexing, "" if there is none.

    `texts` are the signals in the head.
    """
    for value in headers:
        if header_forbids(value, now):
            return f"the header X-Robots-Tag: {value}"
    if "noindex" in texts:
        return texts["noindex"]
    date = texts.get("unavailable_after")
    return f"unavailable_after: {date}" if date and is_past(date, now) else ""


def is_same_page(url: str, target: str) -> bool:
    """Whether a redirect leads to another form of the same URL."""
    stem, other_stem = (
        re.sub(r"(?:index)?(?:\.html)?/?$", "", text).rstrip("/") for text in (url, target)
    )
    return url != target and stem == other_stem


def facts_of(answer: Answer, place: str, scope: Scope) -> LiveAnswer:
    """The facts in the status and the headers."""
    is_redirect = answer.status in (301, 302, 303, 307, 308)
    target = (resolve(answer.header("location"), place) or "no valid URL") if is_redirect else ""
    is_refusal = answer.status in (401, 403, 429)
    is_named_so = any(
        answer.header(name) in ("challenge", "captcha") for name in _CHALLENGE_HEADERS
    )
    is_challenge = is_named_so or (is_refusal and bool(_CHALLENGE.search(answer.body)))
    return LiveAnswer(
        answer.status,
        scope.listed(target),
        answer.error,
        answer.is_connected,
        is_challenge or is_refusal,
        is_challenge,
        answer.header("content-type"),
    )


def unpack(answer: Answer, url: str, limit: int = MAX_BYTES + 1) -> tuple[bytes, str]:
    """At most `limit` bytes of the decoded body, and why crawlers cannot decode it, "" if they can."""
    body, encoding = answer.body, answer.header("content-encoding").lower().strip()
    is_gz = urlsplit(url).path.lower().endswith(".gz")
    if encoding in ("gzip", "x-gzip"):
        if not body.startswith(_GZIP):
            return body, "its Content-Encoding is gzip, but it is not compressed"
        try:
            inner = zlib.decompressobj(31).decompress(body, limit)  # 31: with a gzip header
        except zlib.error:
            return b"", "its Content-Encoding is gzip, but it cannot be unpacked"
        twice = inner.startswith(_GZIP) and not is_gz
        return inner, "is compressed twice" if twice else ""
    if encoding not in ("", "identity"):
        return b"", f"its Content-Encoding is {encoding}, which the request did not accept"
    if is_gz != body.startswith(_GZIP):
        packed = "is compressed, but has no Content-Encoding"
        return body, "is named .gz, but it is not compressed" if is_gz else packed
    return body, ""


def text_of(body: bytes, place: str) -> PageText:
    """The title and text of a page, without its own path, which the text may repeat."""
    title = title_of(body)
    tree = parse_tree(body)
    for node in tree.css("script, style, template"):
        node.decompose()
    text = tree.body.text() if tree.body else ""
    return _without_echo(title, place), _without_echo(text, place)


def _without_echo(text: str, place: str) -> str:
    path = urlsplit(place).path
    for echo in (
        place,
        path,
        unquote(path),
        path.rpartition("/")[2],
        unquote(path.rpartition("/")[2]),
    ):
        text = text.replace(echo, "") if len(echo) > 1 else text
    return " ".join(text.split())
