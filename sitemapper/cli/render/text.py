"""Results for a person, on a terminal or in a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from ...model import Excluded, Reason
from ...summary import Change, Summary, UrlChange
from ..words import amounts, paint, plural, shown
from . import View

if TYPE_CHECKING:
    from ...linter import Finding
    from ..findings import Findings
    from ..run import RunResult

_MANY_FILES = 12
_WIDTH = 100  # columns of a finding
_COLORS = {Change.CREATED: "32", Change.UPDATED: "33", Change.REMOVED: "31", Change.KEPT: "2"}
_SIGNS = {UrlChange.ADDED: ("+", "32"), UrlChange.REMOVED: ("-", "31"), UrlChange.CHANGED: ("~", "33")}
_SEVERITIES = {"error": "31", "warning": "33"}


def run(result: RunResult, view: View) -> Iterator[str]:
    """The summary of a build or of a dry one, which also names the URLs that it would change."""
    summary = result.summary
    yield paint(summary.sitemap, "1", view.color)
    yield from (f"  {line}" for line in _counts(result, view))
    if result.is_dry:
        yield from _url_changes(result, view)
    yield from (f"  {line}" for line in _file_lines(result, view))
    for sentence in result.missing or ():
        yield f"{paint('required:', '31', view.color)} {shown(sentence)}"
    yield f"  {_verdict(result)}, {result.seconds:.2f} s"


def _verdict(result: RunResult) -> str:
    is_changed = any(file.change is not Change.KEPT for file in result.summary.files)
    if result.missing is not None:
        otherwise = "lacks required pages" if result.missing else "is what a build would write"
        return "differs from what a build would write now" if is_changed else otherwise
    if result.is_dry:
        return "nothing was written (--dry-run)"
    return "published" if is_changed else "nothing to do"


def _counts(result: RunResult, view: View) -> Iterator[str]:
    """What was detected, listed, excluded and dated."""
    summary = result.summary
    for found in summary.detected:
        if view.verbose or found.key == "base_url":
            yield shown(str(found))
    changes = {} if summary.previous is None else summary.changes
    yield ", ".join(filter(None, (f"{plural(summary.listed, 'page')} listed", amounts(changes.items()))))
    yield from _excluded(result, view)
    names = result.lookalikes or ()
    looks = zip(("like pages, but not listed", "like no pages, but HTML"), names, strict=False)
    counted = (
        (what, ", ".join(plural(n, noun) for noun, n in sorted(counts.items()))) for what, counts in looks
    )
    if parts := [f"{what}: {count}" for what, count in counted if count]:
        yield f"named {'; '.join(parts)}"
    yield from _dates(summary)


def _excluded(result: RunResult, view: View) -> Iterator[str]:
    """How many pages each reason excludes, and examples."""
    summary = result.summary
    counts = amounts(summary.excluded.items())
    if counts:
        yield f"{sum(summary.excluded.values()):,} excluded ({counts})"
    if summary.pruned:
        were = "was" if summary.pruned == 1 else "were"
        yield f"{plural(summary.pruned, 'ignored folder')} {were} not searched"
    for reason in Reason if view.verbose else ():
        yield from (f"  {reason.value}: {_decided(page)}" for page in result.examples.get(reason, ()))


def _decided(page: Excluded) -> str:
    """The page, and the line that decided."""
    path, origin = shown(page.path), shown(str(page.origin))
    return origin if page.origin.source == page.path else f"{path} ({origin})"


def _dates(summary: Summary) -> Iterator[str]:
    """How many pages have a date, unless one source dated them all."""
    total = sum(summary.dated.values())
    if summary.dated and not total and summary.listed:
        yield f"no page got a date from {', '.join(summary.dated)}"
    elif len(summary.dated) > 1 or 0 < total < summary.listed:
        yield f"{total:,} dated ({amounts(summary.dated.items())})"


def _url_changes(result: RunResult, view: View) -> Iterator[str]:
    """The first changed URLs of each kind, and how many more there are."""
    for change, (sign, code) in _SIGNS.items():
        for url, before, after in result.changes[change]:
            dates = " -> ".join(date or "no date" for date in (before, after)) if before != after else ""
            suffix = f"  {dates if change is UrlChange.CHANGED else before or after}".rstrip()
            yield paint(shown(f"{sign} {url}{suffix}"), code, view.color)
        if more := result.summary.changes[change] - len(result.changes[change]):
            yield f"{sign} and {more:,} more {change.value}"


def _file_lines(result: RunResult, view: View) -> Iterator[str]:
    """What becomes, or would become, of each file."""
    for change in Change:
        group = [f for f in result.summary.files if f.change is change]
        is_whole = view.verbose or len(group) <= _MANY_FILES
        would = result.is_dry and change is not Change.KEPT
        for file in group if is_whole else group[: _MANY_FILES - 2]:
            about = f"  {plural(file.urls, 'URL')}" if file.urls is not None else ""
            if would and file.name == "robots.txt":
                about = f" with the line “Sitemap: {result.summary.sitemap}”"
            word = f"{'would be ' if would else ''}{change.value}"
            yield f"{paint(f'{word:8}', _COLORS[change], view.color)} {file.name}{about}"
        if not is_whole:
            yield f"         and {len(group) - _MANY_FILES + 2} more {change.value}"


def findings(findings: Findings, view: View) -> Iterator[str]:
    """A line for each finding, and the totals; if quiet, only what fails."""
    is_short = view.quiet and not view.strict
    kept = [f for f in findings.shown if not (is_short and f.severity.value == "warning")]
    if view.command == "check":
        yield from _by_rule(findings, kept, view)
    else:
        yield from (f"{_place(f)}: {_rule(f, view)}: {shown(f.message)}" for f in kept)
    if view.quiet:
        return
    for (file, code), count in findings.more() if view.command != "check" else ():
        yield f"{shown(file)}: and {count:,} more {code}"
    if findings.shown:
        code = findings.shown[0].code if len({f.code for f in findings.shown}) == 1 else "CODE"
        yield f"`sitemapper rule {code}` explains the rule and how to fix it"
    yield findings.summary()


def _place(finding: Finding) -> str:
    return f"{shown(finding.file)}:{finding.line}"


def _rule(finding: Finding, view: View) -> str:
    severity = finding.severity.value
    return paint(f"{finding.code} {severity}", _SEVERITIES[severity], view.color)


def _by_rule(findings: Findings, kept: Iterable[Finding], view: View) -> Iterator[str]:
    """The rules with their totals, each with its findings; a long one goes on in a second line."""
    # Imported here: a build needs no rules.
    from ...linter import rule_of

    for code, group in groupby(sorted(kept, key=lambda f: f.code), key=lambda f: f.code):
        of_rule = list(group)
        total = findings.count(code)
        yield f"{_rule(of_rule[0], view)}, {plural(total, 'URL')}: {rule_of(code).title}"
        for f in of_rule:
            place, (url, what) = _place(f), _short(shown(f.message), view.base)
            is_long = len(f"  {place}: {url}: {what}") > _WIDTH
            yield f"  {place}: {url}:" if is_long else f"  {place}: {url}: {what}"
            yield from [f"    {what}"] * is_long
        if total > len(of_rule):
            yield f"  and {total - len(of_rule):,} more"


def _short(message: str, base: str) -> tuple[str, str]:
    """The URL of a message without the base URL, and the rest, with … for the folder of the URL."""
    url, _, what = message.partition(": ")
    path = url.removeprefix(base)
    folder = path[: path.rfind("/", 0, -1) + 1]
    return path or url, what.replace(base + folder, "…/") if folder and path != url else what
