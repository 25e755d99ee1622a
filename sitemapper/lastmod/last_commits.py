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
    """The commits of a file that matter for its date. They are found from the newest on.

    - `newest` is the newest commit that changed the file. It may be a rewrite.
    - `dating` is the commit that dates the file: the last one that edited or added it. As long as
      only rewrites are found, it is the oldest of these, and `has_edit` is false.
    - `is_in_sitemap` says that the sitemap was committed together with `dating` or later. So the
      date of the file in the sitemap may be that of the edit which `dating` committed.
    - `before_dating` is the commit before `dating`. A date in the sitemap that is older than this
      one is not that of the edit. Without `is_in_sitemap`, it is not searched for.
    - `is_complete` says that no older commit matters.
    """

    newest: Commit | None = None
    dating: Commit | None = None
    has_edit: bool = False
    is_in_sitemap: bool = False
    before_dating: Commit | None = None
    is_complete: bool = False

    def add(self, commit: Commit, *, is_new: bool, is_edit: bool, is_in_sitemap: bool) -> None:
        """Adds the next older commit that changed the file.

        `is_new` says that the commit added the file. `is_edit` is false for a rewrite.
        `is_in_sitemap` says that the sitemap was committed together with this commit or later.
        """
        if self.newest is None:
            self.newest = commit
        if self.has_edit:  # a newer commit edited the file, and dates it
            self.before_dating = commit
            self.is_complete = True
            return
        # No newer commit edited the file, so this one dates it. After a rewrite, an older commit
        # may still take its place.
        self.dating = commit
        self.has_edit = is_edit
        self.is_in_sitemap = is_in_sitemap
        if is_new:  # no older commit has the file
            self.is_complete = True
        elif is_edit:
            # A date in the sitemap is compared with `before_dating`, which is still to be found.
            self.is_complete = not is_in_sitemap

    def before(self, commit: Commit) -> Commit | None:
        """Returns the last commit that edited the file before another commit. None if none did."""
        return self.before_dating if self.dating == commit else self.dating


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
        # The files of today that wait for the walk at an older commit, by its hash, and by their
        # names there. If today's `a.md` was `b.md` in the commit 1a: {b"1a…": {b"b.md": [a.md]}}.
        self._waiting_at: dict[bytes, _FilesByName] = {}
        # The number of files that need an older commit. The walk ends when there are none.
        self._incomplete_files = len(self.files)
        # The numbers of sources and of pages that there were at the commit the walk has reached.
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
                self._waiting_at[commit.hash] = {name: [file] for name, file in self.files.items()}
            files_here = self._waiting_at.pop(commit.hash, None)
            if files_here is not None:
                changed = self._pass_to_parents(files_here, commit, changes, on_change)
                self._visit(commit, changed)
            if not self._incomplete_files:
                return
            # A sitemap with the changes of a commit also has those of its parents.
            if commit.hash in self._commits_in_sitemap:
                self._commits_in_sitemap.remove(commit.hash)
                self._commits_in_sitemap.update(commit.parents)

    def _visit(self, commit: Commit, changed: Sequence[_Changed]) -> None:
        """Dates the files that a commit edited or added, `changed`, unless it rewrote them.

        If the commit is a deploy or the last one of the sitemap, it is noted as such.
        """
        self._note_sitemap_commit(commit, changed)
        rewritten_kinds = set(self._find_rewritten_kinds(commit, changed))
        if FileKind.PAGE in rewritten_kinds:
            self._note_deploy(commit, changed)
        self._date(changed, commit, rewritten_kinds)
        # The walk goes on with older commits, which do not have the files that this one added. The
        # oldest commit of a shallow clone only seems to have added all files.
        if commit.is_certain:
            added = (file.kind for file, is_new in changed if is_new and file.kind)
            self._file_counts.subtract(added)

    def _pass_to_parents(
        self,
        files_here: _FilesByName,
        commit: Commit,
        changes: Iterator[ChangedFile],
        on_change: Callable[[], None],
    ) -> list[_Changed]:
        """Passes files from a commit to its parents, where they wait for the walk.

        Returns the files that the commit edited or added. `files_here` are the files of today that
        the commit has, by their names there. The caller must not use this table again.
        """
        changed: list[_Changed] = []
        for change in changes:
            on_change()
            files = files_here.get(change.name)
            if not files:  # a file that is not there today, or is not to be dated
                continue
            # The commit moved `b.md` to `a.md`, or it is a merge and took `a.md` from this parent.
            origin = change.origin
            if origin:
                del files_here[change.name]
                self._let_wait(origin.parent, {origin.name: files})
                continue
            changed += [_Changed(file, change.is_new) for file in files]
            if change.is_new:  # no parent has the file
                del files_here[change.name]
        # The first parent has all other files, edited or not, by the same names.
        if commit.parents:
            self._let_wait(commit.parents[0], files_here)
        return changed

    def _let_wait(self, commit: bytes, files: _FilesByName) -> None:
        """Lets files wait until the walk comes to an older commit, together with those there."""
        waiting = self._waiting_at.get(commit, {})
        # One of the two tables may be large, so the smaller one is added to the larger one.
        small, large = sorted((files, waiting), key=len)
        for name, files_of_name in small.items():
            large.setdefault(name, []).extend(files_of_name)  # a name may be in both
        self._waiting_at[commit] = large

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
        self, commit: Commit, changed: Sequence[_Changed]
    ) -> Iterator[FileKind]:
        """Yields the kinds of files of which a commit touched nearly all, so that it was no edit.

        A formatter changes nearly all sources, and a deploy writes nearly all pages:

            25 of 27 sources edited            sources: a formatter did that
            all of 10 sources edited           nothing: people do that on a small site
            all of 27 sources added            nothing: an import, and nothing else could date them
            90 pages edited, and 5 of 100 new  pages: a deploy writes all, new ones with the others
            the only page edited               nothing: this may be an edit
        """
        # The oldest commit of a shallow clone only seems to have added all files.
        if not self._skips_rewrites or not commit.is_certain:
            return
        edited = Counter(file.kind for file, is_new in changed if not is_new)
        added = Counter(file.kind for file, is_new in changed if is_new)
        # Only edits count, so they are compared with the sources that there were before.
        sources_before = self._file_counts[FileKind.SOURCE] - added[FileKind.SOURCE]
        sources_needed = max(_MIN_SOURCES_OF_REWRITE, _NEARLY_ALL * sources_before)
        if edited[FileKind.SOURCE] >= sources_needed:
            yield FileKind.SOURCE
        # New pages count, too, so they are compared with all pages that there were afterwards.
        pages_after = self._file_counts[FileKind.PAGE]
        pages_needed = max(_MIN_PAGES_OF_DEPLOY, _NEARLY_ALL * pages_after)
        if edited[FileKind.PAGE] + added[FileKind.PAGE] >= pages_needed:
            yield FileKind.PAGE

    def _note_deploy(self, commit: Commit, changed: Iterable[_Changed]) -> None:
        """Notes a commit that wrote nearly all pages: how many, and how many there were then."""
        self.deploys[commit.hash] = Deploy(
            written=sum(file.kind is FileKind.PAGE for file, _ in changed),
            pages=self._file_counts[FileKind.PAGE],
        )

    def _date(
        self, changed: Iterable[_Changed], commit: Commit, rewritten_kinds: Collection[FileKind]
    ) -> None:
        """Adds a commit to the files that it edited or added, if an older commit matters for them.

        For the `rewritten_kinds`, such as all pages, the commit counts as a rewrite.
        """
        is_in_sitemap = commit.hash in self._commits_in_sitemap
        incomplete = [change for change in changed if not change.file.commits.is_complete]
        for file, is_new in incomplete:
            # A new source is an edit even if the same commit formatted all other sources: somebody
            # wrote it. A new page is none if a deploy wrote it together with all other pages.
            is_new_source = is_new and file.kind is FileKind.SOURCE
            is_edit = is_new_source or file.kind not in rewritten_kinds
            file.commits.add(commit, is_new=is_new, is_edit=is_edit, is_in_sitemap=is_in_sitemap)
            if file.commits.is_complete:
                self._incomplete_files -= 1
            if is_new:
                self.commits_that_add.add(commit.hash)
