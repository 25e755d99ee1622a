"""Says why pages have no date, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..messages import Kind, Message
from ..model import NoDate
from ..site import Site

if TYPE_CHECKING:
    from .repository import GitError

FETCH_HISTORY = (
    "fetch the history: git fetch --unshallow (in GitHub Actions, fetch-depth: 0 for "
    "actions/checkout)"
)
_CAUSES_OF_UNKNOWN_SOURCES = {NoDate.UNKNOWN, NoDate.AMBIGUOUS, NoDate.EXCEEDED}


def note_undated(
    omitted: Mapping[NoDate, int], example: str, site: Site, no_git: GitError | None
) -> Iterator[Message]:
    """Writes the notes on pages without a date: how many, why, and what to do.

    `12 pages have no date (such as a.html): 9: no source is known; 3: two sources fit`

    `omitted` counts the pages by cause: {no source is known: 9, two sources fit: 3}. `example` is
    one of these pages, `a.html`. Home pages and lists rarely have a source, so they have a note
    of their own. `no_git` says why git was not asked, None if it was or is no source of dates.
    """
    causes: Mapping[NoDate, int] = {
        cause: pages for cause, pages in omitted.items() if cause is not NoDate.LIST
    }
    if causes:
        subjects = (example, describe_causes(causes))
        help = how_to_date(causes, site, no_git)
        yield Message(Kind.UNDATED, subjects, sum(causes.values()), help)
    if NoDate.LIST in omitted:
        yield Message(Kind.UNDATED_LISTS, cases=omitted[NoDate.LIST])


def describe_causes(omitted: Mapping[NoDate, int]) -> str:
    """Describes why pages have no date, with the pages of each cause if there are several.

    `9: no source is known; 3: two sources fit`. For one cause, only `no source is known`.
    """
    if len(omitted) == 1:
        [cause] = omitted
        return cause.value
    # In the order of the enum, so that the text does not depend on which page came first.
    causes = [cause for cause in NoDate if cause in omitted]
    return "; ".join(f"{omitted[cause]:,}: {cause.value}" for cause in causes)


def how_to_date(omitted: Mapping[NoDate, int], site: Site, no_git: GitError | None) -> str:
    """Says what a person may do to date pages without a date, the best step first.

    `fetch the history: git fetch --unshallow …; --ledger sitemapper.ledger records changes …`

    `omitted` counts the pages by the cause. `no_git` says why git was not asked, None if it was or
    is no source of dates.
    """
    return "; ".join(_list_steps(omitted, site, no_git))


def _list_steps(
    omitted: Mapping[NoDate, int], site: Site, no_git: GitError | None
) -> Iterator[str]:
    """Lists the steps that may date the pages, in the order in which a person should try them.

    1. If the clone is shallow, fetch the history.
    2. Wait until the ledger dates a changed page, or start a ledger.
    3. Help git: mend what stopped it, or put the site into a repository, or say from which sources
       the pages are made.
    4. Take the dates of all commits, with `--lastmod git`. Some are false then, so this step is
       the last. `--lastmod mtime` is no step: a warning would follow it.
    """
    asks_git = "git" in site.date_sources
    # 1. The history.
    if NoDate.SHALLOW in omitted:
        yield FETCH_HISTORY
    # 2. The ledger.
    if "ledger" in site.date_sources:
        yield "the ledger dates each page when it changes"
    else:
        yield "--ledger sitemapper.ledger records changes from now on"
    # 3. git. A user who has chosen sources of dates without git gets no advice about it.
    is_source_unknown = any(cause in omitted for cause in _CAUSES_OF_UNKNOWN_SOURCES)
    if no_git:
        yield str(no_git)
    elif not asks_git and site.is_auto_dated:
        yield "in a git repository, commits date pages"
    elif asks_git and is_source_unknown:
        if site.plugin and not site.source_files:
            yield f"to date pages by their sources, set {site.plugin}"
        else:
            yield "name the sources of the pages with [[git.map]]"
    # 4. All commits, if one was refused as a deploy.
    if asks_git and NoDate.WRITTEN in omitted:
        yield "--lastmod git takes the dates of all commits, also of those over nearly all pages"
