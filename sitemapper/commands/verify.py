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
from ..linter.rules.live import LiveAnswer, LivePage, Role
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
from ..syntax.crawling import Crawling, read_crawling
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
_LONGEST_STEP = 30.0  # seconds between two readings of the sitemap, while waiting
# The rules that an old or missing sitemap breaks, so that it may be another one in a moment.
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
        self._crawling: Crawling | None = None
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
        """Notes that no URL was requested, if all of them are on another host than the sitemap.

        The note gives the command that requests them, and nothing counts as judged.
        """
        scope = self._scope
        if any(scope.place(entry.url) for entry in chosen):
            return
        web_urls = [entry.url for entry in chosen if entry.url.startswith(("http://", "https://"))]
        if not web_urls:
            return
        self.judged = 0
        listed_host = _host_url(web_urls[0])
        this_host = _host_url(scope.at)
        sitemap_path = scope.sitemap.removeprefix(_host_url(scope.sitemap))
        command = f"sitemapper verify {listed_host}{sitemap_path} --at {this_host}"
        what = (
            f"no URL was requested: all {self._listed:,} are on {listed_host}, not on {this_host}"
        )
        help = f"to request them from {this_host}: {command}"
        self.notes.append(with_help(what, help))

    def _choose(self, sample: int | None, rows: Changes | None) -> list[Request]:
        """The URLs to request, and their language versions that are not listed.

        With `rows`, the URLs of a list of changes, else a sample of the listed ones. A sample of
        None means all; it also limits the language versions.
        """
        if rows is None:
            chosen = judge.plan(self._entries, sample)
        else:
            chosen = self._changed(rows)
        alternates = self._unlisted_alternates(chosen)
        if sample:
            alternates = alternates[:sample]
        return chosen + alternates

    def _changed(self, rows: Changes) -> list[Request]:
        """The URLs of a list of changes: first the added and changed ones, then the removed."""
        sitemap = self._scope.sitemap
        listed = {entry.url: entry for entry in self._entries}
        present: list[Request] = []
        removed: list[Request] = []
        for change, url in rows:
            if change is UrlChange.REMOVED:
                removed.append(Request(url, sitemap, 1, role=Role.REMOVED))
            else:
                present.append(listed.get(url) or Request(url, sitemap, 1))
        return present + removed

    def _unlisted_alternates(self, chosen: Sequence[Request]) -> list[Request]:
        """The language versions that the chosen entries name and the sitemap does not list."""
        listed = {entry.url for entry in self._entries}
        unlisted: dict[str, None] = {}  # in order, each once
        for entry in chosen:
            for url in entry.alternates:
                if url not in listed:
                    unlisted[url] = None
        return [Request(url, self._scope.sitemap, 1, role=Role.ALTERNATE) for url in unlisted]

    def _read_robots(self) -> bool:
        """Requests and checks robots.txt. Returns whether the host could be reached at all.

        Its rules and its `Sitemap:` lines count for the rest of the run, except on a preview.
        Without a 200, robots.txt counts as empty.
        """
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
        for _redirect in range(_REDIRECTS):
            if not 300 <= answer.status < 400:
                break
            target = resolve(answer.header("location"), place)
            if not target or not target.startswith(_host_url(place)):
                break
            place = target
            answer = self._fetcher.get(place, robots.SIZE_LIMIT)
        return place, answer

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
        difference = _first_difference(built.text, text)
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
        host = _host_url(sitemap).removeprefix("https://")  # "example.com/"
        for url in others[:_MAX_NAMED]:
            if is_https and url.startswith(f"http://{host}"):
                self.findings.append(live.NAMED_HTTP.at(self._robots_url, 1, f"names {url}"))
            elif url.startswith(_host_url(self._scope.at)):
                self._check_named_sitemap(url)

    def _check_named_sitemap(self, url: str) -> None:
        """Requests a sitemap that robots.txt names, and reports it if the host does not have it."""
        answer = self._fetcher.get(url, 1)
        facts = judge.facts_of(answer, url, self._scope)
        if answer.status >= 400 and not facts.is_refusal:
            message = f"names {url}, which answers {answer.status}"
            self.findings.append(live.NAMED_GONE.at(self._robots_url, 1, message))

    def _read_sitemaps(self, wait: float) -> None:
        """Reads the sitemap and its parts, again and again until they are the built ones.

        Gives up after `wait` seconds, or at the limits of the run. The findings are those of the
        last reading.
        """
        start = len(self.findings)  # those about robots.txt come before
        waited = 0.0
        step = 2.0  # seconds until the next reading, which double
        while True:
            self._forget_sitemaps(start)
            self._read_sitemap(self._scope.sitemap, Context(self._now, self._scope.sitemap))
            difference = self._find_difference()
            if difference:
                self.findings.append(difference)
            if self._is_live(start) or waited >= wait or self._fetcher.is_over:
                return
            step = min(step, wait - waited, _LONGEST_STEP)
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
        are_all_read = self._rows.keys() >= self._built.keys()
        has_old_one = any(finding.code in _NOT_LIVE for finding in self.findings[start:])
        return are_all_read and not has_old_one

    def _read_sitemap(self, url: str, context: Context) -> None:
        """Requests and checks a sitemap, and those that it names."""
        place = self._scope.place(url)
        if place is None:  # the linter reports it; it is never requested
            return
        content = self._request_sitemap(url, place)
        if content is None:
            return
        for child in self._read_entries(url, content, context):
            part = context._replace(url=child.loc, date=child.date, named_by=url)
            self._read_sitemap(child.loc, part)

    def _request_sitemap(self, url: str, place: str) -> bytes | None:
        """Requests a sitemap at the URL `place`, and checks the answer.

        Returns its unpacked bytes. None if the answer is no sitemap, or is incomplete.
        """
        answer = self._fetcher.get(place, MAX_BYTES + 1)
        body = judge.Body(b"", "")
        if answer.status == 200:
            body = judge.unpack(answer, url)
        is_html = bool(judge.HTML.match(body.content))
        facts = judge.facts_of(answer, place, self._scope)
        facts = facts._replace(unpackable=body.problem, is_html=is_html)
        self.findings += findings_at(url, live.check_sitemap(facts))
        # As a page it can break one rule only: the host may refuse this program.
        self._record(LivePage(url, facts, Role.SITEMAP), Request(url, url, 1))
        if answer.is_connected and not facts.is_refusal:
            self.judged += 1
        if answer.status != 200 or is_html or facts.error:
            return None
        return body.content

    def _read_entries(self, url: str, body: bytes, context: Context) -> list[Entry]:
        """Checks the text of a sitemap, and keeps the URLs of pages that it lists.

        Returns the entries of an index, whose sitemaps are still to be read. Entries are also kept
        for the comparison if a built sitemap has this URL.
        """
        document = Document(context)
        live_rows = self._rows.setdefault(url, [])
        parts_of_index: list[Entry] = []

        def keep(entry: Entry) -> Iterator[Finding]:
            # Called with each entry when the rules have checked it.
            if url in self._built:
                live_rows.append(LiveRow((entry.loc, entry.date), entry.line))
            is_index = document.root == SITEMAPINDEX
            if not is_index:
                self._keep(entry, url)
            elif not context.named_by:
                parts_of_index.append(entry)
            else:  # an index may not name another
                yield documents.NESTED.at(context.named_by, 1, f"{url} is itself an index")

        for finding in validate_blocks(url, uncompressed(BytesIO(body)), document, keep):
            if len(self.findings) < _MAX_FINDINGS:
                self.findings.append(finding)
        self.files.append((url, document.entries))
        return parts_of_index

    def _keep(self, entry: Entry, file: str) -> None:
        """Counts a listed URL, and keeps it to be requested, unless there are too many."""
        self._listed += 1
        if len(self._entries) >= _MAX_ENTRIES:
            return
        links = language_links(entry)
        alternates = tuple(link.attributes.get("href", "") for link in links)
        self._entries.append(Request(entry.loc, file, entry.line, alternates))

    def _find_difference(self) -> Finding | None:
        """The first entry that differs between a built sitemap and the live one of its URL.

        Compares only sitemaps that could be read. None if they are the same.
        """
        urls_of_both = self._built.keys() & self._rows.keys()
        for url in sorted(urls_of_both):
            built_entries = map(changes.entry, self._built[url]())
            pairs = zip_longest(built_entries, self._rows[url])  # None after the end of the shorter
            for number, (built_entry, live_row) in enumerate(pairs, 1):
                live_entry = live_row.entry if live_row else None
                if built_entry == live_entry:
                    continue
                live_text = _entry_text(live_entry, "missing")
                built_text = _entry_text(built_entry, "nothing")
                line = live_row.line if live_row else 1
                text = f"is not the built file: entry {number} is {live_text}, not {built_text}"
                return live.SITEMAP_DIFFERS.at(url, line, text)
        return None

    def _fetch(self, chosen: Sequence[Request], progress: Progress) -> None:
        """Requests the chosen URLs, and records what is wrong with their answers.

        The first request is for a path that does not exist, so that the host's page for missing
        ones is known. Some hosts begin to refuse a program after a while. So, after a number of
        refusals in a row, this tests whether the host still lets anything in, and stops if it does
        not. The number doubles with each test. What refusals mean is decided at the end.
        """
        not_found = self._read_not_found_page()
        built = self._built_pages(chosen)
        entries = dict(self._open_places(chosen))  # by the URL that is requested
        self.planned = len(entries)
        refused: list[tuple[Request, LivePage]] = []
        refused_in_row = 0
        tolerated_in_row = _MAX_REFUSALS
        let_in = ""  # the last URL that the host answered with 200
        for place, answer in self._fetcher.get_all(entries, MAX_PAGE):
            entry = entries[place]
            page = judge.judge(entry, answer, self._scope, not_found, self._now, built)
            self._count_answer(progress)
            if not page.answer.is_refusal:
                self._record_answered(page, entry, answer)
                refused_in_row = 0
                if answer.status == 200:
                    let_in = place
                continue
            refused.append((entry, page))
            refused_in_row += 1
            if refused_in_row == tolerated_in_row:
                tested = [let_in] if let_in else _spread(list(entries))
                let_in = self._find_open(tested)
                if not let_in:
                    break
                refused_in_row = 0
                tolerated_in_row *= 2
        self._record_refused(refused, let_in)

    def _built_pages(self, chosen: Sequence[Request]) -> judge.BuiltPages:
        """The built pages of the chosen URLs. Empty if answers are not compared with a build."""
        if not self._is_built:
            return judge.BuiltPages(())
        return judge.BuiltPages(_built(chosen, self._setup.site))

    def _count_answer(self, progress: Progress) -> None:
        """Counts an answer, and shows the number with the rate of requests, if it is limited."""
        self._answered += 1
        rate = self._fetcher.rate
        phase = f"{rate:g}/s" if rate else "verify"
        progress(phase, self._answered, self._answered)

    def _read_not_found_page(self) -> judge.PageText:
        """Requests a path that does not exist, and reports if the host finds a page there.

        Returns what the answer shows. Listed URLs that show the same are missing too.
        """
        place, answer = self._made_up(self._scope.at)
        self._is_forbidden_all = self._is_forbidden(answer)
        facts = judge.facts_of(answer, place, self._scope)
        made_up = Request(f"{self._scope.base}<32 random digits>", self._scope.sitemap, 1)
        self._record(LivePage(self._scope.listed(place), facts, Role.MADE_UP), made_up)
        return judge.text_of(judge.unpack(answer, place, MAX_PAGE).content, place)

    def _record_answered(self, page: LivePage, entry: Request, answer: Answer) -> None:
        """Records a page that the host did not refuse."""
        self._record(page, entry)
        self.judged += 1
        if page.role is Role.LISTED and judge.is_same_page(page.url, page.answer.target):
            self._redirected.append(Redirected(page.url, of_answer(answer.header)))

    def _open_places(self, chosen: Sequence[Request]) -> Iterator[tuple[str, Request]]:
        """The URLs to request. URLs that robots.txt closes become findings without a request."""
        for entry in chosen:
            place = self._scope.place(entry.url)
            if not place:
                continue
            line = self._crawling.forbids(entry.url) if self._crawling else None
            if line and entry.role is Role.LISTED:
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
        """Records the pages that the host refused, as missing or as refused.

        Object stores answer 403 for missing files, and servers for closed folders. So a plain 403
        means “missing” if made-up paths get it too, while `let_in` still answers 200. Without a
        URL in `let_in`, the host may refuse everything.
        """
        is_let_in = False
        if refused and let_in:
            is_let_in = self._find_open([let_in]) != ""
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
        tested = self._is_missing_forbidden
        if folder not in tested:
            if len(tested) >= _MAX_FOLDERS:
                return False
            _, answer = self._made_up(folder)
            tested[folder] = self._is_forbidden(answer)
        return tested[folder]

    def _made_up(self, folder: str) -> tuple[str, Answer]:
        """A path that cannot exist in a folder, and its answer."""
        place = folder + secrets.token_hex(16)
        return place, self._fetcher.get(place, MAX_PAGE)

    def _is_forbidden(self, answer: Answer) -> bool:
        """Whether a path that does not exist is refused with a plain 403."""
        facts = judge.facts_of(answer, self._scope.at, self._scope)
        return facts.status == 403 and not facts.is_challenge

    def _record(self, page: LivePage, entry: Request) -> None:
        """Checks a page, and adds it to the URLs that break the same rules in the same way.

        `run` makes one finding of each such group, at the line of its first entry.
        """
        shown = entry.url
        other_url = page.answer.target or page.canonical
        if other_url:
            shown = f"{entry.url} -> {other_url}"
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
        """Advises to set `host`, if listed URLs redirect to the form that a known host serves.

        Says nothing if the answers name no host, or several, or the one that is set already.
        """
        hosts = {redirected.host for redirected in self._redirected if redirected.host}
        if len(hosts) != 1:
            return
        [name] = hosts
        if name == self._setup.settings.host:
            return
        # URLs with .html probably redirect too if one of them did, and so do those without.
        redirected_endings = {page.url.endswith(".html") for page in self._redirected}
        affected = []
        for entry in self._entries:
            has_html_ending = entry.url.endswith(".html")
            if has_html_ending in redirected_endings:
                affected.append(relative_path(entry.url, self._scope.base) or "the home page")
        which = joined(affected, _EXAMPLES)
        change = f'set host = "{name}" in sitemapper.toml, which may change {which}'
        yield f"{name.title()} serves this site. To list the URLs that it serves, {change}"


def _host_url(url: str) -> str:
    """`https://example.com/` for a URL on that host."""
    return resolve("/", url) or url


def _spread(places: Sequence[str]) -> Sequence[str]:
    """A few of the URLs, at even distances."""
    return places[:: max(1, len(places) // _SPREAD)]


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
        if file is None:
            continue
        page = server.find_page(root, file)
        if page is None:
            continue
        with suppress(OSError):  # it is compared if it can be read
            yield entry.url, read(root, page, MAX_PAGE)


def _entry_text(entry: tuple[str, str] | None, absent: str) -> str:
    """An entry as `https://example.com/a.html 2026-03-01`, or the word `absent` for none."""
    if entry is None:
        return absent
    return " ".join(entry).strip()


def _first_difference(built: bytes, published: bytes) -> str:
    """The first line that differs between the built and the live text, "" if none does."""
    built_lines = built.decode("utf-8", "replace").strip().splitlines()
    live_lines = published.decode("utf-8", "replace").strip().splitlines()
    pairs = zip_longest(built_lines, live_lines, fillvalue="")
    for number, (built_line, live_line) in enumerate(pairs, 1):
        if built_line.strip() != live_line.strip():
            return f"line {number} is {live_line[:80]!r}, not {built_line[:80]!r}"
    return ""
