"""SM60x and SM61x: what the live host answers for robots.txt and sitemaps, for `verify`. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..rule import Fault, rules

_XML_TYPES = ("application/xml", "text/xml", "application/x-gzip", "application/gzip", "text/plain")

(UNREACHABLE, ROBOTS_FAILS, SITEMAP_CLOSED, ROBOTS_DIFFERS, ROBOTS_IS_HTML, NAMED_GONE, NAMED_HTTP) = (
    OF_ROBOTS
) = rules("""
SM601 error: The host does not answer.
Crawlers get nothing from it either: the name, the certificate or the server is at fault.
Fix: check the DNS records, the certificate and the firewall of the host.

SM602 error: robots.txt fails, so crawlers stay away from the whole host.
While it answers 5xx, or nothing, crawlers treat every URL as disallowed.
Fix: serve robots.txt with 200, or 404 if there is none.

SM604 error: robots.txt blocks the sitemap.
Crawlers do not fetch it. Search Console reports that it could not be fetched.
Fix: remove the rule from robots.txt, or allow the sitemap's path.

SM605 warning: The live robots.txt is not the built one.
The deployment is not complete, a CDN still has the old file, or another program serves it.
Fix: deploy again, purge the CDN, or look for a rule of the host that serves its own robots.txt.

SM607 error: The live robots.txt is an HTML page.
The host answers every path with one page, so crawlers find no rule and no sitemap in it.
Fix: publish a robots.txt, or let the host answer 404 for files that do not exist.

SM608 error: robots.txt names a sitemap that is not there.
Crawlers request it again and again, and Search Console reports that it could not be fetched.
Fix: remove the line from robots.txt, or publish the sitemap.

SM609 warning: robots.txt names an http:// sitemap of an https:// site.
At best, crawlers follow a redirect. The URLs in the sitemap may not fit its scheme.
Fix: write https:// in the Sitemap: line.
""")

(
    SITEMAP_FAILS,
    SITEMAP_REDIRECTS,
    SITEMAP_IS_HTML,
    PACKED_OTHERWISE,
    WRONG_TYPE,
    SITEMAP_DIFFERS,
    SITEMAP_INCOMPLETE,
) = OF_SITEMAPS = rules("""
SM611 error: The live sitemap does not answer 200.
Crawlers cannot fetch it.
Fix: upload the file to this URL, or correct base_url and `[sitemap] name`.

SM612 error: The live sitemap redirects.
Not every crawler follows a redirect of a sitemap, and one to another host leaves its scope.
Fix: name the target in robots.txt and Search Console, or serve the file here.

SM613 error: The live sitemap is an HTML page.
The host sends its “not found” page, a login page or a bot check instead. Search Console reports that
the sitemap could not be fetched or is HTML.
Fix: upload the sitemap, and exempt it from the fallback or the login.

SM614 error: The compression of the live sitemap does not match its name or Content-Encoding.
Crawlers unpack it accordingly, and get bytes that are not XML.
Fix: send Content-Encoding only for files that the server compresses, and name gzip files .gz.

SM615 warning: The live sitemap has a wrong content type.
Most crawlers read it anyway, but some tools do not.
Fix: serve it as application/xml.

SM616 error: The live sitemap is not the built one.
Search engines read an old list: the deployment is not complete, or a CDN still has the old file.
Fix: deploy, wait with --wait, or purge the CDN.

SM617 error: The live sitemap arrives incomplete or too late.
Crawlers give up on it.
Fix: look for a limit of time or size at the host, and serve the sitemap as a file.
""")
ALL = (*OF_ROBOTS, *OF_SITEMAPS)


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

    def __str__(self) -> str:
        if self.target:
            return "redirects"
        return f"answers {self.status}" if self.status and not self.error else self.error

    @property
    def kind(self) -> str:
        """The content type without its parameters."""
        return self.content_type.partition(";")[0].strip().lower()


def check_robots(answer: LiveAnswer) -> Iterator[Fault]:
    """The rules that the answer for robots.txt breaks, and how."""
    if not answer.is_connected:
        yield UNREACHABLE, 1, answer.error
    elif not answer.is_refusal and (answer.status >= 500 or answer.error):
        yield ROBOTS_FAILS, 1, str(answer)
    if answer.is_html and answer.status == 200:
        yield ROBOTS_IS_HTML, 1, "is an HTML page"


def check_sitemap(answer: LiveAnswer) -> Iterator[Fault]:
    """The rules that the answer for a sitemap breaks, and how."""
    if answer.status not in (0, 200) and not answer.target and not answer.is_refusal:
        yield SITEMAP_FAILS, 1, str(answer)
    if answer.target:
        yield SITEMAP_REDIRECTS, 1, f"redirects to {answer.target}"
    if answer.is_html:
        yield SITEMAP_IS_HTML, 1, "is an HTML page"
    if answer.unpackable:
        yield PACKED_OTHERWISE, 1, answer.unpackable
    is_fitting = answer.is_html or answer.kind in _XML_TYPES or answer.kind.endswith("+xml")
    if answer.status == 200 and not answer.error and not is_fitting:
        yield WRONG_TYPE, 1, f"its content type is {answer.kind or 'missing'}, not application/xml"
    if answer.error and not answer.is_refusal:
        yield SITEMAP_INCOMPLETE, 1, answer.error
