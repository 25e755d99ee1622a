"""What git says of the files of a repository: which it tracks, and which commits changed them.

The history is that of the first parents: a branch that was merged counts as its merge, whose time
is that of the change on the branch that is published.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from ..files import is_inside
from ..git import output, parts
from .source import File

RENAME = "only renamed it"
SWEEP = "edited nine of ten of the sources"
DEPLOY = "wrote nine of ten of the built pages"
_NEARLY_ALL = 0.9
_MIN_SOURCES = 20  # people do edit all sources of a small site at once
_MIN_PAGES = 2  # each deploy of a small site writes all its pages; one page may be an edit
# Tracked files that differ from the last commit. A renamed file is two entries, with a name each.
_STATUS = (
    "status", "--porcelain", "-z", "--untracked-files=no", "--no-renames",
    "--ignore-submodules=all",
)  # fmt: skip
# What each commit did to each file, whatever the user's settings of git are. Renames count only if
# the content stays (-M100%).
_LOG = (
    "-c", "log.showRoot=true", "log", "--first-parent", "--diff-merges=first-parent", "-z",
    "--raw", "-M100%", "--abbrev=12", "--no-color", "--no-show-signature", "--no-ext-diff",
    "--ignore-submodules=all", "--format=%h %ct %D",
)  # fmt: skip


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
    edits: Mapping[File, int | None]


def open_repository(top: str) -> Repository | None:
    """Asks git which files it tracks in the folder `top`, and which of them are edited.

    None if `top` is not the root of a repository, if it tracks no file, or if there is no git.
    """
    tracked_names = output(top, "ls-files", "-z")
    status = output(top, *_STATUS)
    if not tracked_names or status is None:
        return None
    # git writes a NUL behind each name, so the last part is empty.
    tracked = frozenset(tracked_names.split("\0")) - {""}
    # An entry is ` M docs/tea.md`: two letters, a space, and the name.
    edited = [entry[3:] for entry in status.split("\0") if entry]
    edits = {(top, name): _file_time(os.path.join(top, name)) for name in edited}
    return Repository(top, tracked, edits)


def name_in(repository: Repository, path: str) -> str | None:
    """Names an absolute path as git does: `/repo/docs/tea.md` → `docs/tea.md` if `top` is `/repo`.

    "" for the root of the repository, and None for a path outside of it.
    """
    if not is_inside(path, repository.top):
        return None
    return path[len(repository.top) :].strip(os.sep).replace(os.sep, "/")


def read_events(
    repository: Repository,
    sources: Iterable[File],
    pages: Iterable[File],
    sitemaps: Iterable[File],
    *,
    skips: bool,
) -> dict[File, list[Event]]:
    """Reads the commits that touched some files of the repository, by file, the newest first.

    If a commit only renamed a file, the commits under its earlier name count as well.

    `sources` and `pages` (built ones) are apart from `sitemaps`, because commits over nearly all of
    them are no edits. With `skips`, two kinds of commits get a reason in `skipped`: one that edits
    nine of ten of the sources that there were, twenty at least; and one that writes nine of ten of
    the built pages, two at least.
    """
    files = {*sources, *pages, *sitemaps}
    # The loop goes back in time. Here are the files of today, by the names that they had at the
    # commit that it has reached.
    today = {name: (top, name) for top, name in files if top == repository.top}
    events: dict[File, list[Event]] = {file: [] for file in today.values()}
    # From commit to commit, these lose the files that did not exist before it.
    sources_then, pages_then = set(sources), set(pages)
    for commit, changes in groupby(_read_log(repository), itemgetter(0)):
        # What the commit did to the files of today.
        edited: set[File] = set()
        added: set[File] = set()
        by_earlier_name: dict[str, File] = {}
        for _, status, before, after in changes:
            file = today.get(after)
            if file is None:
                continue
            if status in "AR":  # added or renamed: earlier commits know no file of this name
                del today[after]
            if status == "R":
                by_earlier_name[before] = file
                events[file].append(commit._replace(skipped=RENAME))
            elif status == "A":
                added.add(file)
            else:
                edited.add(file)
        # Only now, so that two files that change names in one commit are not mixed up.
        today |= by_earlier_name

        # The same commit, as it counts for an edited source and for a written page.
        edit_of_source = write_of_page = commit
        written = edited | added
        sources_then -= added  # only sources that there were before the commit can be edited by it
        if skips:
            if len(edited & sources_then) >= max(_MIN_SOURCES, _NEARLY_ALL * len(sources_then)):
                edit_of_source = commit._replace(skipped=SWEEP)
            # A deploy writes all pages, new ones with the others.
            if len(written & pages_then) >= max(_MIN_PAGES, _NEARLY_ALL * len(pages_then)):
                write_of_page = commit._replace(skipped=DEPLOY)
        for file in written:
            if file in pages_then:
                events[file].append(write_of_page)
            elif file in sources_then:
                events[file].append(edit_of_source)
            else:
                events[file].append(commit)
        pages_then -= added
    return events


def dating(events: Sequence[Event]) -> Event | None:
    """The commit that dates a file: the newest one that is not skipped."""
    return next((event for event in events if not event.skipped), None)


def _read_log(repository: Repository) -> Iterator[tuple[Event, str, str, str]]:
    """Yields what each commit did to each file, the newest commit first.

    Yields (commit, "R", "drafts/tea.md", "docs/tea.md"): the letter by which git calls the change
    (A added, M edited, D deleted, R renamed, T another type), and the names before and after it. A
    change of the file's mode alone is left out.
    """
    commit = Event("", 0, -1, is_certain=True)  # none yet: the first one gets position 0
    tokens = parts(repository.top, *_LOG)  # the output between NULs
    for token in tokens:
        line = token.lstrip("\n")
        # A new commit: its hash, its time, and the branches and tags that stand at it.
        if not line.startswith(":"):  # `0123456789ab 1772366400 HEAD -> main, tag: v1`
            hash, seconds, refs = line.split(" ", 2)
            # Among them, git marks the oldest commits of a shallow clone as "grafted".
            commit = Event(
                hash,
                int(seconds),
                commit.position + 1,
                is_certain="grafted" not in refs.split(", "),
            )
            continue

        # A change: the modes and hashes before and after, `:100644 100644 0a1b2c3d4e5f 5f4e3d2c1b0a
        # M`. The name is the next token. A rename is `R100`, and has two names.
        _, _, old_hash, new_hash, status = line.split(" ")
        is_rename = status.startswith("R")
        before = next(tokens, "")
        after = next(tokens, "") if is_rename else before
        if is_rename or old_hash != new_hash:
            yield commit, status[0], before, after


def _file_time(path: str) -> int | None:
    """When a file or a link was last written, in seconds; None if it is not there any more."""
    try:
        return os.lstat(path).st_mtime_ns // 1_000_000_000
    except OSError:
        return None
