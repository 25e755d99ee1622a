"""What the answers of a live host mean for crawlers: faults, by the rules SM6. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ..net import Answer
from ..read.content import main_part, read_text, remove, title_of
from ..read.html import parse
from ..read.page import Options, facts_of
from ..select.page import base_of
from ..syntax.robots import forbids_index
from ..syntax.urls import comparison_key, origin_of, resolve
from .target import Target

_GZIP = b"\x1f\x8b"
_PACKED = "is compressed twice, or without a Content-Encoding"
_HTML = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|<!--.*?-->)*+<(?:!doctype html|html)\b", re.I | re.S)
# What bot checks send with 403, or instead of a page.
_CHALLENGE_HEADERS = ("cf-mitigated", "x-vercel-mitigated", "x-amzn-waf-action")
_CHALLENGE = re.compile(
    rb"just a moment|_incapsula_resource|captcha|errors\.edgesuite\.net", re.IGNORECASE
)
_NO_PAGE_TYPES = ("text/plain", "application/octet-stream", "binary/octet-stream")
_FORM = re.compile(r"/?(?:index)?(?:\.html)?/?$")  # in which the URLs of a page differ
# Cloudflare hides addresses: "[email protected]" stands for each.
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,9}|\[email.protected\]")


class Fault(NamedTuple):
    """How a URL breaks a rule, and the other URL that it redirects to or names as canonical."""

    code: str
    text: str
    other: str = ""


class PageText(NamedTuple):
    """The title of a page, and its main text without white space, which minifiers change."""

    title: str
    text: str


def is_html(data: bytes) -> bool:
    """Whether a body begins as an HTML page."""
    return _HTML.match(data) is not None


def refusal_of(answer: Answer) -> Literal["", "denied", "challenge"]:
    """Whether an answer may be for this program only: a 401, 403, 429, or a check for browsers."""
    values = {answer.headers.get(name) for name in _CHALLENGE_HEADERS}
    if values & {"challenge", "captcha"}:
        return "challenge"
    if answer.status not in (401, 403, 429):
        return ""
    # A page that is shown may well contain the word captcha.
    return "challenge" if _CHALLENGE.search(answer.body) else "denied"


def refusal_fault(answer: Answer) -> Fault:
    """The fault of a URL that is refused to this program."""
    text = f"refuses this program with {answer.status}, but may let crawlers in"
    return Fault("SM603", text)


def reason_of(answer: Answer) -> str:
    """What an answer without a page is, as the end of a sentence: `answers 404`."""
    return answer.failure.text if answer.failure else f"answers {answer.status}"


def judge_sitemap(answer: Answer) -> Fault | None:
    """Why crawlers cannot fetch a sitemap, by its answer; None if they can."""
    if refusal_of(answer):
        return refusal_fault(answer)
    text = ""
    if answer.location:
        text = f"redirects to {answer.location}"
    elif answer.status != 200 or answer.failure:
        text = reason_of(answer)
    elif is_html(answer.body):
        text = "is an HTML page"
    elif _is_packed(answer):
        text = _PACKED
    return Fault("SM611", text) if text else None


def _is_packed(answer: Answer) -> bool:
    """Whether a body is compressed once more than its name and its Content-Encoding say."""
    return answer.body.startswith(_GZIP) and not answer.url.endswith(".gz")


def judge_page(
    url: str, answer: Answer, target: Target, missing: PageText, now: int
) -> Iterator[Fault]:
    """Yields why search engines do not index the page at a listed URL, by its answer.

    `missing` is what the host shows at a path that cannot exist. `now` is in seconds.
    """
    if answer.failure or answer.status >= 500:
        yield Fault("SM622", reason_of(answer))
    elif 300 <= answer.status < 400:
        other = target.as_listed(answer.location)
        yield Fault("SM623", _redirect(url, other), other)
    elif answer.status != 200:  # a 204 has no page, too
        yield Fault("SM621", reason_of(answer))
    elif not answer.body.strip():
        yield Fault("SM633", "answers 200 with an empty body")
    elif _is_packed(answer):
        yield Fault("SM622", _PACKED)
    else:
        yield from _judge_content(url, answer, target, now)
        # The home page may be what an app shows for every path, and an app may have no text.
        if missing.text and url != target.listed and read_page(answer.body) == missing:
            yield Fault("SM621", "shows the “not found” page with status 200")


def _judge_content(url: str, answer: Answer, target: Target, now: int) -> Iterator[Fault]:
    """Yields what is wrong with a page by its headers and what its head says."""
    content_type = answer.headers.get("Content-Type", "").lower()
    if content_type.startswith(_NO_PAGE_TYPES) and is_html(answer.body):
        yield Fault("SM630", f"its content type is {content_type}")
    facts = facts_of("", answer.body, Options(signals=True, canonical=True))
    for name, text in facts.robots:
        if forbids_index(text, now):
            yield Fault("SM624", f'is noindex by <meta name="{name}" content="{text}">')
    for text in answer.headers.getlist("X-Robots-Tag"):
        # That of a preview is meant for the preview only.
        if forbids_index(text, now) and not target.is_preview:
            yield Fault("SM624", f"is noindex by the header X-Robots-Tag: {text}")

    base = base_of(facts, url)
    refresh = resolve(facts.refresh, base) if facts.refresh else None
    if refresh and refresh != url:
        yield Fault("SM623", _redirect(url, refresh), refresh)
    canonical = resolve(facts.canonical, base) if isinstance(facts.canonical, str) else None
    if canonical and _page_key(canonical) != _page_key(url):
        yield Fault("SM625", "names another canonical", canonical)


def _page_key(url: str) -> str:
    """The key of the page at a URL: `http://a.example/b` is https://a.example/b itself."""
    return comparison_key(url).partition("://")[2]


def _redirect(url: str, other: str) -> str:
    """Says what a redirect changes: the host, the form of the URL, or the page."""
    if not other:
        return "redirects without a valid Location"
    if origin_of(url) != origin_of(other):
        return f"redirects to {origin_of(other)}"
    if is_other_form(url, other):
        return "redirects to another form of its URL"
    return "redirects to another page"


def is_other_form(url: str, other: str) -> bool:
    """Whether two URLs are of one page: `/a.html` and `/a`, `/a/index.html` and `/a/`."""
    return url != other and _FORM.sub("", url) == _FORM.sub("", other)


def read_page(data: bytes, drop: tuple[str, ...] = ()) -> PageText:
    """Reads what a page says, without e-mail addresses and what the selectors of `drop` match."""
    tree = parse(data)
    main = main_part(tree, "page.html")  # every page under one name
    for selector in (*drop, "time[datetime]"):
        remove(main, main.css(selector))
    text = _EMAIL.sub("", read_text(main))
    return PageText(title_of(tree), "".join(text.split()))


def compare_page(built: bytes, live: bytes, drop: tuple[str, ...]) -> Iterator[Fault]:
    """Yields how a live page differs from the built one.

    What hosts add and rewrite does not count: scripts, styles, white space, e-mail addresses.
    """
    here, there = read_page(built, drop), read_page(live, drop)
    if here.title != there.title:
        shown = f"“{there.title}”" if there.title else "a page without a title"
        yield Fault("SM633", f"shows {shown} instead of the built page")
    elif here.text != there.text:
        yield Fault("SM635", "shows another text than the built page")
