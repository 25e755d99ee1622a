"""`check --against`: another generator's sitemap of the same site, held against the pages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from ..config.filenames import RECENT
from ..config.settings import Settings
from ..errors import SitemapperError
from ..linter import Finding, Rule, validate
from ..linter.elements import Entry, origin
from ..linter.rules import pages
from ..model import Excluded, Reason
from ..output import changes
from ..pipeline import run
from ..pipeline.evidence import live_ledger, open_evidence
from ..pipeline.observer import Observer
from ..pipeline.plan import Plan, make_plan
from ..site import server, walk
from ..syntax.dates import period
from ..syntax.html_files import is_page_name
from ..syntax.urls import relative_path, resolve

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
    listener: Observer | None = None,
) -> Iterator[Finding]:
    """Where a sitemap and the pages disagree; first what is wrong with the sitemap itself.

    `read` is called with each file of it and its number of entries. Holds its URLs in memory, some 500 bytes
    each. Raises SitemapperError for what a user can fix.
    """
    listener = listener or Observer()
    plan = make_plan(settings, now)._replace(wants_details=listener.wants_details)
    listed: dict[str, ForeignEntry] = {}

    def on_entry(file: str, entry: Entry) -> None:
        if entry.node.name != "sitemap" and origin(entry.loc):
            listed.setdefault(_key(entry.loc, plan), ForeignEntry(entry.loc, entry.date, file, entry.line))

    seconds = int(now.timestamp())
    files: list[str] = []

    def on_file(name: str, entries: int) -> None:
        files.append(name)
        read(name, entries)

    findings = validate([against], now=seconds, on_entry=on_entry, on_file=on_file)
    yield from (f for f in findings if f.code.startswith(_SITEMAP_RULES))
    if all(os.path.basename(name) == "robots.txt" for name in files):
        raise SitemapperError(f"{against}: no sitemap found", "name a sitemap, or the folder where it lies")
    if listed and not any(_is_below_base(theirs.loc, plan) for theirs in listed.values()):
        first = next(iter(listed.values())).loc
        raise SitemapperError(
            f"{against}: none of its {len(listed):,} URLs is below {settings.base_url}, for example {first}",
            "set base_url to the URL of its pages",
        )
    comparison = _Comparison(plan, listed, against, listener)
    yield from sorted(comparison.findings(), key=lambda f: (f.file, f.line))
    yield from comparison.unlisted()


def _key(loc: str, plan: Plan) -> str:
    """The decoded path of a URL, whatever its scheme; the URL where it has none below the base."""
    loc = resolve(loc, plan.settings.base_url) or loc
    path = relative_path(loc, plan.settings.base_url)
    return loc if path is None else path


def _is_below_base(loc: str, plan: Plan) -> bool:
    return relative_path(resolve(loc.partition("?")[0], loc) or "", plan.settings.base_url) is not None


class _Comparison:
    """One walk of the site against what the other sitemap lists.

    An entry that matches a page is settled at once. The others are looked at again at the end, when the URLs
    of all pages are known.
    """

    def __init__(self, plan: Plan, listed: dict[str, ForeignEntry], against: str, listener: Observer) -> None:
        self._plan = plan
        self._unmatched = listed
        self._against = against
        self._listener = listener
        self._matched: dict[str, str] = {}  # key: URL
        self._unlisted: dict[str, str] = {}
        self._excluded: dict[str, Excluded] = {}

    def findings(self) -> Iterator[Finding]:
        """All of them: dates on the way, the rest in the order of the other sitemap."""
        with (
            live_ledger(self._plan.settings) as (settings, _),
            open_evidence(settings, self._plan.date_policy.writer) as evidence,
        ):
            for result in run.batch_results(self._plan, evidence):
                for entries in result.entries:
                    if entries.series.format == "xml" and entries.series.section != RECENT:
                        yield from self._match_rows(entries.data.splitlines())
                run.notify(result, self._listener)
                for excluded in result.excluded:
                    self._record_exclusion(excluded)
        mismatches = (self._mismatch(key, theirs) for key, theirs in self._unmatched.items())
        yield from (finding for finding in mismatches if finding)

    def unlisted(self) -> Iterator[Finding]:
        """The pages that the other sitemap lacks; asked for last."""
        for loc in self._unlisted.values():
            yield pages.UNLISTED.at(self._against, (1, f"{loc}: can be indexed, and is not listed"))

    def _match_rows(self, rows: Iterable[bytes]) -> Iterator[Finding]:
        for row in rows:
            loc, date = changes.entry(row)
            key = _key(loc, self._plan)
            theirs = self._unmatched.pop(key, None)
            if theirs is None:
                self._unlisted[key] = loc
                continue
            self._matched[key] = loc
            if resolve(theirs.loc, loc) != loc:
                yield theirs.finding(pages.OTHER_FORM, f"the site's own form is {loc}")
            yield from self._compare_dates(theirs, date)

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

    def _record_exclusion(self, excluded: Excluded) -> None:
        is_url = "://" in excluded.path  # one of `extra`
        forms = (
            [_key(excluded.path, self._plan)]
            if is_url
            else self._plan.policy.locator.served_paths(excluded.path)
        )
        for form in forms:
            if form in self._unmatched:
                self._excluded[form] = excluded

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
                return theirs.finding(pages.OTHER_FORM, f"the site's own form is {self._unlisted.pop(form)}")
            if form in self._matched:
                return theirs.finding(pages.OTHER_FORM, f"is listed as {self._matched[form]} too")
        line = folder.ignore.verdict(file) if folder.ignore.matches(file) else None
        if line:
            return theirs.finding(pages.LEFT_OUT, f"{file} is left out: ignored ({line.origin})")
        if not is_page_name(file) or walk.is_candidate(folder, file):
            return None
        return theirs.finding(
            pages.LEFT_OUT, f"{file} is left out: no `include` pattern matches, or a link leads there"
        )
