"""The live robots.txt: its rules, the sitemaps that it names, and the built file to compare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
# Other sitemaps that robots.txt names. A few belong to other parts of the site, such as a blog.
_MAX_NAMED_SITEMAPS = 10


class LiveRobots:
    """The robots.txt of the live host. `read` requests and checks it, and fills the attributes.

    `built_site` was built on this machine, and its robots.txt is compared. Without it, none is.
    """

    def __init__(
        self, scope: Scope, setup: Setup, fetcher: Fetcher, built_site: Site | None
    ) -> None:
        self.findings: list[Finding] = []
        self.crawling: Crawling | None = None  # its rules; None on a preview, or if it has none
        self._scope = scope
        self._setup = setup
        self._fetcher = fetcher
        self._built_site = built_site
        self._url = resolve("/robots.txt", scope.at) or ""
        self._named_sitemaps: Sequence[str] = ()

    def read(self) -> bool:
        """Requests and checks robots.txt. Returns whether the host could be reached at all.

        If not, the caller requests nothing more. The rules say for the rest of the run which URLs
        are closed, except on a preview, whose robots.txt often closes all. Without a 200, it counts
        as empty.
        """
        place, answer = robots_answer(self._fetcher, self._url)
        text = b""
        if answer.status == 200:
            text = live_pages.unpack(answer, self._url).content
        is_html = is_html_page(text)
        facts = live_pages.facts_of(answer, place, self._scope)._replace(is_html=is_html)
        self.findings += findings_at(self._url, live.check_robots(facts))
        # A “not found” page with a 200 in its place has no rules, and those of a preview are only
        # for the preview.
        if self._scope.is_preview or is_html:
            return answer.is_connected
        self._named_sitemaps = robots.sitemap_lines(text)
        self.crawling = read_crawling(text, self._setup.settings.robots.agents)
        line = self.crawling.forbids(self._scope.sitemap)
        if line:
            self.findings.append(self._finding(live.SITEMAP_CLOSED, f"blocks the sitemap: {line}"))
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

    def check_named_sitemaps(self) -> Iterator[Finding]:
        """Requests the sitemaps on this host that robots.txt names besides the one to verify.

        Yields a finding for each that the host does not have. On a host with https, one with http
        is a finding without a request. Sitemaps on other hosts are left alone.
        """
        sitemap = self._scope.sitemap
        others = [url for url in dict.fromkeys(self._named_sitemaps) if url != sitemap]
        is_https = sitemap.startswith("https:")
        host_and_slash = host_url(sitemap).removeprefix("https://")  # "example.com/"
        for url in others[:_MAX_NAMED_SITEMAPS]:
            if is_https and url.startswith(f"http://{host_and_slash}"):
                yield self._finding(live.NAMED_HTTP, f"names {url}")
            elif url.startswith(host_url(self._scope.at)):
                answer = self._fetcher.get(url, 1)  # one byte: only the status counts
                facts = live_pages.facts_of(answer, url, self._scope)
                if answer.status >= 400 and not facts.is_refusal:
                    message = f"names {url}, which answers {answer.status}"
                    yield self._finding(live.NAMED_GONE, message)


def robots_answer(fetcher: Fetcher, url: str) -> tuple[str, Answer]:
    """Requests robots.txt, and returns the URL that answered at last, with its answer.

    Follows five redirects at most. One that leads to another host, or is invalid, is not followed,
    so that the redirect itself is the answer.
    """
    place = url
    answer = fetcher.get(place, robots.SIZE_LIMIT)
    for _redirect in range(_MAX_REDIRECTS):
        if not 300 <= answer.status < 400:
            break
        target = resolve(answer.header("location"), place)
        if not target or not target.startswith(host_url(place)):
            break
        place = target
        answer = fetcher.get(place, robots.SIZE_LIMIT)
    return place, answer


def first_difference(built: bytes, live: bytes) -> str:
    """Names the first line that differs in the built and the live robots.txt.

    "line 2 is 'Disallow: /', not 'Disallow: /a'". "" if no line differs. A block that the host
    itself writes before the built text, from `# BEGIN Cloudflare Managed content` to `# END …`, is
    no difference.
    """
    built_lines = _lines(built)
    live_lines = _lines(live)
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
