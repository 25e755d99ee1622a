"""Values to words: for a terminal, as JSON, as lists. Every sentence about a finished run is here."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Literal

from ..errors import HELP, with_help
from ..model import (
    Change,
    Detected,
    Excluded,
    FileChange,
    Listed,
    Reason,
    Summary,
    UrlChange,
    WarningKind,
)

if TYPE_CHECKING:
    from ..commands.explain import Explanation
    from ..commands.submit import Submission

_MANY_FILES = 12
_KINDS = {"error": "31", "warning": "33", "note": "36"}
_COLORS = {Change.CREATED: "32", Change.UPDATED: "33", Change.REMOVED: "31", Change.KEPT: "2"}


def shown(text: str) -> str:
    """Text that may come from a file's name, safe for a terminal and for the log of a workflow."""
    if "##[" in text:
        text = text.replace("##[", r"#\x23[")  # which runners take for a command
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(char: str) -> str:
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) - 0xDC00:02x}"  # a byte that is not UTF-8, as Python keeps it
    return f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}"


UrlChanges = Mapping[UrlChange, Sequence[tuple[str, str, str]]]  # URL, dates before and after


def summary_text(
    summary: Summary,
    examples: Mapping[Reason, Sequence[Excluded]] | None,
    seconds: float,
    *,
    dry_run: bool,
    color: bool,
) -> str:
    """What a person reads after a build; all of it with `examples` of what is left out."""
    verbose = examples is not None
    is_same = all(file.change is Change.KEPT for file in summary.files)
    end = "nothing was written (--dry-run)" if dry_run else "nothing to do" if is_same else "published"
    changes = {} if summary.previous is None else summary.changes
    listed = (f"{plural(summary.listed, 'page')} listed", amounts(changes.items()))
    lines = [
        *detected_lines(summary, verbose=verbose),
        ", ".join(filter(None, listed)),
        *_left_out(summary, examples or {}),
        *_dates(summary),
        *file_lines(summary.files, would=dry_run, color=color, verbose=verbose),
        f"{end}, {seconds:.2f} s",
    ]
    return "\n".join([paint(summary.sitemap, "1", color), *(f"  {line}" for line in lines)])


def detected_lines(summary: Summary, *, verbose: bool) -> Iterator[str]:
    """What was taken from the project: the base URL, or all of it."""
    yield from (shown(str(found)) for found in summary.detected if verbose or found.key == "base_url")


def detected_shape(detected: Iterable[Detected]) -> dict[str, dict[str, object]]:
    """What was taken from the project, for JSON."""
    return {key: {"value": value, "origin": shown(str(origin))} for key, value, origin in detected}


def _left_out(summary: Summary, examples: Mapping[Reason, Sequence[Excluded]]) -> Iterator[str]:
    """How many pages each reason excludes, and examples."""
    counts = amounts(summary.excluded.items())
    parts = [f"{sum(summary.excluded.values()):,} excluded ({counts})"] if counts else []
    parts += [f"{plural(summary.pruned, 'folder')} not entered"] if summary.pruned else []
    if parts:
        yield ", ".join(parts)
    for reason in Reason:
        yield from (f"  {reason.value}: {_decided(excluded)}" for excluded in examples.get(reason, ()))


def _decided(excluded: Excluded) -> str:
    """A page and the line that decided, which may begin with the page."""
    path, origin = shown(excluded.path), shown(str(excluded.origin))
    return origin if excluded.origin.source == excluded.path else f"{path} ({origin})"


def _dates(summary: Summary) -> Iterator[str]:
    """How many pages have a date, unless one source dated them all."""
    total = sum(summary.dated.values())
    if summary.dated and not total and summary.listed:
        yield f"no page got a date from {', '.join(summary.dated)}"
    elif len(summary.dated) > 1 or 0 < total < summary.listed:
        yield f"{total:,} dated ({amounts(summary.dated.items())})"


def file_lines(files: tuple[FileChange, ...], *, would: bool, color: bool, verbose: bool) -> Iterator[str]:
    """What becomes, or would become, of each file."""
    for change in Change:
        group = [f for f in files if f.change is change]
        shown_files = group if verbose or len(group) <= _MANY_FILES else group[: _MANY_FILES - 2]
        for file in shown_files:
            urls = f"  {plural(file.urls, 'URL')}" if file.urls is not None else ""
            word = f"{'would be ' if would and change is not Change.KEPT else ''}{change.value}"
            yield f"{paint(f'{word:8}', _COLORS[change], color)} {file.name}{urls}"
        if len(shown_files) < len(group):
            yield f"         and {len(group) - len(shown_files)} more {change.value}"


def warning_text(kind: WarningKind, count: int, examples: Sequence[str]) -> str:
    """A warning with its first examples, and its help on a line of its own."""
    more = f"; and {count - len(examples):,} more" if count > len(examples) else ""
    return with_help(f"{kind.value}: {'; '.join(map(shown, examples))}{more}", kind.help)


def message_lines(kind: Literal["error", "warning", "note"], message: str, color: bool) -> Iterator[str]:
    """A message for stderr, with its help below it; errors may be several, a line each."""
    for line in message.splitlines():
        if line.startswith(HELP):
            yield f"  {paint('help:', '36', color)} {shown(line.removeprefix(HELP))}"
        else:
            yield f"{paint(f'{kind}:', _KINDS[kind], color)} {shown(line)}"


def paint(text: str, code: str, color: bool) -> str:
    """The text in a colour of the terminal, if it is to have any."""
    return f"\x1b[{code}m{text}\x1b[0m" if color else text


def amounts(counts: Iterable[tuple[Enum | str, int]]) -> str:
    """`2 added, 1 removed`, without what there is none of."""
    return ", ".join(f"{n:,} {kind.value if isinstance(kind, Enum) else kind}" for kind, n in counts if n)


def listed_and_excluded(summary: Summary) -> str:
    """`12 pages listed, 5 excluded`."""
    excluded = amounts([("excluded", sum(summary.excluded.values()))])
    return ", ".join(filter(None, (f"{plural(summary.listed, 'page')} listed", excluded)))


def plural(count: int, noun: str) -> str:
    """`1 page`, `2 pages`, `2 entries`."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"


def json_document(shape: Mapping[str, object]) -> str:
    """A documented shape as JSON, with its version."""
    return json.dumps({"version": 1, **shape}, indent=2)


def file_changes(summary: Summary) -> list[dict[str, object]]:
    """The files of a summary, in the documented shape."""
    return [{"name": f.name, "change": f.change.value, "urls": f.urls} for f in summary.files]


def summary_json(summary: Summary, changes: UrlChanges, seconds: float, *, dry_run: bool) -> str:
    """The documented shape, `"version": 1`, with the changed URLs."""
    shape = {
        "site": summary.site,
        "sitemap": summary.sitemap,
        "detected": detected_shape(summary.detected),
        "dry_run": dry_run,
        "listed": summary.listed,
        "previous": summary.previous,
        "dated": summary.dated,
        "changes": {change.value: [url for url, _, _ in urls] for change, urls in changes.items()},
        "excluded": {reason.name.lower(): n for reason, n in summary.excluded.items()},
        "folders_not_entered": summary.pruned,
        "files": file_changes(summary),
        "warnings": [
            {"kind": kind.name.lower(), "count": n, "examples": list(map(shown, examples))}
            for kind, n, examples in summary.warnings
        ],
        "notes": list(summary.notes),
        "seconds": round(seconds, 3),
    }
    return json_document(shape)


def explanation_text(explanation: Explanation, color: bool) -> str:
    """The answer to `explain`, for a person."""
    name = paint(shown(explanation.path), "1", color)
    if isinstance(explanation.verdict, Excluded):
        excluded = explanation.verdict
        folder = f" (the folder {shown(excluded.path)})" if excluded.is_folder else ""
        lines = [
            f"{name} is not listed: {excluded.reason.value}{folder}",
            f"  decided by  {shown(str(excluded.origin))}",
        ]
    else:
        lines = [f"{name} is listed"]
        lines += [
            f"  {key:10}  {shown(value)}{f'  ({shown(origin)})' if origin else ''}"
            for key, value, origin in explanation.values
        ]
    for kind, about in explanation.warned:
        lines += [f"  warning     {kind.value}: {shown(about)}", f"  help        {kind.help}"]
    return "\n".join(lines)


def explanation_json(explanation: Explanation) -> str:
    """The same as JSON, `"version": 1`."""
    shape: dict[str, object] = {
        "path": shown(explanation.path),
        "listed": isinstance(explanation.verdict, Listed),
    }
    if isinstance(explanation.verdict, Excluded):
        shape |= {
            "reason": explanation.verdict.reason.name.lower(),
            "origin": str(explanation.verdict.origin),
        }
    shape["values"] = {key: {"value": value, "origin": origin} for key, value, origin in explanation.values}
    shape["warnings"] = [{"kind": c.name.lower(), "about": shown(about)} for c, about in explanation.warned]
    return json_document(shape)


def submission_text(done: Submission, endpoint: str, *, dry_run: bool) -> Iterator[str]:
    """What was sent and what came back; on a dry run the list of what would be."""
    if dry_run:
        yield from (f"{kind.value}\t{shown(url)}" for kind, url in done.changes)
        return
    if not done.changes:
        yield "nothing to send"
        return
    kinds = Counter(kind for kind, _ in done.changes)
    counts = amounts((kind, kinds[kind]) for kind in UrlChange)
    yield f"{plural(len(done.changes), 'URL')} ({counts}) for {endpoint}"
    yield from (f"  {plural(count, 'URL')}: {shown(str(reply))}" for count, reply in done.requests)
    if done.remaining:
        yield f"  {plural(done.remaining, 'URL')} left to send: run submit again"
    yield from (f"  ping: {shown(str(ping))}" for ping in done.pings)


def submission_json(done: Submission, *, dry_run: bool) -> str:
    """The same as JSON, `"version": 1`."""
    urls: dict[str, list[str]] = {kind.value: [] for kind in UrlChange}
    for kind, url in done.changes:
        urls[kind.value].append(url)
    shape = {
        "dry_run": dry_run,
        "changes": urls,
        "left": done.remaining,
        "requests": [{"urls": n, "status": r.status, "said": r.text} for n, r in done.requests],
        "pings": [{"status": ping.status, "said": ping.text} for ping in done.pings],
    }
    return json_document(shape)
