"""`check --against`: another generator's sitemap of the same site, held against the pages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from ..config.filenames import RECENT
from ..config.settings import Settings
from ..errors import SitemapperError
from ..linter import Finding, Rule, validate
from ..linter.elements import Entry, origin
from ..linter.rules import pages
from ..model import BatchResult, Excluded, Reason
from ..output import changes
from ..pipeline import run
from ..pipeline.evidence import live_ledger, open_evidence
from ..pipeline.observer import Observer
from ..pipeline.plan import Plan, make_plan
from ..site import server, walk
from ..syntax.dates import period
from ..syntax.html_files import is_page_name
from ..syntax.urls import quoted, relative_path, resolve

_DAY = 86_400
_SITEMAP_RULES = ("SM1", "SM203", "SM301", "SM303", "SM4")
_RULE_BY_REASON = {
    Reason.NOINDEX: pages.NOINDEX,
    Reason.REDIRECT: pages.REDIRECTS,
    Reason.CANONICAL: pages.CANONICAL_ELSEWHERE,
    Reason.ROBOTS: pages.DISALLOWED,
}


class ForeignEntry(NamedTuple):
    """A URL that the other sitemap lists: where, and with which date ("" for none)."""

    loc: str
    date: str
    file: str
    line: int

    def finding(self, rule: Rule, message: str) -> Finding:
        """What is wrong with it."""
        return rule.at(self.file, (self.line, f"{self.loc}: {message}"))


def compare(
    settings: Settings,
    against: str,
    *,
    now: datetime,
    read: Callable[[str, int], None],
    observer: Observer | None = None,
) -> Iterator[Finding]:
    """Where a sitemap and the pages disagree; first what is wrong with the sitemap itself.

    `read` is called with each file of it and its number of entries. Holds in memory what is left
    out, and what the other sitemap lists in another order. Raises SitemapperError for what a user can fix.
    """
    observer = observer or Observer()
    plan = make_plan(settings, now)._replace(wants_details=observer.wants_details)
    files: list[str] = []

    def on_file(name: str, entries: int) -> None:
        files.append(name)
        read(name, entries)

    with (
        live_ledger(plan.settings) as (settings, _),
        open_evidence(settings, plan.date_policy.writer) as evidence,
    ):
        comparison = _Comparison(plan, observer, run.batch_results(plan, evidence))
        seconds = int(now.timestamp())
        findings = validate([against], now=seconds, on_entry=comparison.add, on_file=on_file)
        yield from (f for f in findings if f.code.startswith(_SITEMAP_RULES))
        if all(os.path.basename(name) == "robots.txt" for name in files):
            raise SitemapperError(
                f"{against}: no sitemap found", "name a sitemap, or the folder where it lies"
            )
        comparison.check_base(against)
        yield from sorted(comparison.findings(), key=lambda f: (f.file, f.line))
        yield from comparison.unlisted(against)


def _key(loc: str, plan: Plan) -> str:
    """The decoded path of a URL, whatever its scheme; the URL where it has none below the base."""
    loc = resolve(loc, plan.settings.base_url) or loc
    path = relative_path(loc, plan.settings.base_url)
    return loc if path is None else path


def _is_below_base(loc: str, plan: Plan) -> bool:
    return relative_path(resolve(loc.partition("?")[0], loc) or "", plan.settings.base_url) is not None


class _Comparison:
    """One walk of the site in step with the other sitemap.

    An entry that matches a page is settled at once. The others are looked at again at the end, when the URLs
    of all pages are known.
    """

    def __init__(self, plan: Plan, observer: Observer, results: Iterator[BatchResult]) -> None:
        self._plan = plan
        self._observer = observer
        self._rows = self._read(results)
        self._findings: list[Finding] = []
        self._unmatched: dict[str, ForeignEntry] = {}
        self._unlisted: dict[str, tuple[str, str]] = {}  # key: URL and date
        self._matched: set[int] = set()  # hashes of keys
        self._excluded: dict[str, Excluded] = {}

    def add(self, file: str, entry: Entry) -> None:
        """Takes the next entry of the other sitemap, and reads one page more."""
        if entry.node.name == "sitemap" or not origin(entry.loc):
            return
        key = _key(entry.loc, self._plan)
        theirs = ForeignEntry(entry.loc, entry.date, file, entry.line)
        if key in self._unlisted:
            self._match(key, theirs, self._unlisted.pop(key))
        elif hash(key) not in self._matched:
            self._unmatched.setdefault(key, theirs)
        for row in islice(self._rows, 1):
            self._add_row(row)

    def check_base(self, against: str) -> None:
        """Raises SitemapperError if the other sitemap is of another site."""
        if self._matched or not self._unmatched:
            return
        if not any(_is_below_base(theirs.loc, self._plan) for theirs in self._unmatched.values()):
            base, first = self._plan.settings.base_url, next(iter(self._unmatched.values())).loc
            raise SitemapperError(
                f"{against}: none of its {len(self._unmatched):,} URLs is below {base}, for example {first}",
                "set base_url to the URL of its pages",
            )

    def findings(self) -> Iterator[Finding]:
        """What is wrong with entries of the other sitemap."""
        for row in self._rows:
            self._add_row(row)
        yield from self._findings
        yield from filter(None, (self._mismatch(*item) for item in self._unmatched.items()))

    def unlisted(self, against: str) -> Iterator[Finding]:
        """The pages that the other sitemap lacks; asked for last."""
        for loc, _ in self._unlisted.values():
            yield pages.UNLISTED.at(against, (1, f"{loc}: can be indexed, and is not listed"))

    def _read(self, results: Iterator[BatchResult]) -> Iterator[tuple[str, str]]:
        """The URL and the date of each page; keeps what is left out."""
        for result in results:
            run.notify(result, self._observer)
            for excluded in result.excluded:
                self._excluded |= dict.fromkeys(self._forms(excluded.path), excluded)
            for entries in result.entries:
                if entries.series.format == "xml" and entries.series.section != RECENT:
                    yield from map(changes.entry, entries.data.splitlines())

    def _forms(self, path: str) -> Iterable[str]:
        if "://" in path:  # one of `extra`
            return [_key(path, self._plan)]
        return self._plan.policy.locator.served_paths(path)

    def _add_row(self, row: tuple[str, str]) -> None:
        key = _key(row[0], self._plan)
        theirs = self._unmatched.pop(key, None)
        if theirs:
            self._match(key, theirs, row)
        else:
            self._unlisted[key] = row

    def _match(self, key: str, theirs: ForeignEntry, row: tuple[str, str]) -> None:
        loc, date = row
        self._matched.add(hash(key))
        if resolve(theirs.loc, loc) != loc:
            self._findings.append(theirs.finding(pages.OTHER_FORM, f"the site's own form is {loc}"))
        self._findings += self._compare_dates(theirs, date)

    def _compare_dates(self, theirs: ForeignEntry, ours: str) -> Iterator[Finding]:
        """A day apart is no disagreement: dates have no zones."""
        claimed, actual = period(theirs.date), period(ours)
        if claimed is None or actual is None:
            return
        if claimed[0] > actual[1] + _DAY:
            yield theirs.finding(pages.WRONG_DATE, f"lastmod {theirs.date}, but it last changed on {ours}")
        # A file may be written anew without a change, so that its time tells only the latest one possible.
        elif claimed[1] < actual[0] - _DAY and "mtime" not in self._plan.date_policy.sources:
            yield theirs.finding(pages.WRONG_DATE, f"lastmod {theirs.date}, but it changed again on {ours}")

    def _mismatch(self, key: str, theirs: ForeignEntry) -> Finding | None:
        """Why a URL is listed in vain; None where it is not, as for files that are no pages."""
        if key in self._excluded:
            excluded = self._excluded[key]
            rule = _RULE_BY_REASON.get(excluded.reason, pages.LEFT_OUT)
            return theirs.finding(
                rule, f"{excluded.path} is left out: {excluded.reason.value} ({excluded.origin})"
            )
        folder = self._plan.root
        plain = _key(theirs.loc.partition("?")[0], self._plan)
        file = None if "://" in plain else server.file_for_url_path(folder, plain)
        if file is None:
            return theirs.finding(pages.NO_PAGE, "no page of the site has this URL")
        for form in self._plan.policy.locator.served_paths(file):
            if form in self._unlisted:
                loc, _ = self._unlisted.pop(form)
                return theirs.finding(pages.OTHER_FORM, f"the site's own form is {loc}")
            if hash(form) in self._matched:
                loc = self._plan.settings.base_url + quoted([form])[0]
                return theirs.finding(pages.OTHER_FORM, f"is listed as {loc} too")
        line = folder.ignore.verdict(file) if folder.ignore.matches(file) else None
        if line:
            return theirs.finding(pages.LEFT_OUT, f"{file} is left out: ignored ({line.origin})")
        if not is_page_name(file) or walk.is_candidate(folder, file):
            return None
        return theirs.finding(
            pages.LEFT_OUT, f"{file} is left out: no `include` pattern matches, or a link leads there"
        )
