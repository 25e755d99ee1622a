"""Results as text, for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from ...model import Change, Reason, UrlChange
from ..words import KINDS, amounts, paint, plural, shown

if TYPE_CHECKING:
    from ...linter import Finding
    from ..findings import Findings
    from ..result import Result

_MANY_FILES = 12
_WIDTH = 100  # columns of a finding
_COLORS = {Change.CREATED: "32", Change.UPDATED: "33", Change.REMOVED: "31", Change.KEPT: "2"}
_SIGNS = {
    UrlChange.ADDED: ("+", "32"),
    UrlChange.REMOVED: ("-", "31"),
    UrlChange.CHANGED: ("~", "33"),
}


def run(result: Result, color: bool) -> Iterator[str]:
    """The summary of a build. For a dry run, also the URLs that it would change."""
    summary = result.summary
    yield paint(summary.sitemap, "1", color)
    yield from (f"  {line}" for line in _counts(result))
    if result.is_dry:
        yield from _change_lines(result, color)
    yield from (f"  {line}" for line in _file_lines(result, color))
    for sentence in result.missing or ():
        yield f"{paint('required:', '31', color)} {shown(sentence)}"
    yield f"  {_verdict(result)}, {result.seconds:.2f} s"


def _change_lines(result: Result, color: bool) -> Iterator[str]:
    for change, (sign, code) in _SIGNS.items():
        for url, before, after in result.changes[change]:
            dates = before or after
            if change is UrlChange.CHANGED:
                dates = f"{before or 'no date'} -> {after or 'no date'}" if before != after else ""
            suffix = f"  {dates}".rstrip()
            yield paint(shown(f"{sign} {url}{suffix}"), code, color)
        if more := result.summary.changes[change] - len(result.changes[change]):
            yield f"{sign} and {more:,} more {change.value}"


def _verdict(result: Result) -> str:
    is_changed = any(file.change is not Change.KEPT for file in result.summary.files)
    if result.missing is None:  # of a build
        done = "published" if is_changed else "nothing to do"
        return "nothing was written (--dry-run)" if result.is_dry else done
    same = "lacks required pages" if result.missing else "is what a build would write"
    return "differs from what a build would write now" if is_changed else same


def _counts(result: Result) -> Iterator[str]:
    """The numbers of pages detected, listed, excluded and dated."""
    summary = result.summary
    for found in summary.detected:
        if result.options.verbose or found.key == "base_url":
            yield shown(str(found))
    changes = {} if summary.previous is None else summary.changes
    yield ", ".join(
        filter(None, (f"{plural(summary.listed, 'page')} listed", amounts(changes.items())))
    )
    if counts := amounts(summary.excluded.items()):
        yield f"{sum(summary.excluded.values()):,} excluded ({counts})"
    if summary.pruned:
        were = "was" if summary.pruned == 1 else "were"
        yield f"{plural(summary.pruned, 'ignored folder')} {were} not searched"
    if result.options.verbose:
        yield from _examples(result)
    dated = sum(summary.dated.values())
    if summary.dated and not dated and summary.listed:
        yield f"no page got a date from {', '.join(summary.dated)}"
    elif dated and (
        len(summary.dated) > 1 or dated < summary.listed
    ):  # otherwise one source dated them all
        yield f"{dated:,} dated ({amounts(summary.dated.items())})"


def _examples(result: Result) -> Iterator[str]:
    """Examples of the pages that each reason excludes, and of files with misleading names."""
    # Imported here: only --verbose needs it.
    from ...site.lookalikes import count_lookalikes
    from ...site.walk import folder

    for reason in Reason:
        for page in result.examples.get(reason, ()):
            path, origin = shown(page.path), shown(str(page.origin))
            yield (
                f"  {reason.value}: "
                f"{origin if page.origin.source == page.path else f'{path} ({origin})'}"
            )
    settings = result.settings
    unlisted, listed = count_lookalikes(
        folder(settings.site, settings.ignore_lines, settings.include)
    )
    groups = {"like pages, but not listed": unlisted, "unlike pages, but HTML": listed}
    parts = [
        f"{what}: {', '.join(plural(n, noun) for noun, n in sorted(counts.items()))}"
        for what, counts in groups.items()
        if counts
    ]
    if parts:
        yield f"named {'; '.join(parts)}"


def _file_lines(result: Result, color: bool) -> Iterator[str]:
    """What happens, or would happen, to each file."""
    for change in Change:
        group = [f for f in result.summary.files if f.change is change]
        is_whole = result.options.verbose or len(group) <= _MANY_FILES
        would = result.is_dry and change is not Change.KEPT
        for file in group if is_whole else group[: _MANY_FILES - 2]:
            about = f"  {plural(file.urls, 'URL')}" if file.urls is not None else ""
            if would and file.name == "robots.txt":
                about = f" with the line “Sitemap: {result.summary.sitemap}”"
            word = f"{'would be ' if would else ''}{change.value}"
            yield f"{paint(f'{word:8}', _COLORS[change], color)} {file.name}{about}"
        if not is_whole:
            yield f"         and {len(group) - _MANY_FILES + 2} more {change.value}"


def findings(findings: Findings, color: bool) -> Iterator[str]:
    """A line for each finding, and the totals.

    With `quiet`, only findings that fail the command.
    """
    is_quiet = findings.options.quiet
    kept = [f for f in findings.shown if not is_quiet or findings.fails(f.severity)]
    if findings.command == "check":
        yield from _by_rule(findings, kept, color)
    else:
        yield from (
            f"{shown(f.file)}:{f.line}: {_rule(f, color)}: {shown(f.message)}" for f in kept
        )
    if is_quiet:
        return
    for (file, code), count in findings.more() if findings.command != "check" else ():
        yield f"{shown(file)}: and {count:,} more {code}"
    if findings.shown:
        code = findings.shown[0].code if len({f.code for f in findings.shown}) == 1 else "CODE"
        yield f"`sitemapper rule {code}` explains the rule and how to fix it"
    yield findings.summary()


def _rule(finding: Finding, color: bool) -> str:
    severity = finding.severity.value
    return paint(f"{finding.code} {severity}", KINDS[severity], color)


def _by_rule(findings: Findings, kept: Iterable[Finding], color: bool) -> Iterator[str]:
    """The rules with their totals and findings. Long findings continue on a second line.

    URLs are shown without the base URL, and with … for the folder of the first.
    """
    # Imported here: a build needs no rules.
    from ...linter import rule_of

    for code, group in groupby(sorted(kept, key=lambda f: f.code), key=lambda f: f.code):
        of_rule = list(group)
        total = findings.count(code)
        yield f"{_rule(of_rule[0], color)}, {plural(total, 'URL')}: {rule_of(code).title}"
        for f in of_rule:
            url, colon, what = shown(f.message).partition(": ")
            path = url.removeprefix(findings.base)
            folder = path[: path.rfind("/", 0, -1) + 1]
            if folder and path != url:
                what = what.replace(findings.base + folder, "…/")
            start = f"  {shown(f.file)}:{f.line}: {path or url}{colon.rstrip()}"
            is_long = what and len(f"{start} {what}") > _WIDTH
            yield f"{start}\n    {what}" if is_long else f"{start} {what}".rstrip()
        if total > len(of_rule):
            yield f"  and {total - len(of_rule):,} more"
