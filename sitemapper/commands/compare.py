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
from ..pipeline import evidence, run
from ..pipeline.observer import Observer
from ..pipeline.plan import Plan, make_plan
from ..site import walk
from ..syntax.dates import period
from ..syntax.html_files import is_page_name
from ..syntax.urls import relative_path, resolve

_DAY = 86_400
_OF_THE_SITEMAP = ("SM1", "SM203", "SM301", "SM303", "SM4")
_BY_REASON = {
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

    def at(self, rule: Rule, message: str) -> Finding:
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

    `read` is told each file of it and its entries. Holds its URLs in memory, some 500 bytes each. Raises
    SitemapperError for what a user can fix.
    """
    listener = listener or Observer()
    plan = make_plan(settings, now)._replace(overviews=listener.wants_folder_stats)
    listed: dict[str, ForeignEntry] = {}

    def on_entry(file: str, entry: Entry) -> None:
        if entry.node.name != "sitemap" and origin(entry.loc):
            listed.setdefault(_key(entry.loc, plan), ForeignEntry(entry.loc, entry.date, file, entry.line))

    seconds = int(now.timestamp())
    files: list[str] = []

    def on_file(name: str, entries: int) -> None:
        files.append(name)
        read(name, entries)

    found = validate([against], now=seconds, on_entry=on_entry, on_file=on_file)
    yield from (f for f in found if f.code.startswith(_OF_THE_SITEMAP))
    if all(os.path.basename(name) == "robots.txt" for name in files):
        raise SitemapperError(f"{against}: no sitemap found", "name a sitemap, or the folder where it lies")
    if listed and not any(_is_relative_path(theirs.loc, plan) for theirs in listed.values()):
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


def _is_relative_path(loc: str, plan: Plan) -> bool:
    return relative_path(resolve(loc.partition("?")[0], loc) or "", plan.settings.base_url) is not None


class _Comparison:
    """One walk of the site against what the other sitemap lists.

    What fits goes at once; what is left is looked at again at the end, when it is known which URLs
    belong to other pages.
    """

    def __init__(self, plan: Plan, listed: dict[str, ForeignEntry], against: str, listener: Observer) -> None:
        self._plan = plan
        self._left = listed
        self._against = against
        self._listener = listener
        self._found: dict[str, str] = {}  # key: URL
        self._unlisted: dict[str, str] = {}
        self._out: dict[str, Excluded] = {}

    def findings(self) -> Iterator[Finding]:
        """All of them: dates on the way, the rest in the order of the other sitemap."""
        with (
            evidence.live_ledger(self._plan.settings) as (settings, _),
            evidence.open_evidence(settings, self._plan.date_policy.writer) as known,
        ):
            for chunk in run.chunks(self._plan, known):
                for part in chunk.parts:
                    if part.stream.format == "xml" and part.stream.section != RECENT:
                        yield from self._ours(part.data.splitlines())
                run.notify(chunk, self._listener)
                for excluded in chunk.excluded:
                    self._remember(excluded)
        wrong = (self._wrong(key, theirs) for key, theirs in self._left.items())
        yield from (finding for finding in wrong if finding)

    def unlisted(self) -> Iterator[Finding]:
        """The pages that the other sitemap lacks; asked for last."""
        for loc in self._unlisted.values():
            yield pages.UNLISTED.at(self._against, (1, f"{loc}: can be indexed, and is not listed"))

    def _ours(self, rows: Iterable[bytes]) -> Iterator[Finding]:
        for row in rows:
            loc, date = changes.entry(row)
            key = _key(loc, self._plan)
            theirs = self._left.pop(key, None)
            if theirs is None:
                self._unlisted[key] = loc
                continue
            self._found[key] = loc
            if resolve(theirs.loc, loc) != loc:
                yield theirs.at(pages.OTHER_FORM, f"the site's own form is {loc}")
            yield from self._date(theirs, date)

    def _date(self, theirs: ForeignEntry, ours: str) -> Iterator[Finding]:
        """A day apart is no disagreement: dates have no zones."""
        said, known = period(theirs.date), period(ours)
        if said is None or known is None:
            return
        if said[0] > known[1] + _DAY:
            yield theirs.at(pages.WRONG_DATE, f"lastmod {theirs.date}, but it last changed on {ours}")
        # A file may be written anew without a change, so that its time tells only the latest one possible.
        elif said[1] < known[0] - _DAY and "mtime" not in self._plan.date_policy.sources:
            yield theirs.at(pages.WRONG_DATE, f"lastmod {theirs.date}, but it changed again on {ours}")

    def _remember(self, excluded: Excluded) -> None:
        is_url = "://" in excluded.path  # one of `extra`
        forms = (
            [_key(excluded.path, self._plan)]
            if is_url
            else self._plan.policy.locator.served_paths(excluded.path)
        )
        for form in forms:
            if form in self._left:
                self._out[form] = excluded

    def _wrong(self, key: str, theirs: ForeignEntry) -> Finding | None:
        """Why a URL is listed in vain; None where it is not, as for files that are no pages."""
        if key in self._out:
            out = self._out[key]
            fault = _BY_REASON.get(out.reason, pages.LEFT_OUT)
            return theirs.at(fault, f"{out.path} is left out: {out.reason.value} ({out.origin})")
        folder = self._plan.root
        plain = _key(theirs.loc.partition("?")[0], self._plan)
        file = None if "://" in plain else walk.file_for_url_path(folder, plain)
        if file is None:
            return theirs.at(pages.NO_PAGE, "no page of the site has this URL")
        for form in self._plan.policy.locator.served_paths(file):
            if form in self._unlisted:
                return theirs.at(pages.OTHER_FORM, f"the site's own form is {self._unlisted.pop(form)}")
            if form in self._found:
                return theirs.at(pages.OTHER_FORM, f"is listed as {self._found[form]} too")
        line = folder.ignore.verdict(file) if folder.ignore.matches(file) else None
        if line:
            return theirs.at(pages.LEFT_OUT, f"{file} is left out: ignored ({line.origin})")
        if not is_page_name(file) or walk.is_candidate(folder, file):
            return None
        return theirs.at(
            pages.LEFT_OUT, f"{file} is left out: no `include` pattern matches, or a link leads there"
        )
