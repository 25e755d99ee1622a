"""What `check` and `validate` found, to words: for a terminal and as JSON."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator

from ..commands.check import Checked
from ..config.settings import Settings
from ..linter import Finding, Rule, Severity
from ..model import Change, UrlChange
from .text import (
    UrlChanges,
    amounts,
    detected_lines,
    detected_shape,
    file_changes,
    file_lines,
    json_document,
    paint,
    plural,
    shown,
)

FEW = 20  # findings of one rule in one file, and URLs of one kind of change, that are shown
_SIGNS = {UrlChange.ADDED: ("+", "32"), UrlChange.REMOVED: ("-", "31"), UrlChange.CHANGED: ("~", "33")}
_COLORS = {Severity.ERROR: "31", Severity.WARNING: "33"}


class Findings:
    """Counts findings, and keeps the first of each rule in each file: all if `verbose`, at most `most`."""

    def __init__(self, *, verbose: bool, most: int = sys.maxsize) -> None:
        self.shown: list[Finding] = []
        self.files: list[tuple[str, int]] = []
        self._few = sys.maxsize if verbose else FEW
        self._most = most
        self._counts: Counter[tuple[str, str]] = Counter()
        self._severities: Counter[Severity] = Counter()

    def read(self, name: str, entries: int) -> None:
        """One more file has been read."""
        self.files.append((name, entries))

    def gather(self, findings: Iterable[Finding]) -> None:
        """Takes all findings in."""
        for finding in findings:
            self._severities[finding.severity] += 1
            self._counts[finding.file, finding.code] += 1
            if self._counts[finding.file, finding.code] <= self._few and len(self.shown) < self._most:
                self.shown.append(finding)

    @property
    def total(self) -> int:
        """How many findings there are."""
        return sum(self._severities.values())

    def fail(self, *, strict: bool) -> bool:
        """Whether there is an error or, if that is asked, a warning."""
        return bool(self._severities[Severity.ERROR] or (strict and self._severities[Severity.WARNING]))

    def text(self, *, color: bool, quiet: bool, strict: bool) -> Iterator[str]:
        """A line each, and what it amounts to; only what fails, if it is to be quiet."""
        for f in self.shown:
            if quiet and not strict and f.severity is Severity.WARNING:
                continue
            kind = paint(f"{f.code} {f.severity.value}", _COLORS[f.severity], color)
            yield f"{shown(f.file)}:{f.line}: {kind}: {shown(f.message)}"
        if quiet:
            return
        for (file, code), count in self.more():
            yield f"{shown(file)}: and {count:,} more {code}"
        if self.shown:
            code = self.shown[0].code if len({f.code for f in self.shown}) == 1 else "CODE"
            yield f"`sitemapper rule {code}` explains the rule and how to fix it"
        yield self.summary()

    def summary(self) -> str:
        """How many of what, in how many files."""
        counts = [plural(n, s.value) for s in Severity if (n := self._severities[s])]
        if not self.files:
            return ", ".join(counts) or "no fault found"
        urls = sum(entries for _, entries in self.files)
        return (
            f"{', '.join(counts) or 'no fault'} in {plural(len(self.files), 'file')}, {plural(urls, 'entry')}"
        )

    def json(self) -> str:
        """The documented shape, `"version": 1`."""
        shape = {
            "files": [{"name": shown(name), "entries": entries} for name, entries in self.files],
            "errors": self._severities[Severity.ERROR],
            "warnings": self._severities[Severity.WARNING],
            "findings": [
                f._asdict() | {"file": shown(f.file), "severity": f.severity.value} for f in self.shown
            ],
            "more": [{"file": shown(file), "code": code, "count": n} for (file, code), n in self.more()],
        }
        return json_document(shape)

    def worst_first(self) -> list[Finding]:
        """The findings that are kept, errors before warnings."""
        return sorted(self.shown, key=lambda f: list(Severity).index(f.severity))

    def more(self) -> Iterator[tuple[tuple[str, str], int]]:
        """What is counted and not kept, by file and rule."""
        yield from ((key, n - self._few) for key, n in self._counts.items() if n > self._few)


def place(name: str, settings: Settings) -> str:
    """A file of the output as seen from where the run began; the ledger is named like that already."""
    if settings.ledger_file and name == settings.display_path(settings.ledger_file):
        return name
    return settings.display_path(os.path.join(settings.output_dir, name)).replace(os.sep, "/")


def check_text(checked: Checked, changes: UrlChanges, *, color: bool, verbose: bool) -> Iterator[str]:
    """What a person reads after `check`: what a build would change."""
    summary = checked.summary
    yield paint(summary.sitemap, "1", color)
    yield from (f"  {line}" for line in detected_lines(summary, verbose=verbose))
    for change, (sign, code) in _SIGNS.items():
        lines = changes[change]
        for url, before, after in lines:
            dates = " -> ".join(date or "no date" for date in (before, after)) if before != after else ""
            suffix = f"  {dates if change is UrlChange.CHANGED else before or after}".rstrip()
            yield paint(shown(f"{sign} {url}{suffix}"), code, color)
        more = summary.changes[change] - len(lines)
        if more:
            yield f"{sign} and {more:,} more {change.value}"
    changed = tuple(file for file in summary.files if file.change is not Change.KEPT)
    for line in file_lines(changed, would=True, color=color, verbose=verbose):
        is_robots = line.endswith(" robots.txt")
        yield f"{line} with the line “Sitemap: {summary.sitemap}”" if is_robots else line
    for sentence in checked.missing:
        yield f"{paint('required:', '31', color)} {shown(sentence)}"
    if checked.is_same:
        yield f"  is what a build would write, {plural(summary.listed, 'page')} listed"
    else:
        yield "  differs from what a build would write now" if changed else "  lacks required pages"


def check_json(checked: Checked, changes: UrlChanges) -> str:
    """The same as JSON, `"version": 1`."""
    summary = checked.summary
    shape = {
        "same": checked.is_same,
        "site": summary.site,
        "sitemap": summary.sitemap,
        "detected": detected_shape(summary.detected),
        "listed": summary.listed,
        "previous": summary.previous,
        "changes": {
            change.value: [{"url": u, "before": b or None, "after": a or None} for u, b, a in changes[change]]
            for change in UrlChange
        },
        "files": file_changes(summary),
        "required": list(checked.missing),
    }
    return json_document(shape)


_OUT_OF_DATE = Rule(
    "out-of-date",
    """A file of the sitemap is out of date.

    Fix: run `sitemapper build`, and publish what it writes.
    """,
)
_REQUIRED = Rule(
    "required",
    """A required page is not listed.

    Fix: run `sitemapper explain` on it, or take it out of `required` under [check].
    """,
)
CHECKED = {rule.code: rule for rule in (_OUT_OF_DATE, _REQUIRED)}


def check_findings(checked: Checked, settings: Settings) -> Iterator[Finding]:
    """What `check` found, in the shape of what rules find."""
    main = place(settings.sitemap.name, settings)
    yield from (_REQUIRED.at(main, (1, message)) for message in checked.missing)
    counts = amounts(checked.summary.changes.items())
    for file in checked.summary.files:
        if file.change is not Change.KEPT:
            about = f" ({counts or 'no URL changes'})" if file.name != "robots.txt" else ""
            message = f"would be {file.change.value} by sitemapper build{about}"
            yield _OUT_OF_DATE.at(place(file.name, settings), (1, message))


def rule_page(rule: Rule, color: bool) -> str:
    """A rule's page."""
    title, _, rest = rule.manual.partition("\n")
    body = "\n".join(f"  {line}".rstrip() for line in rest.strip().splitlines())
    return f"{paint(rule.code, '1', color)}  {rule.severity.value}  {title}\n\n{body}"


def rule_list(rules: Iterable[Rule]) -> Iterator[str]:
    """A line for each rule."""
    for rule in rules:
        yield f"{rule.code}  {rule.severity.value:7}  {rule.title}"
