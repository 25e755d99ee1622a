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
    """Asks git which files it tracks in the folder `top`, and which of them have edits.

    An edit is a difference from the last commit that is not committed itself. It is returned with
    the time of its file, such as {("/repo", "docs/tea.md"): 1772366400}. The result is None if
    `top` is not the root of a repository, if it tracks no file, or if there is no git.
    """
    tracked_names = output(top, "ls-files", "-z")
    status = output(top, *_STATUS)
    if not tracked_names or status is None:
        return None
    # git writes a NUL behind each name, so the last part is empty.
    tracked = frozenset(tracked_names.split("\0")) - {""}

    # An entry of the status is ` M docs/tea.md`: two characters for the kind of the edit, a space,
    # and the name, which begins at the fourth character.
    edited = [entry[3:] for entry in status.split("\0") if entry]
    edits = {(top, name): _file_time(os.path.join(top, name)) for name in edited}
    return Repository(top, tracked, edits)


def name_in(repository: Repository, path: str) -> str | None:
    """Names an absolute path as git does, by its path below the root of the repository.

    In the repository `/repo`, `/repo/docs/tea.md` → `docs/tea.md`. The root itself is "", and a
    path outside of the repository is None.
    """
    if not is_inside(path, repository.top):
        return None
    # git writes slashes on all systems.
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

    For `docs/tea.md`, these are all commits that added, edited or renamed it. If it was called
    `drafts/tea.md` before a pure rename, the commits under that name count as well.

    `sources` are what people edit, and `pages` are built from them. With `skips`, a commit over
    nearly all of them is no edit of a single file, and gets a reason in `skipped`. This holds for
    one that edits nine of ten sources that there were, twenty at least, and for one that writes
    nine of ten built pages, two at least. Commits of `sitemaps` are never skipped.
    """
    files = {*sources, *pages, *sitemaps}
    # The loop goes back in time, and files had other names then. So `today` has the files of today
    # by the names that they had at the commit that the loop has reached.
    today = {name: (top, name) for top, name in files if top == repository.top}
    events: dict[File, list[Event]] = {file: [] for file in today.values()}
    # The sources and pages that existed at that commit. Each commit that added some removes them
    # here, because the commits before it could not touch them.
    sources_then, pages_then = set(sources), set(pages)
    for commit, changes in groupby(_read_log(repository), itemgetter(0)):
        # 1. Sort the files that the commit touched by what it did to them.
        edited: set[File] = set()
        added: set[File] = set()
        by_earlier_name: dict[str, File] = {}
        for _, status, before, after in changes:
            file = today.get(after)
            if file is None:  # nobody asked for this file
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
        # The earlier names are added only now. If one commit exchanges the names of two files, each
        # name would otherwise stand for the wrong file.
        today |= by_earlier_name

        # 2. Decide whether the commit touched nearly all sources or pages. It may be skipped for
        # the sources and count for the pages, or the reverse, so there are two copies of it.
        edit_of_source = write_of_page = commit
        written = edited | added
        sources_then -= added  # only sources that there were before the commit can be edited by it
        if skips:
            if len(edited & sources_then) >= max(_MIN_SOURCES, _NEARLY_ALL * len(sources_then)):
                edit_of_source = commit._replace(skipped=SWEEP)
            # A deploy writes all pages, new ones with the others.
            if len(written & pages_then) >= max(_MIN_PAGES, _NEARLY_ALL * len(pages_then)):
                write_of_page = commit._replace(skipped=DEPLOY)

        # 3. Record the commit for each file that it wrote. Renames are recorded above.
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
    """Returns the commit that dates a file: the newest one that is not skipped, or None."""
    return next((event for event in events if not event.skipped), None)


def _read_log(repository: Repository) -> Iterator[tuple[Event, str, str, str]]:
    """Reads the log of git, and yields what each commit did to each file, the newest commit first.

    For example, it yields (commit, "R", "drafts/tea.md", "docs/tea.md"). The letter is the one by
    which git calls the change: A added, M edited, D deleted, R renamed, T another type. The names
    are those before and after the change. A change of the file's mode alone is left out.
    """
    commit = Event("", 0, -1, is_certain=True)  # no commit yet; -1, so that the first one gets 0
    tokens = parts(repository.top, *_LOG)  # the output between NULs
    for token in tokens:
        line = token.lstrip("\n")  # git begins some of them with the end of the line before

        # A new commit: its hash, its time, and the branches and tags that stand at it.
        if not line.startswith(":"):  # `0123456789ab 1772366400 HEAD -> main, tag: v1`
            hash, seconds, refs = line.split(" ", 2)
            # Among the branches and tags, git marks the oldest commits of a shallow clone as
            # "grafted". They seem to add all files, so it is not certain that they edited any.
            commit = Event(
                hash,
                int(seconds),
                commit.position + 1,
                is_certain="grafted" not in refs.split(", "),
            )
            continue

        # Else a change by the commit above: its modes and hashes before and after, and the letter,
        # as in `:100644 100644 0a1b2c3d4e5f 5f4e3d2c1b0a M`. The next token is the file name.
        # A rename is `R100`, and is followed by two names.
        _, _, old_hash, new_hash, status = line.split(" ")
        is_rename = status.startswith("R")
        before = next(tokens, "")
        after = next(tokens, "") if is_rename else before
        # Equal hashes without a rename: only the mode changed, as by `chmod +x`.
        if is_rename or old_hash != new_hash:
            yield commit, status[0], before, after


def _file_time(path: str) -> int | None:
    """Returns when a file was last written, in seconds; None if it is not there any more.

    For a link, it is the time of the link itself, because git tracks the link and not its target.
    """
    try:
        return os.lstat(path).st_mtime_ns // 1_000_000_000
    except OSError:
        return None
