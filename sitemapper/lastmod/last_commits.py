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
_FEWEST_SOURCES = 20  # people do edit all sources of a small site at once
_FEWEST_PAGES = 2  # each deploy of a small site writes all its pages; one page may be an edit


class FileKind(IntEnum):
    """What a file is for the site."""

    SOURCE = 1
    PAGE = 2


@dataclass(slots=True)
class TrackedFile:
    """A file that git tracks, and what the history says of it.

    - `edited` is set if the file seems to differ from the last commit: the hash of its content
      there, empty if it certainly differs, as a new file does.
    - `commit` is the commit that dates the file, and `seconds` is its time. At the edge of a
      shallow clone, `is_certain` is false: an older commit may have changed the file.
    - `is_edit` is false while all commits that were found are no edits. `commit` is then the last
      of these.
    - `last` is the time of its last commit of any kind.
    - `before_sitemap` is the time of the commit before `commit`, if that is the last commit of the
      sitemap, too. While that commit is sought, `seeks_before` is set.
    """

    path: bytes
    kind: FileKind | None = None
    edited: bytes | None = None
    commit: bytes = b""
    seconds: int = 0
    is_certain: bool = False
    is_edit: bool = False
    last: int = 0
    before_sitemap: int | None = None
    seeks_before: bool = False

    def set_commit(self, commit: Commit) -> None:
        """Dates the file by a commit, the newest one that is left."""
        self.commit = commit.hash
        self.seconds = commit.seconds
        self.is_certain = commit.is_certain
        self.is_edit = True
        self.last = self.last or commit.seconds

    def forget_commits(self) -> None:
        """Forgets what the history says, before that is read again."""
        self.commit = b""
        self.is_edit = False
        self.last = 0
        self.before_sitemap = None
        self.seeks_before = False


class NoEdit(NamedTuple):
    """A commit that is no edit: it touched so many files of a kind, of those that there were."""

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

    `adding` are the commits that added files. `deploys` are those that wrote nearly all built
    pages. `sitemap_commit` is the last one that changed the sitemap. `equal` has files with the
    hashes that they had before commits that are no edits: these contents count as the same.
    """

    def __init__(
        self,
        files: Mapping[bytes, TrackedFile],
        kinds: Mapping[FileKind, int],
        sitemaps: Collection[bytes],
    ) -> None:
        """`files` are those to date, by their names in the repository.

        `kinds` are the numbers of files of each kind, empty if all commits count as edits.
        `sitemaps` are the paths of the committed sitemap's files.
        """
        self.adding: list[bytes] = []
        self.deploys: dict[bytes, NoEdit] = {}
        self.sitemap_commit: Commit | None = None
        self.equal: set[tuple[bytes, bytes]] = set()
        self._files = files
        self._kinds = dict(kinds)
        self._sitemaps = sitemaps
        self._sought_at: dict[bytes, _Sought] = {}  # by the commits that come next
        self._open = len(files)  # the number of files for which a commit is sought

    def run(
        self,
        history: Iterable[tuple[Commit, Iterator[Change]]],
        on_change: Callable[[], None],
    ) -> None:
        """Reads the history until each file has its commit. Calls `on_change` at each change."""
        for number, (commit, changes) in enumerate(history):
            if number == 0:
                self._sought_at[commit.hash] = {name: [file] for name, file in self._files.items()}
            sought = self._sought_at.pop(commit.hash, None)
            if sought is None:  # no file has its content from this commit
                continue
            touched: dict[FileKind | None, _Touched] = defaultdict(_Touched)
            dated: list[_Dated] = []
            for of_file in _by_file(commit, changes):
                on_change()
                dated += self._apply(of_file, commit, sought, touched)
            self._open -= len(dated)
            if any(not change.existed for _, change in dated):
                self.adding.append(commit.hash)
            # At the edge of a shallow clone, a commit seems to have added all files.
            if self._kinds and commit.is_certain:
                self._look_through(commit, dated, touched)
            self._mark_sitemap(commit, dated)
            if not self._open:
                return
            self._go_on(commit, sought)

    def _apply(
        self,
        changes: Sequence[Change],
        commit: Commit,
        sought: _Sought,
        touched: dict[FileKind | None, _Touched],
    ) -> Iterator[_Dated]:
        """Applies the changes of a file to those that are sought under its name.

        Either they are carried to the parent with the same content, or the commit changed them.
        Yields those that the commit dates.
        """
        change = changes[0]
        files = sought.get(change.name)
        if not files:
            return
        origin = find_origin(changes, commit.parents)
        if origin or not change.existed:
            del sought[change.name]
        if origin:
            parent, name_before = origin
            is_first = parent == commit.parents[0]
            there = sought if is_first else self._sought_at.setdefault(parent, {})
            there.setdefault(name_before, []).extend(files)
            return
        for file in files:
            of_kind = touched[file.kind]
            if change.existed:
                of_kind.edited += 1
            else:
                of_kind.added += 1
            if file.seeks_before:
                file.seeks_before = False
                file.before_sitemap = commit.seconds
                self._open -= 1
            elif not file.is_edit:
                file.set_commit(commit)
                yield _Dated(file, change)

    def _look_through(
        self,
        commit: Commit,
        dated: Iterable[_Dated],
        touched: Mapping[FileKind | None, _Touched],
    ) -> None:
        """Takes back the dates that a commit gave to the files of a kind, if it is no edit."""
        no_edits = self._find_no_edits(touched)
        if FileKind.PAGE in no_edits:
            self.deploys[commit.hash] = no_edits[FileKind.PAGE]
        for file, change in dated:
            if file.kind not in no_edits:
                continue
            if change.existed:
                file.is_edit = False
                self._open += 1
                self.equal.add((file.path, change.blob_before))
            elif file.kind is FileKind.PAGE:
                # It was only built. A source keeps the date, because somebody wrote it.
                file.is_edit = False

    def _find_no_edits(
        self, touched: Mapping[FileKind | None, _Touched]
    ) -> dict[FileKind | None, NoEdit]:
        """The kinds of files of which a commit touched nearly all that there were at its time.

        A commit that edits 25 of 27 sources is no edit, even if there are a hundred today.
        """
        no_edits: dict[FileKind | None, NoEdit] = {}
        for kind in self._kinds.keys() & touched.keys():
            of_kind = touched[kind]
            after = self._kinds[kind]
            before = after - of_kind.added
            self._kinds[kind] = before
            if kind is FileKind.SOURCE:
                # A commit that adds sources is an import, and nothing else could date them.
                no_edit = NoEdit(of_kind.edited, before)
                fewest = _FEWEST_SOURCES
            else:
                no_edit = NoEdit(of_kind.edited + of_kind.added, after)
                fewest = _FEWEST_PAGES
            if no_edit.touched >= max(fewest, _NEARLY_ALL * no_edit.files):
                no_edits[kind] = no_edit
        return no_edits

    def _mark_sitemap(self, commit: Commit, dated: Sequence[_Dated]) -> None:
        """Notes the last commit of the sitemap.

        For the pages and sources that it changed, too, the commits before it are then sought.
        """
        if self.sitemap_commit or not any(file.path in self._sitemaps for file, _ in dated):
            return
        self.sitemap_commit = commit
        for file, change in dated:
            if file.kind and file.is_edit and change.existed:
                file.seeks_before = True
                self._open += 1

    def _go_on(self, commit: Commit, sought: _Sought) -> None:
        """Carries the files that a commit did not change to its first parent."""
        if not commit.parents:
            return
        first = commit.parents[0]
        other = self._sought_at.get(first, {})
        small, large = sorted((sought, other), key=len)
        for name, files in small.items():
            large.setdefault(name, []).extend(files)
        self._sought_at[first] = large


def _by_file(commit: Commit, changes: Iterator[Change]) -> Iterator[list[Change]]:
    """The changes of each file that differs from the first parent, those to all parents together.

    A file that equals the first parent goes on there, whatever the others have.
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
