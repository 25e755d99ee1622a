"""`check --against`: compares another tool's sitemap with the pages of the site."""

import os
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from ..errors import SitemapperError
from ..linter import Finding, Rule, validate
from ..linter.model import Entry, origin
from ..linter.rules import pages
from ..model import BatchResult, Excluded, Reason
from ..output import changes
from ..pipeline import run
from ..pipeline.evidence import local_ledger, open_evidence, open_ledger
from ..pipeline.plan import Plan, make_plan
from ..setup.settle import Setup
from ..site import server, walk
from ..syntax.dates import period
from ..syntax.urls import is_page_name, quoted, relative_path, resolve

_DAY = 86_400
_OWN = "the site's form is "
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

    Adds each file and its number of entries to `files`. Keeps the other sitemap in memory. Raises
    SitemapperError for errors that a user can fix.
    """
    site, call = setup.site, setup.run
    plan = make_plan(setup, now, local_ledger(site, call))
    comparison = _Comparison(plan)
    findings = validate(
        [against],
        now=int(now.timestamp()),
        on_entry=comparison.expect,
        on_file=lambda *file: files.append(file),
    )
    yield from (f for f in findings if f.code.startswith(_SITEMAP_RULES))
    if all(os.path.basename(name) == "robots.txt" for name, _ in files):
        raise SitemapperError(f"{against}: no sitemap found", "name a sitemap or its folder")
    comparison.check_base(against)
    with (
        open_ledger(site, call) as (ledger, _),
        open_evidence(plan._replace(ledger=ledger)) as evidence,
    ):
        for result in run.batch_results(plan, evidence):
            comparison.add(result)
    yield from sorted(comparison.findings(), key=lambda f: (f.file, f.line))
    for loc in comparison.unlisted.values():
        yield pages.UNLISTED.at(against, 1, f"{loc.decode()}: can be indexed, but is not listed")


def _key(loc: str, plan: Plan) -> str:
    """The decoded path of a URL below the base, in any scheme.

    Other URLs are returned as they are.
    """
    loc = resolve(loc, plan.site.base_url) or loc
    path = relative_path(loc, plan.site.base_url)
    return loc if path is None else path


class _Comparison:
    """The other sitemap in memory, compared with each page of the site.

    URLs are stored as hashes of their keys, and entries as bytes, because there may be millions.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._files: list[str] = []
        self._findings: list[Finding] = []
        self._theirs: dict[int, bytes] = {}  # empty once a page matches
        self.unlisted: dict[int, bytes] = {}  # the URLs of pages that the sitemap lacks
        self._excluded: dict[int, Excluded] = {}

    def expect(self, file: str, entry: Entry) -> None:
        """Adds an entry of the other sitemap. If a URL has several, the first counts."""
        if entry.node.name == "sitemap" or not origin(entry.loc):
            return
        if self._files[-1:] != [file]:
            self._files.append(file)
        packed = f"{entry.line}\0{len(self._files) - 1}\0{entry.date}\0{entry.loc}".encode()
        self._theirs.setdefault(hash(_key(entry.loc, self._plan)), packed)

    def check_base(self, against: str) -> None:
        """Raises SitemapperError if the sitemap belongs to another site."""
        if not self._theirs:
            return
        base = self._plan.site.base_url
        locs = (self._entry(packed).loc for packed in self._theirs.values())
        if all(
            relative_path(resolve(loc.partition("?")[0], loc) or "", base) is None for loc in locs
        ):
            first = self._entry(next(iter(self._theirs.values()))).loc
            raise SitemapperError(
                (
                    f"{against}: none of its {len(self._theirs):,} URLs is below {base}, for "
                    f"example {first}"
                ),
                "set base_url to the URL of its pages",
            )

    def _entry(self, packed: bytes) -> ForeignEntry:
        line, file, date, loc = packed.decode().split("\0", 3)
        return ForeignEntry(int(line), self._files[int(file)], date, loc)

    def add(self, result: BatchResult) -> None:
        """Compares the next pages of the site."""
        for excluded in result.excluded:
            path, served = excluded.path, self._plan.policy.locator.served_paths
            for form in [_key(path, self._plan)] if "://" in path else served(path):
                if hash(form) in self._theirs:
                    self._excluded[hash(form)] = excluded
        sitemaps = (entries.data for entries in result.entries if entries.series.format == "xml")
        for row in (row for data in sitemaps for row in data.splitlines()):
            loc, date = changes.entry(row)
            key = hash(_key(loc, self._plan))
            packed = self._theirs.get(key)
            if packed is None:
                self.unlisted[key] = loc.encode()
            elif packed:  # no page has had it yet
                self._theirs[key] = b""
                self._findings += self._compare_with_ours(self._entry(packed), loc, date)

    def findings(self) -> Iterator[Finding]:
        """The findings about entries of the other sitemap, after all pages were added."""
        yield from self._findings
        for key, packed in self._theirs.items():
            if packed and (finding := self._mismatch(key, self._entry(packed))):
                yield finding

    def _compare_with_ours(self, theirs: ForeignEntry, loc: str, ours: str) -> Iterator[Finding]:
        """The differences in dates.

        One day of difference is allowed, because dates have no time zone.
        """
        if resolve(theirs.loc, loc) != loc:
            yield theirs.finding(pages.OTHER_FORM, f"{_OWN}{loc}")
        claimed, actual = period(theirs.date), period(ours)
        if claimed is None or actual is None:
            return
        if claimed[0] > actual[1] + _DAY:
            yield theirs.finding(
                pages.WRONG_DATE, f"lastmod {theirs.date}, but it last changed on {ours}"
            )
        # A file may be rewritten without a change, so its time is only an upper limit.
        elif claimed[1] < actual[0] - _DAY and "mtime" not in self._plan.date_policy.sources:
            yield theirs.finding(
                pages.WRONG_DATE, f"lastmod {theirs.date}, but it changed again on {ours}"
            )

    def _mismatch(self, key: int, theirs: ForeignEntry) -> Finding | None:
        """Why a URL should not be listed. None if it may be, such as a file that is not a page."""
        if key in self._excluded:
            excluded = self._excluded[key]
            rule = _RULE_BY_REASON.get(excluded.reason, pages.LEFT_OUT)
            decided = excluded.origin
            by = decided.text if decided.source == excluded.path else str(decided)
            return theirs.finding(rule, f"{excluded.reason.value} ({by})")
        folder = self._plan.root
        plain = _key(theirs.loc.partition("?")[0], self._plan)
        file = None if "://" in plain else server.file_for_url_path(folder, plain)
        if file is None:
            return theirs.finding(pages.NO_PAGE, "no page of the site has this URL")
        for form in self._plan.policy.locator.served_paths(file):
            if loc := self.unlisted.pop(hash(form), b"").decode():
                return theirs.finding(pages.OTHER_FORM, f"{_OWN}{loc}")
            if self._theirs.get(hash(form)) == b"":
                loc = self._plan.site.base_url + quoted([form])[0]
                return theirs.finding(pages.OTHER_FORM, f"also listed as {loc}")
        line = folder.ignore.verdict(file) if folder.ignore.matches(file) else None
        if line:
            return theirs.finding(pages.LEFT_OUT, f"ignored ({line.origin})")
        if not is_page_name(file) or walk.is_candidate(folder, file):
            return None
        return theirs.finding(pages.LEFT_OUT, "no `include` pattern matches, or a link leads there")
