"""Why a page has its date, or none: the reasons as text, from what dates all pages."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime

from ..files import shown_path
from ..model import Before, Entry, Run, Site
from ..select import Selected
from ..syntax.dates import read_date
from .date import CAUSES, Grounds, collect_grounds
from .history import Told
from .repository import Event, dating

_DAY = 86_400  # seconds


def explain_date(
    entry: Entry, site: Site, selected: Selected, before: Before, run: Run, now: datetime
) -> list[tuple[str, str]]:
    """Explains to a person why a page has its date, or none, in pairs of a label and a text.

    For example, ("source", "content/tea.md: its path and title fit; commit 0123456789ab of
    2026-03-01"), then ("skipped", "commit 0a1b2c3d4e5f of 2026-05-01 only renamed it"). `entry` is
    the page's line in the sitemap, with its date. The rest is what the run was dated by.
    """
    # The date of a page depends on the other pages: for example, a commit over nearly all of them
    # dates none. So what dates all pages is collected again, and the evidence of this page is taken
    # from it, which is what git and the ledger know of it.
    grounds = collect_grounds(site, selected, before, run, now)
    page = next(page for page in grounds.evidence if page.file == entry.page)

    reasons: list[tuple[str, str]] = []
    if grounds.history.repositories:
        reasons += _explain_git(page.told, grounds, run)
    if page.row:  # the page's line in the ledger, with the digest of its content
        state = "unchanged" if page.is_unchanged else "new or changed"
        reasons.append(("content", f"{state} since the last build"))
    # A page with a date has the name of what dated it as its source, and no cause.
    if entry.source in CAUSES:
        reasons.append(("no date", CAUSES[entry.source].text))
    return reasons


def _explain_git(told: Told, grounds: Grounds, run: Run) -> Iterator[tuple[str, str]]:
    """Explains what git and the source files say of a page, in pairs of a label and a text.

    `told` is what git tells of the page. The pairs name each file that may date the page with the
    commit that does, then newer commits that do not count, such as ("skipped", "commit 0a1b2c3d4e5f
    of 2026-05-01 only renamed it"). The last one is the date that the source states itself.
    """
    if told.is_own or not told.files:
        yield "source", f"none: {told.why}"

    for file in told.files:
        # The file, why it belongs to the page, and the commit that dates it. `is_own`: the file is
        # the built page, because the page has no known source.
        name = shown_path(os.path.join(*file), run.cwd)
        why = "the built page itself" if told.is_own else told.why
        events = grounds.history.events[file]
        dating_event = dating(events)
        commit = _name_commit(dating_event) if dating_event else "no commit edited it"
        if file in grounds.history.edits:  # not committed yet
            commit = f"edited after {commit}"
        yield "source", f"{name}: {why}; {commit}"

        # The newest commits come first, so all before the one that dates the file were skipped, and
        # the loop ends there.
        for event in events:
            if event == dating_event:
                break
            yield "skipped", f"{_name_commit(event)} {event.skipped}"

    if told.change:
        text = f"{told.change} in the front matter"
        stated = read_date(told.change, grounds.policy.writer)
        # A commit more than a day later is another edit. The stated date hides it, so the reader
        # learns how to use the commit's date. Within a day, the two mean the same change.
        if told.commit and told.commit > stated.seconds + _DAY:
            text += (
                "; a later commit edited the file: to use its date, put `git` before "
                "`front_matter` in `lastmod`"
            )
        yield "stated", text


def _name_commit(event: Event) -> str:
    """Names a commit for a person: `commit 0123456789ab of 2026-03-01`.

    The oldest commit of a shallow clone is not certain to have edited the file, and is named so.
    """
    name = f"commit {event.commit} of {datetime.fromtimestamp(event.seconds, UTC).date()}"
    return name if event.is_certain else f"{name}, the oldest of this shallow clone"
