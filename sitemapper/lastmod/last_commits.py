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
    - `has_edit` says that `commit` edited or added the file. It is false if only formatters or
      deploys changed the file so far, which touch nearly all files. `commit` is the oldest of them.
    - `newest_seconds` is the time of the newest commit that changed the file, even as a formatter.
    - `is_unchanged_since_sitemap` says that no commit edited the file after the last commit of the
      sitemap. A formatter may have changed it.
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
        """Resets all that the search for commits has found, so that it can begin again.

        What the file is, and whether it is edited since its last commit, stays.
        """
        self.commit = b""
        self.seconds = 0
        self.is_certain = False
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
    2. A file that a commit edited or added is dated by it, if no newer commit edited the file.
    3. A commit that touched nearly all files of a kind is no edit. An older commit may then date
       these files in its place.
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
        """Prepares the search for the commit that dates each of the `files`, given by their names.

        - `file_counts` are the numbers of sources and of pages today. A commit that touched nearly
          all sources, or nearly all pages, is no edit. Without numbers, every commit is one.
        - `sitemap_paths` are the paths of the sitemap's files, if the sitemap is committed.
        """
        # Inputs.
        self._files = files
        self._sitemap_paths = sitemap_paths
        # Results, filled by `run`.
        self.commits_that_add: list[bytes] = []  # hashes of commits with new files
        self.deploys: dict[bytes, Deploy] = {}  # commits over nearly all pages, by their hashes
        self.sitemap_commit: Commit | None = None  # the last one that changed the sitemap
        # The rest is the state of the walk from the newest commit to the oldest. First, the files
        # of today that the walk has taken on to older commits: {hash of a commit: {name of a file
        # there: files of today}}. If today's `a.md` was `b.md` at the commit 1a, this is
        # {b"1a…": {b"b.md": [a.md]}}.
        self._files_at: dict[bytes, _FilesByName] = {}
        # How many files still need an older commit. At 0, the walk ends.
        self._waiting_count = len(files)
        # How many sources and pages there were after the commit at which the walk is.
        self._file_counts: Counter[FileKind] = Counter(file_counts)
        # The hashes of older commits that are ancestors of `sitemap_commit`: what they changed was
        # there when the sitemap was committed. The walk removes each when it comes there.
        self._ancestors_of_sitemap: set[bytes] = set()

    def run(
        self,
        history: Iterable[tuple[Commit, Iterator[Change]]],
        on_change: Callable[[], None],
    ) -> None:
        """Walks through the history until each file has the commit that dates it: its last edit.

        The walk starts with all files of today at the newest commit. At each commit, it dates the
        files that the commit edited or added. It then takes all files but the added ones on to the
        commit's parents, under the names that they have there.

        `history` has the newest commit first, and each commit before its parents. Calls `on_change`
        once for each file that a commit changed, to show progress.
        """
        for number, (commit, changes) in enumerate(history):
            if number == 0:  # the newest commit
                self._files_at[commit.hash] = {name: [file] for name, file in self._files.items()}
            # The parents of an ancestor of the sitemap's commit are its ancestors, too.
            is_ancestor_of_sitemap = commit.hash in self._ancestors_of_sitemap
            if is_ancestor_of_sitemap:
                self._ancestors_of_sitemap.remove(commit.hash)
                self._ancestors_of_sitemap.update(commit.parents)
            # The files of today that the walk has taken to this commit, by their names here.
            files_here = self._files_at.pop(commit.hash, None)
            if files_here is None:  # none of them existed here
                continue
            # 1. Which files did the commit edit or add, and which did it only move (`origins`)?
            changed, origins = _find_changed(commit, changes, files_here, on_change)
            # 2. If it touched nearly all files of a kind, it was no edit of these. Without numbers
            # of files, all commits count. So does the oldest commit of a shallow clone, which only
            # seems to have added all files.
            kinds_without_edit: set[FileKind] = set()
            if self._file_counts and commit.is_certain:
                kinds_without_edit = self._count_changes(commit, changed)
            # 3. Date the files that no newer commit edited.
            dated = self._date(changed, commit, kinds_without_edit)
            # 4. For files that are as they were in the committed sitemap, its dates may count.
            if self._sitemap_paths:
                self._note_sitemap_commit(commit, dated)
                if is_ancestor_of_sitemap or commit == self.sitemap_commit:
                    self._mark_unchanged_since_sitemap(dated)
            if not self._waiting_count:
                return
            # 5. Go on to older commits.
            self._hand_on_to_parents(commit, files_here, changed, origins)

    def _count_changes(self, commit: Commit, changed: Iterable[_ChangedFile]) -> set[FileKind]:
        """Counts the files that a commit changed. Returns the kinds of which it touched nearly all.

        A formatter changes nearly all sources, and a deploy writes nearly all pages. So the commit
        is no edit of these files. A deploy is also noted in `deploys`.
        """
        edited = Counter(file.kind for file, change in changed if file.kind and change.existed)
        added = Counter(file.kind for file, change in changed if file.kind and not change.existed)
        kinds_without_edit = set(self._find_kinds_without_edit(edited, added))
        if FileKind.PAGE in kinds_without_edit:
            self.deploys[commit.hash] = Deploy(
                written=edited[FileKind.PAGE] + added[FileKind.PAGE],
                pages=self._file_counts[FileKind.PAGE],
            )
        # The walk goes on to older commits, when there were fewer files. A commit that edited 25 of
        # 27 sources was no edit, even if there are a hundred sources today.
        self._file_counts.subtract(added)
        return kinds_without_edit

    def _find_kinds_without_edit(
        self, edited: Mapping[FileKind, int], added: Mapping[FileKind, int]
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

    def _date(
        self,
        changed: Iterable[_ChangedFile],
        commit: Commit,
        kinds_without_edit: Collection[FileKind],
    ) -> list[_ChangedFile]:
        """Dates the files that a commit edited or added, unless a newer commit edited them.

        Newer commits come first. For `kinds_without_edit`, the commit is that of a formatter or a
        deploy. It still dates these files, but an older commit that edited them replaces the date.

        Returns the files that the commit dates.
        """
        dated = []
        for changed_file in changed:
            file, change = changed_file
            if file.waits_for_previous:
                # A newer commit dates the file. This one before it is needed to check the date that
                # the sitemap has for the file.
                file.waits_for_previous = False
                file.previous_seconds = commit.seconds
                self._waiting_count -= 1
                continue
            if file.has_edit:  # a newer commit dates the file
                continue
            file.commit = commit.hash
            file.seconds = commit.seconds
            file.is_certain = commit.is_certain
            if not file.newest_seconds:  # no newer commit, as of a formatter, changed the file
                file.newest_seconds = commit.seconds
            dated.append(changed_file)
            # A deploy adds a page together with all others. But a source that a formatter's commit
            # added was written then.
            is_new_source = file.kind is FileKind.SOURCE and not change.existed
            file.has_edit = is_new_source or file.kind not in kinds_without_edit
            # Only a file that was there before can still get an older commit.
            if file.has_edit or not change.existed:
                self._waiting_count -= 1
        if any(not change.existed for _, change in dated):
            self.commits_that_add.append(commit.hash)
        return dated

    def _note_sitemap_commit(self, commit: Commit, dated: Iterable[_ChangedFile]) -> None:
        """Notes the last commit that changed the sitemap: the first one to which the walk comes.

        `dated` are the files that `commit` dates. Its parents are also noted. From these, `run`
        finds all commits that were there when the sitemap was committed.
        """
        if self.sitemap_commit:
            return
        if any(file.path in self._sitemap_paths for file, _ in dated):
            self.sitemap_commit = commit
            self._ancestors_of_sitemap.update(commit.parents)

    def _mark_unchanged_since_sitemap(self, dated: Iterable[_ChangedFile]) -> None:
        """Marks the files that nobody edited after the last commit of the sitemap.

        `dated` are the files that were last edited by one commit, which is that of the sitemap or
        one of its ancestors. For such a page, the sitemap may have the day of the edit, which is
        better than that of the commit. But a sitemap that was built before the edit has an older
        day. So the walk also has to find the commit before:

            10 May    a commit changes the sitemap, which has the date 8 May for `tea.html`
            9 May     a commit edits `tea.html`: the file is marked, and waits for the next line
            1 May     the previous commit of `tea.html`

        8 May is after 1 May, so `tea.html` was edited on 8 May, and committed on 9 May.
        """
        for file, change in dated:
            file.is_unchanged_since_sitemap = True
            if file.kind is None:  # neither a page nor a source, as the sitemap itself
                continue
            # A file that this commit added has no previous commit. If the commit was a formatter's,
            # the walk still searches for the edit.
            if change.existed and file.has_edit:
                file.waits_for_previous = True
                self._waiting_count += 1

    def _hand_on_to_parents(
        self,
        commit: Commit,
        files_here: _FilesByName,
        changed: Iterable[_ChangedFile],
        origins: Mapping[bytes, tuple[bytes, bytes]],
    ) -> None:
        """Takes the files at a commit on to its parents, where the walk comes to them again.

        `files_here` are the files of today by their names at the commit, and is used up. Where a
        file goes depends on what the commit did:

            edited `a.md`, or left it as it is    `a.md` at the first parent
            added `a.md`                          nowhere: no parent has it
            moved `b.md` to `a.md`                `b.md` at the first parent, as in `origins`
            merged `a.md` from another parent     `a.md` at that parent, as in `origins`
        """
        if not commit.parents:
            return
        for _, change in changed:
            if not change.existed:
                files_here.pop(change.name, None)  # None: two files of today had this name
        first = commit.parents[0]
        for name, (parent, name_before) in origins.items():
            files = files_here.pop(name)
            at_parent = files_here if parent == first else self._files_at.setdefault(parent, {})
            at_parent.setdefault(name_before, []).extend(files)
        # All others go to the first parent. There may be files already, from a commit of another
        # branch. The smaller dictionary goes into the larger one, because this is done at each
        # commit, and there may be many files.
        already_there = self._files_at.get(first, {})
        small, large = sorted((files_here, already_there), key=len)
        for name, files in small.items():  # a name may be in both
            large.setdefault(name, []).extend(files)
        self._files_at[first] = large


def _find_changed(
    commit: Commit,
    changes: Iterator[Change],
    files_here: _FilesByName,
    on_change: Callable[[], None],
) -> tuple[list[_ChangedFile], dict[bytes, tuple[bytes, bytes]]]:
    """Separates the files that a commit edited or added from those that it took from a parent.

    Returns the former, and the origins of the latter, by their names at the commit:

        it moved `b.md` to `a.md`                {b"a.md": (hash of the parent, b"b.md")}
        it merged `a.md` from another branch     {b"a.md": (hash of that parent, b"a.md")}

    `files_here` are the files of today by their names at the commit. Changes of other files are
    skipped. Calls `on_change` once for each changed file, to show progress.
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
