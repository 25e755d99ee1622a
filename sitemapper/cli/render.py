"""The result of a build or a check as lines of text, as JSON, and as annotations."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..commands.build import Summary
from ..commands.explain import settled
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
    """What a run found and did. A check `is_dry`, too."""

    command: str
    summary: Summary
    changes: Sequence[Change]  # from nothing at the first build, when all URLs are added
    cwd: str
    seconds: float
    is_dry: bool
    is_verbose: bool

    @property
    def differs(self) -> bool:
        """Whether a build would change a file or, of a sitemap elsewhere, a URL or a date."""
        plan = self.summary.plan
        return bool(plan.changes) if plan.compared_with else plan.is_changed

    @property
    def is_same(self) -> bool:
        """Whether a check found nothing."""
        return not self.differs and not self.summary.missing

    @property
    def messages(self) -> list[Message]:
        """The messages, warnings first; before all others that of a wrong layout."""
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
    """Counts items in an order, without zeros."""
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
    """What was found and where: `base URL from CNAME; dates: 12 from git`. All of it if verbose."""
    site = result.summary.site
    if result.is_verbose:
        for name, value, origin in settled(site, result.cwd):
            line = f"{name} {value}"
            yield f"{line} ({origin})" if origin else line
    parts: list[str] = []
    if not site.found.config.origin("base_url"):
        parts.append(f"base URL from {site.base_url_origin}")
    dates = result.dated(has_date=True)
    if dates:
        by_source = {f"from {source}": number for source, number in dates.items()}
        parts.append(f"dates: {amounts(by_source)}")
    if parts:
        yield "; ".join(parts)


def _numbers(result: Result) -> Iterator[str]:
    """How many pages are listed, changed, gone and excluded."""
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
    """Yields lists, each with the beginning of its lines.

    Only a check or a dry run lists the changed URLs. A build lists gone ones with --verbose.
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
    for change in ("created", "updated", "removed", "kept"):
        files = [file for file in plan.files if file.change == change]
        word = change
        if result.is_dry and change != "kept":
            word = f"would be {change}"
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
    """Where a gone URL leads, and what decided: `URL -> TARGET (_redirects:1: /b /c)`."""
    line = gone.url
    if gone.target:
        line += f" -> {gone.target}"
    if gone.origin:
        line += f" ({gone.origin})"
    return line


def _outcome(result: Result) -> str:
    """What the build did, such as "published", or what the check found."""
    summary = result.summary
    plan = summary.plan
    is_build = result.command == "build"
    if summary.problem or (is_build and summary.missing):
        return "a build would publish nothing"
    if is_build and result.is_dry:
        return "nothing was written (--dry-run)"
    if is_build:
        return "published" if plan.is_changed else "nothing to do"
    other = plan.compared_with or "what a build would write"
    return f"differs from {other}" if result.differs else f"is the same as {other}"


# --- For programs


def document(shape: Mapping[str, object], messages: Iterable[Message] | None = None) -> list[str]:
    """Writes a JSON document: its version, its keys, and the messages of the run."""
    told = {}
    if messages is not None:
        told["messages"] = [message._asdict() for message in messages]
    text = json.dumps({"version": 2, **shape, **told}, indent=2)
    return [text.replace("##[", "\\u0023#[")]  # a command for the runner of GitHub


def as_json(result: Result) -> list[str]:
    """Writes the result of a build or a check as one document. A check adds `same`."""
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
    """Yields annotations about the result and required pages."""
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
    """Prints annotations, also of messages. Adds the lines of text to the summary of the job."""
    emit(annotations)
    summary = [f"### sitemapper {command}\n\n```text", *map(shown, lines)]
    for message in messages:
        kind = "warning" if message.severity == "warning" else "notice"
        emit([annotation(kind, str(message), message.code)])
        summary += message_lines(message.severity, message.text, message.help)
    summary.append("```")  # no line above can be this one
    add_to("GITHUB_STEP_SUMMARY", summary)


def add_to(variable: str, lines: Iterable[str]) -> None:
    """Adds lines to the file that a variable of the environment names."""
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
    """Escapes as `packages/core/src/command.ts` of actions/toolkit."""
    text = text.replace("%", "%25")
    for char in f"\r\n{special}":
        text = text.replace(char, f"%{ord(char):02X}")
    return shown(text)
