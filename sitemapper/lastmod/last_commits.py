"""Finds the last commit that changed each file of a repository, on one walk through its history.

A commit that touched nearly all sources, or nearly all built pages, is no edit: it formatted the
files, moved them or deployed the site. It dates none of these files.
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
    - `is_edit` is false while all commits that were found touched nearly all files, and so date
      none. `commit` is then the oldest of these.
    - `last` is the time of the newest commit of any kind.
    - `is_published` is true if the file has not changed since the last commit of the sitemap.
    - `previous` is then the time of the commit before `commit`, 0 if there is none. While that is
      sought, `seeks_previous` is true.
    """

    path: bytes
    kind: FileKind | None = None
    edited: bytes | None = None
    commit: bytes = b""
    seconds: int = 0
    is_certain: bool = False
    is_edit: bool = False
    last: int = 0
    is_published: bool = False
    previous: int = 0
    seeks_previous: bool = False

    def forget_commits(self) -> None:
        """Resets what `CommitSearch` has set, before the history is read again.

        `seconds` and `is_certain` count only beside a `commit`, and are set with it.
        """
        self.commit = b""
        self.is_edit = False
        self.last = 0
        self.is_published = False
        self.previous = 0
        self.seeks_previous = False


class Deploy(NamedTuple):
    """A commit that wrote nearly all built pages: 95 of the 100 that there were then."""

    written: int
    pages: int


class _ChangedFile(NamedTuple):
    """A file of today that a commit changed, perhaps under another name, and the change."""

    file: TrackedFile
    change: Change


# The files of today whose content is that of a commit, by their names there. A rename gives a file
# another name, and two files may come from one.
_Sought = dict[bytes, list[TrackedFile]]


class CommitSearch:
    """The search for the commits of one repository's files, from the last commit on.

    Each file is carried from a commit to the parent that has the same content, until a commit
    changed it. That commit dates the file.

    `run` fills the results:

    - `commits_that_add` are the hashes of the commits that seem to add files. The caller checks
      whether they moved these from elsewhere.
    - `deploys` are the commits that wrote nearly all built pages, by their hashes.
    - `sitemap_commit` is the last commit that changed the sitemap, None if there is none.
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
        self.deploys: dict[bytes, Deploy] = {}
        self.sitemap_commit: Commit | None = None
        # Where the search stands.
        self._sought_at: dict[bytes, _Sought] = {}  # by the commits that come next
        self._sought_count = len(files)  # the number of files for which a commit is sought
        # At the time of the commit that comes next.
        self._file_counts: Counter[FileKind | None] = Counter(file_counts)
        # The commit of the sitemap, then its parents, then theirs, as far as they come next.
        self._published_commits: set[bytes] = set()

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
            is_published = commit.hash in self._published_commits
            if is_published:
                self._published_commits.remove(commit.hash)
                self._published_commits.update(commit.parents)
            sought = self._sought_at.pop(commit.hash, None)
            if sought is None:  # no file has its content from this commit
                continue
            # Date the files that the commit changed.
            changed = list(self._carry_or_change(changes, commit, sought, on_change))
            dated = self._date(changed, commit)
            # At the edge of a shallow clone, a commit seems to have added all files.
            if self._file_counts and commit.is_certain:
                self._take_back_no_edits(commit, dated, changed)
            if self._sitemap_paths:
                self._compare_with_sitemap(commit, dated, is_published=is_published)
            if not self._sought_count:
                return
            self._carry_to_first_parent(commit, sought)

    def _carry_or_change(
        self,
        changes: Iterator[Change],
        commit: Commit,
        sought: _Sought,
        on_change: Callable[[], None],
    ) -> Iterator[_ChangedFile]:
        """Yields the files of today that a commit changed. Carries others to one of its parents.

        `sought` are the files of today by their names at this commit. For each of these that
        differs from a parent:

        - The commit edited or added it: it is yielded.
        - The commit is a merge that took `a.md` from its second parent: it is sought there.
        - The commit moved `b.md` to `a.md`: it is sought as `b.md` at the parent.
        """
        for changes_of_file in _group_by_file(commit, changes):
            on_change()
            change = changes_of_file[0]
            files = sought.get(change.name)
            if not files:
                continue
            origin = find_origin(changes_of_file, commit.parents)
            # No older commit has the file under this name: it came from elsewhere, or is new.
            if origin or not change.existed:
                del sought[change.name]
            if origin is None:
                for file in files:
                    yield _ChangedFile(file, change)
                continue
            parent, name_before = origin
            if parent == commit.parents[0]:
                sought_at_parent = sought  # `run` carries these to the first parent
            else:
                sought_at_parent = self._sought_at.setdefault(parent, {})
            sought_at_parent.setdefault(name_before, []).extend(files)

    def _date(self, changed: Iterable[_ChangedFile], commit: Commit) -> list[_ChangedFile]:
        """Dates the changed files that have no date by a commit, and returns these.

        Commits come from the newest to the oldest. A file that is dated already stays as it is,
        except that this may be the commit before, which the file seeks.
        """
        dated = []
        for changed_file in changed:
            file = changed_file.file
            if file.seeks_previous:
                file.seeks_previous = False
                file.previous = commit.seconds
                self._sought_count -= 1
            elif not file.is_edit:
                file.commit = commit.hash
                file.seconds = commit.seconds
                file.is_certain = commit.is_certain
                file.is_edit = True
                file.last = file.last or commit.seconds
                dated.append(changed_file)
        self._sought_count -= len(dated)
        if any(not change.existed for _, change in dated):
            self.commits_that_add.append(commit.hash)
        return dated

    def _take_back_no_edits(
        self, commit: Commit, dated: Iterable[_ChangedFile], changed: Iterable[_ChangedFile]
    ) -> None:
        """Takes back the dates that a commit gave to files, if it touched nearly all of their kind.

        An older commit of such a file is then sought. If the commit added the file, there is none:
        a page has no date then, because it was only built. A source keeps the date, because
        somebody wrote it.
        """
        edited = Counter(file.kind for file, change in changed if change.existed)
        added = Counter(file.kind for file, change in changed if not change.existed)
        kinds = set(self._find_kinds_without_edit(edited, added))
        if FileKind.PAGE in kinds:
            self.deploys[commit.hash] = Deploy(
                written=edited[FileKind.PAGE] + added[FileKind.PAGE],
                pages=self._file_counts[FileKind.PAGE],
            )
        for file, change in dated:
            if file.kind in kinds and change.existed:
                file.is_edit = False
                self._sought_count += 1
            elif file.kind in kinds and file.kind is FileKind.PAGE:
                file.is_edit = False
        # Before this commit, there were fewer files. A commit that edited 25 of 27 sources was no
        # edit, even if there are a hundred today.
        self._file_counts.subtract(added)

    def _find_kinds_without_edit(
        self, edited: Mapping[FileKind | None, int], added: Mapping[FileKind | None, int]
    ) -> Iterator[FileKind]:
        """Finds the kinds of files of which a commit touched nearly all, so that it was no edit.

        `edited` and `added` are the numbers of files of each kind that it changed.

            25 of 27 sources edited            a formatter: sources
            all of 10 sources edited           nothing, because people do that on a small site
            all of 27 sources added            nothing: an import, and nothing else could date them
            90 pages edited, and 5 of 100 new  a deploy: pages. It writes new pages with the others
        """
        sources_before = self._file_counts[FileKind.SOURCE] - added[FileKind.SOURCE]
        least = max(_MIN_SOURCES_OF_NO_EDIT, _NEARLY_ALL * sources_before)
        if edited[FileKind.SOURCE] >= least:
            yield FileKind.SOURCE
        pages_after = self._file_counts[FileKind.PAGE]
        least = max(_MIN_PAGES_OF_DEPLOY, _NEARLY_ALL * pages_after)
        if edited[FileKind.PAGE] + added[FileKind.PAGE] >= least:
            yield FileKind.PAGE

    def _compare_with_sitemap(
        self, commit: Commit, dated: Sequence[_ChangedFile], *, is_published: bool
    ) -> None:
        """Marks the files that a commit dates as published, if the sitemap was committed later.

        It may have been committed by the same commit, or by one after it. For these files, the
        commit before is then sought: the date in the sitemap must be later than that. Otherwise,
        the sitemap was built before the last edit.

        `is_published` says that the last commit of the sitemap comes after this one. If it is this
        one, that is noted in `sitemap_commit`.
        """
        if not self.sitemap_commit and any(file.path in self._sitemap_paths for file, _ in dated):
            self.sitemap_commit = commit
            self._published_commits.update(commit.parents)
            is_published = True
        for file, change in dated:
            file.is_published = is_published
            if is_published and file.kind and file.is_edit and change.existed:
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
