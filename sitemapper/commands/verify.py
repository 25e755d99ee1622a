"""`verify`: requests robots.txt, the sitemap and its URLs from the live host, as crawlers do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from ..find.load import Setup
from ..hosts.choose import of_answer
from ..linter import Finding
from ..linter.model import joined
from ..linter.rules import live, locs
from ..linter.rules.live import LiveAnswer, LivePage, PageFault, Role
from ..messages import Kind, Message
from ..read import server, walk
from ..read.content import make_rule
from ..syntax.robots import Crawling
from ..syntax.urls import relative_path
from . import asking, live_pages
from .advice import Advice, PageOutcome, advise, outcome_of
from .asking import Changes, Request, Scope, host_url
from .built_pages import MAX_PAGE, BuiltPages
from .live_pages import NotFoundPage
from .live_robots import LiveRobots
from .live_sitemaps import read_live_sitemaps
from .refusals import Refusals

if TYPE_CHECKING:
    from ..net.client import Answer, Fetcher

_EXAMPLES = 3  # URLs in a finding
Progress = Callable[[str, int], None]  # called with the phase and the answers so far


class _FaultyUrls(NamedTuple):
    """The URLs that have the same fault, and the first of the requests that showed it."""

    first: Request
    urls: list[str]


class Verification:
    """Checks a live host: `run` requests its robots.txt, sitemaps and pages, and fills `findings`.

    With `is_built`, the site was built on this machine, and the answers are compared with its
    files. `now` is in seconds.
    """

    def __init__(
        self, scope: Scope, setup: Setup, fetcher: Fetcher, *, now: int, is_built: bool
    ) -> None:
        """Makes the empty attributes that `run` fills. `scope` names the sitemap to verify.

        With `is_built`, the site was built on this machine. `now` is in seconds.
        """
        # The result of `run`.
        self.findings: list[Finding] = []
        self.notes: list[Message] = []
        self.files: list[tuple[str, int]] = []  # the sitemaps with their numbers of entries
        self.checked = 0  # answers that say something about the host, which a refusal does not
        self.planned = 0  # pages to request

        self._scope = scope
        self._setup = setup
        self._fetcher = fetcher
        self._now = now
        self._built_site = setup.site if is_built else None
        self._built_root: walk.SiteRoot | None = None  # the folder of the built pages, if any
        if is_built and os.path.isdir(setup.site.root):
            self._built_root = walk.make_site_root(setup.site.root, (), setup.site.include)
        self._refusals = Refusals(scope, fetcher)

        # Filled from the live sitemaps.
        self._entries: Sequence[Request] = ()  # the listed URLs
        self._listed = 0  # the number of all listed URLs, of which a million are kept

        # Filled from the answers for pages.
        self._answered = 0  # all answers, also refusals, which `checked` does not count
        # The URLs with each fault, such as (SM621, "answers 404"). Each fault becomes one finding,
        # at the line that lists the first URL.
        self._urls_by_fault: dict[PageFault, _FaultyUrls] = {}
        self._outcomes: list[PageOutcome] = []  # what the host did with each listed page
        # The names of hosts that redirect pages to another URL form, such as "netlify".
        self._redirecting_hosts: set[str] = set()

    def run(
        self, sample: int | None, changes: Changes | None, wait: float, progress: Progress
    ) -> None:
        """Requests robots.txt, the sitemaps and pages of the host, and checks the answers.

        With a list of `changes`, the pages are those in the list. Otherwise, they are as many of
        the listed URLs as `sample` says, or all of them if `sample` is None.

        Waits at most `wait` seconds until the built sitemap is live. If the host cannot be reached,
        nothing is requested after robots.txt.
        """
        robots = LiveRobots(self._scope, self._setup, self._fetcher, self._built_site)
        is_reached = robots.read()
        self.findings += robots.findings
        if not is_reached:
            return
        self._read_sitemaps(wait)
        chosen = self._choose(sample, changes)
        compared = self._request_pages(chosen, robots.crawling, progress)
        self._report_other_host(chosen)
        self.findings += self._findings_on_pages(compared)
        self.notes += self._notes_on_requests()

    def advise(self, codes: Set[str]) -> Advice:
        """Proposes settings that mend findings with these codes, such as `url_style = "clean"`.

        For a preview, there are none, because its host may do other things than the host of the
        site.
        """
        if self._scope.is_preview:
            return Advice(settings=[], notes=[])
        paths = [relative_path(entry.url, self._scope.listed_base) for entry in self._entries]
        return advise(
            self._outcomes,
            listed={path for path in paths if path is not None},
            hosts=self._redirecting_hosts,
            reported_codes=codes,
            settings=self._setup.settings,
            find_file=self._find_built_file,
        )

    def _find_built_file(self, path: str) -> str | None:
        """Finds the built file that a server shows at a path, such as `a/index.html` at `a/`.

        None if there is none, or if the site was not built here.
        """
        if self._built_root is None:
            return None
        return server.file_for_url_path(self._built_root, path)

    def _read_sitemaps(self, wait: float) -> None:
        """Reads the live sitemaps, and adds what was found in them to the result of the run.

        Waits at most `wait` seconds until the built ones are live.
        """
        sitemaps = read_live_sitemaps(
            self._scope, self._fetcher, self._built_site, now=self._now, wait=wait
        )
        self.findings += sitemaps.findings
        self.files = sitemaps.files
        self.checked += sitemaps.checked
        self._entries = sitemaps.entries
        self._listed = sitemaps.listed
        for page in sitemaps.answers:
            # A fault of a whole sitemap, such as a refusal, is reported at line 1 of this sitemap.
            self._record(page, Request(url=page.url, file=page.url, line=1))

    def _choose(self, sample: int | None, changes: Changes | None) -> list[Request]:
        """Chooses the pages to request.

        With a list of `changes`, the pages are those in the list. Otherwise, they are a sample of
        the listed URLs, or all if `sample` is None.
        """
        if changes is None:
            return asking.sample_of(self._entries, sample)
        return asking.requests_for_changes(changes, self._entries, self._scope.sitemap)

    def _request_pages(
        self, chosen: Sequence[Request], crawling: Crawling | None, progress: Progress
    ) -> int:
        """Requests the chosen URLs, and records what is wrong with their answers.

        `crawling` are the rules of the live robots.txt. Listed URLs that it closes are not
        requested. If the host refuses everything after a while, no more URLs are requested. Returns
        the number of pages that were compared with their built files.
        """
        # If the host shows its “not found” page for a listed URL, the page of this URL is missing.
        not_found = self._read_not_found_page()
        # Parts of a page that `ledger.drop` names are not compared with the built file.
        digest_rule = make_rule(self._setup.settings.ledger.drop)
        built = BuiltPages(chosen, self._built_root, self._setup.site.base_url, digest_rule)
        requests = self._record_closed_urls(chosen, crawling)
        self.planned = len(requests)  # the progress bar is full at this number
        for requested_url, answer in self._fetcher.get_all(requests, MAX_PAGE):
            request = requests[requested_url]
            page = live_pages.read_live_page(
                request, answer, self._scope, not_found, self._now, built
            )
            self._answered += 1
            rate = self._fetcher.rate  # requests in a second, 0 without a limit
            progress(f"{rate:g}/s" if rate else "verify", self._answered)
            # A refusal is a 401, 403, 429 or a bot check. What it means depends on the other
            # answers, so refused pages are kept to the end.
            if page.answer.refuses_program:
                self._refusals.add_refused(request, page)
                if self._refusals.test_after_refusals(requests):  # the host refuses everything now
                    break
            else:
                self._refusals.add_answered(requested_url, answer.status)
                self._record(page, request)
                self._record_redirecting_host(page, answer)
                self.checked += 1
        self._record_refused_pages()
        return built.compared

    def _record_redirecting_host(self, page: LivePage, answer: Answer) -> None:
        """Keeps the name of a host such as Netlify that redirects the listed /a.html to /a.

        Such a host has URL forms of its own, so `advise` may propose to set `host` to its name.
        """
        if page.role is Role.LISTED and live.is_other_form(page.url, page.answer.target):
            self._redirecting_hosts.add(of_answer(answer.header))

    def _record_refused_pages(self) -> None:
        """Records the pages that the host refused, such as with a 403.

        This comes after all other answers, because they show what a refusal means: `settle` decides
        whether the host refuses this program, or closes the page by a password, for example. Only a
        closed page counts as checked.
        """
        for request, page in self._refusals.settle():
            self._record(page, request)
            if not page.answer.refuses_program:
                self.checked += 1

    def _read_not_found_page(self) -> NotFoundPage:
        """Requests a path that does not exist, and reports if the host answers it with a 200.

        Returns what the answer shows: the “not found” page of the host. A listed URL that shows the
        same is missing, too, even with a 200.
        """
        scope = self._scope
        # The URL has 32 random digits: `https://a.example/9f86d081…`.
        requested_url, answer = self._refusals.request_made_up(scope.requested_base)
        facts = live_pages.facts_of(answer, requested_url, scope)
        # A finding names the URL on the host of the sitemap, also if a preview on another host was
        # requested. It does not name the digits, so that each run reports the same.
        page = LivePage(scope.to_listed(requested_url), facts, Role.MADE_UP)
        url_in_finding = f"{scope.listed_base}<32 random digits>"
        self._record(page, Request(url_in_finding, scope.sitemap, line=1))
        body = live_pages.unpack(answer, requested_url, MAX_PAGE).content
        return NotFoundPage(requested_url, body)

    def _record_closed_urls(
        self, chosen: Sequence[Request], crawling: Crawling | None
    ) -> dict[str, Request]:
        """Records the listed URLs that the live robots.txt closes, and returns the other requests.

        The result is `{URL to request: request}`. For a preview, the URL to request is on another
        host than the listed URL. `crawling` are the rules of robots.txt.
        """
        requests: dict[str, Request] = {}
        for request in chosen:
            requested_url = self._scope.to_requested(request.url)
            if not requested_url:  # it is outside of the base URL
                continue
            line = crawling.forbids(request.url) if crawling else None
            if line and request.role is Role.LISTED:
                no_answer = LiveAnswer(status=0)
                self._record(LivePage(request.url, no_answer, closed_by=str(line)), request)
            else:
                requests[requested_url] = request
        return requests

    def _record(self, page: LivePage, request: Request) -> None:
        """Keeps the faults of a page that was requested, for findings, and its outcome, for advice.

        For `https://a.example/b` with a 404, this URL is kept for the fault "answers 404".
        """
        self._record_outcome(page)
        url_in_message = request.url
        other_url = page.answer.target or page.canonical
        if other_url:
            url_in_message = f"{request.url} -> {other_url}"
        for fault in live.check_page(page):
            faulty = self._urls_by_fault.setdefault(fault, _FaultyUrls(first=request, urls=[]))
            faulty.urls.append(url_in_message)

    def _record_outcome(self, page: LivePage) -> None:
        """Keeps what the host did with a listed page, such as a redirect, for `advise`.

        `advise` can only change which files of the site are listed, and at which URLs. So nothing
        is kept for a URL with a query, such as /a?b, because no file has this URL.
        """
        if page.role is not Role.LISTED:
            return
        base_url = self._scope.listed_base
        path = relative_path(page.url, base_url)
        if path is None:  # the URL has a query
            return
        # If the host answers 403 for any missing page, a 403 does not show that a page is closed.
        outcome = outcome_of(page, forbids_missing=self._refusals.forbids_missing)
        target = relative_path(page.answer.target, base_url) or ""
        self._outcomes.append(PageOutcome(path, outcome, target))

    def _findings_on_pages(self, compared: int) -> Iterator[Finding]:
        """Yields a finding for each fault, such as a 404, with the first URLs that have it.

        `answers 404: https://a.example/b, https://a.example/c`, at the line that lists the first of
        them. `compared` is the number of pages that were compared with their built files.
        """
        for (rule, what_is_wrong), (first, urls) in self._urls_by_fault.items():
            message = f"{what_is_wrong}: {joined(urls, _EXAMPLES)}"
            if rule is live.PAGE_CHANGED:  # "2 of 12 pages are not those of this build: …"
                message = f"{len(urls):,} of {compared:,} pages {message}"
            yield rule.at(first.file, first.line, message)

    def _report_other_host(self, chosen: Sequence[Request]) -> None:
        """Adds a finding or a note if none of the chosen URLs is on the host of the sitemap.

        Such URLs are not requested, so the run has checked no page. It adds a finding if the site
        was built with the base URL of a development server, such as `http://localhost:1313/`. In
        any other case, a note says how to request the URLs.
        """
        scope = self._scope
        if any(scope.to_requested(request.url) is not None for request in chosen):
            return
        on_web = [one for one in chosen if one.url.startswith(("http://", "https://"))]
        if not on_web:
            return
        first = on_web[0]
        if asking.is_of_local_build(first.url, scope.requested_base):
            text = (
                f"{first.url} is on the machine that built the site, not on {scope.requested_base}"
            )
            self.findings.append(locs.OTHER_HOST.at(first.file, first.line, text))
            return
        self.checked = 0  # the sitemap alone does not count as a check
        self.notes.append(self._make_note_on_other_host(first.url))

    def _make_note_on_other_host(self, listed_url: str) -> Message:
        """Makes the note that the listed URLs are on another host than the sitemap.

        Its help is a command that requests the pages from the host of the sitemap all the same. If
        the sitemap of a.example lists the URL https://b.example/tea, the command is
        `sitemapper verify https://b.example/sitemap.xml --at https://a.example/`.
        """
        sitemap = self._scope.sitemap
        listed_host = host_url(listed_url)
        requested_host = host_url(self._scope.requested_base)
        sitemap_path = sitemap.removeprefix(host_url(sitemap))
        command = f"sitemapper verify {listed_host}{sitemap_path} --at {requested_host}"
        help = f"to request them from {requested_host}: {command}"
        subjects = (f"{self._listed:,}", listed_host, requested_host)
        return Message(Kind.NONE_REQUESTED, subjects, help=help)

    def _notes_on_requests(self) -> Iterator[Message]:
        """Yields notes for people: how many URLs were requested, and what else to know of the run.

        The first note says whether the run ended at a limit. Others say that it was for a preview,
        or if nothing is wrong, that Search Console may still report an error for days.
        """
        kind = Kind.REQUESTED_UNTIL_LIMIT if self._fetcher.is_over else Kind.REQUESTED
        yield Message(kind, (f"{self._answered:,}", f"{self._listed:,}"))
        if self._scope.is_preview:
            yield Message(Kind.PREVIEW, (self._scope.requested_base,))
        if not self.findings:
            yield Message(Kind.PENDING)
