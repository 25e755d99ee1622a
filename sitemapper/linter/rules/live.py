"""SM6xx, for `verify`: the answers for robots.txt, the sitemaps and the pages. Pure."""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple
from urllib.parse import urlsplit

from ..model import Fault, Rule, Severity

_NO_PAGE_TYPES = ("text/plain", "application/octet-stream", "binary/octet-stream")

UNREACHABLE = Rule(
    "SM601",
    Severity.ERROR,
    "The host does not answer.",
    reason=(
        "Crawlers get nothing from it either: the name, the certificate or the server is at fault."
    ),
    fix="check the DNS records, the certificate and the firewall of the host.",
)
ROBOTS_FAILS = Rule(
    "SM602",
    Severity.ERROR,
    "robots.txt fails, so crawlers stay away from the whole host.",
    reason="While it answers 5xx, or nothing, crawlers treat every URL as disallowed.",
    fix="serve robots.txt with 200, or 404 if there is none.",
)
SITEMAP_CLOSED = Rule(
    "SM604",
    Severity.ERROR,
    "The live robots.txt disallows the sitemap.",
    reason="Crawlers do not fetch it. Search Console reports that it could not be fetched.",
    fix="remove the rule from robots.txt, or allow the sitemap's path.",
)
ROBOTS_DIFFERS = Rule(
    "SM605",
    Severity.WARNING,
    "The live robots.txt is not the built one.",
    reason=(
        "The deployment is not complete, a CDN still has the old file, or another program serves "
        "it."
    ),
    fix=("deploy again, purge the CDN, or look for a host rule that serves its own robots.txt."),
)
ROBOTS_IS_HTML = Rule(
    "SM607",
    Severity.ERROR,
    "The live robots.txt is an HTML page.",
    reason=(
        "The host answers every path with one page, so crawlers find no rule and no sitemap in it."
    ),
    fix="publish a robots.txt, or let the host answer 404 for files that do not exist.",
)
SITEMAP_FAILS = Rule(
    "SM611",
    Severity.ERROR,
    "The live sitemap does not answer 200.",
    reason="Crawlers cannot fetch it.",
    fix="upload the file to this URL, or correct base_url and `[sitemap] name`.",
)
SITEMAP_REDIRECTS = Rule(
    "SM612",
    Severity.ERROR,
    "The live sitemap redirects.",
    reason=(
        "Not every crawler follows a sitemap's redirect. On another host, a sitemap may not list "
        "URLs of this one."
    ),
    fix="list the target in robots.txt and submit it in Search Console, or serve the file here.",
)
SITEMAP_IS_HTML = Rule(
    "SM613",
    Severity.ERROR,
    "The live sitemap is an HTML page.",
    reason=(
        "The host sends its “not found” page, a login page or a bot check instead. Search "
        "Console reports that\n"
        "the sitemap could not be fetched or is HTML."
    ),
    fix="upload the sitemap, and exempt it from the fallback or the login.",
)
PACKED_OTHERWISE = Rule(
    "SM614",
    Severity.ERROR,
    "The compression of the live sitemap does not match its name or Content-Encoding.",
    reason="Crawlers decompress it as these say, and get bytes that are not XML.",
    fix="send Content-Encoding only for files that the server compresses, and name gzip files .gz.",
)
SITEMAP_DIFFERS = Rule(
    "SM616",
    Severity.ERROR,
    "The live sitemap is not the built one.",
    reason=(
        "Search engines read an old list: the deployment is not complete, or a CDN still has the "
        "old file."
    ),
    fix="deploy, wait with --wait, or purge the CDN.",
)
SITEMAP_INCOMPLETE = Rule(
    "SM617",
    Severity.ERROR,
    "The live sitemap arrives incomplete or too late.",
    reason="Crawlers give up on it.",
    fix="look for a time or size limit at the host, and serve the sitemap as a file.",
)
REFUSED = Rule(
    "SM603",
    Severity.WARNING,
    "The host refuses this program, but may let crawlers in.",
    reason=(
        "A bot check, a login or a rate limit answers instead of the page, so sitemapper cannot "
        "check it. If\n"
        "other pages answer 200, a page with 401 is reported as SM621. So is a folder with 403, "
        "and a page with\n"
        "403 if a made-up path beside it answers 403, too."
    ),
    fix=(
        "let the user agent sitemapper in, pass a token with --header, or inspect the URL in "
        "Search Console."
    ),
)
SOFT_404 = Rule(
    "SM606",
    Severity.WARNING,
    "A path that does not exist answers 200.",
    reason=(
        "Search engines cannot tell missing pages from real ones, and index or report them as "
        "soft 404."
    ),
    fix="publish a 404.html, or remove the rule that answers every path with one page.",
)
PAGE_MISSING = Rule(
    "SM621",
    Severity.ERROR,
    "A listed URL answers 4xx.",
    reason="Search engines do not index it, and trust the sitemap less.",
    fix=(
        "for 404 or 410, deploy the page, or build the sitemap again from what is deployed. For "
        "401 or 403,\n"
        "open the page to crawlers, or exclude it."
    ),
)
PAGE_FAILS = Rule(
    "SM622",
    Severity.ERROR,
    "A listed URL answers 5xx, or nothing, three times.",
    reason="Search engines report a server error, and crawl the host more slowly.",
    fix="read the logs of the host.",
)
PAGE_REDIRECTS = Rule(
    "SM623",
    Severity.ERROR,
    "A listed URL redirects.",
    reason=(
        "Search Console reports it as a page with redirect, and does not index it under the "
        "listed URL."
    ),
    fix="set url_style or base_url to the form that the host serves, or list the target.",
)
PAGE_NOINDEX = Rule(
    "SM624",
    Severity.ERROR,
    "A listed URL is noindex.",
    reason="The sitemap lists a page that a tag or a header of the live host excludes from search.",
    fix="remove the X-Robots-Tag header or the robots meta, or remove the URL.",
)
PAGE_CANONICAL = Rule(
    "SM625",
    Severity.ERROR,
    "A listed URL names another URL as its canonical.",
    reason="Search engines index the other URL, and report this one as an alternate page.",
    fix="correct the canonical in the template, or list the canonical URL.",
)
PAGE_NOT_FOUND = Rule(
    "SM626",
    Severity.ERROR,
    "A listed URL returns the site's “not found” page with status 200 (soft 404).",
    reason="Its text is that of a path that does not exist, so search engines do not index it.",
    fix="deploy the page, and publish a 404.html so that missing pages answer 404.",
)
PAGE_CLOSED = Rule(
    "SM627",
    Severity.ERROR,
    "The live robots.txt disallows a listed URL.",
    reason="Crawlers do not fetch it. Search Console reports it as blocked by robots.txt.",
    fix="remove the rule from robots.txt, or the URL from the sitemap.",
)
STILL_THERE = Rule(
    "SM629",
    Severity.WARNING,
    "A removed URL still answers 200, without noindex or another canonical.",
    reason="Search engines keep a page that the site no longer has.",
    fix="delete it at the host, purge the CDN, or redirect it.",
)
PAGE_TYPE = Rule(
    "SM630",
    Severity.ERROR,
    "A listed page has the content type of a download or of plain text.",
    reason="Search engines do not render it, and browsers show its source or save it.",
    fix="upload it as text/html. Many object stores need the type with each file.",
)
PAGE_UNPACKABLE = Rule(
    "SM631",
    Severity.ERROR,
    "A listed page cannot be decompressed.",
    reason="Browsers and crawlers get an error, or bytes that are not a page.",
    fix="compress files once, and send Content-Encoding only for compressed files.",
)
PAGE_EMPTY = Rule(
    "SM632",
    Severity.ERROR,
    "A listed URL answers 200 with an empty body.",
    reason="Search engines report a soft 404.",
    fix="upload the page again, or look for the error in the server's logs.",
)
PAGE_REPLACED = Rule(
    "SM633",
    Severity.ERROR,
    "A listed URL does not show the built page.",
    reason=(
        "Search engines index another page, a list of files, a login form or a part of the page "
        "instead."
    ),
    fix="deploy the page, and look for a host rule that answers in its place.",
)
PAGE_CHANGED = Rule(
    "SM635",
    Severity.WARNING,
    "A live page is not the built one.",
    reason="The deployment is old or not complete, or the host changes the text of pages.",
    fix="deploy again, purge the CDN, and verify the files that were deployed.",
)
ALL = (
    UNREACHABLE,
    ROBOTS_FAILS,
    SITEMAP_CLOSED,
    ROBOTS_DIFFERS,
    ROBOTS_IS_HTML,
    SITEMAP_FAILS,
    SITEMAP_REDIRECTS,
    SITEMAP_IS_HTML,
    PACKED_OTHERWISE,
    SITEMAP_DIFFERS,
    SITEMAP_INCOMPLETE,
    REFUSED,
    SOFT_404,
    PAGE_MISSING,
    PAGE_FAILS,
    PAGE_REDIRECTS,
    PAGE_NOINDEX,
    PAGE_CANONICAL,
    PAGE_NOT_FOUND,
    PAGE_CLOSED,
    STILL_THERE,
    PAGE_TYPE,
    PAGE_UNPACKABLE,
    PAGE_EMPTY,
    PAGE_REPLACED,
    PAGE_CHANGED,
)


class LiveAnswer(NamedTuple):
    """What the status and the headers of an answer say."""

    status: int  # 0 without an answer
    target: str = ""  # where it redirects
    error: str = ""  # why it is missing or incomplete
    is_connected: bool = True
    refuses_program: bool = False  # the host refuses this program, but may let crawlers in
    is_challenge: bool = False  # the host wants to see that a browser asks
    content_type: str = ""
    is_html: bool = False
    unpacking_error: str = ""  # why its body cannot be unpacked

    def __str__(self) -> str:
        """Says what the host did, as the end of a sentence: `answers 404`."""
        if self.target:
            return "redirects"
        if self.status and not self.error:
            return f"answers {self.status}"
        return self.error

    @property
    def kind(self) -> str:
        """The content type without its parameters."""
        return self.content_type.partition(";")[0].strip().lower()


def check_robots(answer: LiveAnswer) -> Iterator[Fault]:
    """Yields the rules that the answer for robots.txt breaks, and how.

    - the host cannot be reached → UNREACHABLE
    - a 5xx, or an incomplete answer → ROBOTS_FAILS
    - an HTML page in place of the file → ROBOTS_IS_HTML

    A 404 breaks no rule, because a site needs no robots.txt. A refusal, for instance by a bot
    check, is not the fault of robots.txt, so it breaks no rule here either.
    """
    if not answer.is_connected:
        yield UNREACHABLE, 1, answer.error
    elif not answer.refuses_program and (answer.status >= 500 or answer.error):
        yield ROBOTS_FAILS, 1, str(answer)
    if answer.is_html and answer.status == 200:
        yield ROBOTS_IS_HTML, 1, "is an HTML page"


def check_sitemap(answer: LiveAnswer) -> Iterator[Fault]:
    """Checks how the live host answers for a sitemap, and yields the rules that this breaks.

    - 404 → SITEMAP_FAILS
    - 301 → SITEMAP_REDIRECTS
    - an HTML page → SITEMAP_IS_HTML, and likewise for other faults of the body
    - an error during the answer → SITEMAP_INCOMPLETE

    A refusal, for instance by a bot check, is no failure. It has a rule of its own, SM603. Each
    fault has the line 1, because an answer has no lines.
    """
    # The status is 0 if there was no answer.
    has_failed = answer.status not in (0, 200) and not answer.target
    if has_failed and not answer.refuses_program:
        yield SITEMAP_FAILS, 1, str(answer)
    if answer.target:
        yield SITEMAP_REDIRECTS, 1, f"redirects to {answer.target}"
    if answer.is_html:
        yield SITEMAP_IS_HTML, 1, "is an HTML page"
    if answer.unpacking_error:
        yield PACKED_OTHERWISE, 1, answer.unpacking_error
    if answer.error and not answer.refuses_program:
        yield SITEMAP_INCOMPLETE, 1, answer.error


class Role(Enum):
    """Why a URL is requested. It decides which answers are right for it."""

    LISTED = auto()  # an entry of the sitemap
    REMOVED = auto()  # no longer listed since the last build
    MADE_UP = auto()  # a path that cannot exist
    SITEMAP = auto()  # a sitemap itself


class LivePage(NamedTuple):
    """A URL that was requested, and what its answer shows."""

    url: str
    answer: LiveAnswer
    role: Role = Role.LISTED
    closed_by: str = ""  # the line of robots.txt
    noindex: str = ""  # the tag or the header
    canonical: str = ""  # the other URL that it names
    shows: str = ""  # what the host sends instead of the page, such as `a login form`
    missing_end: str = ""  # the last tag of the built page, if the live page is cut off before it
    is_changed: bool = False  # the live page is another version of the built one
    is_empty: bool = False
    is_not_found_page: bool = False


PageFault = tuple[Rule, str]  # a rule, and how a page breaks it


def check_page(page: LivePage) -> Iterator[PageFault]:
    """Yields the rules that a requested URL breaks, and how. Its role decides which rules apply.

        MADE_UP  a path that does not exist must not answer 200
        LISTED   must answer 200 with a page that search engines may index
        REMOVED  must not answer 200, unless the page keeps itself out of search

    In the last two roles, a refusal of this program is reported as such, because the host may let
    crawlers in.
    """
    answer = page.answer
    if page.role is Role.MADE_UP:  # a host should answer 404 for it
        if answer.status == 200:
            yield SOFT_404, "answers 200, but no such path exists"
        return
    if answer.refuses_program:
        yield REFUSED, f"refuses this program with {answer.status}, but may let crawlers in"
    if page.role is Role.LISTED:
        yield from _check_listed(page)
    elif page.role is Role.REMOVED:
        # The build removed this URL, so search engines should no longer find a page there.
        keeps_out = page.is_not_found_page or page.noindex or page.canonical
        if answer.status == 200 and not keeps_out:
            yield STILL_THERE, "was removed, and still answers 200"


def _check_listed(page: LivePage) -> Iterator[PageFault]:
    """Yields the rules that a URL of the sitemap breaks: why it should not be listed."""
    answer = page.answer
    if not answer.refuses_program:
        yield from _check_status(answer)
    if answer.target:
        yield PAGE_REDIRECTS, _describe_redirect(page.url, answer.target)
    if page.noindex:
        yield PAGE_NOINDEX, f"is noindex by {page.noindex}"
    if page.canonical:
        yield PAGE_CANONICAL, "names another canonical"
    if page.is_not_found_page:
        yield PAGE_NOT_FOUND, "returns the “not found” page with status 200"
    if page.closed_by:
        yield PAGE_CLOSED, f"is blocked by {page.closed_by}"
    if answer.status == 200 and not answer.error and not answer.target:
        yield from _check_body(page)


def _check_status(answer: LiveAnswer) -> Iterator[PageFault]:
    """Yields the rules that a listed URL breaks if it is missing, or if the host fails.

    `404` → PAGE_MISSING, and `503` → PAGE_FAILS. Redirects are reported by `_check_listed`.
    """
    # Like a 404, an answer such as 204 (no content) has no page: of all 2xx, only 200 counts.
    is_missing = 200 < answer.status < 300 or 400 <= answer.status < 500
    if is_missing:
        yield PAGE_MISSING, str(answer)
    if answer.status >= 500 or answer.error:
        yield PAGE_FAILS, str(answer)


def _check_body(page: LivePage) -> Iterator[PageFault]:
    """Yields the rules that the body of a listed page breaks, and how.

    - its content type is wrong
    - it cannot be unpacked, or is empty
    - it is not the built page, but something else (`shows`), such as a login form
    - it is only a part of the built page (`missing_end`)
    - it is another version of the built page (`is_changed`)
    """
    answer = page.answer
    if answer.kind in _NO_PAGE_TYPES and _has_page_name(page.url):
        yield PAGE_TYPE, f"its content type is {answer.kind}"
    if answer.unpacking_error:
        yield PAGE_UNPACKABLE, answer.unpacking_error
    if page.is_empty:
        yield PAGE_EMPTY, "answers 200 with an empty body"
    if page.shows:
        yield PAGE_REPLACED, f"shows {page.shows} instead of the built page"
    if page.missing_end:
        yield PAGE_REPLACED, f"is cut off before the last tag {page.missing_end} of the built page"
    if page.is_changed:
        # `verify` puts the number of such pages before this text: `2 of 3 pages are not …`.
        yield PAGE_CHANGED, "are not those of this build"


def _has_page_name(url: str) -> bool:
    """Says whether a URL names an HTML page, and not a file of another type, such as a PDF."""
    name = urlsplit(url).path.rpartition("/")[2].lower()
    return "." not in name or name.endswith((".html", ".htm", ".xhtml"))


def _describe_redirect(url: str, target: str) -> str:
    """Says what the redirect from a listed URL changes: its host, its form, or the page.

    From a page of `https://a.example`:

    - `/b` to `https://c.example/b` → "redirects to https://c.example; set base_url to …"
    - `/b` to `https://c.example/d` → "redirects to https://c.example"
    - `/b.html` to `/b` of the same host → "redirects to another form of its URL"
    - `/b` to `/c` of the same host → "redirects to another page"

    A change of the scheme, from http to https, counts as another host. The text does not name the
    page, so that all pages with the same text are reported together.
    """
    old = urlsplit(url)
    new = urlsplit(target)
    if not new.netloc:
        return "redirects without a valid Location"
    old_host = f"{old.scheme}://{old.netloc}"
    new_host = f"{new.scheme}://{new.netloc}"
    if old_host != new_host:
        if (old.path, old.query) == (new.path, new.query):
            return f"redirects to {new_host}; set base_url to {new_host}/..."
        return f"redirects to {new_host}"
    if is_other_form(url, target):
        return "redirects to another form of its URL"
    return "redirects to another page"


def is_other_form(url: str, target: str) -> bool:
    """Says whether a redirect leads to another URL of the same page: from /a.html to /a.

    False for a redirect from a URL to itself.
    """
    return url != target and _without_form(url) == _without_form(target)


def _without_form(url: str) -> str:
    """Removes what the forms of a URL differ by: /a/index.html, /a.html, /a/ and /a → /a."""
    return re.sub(r"(?:index)?(?:\.html)?/?$", "", url).rstrip("/")
