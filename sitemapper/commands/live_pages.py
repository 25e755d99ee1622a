"""What an answer of the live host shows: a page, a redirect, a refusal or a failure. Pure."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from ..linter.rules.live import LiveAnswer, LivePage, Role
from ..model import Metadata
from ..protocol import MAX_BYTES
from ..read.metadata import read_metadata
from ..read.sitemap import is_html as is_html_page
from ..select import signals
from ..syntax.links import base_of
from ..syntax.robots import header_forbids, is_past
from ..syntax.urls import resolve, without_scheme
from .asking import Request, Scope
from .built_pages import MAX_PAGE, BuiltPages, text_of, title_of

if TYPE_CHECKING:
    from ..net.client import Answer

_GZIP = b"\x1f\x8b"
# What bot checks send with 403, or instead of a page.
_CHALLENGE_HEADERS = ("cf-mitigated", "x-vercel-mitigated", "x-amzn-waf-action")
_CHALLENGE = re.compile(
    rb"just a moment|_incapsula_resource|captcha|errors\.edgesuite\.net", re.IGNORECASE
)
_REDIRECTS = (301, 302, 303, 307, 308)
# A target and its parameters in a Link header: `<https://a.example/b>; rel="canonical"`.
_LINK = re.compile(r"<([^<>]*)>([^<]*)")


class Body(NamedTuple):
    """The unpacked bytes of a body."""

    content: bytes
    problem: str  # why crawlers cannot unpack it, "" if they can


class NotFoundPage:
    """The page that the host shows for a path that cannot exist, to recognise it elsewhere."""

    def __init__(self, url: str, body: bytes) -> None:
        self._url = url
        self._title = title_of(body)
        self._text = text_of(body)

    def is_shown_at(self, url: str, body: bytes) -> bool:
        """Whether the page at a URL has the title and text of this “not found” page.

        True means that the page is missing, even with status 200. Each page may repeat its own URL,
        so words of the two URLs do not count: "No page at /a/b.html" is the same as "No page at
        /3f9c". False if the “not found” page has no text, because there is nothing to compare.
        """
        if not self._text.strip():
            return False
        words_of_urls = {*_words(unquote(url)), *_words(unquote(self._url))}
        words_here = _words(f"{title_of(body)} {text_of(body)}")
        words_there = _words(f"{self._title} {self._text}")
        # A word of a URL becomes "…". The URLs have different numbers of words, so `groupby` makes
        # one word of equal words in a row: no, page, at, …, …, … → no, page, at, …
        marked_here = ["…" if word in words_of_urls else word for word in words_here]
        marked_there = ["…" if word in words_of_urls else word for word in words_there]
        text_here = [word for word, _ in groupby(marked_here)]
        text_there = [word for word, _ in groupby(marked_there)]
        return text_here == text_there


def _words(text: str) -> list[str]:
    """Splits a text into words in lower case: "/docs/old-tea.html" → docs, old, tea, html."""
    return re.findall(r"[^\W_]+", text.lower())


def read_live_page(
    request: Request,
    answer: Answer,
    scope: Scope,
    not_found: NotFoundPage,
    now: int,
    built: BuiltPages,
) -> LivePage:
    """Reads what crawlers see at a URL from the answer of the host, such as its noindex.

    `not_found` is the page that the host shows for a path that cannot exist, by which a missing
    page is recognised. `built` are the pages that were built on this machine: a listed page is
    compared with the one of its URL. `now` is in seconds.
    """
    url = request.url
    requested_url = scope.to_requested(url) or url  # on another host for a preview
    page = LivePage(url=url, answer=facts_of(answer, requested_url, scope), role=request.role)
    if answer.status != 200 or page.answer.error:  # there is no whole page to read
        return page
    body, problem = unpack(answer, url, MAX_PAGE)
    is_html = "html" in answer.header("content-type") or is_html_page(body)
    metadata = read_metadata(body if is_html else b"", signals.head_signals())
    is_not_found_page = is_html and _is_not_found_page(requested_url, body, not_found, scope)
    # The noindex headers of a preview are meant for the preview only.
    robots_headers = [] if scope.is_preview else answer.values("x-robots-tag")
    page = page._replace(
        # The host does not redirect, as its status is 200. But the page may, with a refresh.
        answer=page.answer._replace(target=_find_refresh(metadata, url), unpacking_error=problem),
        noindex=_find_noindex(robots_headers, metadata.signals, now),
        is_empty=not body and not problem,
        is_not_found_page=is_not_found_page,
    )
    canonical = _find_other_canonical(answer, metadata, url)
    # `http://a.example/b` is the page https://a.example/b itself.
    if without_scheme(canonical) != without_scheme(url):
        page = page._replace(canonical=canonical)
    # Only a listed page has to be the built one.
    is_listed_page = is_html and body and not is_not_found_page and request.role is Role.LISTED
    return built.compare(page, body) if is_listed_page else page


def _is_not_found_page(url: str, body: bytes, not_found: NotFoundPage, scope: Scope) -> bool:
    """Whether the host shows its “not found” page at a URL, because the page itself is missing.

    The home page is never missing. `/404.html` is the “not found” page itself, and may be listed.
    """
    is_home_page = url == scope.requested_base
    is_404_page = url.endswith(("/404", "/404/", "/404.html"))
    return not is_home_page and not is_404_page and not_found.is_shown_at(url, body)


def _find_refresh(metadata: Metadata, url: str) -> str:
    """Finds the URL to which the `<meta http-equiv="refresh">` of a page leads.

    "" if the page has none, or one that only reloads it. `url` is that of the page.
    """
    if "refresh" not in metadata.signals:
        return ""
    target = resolve(metadata.signals["refresh"], base_of(metadata, url))
    if not target or target == url:
        return ""
    return target


def _find_other_canonical(answer: Answer, metadata: Metadata, url: str) -> str:
    """Finds the canonical of the page at `url`, if it is another URL.

    The `<link rel="canonical">` counts before a Link header, such as
    `Link: <https://a.example/b>; rel="canonical"`. "" if the page names none, or itself.
    """
    href = metadata.signals.get("canonical")
    if not href:
        for target, parameters in _LINK.findall(answer.header("link")):
            if "rel=canonical" in parameters.lower().replace('"', ""):
                href = target
                break
    canonical = resolve(href, base_of(metadata, url)) if href else None
    if not canonical or canonical == resolve(url, url):
        return ""
    return canonical


def _find_noindex(headers: Iterable[str], texts: Mapping[str, str], now: int) -> str:
    """Finds what forbids indexing a page: "the header X-Robots-Tag: noindex". "" for nothing.

    A header X-Robots-Tag, a robots meta, or a date `unavailable_after` before `now` may forbid it.
    `headers` are the values of X-Robots-Tag. `texts` has what the head of the page says:
    `{"noindex": '<meta name="robots" content="noindex">'}`. `now` is in seconds.
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


def facts_of(answer: Answer, requested_url: str, scope: Scope) -> LiveAnswer:
    """Reads the facts of an answer from its status and headers, as the rules of `verify` need them.

    301 with `Location: /b`       → the target `https://a.example/b`
    301 without a Location        → the target "no valid URL"
    401, 403 or 429               → a refusal
    a bot check with any status   → a refusal and a challenge

    A Location may be relative to `requested_url`.
    """
    target = ""
    if answer.status in _REDIRECTS:
        target = resolve(answer.header("location"), requested_url) or "no valid URL"
    is_denied = answer.status in (401, 403, 429)
    # Bot checks say so in a header or, where access is denied, in the body. Any other page may well
    # contain the word captcha.
    header_values = [answer.header(name) for name in _CHALLENGE_HEADERS]
    is_challenge = "challenge" in header_values or "captcha" in header_values
    if is_denied and _CHALLENGE.search(answer.body):
        is_challenge = True
    return LiveAnswer(
        status=answer.status,
        target=scope.to_listed(target),
        error=answer.error,
        is_connected=answer.is_connected,
        refuses_program=is_denied or is_challenge,
        is_challenge=is_challenge,
        content_type=answer.header("content-type"),
    )


def unpack(answer: Answer, url: str, limit: int = MAX_BYTES + 1) -> Body:
    """Unpacks the body of an answer for `url` as crawlers do it, or says why they cannot.

        Content-Encoding  body        name in URL  result
        gzip              compressed  any          unpacked (see `_unpack_gzip`)
        gzip              text        any          a problem
        br, for example   any         any          a problem
        none              text        a.xml.gz     a problem
        none              compressed  a.xml        a problem
        none              text        a.xml        as it is
        none              compressed  a.xml.gz     as it is: the file itself is compressed

    At most `limit` bytes are unpacked.
    """
    body = answer.body
    encoding = answer.header("content-encoding").lower().strip()
    is_gz = urlsplit(url).path.lower().endswith(".gz")
    if encoding in ("gzip", "x-gzip"):
        return _unpack_gzip(body, limit, is_gz=is_gz)
    if encoding not in ("", "identity"):
        return Body(b"", f"its Content-Encoding is {encoding}, which the request did not accept")
    # Without an encoding, the bytes are those of the file.
    is_packed = body.startswith(_GZIP)
    if is_gz and not is_packed:
        return Body(body, "is named .gz, but it is not compressed")
    if is_packed and not is_gz:
        return Body(body, "is compressed, but has no Content-Encoding")
    return Body(body, "")


def _unpack_gzip(body: bytes, limit: int, *, is_gz: bool) -> Body:
    """Unpacks a body that the server compressed for the way, or says why crawlers cannot.

    `is_gz` says that the file on the server is itself compressed, such as `sitemap.xml.gz`. At most
    `limit` bytes are unpacked.
    """
    if not body.startswith(_GZIP):
        return Body(body, "its Content-Encoding is gzip, but it is not compressed")
    try:
        file = zlib.decompressobj(31).decompress(body, limit)  # 31: with a gzip header
    except zlib.error:
        return Body(b"", "its Content-Encoding is gzip, but it cannot be decompressed")
    if file.startswith(_GZIP) and not is_gz:
        return Body(file, "is compressed twice")
    return Body(file, problem="")
