"""Finds the commit that dates each file of a repository: the last one that edited or added it.

All files are searched for on one walk through the history, from the newest commit to the oldest.
The files of today start at the newest commit. Each commit dates those that it changed, unless a
newer commit has dated them. The files that it did not add go on to its parents, by the names that
they have there. So a renamed file is found, too.

A commit that touched nearly all sources, or nearly all built pages, is a rewrite: it formatted the
files, moved them or deployed the site. It dates none of these files, and older commits do.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from .commits import ChangedFile, Commit

_NEARLY_ALL = 0.9
_MIN_SOURCES_OF_REWRITE = 20  # people do edit all sources of a small site at once
# Each deploy of a small site writes all its pages. One page may be an edit.
_MIN_PAGES_OF_DEPLOY = 2


class FileKind(IntEnum):
    """What a file is for the site: a source, from which pages are made, or a built page."""

    SOURCE = 1
    PAGE = 2


@dataclass(slots=True)
class FileCommits:
    """The commits of a file that matter for its date. They are added from the newest on.

    - `newest` is the newest commit that changed the file. It may be a rewrite.
    - `last` is the last commit that edited or added the file, and dates it. As long as only
      rewrites are found, it is the oldest of these, and `has_edit` is false.
    - `is_last_in_sitemap` says that the last commit of the sitemap is `last` or a later one. So the
      sitemap may have been built after the last edit of the file.
    - `before_last` is the commit before `last`. It is searched for only if `is_last_in_sitemap`.
    - `is_complete` says that no older commit matters.
    """

    newest: Commit | None = None
    last: Commit | None = None
    has_edit: bool = False
    is_last_in_sitemap: bool = False
    before_last: Commit | None = None
    is_complete: bool = False

    def add(self, commit: Commit, *, is_new: bool, is_edit: bool, is_in_sitemap: bool) -> None:
        """Adds the next older commit that changed the file.

        `is_new` says that the commit added the file, so that no older commit has it. `is_edit` is
        false for a rewrite. `is_in_sitemap` says that the sitemap was committed with this commit or
        later.
        """
        if self.has_edit:
            self.before_last = commit
            self.is_complete = True
            return
        if self.newest is None:
            self.newest = commit
        self.last = commit
        self.has_edit = is_edit
        self.is_last_in_sitemap = is_in_sitemap
        # A date in the sitemap counts only if it is later than the commit before the last edit.
        needs_commit_before = is_in_sitemap
        self.is_complete = is_new or (is_edit and not needs_commit_before)


@dataclass(slots=True)
class TrackedFile:
    """A file that git tracks, with its commits.

    `is_edited` says that the file differs from the last commit. While `blob_to_compare` is set,
    that is not certain: this is the hash of its content in the last commit.
    """

    path: bytes
    kind: FileKind | None = None
    is_edited: bool = False
    blob_to_compare: bytes = b""
    commits: FileCommits = field(default_factory=FileCommits)


class Deploy(NamedTuple):
    """A commit that wrote nearly all built pages: 95 of the 100 that there were then."""

    written: int
    pages: int


class _Changed(NamedTuple):
    """A file of today that a commit edited or added, perhaps under another name."""

    file: TrackedFile
    is_new: bool


class SearchOptions(NamedTuple):
    """What decides which commits date files, apart from the files themselves.

    - `file_counts` are the numbers of sources and of pages today, to recognise rewrites.
    - `sitemap_paths` are the paths of the sitemap's files, if the sitemap is committed.
    - Without `skips_rewrites`, a commit that touched nearly all files dates them, too.
    """

    file_counts: Mapping[FileKind, int]
    sitemap_paths: Collection[bytes]
    skips_rewrites: bool


# The files of today that an older commit has, by their names there. Two files of today may be
# copies of one that was there.
_FilesByName = dict[bytes, list[TrackedFile]]


class CommitSearch:
    """The search for the commits that date the files of one repository.

    It walks back through the history, from the newest commit to the oldest:

    1. At the start, all files of today are at the newest commit.
    2. A file that a commit edited or added is dated by it, if no newer commit edited the file.
    3. A commit that touched nearly all files of a kind is a rewrite. An older commit may then date
       these files in its place.
    4. All files but those that the commit added are in one of its parents. If it moved `b.md` to
       `a.md`, the file `a.md` of today is `b.md` in the parent.
    5. The walk ends when no file needs an older commit, or after the oldest one.

    `run` sets the commits of the files, and these results:

    - `commits_that_add` are the hashes of the commits that seem to add files. The caller checks
      whether they moved these from elsewhere.
    - `deploys` are the commits that wrote nearly all built pages, by their hashes. Messages say
      this of a page that has no date for that reason.
    - `sitemap_commit` is the last commit that changed the sitemap, None if there is none.
    """

    def __init__(self, files: Mapping[bytes, TrackedFile], options: SearchOptions) -> None:
        """Prepares the search for the commits of `files`, which are given by their names.

        It leaves out the files that are neither pages nor sources, such as images.
        """
        sitemap_paths = options.sitemap_paths
        self.files = {
            name: file for name, file in files.items() if file.kind or file.path in sitemap_paths
        }
        self._sitemap_paths = sitemap_paths
        self._skips_rewrites = options.skips_rewrites
        # Results.
        self.commits_that_add: set[bytes] = set()
        self.deploys: dict[bytes, Deploy] = {}
        self.sitemap_commit: Commit | None = None
        # The walk. `_files_at` has the files of today that older commits have, by the hashes of the
        # commits: {b"1a…": {b"b.md": [a.md]}} if today's `a.md` was `b.md` in the commit 1a.
        self._files_at: dict[bytes, _FilesByName] = {}
        self._incomplete_files = len(self.files)  # files that need an older commit
        # The numbers of sources and pages in the commit that the walk has reached.
        self._file_counts = Counter(options.file_counts)
        # Older commits whose changes are in the sitemap, by their hashes.
        self._commits_in_sitemap: set[bytes] = set()

    def run(
        self,
        history: Iterable[tuple[Commit, Iterator[ChangedFile]]],
        on_change: Callable[[], None],
    ) -> None:
        """Walks back through the history until each file has the commits that matter for its date.

            3c, the newest commit, edits other files    today's `a.md` is in its parent 2b, too
            2b moves `b.md` to `a.md`                   today's `a.md` is `b.md` in its parent 1a
            1a edits `b.md`                             1a dates today's `a.md`

        `history` has the newest commit first, and each commit before its parents. Calls `on_change`
        once for each file that a commit changed, to show progress.
        """
        for number, (commit, changes) in enumerate(history):
            if number == 0:  # the newest commit has all files of today, by their names of today
                self._files_at[commit.hash] = {name: [file] for name, file in self.files.items()}
            files_here = self._files_at.pop(commit.hash, None)
            if files_here is not None:
                self._visit(commit, changes, files_here, on_change)
            if not self._incomplete_files:
                return
            # If the changes of a commit are in the sitemap, those of its parents are, too.
            if commit.hash in self._commits_in_sitemap:
                self._commits_in_sitemap.remove(commit.hash)
                self._commits_in_sitemap.update(commit.parents)

    def _visit(
        self,
        commit: Commit,
        changes: Iterator[ChangedFile],
        files_here: _FilesByName,
        on_change: Callable[[], None],
    ) -> None:
        """Dates the files that a commit edited or added, and hands the others on to its parents.

        `files_here` are the files of today that are in the commit, by their names there. The table
        is handed on, too, so the caller must not use it again.
        """
        changed: list[_Changed] = []
        for change in changes:
            on_change()
            files = files_here.get(change.name)
            if not files:  # a file that is not there today, or is not to be dated
                continue
            origin = change.origin
            if origin:  # the commit moved the file, or merged it: a parent has its content
                del files_here[change.name]
                self._add_files_at(origin.parent, {origin.name: files})
                continue
            changed += [_Changed(file, change.is_new) for file in files]
            if change.is_new:  # no parent has the file
                del files_here[change.name]
        # The first parent has all other files, by the same names.
        if commit.parents:
            self._add_files_at(commit.parents[0], files_here)
        self._date(commit, changed)

    def _add_files_at(self, commit: bytes, files: _FilesByName) -> None:
        """Adds files of today that an older commit has. The walk goes on with them there.

        The commit may have files already, if another commit has the same parent.
        """
        files_there = self._files_at.get(commit, {})
        # There may be many files, so the smaller table is added to the larger one.
        small, large = sorted((files, files_there), key=len)
        for name, files_of_name in small.items():  # a name may be in both
            large.setdefault(name, []).extend(files_of_name)
        self._files_at[commit] = large

    def _date(self, commit: Commit, changed: Sequence[_Changed]) -> None:
        """Adds a commit to the files that it edited or added, if they need an older commit."""
        rewritten_kinds: set[FileKind] = set()
        # The oldest commit of a shallow clone only seems to have added all files.
        if self._skips_rewrites and commit.is_certain:
            rewritten_kinds.update(_find_rewritten_kinds(changed, self._file_counts))
            if FileKind.PAGE in rewritten_kinds:
                self._note_deploy(commit, changed)
            # The older commits, which come next, do not have the files that this one added.
            kinds_added = (file.kind for file, is_new in changed if is_new and file.kind)
            self._file_counts.subtract(kinds_added)
        self._note_sitemap_commit(commit, changed)
        is_in_sitemap = commit.hash in self._commits_in_sitemap
        incomplete = [change for change in changed if not change.file.commits.is_complete]
        for file, is_new in incomplete:
            # A deploy adds a new page together with all others. But a new source was written by a
            # person, although the same commit formatted all others.
            is_new_source = is_new and file.kind is FileKind.SOURCE
            is_edit = is_new_source or file.kind not in rewritten_kinds
            file.commits.add(commit, is_new=is_new, is_edit=is_edit, is_in_sitemap=is_in_sitemap)
            if file.commits.is_complete:
                self._incomplete_files -= 1
            if is_new:
                self.commits_that_add.add(commit.hash)

    def _note_deploy(self, commit: Commit, changed: Iterable[_Changed]) -> None:
        """Notes a commit that wrote nearly all pages: how many, and how many there were then."""
        self.deploys[commit.hash] = Deploy(
            written=sum(file.kind is FileKind.PAGE for file, _ in changed),
            pages=self._file_counts[FileKind.PAGE],
        )

    def _note_sitemap_commit(self, commit: Commit, changed: Iterable[_Changed]) -> None:
        """Notes a commit as the last one of the sitemap if it changed one of the sitemap's files.

        Newer commits come first, so the first one that changed the sitemap is its last commit.
        """
        if not self._sitemap_paths or self.sitemap_commit:
            return
        if any(file.path in self._sitemap_paths for file, _ in changed):
            self.sitemap_commit = commit
            self._commits_in_sitemap.add(commit.hash)


def _find_rewritten_kinds(
    changed: Sequence[_Changed], file_counts: Mapping[FileKind, int]
) -> Iterator[FileKind]:
    """Yields the kinds of files of which a commit touched nearly all, so that it was no edit.

    A formatter changes nearly all sources, and a deploy writes nearly all pages:

        25 of 27 sources edited            sources: a formatter did that
        all of 10 sources edited           nothing: people do that on a small site
        all of 27 sources added            nothing: an import, and nothing else could date them
        90 pages edited, and 5 of 100 new  pages: a deploy writes all, new ones with the others
        the only page edited               nothing: this may be an edit

    `file_counts` are the numbers of sources and of pages after the commit.
    """
    edited = Counter(file.kind for file, is_new in changed if not is_new)
    added = Counter(file.kind for file, is_new in changed if is_new)
    # Only edits count, so they are compared with the sources that there were before.
    sources_before = file_counts[FileKind.SOURCE] - added[FileKind.SOURCE]
    sources_needed = max(_MIN_SOURCES_OF_REWRITE, _NEARLY_ALL * sources_before)
    if edited[FileKind.SOURCE] >= sources_needed:
        yield FileKind.SOURCE
    # New pages count, too, so they are compared with all pages that there were afterwards.
    pages_after = file_counts[FileKind.PAGE]
    pages_needed = max(_MIN_PAGES_OF_DEPLOY, _NEARLY_ALL * pages_after)
    if edited[FileKind.PAGE] + added[FileKind.PAGE] >= pages_needed:
        yield FileKind.PAGE
