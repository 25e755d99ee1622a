"""The result of a build or a check, for the formats that show it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ..find.settle import Setup
from ..model import Change, Excluded, Fate, Reason, Summary, UrlChange
from ..observer import Observer
from ..tally import EXAMPLES
from .gone import describe_with_remedy
from .options import STDOUT, RunOptions
from .render import TABLE, renderer
from .words import FEW, amounts, emit, use_color

if TYPE_CHECKING:
    from .findings import Findings


class ChangedUrl(NamedTuple):
    """A URL that a run adds, changes or removes, with both dates, "" for none."""

    url: str
    before: str
    after: str


class Examples(Observer):
    """The first changed URLs of each kind, and the first pages that each reason excludes."""

    def __init__(self, options: RunOptions, *, is_dry: bool) -> None:
        self.changes: dict[UrlChange, list[ChangedUrl]] = {change: [] for change in UrlChange}
        self.excluded_pages: dict[Reason, list[Excluded]] = {}
        self._most_changes = _most_changes(options, is_dry=is_dry)
        self.wants_changes = self._most_changes > 0

    def excluded(self, excluded: Excluded) -> None:
        """Keeps the first pages of each reason."""
        pages = self.excluded_pages.setdefault(excluded.reason, [])
        if len(pages) < EXAMPLES:
            pages.append(excluded)

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """Keeps the first URLs of each kind."""
        urls = self.changes[change]
        if len(urls) < self._most_changes:
            urls.append(ChangedUrl(url, before, after))


def _most_changes(options: RunOptions, *, is_dry: bool) -> int:
    """The number of changed URLs of each kind that the format shows."""
    if options.format == "github":
        return EXAMPLES
    if options.format == "json":
        return sys.maxsize
    if not is_dry:
        return 0
    return sys.maxsize if options.verbose else FEW


class Result(NamedTuple):
    """The result of a build or a check.

    `changes` are the first changed URLs of each kind, and `examples` the first pages that each
    reason excludes. `missing` and `is_same` are results of a check, None for a build.
    """

    command: str
    options: RunOptions
    setup: Setup
    is_dry: bool
    summary: Summary
    seconds: float
    changes: Mapping[UrlChange, Sequence[ChangedUrl]]
    examples: Mapping[Reason, Sequence[Excluded]]
    missing: tuple[str, ...] | None = None
    is_same: bool | None = None

    @property
    def is_check(self) -> bool:
        """Whether this is the result of a check, not of a build."""
        return self.missing is not None

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes to print. A build names lines that are not read with --verbose only."""
        summary = self.summary
        if summary.unread and (self.is_check or self.options.verbose):
            return (*summary.notes, summary.unread)
        return summary.notes

    @property
    def is_changed(self) -> bool:
        """Whether any file changes."""
        return any(file.change is not Change.KEPT for file in self.summary.files)

    def output_file(self, name: str) -> str:
        """A file of the output, as seen from the working directory."""
        site = self.setup.site
        run = self.setup.run
        # The ledger may be outside of the output, so a summary names it in this way already.
        if site.ledger and name == run.display(site.ledger):
            return name
        return run.display(site.output.path(name)).replace(os.sep, "/")

    def print(self) -> None:
        """Prints the result, to stderr if the sitemap or the redirects go to stdout."""
        options = self.options
        if options.format not in TABLE["run"]:
            self.findings().print()
            return
        is_to_stderr = STDOUT in (options.output, options.redirects)
        stream = sys.stderr if is_to_stderr else sys.stdout
        show = renderer("run", options.format)
        emit(show(self, use_color(options.color, stream)), err=is_to_stderr)

    def findings(self, *, with_gone: bool = True) -> Findings:
        """The findings of `check`: required pages that are not listed, published URLs that are lost
        or have moved, and files out of date.
        """
        # Imported here: a build needs no rules.
        from ..linter.rules.pages import LOST, MOVED, OUT_OF_DATE, REQUIRED
        from .findings import Findings

        findings = Findings("check", replace(self.options, verbose=True))  # keeps all of them
        sitemap = self.output_file(self.setup.site.output.name)
        findings.gather(REQUIRED.at(sitemap, 1, message) for message in self.missing or ())
        if with_gone:
            rules = {Fate.LOST: LOST, Fate.MOVED: MOVED}
            for gone in self.summary.gone:
                if gone.fate in rules:
                    findings.gather([rules[gone.fate].at(sitemap, 1, describe_with_remedy(gone))])
        counts = amounts(self.summary.changes.items()) or "no URL changes"
        other = self.summary.compared_with
        if other and any(self.summary.changes.values()):
            findings.gather([OUT_OF_DATE.at(sitemap, 1, f"differs from {other} ({counts})")])
        if other:
            return findings
        for file in self.summary.files:
            if file.change is Change.KEPT:
                continue
            message = f"would be {file.change.value} by sitemapper build"
            if file.name != "robots.txt":
                message = f"{message} ({counts})"
            findings.gather([OUT_OF_DATE.at(self.output_file(file.name), 1, message)])
        return findings
