"""`check --against`: compares another tool's sitemap with the pages of the site."""

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import IO, NamedTuple

from ..errors import SitemapperError
from ..find.plan import make_plan
from ..find.settle import Setup
from ..lastmod.live_ledger import local_ledger, open_ledger
from ..linter import Finding, Rule, validate
from ..linter.engine import OnEntry, check_sitemap
from ..linter.model import Context, Document, LintedEntry
from ..linter.rules import pages
from ..model import BatchResult, Excluded, Reason
from ..plan import Plan
from ..protocol import SITEMAPINDEX
from ..publish.live_sitemap import LiveSitemap, MissingSitemap, UnreadableSitemap, read_with_parts
from ..read import server, walk
from ..read.sitemap import parse_row, uncompressed
from ..run import stream
from ..run.rows import open_rows
from ..site import Run
from ..syntax.dates import period
from ..syntax.urls import is_page_name, quoted, relative_path, resolve, web_origin

_DAY = 86_400
_OWN = "the site's form is "
_MATCHED = b""  # instead of an entry that a page has
_SITEMAP_RULES = ("SM1", "SM203", "SM301", "SM303", "SM4")
_RULE_BY_REASON = {
    Reason.NOINDEX: pages.NOINDEX, Reason.REDIRECT: pages.REDIRECTS,
    Reason.CANONICAL: pages.CANONICAL_ELSEWHERE, Reason.ROBOTS: pages.DISALLOWED,
}  # fmt: skip


class ForeignEntry(NamedTuple):
    """A URL in the other sitemap: its line and file, and its date ("" for none)."""

    line: int
    file: str
    date: str
    loc: str

    def finding(self, rule: Rule, message: str) -> Finding:
        """A finding about this entry."""
        return rule.at(self.file, self.line, f"{self.loc}: {message}")


def compare(
    setup: Setup, against: str, *, now: datetime, files: list[tuple[str, int]]
) -> Iterator[Finding]:
    """The differences between a sitemap and the pages, after the errors of the sitemap itself.

    `against` is a file, a folder or a URL. Adds each file and its number of entries to `files`.
    Keeps the other sitemap in memory. Raises SitemapperError for errors that a user can fix.
    """
    site, run = setup.site, setup.run
    plan = make_plan(setup, now, local_ledger(site, run))
    comparison = _Comparison(plan)
    seconds = int(now.timestamp())
    findings: Iterable[Finding]
    if "://" in against:
        findings = _validate_live(against, run, seconds, comparison.expect, files)
    else:
        findings = validate(
            [against],
            now=seconds,
            on_entry=comparison.expect,
            on_file=lambda *file: files.append(file),
        )
    yield from (f for f in findings if f.code.startswith(_SITEMAP_RULES))
    if all(os.path.basename(name) == "robots.txt" for name, _ in files):
        raise SitemapperError(f"{against}: no sitemap found", "name a sitemap or its folder")
    comparison.check_base_url(against)
    with (
        open_ledger(site, run) as (ledger, _),
        open_rows(plan._replace(ledger=ledger)) as rows,
    ):
        for result in stream.batch_results(plan, rows):
            comparison.add(result)
    yield from sorted(comparison.findings(), key=lambda f: (f.file, f.line))
    for loc in comparison.unlisted.values():
        yield pages.UNLISTED.at(against, 1, f"{loc.decode()}: can be indexed, but is not listed")


def _validate_live(
    url: str, run: Run, now: int, expect: OnEntry, files: list[tuple[str, int]]
) -> list[Finding]:
    """The findings about a sitemap on a host, and about its parts.

    Adds them to `files`, and calls `expect` with their entries. Raises SitemapperError if any of
    them cannot be read.
    """
    if not web_origin(url):
        raise SitemapperError(
            f"--against: {url!r} is not an http or https URL", "name a file, a folder or a URL"
        )
    findings: list[Finding] = []

    def read(name: str, file: IO[bytes]) -> list[str]:
        document = Document(Context(now, name))
        parts: list[str] = []
        for found in check_sitemap(name, uncompressed(file), document):
            if isinstance(found, Finding):
                findings.append(found)
                continue
            expect(name, found)
            if document.root == SITEMAPINDEX:
                parts.append(found.loc)
        files.append((name, document.entries))
        return parts

    try:
        read_with_parts(url, LiveSitemap(url, run).open, read)
    except MissingSitemap:
        raise SitemapperError(f"{url}: does not exist", "correct the URL of the sitemap") from None
    except UnreadableSitemap as error:
        help = f"{error.help}compare with a copy: --against FILE"
        raise SitemapperError(f"{error.name}: {error.problem}", help) from None
    return findings


def _key(loc: str, plan: Plan) -> str:
    """What two spellings of a URL have in common: its decoded path below the base.

    The scheme makes no difference. URLs outside the base are returned as they are.
    """
    url = resolve(loc, plan.site.base_url) or loc
    path = relative_path(url, plan.site.base_url)
    return url if path is None else path


class _Comparison:
    """The other sitemap in memory, compared with each page of the site.

    URLs are stored as hashes of their keys, and entries as bytes, because there may be millions.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._files: list[str] = []
        self._findings: list[Finding] = []
        self._theirs: dict[int, bytes] = {}
        self.unlisted: dict[int, bytes] = {}  # the URLs of pages that the sitemap lacks
        self._excluded: dict[int, Excluded] = {}

    def expect(self, file: str, entry: LintedEntry) -> None:
        """Keeps a URL of the other sitemap, which a page of the site should have.

        If several entries have the URL, the first counts. Entries of an index, which are no pages,
        and texts that are no absolute URLs are left out.
        """
        is_in_index = entry.node.name == "sitemap"
        if is_in_index or not web_origin(entry.loc):
            return
        is_next_file = not self._files or self._files[-1] != file  # entries arrive file by file
        if is_next_file:
            self._files.append(file)
        file_number = len(self._files) - 1
        # As bytes, which take less memory. `_entry` reads them again.
        packed = f"{entry.line}\0{file_number}\0{entry.date}\0{entry.loc}".encode()
        key = hash(_key(entry.loc, self._plan))
        self._theirs.setdefault(key, packed)

    def check_base_url(self, against: str) -> None:
        """Raises SitemapperError if the sitemap belongs to another site."""
        if not self._theirs:
            return
        base = self._plan.site.base_url
        entries = map(self._entry, self._theirs.values())
        if any(_is_below(entry.loc, base) for entry in entries):
            return
        first = self._entry(next(iter(self._theirs.values())))
        raise SitemapperError(
            f"{against}: none of its {len(self._theirs):,} URLs is below {base}, for example "
            f"{first.loc}",
            "set base_url to the URL of its pages",
        )

    def _entry(self, packed: bytes) -> ForeignEntry:
        """The entry that `expect` has packed: line, number of the file, date and URL."""
        line, file, date, loc = packed.decode().split("\0", 3)
        return ForeignEntry(int(line), self._files[int(file)], date, loc)

    def add(self, result: BatchResult) -> None:
        """Compares the next pages of the site."""
        for excluded in result.excluded:
            for form in self._forms(excluded.path):
                key = hash(form)
                if key in self._theirs:
                    self._excluded[key] = excluded
        for entries in result.entries:
            if entries.series.format == "xml":
                for row in entries.data.splitlines():
                    loc, date = parse_row(row)
                    self._add_listed(loc, date)

    def _forms(self, path: str) -> Sequence[str]:
        """The decoded paths of a page, or of a URL that is not a file."""
        if "://" in path:
            return [_key(path, self._plan)]
        return self._plan.policy.locator.served_paths(path)

    def _add_listed(self, loc: str, date: str) -> None:
        """Compares a listed page of the site with the entry of the other sitemap for its URL.

        If several pages have this URL, the first one is compared.
        """
        key = hash(_key(loc, self._plan))
        packed = self._theirs.get(key)
        if packed is None:
            self.unlisted[key] = loc.encode()
        elif packed != _MATCHED:
            self._theirs[key] = _MATCHED
            self._findings += self._compare_with_ours(self._entry(packed), loc, date)

    def findings(self) -> Iterator[Finding]:
        """The findings about entries of the other sitemap, after all pages were added."""
        yield from self._findings
        for key, packed in self._theirs.items():
            if packed == _MATCHED:
                continue
            finding = self._mismatch(key, self._entry(packed))
            if finding:
                yield finding

    def _compare_with_ours(self, theirs: ForeignEntry, loc: str, ours: str) -> Iterator[Finding]:
        """The differences in form and date.

        One day of difference is allowed, because dates have no time zone.
        """
        if resolve(theirs.loc, loc) != loc:
            yield theirs.finding(pages.OTHER_FORM, f"{_OWN}{loc}")
        claimed = period(theirs.date)
        actual = period(ours)
        if claimed is None or actual is None:
            return
        claimed_start, claimed_end = claimed
        actual_start, actual_end = actual
        # A file may be rewritten without a change, so its time is only an upper limit.
        is_exact = "mtime" not in self._plan.date_policy.sources
        if claimed_start > actual_end + _DAY:
            message = f"lastmod {theirs.date}, but it last changed on {ours}"
            yield theirs.finding(pages.WRONG_DATE, message)
        elif is_exact and claimed_end < actual_start - _DAY:
            message = f"lastmod {theirs.date}, but it changed again on {ours}"
            yield theirs.finding(pages.WRONG_DATE, message)

    def _mismatch(self, key: int, theirs: ForeignEntry) -> Finding | None:
        """Why a URL should not be listed. None if it may be, such as a file that is not a page."""
        excluded = self._excluded.get(key)
        if excluded:
            rule = _RULE_BY_REASON.get(excluded.reason, pages.LEFT_OUT)
            return theirs.finding(rule, f"{excluded.reason.value} ({_decided_by(excluded)})")
        root = self._plan.root
        path = _key(theirs.loc.partition("?")[0], self._plan)
        file = None
        is_below_base = "://" not in path
        if is_below_base:
            file = server.file_for_url_path(root, path)
        if file is None:
            return theirs.finding(pages.NO_PAGE, "no page of the site has this URL")
        other_form = self._other_form(file)
        if other_form:
            return theirs.finding(pages.OTHER_FORM, other_form)
        if root.ignore.matches(file):
            pattern = root.ignore.deciding_pattern(file)
            if pattern:
                return theirs.finding(pages.LEFT_OUT, f"ignored ({pattern.origin})")
        if not is_page_name(file) or walk.would_list(root, file):
            return None
        return theirs.finding(pages.LEFT_OUT, "no `include` pattern matches, or a link leads there")

    def _other_form(self, file: str) -> str:
        """The URL under which the site lists a file, in words. "" if it does not list it.

        A URL that is named here does not count as missing in the other sitemap any more.
        """
        for form in self._plan.policy.locator.served_paths(file):
            key = hash(form)
            loc = self.unlisted.pop(key, b"").decode()
            if loc:
                return f"{_OWN}{loc}"
            if self._theirs.get(key) == _MATCHED:
                return f"also listed as {self._plan.site.base_url}{quoted([form])[0]}"
        return ""


def _is_below(loc: str, base: str) -> bool:
    """Whether a URL is below the base, in any scheme."""
    resolved = resolve(loc.partition("?")[0], loc)
    return relative_path(resolved or "", base) is not None


def _decided_by(excluded: Excluded) -> str:
    """What excludes a page: the text alone if it is in the page."""
    origin = excluded.origin
    return origin.text if origin.source == excluded.path else str(origin)
