"""`verify`:

requests robots.txt, the sitemap and the listed URLs of the live host, as crawlers do.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from io import BytesIO
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from ..errors import with_help
from ..hosts.choose import of_answer
from ..linter import Finding, Rule
from ..linter.engine import findings_at, validate_blocks
from ..linter.model import Context, Document, Entry, joined
from ..linter.reader import uncompressed
from ..linter.rules import documents, live
from ..linter.rules.entries import language_links
from ..linter.rules.live import LiveAnswer, LivePage
from ..model import UrlChange
from ..output import changes
from ..output.published import open_previous
from ..protocol import MAX_BYTES, SITEMAPINDEX
from ..settled import Site
from ..setup.robots import read_robots
from ..setup.settle import Setup
from ..site import server, walk
from ..site.read import read
from ..syntax import robots
from ..syntax.urls import relative_path, resolve
from . import judge
from .judge import MAX_PAGE, Request, Scope

if TYPE_CHECKING:
    from ..net.client import Answer, Fetcher

_REDIRECTS = 5  # of robots.txt; crawlers follow at least five (RFC 9309, section 2.3.1.2)
_MAX_REFUSALS = 5  # in a row, before testing whether the host refuses everything
_SPREAD = 3  # listed URLs to request for this test
_MAX_FOLDERS = 10  # in which a made-up path is requested
_MAX_NAMED = 10  # other sitemaps in robots.txt
_EXAMPLES = 3
_NOT_LIVE = {
    rule.code for rule in live.ALL if rule.code[:4] == "SM61" and rule is not live.WRONG_TYPE
}
# Per run, because a host may send any number.
_MAX_ENTRIES = 1_000_000
_MAX_FINDINGS = 100_000

Changes = Sequence[tuple[UrlChange, str]]
# Called with the phase, the answers so far, and the number that counts.
Progress = Callable[[str, int, int], None]


class LiveRow(NamedTuple):
    """An entry of a live sitemap, and its line there."""

    entry: tuple[str, str]  # the URL and its lastmod
    line: int


class Redirected(NamedTuple):
    """A listed URL that redirects to another form, and the host that the answer names, or ""."""

    url: str
    host: str


class Verification:
    """Checks a live host. Collects findings, sitemaps with their entries, and the number of
    answers.

    `now` is in seconds. With `is_built`, the answers are compared with the built files.
    """

    def __init__(
        self, scope: Scope, setup: Setup, fetcher: Fetcher, *, now: int, is_built: bool
    ) -> None:
        self.findings: list[Finding] = []
        self.files: list[tuple[str, int]] = []
        self.judged = 0
        self.planned = 0
        self.notes: list[str] = []
        self._scope = scope
        self._setup = setup
        self._fetcher = fetcher
        self._now = now
        self._is_built = is_built
        self._built: dict[str, Callable[[], Iterator[bytes]]] = {}  # the rows of built sitemaps
        if is_built:
            previous = open_previous(setup.site.output)
            for name in previous.names:
                url = setup.site.base_url + quote(name)
                self._built[url] = partial(previous.rows, name)
        self._robots_url = resolve("/robots.txt", scope.at) or ""
        self._crawling: robots.Crawling | None = None
        self._named: Sequence[str] = ()
        self._entries: list[Request] = []
        self._listed = 0
        self._answered = 0
        self._rows: dict[str, list[LiveRow]] = {}  # of each sitemap that has a built one
        self._groups: dict[tuple[Rule, str], tuple[Request, list[str]]] = {}
        self._is_forbidden_all = False
        self._is_missing_forbidden: dict[str, bool] = {}  # by folder
        self._redirected: list[Redirected] = []

    def run(
        self, sample: int | None, rows: Changes | None, wait: float, progress: Progress
    ) -> None:
        """Requests URLs of the host, and checks the answers. `rows` replace the sample.

        Waits at most `wait` seconds until the built files are live.
        """
        if not self._read_robots():
            return
        self._read_sitemaps(wait)
        self._check_named_sitemaps()
        chosen = self._choose(sample, rows)
        self._fetch(chosen, progress)
        self._note_other_host(chosen)
        for (rule, what), (first, urls) in self._groups.items():
            message = f"{what}: {joined(urls, _EXAMPLES)}"
            self.findings.append(rule.at(first.file, first.line, message))
        self.notes += self._describe()

    def _note_other_host(self, chosen: Sequence[Request]) -> None:
        """Notes that all URLs are on another host, so that none was requested."""
        if any(self._scope.place(entry.url) for entry in chosen):
            return
        absolute = [entry.url for entry in chosen if entry.url.startswith(("http://", "https://"))]
        if not absolute:
            return
        self.judged = 0
        listed_host = resolve("/", absolute[0]) or absolute[0]
        this_host = resolve("/", self._scope.at) or self._scope.at
        sitemap_host = resolve("/", self._scope.sitemap) or ""
        path = self._scope.sitemap.removeprefix(sitemap_host)
        command = f"sitemapper verify {listed_host}{path} --at {this_host}"
        what = (
            f"no URL was requested: all {self._listed:,} are on {listed_host}, not on {this_host}"
        )
        help = f"to request them from {this_host}: {command}"
        self.notes.append(with_help(what, help))

    def _choose(self, sample: int | None, rows: Changes | None) -> list[Request]:
        """The URLs to request, and their language versions that are not listed."""
        sitemap = self._scope.sitemap
        by_url = {entry.url: entry for entry in self._entries}
        if rows is None:
            chosen = judge.plan(self._entries, sample)
        else:
            kept = [url for kind, url in rows if kind is not UrlChange.REMOVED]
            removed = [url for kind, url in rows if kind is UrlChange.REMOVED]
            chosen = [by_url.get(url, Request(url, sitemap, 1)) for url in kept]
            chosen += [Request(url, sitemap, 1, role="removed") for url in removed]
        unlisted: dict[str, None] = {}  # in order, each once
        for entry in chosen:
            for url in entry.alternates:
                if url not in by_url:
                    unlisted[url] = None
        alternates = [Request(url, sitemap, 1, role="alternate") for url in unlisted]
        return chosen + alternates[: sample or None]

    def _read_robots(self) -> bool:
        """Checks robots.txt, and keeps its rules. False if the host does not answer at all."""
        url = self._robots_url
        place, answer = self._robots_answer()
        text = b""
        if answer.status == 200:
            text = judge.unpack(answer, url).content
        is_html = bool(judge.HTML.match(text))
        facts = judge.facts_of(answer, place, self._scope)._replace(is_html=is_html)
        self.findings += findings_at(url, live.check_robots(facts))
        if not self._scope.is_preview and not is_html:
            self._obey_robots(text)
            if self._is_built and answer.status == 200:
                self._compare_robots(text)
        return answer.is_connected

    def _robots_answer(self) -> tuple[str, Answer]:
        """The answer for robots.txt, behind redirects on its host, and the URL that gave it."""
        place = self._robots_url
        answer = self._fetcher.get(place, robots.SIZE_LIMIT)
        for _ in range(_REDIRECTS):
            if not 300 <= answer.status < 400:
                break
            target = resolve(answer.header("location"), place)
            if not target or not target.startswith(resolve("/", place) or place):
                break
            place = target
            answer = self._fetcher.get(place, robots.SIZE_LIMIT)
        return place, answer

    def _obey_robots(self, text: bytes) -> None:
        """Keeps the sitemaps and the rules of the live robots.txt."""
        self._named = robots.sitemap_lines(text)
        self._crawling = robots.crawling(text, self._setup.settings.robots.agents)
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
        difference = _first_difference(built.text, text)
        if difference:
            message = f"is not the built file: {difference}"
            self.findings.append(live.ROBOTS_DIFFERS.at(self._robots_url, 1, message))

    def _check_named_sitemaps(self) -> None:
        """Requests the other sitemaps on this host that robots.txt names."""
        sitemap = self._scope.sitemap
        others = [url for url in dict.fromkeys(self._named) if url != sitemap]
        origin = (resolve("/", sitemap) or "").removeprefix("https://")
        for url in others[:_MAX_NAMED]:
            if sitemap.startswith("https:") and url.startswith(f"http://{origin}"):
                self.findings.append(live.NAMED_HTTP.at(self._robots_url, 1, f"names {url}"))
            elif url.startswith(resolve("/", self._scope.at) or url):
                self._check_named_sitemap(url)

    def _check_named_sitemap(self, url: str) -> None:
        answer = self._fetcher.get(url, 1)
        facts = judge.facts_of(answer, url, self._scope)
        if answer.status >= 400 and not facts.is_refusal:
            message = f"names {url}, which answers {answer.status}"
            self.findings.append(live.NAMED_GONE.at(self._robots_url, 1, message))

    def _read_sitemaps(self, wait: float) -> None:
        """Reads the sitemap and its parts, until it is the built one or the time is over."""
        start = len(self.findings)
        waited = 0.0
        step = 2.0  # seconds, which double
        while True:
            self._forget_sitemaps(start)
            self._read_sitemap(self._scope.sitemap, Context(self._now, self._scope.sitemap))
            difference = self._find_difference()
            if difference:
                self.findings.append(difference)
            if self._is_live(start) or waited >= wait or self._fetcher.is_over:
                return
            step = min(step, wait - waited, 30.0)
            self._fetcher.wait(step)
            waited += step
            step *= 2

    def _forget_sitemaps(self, start: int) -> None:
        """Drops what an earlier reading found; its findings are those from `start` on."""
        del self.findings[start:]
        self._listed = 0
        self._entries = []
        self.files = []
        self._rows = {}
        self._groups = {}

    def _is_live(self, start: int) -> bool:
        """Whether all built sitemaps are live, by the findings from `start` on."""
        is_read = self._rows.keys() >= self._built.keys()
        return is_read and not any(f.code in _NOT_LIVE for f in self.findings[start:])

    def _read_sitemap(self, url: str, context: Context) -> None:
        """Requests and checks a sitemap, and those that it names."""
        place = self._scope.place(url)
        if place is None:  # the linter reports it; it is never requested
            return
        answer = self._fetcher.get(place, MAX_BYTES + 1)
        body = judge.Body(b"", "")
        if answer.status == 200:
            body = judge.unpack(answer, url)
        is_html = bool(judge.HTML.match(body.content))
        facts = judge.facts_of(answer, place, self._scope)
        facts = facts._replace(unpackable=body.problem, is_html=is_html)
        self.findings += findings_at(url, live.check_sitemap(facts))
        self._record(LivePage(url, facts, "sitemap"), Request(url, url, 1))
        if answer.is_connected and not facts.is_refusal:
            self.judged += 1
        if answer.status != 200 or is_html or facts.error:
            return
        for child in self._read_entries(url, body.content, context):
            part = context._replace(url=child.loc, date=child.date, named_by=url)
            self._read_sitemap(child.loc, part)

    def _read_entries(self, url: str, body: bytes, context: Context) -> list[Entry]:
        """Checks the entries of a sitemap and keeps its URLs.

        Returns the entries of an index, whose sitemaps are still to be read.
        """
        document = Document(context)
        rows = self._rows.setdefault(url, [])
        children: list[Entry] = []

        def follow(entry: Entry) -> Iterator[Finding]:
            if url in self._built:
                rows.append(LiveRow((entry.loc, entry.date), entry.line))
            if document.root != SITEMAPINDEX:
                self._keep(entry, url)
            elif context.named_by:  # an index may not name another
                yield documents.NESTED.at(context.named_by, 1, f"{url} is itself an index")
            else:
                children.append(entry)

        for finding in validate_blocks(url, uncompressed(BytesIO(body)), document, follow):
            if len(self.findings) < _MAX_FINDINGS:
                self.findings.append(finding)
        self.files.append((url, document.entries))
        return children

    def _keep(self, entry: Entry, file: str) -> None:
        """Counts a listed URL, and keeps it to be requested, unless there are too many."""
        self._listed += 1
        if len(self._entries) >= _MAX_ENTRIES:
            return
        links = language_links(entry)
        alternates = tuple(link.attributes.get("href", "") for link in links)
        self._entries.append(Request(entry.loc, file, entry.line, alternates))

    def _find_difference(self) -> Finding | None:
        """The first difference between the built and the live sitemaps."""
        for url in sorted(self._built.keys() & self._rows.keys()):
            built_entries = map(changes.entry, self._built[url]())
            pairs = zip_longest(built_entries, self._rows[url])  # None after the end of the shorter
            for number, (built, row) in enumerate(pairs, 1):
                found = row.entry if row else None
                if built == found:
                    continue
                live_text = " ".join(found).strip() if found else "missing"
                built_text = " ".join(built).strip() if built else "nothing"
                text = f"is not the built file: entry {number} is {live_text}, not {built_text}"
                return live.SITEMAP_DIFFERS.at(url, row.line if row else 1, text)
        return None

    def _fetch(self, chosen: Sequence[Request], progress: Progress) -> None:
        """Requests a path that does not exist, then the pages. Judges refusals at the end.

        After a number of refusals in a row, which doubles each time, tests whether the host still
        lets anything in, and stops if it does not.
        """
        not_found = self._read_not_found_page()
        built = judge.BuiltPages(_built(chosen, self._setup.site) if self._is_built else ())
        places = dict(self._open_places(chosen))
        self.planned = len(places)
        refused: list[tuple[Request, LivePage]] = []
        refused_in_row = 0
        tolerated_in_row = _MAX_REFUSALS
        let_in = ""  # where the host answered 200 last
        for place, answer in self._fetcher.get_all(places, MAX_PAGE):
            entry = places[place]
            page = judge.judge(entry, answer, self._scope, not_found, self._now, built)
            self._answered += 1
            rate = self._fetcher.rate
            progress(f"{rate:g}/s" if rate else "verify", self._answered, self._answered)
            if page.answer.is_refusal:
                refused.append((entry, page))
                refused_in_row += 1
            else:
                self._record_answered(page, entry, answer)
                refused_in_row = 0
                if answer.status == 200:
                    let_in = place
            if refused_in_row == tolerated_in_row:
                spread = list(places)[:: max(1, len(places) // _SPREAD)]
                let_in = self._find_open([let_in] if let_in else spread)
                if not let_in:
                    break
                refused_in_row = 0
                tolerated_in_row *= 2
        self._record_refused(refused, let_in)

    def _read_not_found_page(self) -> judge.PageText:
        """Requests a path that does not exist, and judges the answer. Returns what it shows."""
        place, answer = self._made_up(self._scope.at)
        self._is_forbidden_all = self._is_forbidden(answer)
        facts = judge.facts_of(answer, place, self._scope)
        made_up = Request(f"{self._scope.base}<32 random digits>", self._scope.sitemap, 1)
        self._record(LivePage(self._scope.listed(place), facts, "random"), made_up)
        return judge.text_of(judge.unpack(answer, place, MAX_PAGE).content, place)

    def _record_answered(self, page: LivePage, entry: Request, answer: Answer) -> None:
        """Records a page that the host did not refuse."""
        self._record(page, entry)
        self.judged += 1
        if page.role == "listed" and judge.is_same_page(page.url, page.answer.target):
            self._redirected.append(Redirected(page.url, of_answer(answer.header)))

    def _open_places(self, chosen: Sequence[Request]) -> Iterator[tuple[str, Request]]:
        """The URLs to request. URLs that robots.txt closes become findings without a request."""
        for entry in chosen:
            place = self._scope.place(entry.url)
            if not place:
                continue
            line = self._crawling.forbids(entry.url) if self._crawling else None
            if line and entry.role == "listed":
                self._record(LivePage(entry.url, LiveAnswer(0), closed_by=str(line)), entry)
            else:
                yield place, entry

    def _find_open(self, places: Sequence[str]) -> str:
        """The first place that answers 200, "" if the host refuses all of them."""
        for place in places:
            if self._fetcher.get(place, MAX_PAGE).status == 200:
                return place
        return ""

    def _record_refused(self, refused: Sequence[tuple[Request, LivePage]], let_in: str) -> None:
        """Records refusals. A 403 means “missing” if made-up paths get it too, and `let_in` does
        not.

        Object stores answer 403 for missing files, and servers for closed folders.
        """
        is_let_in = bool(refused and let_in and self._find_open([let_in]))
        for entry, page in refused:
            may_be_missing = page.answer.status == 403 and not page.answer.is_challenge
            is_missing = is_let_in and may_be_missing and self._forbids_missing(entry)
            if is_missing:
                self.judged += 1
            answer = page.answer._replace(is_refusal=not is_missing)
            self._record(page._replace(answer=answer), entry)

    def _forbids_missing(self, entry: Request) -> bool:
        """Whether the host answers 403 for a path that cannot exist, in the folder of a URL."""
        if self._is_forbidden_all:
            return True
        folder = (self._scope.place(entry.url) or "").rpartition("/")[0] + "/"
        known = self._is_missing_forbidden
        if folder not in known:
            if len(known) < _MAX_FOLDERS:
                _, answer = self._made_up(folder)
                known[folder] = self._is_forbidden(answer)
            else:
                known[folder] = False
        return known[folder]

    def _made_up(self, folder: str) -> tuple[str, Answer]:
        """A path that cannot exist in a folder, and its answer."""
        place = folder + secrets.token_hex(16)
        return place, self._fetcher.get(place, MAX_PAGE)

    def _is_forbidden(self, answer: Answer) -> bool:
        """Whether a path that does not exist is refused with a plain 403."""
        facts = judge.facts_of(answer, self._scope.at, self._scope)
        return facts.status == 403 and not facts.is_challenge

    def _record(self, page: LivePage, entry: Request) -> None:
        """Adds a page to the groups of its findings: one for each rule and way to break it."""
        to = page.answer.target or page.canonical
        shown = f"{entry.url} -> {to}" if to else entry.url
        for fault in live.check_page(page):
            _first_entry, urls = self._groups.setdefault(fault, (entry, []))
            urls.append(shown)

    def _describe(self) -> Iterator[str]:
        """Notes on the requests, and on a detected host with the setting for it."""
        yield from self._describe_host()
        limit = ""
        if self._fetcher.is_over:
            limit = ", until a limit of the run (time or bytes) was reached"
        yield f"{self._answered:,} of {self._listed:,} URLs requested{limit}"
        if self._scope.is_preview:
            yield (
                f"{self._scope.at} is a preview, so its robots.txt and noindex headers do not count"
            )
        if not self.findings:
            yield "Search Console may report “Couldn't fetch” for days while a sitemap is pending"

    def _describe_host(self) -> Iterator[str]:
        """The setting for the host that redirects listed URLs, if the answers name one."""
        names = {redirected.host for redirected in self._redirected if redirected.host}
        if len(names) != 1 or names == {self._setup.settings.host}:
            return
        [name] = names
        endings = {redirected.url.endswith(".html") for redirected in self._redirected}
        urls = [entry.url for entry in self._entries if entry.url.endswith(".html") in endings]
        pages = [relative_path(url, self._scope.base) or "the home page" for url in urls]
        which = joined(pages, _EXAMPLES)
        change = f'set host = "{name}" in sitemapper.toml, which may change {which}'
        yield f"{name.title()} serves this site. To list the URLs that it serves, {change}"


def _built(chosen: Sequence[Request], site: Site) -> Iterator[tuple[str, bytes]]:
    """The requested URLs that have a built file, with the beginning of each file."""
    if not os.path.isdir(site.root):
        return
    root = walk.folder(site.root, (), site.include)
    for entry in chosen:
        path = relative_path(entry.url, site.base_url)
        if path is None:
            continue
        file = server.file_for_url_path(root, path)
        page = None if file is None else server.find_page(root, file)
        with suppress(OSError):  # it is compared if it can be read
            if page:
                yield entry.url, read(root, page, MAX_PAGE)


def _first_difference(built: bytes, text: bytes) -> str:
    """The first line that differs between two texts, "" if none does."""
    ours = built.decode("utf-8", "replace").strip().splitlines()
    theirs = text.decode("utf-8", "replace").strip().splitlines()
    for n, (own, other) in enumerate(zip_longest(ours, theirs, fillvalue=""), 1):
        if own.strip() != other.strip():
            return f"line {n} is {other[:80]!r}, not {own[:80]!r}"
    return ""
