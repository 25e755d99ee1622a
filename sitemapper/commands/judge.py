"""Chooses the URLs of the live host to request, and turns its answers into facts. Pure."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import unescape
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from ..extract.metadata import read_metadata
from ..linter.rules.live import LiveAnswer, LivePage, Role
from ..model import Metadata
from ..pages import signals
from ..protocol import MAX_BYTES
from ..syntax.html import parse_tree
from ..syntax.links import base_of
from ..syntax.robots import header_forbids, is_past
from ..syntax.urls import resolve

if TYPE_CHECKING:
    from ..net.client import Answer

MAX_PAGE = 256 * 1024  # bytes that are read of a page
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
_REDIRECTS = (301, 302, 303, 307, 308)
_MAX_LINK = 2_000  # characters that are read of a Link header
# A link of a Link header with rel=canonical (RFC 8288).
_CANONICAL = re.compile(
    r"""
    <([^<>]*+)>                                   # the target
    (?: [^,;<]*+ ; (?!\s*rel="?canonical) )*      # other parameters
    [^,;<]*+ ; \s*rel="?canonical"?
    """,
    re.IGNORECASE | re.VERBOSE,
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


class PageText(NamedTuple):
    """The title and the text of a page, without its own path."""

    title: str
    text: str


class Body(NamedTuple):
    """The decoded bytes of a body, and why crawlers cannot decode it, "" if they can."""

    content: bytes
    problem: str


class Request(NamedTuple):
    """A URL to request, why, and the file and line that lists it.

    `alternates` are the URLs of its language versions.
    """

    url: str
    file: str
    line: int
    alternates: tuple[str, ...] = ()
    role: Role = Role.LISTED


def plan(entries: Sequence[Request], sample: int | None) -> list[Request]:
    """The entries to request: all if there are few, else `sample` of them in their order.

    Up to half of a sample are the first entries of the largest top folders, so that each part of
    the site counts. The rest is evenly spread over the other entries, so that large folders get
    more of it.
    """
    if sample is None or len(entries) <= sample:
        return list(entries)
    first_of_folder: dict[str, int] = {}  # the position of the first entry in each top folder
    size_of_folder: Counter[str] = Counter()
    for position, entry in enumerate(entries):
        folder = _top_folder(entry.url)
        first_of_folder.setdefault(folder, position)
        size_of_folder[folder] += 1
    largest_folders = size_of_folder.most_common(sample // 2)
    firsts = {first_of_folder[folder] for folder, _size in largest_folders}
    others = [position for position in range(len(entries)) if position not in firsts]
    spread = _evenly_spread(others, sample - len(firsts))
    return [entries[position] for position in sorted(firsts.union(spread))]


def _evenly_spread(positions: Sequence[int], count: int) -> list[int]:
    """`count` of the positions at even distances, from the first to the last one.

    Four of 0 to 9 are 0, 3, 6 and 9.
    """
    last = len(positions) - 1
    steps = max(1, count - 1)
    return [positions[last * step // steps] for step in range(count)]


def _top_folder(url: str) -> str:
    """The first folder of a URL's path, "" for a page at the root."""
    path = url.partition("://")[2].partition("/")[2]
    folders = path.rpartition("/")[0]
    return folders.partition("/")[0]


def title_of(body: bytes) -> str:
    """The title of a page in lower case with single spaces, "" if it has none."""
    match = _TITLE.search(body)
    if match is None:
        return ""
    title = unescape(match[1].decode("utf-8", "replace"))
    return " ".join(title.lower().split())


class BuiltPages:
    """The titles of the built pages, and which have a login form, from their URLs and bytes."""

    def __init__(self, pages: Iterable[tuple[str, bytes]]) -> None:
        self._titles: dict[str, str] = {}
        self._owners: dict[str, str] = {}  # one URL of each title
        self._logins: set[str] = set()
        for url, body in pages:
            title = title_of(body)
            self._titles[url] = title
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
        if _FILE_LIST.match(title):
            return "a list of files"
        if title in self._owners:
            return f"the page of {self._owners[title]}"
        return ""


def judge(
    entry: Request, answer: Answer, scope: Scope, not_found: PageText, now: int, built: BuiltPages
) -> LivePage:
    """What the answer for a URL shows of its page. Of a failure or redirect, that alone.

    `not_found` is what the host shows for missing pages, and `built` are the pages that should be
    live. `now` is in seconds. Pure.
    """
    url = entry.url
    place = scope.place(url) or url  # the URL that was requested, perhaps on a preview
    facts = facts_of(answer, place, scope)
    if answer.status != 200 or facts.error:
        return LivePage(url, facts, entry.role)
    body, unpackable = unpack(answer, url, MAX_PAGE)
    is_html = "html" in answer.header("content-type") or bool(HTML.match(body))
    metadata = read_metadata(body if is_html else b"", signals.in_heads())
    # The noindex headers of a preview are meant for the preview only.
    robots_headers = [] if scope.is_preview else answer.values("x-robots-tag")
    canonical = _other_canonical(answer, metadata, url)  # "" for none
    is_other_scheme = _without_scheme(canonical) == _without_scheme(url)
    shown_instead = ""
    is_not_found_page = False
    if is_html:
        shown_instead = built.shown_instead(url, body)
        if _may_be_missing(place, scope):
            is_not_found_page = _is_not_found_page(body, place, not_found)
    return LivePage(
        url,
        facts._replace(target=_refresh_target(metadata, url), unpackable=unpackable),
        entry.role,
        noindex=_noindex(robots_headers, metadata.signals, now),
        canonical="" if is_other_scheme else canonical,
        other_scheme=canonical if is_other_scheme else "",
        shows=shown_instead,
        is_empty=not body and not unpackable,
        is_not_found_page=is_not_found_page,
    )


def _refresh_target(metadata: Metadata, url: str) -> str:
    """Where the refresh of a page leads, "" if it has none or reloads the page."""
    if "refresh" not in metadata.signals:
        return ""
    target = resolve(metadata.signals["refresh"], base_of(metadata, url))
    if not target or target == url:
        return ""
    return target


def _other_canonical(answer: Answer, metadata: Metadata, url: str) -> str:
    """The canonical of a page, by its tag or else its header; "" if it is the URL itself."""
    href = metadata.signals.get("canonical") or _linked_canonical(answer)
    canonical = resolve(href, base_of(metadata, url)) if href else None
    if not canonical or canonical == resolve(url, url):
        return ""
    return canonical


def _linked_canonical(answer: Answer) -> str:
    """The canonical in the Link headers, "" if there is none."""
    for link in answer.values("link"):
        match = _CANONICAL.search(link[:_MAX_LINK])
        if match:
            return match[1]
    return ""


def _without_scheme(url: str) -> str:
    """`example.com/a` for https://example.com/a."""
    return url.partition("://")[2]


def _may_be_missing(place: str, scope: Scope) -> bool:
    """Whether a URL may show the page for missing ones: neither the home page nor that page."""
    return place != scope.at and not re.search(r"/404(\.html|/)?$", place)


def _is_not_found_page(body: bytes, place: str, not_found: PageText) -> bool:
    """Whether a page says the same as the one that the host shows for missing pages."""
    return not_found.text != "" and text_of(body, place) == not_found


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
    if date and is_past(date, now):
        return f"unavailable_after: {date}"
    return ""


def is_same_page(url: str, target: str) -> bool:
    """Whether a redirect leads to another form of the same URL."""
    return url != target and _stem(url) == _stem(target)


def _stem(url: str) -> str:
    """A URL without what forms of it differ by: /a for /a/index.html, /a.html, /a/ and /a."""
    return re.sub(r"(?:index)?(?:\.html)?/?$", "", url).rstrip("/")


def facts_of(answer: Answer, place: str, scope: Scope) -> LiveAnswer:
    """The facts in the status and the headers of an answer for the URL `place`."""
    target = ""
    if answer.status in _REDIRECTS:
        target = resolve(answer.header("location"), place) or "no valid URL"
    is_denied = answer.status in (401, 403, 429)
    is_challenge = _names_challenge(answer)
    if is_denied and _CHALLENGE.search(answer.body):
        is_challenge = True
    return LiveAnswer(
        answer.status,
        scope.listed(target),
        answer.error,
        answer.is_connected,
        is_refusal=is_denied or is_challenge,
        is_challenge=is_challenge,
        content_type=answer.header("content-type"),
    )


def _names_challenge(answer: Answer) -> bool:
    """Whether a header says that the host asks for a proof of a browser."""
    values = [answer.header(name) for name in _CHALLENGE_HEADERS]
    return "challenge" in values or "captcha" in values


def unpack(answer: Answer, url: str, limit: int = MAX_BYTES + 1) -> Body:
    """At most `limit` bytes of the decoded body of an answer for `url`."""
    body = answer.body
    encoding = answer.header("content-encoding").lower().strip()
    is_gz = urlsplit(url).path.lower().endswith(".gz")
    if encoding in ("gzip", "x-gzip"):
        return _unpack_gzip(body, limit, is_gz=is_gz)
    if encoding not in ("", "identity"):
        what = f"its Content-Encoding is {encoding}, which the request did not accept"
        return Body(b"", what)
    is_packed = body.startswith(_GZIP)
    if is_gz and not is_packed:
        return Body(body, "is named .gz, but it is not compressed")
    if is_packed and not is_gz:
        return Body(body, "is compressed, but has no Content-Encoding")
    return Body(body, "")


def _unpack_gzip(body: bytes, limit: int, *, is_gz: bool) -> Body:
    """Undoes the Content-Encoding gzip. A file named .gz is still compressed after that."""
    if not body.startswith(_GZIP):
        return Body(body, "its Content-Encoding is gzip, but it is not compressed")
    try:
        inner = zlib.decompressobj(31).decompress(body, limit)  # 31: with a gzip header
    except zlib.error:
        return Body(b"", "its Content-Encoding is gzip, but it cannot be unpacked")
    if inner.startswith(_GZIP) and not is_gz:
        return Body(inner, "is compressed twice")
    return Body(inner, "")


def text_of(body: bytes, place: str) -> PageText:
    """The title and text of a page, without its own path, which the text may repeat."""
    title = title_of(body)
    tree = parse_tree(body)
    for node in tree.css("script, style, template"):
        node.decompose()
    text = tree.body.text() if tree.body else ""
    return PageText(_without_echo(title, place), _without_echo(text, place))


def _without_echo(text: str, place: str) -> str:
    """A text without the URL, the path and the name of its page, and with single spaces.

    "No page at /a/b.html" and "No page at /c.html" become the same text.
    """
    path = urlsplit(place).path
    name = path.rpartition("/")[2]
    rest = text
    for echo in (place, path, unquote(path), name, unquote(name)):
        if len(echo) > 1:  # a "/" alone may be anything
            rest = rest.replace(echo, "")
    return " ".join(rest.split())
