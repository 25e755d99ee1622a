"""The live sitemaps: an index with its parts, their rules, and the built files to compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from io import BytesIO
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from ..linter import Finding
from ..linter.engine import findings_at, validate_blocks
from ..linter.model import Context, Document, LintedEntry
from ..linter.rules import documents, live
from ..linter.rules.entries import language_links
from ..linter.rules.live import LivePage, Role
from ..protocol import MAX_BYTES, SITEMAPINDEX
from ..publish.previous import open_previous
from ..read.sitemap import parse_row, uncompressed
from ..site import Site
from . import judge
from .asking import Request, Scope

if TYPE_CHECKING:
    from ..net.client import Fetcher

_LONGEST_STEP = 30.0  # seconds between two readings of the sitemap, while waiting
# The rules that an old or missing sitemap breaks, so that it may be another one in a moment.
_NOT_LIVE = {
    rule.code for rule in live.ALL if rule.code[:4] == "SM61" and rule is not live.WRONG_TYPE
}
# Per run, because a host may send any number.
_MAX_ENTRIES = 1_000_000
_MAX_FINDINGS = 100_000

Rows = Mapping[str, Callable[[], Iterator[bytes]]]  # of built sitemaps, by their URLs


class LiveRow(NamedTuple):
    """An entry of a live sitemap, and its line there."""

    entry: tuple[str, str]  # the URL and its lastmod
    line: int


class LiveSitemaps:
    """Reads the sitemap and its parts from the live host. Collects findings, files and entries.

    `now` is in seconds, and `built` has the rows of the built sitemaps. `answers` are those for the
    sitemaps as pages, which the host may refuse.
    """

    def __init__(self, scope: Scope, fetcher: Fetcher, built: Rows, *, now: int) -> None:
        self.findings: list[Finding] = []
        self.files: list[tuple[str, int]] = []
        self.entries: list[Request] = []
        self.listed = 0
        self.answers: list[LivePage] = []
        self.judged = 0
        self._scope = scope
        self._fetcher = fetcher
        self._built = built
        self._now = now
        self._rows: dict[str, list[LiveRow]] = {}  # of each sitemap that has a built one

    def read(self, wait: float) -> None:
        """Reads the sitemap and its parts, again and again until they are the built ones.

        Gives up after `wait` seconds, or at the limits of the run. The findings are those of the
        last reading.
        """
        waited = 0.0
        step = 2.0  # seconds until the next reading, which double
        while True:
            self._forget()
            self._read_sitemap(self._scope.sitemap, Context(self._now, self._scope.sitemap))
            difference = self._find_difference()
            if difference:
                self.findings.append(difference)
            if self._is_live() or waited >= wait or self._fetcher.is_over:
                return
            step = min(step, wait - waited, _LONGEST_STEP)
            self._fetcher.wait(step)
            waited += step
            step *= 2

    def _forget(self) -> None:
        """Drops what an earlier reading found."""
        self.findings = []
        self.files = []
        self.entries = []
        self.listed = 0
        self.answers = []
        self._rows = {}

    def _is_live(self) -> bool:
        """Whether all built sitemaps are live, by the findings."""
        are_all_read = self._rows.keys() >= self._built.keys()
        has_old_one = any(finding.code in _NOT_LIVE for finding in self.findings)
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
        self.answers.append(LivePage(url, facts, Role.SITEMAP))
        if answer.is_connected and not facts.is_refusal:
            self.judged += 1
        if answer.status != 200 or is_html or facts.error:
            return None
        return body.content

    def _read_entries(self, url: str, body: bytes, context: Context) -> list[LintedEntry]:
        """Checks the text of a sitemap, and keeps the URLs of pages that it lists.

        Returns the entries of an index, whose sitemaps are still to be read. Entries are also kept
        for the comparison if a built sitemap has this URL.
        """
        document = Document(context)
        live_rows = self._rows.setdefault(url, [])
        parts_of_index: list[LintedEntry] = []

        def keep(entry: LintedEntry) -> Iterator[Finding]:
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

    def _keep(self, entry: LintedEntry, file: str) -> None:
        """Counts a listed URL, and keeps it to be requested, unless there are too many."""
        self.listed += 1
        if len(self.entries) >= _MAX_ENTRIES:
            return
        links = language_links(entry)
        alternates = tuple(link.attributes.get("href", "") for link in links)
        self.entries.append(Request(entry.loc, file, entry.line, alternates))

    def _find_difference(self) -> Finding | None:
        """The first entry that differs between a built sitemap and the live one of its URL.

        Compares only sitemaps that could be read. None if they are the same.
        """
        urls_of_both = self._built.keys() & self._rows.keys()
        for url in sorted(urls_of_both):
            built_entries = map(parse_row, self._built[url]())
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


def built_rows(site: Site) -> Rows:
    """The rows of the built sitemaps of a site."""
    previous = open_previous(site.output)
    return {site.base_url + quote(name): partial(previous.rows, name) for name in previous.names}


def _entry_text(entry: tuple[str, str] | None, absent: str) -> str:
    """An entry as `https://example.com/a.html 2026-03-01`, or the word `absent` for none."""
    if entry is None:
        return absent
    return " ".join(entry).strip()
