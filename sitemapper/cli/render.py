"""The result of a build or a check as lines of text, as JSON, and as annotations."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping

from ..commands.explain import settled
from ..files import shown_path
from ..messages import Message, count
from ..model import Change, Excluded, File, Gone, Reason
from .github import annotation
from .result import FATES, FEW, KINDS, Result, amounts, is_folder, tally

_EXAMPLES = 3  # pages of one reason that --verbose names
_SIGNS = {"added": "+", "changed": "~", "removed": "-"}


def text(result: Result) -> Iterator[str]:
    """Yields lines: numbers, changed URLs, gone URLs, files, and at last what was done.

    Only a check or a dry run lists the changed URLs. A build lists gone ones with --verbose.
    """
    plan = result.summary.plan
    yield plan.sitemap
    for line in (*_found(result), *_numbers(result)):
        yield f"  {line}"
    lists: list[tuple[str, list[str]]] = []  # each with the beginning of its lines
    if result.is_dry:
        for kind in KINDS:
            changes = [_dates(one) for one in result.changes if one.kind == kind]
            lists.append((_SIGNS[kind], changes))
    if result.is_dry or result.is_verbose:
        for fate, name in FATES.items():
            lists.append((f"{name}:", [_end(one) for one in plan.gone if one.fate == fate]))
    for change in ("created", "updated", "removed", "kept"):
        word = f"would be {change}" if result.is_dry and change != "kept" else change
        files = [_content(one, result) for one in plan.files if one.change == change]
        lists.append((f"  {word:8}", files))
    for start, lines in lists:
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
        folder = shown_path(site.found.folder, result.cwd)
        project = f", written by {site.found.project.name}" if site.found.project else ""
        yield f"site {folder}{project} ({site.found.origin})"
        for name, value, origin in settled(site):
            yield f"{name} {value}" + (f" ({origin})" if origin else "")
    parts: list[str] = []
    if not site.found.config.origin("base_url"):
        parts.append(f"base URL from {site.base_url_origin}")
    dates = result.dated(has_date=True)
    if dates:
        sources = [f"{number:,} from {source}" for source, number in dates.items()]
        parts.append(f"dates: {', '.join(sources)}")
    if parts:
        yield "; ".join(parts)


def _numbers(result: Result) -> Iterator[str]:
    """How many pages are listed, changed, gone and excluded; examples of these if verbose."""
    plan, excluded = result.summary.plan, result.excluded()
    line = f"{count(plan.listed, 'page')} listed"
    # At the first build, each page is an added one.
    changes = amounts(result.changed()) if plan.previous is not None else ""
    if plan.compared_with:
        changes = f"{changes or 'nothing changed'} since {plan.compared_with}"
    yield f"{line}, {changes}" if changes else line
    if plan.gone:
        fates = tally((FATES[one.fate] for one in plan.gone), FATES.values())
        hint = "" if result.is_dry or result.is_verbose else " (-v lists them)"
        yield f"{count(len(plan.gone), 'earlier URL')} not listed: {amounts(fates)}{hint}"
    if excluded:
        reasons = amounts({reason.value: number for reason, number in excluded.items()})
        yield f"{sum(excluded.values()):,} excluded ({reasons})"
    for reason in Reason if result.is_verbose else ():
        pages = [one for one in result.summary.selected.excluded if one.reason is reason]
        for one in pages[:_EXAMPLES]:
            yield f"  {reason.value}: {_decision(one)}"


def _decision(one: Excluded) -> str:
    if one.origin.source == one.path:  # the origin names the page already
        return str(one.origin)
    return f"{one.path}{' not entered' if is_folder(one) else ''} ({one.origin})"


def _dates(change: Change) -> str:
    """A changed URL: `https://a.example/b  2026-05-02`, or `…  no date -> 2026-05-02`."""
    if change.before == change.after:
        return change.url
    dates = change.before or change.after
    if change.kind == "changed":
        dates = f"{change.before or 'no date'} -> {change.after or 'no date'}"
    return f"{change.url}  {dates}"


def _end(gone: Gone) -> str:
    """Where a gone URL leads, and what decided: `URL -> TARGET (_redirects:1: /b /c)`."""
    reason = f"{gone.reason.value}: " if gone.reason else ""
    why = f" ({reason}{gone.origin})" if gone.origin else ""
    return f"{gone.url} -> {gone.target}{why}" if gone.target else f"{gone.url}{why}"


def _content(file: File, result: Result) -> str:
    """A file and what is in it: `sitemap.xml  12 URLs`."""
    if result.is_dry and file.change != "kept" and file.name == "robots.txt":
        return f"{file.name} with the line “Sitemap: {result.summary.plan.sitemap}”"
    urls = "" if file.urls is None else f"  {count(file.urls, 'URL')}"
    return shown_path(file.name, result.cwd) + urls


def _outcome(result: Result) -> str:
    """What the build did, such as "published", or what the check found."""
    plan = result.summary.plan
    if result.stopped:
        return "a build would publish nothing"
    if result.command == "build" and result.is_dry:
        return "nothing was written (--dry-run)"
    if result.command == "build":
        return "published" if plan.is_changed else "nothing to do"
    other = plan.compared_with or "what a build would write"
    if result.differs:
        return f"differs from {other}"
    return "lacks required pages" if result.summary.missing else f"is the same as {other}"


def document(shape: Mapping[str, object], messages: Iterable[Message] | None = None) -> list[str]:
    """Writes a JSON document: its version, its keys, and the messages of the run."""
    told = {} if messages is None else {"messages": [one._asdict() for one in messages]}
    text = json.dumps({"version": 2, **shape, **told}, indent=2)
    return [text.replace("##[", "\\u0023#[")]  # a command for the runner of GitHub


def as_json(result: Result) -> list[str]:
    """Writes the result of a build or a check as one document. A check adds `same`."""
    summary, site, plan = result.summary, result.summary.site, result.summary.plan
    changes: dict[str, list[object]] = {kind: [] for kind in KINDS}
    for change in result.changes:
        dates = {"before": change.before or None, "after": change.after or None}
        changes[change.kind].append({"url": change.url, **dates})
    gone: list[object] = []
    for one in plan.gone:
        reason = one.reason.name.lower() if one.reason else None
        origin = str(one.origin) if one.origin else None
        gone.append(
            {**one._asdict(), "target": one.target or None, "reason": reason, "origin": origin}
        )
    shape: dict[str, object] = {
        "site": shown_path(site.found.folder, result.cwd),
        "sitemap": plan.sitemap,
        "base_url": {"value": site.base_url, "origin": str(site.base_url_origin)},
        "dry_run": result.is_dry,
        "listed": plan.listed,
        "previous": plan.previous,
        "dated": result.dated(has_date=True),
        "undated": result.dated(has_date=False),
        "changes": changes,
        "gone": gone,
        "excluded": {reason.name.lower(): number for reason, number in result.excluded().items()},
        "files": [{"name": one.name, "change": one.change, "urls": one.urls} for one in plan.files],
        "required": summary.missing,
        "stopped": result.stopped or None,
        "seconds": round(result.seconds, 3),
    }
    if result.command == "check":
        shape["same"] = result.is_same
    return document(shape, result.messages)


def annotations(result: Result) -> Iterator[str]:
    """Yields annotations about the result and required pages."""
    plan = result.summary.plan
    changes = amounts(result.changed())
    if result.command == "build":
        since = f" since {plan.compared_with}" if plan.compared_with else ""
        text = f"{plan.sitemap}: {plan.listed:,} listed, {changes or 'nothing changed'}{since}"
        yield annotation("notice", text, "sitemap")
    elif result.differs:
        text = f"{_outcome(result)} ({changes or 'no URL changes'})"
        names = [file.name for file in plan.files if file.change != "kept"] or [plan.files[0].name]
        file = shown_path(os.path.join(result.summary.site.found.output, names[0]), result.cwd)
        yield annotation("error", text, "sitemap out of date", file)
    for sentence in result.summary.missing:
        yield annotation("error", sentence, "required page")


def outputs(result: Result, changes_file: str | None) -> Iterator[str]:
    """Yields the outputs of the step, such as `listed=12`, which later steps can read."""
    yield f"sitemap={result.summary.plan.sitemap}"
    yield f"listed={result.summary.plan.listed}"
    yield f"excluded={sum(result.excluded().values())}"
    for kind in KINDS:
        yield f"{kind}={result.changed().get(kind, 0)}"
    if changes_file:
        yield f"changes-file={changes_file}"
