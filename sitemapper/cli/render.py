"""The result of a build or a check as lines of text, as JSON, and as annotations."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..commands.build import Summary
from ..commands.explain import site_rows
from ..files import shown_path
from ..messages import Message, count
from ..model import Change, File, Gone, Reason
from .console import emit, message_lines, shown

FEW = 20  # lines of one kind that a person sees without --verbose
KINDS = {"added": "+", "changed": "~", "removed": "-"}
# What became of gone URLs: what a person has to mend comes first.
FATES = {
    "lost": "lost",
    "moved": "moved",
    "excluded": "excluded",
    "redirected": "redirected",
    "form": "in another form",
}


class Result(NamedTuple):
    """What a build or a check found and did, to be printed.

    A check `is_dry` like a dry build: it writes nothing.
    """

    command: str
    summary: Summary
    changes: Sequence[Change]  # from nothing at the first build, when all URLs are added
    cwd: str
    seconds: float
    is_dry: bool
    is_verbose: bool

    @property
    def differs(self) -> bool:
        """Whether a build would change what is published.

        Usually this is a file of the output. With an earlier sitemap elsewhere, such as `--previous
        live`, it is a URL or a date.
        """
        plan = self.summary.plan
        return bool(plan.changes) if plan.compared_with else plan.is_changed

    @property
    def is_same(self) -> bool:
        """Whether a check found nothing."""
        return not self.differs and not self.summary.missing

    @property
    def messages(self) -> list[Message]:
        """The messages, warnings first.

        The very first one is that all pages name one canonical: it is the cause of most others.
        """
        return sorted(
            self.summary.messages,
            key=lambda message: (
                message.code != "default-canonical",
                message.severity != "warning",
            ),
        )

    def changed(self) -> Mapping[str, int]:
        """Counts changed URLs by kind."""
        return tally((change.kind for change in self.changes), KINDS)

    def excluded(self) -> Mapping[str, int]:
        """Counts excluded pages by reason. Folders that were not entered are no pages."""
        reasons: list[str] = []
        for page in self.summary.selected.excluded:
            if page.url or not page.path.endswith("/"):
                reasons.append(page.reason.value)
        return tally(reasons, [reason.value for reason in Reason])

    def dated(self, *, has_date: bool) -> Mapping[str, int]:
        """Counts dated URLs by source, or those without a date by cause."""
        sources: list[str] = []
        for entry in self.summary.dated.entries:
            if entry.source and has_date == (entry.lastmod is not None):
                sources.append(entry.source)
        return tally(sources, sorted(set(sources)))


def tally(items: Iterable[str], order: Iterable[str]) -> Mapping[str, int]:
    """Counts items. The result has the keys in the given order, without those that count 0."""
    counts = Counter(items)
    return {key: counts[key] for key in order if counts[key]}


def amounts(counts: Mapping[str, int]) -> str:
    """Writes numbers with their names: `2 added, 1 removed`."""
    return ", ".join(f"{number:,} {name}" for name, number in counts.items())


# --- Text


def text(result: Result) -> Iterator[str]:
    """Yields lines: numbers, changed URLs, gone URLs, files, and at last what was done."""
    yield result.summary.plan.sitemap
    for line in (*_found(result), *_numbers(result)):
        yield f"  {line}"
    for start, lines in _lists(result):
        number = len(lines) if result.is_verbose else FEW
        for line in lines[:number]:
            yield f"{start} {line}"
        if len(lines) > number:
            yield f"{start} and {len(lines) - number:,} more"
    for sentence in result.summary.missing:
        yield f"required: {sentence}"
    yield f"  {_outcome(result)}, {result.seconds:.2f} s"


def _found(result: Result) -> Iterator[str]:
    """Yields what the run found by itself: `base URL from CNAME; dates: 12 from git`.

    With --verbose, a line for each value of the site comes before that.
    """
    site = result.summary.site
    if result.is_verbose:
        for name, value, origin in site_rows(site, result.cwd):
            line = f"{name} {value}"
            yield f"{line} ({origin})" if origin else line
    parts: list[str] = []
    if not site.found.config.origin("base_url"):  # nobody has set it, so it was found
        parts.append(f"base URL from {site.base_url_origin}")
    dates = result.dated(has_date=True)
    if dates:
        by_source = {f"from {source}": number for source, number in dates.items()}
        parts.append(f"dates: {amounts(by_source)}")
    if parts:
        yield "; ".join(parts)


def _numbers(result: Result) -> Iterator[str]:
    """Yields how many pages are listed, changed, gone and excluded, each in a line.

    `1 earlier URL not listed: 1 lost`, `3 excluded (2 noindex, 1 redirect)`.
    """
    gone = result.summary.plan.gone
    yield _listed(result)
    if gone:
        number = count(len(gone), "earlier URL")
        fates = tally((FATES[loss.fate] for loss in gone), FATES.values())
        yield f"{number} not listed: {amounts(fates)}"
    reasons = result.excluded()
    if reasons:
        excluded = sum(reasons.values())
        yield f"{excluded:,} excluded ({amounts(reasons)})"


def _listed(result: Result) -> str:
    """How many pages are listed, and what changed: `12 pages listed, 1 added since old.xml`."""
    plan = result.summary.plan
    listed = f"{count(plan.listed, 'page')} listed"
    if plan.previous is None:
        return listed
    changes = amounts(result.changed())
    if plan.compared_with:
        changes = f"{changes or 'nothing changed'} since {plan.compared_with}"
    return f"{listed}, {changes}" if changes else listed


def _lists(result: Result) -> Iterator[tuple[str, list[str]]]:
    """Yields lists of URLs and files, each as (the word before its lines, its lines).

    The list ("+", ["https://a.example/b  2026-05-02"]) has the added URLs. Only a check or a dry
    run lists changed URLs. A build lists the URLs that are gone only with --verbose.
    """
    plan = result.summary.plan
    if result.is_dry:
        for kind, sign in KINDS.items():
            changes = [change for change in result.changes if change.kind == kind]
            yield sign, [_change_line(change) for change in changes]
    if result.is_dry or result.is_verbose:
        for fate, name in FATES.items():
            gone = [loss for loss in plan.gone if loss.fate == fate]
            yield f"{name}:", [_gone_line(loss) for loss in gone]
    for fate_of_file in ("created", "updated", "removed", "kept"):
        files = [file for file in plan.files if file.change == fate_of_file]
        word = fate_of_file
        if result.is_dry and word != "kept":
            word = f"would be {word}"
        yield f"  {word:8}", [_file_line(file, result.cwd) for file in files]


def _file_line(file: File, cwd: str) -> str:
    """A file and what is in it: `sitemap.xml  12 URLs`."""
    name = shown_path(file.name, cwd)
    if file.urls is None:
        return name
    return f"{name}  {count(file.urls, 'URL')}"


def _change_line(change: Change) -> str:
    """A changed URL: `https://a.example/b  2026-05-02`, or `…  no date -> 2026-05-02`."""
    if change.kind == "changed":
        dates = f"{change.before or 'no date'} -> {change.after or 'no date'}"
    else:
        dates = change.before or change.after
    return f"{change.url}  {dates}".rstrip()


def _gone_line(gone: Gone) -> str:
    """A URL that is gone, where it leads, and what decided: `URL -> TARGET (_redirects:1: /b /c)`.

    Target and origin are left out if they are not known.
    """
    line = gone.url
    if gone.target:
        line += f" -> {gone.target}"
    if gone.origin:
        line += f" ({gone.origin})"
    return line


def _outcome(result: Result) -> str:
    """What the run did or found, in a few words.

    A build was "published", or had "nothing to do"; a check "differs from what a build would
    write".
    """
    summary = result.summary
    plan = summary.plan
    is_build = result.command == "build"
    # A check reports missing URLs, too, but it still compares.
    is_stopped = summary.problem is not None or (is_build and bool(summary.missing))
    if is_stopped:
        return "a build would publish nothing"
    if is_build and result.is_dry:
        return "nothing was written (--dry-run)"
    if is_build:
        return "published" if plan.is_changed else "nothing to do"
    other = plan.compared_with or "what a build would write"
    return f"differs from {other}" if result.differs else f"is the same as {other}"


# --- For programs


def document(shape: Mapping[str, object], messages: Iterable[Message] | None = None) -> list[str]:
    """Writes a JSON document: its version, the keys of `shape`, and the messages of the run.

    Without messages (None), it has no such key.
    """
    keys = {"version": 2, **shape}
    if messages is not None:
        keys["messages"] = [message._asdict() for message in messages]
    text = json.dumps(keys, indent=2)
    # GitHub's runner takes `##[error]` in a log for a command. For JSON, the escape is the same.
    return [text.replace("##[", "\\u0023#[")]


def as_json(result: Result) -> list[str]:
    """Writes the result of a build or a check as one JSON document, for --format json.

    That of a check also says whether all is the `same`.
    """
    summary = result.summary
    site = summary.site
    plan = summary.plan
    gone: list[object] = []
    for loss in plan.gone:
        reason = loss.reason.value if loss.reason else ""
        gone.append({**loss._asdict(), "reason": reason, "origin": str(loss.origin or "")})
    changes = [change._asdict() for change in result.changes]
    files = [{"name": file.name, "change": file.change, "urls": file.urls} for file in plan.files]
    base_url = {"value": site.base_url, "origin": str(site.base_url_origin)}
    shape = {
        "site": shown_path(site.found.folder, result.cwd),
        "sitemap": plan.sitemap,
        "base_url": base_url,
        "dry_run": result.is_dry,
        "listed": plan.listed,
        "previous": plan.previous,
        "dated": result.dated(has_date=True),
        "undated": result.dated(has_date=False),
        "changes": changes,
        "gone": gone,
        "excluded": result.excluded(),
        "files": files,
        "required": summary.missing,
        "stopped": summary.problem.text if summary.problem else "",
        "seconds": round(result.seconds, 3),
    }
    if result.command == "check":
        shape["same"] = result.is_same
    return document(shape, result.messages)


# --- For GitHub Actions


def annotations(result: Result) -> Iterator[str]:
    """Yields annotations of GitHub about the result, and about required pages that are missing.

    `::notice title=sitemap::https://a.example/sitemap.xml: 12 pages listed`.
    """
    if result.command == "build":
        text = f"{result.summary.plan.sitemap}: {_listed(result)}"
        yield annotation("notice", text, "sitemap")
    elif result.differs:
        text = f"{_outcome(result)}: {_listed(result)}"
        yield annotation("error", text, "sitemap out of date")
    for sentence in result.summary.missing:
        yield annotation("error", sentence, "required page")


def outputs(result: Result, changes_file: str | None) -> Iterator[str]:
    """Yields the outputs of the step, such as `listed=12`, which later steps can read."""
    plan = result.summary.plan
    excluded = sum(result.excluded().values())
    changed = result.changed()
    yield f"sitemap={plan.sitemap}"
    yield f"listed={plan.listed}"
    yield f"excluded={excluded}"
    for kind in KINDS:
        yield f"{kind}={changed.get(kind, 0)}"
    if changes_file:
        yield f"changes-file={changes_file}"


def print_for_github(
    command: str, annotations: Iterable[str], lines: Iterable[str], messages: Sequence[Message]
) -> None:
    """Prints a result for GitHub Actions, where each annotation stands at the top of the job.

    Messages become annotations, too. All lines and messages are added to the summary of the job.
    """
    emit(annotations)
    summary = [f"### sitemapper {command}\n\n```text", *map(shown, lines)]
    for message in messages:
        kind = "warning" if message.severity == "warning" else "notice"
        emit([annotation(kind, str(message), message.code)])
        summary += message_lines(message.severity, message.text, message.help)
    summary.append("```")  # no line above can end the block, because all begin with other words
    add_to("GITHUB_STEP_SUMMARY", summary)


def add_to(variable: str, lines: Iterable[str]) -> None:
    """Adds lines to the file whose path is in an environment variable, such as `GITHUB_OUTPUT`.

    Without the variable, nothing is written.
    """
    path = os.environ.get(variable)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)


def annotation(kind: str, text: str, title: str, file: str = "", line: int = 1) -> str:
    """Writes a workflow command: `::error file=a.xml,line=1,title=T::the text`."""
    position = ""
    if file:
        position = f"file={_escape(file, ':,')},line={line},"
    return f"::{kind} {position}title={title}::{_escape(text)}"


def _escape(text: str, special: str = "") -> str:
    """Escapes a text for a workflow command, as `packages/core/src/command.ts` of actions/toolkit.

    Percent signs, line breaks and the `special` characters become `%0A` and the like.
    """
    text = text.replace("%", "%25")
    for char in f"\r\n{special}":
        text = text.replace(char, f"%{ord(char):02X}")
    return shown(text)
