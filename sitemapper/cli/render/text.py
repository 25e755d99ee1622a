"""Results as text, for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from ...messages import Kind
from ...model import Change, Excluded, Fate, FileChange, Reason, Summary, UrlChange
from ..console import BOLD, COLORS, DIM, GREEN, RED, YELLOW, paint
from ..text import FEW, amounts, plural, shown
from ..words import FORM, count_by_fate, describe, of_fate

if TYPE_CHECKING:
    from ...linter import Finding
    from ..findings import Findings
    from ..run import ChangedUrl, ObservedRun

_MAX_FILES = 12  # with the same change; a site of 600,000 pages has as many
_FILES = {Change.CREATED: GREEN, Change.UPDATED: YELLOW, Change.REMOVED: RED, Change.KEPT: DIM}
_FATES = {Fate.LOST: RED, Fate.MOVED: YELLOW}
_SIGNS = {
    UrlChange.ADDED: ("+", GREEN),
    UrlChange.REMOVED: ("-", RED),
    UrlChange.CHANGED: ("~", YELLOW),
}


def run(run: ObservedRun, color: bool) -> Iterator[str]:
    """Yields the summary of a build or a check as lines: numbers of pages, files, result.

    A check or a dry run also shows the first URLs that a build would change, and URLs that are
    gone. A build shows these with --verbose only.
    """
    yield paint(run.summary.sitemap, BOLD, color)
    for line in _counts(run):
        yield f"  {line}"
    if run.is_dry:
        yield from _change_lines(run, color)
    if run.is_dry or run.options.verbose:
        yield from _gone_lines(run, color)
    for line in _file_lines(run, color):
        yield f"  {line}"
    for sentence in run.missing or ():
        yield f"{paint('required:', RED, color)} {shown(sentence)}"
    yield f"  {_result(run)}, {run.seconds:.2f} s"


def _change_lines(run: ObservedRun, color: bool) -> Iterator[str]:
    """Yields the first URLs of each kind of change, `+ https://a.example/b  2024-05-02`.

    The number of the others follows: `+ and 80 more added`.
    """
    for change, (sign, code) in _SIGNS.items():
        changed = run.changes[change]
        for url in changed:
            line = f"{sign} {url.url}  {_dates(change, url)}".rstrip()
            yield paint(shown(line), code, color)
        others = run.summary.changes[change] - len(changed)
        if others:
            yield f"{sign} and {others:,} more {change.value}"


def _dates(change: UrlChange, url: ChangedUrl) -> str:
    """The date of a URL that was added or removed, "" if it has none.

    For a changed URL, both dates: `2024-01-01 -> 2024-05-02`, or `no date -> 2024-05-02`.
    """
    if change is not UrlChange.CHANGED:
        return url.before or url.after  # only one of them is there
    if url.before == url.after:  # something else changed
        return ""
    return f"{url.before or 'no date'} -> {url.after or 'no date'}"


def _result(run: ObservedRun) -> str:
    """The last line: what the build did, such as "published", or what the check found.

    With `--against` or an earlier sitemap elsewhere, a check names what it compared with.
    """
    other = run.summary.compared_with
    if run.is_check and other:
        differs = any(run.summary.changes.values())
        return f"differs from {other}" if differs else f"has the URLs and dates of {other}"
    if run.is_check:
        if run.is_changed:
            return "differs from what a build would write now"
        return "lacks required pages" if run.missing else "is what a build would write"
    if run.is_dry:
        return "nothing was written (--dry-run)"
    return "published" if run.is_changed else "nothing to do"


def _counts(run: ObservedRun) -> Iterator[str]:
    """Yields a line for each number of pages: listed, changed, gone, excluded and dated.

    The base URL comes first, if it was detected. With --verbose, so do other detected settings, and
    each reason has examples.
    """
    summary = run.summary
    for found in summary.detected:
        if run.options.verbose or found.key == "base_url":
            yield shown(str(found))
    yield _listed(summary)
    if summary.compared_with:
        changed = amounts(summary.changes.items()) or "nothing changed"
        yield f"{changed} since {summary.compared_with}"
    yield from _gone(run)
    excluded = amounts(summary.excluded.items())
    if excluded:
        yield f"{sum(summary.excluded.values()):,} excluded ({excluded})"
    if summary.pruned and run.options.verbose:
        yield f"{plural(summary.pruned, 'ignored folder')} not searched"
    if run.options.verbose:
        yield from _examples(run)
    yield from _dated(summary)


def _listed(summary: Summary) -> str:
    """`12 pages listed, 2 added`; without the changes if they are all or have their own line."""
    listed = f"{plural(summary.listed, 'page')} listed"
    is_first_build = summary.previous is None
    if is_first_build or summary.compared_with:
        return listed
    changes = amounts(summary.changes.items())
    return f"{listed}, {changes}" if changes else listed


def _gone(run: ObservedRun) -> Iterator[str]:
    """Yields the number of published URLs that are gone: `3 URLs gone: 2 lost, 1 redirected`.

    URLs whose page has another URL form now follow on their own line: `5 URLs in another form`.
    """
    counts = count_by_fate(run.summary.gone)
    gone = {name: count for name, count in counts.items() if name != FORM}
    hint = "" if run.is_dry or run.options.verbose else " (-v lists them)"
    if gone:
        yield f"{plural(sum(gone.values()), 'URL')} gone: {amounts(gone.items())}{hint}"
    if FORM in counts:
        yield f"{plural(counts[FORM], 'URL')} {FORM}{hint}"


def _gone_lines(run: ObservedRun, color: bool) -> Iterator[str]:
    """Yields the first published URLs of each fate, `lost: https://a.example/b`.

    The number of the others follows: `lost: and 12 more`. With --verbose, all are shown.
    """
    for name, count in count_by_fate(run.summary.gone).items():
        most = count if run.options.verbose else FEW
        for gone in islice(of_fate(run.summary.gone, name), most):
            yield paint(shown(f"{name}: {describe(gone)}"), _FATES.get(gone.fate, DIM), color)
        if count > most:
            yield f"{name}: and {count - most:,} more"


def _dated(summary: Summary) -> Iterator[str]:
    """Yields `12 dated by git`, or `12 dated (11 ledger, 1 mtime)`, or `no page has a date`.

    Yields nothing if no dates are wanted.
    """
    if not summary.dated:  # no source of dates is set
        return
    dated = sum(summary.dated.values())
    if not dated:
        # If the cause is known, a note has it, and says that there are no dates.
        is_noted = any(note.kind is Kind.UNDATED for note in summary.notes)
        if summary.listed and not is_noted:
            yield "no page has a date"
        return
    sources = [source for source, count in summary.dated.items() if count]
    if len(sources) == 1:
        yield f"{dated:,} dated by {sources[0]}"
    else:
        yield f"{dated:,} dated ({amounts(summary.dated.items())})"


def _examples(run: ObservedRun) -> Iterator[str]:
    """Yields examples of the pages that each reason excludes, as `noindex: a.html (a.html:3)`.

    Then the cross-posts, and the patterns of the user that had no effect.
    """
    for reason in Reason:
        for page in run.examples.get(reason, ()):
            yield f"  {reason.value}: {_decision(page)}"
    count, sites = run.summary.cross_posts
    if count:
        yield f"{plural(count, 'canonical')} on another site: {shown(', '.join(sites))}"
    for pattern in run.summary.unmatched:
        yield f"no page matches, or another line decides: {shown(pattern)}"


def _decision(page: Excluded) -> str:
    """A page and the line that decided: `a.html (robots.txt:2)`, or `a.html:3` for its own line."""
    origin = shown(str(page.origin))
    if page.origin.source == page.path:  # the origin names the page already
        return origin
    return f"{shown(page.path)} ({origin})"


def _file_lines(run: ObservedRun, color: bool) -> Iterator[str]:
    """Yields a line for each file that the run creates, updates, removes or keeps.

    Of more than 12 files with the same change, the first 10 are shown, then `and 30 more kept`.
    """
    for change in Change:
        group = [file for file in run.summary.files if file.change is change]
        shows_all = run.options.verbose or len(group) <= _MAX_FILES
        # Two less than the limit: the line for the others counts three or more, so it saves lines.
        first = group if shows_all else group[: _MAX_FILES - 2]
        for file in first:
            yield _file_line(file, run, color)
        others = len(group) - len(first)
        if others:
            yield f"         and {others} more {change.value}"


def _file_line(file: FileChange, run: ObservedRun, color: bool) -> str:
    """`created  sitemap.xml  12 URLs`, or `replaced sitemap.xml  65 URLs (Hugo's: 66)`.

    For a check or a dry run: `would be created sitemap.xml  12 URLs`.
    """
    word = file.change.value
    former = _describe_replaced(file, run)
    if former and file.change is Change.UPDATED:
        word = "replaced"
    content = f"  {plural(file.urls, 'URL')}" if file.urls is not None else ""
    if run.is_dry and file.change is not Change.KEPT:
        word = f"would be {word}"
        if file.name == "robots.txt":
            content = f" with the line “Sitemap: {run.summary.sitemap}”"
    return f"{paint(f'{word:8}', _FILES[file.change], color)} {file.name}{content}{former}"


def _describe_replaced(file: FileChange, run: ObservedRun) -> str:
    """What a file replaces: ` (Hugo's: 66)` for a sitemap of Hugo with 66 URLs.

    ` (was Hugo's)` if their number is not known, "" if the file replaces none of another tool.
    """
    for note in run.summary.notes:
        if note.kind is Kind.REPLACED_SITEMAP and note.subjects[1] == file.name:
            generator = note.subjects[0]
            has_number = note.cases > 1
            return f" ({generator}'s: {note.cases:,})" if has_number else f" (was {generator}'s)"
    return ""


def findings(findings: Findings, color: bool) -> Iterator[str]:
    """The findings as lines, then the command that explains rules, and the totals.

    With `--quiet`, there are only the findings that fail the command.
    """
    is_quiet = findings.options.quiet
    for finding in findings.shown:
        if not is_quiet or findings.fails(finding.severity):
            yield _finding_line(finding, color)
    if is_quiet:
        return
    for others in findings.others():
        yield f"{shown(others.file)}: and {others.amount:,} more {others.code}"
    codes = {finding.code for finding in findings.shown}
    if codes:
        code = codes.pop() if len(codes) == 1 else "CODE"
        yield f"`sitemapper rule {code}` explains the rule and how to fix it"
    yield findings.summary()
    if findings.settings:
        yield "To list what the host shows, write into sitemapper.toml, above the first table:"
        yield from map(shown, findings.settings)


def _finding_line(finding: Finding, color: bool) -> str:
    """`s.xml:3: SM203 error: lastmod 'tomorrow' is not a W3C Datetime`."""
    severity = finding.severity.value
    rule = paint(f"{finding.code} {severity}", COLORS[severity], color)
    return f"{shown(finding.file)}:{finding.line}: {rule}: {shown(finding.message)}"
