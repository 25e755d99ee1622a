"""Why a page has its date, or none: the reasons as text, from what dates all pages."""

import os
from collections.abc import Iterator
from datetime import datetime

from ..files import shown_path
from ..model import Before, Dated, Run, Site
from ..select import Selected
from ..syntax.dates import moment
from ..syntax.templates import map_sources
from .date import Known, know
from .history import Told, files_at, map_folder
from .repository import Event, dating
from .undated import CAUSES


def explain_date(
    path: str,
    site: Site,
    selected: Selected,
    dated: Dated,
    before: Before,
    run: Run,
    now: datetime,
) -> list[tuple[str, str]]:
    """Explains the date of a listed page in pairs of a label and a text; [] for any other path.

    ("source", "content/tea.md: path and title; commit 0123456789ab of 2026-03-01"), then
    ("skipped", "commit 0a1b2c3d4e5f of 2026-05-01 edited nine of ten of the sources").
    """
    known = know(site, selected, before, run, now)
    pages = zip(known.evidence, dated.entries, strict=False)
    page, entry = next((pair for pair in pages if pair[0].file.path == path), (None, None))
    if page is None or entry is None:
        return []
    reasons: list[tuple[str, str]] = []
    if known.history.repositories:
        reasons += _explain_git(page.told, known, run)
    for one in site.found.config.settings.git.map:
        names = map_sources(one.page, one.source, [path]).get(path, [])
        if names and not files_at(map_folder(site, run), names, known.history.repositories):
            reasons.append(("git.map", f"{one.page!r}: git tracks no {' or '.join(names)}"))
    if page.row:
        old = (before.rows or {}).get(path)
        what = f"unchanged since {page.row.lastmod}"
        if page.row.lastmod[0] in "->":
            what = "unchanged since the last build, and without a date"
        if old is None:
            what = "new: not in the ledger"
        elif not page.is_unchanged:
            what = f"changed: the digest was {old.digest}, and is {page.row.digest}"
        reasons.append(("content", what))
    if entry.lastmod is None and entry.source in CAUSES:
        reasons.append(("no date", CAUSES[entry.source].text))
    return reasons


def _explain_git(told: Told, known: Known, run: Run) -> Iterator[tuple[str, str]]:
    """The files that may date a page, the commits that do, and newer ones that are no edits."""
    if told.is_own or not told.files:
        yield "source", f"none: {told.why}"
    for file in told.files:
        events = known.history.events[file]
        last = dating(events)
        name = shown_path(os.path.join(*file), run.cwd)
        why = "the built page itself" if told.is_own else told.why
        commit = _name_commit(last, known) if last else "no commit edited it"
        if file in known.history.edits:
            commit = f"edited after {commit}"
        yield "source", f"{name}: {why}; {commit}"
        for event in events[: events.index(last)] if last else events:
            yield "skipped", f"{_name_commit(event, known)} {event.skipped}"
    if told.change:
        edited = ""
        if told.commit and told.commit > (moment(told.change[:10]) or 0) + 86_400:
            edited = (
                "; a later commit edited the file: to use its date, put `git` before "
                "`front_matter` in `lastmod`"
            )
        yield "stated", f"{told.change} in the front matter{edited}"
    if told.window and known.history.sitemap:
        commit = _name_commit(known.history.sitemap[1], known)
        yield "published", f"unchanged since {commit}, the last one of the sitemap"


def _name_commit(event: Event, known: Known) -> str:
    """`commit 0123456789ab of 2026-03-01`."""
    date = known.policy.writer.lastmod(event.seconds)
    name = f"commit {event.commit} of {date.text[:10] if date else 'no date'}"
    return name if event.is_certain else f"{name}, the oldest of this shallow clone"
