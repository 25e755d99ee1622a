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


def run(observed: ObservedRun, color: bool) -> Iterator[str]:
    """Yields the result of a build or a check as lines of text.

    These are the URL of the sitemap, the numbers of pages, the changed URLs, the URLs that are
    gone, the files, the required pages that are not listed, and a last line such as
    `published, 0.31 s`. Only a check or a dry run shows changed URLs. A build shows the URLs that
    are gone with `--verbose` only.
    """
    yield paint(observed.summary.sitemap, BOLD, color)
    for line in _counts(observed):
        yield f"  {line}"
    if observed.is_dry:
        yield from _change_lines(observed, color)
    if observed.is_dry or observed.options.verbose:
        yield from _gone_lines(observed, color)
    for line in _file_lines(observed, color):
        yield f"  {line}"
    for sentence in observed.missing:
        yield f"{paint('required:', RED, color)} {shown(sentence)}"
    yield f"  {_result(observed)}, {observed.seconds:.2f} s"


def _change_lines(run: ObservedRun, color: bool) -> Iterator[str]:
    """Yields a line for each changed URL that was kept: `+ https://a.example/b  2024-05-02`.

    The run keeps the first 20 of each kind, or all with `--verbose`. The number of the others
    follows: `+ and 80 more added`.
    """
    for change, (sign, color_code) in _SIGNS.items():
        kept = run.changes[change]
        for changed in kept:
            line = f"{sign} {changed.url}  {_dates(change, changed)}".rstrip()
            yield paint(shown(line), color_code, color)
        others = run.summary.changes[change] - len(kept)
        if others:
            yield f"{sign} and {others:,} more {change.value}"


def _dates(change: UrlChange, changed: ChangedUrl) -> str:
    """Writes the dates of a changed URL, as its line in the result shows them.

    - added or removed: its date `2024-05-02`, or "" if it has none
    - its date changed: `2024-01-01 -> 2024-05-02`, or `no date -> 2024-05-02`
    - something else changed, such as its images: ""
    """
    if change is not UrlChange.CHANGED:
        return changed.before or changed.after  # an added URL has no date before the run
    if changed.before == changed.after:
        return ""
    return f"{changed.before or 'no date'} -> {changed.after or 'no date'}"


def _result(run: ObservedRun) -> str:
    """Says in the last line what the build did, such as "published", or what the check found.

    A check may compare with a sitemap elsewhere, such as that of the live site. Then the line names
    this sitemap: `differs from https://a.example/sitemap.xml`.
    """
    other_sitemap = run.summary.compared_with  # "" if the check compared with the output folder
    if run.is_check and other_sitemap:
        if any(run.summary.changes.values()):
            return f"differs from {other_sitemap}"
        return f"has the URLs and dates of {other_sitemap}"
    if run.is_check:
        if run.is_changed:
            return "differs from what a build would write now"
        return "lacks required pages" if run.missing else "is what a build would write"
    if run.is_dry:
        return "nothing was written (--dry-run)"
    return "published" if run.is_changed else "nothing to do"


def _counts(run: ObservedRun) -> Iterator[str]:
    """Yields lines with the numbers of pages: listed, changed, gone, excluded and dated.

    `12 pages listed, 2 added`, then `5 excluded (2 ignored, 3 noindex)`, then `12 dated by git`
    """
    summary = run.summary
    is_verbose = run.options.verbose
    for setting in summary.detected:  # found in the project, such as the base URL
        if is_verbose or setting.key == "base_url":
            yield shown(str(setting))
    yield _listed(summary)
    if summary.compared_with:  # a sitemap elsewhere, such as that of the live site
        changed = amounts(summary.changes.items()) or "nothing changed"
        yield f"{changed} since {summary.compared_with}"
    yield from _gone(run)
    excluded = amounts(summary.excluded.items())  # "2 ignored, 3 noindex"
    if excluded:
        yield f"{sum(summary.excluded.values()):,} excluded ({excluded})"
    if is_verbose:
        if summary.pruned:
            yield f"{plural(summary.pruned, 'ignored folder')} not searched"
        yield from _examples(run)
    yield from _dated(summary)


def _listed(summary: Summary) -> str:
    """Says how many pages are listed, and how many URLs changed: `12 pages listed, 2 added`.

    Two cases get only `12 pages listed`: a first build, where each page is an added one, and a
    check against a sitemap elsewhere, because `_counts` has a line of its own for its changes.
    """
    listed = f"{plural(summary.listed, 'page')} listed"
    is_first_build = summary.previous is None
    if is_first_build or summary.compared_with:
        return listed
    changes = amounts(summary.changes.items())
    return f"{listed}, {changes}" if changes else listed


def _gone(run: ObservedRun) -> Iterator[str]:
    """Yields the number of published URLs that are gone: `3 URLs gone: 2 lost, 1 redirected`.

    If the page of a URL is still there, but has another URL form now (`/a` instead of `/a/`), the
    URL counts on a line of its own: `5 URLs in another form`.
    """
    counts = count_by_fate(run.summary.gone)
    gone = {name: count for name, count in counts.items() if name != FORM}
    # A dry run and a verbose build list these URLs anyway.
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
        max_urls = count if run.options.verbose else FEW
        for gone in islice(of_fate(run.summary.gone, name), max_urls):
            yield paint(shown(f"{name}: {describe(gone)}"), _FATES.get(gone.fate, DIM), color)
        if count > max_urls:
            yield f"{name}: and {count - max_urls:,} more"


def _dated(summary: Summary) -> Iterator[str]:
    """Yields a line that says how many pages have a date, and from which sources.

    - one source: `12 dated by git`
    - several sources: `12 dated (11 ledger, 1 mtime)`
    - no date: `no page has a date`, unless a note says this already
    - no source of dates is set, as with `--no-lastmod`: no line
    """
    if not summary.dated:  # no source of dates is set
        return
    dated = sum(summary.dated.values())
    if not dated:
        # If the cause is known, a note about it says that the pages have no dates.
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
    """Yields the lines that only `--verbose` shows: examples, cross-posts and unused patterns.

    - up to three pages that each reason excludes: `noindex: a.html:3`
    - the number of canonicals that name another site: `2 canonicals on another site: https://…`
    - each pattern of the user that had no effect: `no page matches, …: sitemapper.toml:4: /old/`
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
    """Names an excluded page, and the line that decided: `a.html (robots.txt:2)`.

    If that line is in the page itself, it is only `a.html:3`.
    """
    origin = shown(str(page.origin))
    if page.origin.source == page.path:  # the origin names the page already
        return origin
    return f"{shown(page.path)} ({origin})"


def _file_lines(run: ObservedRun, color: bool) -> Iterator[str]:
    """Yields a line for each file that the run creates, updates, removes or keeps.

    More than 12 files may have the same change. Then the first 10 are shown, and a line such as
    `and 30 more kept`. With `--verbose`, all are shown.
    """
    for change in Change:
        group = [file for file in run.summary.files if file.change is change]
        shows_all = run.options.verbose or len(group) <= _MAX_FILES
        # Of 13 files, 10 are shown, so `and 3 more` saves two lines. `and 1 more` would save none.
        shown_files = group if shows_all else group[: _MAX_FILES - 2]
        for file in shown_files:
            yield _file_line(file, run, color)
        others = len(group) - len(shown_files)
        if others:
            yield f"         and {others} more {change.value}"


def _file_line(file: FileChange, run: ObservedRun, color: bool) -> str:
    """Writes the line for an output file: what happens to it, its name, and its number of URLs.

    - a build: `created  sitemap.xml  12 URLs`
    - a check or a dry run: `would be created sitemap.xml  12 URLs`
    - a file of another tool: `replaced sitemap.xml  65 URLs (Hugo's: 66)`
    - robots.txt, in a check or a dry run: `… robots.txt with the line “Sitemap: https://…”`
    """
    # What happens to the file, in a word: `created`, `replaced`, `would be replaced`.
    word = file.change.value
    former = _describe_replaced(file, run)  # " (Hugo's: 66)", or "" for a file of our own
    if former and file.change is Change.UPDATED:
        word = "replaced"
    is_proposed = run.is_dry and file.change is not Change.KEPT
    if is_proposed:
        word = f"would be {word}"
    # What is in it: the number of URLs of a sitemap, or the line for robots.txt.
    content = ""
    if is_proposed and file.name == "robots.txt":
        content = f" with the line “Sitemap: {run.summary.sitemap}”"
    elif file.urls is not None:
        content = f"  {plural(file.urls, 'URL')}"
    # The words of a build have at most 8 letters, so that the names of its files are in a column.
    return f"{paint(f'{word:8}', _FILES[file.change], color)} {file.name}{content}{former}"


def _describe_replaced(file: FileChange, run: ObservedRun) -> str:
    """Says whose sitemap a file replaces, and how many URLs that had: ` (Hugo's: 66)`.

    ` (was Hugo's)` if the number is not known. "" for a file that replaces no other tool's sitemap.
    """
    for note in run.summary.notes:
        if note.kind is not Kind.REPLACED_SITEMAP:
            continue
        tool, replaced_name = note.subjects[:2]
        if replaced_name == file.name:
            urls = note.cases  # the number of URLs in the replaced sitemap, or 1 if it is not known
            return f" ({tool}'s: {urls:,})" if urls > 1 else f" (was {tool}'s)"
    return ""


def findings(found: Findings, color: bool) -> Iterator[str]:
    """Yields a line for each finding, then the page that explains rules, and the totals.

    Of each rule, only the first findings are shown, then a line such as `s.xml: and 12 more SM304`.
    `verify` also proposes lines for sitemapper.toml (`found.settings`). With `--quiet`, there are
    only the findings that fail the command.
    """
    is_quiet = found.options.quiet
    for finding in found.shown:
        if not is_quiet or found.fails(finding.severity):
            yield _finding_line(finding, color)
    if is_quiet:
        return
    for others in found.others():
        yield f"{shown(others.file)}: and {others.amount:,} more {others.code}"
    codes = {finding.code for finding in found.shown}
    if codes:
        rules = codes.pop() if len(codes) == 1 else "the rules"
        yield f"docs/rules.md explains {rules} and how to fix the findings"
    yield found.summary()
    if found.settings:
        yield "To list what the host shows, write into sitemapper.toml, above the first table:"
        yield from map(shown, found.settings)


def _finding_line(finding: Finding, color: bool) -> str:
    """Writes a finding as a line: `s.xml:3: SM203 error: lastmod 'x' is not a W3C Datetime`."""
    severity = finding.severity.value
    rule = paint(f"{finding.code} {severity}", COLORS[severity], color)
    return f"{shown(finding.file)}:{finding.line}: {rule}: {shown(finding.message)}"
