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
    """How a host refuses this program, but perhaps no crawler; "" if it does not refuse it.

    "challenge": a bot check, which only browsers pass. "denied": a 401, 403 or 429.
    """
    values = {answer.headers.get(name) for name in _CHALLENGE_HEADERS}
    if values & {"challenge", "captcha"}:
        return "challenge"
    if answer.status not in (401, 403, 429):
        return ""
    # Only the body of a refusal is searched: a page that is shown may contain the word captcha.
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
    """Whether a body is compressed once more than its name and its Content-Encoding say.

    The client has unpacked it as Content-Encoding says, so only a `.gz` file may still be gzip.
    """
    return answer.body.startswith(_GZIP) and not answer.url.endswith(".gz")


def judge_page(
    url: str, answer: Answer, target: Target, not_found_page: PageText, now: int
) -> Iterator[Fault]:
    """Yields why search engines do not index the page at a listed URL, by its answer.

    `not_found_page` is what the host shows at a path that does not exist. `now` is in seconds.
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
        # A page like the “not found” page is missing. But an app may show its home page for every
        # path, and without a script, its pages may all be without text.
        is_home = url == target.listed
        if not_found_page.text and not is_home and read_page(answer.body) == not_found_page:
            yield Fault("SM621", "shows the “not found” page with status 200")


def _judge_content(url: str, answer: Answer, target: Target, now: int) -> Iterator[Fault]:
    """Yields what the headers and the head of a page at a listed URL tell search engines.

    It may be the wrong content type, noindex, a redirect, or another canonical.
    """
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
    """What two URLs of one page have in common: they may differ in http and https, and in escapes.

    `http://a.example/b` → `a.example/b`.
    """
    return comparison_key(url).partition("://")[2]


def _redirect(url: str, other: str) -> str:
    """Says what a redirect from one URL to another one changes: host, form of the URL, or page."""
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
    """Reads the title and the main text of a page, to compare it with another state of it.

    E-mail addresses, which hosts hide, times such as “3 days ago”, and what the CSS selectors of
    `drop` match are left out.
    """
    tree = parse(data)
    # The path of a page is needed to recognize its menus. Here any path will do, as long as the
    # built and the live page get the same.
    main = main_part(tree, "page.html")
    for selector in (*drop, "time[datetime]"):
        remove(main, main.css(selector))
    text = _EMAIL.sub("", read_text(main))
    return PageText(title_of(tree), "".join(text.split()))


def compare_page(built: bytes, live: bytes, drop: tuple[str, ...]) -> Iterator[Fault]:
    """Yields how a live page differs from the built one.

    What hosts add and rewrite does not count: scripts, styles, white space, e-mail addresses.
    """
    built_page = read_page(built, drop)
    live_page = read_page(live, drop)
    if built_page.title != live_page.title:
        title = f"“{live_page.title}”" if live_page.title else "a page without a title"
        yield Fault("SM633", f"shows {title} instead of the built page")
    elif built_page.text != live_page.text:
        yield Fault("SM635", "shows another text than the built page")
