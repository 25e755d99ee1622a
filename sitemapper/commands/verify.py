"""`verify`: requests robots.txt, the sitemap and its URLs from the live host, as crawlers do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from typing import TYPE_CHECKING

from ..find.first_look import read_robots
from ..find.load import Setup
from ..hosts.choose import of_answer
from ..linter import Finding, Rule
from ..linter.engine import findings_at
from ..linter.model import joined
from ..linter.rules import live, locs
from ..linter.rules.live import LiveAnswer, LivePage, Role
from ..messages import Kind, Message
from ..read import server, walk
from ..read.content import make_rule
from ..read.sitemap import is_html as is_html_page
from ..syntax import robots
from ..syntax.crawling import Crawling, read_crawling
from ..syntax.urls import relative_path, resolve
from . import asking, live_pages
from .advice import Advice, PageOutcome, advise, outcome_of
from .asking import Changes, Request, Scope, host_url
from .built_pages import MAX_PAGE, BuiltPages, built_files
from .live_robots import first_difference, robots_answer
from .live_sitemaps import LiveSitemaps, built_rows
from .page_text import NotFoundPage, not_found_page
from .refusals import Refusals, Refused

if TYPE_CHECKING:
    from ..net.client import Answer, Fetcher

# After so many refusals in a row, a URL is requested that the host showed before. It tells whether
# the host refuses all requests by now.
_MAX_REFUSALS_IN_ROW = 5
# Other sitemaps that robots.txt names. A few belong to other parts of the site, such as a blog.
_MAX_NAMED_SITEMAPS = 10
_EXAMPLES = 3  # URLs in a finding
Progress = Callable[[str, int], None]  # called with the phase and the answers so far


class Verification:
    """Checks a live host: `run` requests its robots.txt, sitemaps and pages, and fills `findings`.

    With `is_built`, the site was built on this machine, and the answers are compared with its
    files. `now` is in seconds.
    """

    def __init__(
        self, scope: Scope, setup: Setup, fetcher: Fetcher, *, now: int, is_built: bool
    ) -> None:
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
        self._is_built = is_built
        built = built_rows(setup.site) if is_built else {}
        self._sitemaps = LiveSitemaps(scope, fetcher, built, now=now)
        self._refusals = Refusals(scope, fetcher)
        self._robots_url = resolve("/robots.txt", scope.at) or ""

        # Filled from the live robots.txt, by `_obey_robots`.
        self._crawling: Crawling | None = None
        self._named_sitemaps: Sequence[str] = ()

        # Filled from the answers for pages.
        self._answered = 0
        self._compared = 0  # pages, with their built files
        # For each rule and how it is broken: the first request, and the URLs that break it so.
        self._groups: dict[tuple[Rule, str], tuple[Request, list[str]]] = {}
        self._outcomes: list[PageOutcome] = []
        self._redirecting_hosts: set[str] = set()  # from one form of a URL to another

    def run(
        self, sample: int | None, rows: Changes | None, wait: float, progress: Progress
    ) -> None:
        """Requests robots.txt, the sitemaps and pages of the host, and checks the answers.

        `rows` is a list of changes, and the pages to request are those in it. If it is None, they
        are a `sample` of so many listed URLs, or all of them if `sample` is None. If the host
        cannot be reached, robots.txt is all that is requested. Waits at most `wait` seconds until
        the built sitemap is live.
        """
        if not self._read_robots():
            return
        self._read_sitemaps(wait)
        self._check_named_sitemaps()
        chosen = self._choose(sample, rows)
        self._request_pages(chosen, progress)
        self._note_other_host(chosen)
        # One finding for all URLs that break a rule in the same way.
        for (rule, how), (first, urls) in self._groups.items():
            what = how
            if rule is live.PAGE_CHANGED:
                what = f"{len(urls):,} of {self._compared:,} pages {how}"
            message = f"{what}: {joined(urls, _EXAMPLES)}"
            self.findings.append(rule.at(first.file, first.line, message))
        self.notes += self._notes_on_requests()

    def advise(self, codes: Set[str]) -> Advice:
        """Proposes settings that mend findings with these codes, such as `url_style = "clean"`.

        For a preview, there are none, because its host may do other things than the host of the
        site.
        """
        scope = self._scope
        if scope.is_preview:
            return Advice([], [])
        paths = [relative_path(entry.url, scope.base) for entry in self._sitemaps.entries]
        return advise(
            self._outcomes,
            listed=[path for path in paths if path is not None],
            hosts=self._redirecting_hosts,
            codes=codes,
            settings=self._setup.settings,
            find_file=self._built_file,
        )

    def _built_file(self, path: str) -> str | None:
        """Finds the built file that a server shows at a path, such as `a/index.html` at `a/`.

        None if there is none, or if the site was not built here.
        """
        site = self._setup.site
        if not self._is_built:
            return None
        return server.file_for_url_path(walk.folder(site.root, (), site.include), path)

    def _note_other_host(self, chosen: Sequence[Request]) -> None:
        """Says that no page was requested, if all chosen URLs are on another host than the sitemap.

            one of the URLs is on this host          → nothing to say
            they are on https://b.example/           → a note with the command that requests them
            they are on http://localhost:1313/       → a finding: the site was built with a wrong
                                                       base URL, that of a server for development

        With the note, nothing counts as checked.
        """
        scope = self._scope
        if any(scope.place(entry.url) for entry in chosen):
            return
        on_web = [entry for entry in chosen if entry.url.startswith(("http://", "https://"))]
        if not on_web:
            return
        first = on_web[0]
        if asking.is_of_local_build(first.url, scope.at):
            text = f"{first.url} is on the machine that built the site, not on {scope.at}"
            self.findings.append(locs.OTHER_HOST.at(first.file, first.line, text))
            return
        self.checked = 0
        listed_host = host_url(first.url)
        this_host = host_url(scope.at)
        sitemap_path = scope.sitemap.removeprefix(host_url(scope.sitemap))
        command = f"sitemapper verify {listed_host}{sitemap_path} --at {this_host}"
        count = f"{self._sitemaps.listed:,}"
        help = f"to request them from {this_host}: {command}"
        subjects = (count, listed_host, this_host)
        self.notes.append(Message(Kind.NONE_REQUESTED, subjects, help=help))

    def _choose(self, sample: int | None, rows: Changes | None) -> list[Request]:
        """Chooses the pages to request, then their language versions that the sitemap leaves out.

        With `rows`, the pages are those of a list of changes. Otherwise, they are a sample of the
        listed URLs, or all if `sample` is None. At most `sample` language versions are chosen, too.
        """
        if rows is None:
            chosen = asking.plan(self._sitemaps.entries, sample)
        else:
            chosen = asking.changed(rows, self._sitemaps.entries, self._scope.sitemap)
        alternates = asking.unlisted_alternates(chosen, self._sitemaps.entries, self._scope.sitemap)
        if sample:
            alternates = alternates[:sample]
        return chosen + alternates

    def _read_robots(self) -> bool:
        """Requests and checks robots.txt. Returns whether the host could be reached at all.

        If not, the caller requests nothing more. The rules and the `Sitemap:` lines count for the
        rest of the run, except on a preview, whose robots.txt often closes all. Without a 200,
        robots.txt counts as empty.
        """
        url = self._robots_url
        place, answer = robots_answer(self._fetcher, url)
        text = b""
        if answer.status == 200:
            text = live_pages.unpack(answer, url).content
        is_html = is_html_page(text)
        facts = live_pages.facts_of(answer, place, self._scope)._replace(is_html=is_html)
        self.findings += findings_at(url, live.check_robots(facts))
        # An HTML page in its place, such as a “not found” page with a 200, has no rules.
        if not self._scope.is_preview and not is_html:
            self._obey_robots(text)
            if self._is_built and answer.status == 200:
                self._compare_robots(text)
        return answer.is_connected

    def _obey_robots(self, text: bytes) -> None:
        """Keeps the rules and the `Sitemap:` lines of the live robots.txt for the rest of the run.

        If the rules keep crawlers from the sitemap, this becomes a finding.
        """
        self._named_sitemaps = robots.sitemap_lines(text)
        self._crawling = read_crawling(text, self._setup.settings.robots.agents)
        line = self._crawling.forbids(self._scope.sitemap)
        if line:
            message = f"blocks the sitemap: {line}"
            self.findings.append(live.SITEMAP_CLOSED.at(self._robots_url, 1, message))

    def _compare_robots(self, text: bytes) -> None:
        """Reports the first line in which the live robots.txt differs from the built one.

        Nothing is reported if the build wrote none, or an empty one.
        """
        site = self._setup.site
        built = read_robots(site.root, output=site.output.folder, base_url=site.base_url)
        if built is None or not built.text:
            return
        difference = first_difference(built.text, text)
        if difference:
            message = f"is not the built file: {difference}"
            self.findings.append(live.ROBOTS_DIFFERS.at(self._robots_url, 1, message))

    def _check_named_sitemaps(self) -> None:
        """Requests the sitemaps on this host that robots.txt names besides the one to verify.

        On a host with https, one with http is reported without a request. Sitemaps on other hosts
        are left alone.
        """
        sitemap = self._scope.sitemap
        others = [url for url in dict.fromkeys(self._named_sitemaps) if url != sitemap]
        is_https = sitemap.startswith("https:")
        host_and_slash = host_url(sitemap).removeprefix("https://")  # "example.com/"
        for url in others[:_MAX_NAMED_SITEMAPS]:
            if is_https and url.startswith(f"http://{host_and_slash}"):
                self.findings.append(live.NAMED_HTTP.at(self._robots_url, 1, f"names {url}"))
            elif url.startswith(host_url(self._scope.at)):
                self._check_named_sitemap(url)

    def _check_named_sitemap(self, url: str) -> None:
        """Requests a sitemap that robots.txt names, and reports it if the host does not have it."""
        answer = self._fetcher.get(url, 1)  # one byte: only the status counts
        facts = live_pages.facts_of(answer, url, self._scope)
        if answer.status >= 400 and not facts.is_refusal:
            message = f"names {url}, which answers {answer.status}"
            self.findings.append(live.NAMED_GONE.at(self._robots_url, 1, message))

    def _read_sitemaps(self, wait: float) -> None:
        """Reads the live sitemaps, and adds what was found in them to the result of the run."""
        sitemaps = self._sitemaps
        sitemaps.read(wait)
        self.findings += sitemaps.findings
        self.files = sitemaps.files
        self.checked += sitemaps.checked
        for page in sitemaps.answers:
            self._record(page, Request(page.url, page.url, 1))

    def _request_pages(self, chosen: Sequence[Request], progress: Progress) -> None:
        """Requests the chosen URLs, and records what is wrong with their answers.

        Refused pages (401, 403, 429 or a bot check) are recorded last, because what a refusal means
        depends on the other answers (see `Refusals.settle`). Some hosts refuse everything after a
        while. After five refusals in a row, this is tested, and the run ends if it is so.
        """
        # Requested first, to recognise this page where the host shows it for a listed URL.
        not_found = self._read_not_found_page()
        # With what the answers are compared, and what to request.
        readers = dict(built_files(chosen, self._setup.site)) if self._is_built else {}
        built = BuiltPages(readers, make_rule(self._setup.settings.ledger.drop))
        requests = dict(self._requests_by_place(chosen))
        self.planned = len(requests)
        shown_places: list[str] = []  # the URLs that answered 200
        open_place = ""  # the last of them, to test later whether the host still shows it
        refused: list[Refused] = []
        refused_in_row = 0  # refusals since the last answer that was none
        for place, answer in self._fetcher.get_all(requests, MAX_PAGE):
            request = requests[place]
            page = live_pages.read_live_page(
                request, answer, self._scope, not_found, self._now, built
            )
            self._count_answer(progress)
            if not page.answer.is_refusal:
                self._record_answered(page, request, answer)
                refused_in_row = 0
                if answer.status == 200:
                    shown_places.append(place)
                    open_place = place
                continue
            refused.append((request, page))
            refused_in_row += 1
            if refused_in_row == _MAX_REFUSALS_IN_ROW:
                # Before any page was shown, the refused ones may be closed, so others are tested.
                places_to_test = [open_place] if open_place else asking.spread(list(requests))
                open_place = self._refusals.find_open(places_to_test)
                if not open_place:
                    break
                refused_in_row = 0
        # All answers are known now, so it can be said what the refusals mean.
        for request, page in self._refusals.settle(refused, shown_places, open_place):
            self._record(page, request)
            if not page.answer.is_refusal:
                self.checked += 1
        self._compared = built.compared

    def _count_answer(self, progress: Progress) -> None:
        """Counts an answer, and shows how many there are.

        If the rate of requests is limited, it is shown too: `2/s` in place of `verify`.
        """
        self._answered += 1
        rate = self._fetcher.rate
        phase = f"{rate:g}/s" if rate else "verify"
        progress(phase, self._answered)

    def _read_not_found_page(self) -> NotFoundPage:
        """Requests a path that does not exist, and reports if the host answers it with a 200.

        Returns what the answer shows: the “not found” page of the host. Listed URLs that show the
        same are missing too, even with a 200.
        """
        place, answer = self._refusals.request_made_up_at_top()
        facts = live_pages.facts_of(answer, place, self._scope)
        made_up = Request(f"{self._scope.base}<32 random digits>", self._scope.sitemap, 1)
        self._record(LivePage(self._scope.listed(place), facts, Role.MADE_UP), made_up)
        return not_found_page(live_pages.unpack(answer, place, MAX_PAGE).content, place)

    def _record_answered(self, page: LivePage, entry: Request, answer: Answer) -> None:
        """Records a page that the host did not refuse.

        If a listed URL redirects to another form of itself, as /a.html to /a, the name of the host
        is kept for the advice.
        """
        self._record(page, entry)
        self.checked += 1
        if page.role is Role.LISTED and live.is_other_form(page.url, page.answer.target):
            self._redirecting_hosts.add(of_answer(answer.header))

    def _requests_by_place(self, chosen: Sequence[Request]) -> Iterator[tuple[str, Request]]:
        """Yields the URLs to request, each with what it is requested for.

        https://a.example/b                 → this URL, or on a preview, the same on its host
        a URL that is not below the base    → left out
        a URL that robots.txt closes        → left out; if it is listed, a finding
        """
        for entry in chosen:
            place = self._scope.place(entry.url)
            if not place:
                continue
            line = self._crawling.forbids(entry.url) if self._crawling else None
            if line and entry.role is Role.LISTED:
                self._record(
                    LivePage(url=entry.url, answer=LiveAnswer(status=0), closed_by=str(line)), entry
                )
            else:
                yield place, entry

    def _record(self, page: LivePage, entry: Request) -> None:
        """Checks a page, and keeps it for a finding about each rule that it breaks.

        `run` makes one finding of all URLs that break a rule in the same way: "answers 404:
        https://a.example/b, https://a.example/c", at the line of the first one.
        """
        if page.role is Role.LISTED:
            self._keep_outcome(page)
        text = entry.url  # as it is in the message of the finding
        other_url = page.answer.target or page.canonical
        if other_url:
            text = f"{entry.url} -> {other_url}"
        for fault in live.check_page(page):
            # The first entry with this fault stays: it gives the finding its file and line.
            _first_entry, urls = self._groups.setdefault(fault, (entry, []))
            urls.append(text)

    def _keep_outcome(self, page: LivePage) -> None:
        """Keeps what the host did with a listed page, from which `advise` proposes settings."""
        base = self._scope.base
        path = relative_path(page.url, base)
        if path is None:  # no setting is for a URL with a query
            return
        outcome = outcome_of(page, forbids_missing=self._refusals.forbids_missing)
        target = relative_path(page.answer.target, base) or ""
        self._outcomes.append(PageOutcome(path, outcome, target))

    def _notes_on_requests(self) -> Iterator[Message]:
        """Yields notes for people: how many URLs were requested, and what else to know of the run.

        The first note says whether the run ended at a limit. Others say that it was for a preview,
        or if nothing is wrong, that Search Console may still report an error for days.
        """
        kind = Kind.REQUESTED_UNTIL_LIMIT if self._fetcher.is_over else Kind.REQUESTED
        yield Message(kind, (f"{self._answered:,}", f"{self._sitemaps.listed:,}"))
        if self._scope.is_preview:
            yield Message(Kind.PREVIEW, (self._scope.at,))
        if not self.findings:
            yield Message(Kind.PENDING)
