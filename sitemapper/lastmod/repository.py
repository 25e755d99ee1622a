"""What git says of the files of a repository: which it tracks, and which commits changed them.

The history is that of the first parents: a branch that was merged counts as its merge, whose time
is that of the change on the branch that is published.
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from ..files import is_inside
from ..git import output, parts

RENAME = "only renamed it"
SWEEP = "edited nine of ten of the sources"
DEPLOY = "wrote nine of ten of the built pages"
_NEARLY_ALL = 0.9
_MIN_SOURCES = 20  # people do edit all sources of a small site at once
_MIN_PAGES = 2  # each deploy of a small site writes all its pages; one page may be an edit
_LOG = (
    "-c", "log.showRoot=true", "log", "--first-parent", "--diff-merges=first-parent", "--raw", "-z",
    "-M100%", "--no-abbrev", "--no-color", "--no-show-signature", "--no-ext-diff",
    "--ignore-submodules=all", "--format=%H %ct %D",
)  # fmt: skip


class Kind(Enum):
    """What a file is for the site."""

    SOURCE = 1
    PAGE = 2
    SITEMAP = 3


class Event(NamedTuple):
    """A commit that touched a file. `position` counts from the newest commit, which has 0."""

    commit: str
    seconds: int  # the committer's time
    position: int
    is_certain: bool  # False at the boundary of a shallow clone, which seems to add all
    skipped: str = ""  # why it does not date the file: RENAME, SWEEP or DEPLOY


class Repository(NamedTuple):
    """A repository, by its root folder, and the files that it tracks, relative to it."""

    top: str
    names: frozenset[str]
    # The files that differ from the last commit, with their file times in seconds; None if deleted.
    edits: Mapping[str, int | None]


def open_repository(top: str) -> Repository | None:
    """Opens the repository at a folder; None if there is none, if it tracks nothing, or no git."""
    listed = output(top, "ls-files", "-z")
    status = output(top, "status", "--porcelain", "-z", "-uno", "--no-renames",
                    "--ignore-submodules=all")  # fmt: skip
    if not listed or status is None:
        return None
    edited = [entry[3:] for entry in status.split("\0") if entry]
    edits = {name: _file_time(os.path.join(top, name)) for name in edited}
    return Repository(top, frozenset(listed.split("\0")) - {""}, edits)


def name_in(repository: Repository, path: str) -> str | None:
    """The name of an absolute path in a repository, "" for its root; None for one outside."""
    if not is_inside(path, repository.top):
        return None
    return path[len(repository.top) :].strip(os.sep).replace(os.sep, "/")


def read_events(
    repository: Repository, kinds: Mapping[str, Kind], *, skips: bool
) -> dict[str, list[Event]]:
    """Reads which commits touched some files of today, the newest first, through pure renames.

    With `skips`, two kinds of commits date no file: one that edits nine of ten of the sources that
    there were, twenty at least; and one that writes nine of ten of the built pages, two at least.
    """
    events: dict[str, list[Event]] = {name: [] for name in kinds}
    today = {name: name for name in kinds}  # from the names at the commit that was reached
    there = Counter(kinds.values())
    for commit, changes in groupby(_read_log(repository), itemgetter(0)):
        edited: list[str] = []
        added: list[str] = []
        moved: dict[str, str] = {}
        for _, status, before, after in changes:
            name = today.get(after)
            if name is None:
                continue
            if status in "AR":
                del today[after]
            if status == "R":
                moved[before] = name
                events[name].append(commit._replace(skipped=RENAME))
            elif status == "A":
                added.append(name)
            else:
                edited.append(name)
        today |= moved

        edit = write = commit
        counts = Counter(kinds[name] for name in edited)
        new = Counter(kinds[name] for name in added)
        if skips and commit.is_certain:
            sources = there[Kind.SOURCE] - new[Kind.SOURCE]
            if counts[Kind.SOURCE] >= max(_MIN_SOURCES, _NEARLY_ALL * sources):
                edit = commit._replace(skipped=SWEEP)
            # A deploy writes all pages, new ones with the others.
            written = counts[Kind.PAGE] + new[Kind.PAGE]
            if written >= max(_MIN_PAGES, _NEARLY_ALL * there[Kind.PAGE]):
                write = commit._replace(skipped=DEPLOY)
        there -= new
        for name in edited:
            of_kind = {Kind.SOURCE: edit, Kind.PAGE: write, Kind.SITEMAP: commit}
            events[name].append(of_kind[kinds[name]])
        for name in added:
            events[name].append(write if kinds[name] is Kind.PAGE else commit)
    return events


def dating(events: Sequence[Event]) -> Event | None:
    """The last commit that edited or added a file, None if all its commits are no edits."""
    return next((event for event in events if not event.skipped), None)


def _read_log(repository: Repository) -> Iterator[tuple[Event, str, str, str]]:
    """Yields what each commit did to each file, the newest commit first.

    That is a letter (A, M, D, R, T), and the names before and after it. A change of the mode alone
    is none.
    """
    commit = Event("", 0, -1, is_certain=True)
    tokens = parts(repository.top, *_LOG)
    for token in tokens:
        line = token.lstrip("\n")
        if not line.startswith(":"):
            hash, seconds, names = line.split(" ", 2)
            # What git calls the oldest commits of a shallow clone, beside its branches and tags.
            is_certain = "grafted" not in names.split(", ")
            commit = Event(hash[:12], int(seconds), commit.position + 1, is_certain)
            continue
        _, _, old, new, status = line.split(" ")
        before = next(tokens, "")
        after = next(tokens, "") if status[0] == "R" else before
        if status[0] == "R" or old != new:
            yield commit, status[0], before, after


def _file_time(path: str) -> int | None:
    try:
        return os.lstat(path).st_mtime_ns // 1_000_000_000
    except OSError:
        return None
