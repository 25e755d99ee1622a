"""SM60x and SM61x: what the live host answers for robots.txt and sitemaps, for `verify`. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..rule import Message, Rule, Severity, rule

_XML_TYPES = ("application/xml", "text/xml", "application/x-gzip", "application/gzip", "text/plain")


class LiveAnswer(NamedTuple):
    """The facts of an answer: its status, 0 without one; the target of its redirect; what went wrong.

    `unpackable` says why its body cannot be unpacked. `is_refusal` says that the host refuses this program,
    `is_challenge` that it asks for a proof of a browser.
    """

    status: int
    target: str = ""
    error: str = ""
    is_connected: bool = True
    is_refusal: bool = False
    is_challenge: bool = False
    content_type: str = ""
    is_html: bool = False
    unpackable: str = ""


@rule("SM601")
def unreachable(answer: LiveAnswer) -> Iterator[Message]:
    """The host does not answer.

    Crawlers get nothing from it either: the name, the certificate or the server is at fault.
    Fix: check the DNS records, the certificate and the firewall of the host.
    """
    if not answer.is_connected:
        yield 1, answer.error


@rule("SM602")
def robots_fails(answer: LiveAnswer) -> Iterator[Message]:
    """robots.txt fails, so crawlers stay away from the whole host.

    While it answers 5xx, or nothing, crawlers treat every URL as disallowed.
    Fix: serve robots.txt with 200, or 404 if there is none.
    """
    if answer.is_connected and not answer.is_refusal and (answer.status >= 500 or answer.error):
        yield 1, what(answer)


SITEMAP_CLOSED = Rule(
    "SM604",
    """robots.txt blocks the sitemap.

    Crawlers do not fetch it. Search Console reports that it could not be fetched.
    Fix: remove the rule from robots.txt, or allow the sitemap's path.
    """,
)

ROBOTS_DIFFERS = Rule(
    "SM605",
    """The live robots.txt is not the built one.

    The deployment is not complete, a CDN still has the old file, or another program serves it.
    Fix: deploy again, purge the CDN, or look for a rule of the host that serves its own robots.txt.
    """,
    Severity.WARNING,
)


@rule("SM607")
def robots_is_html(answer: LiveAnswer) -> Iterator[Message]:
    """The live robots.txt is an HTML page.

    The host answers every path with one page, so crawlers find no rule and no sitemap in it.
    Fix: publish a robots.txt, or let the host answer 404 for files that do not exist.
    """
    if answer.is_html and answer.status == 200:
        yield 1, "is an HTML page"


NAMED_GONE = Rule(
    "SM608",
    """robots.txt names a sitemap that is not there.

    Crawlers request it again and again, and Search Console reports that it could not be fetched.
    Fix: remove the line from robots.txt, or publish the sitemap.
    """,
)

NAMED_HTTP = Rule(
    "SM609",
    """robots.txt names an http:// sitemap of an https:// site.

    At best, crawlers follow a redirect. The URLs in the sitemap may not fit its scheme.
    Fix: write https:// in the Sitemap: line.
    """,
    Severity.WARNING,
)


@rule("SM611")
def sitemap_fails(answer: LiveAnswer) -> Iterator[Message]:
    """The live sitemap does not answer 200.

    Crawlers cannot fetch it.
    Fix: upload the file to this URL, or correct base_url and `[sitemap] name`.
    """
    if answer.status not in (0, 200) and not answer.target and not answer.is_refusal:
        yield 1, what(answer)


@rule("SM612")
def sitemap_redirects(answer: LiveAnswer) -> Iterator[Message]:
    """The live sitemap redirects.

    Not every crawler follows a redirect of a sitemap, and one to another host leaves its scope.
    Fix: name the target in robots.txt and Search Console, or serve the file here.
    """
    if answer.target:
        yield 1, f"redirects to {answer.target}"


@rule("SM613")
def sitemap_is_html(answer: LiveAnswer) -> Iterator[Message]:
    """The live sitemap is an HTML page.

    The host sends its “not found” page, a login page or a bot check instead. Search Console reports that
    the sitemap could not be fetched or is HTML.
    Fix: upload the sitemap, and exempt it from the fallback or the login.
    """
    if answer.is_html:
        yield 1, "is an HTML page"


@rule("SM614")
def packed_otherwise(answer: LiveAnswer) -> Iterator[Message]:
    """The compression of the live sitemap does not match its name or Content-Encoding.

    Crawlers unpack it accordingly, and get bytes that are not XML.
    Fix: send Content-Encoding only for files that the server compresses, and name gzip files .gz.
    """
    if answer.unpackable:
        yield 1, answer.unpackable


@rule("SM615", Severity.WARNING)
def wrong_type(answer: LiveAnswer) -> Iterator[Message]:
    """The live sitemap has a wrong content type.

    Most crawlers read it anyway, but some tools do not.
    Fix: serve it as application/xml.
    """
    kind = answer.content_type.partition(";")[0].strip().lower()
    is_fitting = kind in _XML_TYPES or kind.endswith("+xml")
    if answer.status == 200 and not answer.error and not answer.is_html and not is_fitting:
        yield 1, f"its content type is {kind or 'missing'}, not application/xml"


SITEMAP_DIFFERS = Rule(
    "SM616",
    """The live sitemap is not the built one.

    Search engines read an old list: the deployment is not complete, or a CDN still has the old file.
    Fix: deploy, wait with --wait, or purge the CDN.
    """,
)


@rule("SM617")
def sitemap_incomplete(answer: LiveAnswer) -> Iterator[Message]:
    """The live sitemap arrives incomplete or too late.

    Crawlers give up on it.
    Fix: look for a limit of time or size at the host, and serve the sitemap as a file.
    """
    if answer.error and not answer.is_refusal:
        yield 1, answer.error


def what(answer: LiveAnswer) -> str:
    """An answer that is no page, in words."""
    if answer.target:
        return "redirects"
    return f"answers {answer.status}" if answer.status and not answer.error else answer.error


OF_ROBOTS = (unreachable, robots_fails, robots_is_html)
OF_SITEMAPS = (
    sitemap_fails, sitemap_redirects, sitemap_is_html, packed_otherwise, wrong_type, sitemap_incomplete,
)  # fmt: skip
ALL: tuple[Rule, ...] = (
    *OF_ROBOTS, SITEMAP_CLOSED, ROBOTS_DIFFERS, NAMED_GONE, NAMED_HTTP, *OF_SITEMAPS, SITEMAP_DIFFERS,
)  # fmt: skip
