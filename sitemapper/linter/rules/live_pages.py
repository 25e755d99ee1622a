"""SM603, SM606, SM62x and SM63x: what the live host answers for pages, for `verify`. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from ..rule import Message, Severity, rule
from .live import LiveAnswer, what

_NO_PAGE_TYPES = ("text/plain", "application/octet-stream", "binary/octet-stream")


class LivePage(NamedTuple):
    """A URL that was requested: listed, an `alternate` of one, or `removed` by the last build.

    `closed_by`, `noindex` and `canonical` are the rule, the tag or header, and the URL that it names;
    `other_scheme` is a canonical that differs by http or https only. `shows` is what the host sends
    instead of the page.
    """

    url: str
    line: int
    answer: LiveAnswer
    role: str = "listed"
    closed_by: str = ""
    noindex: str = ""
    canonical: str = ""
    other_scheme: str = ""
    shows: str = ""
    is_empty: bool = False
    is_not_found_page: bool = False


@rule("SM603", Severity.WARNING)
def refused(page: LivePage) -> Iterator[Message]:
    """The host refuses this program, but may let crawlers in.

    A bot check, a login or a rate limit answers instead of the page, so sitemapper cannot check it. If
    other pages answer 200, and a made-up path beside this one gets the same 403, the page is missing, and
    SM621 reports it.
    Fix: let the user agent sitemapper in, pass a token with --header, or inspect the URL in Search Console.
    """
    if page.answer.is_refusal and page.role != "random":
        yield page.line, f"refuses this program with {page.answer.status}, but may let crawlers in"


@rule("SM606", Severity.WARNING)
def soft_404(page: LivePage) -> Iterator[Message]:
    """A path that does not exist answers 200.

    Search engines cannot tell missing pages from real ones, and index or report them as soft 404.
    Fix: publish a 404.html, or remove the rule that answers every path with one page.
    """
    if page.role == "random" and page.answer.status == 200:
        yield page.line, "answers 200, but no such path exists"


@rule("SM621")
def page_missing(page: LivePage) -> Iterator[Message]:
    """A listed URL answers 4xx.

    Search engines report it as not found, and trust the sitemap less.
    Fix: deploy the page, or build the sitemap again from what is deployed.
    """
    answer = page.answer
    is_failure = answer.status >= 400 or 200 < answer.status < 300
    if page.role == "listed" and is_failure and answer.status < 500 and not answer.is_refusal:
        yield page.line, what(answer)


@rule("SM622")
def page_fails(page: LivePage) -> Iterator[Message]:
    """A listed URL answers 5xx, or nothing, three times.

    Search engines report a server error, and crawl the host more slowly.
    Fix: read the logs of the host.
    """
    answer = page.answer
    if page.role == "listed" and not answer.is_refusal and (answer.status >= 500 or answer.error):
        yield page.line, what(answer)


@rule("SM623")
def page_redirects(page: LivePage) -> Iterator[Message]:
    """A listed URL redirects.

    Search Console reports it as a page with redirect, and does not index it under the listed URL.
    Fix: set url_style or base_url to the form that the host serves, or list the target.
    """
    if page.role == "listed" and page.answer.target:
        yield page.line, _redirect(page.url, page.answer.target)


@rule("SM624")
def page_noindex(page: LivePage) -> Iterator[Message]:
    """A listed URL is noindex.

    The sitemap lists a page that a tag or a header of the live host excludes from search.
    Fix: remove the X-Robots-Tag header or the robots meta, or remove the URL.
    """
    if page.role == "listed" and page.noindex:
        yield page.line, f"is noindex by {page.noindex}"


@rule("SM625")
def page_canonical(page: LivePage) -> Iterator[Message]:
    """A listed URL names another URL as its canonical.

    Search engines index the other URL, and report this one as an alternate page.
    Fix: correct the canonical in the template, or list the canonical URL.
    """
    if page.role == "listed" and page.canonical:
        yield page.line, "names another canonical"


@rule("SM626")
def page_not_found(page: LivePage) -> Iterator[Message]:
    """A listed URL returns the site's “not found” page with status 200 (soft 404).

    Its text is that of a path that does not exist, so search engines do not index it.
    Fix: deploy the page, and publish a 404.html so that missing pages answer 404.
    """
    if page.role == "listed" and page.is_not_found_page:
        yield page.line, "returns the “not found” page with status 200"


@rule("SM627")
def page_closed(page: LivePage) -> Iterator[Message]:
    """The live robots.txt blocks a listed URL.

    Crawlers do not fetch it. Search Console reports it as blocked by robots.txt.
    Fix: remove the rule from robots.txt, or the URL from the sitemap.
    """
    if page.closed_by:
        yield page.line, f"is blocked by {page.closed_by}"


@rule("SM630")
def page_type(page: LivePage) -> Iterator[Message]:
    """A listed page has the content type of a download or of plain text.

    Search engines do not render it, and browsers show its source or save it.
    Fix: upload it as text/html. Many object stores need the type with each file.
    """
    kind = page.answer.content_type.partition(";")[0].strip().lower()
    name = urlsplit(page.url).path.rpartition("/")[2]
    is_page = "." not in name or name.lower().endswith((".html", ".htm", ".xhtml"))
    if _is_shown(page) and is_page and kind in _NO_PAGE_TYPES:
        yield page.line, f"its content type is {kind}"


@rule("SM631")
def page_unpackable(page: LivePage) -> Iterator[Message]:
    """A listed page cannot be unpacked by its Content-Encoding.

    Browsers and crawlers get an error, or bytes that are not a page.
    Fix: compress files once, and send Content-Encoding only for compressed files.
    """
    if _is_shown(page) and page.answer.unpackable:
        yield page.line, page.answer.unpackable


@rule("SM632")
def page_empty(page: LivePage) -> Iterator[Message]:
    """A listed URL answers 200 with an empty body.

    Search engines report a soft 404.
    Fix: upload the page again, and look for a server that fails before it writes.
    """
    if _is_shown(page) and page.is_empty:
        yield page.line, "answers 200 with an empty body"


@rule("SM633")
def page_replaced(page: LivePage) -> Iterator[Message]:
    """A listed URL does not show the built page.

    Search engines index another page, a list of files or a login form instead.
    Fix: deploy the page, and look for a rule of the host that answers for it.
    """
    if _is_shown(page) and page.shows:
        yield page.line, f"shows {page.shows} instead of the built page"


@rule("SM634", Severity.WARNING)
def page_scheme(page: LivePage) -> Iterator[Message]:
    """The canonical of a listed page differs from its URL in http or https.

    `sitemapper build` and most crawlers accept it as the same page, but the signal is mixed.
    Fix: write the canonical with the scheme of base_url.
    """
    if page.role == "listed" and page.other_scheme:
        yield page.line, "has a canonical with the other scheme"


@rule("SM628", Severity.WARNING)
def alternate_fails(page: LivePage) -> Iterator[Message]:
    """An hreflang alternate does not answer 200.

    Search engines ignore the languages of a page if a version cannot be fetched.
    Fix: deploy the version, or remove its alternate.
    """
    if page.role == "alternate" and page.answer.status != 200 and not page.answer.is_refusal:
        yield page.line, f"is an alternate, and {what(page.answer)}"


@rule("SM629", Severity.WARNING)
def still_there(page: LivePage) -> Iterator[Message]:
    """A removed URL still answers 200, without noindex or another canonical.

    Search engines keep a page that the site no longer has.
    Fix: delete it at the host, purge the CDN, or redirect it.
    """
    is_left_out = page.is_not_found_page or page.noindex or page.canonical
    if page.role == "removed" and page.answer.status == 200 and not is_left_out:
        yield page.line, "was removed, and still answers 200"


def _is_shown(page: LivePage) -> bool:
    """Whether a listed URL answers with a body that stands for the page."""
    answer = page.answer
    return page.role == "listed" and answer.status == 200 and not (answer.error or answer.target)


def _redirect(url: str, target: str) -> str:
    """What a redirect does, in words that are the same for alike ones."""
    old, new = urlsplit(url), urlsplit(target)
    if not new.netloc:
        return "redirects without a valid Location"
    if (old.scheme, old.netloc) != (new.scheme, new.netloc):
        same = (old.path, old.query) == (new.path, new.query)
        base = f"; set base_url to {new.scheme}://{new.netloc}/..." if same else ""
        return f"redirects to {new.scheme}://{new.netloc}{base}"
    stem = old.path.removesuffix("index.html")
    styles = {  # the first that fits; keys are paths
        stem: "directory" if old.path != stem else "",
        old.path.removesuffix(".html"): "clean",
        f"{old.path.removesuffix('.html')}/": "slash",
        old.path.removesuffix("/") or "/": 'clean" or "bare',
        f"{old.path}.html": "directory",
        f"{old.path.removesuffix('/')}.html": "directory",
        f"{old.path.removesuffix('/')}/index.html": "file",
    }
    style = styles.get(new.path, "") if new.path != old.path else ""
    return f'redirects as with url_style = "{style}"' if style else "redirects to another page"


OF_PAGES = (
    refused, soft_404, page_missing, page_fails, page_redirects, page_noindex, page_canonical, page_not_found,
    page_closed, page_type, page_unpackable, page_empty, page_replaced, page_scheme, alternate_fails,
    still_there,
)  # fmt: skip
