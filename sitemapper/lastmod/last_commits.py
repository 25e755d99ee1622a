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

    def set_commit(self, commit: Commit, *, is_edit: bool, is_up_to_sitemap: bool) -> None:
        """Dates the file by a commit that changed it, older than any that dated it before.

        `is_up_to_sitemap` says that the sitemap was committed with this commit or after it.
        """
        self.commit = commit.hash
        self.seconds = commit.seconds
        self.is_certain = commit.is_certain
        self.has_edit = is_edit
        self.is_unchanged_since_sitemap = is_up_to_sitemap
        if not self.last_change_seconds:  # no newer commit changed the file
            self.last_change_seconds = commit.seconds

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
          all of a kind is no edit. If the table is empty, every commit is an edit.
        - `sitemap_paths` are the paths of the sitemap's files, if the sitemap is committed.
        """
        # Inputs.
        self._files = files
        self._sitemap_paths = sitemap_paths
        # Results, filled by `run`.
        self.commits_that_add: set[bytes] = set()  # hashes of commits with new files
        self.deploys: dict[bytes, Deploy] = {}  # by hash: commits that wrote nearly all pages
        self.sitemap_commit: Commit | None = None  # the last one that changed the sitemap
        # What is still to be found, as paths of files: the last edit of a file, and then, to check
        # its date in a committed sitemap, the commit before that edit. `run` ends without any.
        self._need_edit = {file.path for file in files.values()}
        self._need_commit_before_edit: set[bytes] = set()
        # Where `run` has to look, by the hash of an older commit: the files of today that are in
        # it. If today's `a.md` was `b.md` in the commit 1a → {b"1a…": {b"b.md": [a.md]}}.
        self._files_by_commit: dict[bytes, _FilesByName] = {}
        # How many sources and pages there were. `run` subtracts those that a commit added.
        self._file_counts: Counter[FileKind] = Counter(file_counts)
        # Hashes of older commits whose changes are in the sitemap: its own commit, and ancestors.
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
        for number, (commit, changes) in enumerate(history):
            if number == 0:  # the newest commit has all files of today, by their names of today
                files_today = {name: [file] for name, file in self._files.items()}
                self._files_by_commit[commit.hash] = files_today
            files_here = self._files_by_commit.pop(commit.hash, None)
            if files_here is not None:
                self._visit(commit, changes, files_here, on_change)
            if not self._need_edit and not self._need_commit_before_edit:
                return
            self._note_ancestors_of_sitemap(commit)

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
        if commit.parents:
            names_added = {change.name for _, change in changed if not change.existed}
            self._note_files_of_parents(commit, files_here, names_added, origins)

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

    def _note_ancestors_of_sitemap(self, commit: Commit) -> None:
        """Notes the parents of a commit as ancestors of the sitemap's commit, if it is one."""
        if commit.hash in self._commits_up_to_sitemap:
            self._commits_up_to_sitemap.remove(commit.hash)
            self._commits_up_to_sitemap.update(commit.parents)

    def _date(
        self,
        changed: Iterable[_ChangedFile],
        commit: Commit,
        kinds_without_edit: Collection[FileKind],
    ) -> None:
        """Dates the files that a commit edited or added, unless a newer commit edited them.

        Of the `kinds_without_edit`, the commit changed nearly all files, so it was no edit of them.
        It dates these files only until an older commit is found.
        """
        is_up_to_sitemap = commit.hash in self._commits_up_to_sitemap
        for file, change in changed:
            if file.path in self._need_commit_before_edit:  # a newer commit dates the file
                file.previous_seconds = commit.seconds
                self._need_commit_before_edit.remove(file.path)
            elif file.path in self._need_edit:
                is_new = not change.existed
                # A deploy adds a page together with all others. But a source that a formatter's
                # commit added was written then.
                is_new_source = is_new and file.kind is FileKind.SOURCE
                is_edit = is_new_source or file.kind not in kinds_without_edit
                file.set_commit(commit, is_edit=is_edit, is_up_to_sitemap=is_up_to_sitemap)
                if is_new:  # no older commit has the file
                    self.commits_that_add.add(commit.hash)
                    self._need_edit.remove(file.path)
                elif is_edit:
                    self._need_edit.remove(file.path)
                    # Files without a kind, such as the sitemap itself, need no date.
                    if is_up_to_sitemap and file.kind is not None:
                        self._need_commit_before_edit.add(file.path)

    def _note_files_of_parents(
        self,
        commit: Commit,
        files_here: _FilesByName,
        names_added: Iterable[bytes],
        origins: Mapping[bytes, tuple[bytes, bytes]],
    ) -> None:
        """Notes in which parent of a commit each file is, and by which name, for `run` to go on.

            the commit added `a.md`               in no parent
            it moved `b.md`, or merged it         in the parent of the `origins`, by its name there
            it edited `c.md`, or left it alone    in the first parent, by the same name

        Removes the first two from `files_here`, so the caller must not use this table again.
        """
        for name in names_added:
            del files_here[name]
        for name, (parent, name_before) in origins.items():
            self._add_files_at(parent, {name_before: files_here.pop(name)})
        self._add_files_at(commit.parents[0], files_here)

    def _add_files_at(self, commit: bytes, files_by_name: _FilesByName) -> None:
        """Notes that an older commit has these files of today, by the names that they have there.

        It may have others already, which another commit with the same parent has left there.
        """
        already_there = self._files_by_commit.get(commit, {})
        # There may be many files, so the smaller table is added to the larger one.
        small, large = sorted((files_by_name, already_there), key=len)
        for name, files in small.items():  # a name may be in both
            large.setdefault(name, []).extend(files)
        self._files_by_commit[commit] = large


def _find_changed(
    commit: Commit,
    changes: Iterator[Change],
    files_here: _FilesByName,
    on_change: Callable[[], None],
) -> tuple[list[_ChangedFile], dict[bytes, tuple[bytes, bytes]]]:
    """Finds the files of today that a commit edited or added. Also says where others come from.

    `files_here` are the files of today by their names in the commit. If a newer commit moved `y.md`
    to `z.md`, today's `z.md` is here by the name `y.md`. Changes of other files are skipped.

    The first result has each edited or added file with its change. The second has the files that a
    parent already had with the same content, as {name: (hash of the parent, name there)}:

        the commit moved `b.md` to `a.md`         {b"a.md": (b"1a…", b"b.md")}
        a merge took `a.md` from its parent 2b    {b"a.md": (b"2b…", b"a.md")}

    Calls `on_change` once for each changed file, to show progress.
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
