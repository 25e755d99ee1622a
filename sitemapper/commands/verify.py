"""`verify`:

requests robots.txt, the sitemap and the listed URLs from the live host, as crawlers do.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import zip_longest
from typing import TYPE_CHECKING
from urllib.parse import quote

from ..config.settings import Settings
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
from ..output import changes, published
from ..protocol import MAX_BYTES, SITEMAPINDEX
from ..setup.robots import RobotsFile, read_robots
from ..site import server, walk
from ..site.read import read
from ..syntax import robots
from ..syntax.urls import relative_path, resolve
from . import judge
from .judge import MAX_PAGE, Request, Scope

if TYPE_CHECKING:
    from ..net.client import Answer, Fetcher

_REDIRECTS = 5  # of robots.txt
_MAX_REFUSALS = 5  # in a row, before testing whether the host refuses everything
_SPREAD = 3  # listed URLs to request for this test
_MAX_FOLDERS = 10  # in which a made-up path is requested
_MAX_NAMED = 10  # other sitemaps in robots.txt
_EXAMPLES = 3
_NOT_LIVE = {
    rule.code for rule in live.ALL if rule.code[:4] == "SM61" and rule is not live.WRONG_TYPE
}
_MAX_ENTRIES, _MAX_FINDINGS = 1_000_000, 100_000  # per run, because a host may send any number

Changes = Sequence[tuple[UrlChange, str]]
Progress = Callable[
    [str, int, int], None
]  # the phase, the answers so far, and the number that counts


class Verification:
    """Checks a live host. Collects findings, sitemaps with their entries, and the number of
    answers.

    `now` is in seconds. With `is_built`, the answers are compared with the built files.
    """

    def __init__(
        self, scope: Scope, settings: Settings, fetcher: Fetcher, *, now: int, is_built: bool
    ) -> None:
        self.findings: list[Finding] = []
        self.files: list[tuple[str, int]] = []
        self.judged = self.planned = 0
        self.notes: list[str] = []
        self._scope, self._settings, self._fetcher, self._now = scope, settings, fetcher, now
        self._is_built = is_built
        names = published.sitemaps(settings) if is_built else ()
        self._built = {settings.base_url + quote(name): name for name in names}
        self._robots_url = resolve("/robots.txt", scope.at) or ""
        self._crawling: robots.Crawling | None = None
        self._named: Sequence[str] = ()
        self._entries: list[Request] = []
        self._listed = self._answered = 0
        self._dates: dict[str, list[tuple[str, str, int]]] = {}
        self._groups: dict[tuple[Rule, str], tuple[Request, list[str]]] = {}
        self._is_forbidden_all = False
        # Listed URLs that redirect to another form, and the host that answered.
        self._moved: list[tuple[str, str]] = []

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
        outside = next(
            (entry.url for entry in chosen if entry.url.startswith(("http://", "https://"))), ""
        )
        if outside and not any(self._scope.place(entry.url) for entry in chosen):
            self.judged = 0
            host, at = (
                resolve("/", outside) or outside,
                resolve("/", self._scope.at) or self._scope.at,
            )
            path = self._scope.sitemap.removeprefix(resolve("/", self._scope.sitemap) or "")
            what = f"no URL was requested: all {self._listed:,} are on {host}, not on {at}"
            help = f"to request them from {at}: sitemapper verify {host}{path} --at {at}"
            self.notes.append(with_help(what, help))
        for (rule, what), (first, urls) in self._groups.items():
            self.findings.append(
                rule.at(first.file, first.line, f"{what}: {joined(urls, _EXAMPLES)}")
            )
        self.notes += self._describe()

    def _choose(self, sample: int | None, rows: Changes | None) -> list[Request]:
        """The URLs to request, and their language versions that are not listed."""
        by_url, sitemap = {entry.url: entry for entry in self._entries}, self._scope.sitemap
        if rows is None:
            chosen = judge.plan(self._entries, sample)
        else:
            removed = [url for kind, url in rows if kind is UrlChange.REMOVED]
            kept = [url for kind, url in rows if kind is not UrlChange.REMOVED]
            chosen = [by_url.get(url, Request(url, sitemap, 1)) for url in kept]
            chosen += [Request(url, sitemap, 1, role="removed") for url in removed]
        others = dict.fromkeys(
            url for entry in chosen for url in entry.alternates if url not in by_url
        )
        return (
            chosen
            + [Request(url, sitemap, 1, role="alternate") for url in others][: sample or None]
        )

    def _built_robots(self) -> RobotsFile | None:
        settings = self._settings
        return read_robots(settings.site, output=settings.output_dir, base_url=settings.base_url)

    def _read_robots(self) -> bool:
        """Compares robots.txt with the built one. False if the host does not answer at all."""
        place = url = self._robots_url
        for _ in range(_REDIRECTS + 1):
            answer = self._fetcher.get(place, robots.SIZE_LIMIT)
            target = (
                resolve(answer.header("location"), place) if 300 <= answer.status < 400 else None
            )
            if not target or not target.startswith(resolve("/", place) or place):
                break
            place = target
        text = judge.unpack(answer, url)[0] if answer.status == 200 else b""
        facts = judge.facts_of(answer, place, self._scope)._replace(
            is_html=bool(judge.HTML.match(text))
        )
        self.findings += findings_at(url, live.check_robots(facts))
        if not self._scope.is_preview and not facts.is_html:
            self._named = robots.sitemap_lines(text)
            self._crawling = robots.crawling(text, self._settings.robots.agents)
            if line := self._crawling.forbids(self._scope.sitemap):
                self.findings.append(live.SITEMAP_CLOSED.at(url, 1, f"blocks the sitemap: {line}"))
            built = self._built_robots() if self._is_built and answer.status == 200 else None
            if built and built[1] and (difference := _first_difference(built[1], text)):
                self.findings.append(
                    live.ROBOTS_DIFFERS.at(url, 1, f"is not the built file: {difference}")
                )
        return answer.is_connected

    def _check_named_sitemaps(self) -> None:
        """Requests the other sitemaps on this host that robots.txt names."""
        origin = (resolve("/", self._scope.sitemap) or "").removeprefix("https://")
        for url in [url for url in dict.fromkeys(self._named) if url != self._scope.sitemap][
            :_MAX_NAMED
        ]:
            if self._scope.sitemap.startswith("https:") and url.startswith(f"http://{origin}"):
                self.findings.append(live.NAMED_HTTP.at(self._robots_url, 1, f"names {url}"))
            elif url.startswith(resolve("/", self._scope.at) or url):
                answer = self._fetcher.get(url, 1)
                facts = judge.facts_of(answer, url, self._scope)
                if answer.status >= 400 and not facts.is_refusal:
                    message = f"names {url}, which answers {answer.status}"
                    self.findings.append(live.NAMED_GONE.at(self._robots_url, 1, message))

    def _read_sitemaps(self, wait: float) -> None:
        """Reads the sitemap and its parts, until it is the built one or the time is over."""
        start, waited, step = len(self.findings), 0.0, 2.0
        while True:
            del self.findings[start:]
            self._listed = 0
            self._entries, self.files, self._dates, self._groups = [], [], {}, {}
            self._read_sitemap(self._scope.sitemap, Context(self._now, self._scope.sitemap))
            self.findings += self._differences()
            is_read = self._dates.keys() >= self._built.keys()
            is_live = is_read and not any(f.code in _NOT_LIVE for f in self.findings[start:])
            if is_live or waited >= wait or self._fetcher.is_over:
                return
            step = min(step, wait - waited, 30.0)
            self._fetcher.wait(step)
            waited, step = waited + step, step * 2

    def _read_sitemap(self, url: str, context: Context) -> None:
        place = self._scope.place(url)
        if place is None:  # the linter reports it; it is never requested
            return
        answer = self._fetcher.get(place, MAX_BYTES + 1)
        body, problem = judge.unpack(answer, url) if answer.status == 200 else (b"", "")
        is_html = bool(judge.HTML.match(body))
        facts = judge.facts_of(answer, place, self._scope)._replace(
            unpackable=problem, is_html=is_html
        )
        self.findings += findings_at(url, live.check_sitemap(facts))
        self._record(LivePage(url, facts, "sitemap"), Request(url, url, 1))
        self.judged += answer.is_connected and not facts.is_refusal
        if answer.status != 200 or facts.is_html or facts.error:
            return
        children: list[Entry] = []
        document = Document(context)
        dates = self._dates.setdefault(url, [])

        def follow(entry: Entry) -> Iterator[Finding]:
            if url in self._built:
                dates.append((entry.loc, entry.date, entry.line))
            if document.root != SITEMAPINDEX:
                self._listed += 1
                if len(self._entries) == _MAX_ENTRIES:
                    return
                links = language_links(entry)
                alternates = tuple(link.attributes.get("href", "") for link in links)
                self._entries.append(Request(entry.loc, url, entry.line, alternates))
            elif context.named_by and not children:
                yield documents.NESTED.at(context.named_by, 1, f"{url} is itself an index")
            elif not context.named_by:
                children.append(entry)

        for finding in validate_blocks(url, uncompressed(BytesIO(body)), document, follow):
            if len(self.findings) < _MAX_FINDINGS:
                self.findings.append(finding)
        self.files.append((url, document.entries))
        for child in children:
            part = context._replace(url=child.loc, date=child.date, named_by=url)
            self._read_sitemap(child.loc, part)

    def _differences(self) -> Iterator[Finding]:
        """The first difference between the built and the live sitemap."""
        for url in sorted(self._built.keys() & self._dates.keys()):
            live_rows, name = iter(self._dates[url]), self._built[url]
            rows = (changes.entry(row) for row in published.rows(name, self._settings))
            for n, (ours, theirs) in enumerate(zip_longest(rows, live_rows), 1):
                if theirs is None or ours != theirs[:2]:
                    was = " ".join(ours or ("nothing",)).strip()
                    found = " ".join(theirs[:2]).strip() if theirs else "missing"
                    text = f"is not the built file: entry {n} is {found}, not {was}"
                    yield live.SITEMAP_DIFFERS.at(url, theirs[2] if theirs else 1, text)
                    return

    def _fetch(self, chosen: Sequence[Request], progress: Progress) -> None:
        """Requests a path that does not exist, then the pages. Judges refusals at the end."""
        place, answer = self._made_up(self._scope.at)
        not_found = judge.text_of(judge.unpack(answer, place, MAX_PAGE)[0], place)
        self._is_forbidden_all = self._is_forbidden(answer)
        page = LivePage(
            self._scope.listed(place), judge.facts_of(answer, place, self._scope), "random"
        )
        self._record(page, Request(f"{self._scope.base}<32 random digits>", self._scope.sitemap, 1))
        built = judge.BuiltPages(_built(chosen, self._settings) if self._is_built else ())
        places = dict(self._open_places(chosen))
        self.planned = len(places)
        refused: list[tuple[Request, LivePage]] = []
        in_row, most = 0, _MAX_REFUSALS
        let_in = ""  # where the host answered 200 last
        for place, answer in self._fetcher.get_all(places, MAX_PAGE):
            entry = places[place]
            page = judge.judge(entry, answer, self._scope, not_found, self._now, built)
            self._answered += 1
            rate = self._fetcher.rate
            progress(f"{rate:g}/s" if rate else "verify", self._answered, self._answered)
            if page.answer.is_refusal:
                refused.append((entry, page))
                in_row += 1
            else:
                self._record(page, entry)
                self.judged += 1
                if page.role == "listed" and judge.is_same_page(page.url, page.answer.target):
                    self._moved.append((page.url, of_answer(answer.header)))
                in_row = 0
                if answer.status == 200:
                    let_in = place
            if in_row == most:
                spread = list(places)[:: max(1, len(places) // _SPREAD)]
                let_in = self._find_open([let_in] if let_in else spread)
                if not let_in:
                    break
                in_row, most = 0, 2 * most
        self._record_refused(refused, let_in)

    def _open_places(self, chosen: Sequence[Request]) -> Iterator[tuple[str, Request]]:
        """The URLs to request. URLs that robots.txt closes become findings without a request."""
        for entry in chosen:
            place = self._scope.place(entry.url)
            line = self._crawling.forbids(entry.url) if self._crawling and place else None
            if line and entry.role == "listed":
                self._record(LivePage(entry.url, LiveAnswer(0), closed_by=str(line)), entry)
            elif place:
                yield place, entry

    def _find_open(self, places: Sequence[str]) -> str:
        """The first place that answers 200, "" if the host refuses all of them."""
        return next(
            (place for place in places if self._fetcher.get(place, MAX_PAGE).status == 200), ""
        )

    def _record_refused(self, refused: Sequence[tuple[Request, LivePage]], let_in: str) -> None:
        """Records refusals. A 403 means “missing” if made-up paths get it too, and `let_in` does
        not.

        Object stores answer 403 for missing files, and servers for closed folders.
        """
        is_let_in = bool(refused and let_in and self._find_open([let_in]))
        gone: dict[str, bool] = {}
        for entry, page in refused:
            is_gone = False
            if is_let_in and page.answer.status == 403 and not page.answer.is_challenge:
                folder = (self._scope.place(entry.url) or "").rpartition("/")[0] + "/"
                if folder not in gone:
                    gone[folder] = self._is_forbidden_all or (
                        len(gone) < _MAX_FOLDERS and self._is_forbidden(self._made_up(folder)[1])
                    )
                is_gone = gone[folder]
            self.judged += is_gone
            answer = page.answer._replace(is_refusal=not is_gone)
            self._record(page._replace(answer=answer), entry)

    def _made_up(self, folder: str) -> tuple[str, Answer]:
        """A path that cannot exist in a folder, and its answer."""
        place = folder + secrets.token_hex(16)
        return place, self._fetcher.get(place, MAX_PAGE)

    def _is_forbidden(self, answer: Answer) -> bool:
        return (
            answer.status == 403
            and not judge.facts_of(answer, self._scope.at, self._scope).is_challenge
        )

    def _record(self, page: LivePage, entry: Request) -> None:
        """Adds a page to the group of its findings."""
        to = page.answer.target or page.canonical
        for fault in live.check_page(page):
            _, urls = self._groups.setdefault(fault, (entry, []))
            urls.append(f"{entry.url} -> {to}" if to else entry.url)

    def _describe(self) -> Iterator[str]:
        """Notes on the requests, and on a detected host with the setting for it."""
        names = {name for _, name in self._moved if name}
        if len(names) == 1 and names != {self._settings.host}:
            endings = {url.endswith(".html") for url, _ in self._moved}
            urls = [entry.url for entry in self._entries if entry.url.endswith(".html") in endings]
            pages = [relative_path(url, self._scope.base) or "the home page" for url in urls]
            [name] = names
            change = (
                f'set host = "{name}" in sitemapper.toml, which may change '
                f"{joined(pages, _EXAMPLES)}"
            )
            yield f"{name.title()} serves this site. To list the URLs that it serves, {change}"
        limit = (
            ", until a limit of the run (time or bytes) was reached"
            if self._fetcher.is_over
            else ""
        )
        yield f"{self._answered:,} of {self._listed:,} URLs requested{limit}"
        if self._scope.is_preview:
            yield (
                f"{self._scope.at} is a preview, so its robots.txt and noindex headers do not count"
            )
        if not self.findings:
            yield "Search Console may report “Couldn't fetch” for days while a sitemap is pending"


def _built(chosen: Sequence[Request], settings: Settings) -> Iterator[tuple[str, bytes]]:
    """The requested URLs that have a built file, with the beginning of each file."""
    if not os.path.isdir(settings.site):
        return
    root = walk.folder(settings.site, (), settings.include)
    for entry in chosen:
        path = relative_path(entry.url, settings.base_url)
        file = None if path is None else server.file_for_url_path(root, path)
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
