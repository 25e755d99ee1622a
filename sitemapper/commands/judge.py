"""What the answers of a live host mean for crawlers: faults, by the rules SM6. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from ..model import OwnUrl
from ..net import Answer
from ..read.content import read_text, title_of
from ..read.html import parse
from ..read.page import Options, facts_of
from ..select.alternates import base_of
from ..syntax.robots import forbids_index
from ..syntax.urls import PAGE_ENDINGS, comparison_key, resolve
from .target import Role, Target

Fault = tuple[str, str]  # the code of a rule, and how the URL breaks it

REFUSED = "refuses this program with {}, but may let crawlers in"
_GZIP = b"\x1f\x8b"
_HTML = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|<!--.*?-->)*+<(?:!doctype html|html)\b", re.I | re.S)
# What bot checks send with 403, or instead of a page.
_CHALLENGE_HEADERS = ("cf-mitigated", "x-vercel-mitigated", "x-amzn-waf-action")
_CHALLENGE = re.compile(
    rb"just a moment|_incapsula_resource|captcha|errors\.edgesuite\.net", re.IGNORECASE
)
_NO_PAGE_TYPES = ("text/plain", "application/octet-stream", "binary/octet-stream")
# The agent to which an X-Robots-Tag is addressed, and directives that have a colon, too.
_AGENT = re.compile(r"\s*([\w*-]+)\s*:(.*)", re.DOTALL)
_DIRECTIVES = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
_LINK = re.compile(r"<([^<>]*)>([^<]*)")  # `<https://a.example/b>; rel="canonical"`
_FORM = re.compile(r"(?:index)?(?:\.html)?/?$")  # in which the URLs of a page differ


class Judged(NamedTuple):
    """What is wrong with a URL, and the other URL that it redirects to or names as canonical."""

    faults: tuple[Fault, ...] = ()
    other: str = ""
    is_page: bool = False  # it shows a page, which can be compared with the built one


class MissingPage(NamedTuple):
    """What the host shows at a path that cannot exist: the URL, and the words of the page."""

    url: str
    words: tuple[str, ...]


def is_html(data: bytes) -> bool:
    """Whether a body begins as an HTML page."""
    return _HTML.match(data) is not None


def refusal_of(answer: Answer) -> Literal["", "denied", "challenge"]:
    """Whether an answer may be for this program only: a 401, 403, 429, or a check for browsers."""
    values = [answer.headers.get(name, "") for name in _CHALLENGE_HEADERS]
    if "challenge" in values or "captcha" in values:
        return "challenge"
    if answer.status not in (401, 403, 429):
        return ""
    # A page that is shown may well contain the word captcha.
    return "challenge" if _CHALLENGE.search(answer.body) else "denied"


def reason_of(answer: Answer) -> str:
    """What an answer without a page is, as the end of a sentence: `answers 404`."""
    if answer.failure:
        return answer.failure.text.removeprefix(f"{answer.url}: ")
    return f"answers {answer.status}"


def judge_sitemap(answer: Answer) -> Iterator[Fault]:
    """Yields why crawlers cannot fetch a sitemap, by its answer. Refusals are no faults."""
    if answer.location:
        yield "SM611", f"redirects to {answer.location}"
    elif answer.status != 200 or answer.failure:
        yield "SM611", reason_of(answer)
    elif is_html(answer.body):
        yield "SM611", "is an HTML page"
    elif packing := _packing_fault(answer):
        yield "SM611", packing


def _packing_fault(answer: Answer) -> str:
    """How the compression differs from what name and Content-Encoding say, "" if it does not."""
    encoding = answer.headers.get("Content-Encoding", "").lower().strip()
    is_packed = answer.body.startswith(_GZIP)  # beside what the encoding says
    is_named_gz = urlsplit(answer.url).path.lower().endswith(".gz")
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        return f"its Content-Encoding is {encoding}, which the request did not accept"
    if is_packed and not is_named_gz:
        return "is compressed twice" if "gzip" in encoding else "is compressed, but nothing says so"
    if is_named_gz and not is_packed and "gzip" not in encoding:
        return "is named .gz, but it is not compressed"
    return ""


def missing_page(answer: Answer) -> MissingPage | None:
    """The “not found” page of the host, by the answer for a made-up path. None without a text."""
    words = _words_of(answer.body)
    return MissingPage(answer.url, words) if words else None


def judge_page(
    url: str, role: Role, answer: Answer, target: Target, missing: MissingPage | None, now: int
) -> Judged:
    """Judges the answer for a URL of the sitemap, or for one that a build has removed from it.

    A removed one must not show a page that search engines may index. `now` is in seconds.
    """
    if role == "listed" and (answer.status != 200 or answer.failure):
        return _judge_status(url, answer, target)
    if answer.status != 200:
        return Judged()
    if role == "listed" and not answer.body.strip():
        return Judged((("SM633", "answers 200 with an empty body"),))
    if role == "listed" and (packing := _packing_fault(answer)):
        return Judged((("SM622", packing),))

    content_type = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    faults: list[Fault] = []
    if content_type in _NO_PAGE_TYPES and _has_page_name(url):
        faults.append(("SM630", f"its content type is {content_type}"))
    is_page = "html" in content_type or is_html(answer.body)
    data = answer.body if is_page else b""
    facts = facts_of("", data, Options(signals=True, canonical=True))
    # The noindex of a preview is meant for the preview only.
    headers = [] if target.is_preview else answer.headers.getlist("X-Robots-Tag")
    noindex = [f"the header X-Robots-Tag: {text}" for text in headers if _forbids(text, now)]
    for name, text in facts.robots:
        if forbids_index(text, now):
            noindex.append(f'<meta name="{name}" content="{text}">')
    if noindex:
        faults.append(("SM624", f"is noindex by {noindex[0]}"))
    base = base_of(facts, url)
    refresh = resolve(facts.refresh, base) if facts.refresh else None
    if refresh and refresh != url:
        faults.append(("SM623", _redirect(url, refresh)))
    href = _canonical_header(answer)
    if facts.canonical:
        assert not isinstance(facts.canonical, OwnUrl)  # "" is the path of no page
        href = facts.canonical
    canonical = resolve(href, base) if href else None
    is_elsewhere = canonical is not None and _key(canonical) != _key(resolve(url, "") or url)
    if is_elsewhere:
        faults.append(("SM625", "names another canonical"))
    is_missing = is_page and _is_missing(url, answer, target, missing)
    if is_missing:
        faults.append(("SM621", "shows the “not found” page with status 200"))
    if role == "removed":
        keeps_out = noindex or is_elsewhere or is_missing
        return Judged(() if keeps_out else (("SM629", "was removed, and still answers 200"),))
    other = refresh if refresh and refresh != url else canonical if is_elsewhere else ""
    return Judged(tuple(faults), other or "", is_page and not is_missing)


def _judge_status(url: str, answer: Answer, target: Target) -> Judged:
    """Judges an answer without a page."""
    if answer.failure or answer.status >= 500:
        return Judged((("SM622", reason_of(answer)),))
    if 300 <= answer.status < 400:
        other = target.as_listed(answer.location)
        return Judged((("SM623", _redirect(url, other)),), other)
    return Judged((("SM621", reason_of(answer)),))  # a 204 has no page, too


def _redirect(url: str, target: str) -> str:
    """Says what a redirect changes: the host, the form of the URL, or the page."""
    if not target:
        return "redirects without a valid Location"
    old, new = urlsplit(url), urlsplit(target)
    origin = f"{new.scheme}://{new.netloc}"
    if f"{old.scheme}://{old.netloc}" != origin:
        if (old.path, old.query) == (new.path, new.query):
            return f"redirects to {origin}; set base_url to {origin}/..."
        return f"redirects to {origin}"
    if is_other_form(url, target):
        return "redirects to another form of its URL"
    return "redirects to another page"


def is_other_form(url: str, target: str) -> bool:
    """Whether two URLs are of one page: `/a.html` and `/a`, `/a/index.html` and `/a/`."""
    return url != target and _FORM.sub("", url).rstrip("/") == _FORM.sub("", target).rstrip("/")


def _has_page_name(url: str) -> bool:
    name = urlsplit(url).path.rpartition("/")[2].lower()
    return "." not in name or name.endswith(PAGE_ENDINGS)


def _key(url: str) -> str:
    """`http://a.example/b` is the page https://a.example/b itself."""
    return comparison_key(url).partition("://")[2]


def _forbids(text: str, now: int) -> bool:
    """Whether an X-Robots-Tag forbids indexing: `noindex`, `googlebot: none`, not `bingbot: …`."""
    addressed = _AGENT.match(text)
    if addressed and addressed[1].lower() not in _DIRECTIVES:
        if addressed[1].lower() not in ("*", "robots", "googlebot"):
            return False
        text = addressed[2]
    return forbids_index(text, now)


def _canonical_header(answer: Answer) -> str:
    for target, parameters in _LINK.findall(answer.headers.get("Link", "")):
        if "rel=canonical" in parameters.lower().replace('"', ""):
            return str(target)
    return ""


def _is_missing(url: str, answer: Answer, target: Target, missing: MissingPage | None) -> bool:
    """Whether the host shows its “not found” page. Words of the two URLs do not count in it.

    The home page is never missing, and /404.html may be listed.
    """
    is_exempt = url == target.listed or url.endswith(("/404", "/404/", "/404.html"))
    if missing is None or is_exempt:
        return False
    in_urls = {*_words(unquote(answer.url)), *_words(unquote(missing.url))}
    texts = []
    for words in (_words_of(answer.body), missing.words):
        marked = ["…" if word in in_urls else word for word in words]
        texts.append([word for word, _ in groupby(marked)])  # one URL may have more words
    return texts[0] == texts[1]


def _words_of(data: bytes) -> tuple[str, ...]:
    """The words of a page with those of its title, without scripts and styles."""
    tree = parse(data)
    for node in tree.css("script, style, template"):
        node.decompose()
    body = read_text(tree.body) if tree.body else ""
    return tuple(_words(f"{title_of(tree)} {body}")) if body.strip() else ()


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())
