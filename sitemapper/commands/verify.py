"""`verify`: requests robots.txt, the sitemap and its URLs from the live host, as crawlers do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from typing import TYPE_CHECKING

from ..find.robots import read_robots
from ..find.settle import Setup
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

# Refusals in a row, after which a URL is requested to see whether the host refuses all of them.
_MAX_REFUSALS = 5
_MAX_NAMED = 10  # other sitemaps that robots.txt names; a few belong to other parts of the site
_EXAMPLES = 3  # URLs in a finding
Progress = Callable[[str, int], None]  # called with the phase and the answers so far


class Verification:
    """Checks a live host, and collects what is wrong with it as `findings` and `notes`.

    `files` are the sitemaps with the numbers of their entries. `checked` counts the answers that
    say something about the host, which a refusal does not, and `planned` the URLs to request.

    `now` is in seconds. With `is_built`, the answers are compared with the built files.
    """

    def __init__(
        self, scope: Scope, setup: Setup, fetcher: Fetcher, *, now: int, is_built: bool
    ) -> None:
        self.findings: list[Finding] = []
        self.files: list[tuple[str, int]] = []
        self.checked = 0
        self.planned = 0
        self.notes: list[Message] = []
        self._scope = scope
        self._setup = setup
        self._fetcher = fetcher
        self._now = now
        self._is_built = is_built
        built = built_rows(setup.site) if is_built else {}
        self._sitemaps = LiveSitemaps(scope, fetcher, built, now=now)
        self._robots_url = resolve("/robots.txt", scope.at) or ""
        self._crawling: Crawling | None = None
        self._named: Sequence[str] = ()
        self._answered = 0
        self._groups: dict[tuple[Rule, str], tuple[Request, list[str]]] = {}
        self._refusals = Refusals(scope, fetcher)
        self._compared = 0  # pages, with their built files
        self._hosts: set[str] = set()  # those that redirect to other forms, by their answers
        self._outcomes: list[PageOutcome] = []

    def run(
        self, sample: int | None, rows: Changes | None, wait: float, progress: Progress
    ) -> None:
        """Requests URLs of the host, and checks the answers.

        They are a `sample` of so many listed URLs, or all if it is None, or the `rows` of a list of
        changes. Waits at most `wait` seconds until the built sitemap is live.
        """
        if not self._read_robots():
            return
        self._read_sitemaps(wait)
        self._check_named_sitemaps()
        chosen = self._choose(sample, rows)
        self._fetch(chosen, progress)
        self._note_other_host(chosen)
        for (rule, what), (first, urls) in self._groups.items():
            if rule is live.PAGE_CHANGED:
                what = f"{len(urls):,} of {self._compared:,} pages {what}"
            message = f"{what}: {joined(urls, _EXAMPLES)}"
            self.findings.append(rule.at(first.file, first.line, message))
        self.notes += self._describe()

    def advise(self, codes: Set[str]) -> Advice:
        """The settings that mend findings with these codes. None on a preview.

        They are lines such as `url_style = "clean"`. What a preview does is not what the host does.
        """
        scope = self._scope
        if scope.is_preview:
            return Advice([], [])
        paths = [relative_path(entry.url, scope.base) for entry in self._sitemaps.entries]
        return advise(
            self._outcomes,
            listed=[path for path in paths if path is not None],
            hosts=self._hosts,
            codes=codes,
            settings=self._setup.settings,
            find_file=self._built_file,
        )

    def _built_file(self, path: str) -> str | None:
        """The built file that a server shows at a path, None if there is none."""
        site = self._setup.site
        if not self._is_built:
            return None
        return server.file_for_url_path(walk.folder(site.root, (), site.include), path)

    def _note_other_host(self, chosen: Sequence[Request]) -> None:
        """Notes that no URL was requested, if all of them are on another host than the sitemap.

        The note gives the command that requests them, and nothing counts as checked.
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
        """The URLs to request, and their language versions that are not listed.

        With `rows`, the URLs of a list of changes, else a sample of the listed ones. A sample of
        None means all; it also limits the language versions.
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

        Its rules and its `Sitemap:` lines count for the rest of the run, except on a preview.
        Without a 200, robots.txt counts as empty.
        """
        url = self._robots_url
        place, answer = robots_answer(self._fetcher, url)
        text = b""
        if answer.status == 200:
            text = live_pages.unpack(answer, url).content
        is_html = is_html_page(text)
        facts = live_pages.facts_of(answer, place, self._scope)._replace(is_html=is_html)
        self.findings += findings_at(url, live.check_robots(facts))
        if not self._scope.is_preview and not is_html:
            self._obey_robots(text)
            if self._is_built and answer.status == 200:
                self._compare_robots(text)
        return answer.is_connected

    def _obey_robots(self, text: bytes) -> None:
        """Keeps the sitemaps and the rules of the live robots.txt for the rest of the run.

        Reports if they keep crawlers from the sitemap.
        """
        self._named = robots.sitemap_lines(text)
        self._crawling = read_crawling(text, self._setup.settings.robots.agents)
        line = self._crawling.forbids(self._scope.sitemap)
        if line:
            message = f"blocks the sitemap: {line}"
            self.findings.append(live.SITEMAP_CLOSED.at(self._robots_url, 1, message))

    def _compare_robots(self, text: bytes) -> None:
        """Compares the live robots.txt with the built one, if there is one."""
        site = self._setup.site
        built = read_robots(site.root, output=site.output.folder, base_url=site.base_url)
        if built is None or not built.text:
            return
        difference = first_difference(built.text, text)
        if difference:
            message = f"is not the built file: {difference}"
            self.findings.append(live.ROBOTS_DIFFERS.at(self._robots_url, 1, message))

    def _check_named_sitemaps(self) -> None:
        """Requests the other sitemaps on this host that robots.txt names.

        Those with http, on a host with https, are reported without a request.
        """
        sitemap = self._scope.sitemap
        others = [url for url in dict.fromkeys(self._named) if url != sitemap]
        is_https = sitemap.startswith("https:")
        host = host_url(sitemap).removeprefix("https://")  # "example.com/"
        for url in others[:_MAX_NAMED]:
            if is_https and url.startswith(f"http://{host}"):
                self.findings.append(live.NAMED_HTTP.at(self._robots_url, 1, f"names {url}"))
            elif url.startswith(host_url(self._scope.at)):
                self._check_named_sitemap(url)

    def _check_named_sitemap(self, url: str) -> None:
        """Requests a sitemap that robots.txt names, and reports it if the host does not have it."""
        answer = self._fetcher.get(url, 1)
        facts = live_pages.facts_of(answer, url, self._scope)
        if answer.status >= 400 and not facts.is_refusal:
            message = f"names {url}, which answers {answer.status}"
            self.findings.append(live.NAMED_GONE.at(self._robots_url, 1, message))

    def _read_sitemaps(self, wait: float) -> None:
        """Reads the sitemaps, and takes over what was found in them."""
        sitemaps = self._sitemaps
        sitemaps.read(wait)
        self.findings += sitemaps.findings
        self.files = sitemaps.files
        self.checked += sitemaps.checked
        for page in sitemaps.answers:
            self._record(page, Request(page.url, page.url, 1))

    def _fetch(self, chosen: Sequence[Request], progress: Progress) -> None:
        """Requests the chosen URLs, and records what is wrong with their answers.

        The first request is for a path that does not exist, so that the host's page for missing
        ones is known. Some hosts begin to refuse a program after a while. So, after five refusals
        in a row, this requests a URL that was answered before, and stops if it is refused, too.
        What the refusals mean is decided at the end.
        """
        not_found = self._read_not_found_page()
        readers = dict(built_files(chosen, self._setup.site)) if self._is_built else {}
        built = BuiltPages(readers, make_rule(self._setup.settings.ledger.drop))
        entries = dict(self._open_places(chosen))  # by the URL that is requested
        self.planned = len(entries)
        refused: list[Refused] = []
        answered: list[str] = []
        refused_in_row = 0
        let_in = ""  # the last URL that the host answered with 200
        for place, answer in self._fetcher.get_all(entries, MAX_PAGE):
            entry = entries[place]
            page = live_pages.read_live_page(
                entry, answer, self._scope, not_found, self._now, built
            )
            self._count_answer(progress)
            if not page.answer.is_refusal:
                self._record_answered(page, entry, answer)
                refused_in_row = 0
                if answer.status == 200:
                    answered.append(place)
                    let_in = place
                continue
            refused.append((entry, page))
            refused_in_row += 1
            if refused_in_row == _MAX_REFUSALS:
                tested = [let_in] if let_in else asking.spread(list(entries))
                let_in = self._refusals.find_open(tested)
                if not let_in:
                    break
                refused_in_row = 0
        for entry, page in self._refusals.settle(refused, answered, let_in):
            self._record(page, entry)
            if not page.answer.is_refusal:
                self.checked += 1
        self._compared = built.compared

    def _count_answer(self, progress: Progress) -> None:
        """Counts an answer, and shows the number with the rate of requests, if it is limited."""
        self._answered += 1
        rate = self._fetcher.rate
        phase = f"{rate:g}/s" if rate else "verify"
        progress(phase, self._answered)

    def _read_not_found_page(self) -> NotFoundPage:
        """Requests a path that does not exist, and reports if the host finds a page there.

        Returns what the answer shows. Listed URLs that show the same are missing too.
        """
        place, answer = self._refusals.made_up_at_top()
        facts = live_pages.facts_of(answer, place, self._scope)
        made_up = Request(f"{self._scope.base}<32 random digits>", self._scope.sitemap, 1)
        self._record(LivePage(self._scope.listed(place), facts, Role.MADE_UP), made_up)
        return not_found_page(live_pages.unpack(answer, place, MAX_PAGE).content, place)

    def _record_answered(self, page: LivePage, entry: Request, answer: Answer) -> None:
        """Records a page that the host did not refuse."""
        self._record(page, entry)
        self.checked += 1
        if page.role is Role.LISTED and live.is_other_form(page.url, page.answer.target):
            self._hosts.add(of_answer(answer.header))

    def _open_places(self, chosen: Sequence[Request]) -> Iterator[tuple[str, Request]]:
        """The URLs to request. URLs that robots.txt closes become findings without a request."""
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
        """Checks a page, and adds it to the URLs that break the same rules in the same way.

        `run` makes one finding of each such group, at the line of its first entry.
        """
        if page.role is Role.LISTED:
            self._keep_outcome(page)
        shown = entry.url
        other_url = page.answer.target or page.canonical
        if other_url:
            shown = f"{entry.url} -> {other_url}"
        for fault in live.check_page(page):
            _first_entry, urls = self._groups.setdefault(fault, (entry, []))
            urls.append(shown)

    def _keep_outcome(self, page: LivePage) -> None:
        """Keeps what the host did with a listed page, for the advice."""
        base = self._scope.base
        path = relative_path(page.url, base)
        if path is None:  # no setting is for a URL with a query
            return
        outcome = outcome_of(page, forbids_missing=self._refusals.forbids_missing)
        target = relative_path(page.answer.target, base) or ""
        self._outcomes.append(PageOutcome(path, outcome, target))

    def _describe(self) -> Iterator[Message]:
        """Notes on the requests."""
        kind = Kind.REQUESTED_UNTIL_LIMIT if self._fetcher.is_over else Kind.REQUESTED
        yield Message(kind, (f"{self._answered:,}", f"{self._sitemaps.listed:,}"))
        if self._scope.is_preview:
            yield Message(Kind.PREVIEW, (self._scope.at,))
        if not self.findings:
            yield Message(Kind.PENDING)
