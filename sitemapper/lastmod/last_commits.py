"""Finds the last commit that changed each file of a repository, on one walk through its history.

A commit that touched nearly all sources, or nearly all built pages, is no edit: it formatted the
files, moved them or deployed the site.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from .commits import Change, Commit, find_origin

_NEARLY_ALL = 0.9
_MIN_SOURCES_OF_NO_EDIT = 20  # people do edit all sources of a small site at once
_MIN_PAGES_OF_DEPLOY = (
    2  # each deploy of a small site writes all its pages; one page may be an edit
)


class FileKind(IntEnum):
    """What a file is for the site."""

    SOURCE = 1
    PAGE = 2


@dataclass(slots=True)
class TrackedFile:
    """A file that git tracks, and what the history says of it.

    - `edited` is None if the file equals the last commit. If it seems to differ, it is the hash of
      the content in that commit, empty if the file certainly differs, as a new file does.
    - `commit` is the commit that dates the file, and `seconds` is its time. At the edge of a
      shallow clone, `is_certain` is false: an older commit may have changed the file.
    - `is_edit` is false while all commits that were found are no edits. `commit` is then the last
      of these.
    - `last` is the time of its last commit of any kind.
    - `previous` is the time of the commit before `commit`. It is 0 if there is none, or if it is
      not needed because no sitemap is committed. While it is sought, `seeks_previous` is set.
    """

    path: bytes
    kind: FileKind | None = None
    edited: bytes | None = None
    commit: bytes = b""
    seconds: int = 0
    is_certain: bool = False
    is_edit: bool = False
    last: int = 0
    previous: int = 0
    seeks_previous: bool = False

    def set_commit(self, commit: Commit) -> None:
        """Dates the file by a commit.

        Commits come from the newest to the oldest. An older one replaces the date of a commit that
        was no edit, but not `last`.
        """
        self.commit = commit.hash
        self.seconds = commit.seconds
        self.is_certain = commit.is_certain
        self.is_edit = True
        self.last = self.last or commit.seconds

    def forget_commits(self) -> None:
        """Resets all that `CommitSearch` has set, before the history is read again."""
        self.commit = b""
        self.is_edit = False
        self.last = 0
        self.previous = 0
        self.seeks_previous = False


class NoEdit(NamedTuple):
    """How many files of a kind a commit touched that is no edit, of all files of that kind then.

    A deploy that wrote 95 of 100 pages: `NoEdit(touched=95, files=100)`.
    """

    touched: int
    files: int


class _Dated(NamedTuple):
    """A file that a commit dates, with its change."""

    file: TrackedFile
    change: Change


class _Touched:
    """How many files of a kind a commit edited, and how many it added."""

    def __init__(self) -> None:
        self.edited = 0
        self.added = 0


# The files whose content is that of a commit, by their names there. A rename gives a file another
# name, and two files may come from one.
_Sought = dict[bytes, list[TrackedFile]]


class CommitSearch:
    """The search for the commits of one repository's files, from the last commit on.

    The files that are still sought are carried from each commit to its parents. A file that a
    commit changed is dated by it. A file that a merge took from another parent than the first is
    carried to that parent.

    `run` fills the results:

    - `commits_that_add` are the hashes of the commits that added files.
    - `deploy_commits` are those that wrote nearly all built pages.
    - `sitemap_commit` is the last commit that changed the sitemap, None if there is none.
    - `contents_before_no_edits` are pairs of a file and the hash of its content before a commit
      that is no edit. These contents count as equal to those after it.
    """

    def __init__(
        self,
        files: Mapping[bytes, TrackedFile],
        file_counts: Mapping[FileKind, int],
        sitemap_paths: Collection[bytes],
    ) -> None:
        """`files` are those to date, by their names in the repository.

        `file_counts` are the numbers of files of each kind today, empty if all commits count as
        edits. `sitemap_paths` are the paths of the committed sitemap's files.
        """
        # Inputs.
        self._files = files
        self._sitemap_paths = sitemap_paths
        # Results, filled by `run`.
        self.commits_that_add: list[bytes] = []
        self.deploy_commits: dict[bytes, NoEdit] = {}
        self.sitemap_commit: Commit | None = None
        self.contents_before_no_edits: set[tuple[bytes, bytes]] = set()
        # Where the search stands.
        self._sought_at: dict[bytes, _Sought] = {}  # by the commits that come next
        self._sought_count = len(files)  # the number of files for which a commit is sought
        self._file_counts = dict(file_counts)  # at the time of the commit that comes next

    def run(
        self,
        history: Iterable[tuple[Commit, Iterator[Change]]],
        on_change: Callable[[], None],
    ) -> None:
        """Reads the history, from the newest commit on, until each file has its commit.

        Calls `on_change` once for each changed file of a commit, to show progress.
        """
        for number, (commit, changes) in enumerate(history):
            if number == 0:  # the last commit: all files are sought there
                self._sought_at[commit.hash] = {name: [file] for name, file in self._files.items()}
            sought = self._sought_at.pop(commit.hash, None)
            if sought is None:  # no file has its content from this commit
                continue
            # Date the files that the commit changed.
            touched: dict[FileKind | None, _Touched] = defaultdict(_Touched)
            dated: list[_Dated] = []
            for changes_of_file in _group_by_file(commit, changes):
                on_change()
                dated += self._carry_or_date(changes_of_file, commit, sought, touched)
            self._sought_count -= len(dated)
            if any(not change.existed for _, change in dated):
                self.commits_that_add.append(commit.hash)
            # At the edge of a shallow clone, a commit seems to have added all files.
            if self._file_counts and commit.is_certain:
                self._take_back_no_edits(commit, dated, touched)
            if self._sitemap_paths:
                self._mark_sitemap_commit(commit, dated)
                self._seek_previous_commits(dated)
            if not self._sought_count:
                return
            self._carry_to_first_parent(commit, sought)

    def _carry_or_date(
        self,
        changes: Sequence[Change],
        commit: Commit,
        sought: _Sought,
        touched: dict[FileKind | None, _Touched],
    ) -> Iterator[_Dated]:
        """Either carries a file to the parent that has the same content, or dates it by the commit.

        `changes` are those of one file. `sought` has the files of today with its content, by its
        name at this commit. A merge that took `a.md` from its second parent carries it there. So
        does a commit that moved `b.md` to `a.md`, which is then sought as `b.md`. Yields the files
        that are dated, and counts in `touched` all that the commit itself changed.
        """
        change = changes[0]
        files = sought.get(change.name)
        if not files:
            return
        origin = find_origin(changes, commit.parents)
        # No older commit has the file under this name: it came from elsewhere, or is new.
        if origin or not change.existed:
            del sought[change.name]
        if origin:
            parent, name_before = origin
            if parent == commit.parents[0]:
                sought_at_parent = sought  # `run` carries these to the first parent
            else:
                sought_at_parent = self._sought_at.setdefault(parent, {})
            sought_at_parent.setdefault(name_before, []).extend(files)
            return
        for file in files:
            of_kind = touched[file.kind]
            if change.existed:
                of_kind.edited += 1
            else:
                of_kind.added += 1
            if file.seeks_previous:  # it has its date, and this is the commit before
                file.seeks_previous = False
                file.previous = commit.seconds
                self._sought_count -= 1
            elif not file.is_edit:
                file.set_commit(commit)
                yield _Dated(file, change)

    def _take_back_no_edits(
        self,
        commit: Commit,
        dated: Iterable[_Dated],
        touched: Mapping[FileKind | None, _Touched],
    ) -> None:
        """Takes back the dates that a commit gave to files, if it is no edit of their kind.

        An older commit of such a file is then sought. A commit that formatted all sources and
        edited one page dates that page, but no source.
        """
        no_edits = self._count_back_to_no_edits(touched)
        if FileKind.PAGE in no_edits:
            self.deploy_commits[commit.hash] = no_edits[FileKind.PAGE]
        for file, change in dated:
            if file.kind not in no_edits:
                continue
            if change.existed:
                file.is_edit = False
                self._sought_count += 1
                self.contents_before_no_edits.add((file.path, change.blob_before))
            elif file.kind is FileKind.PAGE:
                # It was only built. A source keeps the date, because somebody wrote it.
                file.is_edit = False

    def _count_back_to_no_edits(
        self, touched: Mapping[FileKind | None, _Touched]
    ) -> dict[FileKind | None, NoEdit]:
        """Finds the kinds of files of which a commit touched nearly all. It is no edit of these.

        Nearly all are 90 % of those that there were at its time. A commit that edits 25 of 27
        sources is no edit, even if there are a hundred today. So the numbers of files are counted
        back: each commit takes away those that it added.
        """
        no_edits: dict[FileKind | None, NoEdit] = {}
        for kind in self._file_counts.keys() & touched.keys():
            of_kind = touched[kind]
            after = self._file_counts[kind]  # with the files that this commit added
            before = after - of_kind.added
            self._file_counts[kind] = before
            if kind is FileKind.SOURCE:
                # A commit that adds sources is an import, and nothing else could date them.
                no_edit = NoEdit(touched=of_kind.edited, files=before)
                min_touched = _MIN_SOURCES_OF_NO_EDIT
            else:
                # A deploy writes new pages with the others.
                no_edit = NoEdit(touched=of_kind.edited + of_kind.added, files=after)
                min_touched = _MIN_PAGES_OF_DEPLOY
            if no_edit.touched >= max(min_touched, _NEARLY_ALL * no_edit.files):
                no_edits[kind] = no_edit
        return no_edits

    def _mark_sitemap_commit(self, commit: Commit, dated: Sequence[_Dated]) -> None:
        """Sets `sitemap_commit`, if this is the last commit that changed the sitemap."""
        if self.sitemap_commit:
            return
        if any(file.path in self._sitemap_paths for file, _ in dated):
            self.sitemap_commit = commit

    def _seek_previous_commits(self, dated: Iterable[_Dated]) -> None:
        """Starts to seek the commit before the one that dates a page or a source.

        A page's date in the committed sitemap is false if it is not later than that commit: the
        page was edited after the sitemap was built.
        """
        for file, change in dated:
            if file.kind and file.is_edit and change.existed:
                file.seeks_previous = True
                self._sought_count += 1

    def _carry_to_first_parent(self, commit: Commit, sought: _Sought) -> None:
        """Carries the files that are still sought to the first parent of a commit.

        There, they join those that another child of this parent has carried to it. Without a
        parent, the search for them ends: they have no older commit.
        """
        if not commit.parents:
            return
        first = commit.parents[0]
        already_there = self._sought_at.get(first, {})
        # The smaller dictionary goes into the larger one, because this happens at each commit.
        small, large = sorted((sought, already_there), key=len)
        for name, files in small.items():
            large.setdefault(name, []).extend(files)
        self._sought_at[first] = large


def _group_by_file(commit: Commit, changes: Iterator[Change]) -> Iterator[list[Change]]:
    """Groups the changes of a commit by file. git lists a merge's changes against each parent.

    - An ordinary commit: one group of one change for each file.
    - A merge that differs in `a.md` from both parents → one group, both changes of `a.md`.
    - A merge that differs in `b.md` from its second parent only → no group: the file is that of the
      first parent, so the search goes on there.

    git lists the changes against the first parent before those against others.
    """
    if len(commit.parents) < 2:
        for change in changes:
            yield [change]
        return
    by_name: dict[bytes, list[Change]] = {}
    for change in changes:
        if change.parent == commit.parents[0]:
            by_name[change.name] = [change]
        elif change.name in by_name:
            by_name[change.name].append(change)
    yield from by_name.values()
