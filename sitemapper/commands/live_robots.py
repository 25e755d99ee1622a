"""The live robots.txt: its rules, and the built file to compare."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from ..find.first_look import read_robots
from ..find.load import Setup
from ..linter import Finding, Rule
from ..linter.engine import findings_at
from ..linter.rules import live
from ..read.sitemap import is_html as is_html_page
from ..site import Site
from ..syntax import robots
from ..syntax.robots import Crawling, read_crawling
from ..syntax.urls import resolve
from . import live_pages
from .asking import Scope, host_url

if TYPE_CHECKING:
    from ..net.client import Answer, Fetcher

_MAX_REDIRECTS = 5  # crawlers follow at least five (RFC 9309, section 2.3.1.2)


class LiveRobots:
    """The robots.txt of the live host: what is wrong with it, and which URLs it closes.

    `read` requests and checks robots.txt, and fills the attributes. `built_site` is the site that
    was built on this machine: its robots.txt is compared with the live one. None to compare none.
    """

    def __init__(
        self, scope: Scope, setup: Setup, fetcher: Fetcher, built_site: Site | None
    ) -> None:
        """Keeps what `read` needs, and makes the empty attributes that `read` fills."""
        self.findings: list[Finding] = []
        # The rules of robots.txt, which say what URLs are closed to crawlers. None on a preview, or
        # if the host shows an HTML page instead of robots.txt.
        self.crawling: Crawling | None = None
        self._scope = scope
        self._setup = setup
        self._fetcher = fetcher
        self._built_site = built_site
        self._url = resolve("/robots.txt", scope.requested_base) or ""  # never "" for a base URL

    def read(self) -> bool:
        """Requests and checks robots.txt. Returns whether the host could be reached at all.

        If it could not, the caller requests nothing more.

        Fills `findings` with what is wrong, and `crawling` with the rules of robots.txt, by which
        the caller leaves out closed URLs. There are no rules for a preview, whose robots.txt often
        closes all URLs. A robots.txt that answers with another status than 200 counts as empty.
        """
        # Check the answer: its status and its headers.
        requested_url, answer = robots_answer(self._fetcher, self._url)
        text = b""
        if answer.status == 200:
            text = live_pages.unpack(answer, self._url).content
        is_html = is_html_page(text)
        facts = live_pages.facts_of(answer, requested_url, self._scope)._replace(is_html=is_html)
        self.findings += findings_at(self._url, live.check_robots(facts))
        # An HTML page is the “not found” page of the host, with a 200, and has no rules.
        if self._scope.is_preview or is_html:
            return answer.is_connected
        # Check the lines of the file.
        self.crawling = read_crawling(text)
        line = self.crawling.forbids(self._scope.sitemap)
        if line:
            self.findings.append(
                self._finding(live.SITEMAP_CLOSED, f"disallows the sitemap: {line}")
            )
        if self._built_site and answer.status == 200:
            self._compare_with_built(text, self._built_site)
        return answer.is_connected

    def _finding(self, rule: Rule, message: str) -> Finding:
        """Makes a finding about robots.txt as a whole, which names its first line."""
        return rule.at(self._url, 1, message)

    def _compare_with_built(self, text: bytes, site: Site) -> None:
        """Reports the first line in which the live robots.txt differs from the built one.

        Nothing is reported if the build wrote none, or an empty one.
        """
        built = read_robots(site.root, output=site.output.folder, base_url=site.base_url)
        if built is None or not built.text:
            return
        difference = first_difference(built.text, text)
        if difference:
            message = f"is not the built file: {difference}"
            self.findings.append(self._finding(live.ROBOTS_DIFFERS, message))


def robots_answer(fetcher: Fetcher, url: str) -> tuple[str, Answer]:
    """Requests robots.txt, and returns the URL that answered at last, with its answer.

    Follows five redirects at most. A redirect to another host or scheme, or to an invalid URL, is
    not followed: then the redirect itself is the answer.
    """
    requested_url = url
    answer = fetcher.get(requested_url, robots.SIZE_LIMIT)
    for _redirect in range(_MAX_REDIRECTS):
        if not 300 <= answer.status < 400:
            break
        target = resolve(answer.header("location"), requested_url)
        if not target or not target.startswith(host_url(requested_url)):
            break
        requested_url = target
        answer = fetcher.get(requested_url, robots.SIZE_LIMIT)
    return requested_url, answer


def first_difference(built: bytes, live: bytes) -> str:
    """Names the first line that differs in the built and the live robots.txt.

    "line 2 is 'Disallow: /', not 'Disallow: /a'". "" if no line differs. A host may write a
    block before the built text: from `# BEGIN Cloudflare Managed content` to `# END …`. Such a
    block is no difference.
    """
    built_lines = _lines(built)
    live_lines = _lines(live)
    # Where the built text starts in the live one, if the host has written something before it.
    start = max(len(live_lines) - len(built_lines), 0)
    lines_before = [line.lower() for line in live_lines[:start] if line]
    if lines_before and live_lines[start:] == built_lines:
        is_begun = lines_before[0].startswith("# begin ")
        is_ended = lines_before[-1].startswith("# end ")
        if is_begun and is_ended:
            return ""
    pairs = zip_longest(built_lines, live_lines, fillvalue="")
    for number, (built_line, live_line) in enumerate(pairs, 1):
        if built_line != live_line:
            return f"line {number} is {live_line[:80]!r}, not {built_line[:80]!r}"
    return ""


def _lines(text: bytes) -> list[str]:
    """Splits a robots.txt into lines, without spaces around them, or empty lines at both ends."""
    return [line.strip() for line in text.decode("utf-8", "replace").strip().splitlines()]
