"""The live sitemaps: an index with its parts, their rules, and the built files to compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from io import BytesIO
from itertools import zip_longest
from typing import TYPE_CHECKING
from urllib.parse import quote

from ..linter import Finding
from ..linter.engine import check_sitemap, findings_at
from ..linter.model import Context, Document, LintedEntry
from ..linter.rules import documents, live
from ..linter.rules.live import LivePage, Role
from ..protocol import MAX_BYTES, MAX_URLS, SITEMAPINDEX
from ..publish.published import open_previous
from ..read import sitemap
from ..read.sitemap import parse_row, uncompressed
from ..site import Site
from . import live_pages
from .asking import Request, Scope

if TYPE_CHECKING:
    from ..net.client import Fetcher

_FIRST_STEP = 2.0  # seconds between two readings of the sitemap, doubled after each
_LONGEST_STEP = 30.0
# The rules that an old or missing sitemap breaks. The built one may replace it in a moment.
_NOT_LIVE = {rule.code for rule in live.ALL if rule.code[:4] == "SM61"}
# Per run, because a host may send any number.
_MAX_ENTRIES = 1_000_000
_MAX_FINDINGS = 100_000

# {the URL of a built sitemap: a function that reads its rows}
RowReaders = Mapping[str, Callable[[], Iterator[bytes]]]


class LiveSitemaps:
    """The sitemap of the live host, with the sitemaps that it names if it is an index.

    `read` requests and checks them once, and fills the attributes.
    """

    def __init__(
        self, scope: Scope, fetcher: Fetcher, row_readers: RowReaders, *, now: int
    ) -> None:
        """Makes an empty result. `read` requests the sitemap of `scope`, and fills the result.

        `row_readers` are for the sitemaps that were built on this machine: by the URL of each, a
        function that reads the built file. It is compared with the live one. `now` is in seconds.
        """
        # The result.
        self.findings: list[Finding] = []
        self.files: list[tuple[str, int]] = []  # the URL of each sitemap, and its number of entries
        self.entries: list[Request] = []  # requests for the listed URLs, at most a million
        self.listed = 0  # the number of all listed URLs, also beyond a million
        # What the host answered for each sitemap. A refusal, for example, is no finding here: the
        # caller reports it, together with those of pages.
        self.answers: list[LivePage] = []
        # How many answers came from the host and are no refusals. A refusal shows nothing of the
        # sitemap, because it may be for this program only.
        self.checked = 0

        self._scope = scope
        self._fetcher = fetcher
        self._row_readers = row_readers
        self._now = now
        # By the URL of a live sitemap, the finding that it is not the built file.
        self._differences: dict[str, Finding] = {}

    def read(self) -> None:
        """Requests and checks the live sitemap. If it is an index, also those that it names."""
        self._read_sitemap(self._scope.sitemap, Context(self._now, self._scope.sitemap))
        # If an older build is live, most sitemaps differ from the built ones. One finding is enough
        # then: that about the sitemap whose URL is the first in the alphabet.
        if self._differences:
            first_url = min(self._differences)
            self.findings.append(self._differences[first_url])

    def _read_sitemap(self, url: str, context: Context) -> None:
        """Requests and checks a sitemap, and then the sitemaps that it names if it is an index.

        `context` says which index names it. A URL on another host is not
        requested.
        """
        requested_url = self._scope.to_requested(url)
        if requested_url is None:  # the linter reports it; it is never requested
            return
        content = self._request_sitemap(url, requested_url)
        if content is None:
            return
        for child in self._read_entries(url, content, context):
            part = context._replace(url=child.loc, named_by=url)
            self._read_sitemap(child.loc, part)

    def _request_sitemap(self, url: str, requested_url: str) -> bytes | None:
        """Requests a sitemap, and returns its unpacked text. Adds what is wrong to `findings`.

        None if the answer has no sitemap, such as a 404 or an HTML page. `url` is in the findings,
        and the request goes to `requested_url`, which is on another host for a preview.
        """
        answer = self._fetcher.get(requested_url, MAX_BYTES + 1)
        content, problem = b"", ""  # the body of an answer such as a 404 is not unpacked
        if answer.status == 200:
            content, problem = live_pages.unpack(answer, url)
        is_html = sitemap.is_html(content)
        facts = live_pages.facts_of(answer, requested_url, self._scope)
        facts = facts._replace(unpacking_error=problem, is_html=is_html)
        self.findings += findings_at(url, live.check_sitemap(facts))
        self.answers.append(LivePage(url, facts, Role.SITEMAP))
        # Without a connection, there is no answer. A refusal may be for this program only.
        if answer.is_connected and not facts.refuses_program:
            self.checked += 1
        has_sitemap = answer.status == 200 and not is_html and not facts.error
        return content if has_sitemap else None

    def _read_entries(self, url: str, body: bytes, context: Context) -> list[LintedEntry]:
        """Checks the text of a sitemap, `body`, and handles each of its entries:

            of a sitemap of pages         kept, and its URL is requested later
            of an index                   returned, and the caller reads its sitemap next
            of an index in an index       a finding, because crawlers do not read such an index

        If the sitemap was built on this machine, it is also compared with the built file.
        """
        document = Document(context)
        index_above = context.named_by  # the URL of the index that names this sitemap, or ""
        is_built = url in self._row_readers
        entries_to_compare: list[tuple[int, str]] = []  # [(3, "https://a.example/b 2026-03-01"), …]
        parts_of_index: list[LintedEntry] = []
        for found in check_sitemap(url, uncompressed(BytesIO(body)), document):
            if isinstance(found, Finding):
                self._add_finding(found)
                continue
            if document.root != SITEMAPINDEX:
                self._keep_entry(found, url)
            elif not index_above:
                parts_of_index.append(found)
            else:
                text = f"{url} is itself an index"
                self._add_finding(documents.NESTED.at(index_above, 1, text))
            # A built file has at most MAX_URLS entries. One more shows that the live one is longer,
            # and the others are not kept, because a host may send any number.
            if is_built and document.entries <= MAX_URLS + 1:
                entries_to_compare.append((found.line, f"{found.loc} {found.date}".strip()))
        if is_built:
            self._compare_with_built(url, entries_to_compare)
        self.files.append((url, document.entries))
        return parts_of_index

    def _add_finding(self, finding: Finding) -> None:
        """Keeps a finding, unless there are 100,000 already: a host may cause any number."""
        if len(self.findings) < _MAX_FINDINGS:
            self.findings.append(finding)

    def _compare_with_built(self, url: str, lines_and_texts: Sequence[tuple[int, str]]) -> None:
        """Compares the entries of a live sitemap with those of the built file, in their order.

        Keeps a finding about the first one that differs: "is not the built file: entry 2 is
        https://a.example/c, not https://a.example/b". If the live sitemap is shorter, the entry "is
        missing", and if it is longer, the entry is "not nothing".

        `lines_and_texts` are the live entries: `(3, "https://a.example/b 2026-03-01")`.
        """
        rows = self._row_readers[url]()
        built_texts = (f"{loc} {date}".strip() for loc, date in map(parse_row, rows))
        pairs = zip_longest(built_texts, lines_and_texts)  # None where one file is shorter
        for number, (built, live_entry) in enumerate(pairs, 1):
            built_text = built or "nothing"
            line, live_text = live_entry or (1, "missing")
            if live_text != built_text:
                text = f"is not the built file: entry {number} is {live_text}, not {built_text}"
                self._differences[url] = live.SITEMAP_DIFFERS.at(url, line, text)
                return

    def _keep_entry(self, entry: LintedEntry, file: str) -> None:
        """Counts a listed URL, and keeps it to be requested, unless there are a million already.

        `file` is the URL of the sitemap that lists it.
        """
        self.listed += 1
        if len(self.entries) >= _MAX_ENTRIES:
            return
        self.entries.append(Request(entry.loc, file, entry.line))


def read_live_sitemaps(
    scope: Scope, fetcher: Fetcher, site: Site | None, *, now: int, wait: float
) -> LiveSitemaps:
    """Reads the live sitemaps, again and again until they equal those that were just built.

    A new sitemap may take a minute to go live after an upload. The waiting ends after `wait`
    seconds, or earlier at a limit of the run. With 0, the sitemaps are read once.

    Returns the last reading. Its `checked` counts the answers of all readings. `site` is the site
    that was built on this machine, None to compare no files. `now` is the time in seconds.
    """
    row_readers: RowReaders = {}
    if site is not None:
        # By the URL of a built sitemap, a function that reads its rows: the URL and date of each
        # entry.
        previous = open_previous(site.output)
        row_readers = {
            site.base_url + quote(name): partial(previous.rows, name) for name in previous.names
        }
    waited = 0.0
    step = _FIRST_STEP
    checked_before = 0  # the answers of all earlier readings that say something about the host
    while True:
        sitemaps = LiveSitemaps(scope, fetcher, row_readers, now=now)
        sitemaps.read()
        sitemaps.checked += checked_before
        # All built sitemaps are live if each was read and none is old or missing.
        read_urls = {url for url, _entries in sitemaps.files}
        has_old_one = any(finding.code in _NOT_LIVE for finding in sitemaps.findings)
        are_built_ones = read_urls >= row_readers.keys() and not has_old_one
        if are_built_ones or waited >= wait or fetcher.is_over:
            return sitemaps
        checked_before = sitemaps.checked
        step = min(step, wait - waited, _LONGEST_STEP)
        fetcher.wait(step)
        waited += step
        step *= 2
