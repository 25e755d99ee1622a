"""Finds the commit that dates each file of a repository: the last one that edited or added it.

All files are searched for on one walk through the history, from the newest commit to the oldest.
The files of today start at the newest commit. Each commit dates those that it changed, unless a
newer commit has dated them. It hands the files that it did not add on to its parents, under the
names that they have there. So a renamed file is found, too.

A commit that touched nearly all sources, or nearly all built pages, is no edit: it formatted the
files, moved them or deployed the site. It dates none of these files, and older commits do.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
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
    - `has_edit` says that a commit was found that edited or added the file. It stays false while
      all commits that were found touched nearly all files. `commit` is then the oldest of these.
    - `newest_seconds` is the time of the newest commit that changed the file, also if that commit
      touched nearly all files.
    - `is_unchanged_since_sitemap` says that no commit edited the file after the last commit of the
      sitemap. A later commit that touched nearly all files is no edit.
    - `previous_seconds` is the time of the commit of such a file before `commit`, 0 for none. While
      the search for this commit goes on, `waits_for_previous` is true.
    """

    path: bytes
    kind: FileKind | None = None
    is_edited: bool = False
    blob_to_compare: bytes = b""
    commit: bytes = b""
    seconds: int = 0
    is_certain: bool = False
    has_edit: bool = False
    newest_seconds: int = 0
    is_unchanged_since_sitemap: bool = False
    previous_seconds: int = 0
    waits_for_previous: bool = False

    def forget_commits(self) -> None:
        """Resets what a walk through the history has set, before another walk begins.

        `seconds` and `is_certain` stay: they mean nothing without a `commit`, and each walk sets
        them with it.
        """
        self.commit = b""
        self.has_edit = False
        self.newest_seconds = 0
        self.is_unchanged_since_sitemap = False
        self.previous_seconds = 0
        self.waits_for_previous = False


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
    2. A file that a commit edited or added is dated by it, if no newer commit has dated it.
    3. If the commit touched nearly all files of a kind, that was no edit: these dates are taken
       back, and an older commit dates the files.
    4. All files but those that the commit added go on to one of its parents. If it moved `b.md` to
       `a.md`, the file `a.md` of today is `b.md` at the parent.
    5. The walk ends when no file waits for a commit, or after the oldest one.

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
        """Prepares the search for the commits that date `files`: {name of a file: the file}.

        - `file_counts` are the numbers of sources and of pages today. They show which commits
          touched nearly all files of a kind, and so were no edits. Empty if all commits count.
        - `sitemap_paths` are the paths of the sitemap's files, if the sitemap is committed.
        """
        # Inputs.
        self._files = files
        self._sitemap_paths = sitemap_paths
        # Results, filled by `run`.
        self.commits_that_add: list[bytes] = []  # hashes of commits with new files
        self.deploys: dict[bytes, Deploy] = {}  # commits over nearly all pages, by their hashes
        self.sitemap_commit: Commit | None = None  # the last one that changed the sitemap
        # Where each file of today is on the walk: {hash of an older commit: {name of the file at
        # this commit: files of today}}. If today's `a.md` was `b.md` at the commit 1a, and the walk
        # goes there next: {b"1a…": {b"b.md": [a.md]}}.
        self._files_at: dict[bytes, _FilesByName] = {}
        # How many files still need an older commit: the one that dates them, or the one before it
        # (`waits_for_previous`). At 0, the walk ends.
        self._waiting_count = len(files)
        # How many files of each kind there were after the commit that the walk has reached. None is
        # the kind of files that are neither sources nor pages, and is not used.
        self._file_counts: Counter[FileKind | None] = Counter(file_counts)
        # The hashes of commits that the walk will reach, and that are ancestors of the last commit
        # of the sitemap: all commits that were there when the sitemap was committed.
        self._ancestors_of_sitemap: set[bytes] = set()

    def run(
        self,
        history: Iterable[tuple[Commit, Iterator[Change]]],
        on_change: Callable[[], None],
    ) -> None:
        """Walks through the history until each file has the commit that dates it.

        `history` has the newest commit first, and each commit before its parents. All files of
        today are at the newest commit when the walk starts. At each commit, the files that it
        edited or added are dated by it. All files that it did not add go on to a parent. So the
        walk meets each of them again at the next older commit that changed it.

        Calls `on_change` once for each file that a commit changed, to show progress.
        """
        for number, (commit, changes) in enumerate(history):
            if number == 0:  # the newest commit
                self._files_at[commit.hash] = {name: [file] for name, file in self._files.items()}
            # The parents of an ancestor of the `sitemap_commit` are its ancestors, too.
            is_ancestor_of_sitemap = commit.hash in self._ancestors_of_sitemap
            if is_ancestor_of_sitemap:
                self._ancestors_of_sitemap.remove(commit.hash)
                self._ancestors_of_sitemap.update(commit.parents)
            files_here = self._files_at.pop(commit.hash, None)
            if files_here is None:  # no file of today was at this commit
                continue
            # 1. The files that the commit edited. `files_here` then has the names before it.
            edited = self._find_edited_and_undo_moves(changes, commit, files_here, on_change)
            # 2. Date those that no newer commit has dated.
            dated = self._date(edited, commit)
            # 3. A commit over nearly all files was no edit. But at the edge of a shallow clone, a
            # commit only seems to have added all files.
            if self._file_counts and commit.is_certain:
                self._take_back_dates(commit, dated, edited)
            # 4. For files that are as they were in the committed sitemap, its dates may count.
            if self._sitemap_paths:
                self._note_sitemap_commit(commit, dated)
                is_unchanged = is_ancestor_of_sitemap or commit == self.sitemap_commit
                self._mark_unchanged_since_sitemap(dated, is_unchanged=is_unchanged)
            if not self._waiting_count:
                return
            # 5. Go on to older commits.
            self._hand_on_to_first_parent(commit, files_here)

    def _find_edited_and_undo_moves(
        self,
        changes: Iterator[Change],
        commit: Commit,
        files_here: _FilesByName,
        on_change: Callable[[], None],
    ) -> list[_ChangedFile]:
        """Returns the files that a commit edited or added. Gives the others their names before it.

        `files_here` are the files of today by their names after the commit. The walk goes on to
        older commits, so this method changes it to their names before the commit, at its first
        parent. What the commit did, and what happens to today's `a.md`:

            edited `a.md`                returned, and stays `a.md`
            added `a.md`                 returned, and removed: no parent has it
            moved `b.md` to `a.md`       gets the name `b.md`
            only changed its mode        stays `a.md`
            took it from another         removed, and added to the files at that parent
            parent, as a merge

        Calls `on_change` once for each changed file, to show progress.
        """
        edited: list[_ChangedFile] = []
        for changes_of_file in _group_by_file(commit, changes):
            on_change()
            change = changes_of_file[0]  # a merge has one for each parent, all of the same name
            files = files_here.get(change.name)
            if not files:  # a file that is not there today, or is not to be dated
                continue
            # The parent that has the same content, and the file's name there.
            origin = find_origin(changes_of_file, commit.parents)
            if origin is None:  # no parent has it: the commit edited or added the file
                edited += [_ChangedFile(file, change) for file in files]
                if not change.existed:
                    del files_here[change.name]
                continue
            parent, name_before = origin
            del files_here[change.name]
            names_at_parent = files_here
            if parent != commit.parents[0]:
                names_at_parent = self._files_at.setdefault(parent, {})
            # If the commit only changed the file's mode, this is the same name again.
            names_at_parent.setdefault(name_before, []).extend(files)
        return edited

    def _date(self, edited: Iterable[_ChangedFile], commit: Commit) -> list[_ChangedFile]:
        """Dates the files that a commit edited or added, unless a newer commit dates them.

        The walk comes from newer commits. So each file of `edited` is in one of these states:

        1. It has its date, but waits for the commit before the one that dates it: that is this
           commit. Its time becomes the `previous_seconds` of the file.
        2. It has no date, or its date was taken back as that of a formatter: this commit dates it.
        3. It has its date, and waits for nothing: it stays as it is.

        Returns the files that this commit dates, which are those of 2.
        """
        dated = []
        for edited_file in edited:
            file = edited_file.file
            if file.waits_for_previous:  # this is the commit before the one that dates the file
                file.waits_for_previous = False
                file.previous_seconds = commit.seconds
                self._waiting_count -= 1
            elif not file.has_edit:  # no newer commit dates it
                file.commit = commit.hash
                file.seconds = commit.seconds
                file.is_certain = commit.is_certain
                # Of a formatter or a deploy, this is not true. `_take_back_dates` then corrects it.
                file.has_edit = True
                # The walk finds the newest commit first. An older one does not replace its time.
                file.newest_seconds = file.newest_seconds or commit.seconds
                self._waiting_count -= 1
                dated.append(edited_file)
        if any(not change.existed for _, change in dated):
            self.commits_that_add.append(commit.hash)
        return dated

    def _take_back_dates(
        self, commit: Commit, dated: Iterable[_ChangedFile], changed: Iterable[_ChangedFile]
    ) -> None:
        """Takes back the dates that a commit has just given, if it touched nearly all files.

        Such a commit is no edit: a formatter changes nearly all sources, and a deploy writes nearly
        all pages. Files of the other kind keep their dates. The walk goes on to older commits, so
        a file of this kind may still get another date:

            it was there before        an older commit may date it
            a page that was added      it gets no date: the deploy added it with the others
            a source that was added    it keeps its date: somebody wrote it then

        `changed` are all files that the commit edited or added. `dated` are those that it has just
        dated: of the others, newer commits date them. A deploy is also noted in `deploys`.
        """
        edited = Counter(file.kind for file, change in changed if change.existed)
        added = Counter(file.kind for file, change in changed if not change.existed)
        kinds_without_edit = set(self._find_kinds_without_edit(edited, added))
        if FileKind.PAGE in kinds_without_edit:
            self.deploys[commit.hash] = Deploy(
                written=edited[FileKind.PAGE] + added[FileKind.PAGE],
                pages=self._file_counts[FileKind.PAGE],
            )
        for file, change in dated:
            if file.kind not in kinds_without_edit:
                continue
            if change.existed:
                file.has_edit = False
                self._waiting_count += 1  # an older commit may have edited it
            elif file.kind is FileKind.PAGE:
                file.has_edit = False  # no older commit has it, so it does not wait
        # The walk goes on to older commits, when there were fewer files. A commit that edited 25 of
        # 27 sources was no edit, even if there are a hundred today.
        self._file_counts.subtract(added)

    def _find_kinds_without_edit(
        self, edited: Mapping[FileKind | None, int], added: Mapping[FileKind | None, int]
    ) -> Iterator[FileKind]:
        """Yields the kinds of files of which a commit touched nearly all, so that it was no edit.

        `edited` and `added` are the numbers of files of each kind that the commit changed.

            25 of 27 sources edited            sources: a formatter did that
            all of 10 sources edited           nothing: people do that on a small site
            all of 27 sources added            nothing: an import, and nothing else could date them
            90 pages edited, and 5 of 100 new  pages: a deploy writes all, new ones with the others
            the only page edited               nothing: this may be an edit
        """
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

    def _note_sitemap_commit(self, commit: Commit, dated: Iterable[_ChangedFile]) -> None:
        """Notes a commit if it dates the sitemap, and no newer commit was noted."""
        if self.sitemap_commit:
            return
        if any(file.path in self._sitemap_paths for file, _ in dated):
            self.sitemap_commit = commit
            # From here on, the walk knows which of the older commits are ancestors of this one.
            self._ancestors_of_sitemap.update(commit.parents)

    def _mark_unchanged_since_sitemap(
        self, dated: Iterable[_ChangedFile], *, is_unchanged: bool
    ) -> None:
        """Marks whether the files that a commit dates are unchanged since the committed sitemap.

        They are if this commit is the `sitemap_commit` or one of its ancestors. An older commit of
        another branch may not have been there when the sitemap was committed.

        For a page that is unchanged since, the sitemap may have a better date than git: the day of
        the edit, and not that of the commit. But if this date is not later than the commit before,
        the sitemap was built before the edit. So the file also waits for its previous commit. An
        example, the newest commit first:

            10 May    changes the sitemap. It is noted in `sitemap_commit`.
            9 May     edits `tea.html`, which is marked, and waits.
            1 May     edits `tea.html`. `_date` notes this commit as the previous one.

        If the sitemap has the date 8 May for this page, this is now its date.
        """
        for file, change in dated:
            file.is_unchanged_since_sitemap = is_unchanged
            # Other files, such as the sitemap itself, date no page. After a formatter, the walk
            # still searches for an edit.
            dates_page = file.kind is not None and file.has_edit
            # A file that this commit added has no previous commit.
            has_previous = change.existed
            if is_unchanged and dates_page and has_previous:
                file.waits_for_previous = True
                self._waiting_count += 1

    def _hand_on_to_first_parent(self, commit: Commit, files_here: _FilesByName) -> None:
        """Hands the files at a commit on to its first parent, where the walk meets them again.

        Files that a merge took from another parent were handed on to that parent before. If the
        commit has no parent, the walk ends for its files.
        """
        if not commit.parents:
            return
        first = commit.parents[0]
        # If two branches begin at the parent, the other one may have handed on files already.
        already_there = self._files_at.get(first, {})
        # The smaller dictionary goes into the larger one, because this happens at each commit.
        small, large = sorted((files_here, already_there), key=len)
        for name, files in small.items():  # a name may be in both
            large.setdefault(name, []).extend(files)
        self._files_at[first] = large


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
