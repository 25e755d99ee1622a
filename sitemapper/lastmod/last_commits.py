"""Finds the commit that dates each file of a repository: the last one that edited or added it.

All files are searched for on one walk through the history, from the newest commit to the oldest.
The files of today start at the newest commit. Each commit dates those that it changed, unless a
newer commit has dated them. The files that it did not add go on to its parents, by the names that
they have there. So a renamed file is found, too.

A commit that touched nearly all sources, or nearly all built pages, is no edit: it formatted the
files, moved them or deployed the site. It dates none of these files, and older commits do.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from .commits import Change, Commit, find_origin

_NEARLY_ALL = 0.9
_MIN_SOURCES_OF_NO_EDIT = 20  # people do edit all sources of a small site at once
# Each deploy of a small site writes all its pages. One page may be an edit.
_MIN_PAGES_OF_DEPLOY = 2


class FileKind(IntEnum):
    """What a file is for the site: a source, from which pages are made, or a built page."""

    SOURCE = 1
    PAGE = 2


@dataclass(slots=True)
class TrackedFile:
    """A file that git tracks, and what the history says of it. Times are in seconds.

    - `is_edited` says that the file differs from the last commit. While `blob_to_compare` is set,
      that is not certain: this is the hash of its content in the last commit.
    - `commit` is the commit that dates the file, and `seconds` is its time. At the edge of a
      shallow clone, `is_certain` is false: an older commit may have changed the file.
    - `has_edit` says that `commit` edited or added the file. It is false if only formatters or
      deploys changed the file so far, which touch nearly all files. `commit` is the oldest of them.
    - `last_change_seconds` is the time of the newest commit that changed the file. A formatter or a
      deploy counts here, too.
    - `is_unchanged_since_sitemap` says that no commit edited the file after the last commit of the
      sitemap. A formatter may have changed it.
    - `previous_seconds` is the time of the commit of such a file before `commit`, 0 for none.
    """

    path: bytes
    kind: FileKind | None = None
    is_edited: bool = False
    blob_to_compare: bytes = b""
    commit: bytes = b""
    seconds: int = 0
    is_certain: bool = False
    has_edit: bool = False
    last_change_seconds: int = 0
    is_unchanged_since_sitemap: bool = False
    previous_seconds: int = 0

    def forget_commits(self) -> None:
        """Resets all that the search for commits has found, so that it can begin again.

        What the file is, and whether it is edited since its last commit, stays.
        """
        self.commit = b""
        self.seconds = 0
        self.is_certain = False
        self.has_edit = False
        self.last_change_seconds = 0
        self.is_unchanged_since_sitemap = False
        self.previous_seconds = 0


class Deploy(NamedTuple):
    """A commit that wrote nearly all built pages: 95 of the 100 that there were then."""

    written: int
    pages: int


class _ChangedFile(NamedTuple):
    """A file of today that a commit changed, perhaps under another name, and the change."""

    file: TrackedFile
    change: Change


# Files of today by their names at an older commit. A rename gives a file another name, and two
# files of today may be copies of one that was there.
_FilesByName = dict[bytes, list[TrackedFile]]


class CommitSearch:
    """The search for the commits that date the files of one repository.

    It walks back through the history, from the newest commit to the oldest:

    1. At the start, all files of today are at the newest commit.
    2. A file that a commit edited or added is dated by it, if no newer commit edited the file.
    3. A commit that touched nearly all files of a kind is no edit. An older commit may then date
       these files in its place.
    4. All files but those that the commit added are in one of its parents. If it moved `b.md` to
       `a.md`, the file `a.md` of today is `b.md` in the parent.
    5. The walk ends when no file needs an older commit, or after the oldest one.

    `run` fills the results:

    - `commits_that_add` are the hashes of the commits that seem to add files. The caller checks
      whether they moved these from elsewhere.
    - `deploys` are the commits that wrote nearly all built pages, by their hashes. Messages say
      this of a page that has no date for that reason.
    - `sitemap_commit` is the last commit that changed the sitemap, None if there is none.
    """

    def __init__(
        self,
        files: Mapping[bytes, TrackedFile],
        file_counts: Mapping[FileKind, int],
        sitemap_paths: Collection[bytes],
    ) -> None:
        """Prepares the search for the commit that dates each of the `files`, given by their names.

        - `file_counts` are the numbers of sources and of pages today. A commit that touched nearly
          all sources, or nearly all pages, is no edit. Without numbers, every commit is one.
        - `sitemap_paths` are the paths of the sitemap's files, if the sitemap is committed.
        """
        # Inputs.
        self._files = files
        self._sitemap_paths = sitemap_paths
        # Results, filled by `run`.
        self.commits_that_add: set[bytes] = set()  # hashes of commits with new files
        self.deploys: dict[bytes, Deploy] = {}  # by hash: commits that wrote nearly all pages
        self.sitemap_commit: Commit | None = None  # the last one that changed the sitemap
        # `run` goes back from commit to commit, and ends when no file needs an older one. These are
        # the paths of the files that still do.
        self._waiting = {file.path for file in files.values()}
        # Commits to which `run` will come, by their hashes: the files of today that are in them, by
        # the names there. If today's `a.md` was `b.md` in the commit 1a, this is
        # {b"1a…": {b"b.md": [a.md]}}.
        self._files_by_commit: dict[bytes, _FilesByName] = {}
        # How many sources and pages there were after the commit at which `run` is.
        self._file_counts: Counter[FileKind] = Counter(file_counts)
        # Of the commits to which `run` will come, the hashes of the sitemap's commit and of its
        # ancestors: what they changed was there when the sitemap was committed.
        self._commits_up_to_sitemap: set[bytes] = set()

    def run(
        self,
        history: Iterable[tuple[Commit, Iterator[Change]]],
        on_change: Callable[[], None],
    ) -> None:
        """Goes back through the history until each file has the commit of its last edit.

            3c, the newest commit, edits other files    today's `a.md` is in its parent 2b, too
            2b moves `b.md` to `a.md`                   today's `a.md` is `b.md` in its parent 1a
            1a edits `b.md`                             1a dates today's `a.md`

        `history` has the newest commit first, and each commit before its parents. Calls `on_change`
        once for each file that a commit changed, to show progress.
        """
        all_files = {name: [file] for name, file in self._files.items()}
        for number, (commit, changes) in enumerate(history):
            # The files of today that are in this commit, by their names there: all in the newest
            # commit. None if no file of today is in it.
            files_here = all_files if number == 0 else self._files_by_commit.pop(commit.hash, None)
            if files_here is not None:
                self._visit(commit, changes, files_here, on_change)
            if not self._waiting:
                return
            # The parents of an ancestor of the sitemap's commit are its ancestors, too.
            if commit.hash in self._commits_up_to_sitemap:
                self._commits_up_to_sitemap.remove(commit.hash)
                self._commits_up_to_sitemap.update(commit.parents)

    def _visit(
        self,
        commit: Commit,
        changes: Iterator[Change],
        files_here: _FilesByName,
        on_change: Callable[[], None],
    ) -> None:
        """Dates the files that a commit edited or added, and notes which files its parents have.

        `files_here` are the files of today that are in the commit, by their names there.
        """
        changed, origins = _find_changed(commit, changes, files_here, on_change)
        kinds_without_edit: set[FileKind] = set()
        # Without these counts, every commit is an edit. So is the oldest commit of a shallow clone,
        # which only seems to have added all files.
        if self._file_counts and commit.is_certain:
            kinds_without_edit.update(self._find_kinds_without_edit(changed))
            if FileKind.PAGE in kinds_without_edit:
                self._note_deploy(commit, changed)
            # Next come older commits: before this one, the files that it added were not there.
            self._file_counts.subtract(
                file.kind for file, change in changed if file.kind and not change.existed
            )
        if self._sitemap_paths and self.sitemap_commit is None:
            self._note_sitemap_commit(commit, changed)
        self._date(changed, commit, kinds_without_edit)
        self._note_files_of_parents(commit, files_here, changed, origins)

    def _find_kinds_without_edit(self, changed: Sequence[_ChangedFile]) -> Iterator[FileKind]:
        """Yields the kinds of files of which a commit touched nearly all, so that it was no edit.

        A formatter changes nearly all sources, and a deploy writes nearly all pages:

            25 of 27 sources edited            sources: a formatter did that
            all of 10 sources edited           nothing: people do that on a small site
            all of 27 sources added            nothing: an import, and nothing else could date them
            90 pages edited, and 5 of 100 new  pages: a deploy writes all, new ones with the others
            the only page edited               nothing: this may be an edit
        """
        edited = Counter(file.kind for file, change in changed if change.existed)
        added = Counter(file.kind for file, change in changed if not change.existed)
        # Only edits count, so they are compared with the sources that there were before.
        sources_before = self._file_counts[FileKind.SOURCE] - added[FileKind.SOURCE]
        sources_needed = max(_MIN_SOURCES_OF_NO_EDIT, _NEARLY_ALL * sources_before)
        if edited[FileKind.SOURCE] >= sources_needed:
            yield FileKind.SOURCE
        # New pages count, too, so they are compared with all pages that there were afterwards.
        pages_after = self._file_counts[FileKind.PAGE]
        pages_needed = max(_MIN_PAGES_OF_DEPLOY, _NEARLY_ALL * pages_after)
        if edited[FileKind.PAGE] + added[FileKind.PAGE] >= pages_needed:
            yield FileKind.PAGE

    def _note_deploy(self, commit: Commit, changed: Iterable[_ChangedFile]) -> None:
        """Notes a commit that wrote nearly all pages: how many, and how many there were then."""
        self.deploys[commit.hash] = Deploy(
            written=sum(file.kind is FileKind.PAGE for file, _ in changed),
            pages=self._file_counts[FileKind.PAGE],
        )

    def _note_sitemap_commit(self, commit: Commit, changed: Iterable[_ChangedFile]) -> None:
        """Notes a commit as that of the sitemap if it changed one of the sitemap's files.

        Newer commits come first, so the first one that changed the sitemap is its last commit.
        """
        if any(file.path in self._sitemap_paths for file, _ in changed):
            self.sitemap_commit = commit
            self._commits_up_to_sitemap.add(commit.hash)

    def _date(
        self,
        changed: Iterable[_ChangedFile],
        commit: Commit,
        kinds_without_edit: Collection[FileKind],
    ) -> None:
        """Dates the files that a commit edited or added, unless a newer commit edited them.

        Newer commits come first. `kinds_without_edit` are the kinds of files of which the commit
        changed nearly all, as a formatter or a deploy does. It dates these files, too, until an
        older commit that edited them is found.
        """
        is_up_to_sitemap = commit.hash in self._commits_up_to_sitemap
        for file, change in changed:
            if file.path not in self._waiting:  # newer commits say all that is needed of the file
                continue
            # A newer commit dates the file. Of this one before it, only the time is needed.
            if file.has_edit:
                file.previous_seconds = commit.seconds
                self._waiting.remove(file.path)
                continue
            file.commit = commit.hash
            file.seconds = commit.seconds
            file.is_certain = commit.is_certain
            if not file.last_change_seconds:  # no newer commit changed the file
                file.last_change_seconds = commit.seconds
            # A deploy adds a page together with all others. But a source that a formatter's commit
            # added was written then.
            is_new_source = file.kind is FileKind.SOURCE and not change.existed
            file.has_edit = is_new_source or file.kind not in kinds_without_edit
            file.is_unchanged_since_sitemap = is_up_to_sitemap
            if not _needs_older_commit(file, change):
                self._waiting.remove(file.path)
            if not change.existed:
                self.commits_that_add.add(commit.hash)

    def _note_files_of_parents(
        self,
        commit: Commit,
        files_here: _FilesByName,
        changed: Iterable[_ChangedFile],
        origins: Mapping[bytes, tuple[bytes, bytes]],
    ) -> None:
        """Notes in which parent of a commit each file is, and by which name, for `run` to go on.

        - `files_here` are the files of today by their names in the commit. The caller must not use
          this table again.
        - `changed` are those that the commit edited or added.
        - `origins` are those that it took from a parent as they were. If it moved `b.md` of the
          parent 1a to `a.md`, this is {b"a.md": (b"1a…", b"b.md")}.
        """
        if not commit.parents:
            return
        # A file that the commit added is in no parent.
        for name in {change.name for _, change in changed if not change.existed}:
            del files_here[name]
        # A file that it moved, or merged from another branch, is in that parent by its old name.
        for name, (parent, name_before) in origins.items():
            files_at_parent = self._files_by_commit.setdefault(parent, {})
            files_at_parent.setdefault(name_before, []).extend(files_here.pop(name))
        # All others are in the first parent, by the same names. Other files may be there already,
        # from another commit with this parent. There may be many files, so the smaller table is
        # added to the larger one.
        first = commit.parents[0]
        already_there = self._files_by_commit.get(first, {})
        small, large = sorted((files_here, already_there), key=len)
        for name, files in small.items():  # a name may be in both
            large.setdefault(name, []).extend(files)
        self._files_by_commit[first] = large


def _needs_older_commit(file: TrackedFile, change: Change) -> bool:
    """Whether an older commit of a file is still needed, after a commit with this change dated it.

    - If the commit added the file, there is none.
    - If it was a formatter's or a deploy, an older commit may be the edit.
    - If it was an edit, the date in the committed sitemap may still count. It must then be later
      than the commit before the edit.
    """
    if not change.existed:
        return False
    if not file.has_edit:
        return True
    # A file without a kind, such as the sitemap, is no page and no source, and needs no date.
    return file.is_unchanged_since_sitemap and file.kind is not None


def _find_changed(
    commit: Commit,
    changes: Iterator[Change],
    files_here: _FilesByName,
    on_change: Callable[[], None],
) -> tuple[list[_ChangedFile], dict[bytes, tuple[bytes, bytes]]]:
    """Finds the files of today that a commit edited or added, and those that it took from a parent.

    `files_here` are the files of today by their names in the commit: today's `a.md` is `b.md` in a
    commit from before it was moved. Returns the edited and added ones, each with its change, and
    says where the others were:

        the commit moved `b.md` to `a.md`               {b"a.md": (hash of the parent, b"b.md")}
        a merge took `a.md` from its second parent      {b"a.md": (hash of that parent, b"a.md")}

    Changes of other files are skipped. Calls `on_change` once for each changed file, to show
    progress.
    """
    changed: list[_ChangedFile] = []
    origins: dict[bytes, tuple[bytes, bytes]] = {}
    for changes_of_file in _group_by_file(commit, changes):
        on_change()
        change = changes_of_file[0]  # a merge has one for each parent, all of the same name
        files = files_here.get(change.name)
        if not files:  # a file that is not there today, or is not to be dated
            continue
        origin = find_origin(changes_of_file, commit.parents)
        if origin is None:  # no parent has this content
            changed += [_ChangedFile(file, change) for file in files]
        else:
            origins[change.name] = origin
    return changed, origins


def _group_by_file(commit: Commit, changes: Iterator[Change]) -> Iterator[list[Change]]:
    """Groups the changes of a commit by file. git lists a merge's changes against each parent.

    - An ordinary commit: one group of one change for each file.
    - A merge that differs in `a.md` from both parents → one group, both changes of `a.md`.
    - A merge that differs in `b.md` from its first parent only → one group of one change. The file
      was taken from the second parent.
    - A merge that differs in `c.md` from its second parent only → no group: the file is that of the
      first parent, where the walk goes on.
    """
    if len(commit.parents) < 2:
        for change in changes:
            yield [change]
        return
    # git lists the changes against the first parent before those against the others.
    by_name: dict[bytes, list[Change]] = {}
    for change in changes:
        if change.parent == commit.parents[0]:
            by_name[change.name] = [change]
        elif change.name in by_name:
            by_name[change.name].append(change)
    yield from by_name.values()
