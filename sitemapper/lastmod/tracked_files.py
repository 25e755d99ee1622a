"""The files that git tracks, and the last commit that changed each of them.

One `git log` for the whole tree answers for all files. It gives the commit that
`git log -1 -- FILE` would show, except that renames are followed, and that pure renames, changes of
the mode and commits that are no edits do not count. SQLite's page cache bounds memory, whatever the
size of the history.
"""

import os
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import NamedTuple

from .asked_paths import AskedPaths
from .commits import Change, Commit, find_origin, moved_into, read_history
from .no_edits import FileKind, NoEdit, NoEdits, Touched
from .repository import GitError, configuration, path_below, raw, run_git
from .working_tree import differences, edited_files, has_content

# The table of files, a row each:
# - `line` and `name` say where the search in the history is: the line of history (`_Lines`), and
#   the file's name there, NULL before the commit that added the file.
# - `hash`, `seconds` and `certain` are of the commit that dates the file, and `blob` is the hash of
#   the file's content before that commit.
# - `is_edit` is 0 while all commits that were found are no edits. The file then has the last of
#   these. `last` is the time of its last commit of any kind.
# - `kind` is set for pages and their sources.
# - `edited` is set if the file seems to differ from the last commit: the hash of its content there,
#   empty if it certainly differs.
# - `before` is set if the file differs from the commit of the earlier sitemap: the hash of its
#   content there, zeros if it was not there.
_FILES = """CREATE TABLE files
    (path BLOB PRIMARY KEY, line INTEGER DEFAULT 0, name BLOB, blob BLOB, hash BLOB,
    seconds INTEGER, certain INTEGER, is_edit INTEGER DEFAULT 0, last INTEGER, kind INTEGER,
    edited BLOB, before BLOB)"""
_FILES_BY_LINE = "CREATE INDEX by_line ON files (line, name)"
_ADD_FILE = "INSERT INTO files (path, name) VALUES (?, ?)"
_SET_KIND = "UPDATE files SET kind = ? WHERE path = ?"
_COUNT_KINDS = "SELECT kind, COUNT(*) FROM files WHERE kind NOT NULL GROUP BY kind"
# A new file that is added to the index has no commit yet.
_ADD_NEW_FILE = "INSERT OR IGNORE INTO files (path, seconds, edited) VALUES (?, 0, x'')"
_SET_EDITED = "UPDATE files SET edited = ? WHERE path = ?"
_SET_BEFORE = "UPDATE files SET before = ? WHERE path = ?"
_SET_BEFORE_OF_ALL = "UPDATE files SET before = ?"
_SET_BEFORE_BELOW = "UPDATE files SET before = ? WHERE path >= ? AND path < ?"
_SOUGHT = "SELECT rowid, kind, is_edit FROM files WHERE line = ? AND name = ?"
_GO_TO_PARENT = "UPDATE files SET line = ?, name = ? WHERE rowid = ?"
_END_SEARCH = "UPDATE files SET name = NULL WHERE rowid = ?"
_JOIN_LINES = "UPDATE files SET line = ? WHERE line = ?"
_SET_DATE = """UPDATE files SET hash = :hash, seconds = :seconds, certain = :certain, blob = :blob,
    is_edit = 1, last = COALESCE(last, :seconds) WHERE rowid = :row"""
# A source that the commit added keeps the date: somebody wrote it. A page was only built.
_TAKE_DATES_BACK = """UPDATE files SET is_edit = 0 WHERE hash = :hash AND kind = :kind
    AND (name NOT NULL OR kind = :page)"""
# Contents of files before commits that are no edits. They count as equal to those after.
_EQUAL = "CREATE TABLE equal (path BLOB, blob BLOB, PRIMARY KEY (path, blob)) WITHOUT ROWID"
_ADD_EQUAL = """INSERT OR IGNORE INTO equal SELECT path, blob FROM files
    WHERE hash = ? AND kind = ? AND name = path"""
_FIND = """SELECT path, seconds, certain, hash, is_edit, last, edited, before FROM files
    WHERE seconds NOT NULL AND path IN ({})"""
_FIRST_LINE = 0  # the default in the table
_AT_ONCE = 500  # variables of one query; old versions of SQLite allow 999
_SUBMODULE = b"160000 "  # the mode of its entry (gitsubmodules(7))


class TrackedFile(NamedTuple):
    """A file, and the commit that dates it, with the commit's time in `seconds`.

    `commit` is "" for a new file. At the edge of a shallow clone, `is_certain` is false: an older
    commit may have changed the file. Without `is_edit`, only commits that are no edits changed it.
    `last` is the time of its last commit of any kind. `edited` is the file's time in seconds if it
    differs from the last commit, 0 if it is deleted, else None. With `is_published`, it is the same
    as in the commit of the earlier sitemap.
    """

    seconds: int
    is_certain: bool
    name: str
    commit: str
    is_edit: bool = True
    last: int = 0
    edited: int | None = None
    is_published: bool = False


class _Repository(NamedTuple):
    """A repository or a submodule.

    `prefix` is that of its files: `themes/x/` for a submodule there. `files` is their number below
    the asked paths, `scope`.
    """

    folder: str
    prefix: bytes
    scope: AskedPaths
    files: int


class _CameFromElsewhereError(Exception):
    """A commit moved a file to the asked paths from elsewhere, so all paths must be asked."""


class _Lines:
    """The lines of history on which files are sought, each with the commit that comes next.

    Commits come before their parents. The first line leads from the last commit to its first
    parent, and so on. A file that a merge took from another parent is sought on a new line that
    leads to that parent. Where two lines meet, the one with the lower number goes on. So only the
    rows of files that left the first line ever change their line, however long the history is.
    """

    def __init__(self) -> None:
        self._line_by_commit: dict[bytes, int] = {}
        self._numbers = count(1)  # of all repositories, because their files are in one table
        self._is_at_start = True

    def begin(self) -> None:
        """Begins a repository, with all of its files on the first line."""
        self._line_by_commit.clear()
        self._is_at_start = True

    def arrive_at(self, commit: Commit) -> int | None:
        """The line that leads to a commit, None if no file is sought there."""
        if self._is_at_start:
            self._is_at_start = False
            return _FIRST_LINE
        return self._line_by_commit.pop(commit.hash, None)

    def line_to(self, parent: bytes, line: int, commit: Commit) -> int:
        """The line for a file that a commit on a line took from one of its parents."""
        if parent == commit.parents[0]:
            return line
        if parent not in self._line_by_commit:
            self._line_by_commit[parent] = next(self._numbers)
        return self._line_by_commit[parent]

    def go_on(self, line: int, commit: Commit) -> tuple[int, int] | None:
        """Goes on to the first parent of a commit.

        If another line leads there too: the line that remains, and the one whose files it takes.
        """
        if not commit.parents:
            return None
        first = commit.parents[0]
        other = self._line_by_commit.get(first, line)
        self._line_by_commit[first] = min(line, other)
        if other == line:
            return None
        return min(line, other), max(line, other)


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


class TrackedFiles:
    """The files of a repository and its submodules, in a temporary database. Close it."""

    def __init__(self, top: str) -> None:
        """Opens the repository with the root `top`. Raises GitError."""
        self.top = top
        self.problems: list[str] = []  # of submodules
        self.deploys: dict[str, NoEdit] = {}  # the commits that wrote nearly all pages
        self.published_in = ""  # the commit of the earlier sitemap
        self.is_published_at_boundary = False
        self._repositories: list[_Repository] = []  # each before its submodules
        self._lines = _Lines()
        self._database = sqlite3.connect("", isolation_level=None)
        with self._closed_on_error():
            for table in (_FILES, _FILES_BY_LINE, _EQUAL):
                self._database.execute(table)
            self._database.execute("BEGIN")

    def names(self) -> Iterator[str]:
        """The paths of all files of the index, those of submodules last. Raises GitError."""
        pending = [(self.top, b"")]
        while pending:
            folder, prefix = pending.pop()
            for entry in run_git(folder, "ls-files", "--stage", "-z"):
                facts, _, path = entry.partition(b"\t")
                if not facts.startswith(_SUBMODULE):
                    yield (prefix + path).decode("utf-8", "surrogateescape")
                    continue
                below = _find_submodule(folder, path)
                if below:
                    pending.append((below, prefix + path + b"/"))

    def list(self, scope: AskedPaths) -> None:
        """Lists the files of the last commit below some paths. Raises GitError.

        Only these have dates, so that a large repository around a small site costs little.
        """
        with self._closed_on_error():
            self._list(self.top, b"", scope)

    def _list(self, folder: str, prefix: bytes, scope: AskedPaths) -> None:
        """Lists the files of a repository and, below it, of its submodules."""
        modules: list[bytes] = []
        files = 0
        # The paths come after "--", because their names may begin with a hyphen.
        command = ("ls-tree", "-r", "-z", "--full-tree", "--", "HEAD")
        for entry in run_git(folder, *command, *scope.in_repository(folder)):
            facts, _, path = entry.partition(b"\t")
            if facts.startswith(_SUBMODULE):
                modules.append(path)
                continue
            files += 1
            self._database.execute(_ADD_FILE, (prefix + path, prefix + path))
        for path, blob in edited_files(folder, configuration(folder), scope.paths):
            self._database.execute(_ADD_NEW_FILE, (prefix + path,))
            self._database.execute(_SET_EDITED, (blob, prefix + path))
        self._repositories.append(_Repository(folder, prefix, scope, files))
        for path in modules:
            below = _find_submodule(folder, path)
            if below:
                with self._noting_problems(prefix + path):
                    self._list(below, prefix + path + b"/", scope.below(path))

    def read(self, dating: Callable[[], None], *, looks_through: bool) -> None:
        """Reads the history until each file has the commit that dates it. Raises GitError.

        Calls `dating` at each change. With `looks_through`, commits that are no edits date nothing.
        """
        with self._closed_on_error():
            self._database.execute("SAVEPOINT unread")
            problems = len(self.problems)
            try:
                self._read(dating, looks_through=looks_through)
            except _CameFromElsewhereError:
                self._database.execute("ROLLBACK TO unread")
                del self.problems[problems:]
                everywhere = AskedPaths()
                self._repositories = [
                    repository._replace(scope=everywhere) for repository in self._repositories
                ]
                self._read(dating, looks_through=looks_through)
            self._database.execute("COMMIT")

    def _read(self, dating: Callable[[], None], *, looks_through: bool) -> None:
        """Reads the history of each repository. Raises GitError, and _CameFromElsewhereError."""
        for repository in self._repositories:
            if not repository.files:
                continue
            no_edits = NoEdits(self._count_kinds()) if looks_through else None
            with self._noting_problems(repository.prefix.removesuffix(b"/")):
                self._read_repository(repository, dating, no_edits)

    def _count_kinds(self) -> dict[FileKind, int]:
        """The number of pages, and of sources."""
        rows = self._database.execute(_COUNT_KINDS)
        return {FileKind(kind): count for kind, count in rows}

    def _read_repository(
        self, repository: _Repository, dating: Callable[[], None], no_edits: NoEdits | None
    ) -> None:
        """Reads the history of a repository until each of its files has a commit that dates it.

        Raises GitError, and _CameFromElsewhereError.
        """
        folder, prefix, scope, undated_files = repository
        self._lines.begin()
        adding: dict[bytes, None] = {}  # the commits that added files
        for commit, changes in read_history(folder, scope):
            line = self._lines.arrive_at(commit)
            if line is None:  # no file has its content from this commit
                continue
            touched: dict[FileKind | None, Touched] = defaultdict(Touched)
            for of_file in _by_file(commit, changes):
                dating()
                dated = self._apply(of_file, commit, line, prefix, touched)
                undated_files -= dated
                if dated and not of_file[0].existed:
                    adding[commit.hash] = None
            # At the edge of a shallow clone, a commit seems to have added all files.
            if no_edits and commit.is_certain:
                for no_edit in no_edits.kinds_looked_through(touched):
                    self._look_through(commit, no_edit.kind)
                    undated_files += touched[no_edit.kind].dated_by_edit
                    if no_edit.kind is FileKind.PAGE:
                        self.deploys[commit.hash.decode()] = no_edit
            if not undated_files:
                break
            joined = self._lines.go_on(line, commit)
            if joined:
                self._database.execute(_JOIN_LINES, joined)
        if scope.paths and moved_into(folder, list(adding), scope):
            raise _CameFromElsewhereError

    def _apply(
        self,
        changes: Sequence[Change],
        commit: Commit,
        line: int,
        prefix: bytes,
        touched: dict[FileKind | None, Touched],
    ) -> int:
        """Applies the changes of a file, if it is sought on a line, and counts it as touched.

        Either it goes on to a parent with the same content, or the commit made it. Returns how many
        files the commit dates.
        """
        change = changes[0]
        rows = self._database.execute(_SOUGHT, (line, prefix + change.name)).fetchall()
        if not rows:
            return 0
        origin = find_origin(changes, commit.parents)
        dated_files = 0
        for row, kind, is_dated in rows:
            if origin:
                parent, name_before = origin
                place = (self._lines.line_to(parent, line, commit), prefix + name_before)
                self._database.execute(_GO_TO_PARENT, (*place, row))
                continue
            files = touched[kind]
            if change.existed:
                files.edited += 1
                files.dated_by_edit += not is_dated
            else:
                files.added += 1
                self._database.execute(_END_SEARCH, (row,))
            if not is_dated:
                date = {
                    "hash": commit.hash,
                    "seconds": commit.seconds,
                    "certain": commit.is_certain,
                    "blob": change.blob_before,
                    "row": row,
                }
                self._database.execute(_SET_DATE, date)
                dated_files += 1
        return dated_files

    def _look_through(self, commit: Commit, kind: FileKind) -> None:
        """Takes back the dates that a commit gave to the files of a kind."""
        self._database.execute(_ADD_EQUAL, (commit.hash, kind))
        commit_and_kind = {"hash": commit.hash, "kind": kind, "page": FileKind.PAGE}
        self._database.execute(_TAKE_DATES_BACK, commit_and_kind)

    @contextmanager
    def _closed_on_error(self) -> Iterator[None]:
        """Closes the database after an error. An error of SQLite becomes a GitError."""
        try:
            yield
        except (sqlite3.Error, GitError) as error:
            self.close()
            if isinstance(error, GitError):
                raise
            raise GitError(f"no room for a temporary database ({error})") from None

    @contextmanager
    def _noting_problems(self, submodule: bytes) -> Iterator[None]:
        """Notes the error of a submodule that cannot be read, so that the other dates are kept."""
        try:
            yield
        except GitError as error:
            if not submodule:
                raise
            self.problems.append(f"submodule {os.fsdecode(submodule)}: {error}")

    def close(self) -> None:
        """Removes the database."""
        self._database.close()

    def has_file(self, path: str) -> bool:
        """Whether a commit made a file. `path` begins at the root of the repository."""
        query = "SELECT 1 FROM files WHERE path = ? AND hash NOT NULL"
        return self._database.execute(query, (raw(path),)).fetchone() is not None

    def lines(self, path: str) -> Iterator[bytes]:
        """The lines of a file in the last commit, unpacked. Raises GitError."""
        folder, prefix = self._repository_of(raw(path))
        name = os.fsdecode(raw(path).removeprefix(prefix))
        command = ("cat-file", "blob", f"HEAD:{name}")
        if not path.endswith(".gz"):
            yield from run_git(folder, *command, end=b"\n")
            return
        unpacking = zlib.decompressobj(31)  # 31: with a gzip header
        rest = b""
        for block in run_git(folder, *command, end=b""):
            *whole, rest = (rest + unpacking.decompress(block)).split(b"\n")
            yield from whole

    def find(self, names: Sequence[bytes]) -> dict[bytes, TrackedFile]:
        """The tracked files among some names, by their names."""
        found: dict[bytes, TrackedFile] = {}
        for start in range(0, len(names), _AT_ONCE):
            some = names[start : start + _AT_ONCE]
            query = self._database.cursor()
            query.row_factory = sqlite3.Row
            query.execute(_FIND.format(",".join("?" * len(some))), some)
            for row in query.fetchall():
                found[row["path"]] = self._file_of(row)
        return found

    def _file_of(self, row: sqlite3.Row) -> TrackedFile:
        """The tracked file of a row. Compares its content, if that may differ from the commit."""
        path = row["path"]
        edited = None
        if row["edited"] is not None:
            edited = self._time_of_edit(path, row["edited"])
        is_published = False
        if self.published_in and edited is None:
            is_published = row["before"] is None or self._is_same(path, row["before"])
        return TrackedFile(
            seconds=row["seconds"],
            is_certain=bool(row["certain"]),
            name=os.fsdecode(path),
            commit=row["hash"].decode() if row["hash"] else "",
            is_edit=bool(row["is_edit"]),
            last=row["last"] or 0,
            edited=edited,
            is_published=is_published,
        )

    def _time_of_edit(self, path: bytes, blob: bytes) -> int | None:
        """The time of a file that differs from the last commit, 0 if it is not there any more.

        None if it does not differ. `blob` is its hash in the last commit, empty if it certainly
        differs.
        """
        if blob and has_content(self.top, path, blob):
            self._database.execute(_SET_EDITED, (None, path))
            return None
        try:
            status = os.lstat(os.path.join(self.top, os.fsdecode(path)))
        except OSError:
            return 0
        return status.st_mtime_ns // 1_000_000_000

    def _is_same(self, path: bytes, before: bytes) -> bool:
        """Whether only commits that are no edits changed a file since it had some content."""
        query = "SELECT 1 FROM equal WHERE path = ? AND blob = ?"
        return self._database.execute(query, (path, before)).fetchone() is not None

    def compare_with(self, sitemaps: Sequence[str]) -> None:
        """Finds the last commit of the published sitemap, and what has changed since then.

        `sitemaps` are the paths of its files in the repository. At the boundary of a shallow clone,
        the last commit may be an older one. Raises GitError.
        """
        with self._closed_on_error():
            last = max(self.find([raw(name) for name in sitemaps]).values(), default=None)
            if last is None:
                return
            self.published_in = last.commit
            self.is_published_at_boundary = not last.is_certain
            _, home = self._repository_of(raw(last.name))
            commits = {home: last.commit}
            for folder, prefix, scope, *_ in self._repositories:
                try:
                    self._compare(folder, prefix, scope, commits)
                except GitError:  # perhaps a submodule lacks the commit
                    commits.pop(prefix, None)
                    self._mark_below(prefix, b"")

    def _repository_of(self, path: bytes) -> tuple[str, bytes]:
        """The folder of the repository or submodule that has a file, and its prefix."""
        # A submodule comes after the repository around it.
        for folder, prefix, *_ in reversed(self._repositories):
            if path.startswith(prefix):
                return folder, prefix
        raise AssertionError(path)

    def _compare(
        self, folder: str, prefix: bytes, scope: AskedPaths, commits: dict[bytes, str]
    ) -> None:
        """Finds the files of a repository that are the same as in the commit of the sitemap.

        `commits` are those of repositories at that time, by prefix. The commit of a repository
        names those of its submodules. If the sitemap is in a submodule, nothing names the commit of
        the repository around it. Raises GitError.
        """
        if prefix not in commits:
            commits[prefix] = self._commit_of_submodule(prefix, commits)
        self._mark_below(prefix, None)
        command = ("diff-tree", "-r", commits[prefix], "HEAD")
        for difference in differences(folder, command, scope.paths):
            self._database.execute(_SET_BEFORE, (difference.before, prefix + difference.path))

    def _commit_of_submodule(self, prefix: bytes, commits: dict[bytes, str]) -> str:
        """The commit of a submodule that the repository around it names. Raises GitError."""
        link = prefix.removesuffix(b"/")
        around, outer = self._repository_of(link)
        if not prefix or outer not in commits:
            raise GitError("the commit of the sitemap does not say")
        name = os.fsdecode(link.removeprefix(outer))
        entries = list(run_git(around, "ls-tree", "-z", "--full-tree", commits[outer], name))
        if not entries:
            raise GitError(f"commit {commits[outer]} has no submodule {name}")
        return entries[0].split()[2].decode()

    def _mark_below(self, prefix: bytes, before: bytes | None) -> None:
        """Marks all files of a repository, and of its submodules, as different or as the same."""
        if prefix:
            # "0" comes after "/".
            self._database.execute(_SET_BEFORE_BELOW, (before, prefix, prefix[:-1] + b"0"))
        elif before is not None:  # at first, all are the same
            self._database.execute(_SET_BEFORE_OF_ALL, (before,))

    def has_files_below(self, folder: str) -> bool:
        """Whether there are files in a folder, "" for the root of the repository."""
        first = raw(f"{folder}/") if folder else b""
        last = raw(f"{folder}0") if folder else b"\xff"  # "0" comes after "/"
        query = "SELECT 1 FROM files WHERE path >= ? AND path < ? LIMIT 1"
        return self._database.execute(query, (first, last)).fetchone() is not None

    def mark(self, files: Iterable[tuple[FileKind, bytes]]) -> None:
        """Marks files as pages of the site, or as their sources."""
        self._database.executemany(_SET_KIND, files)

    def has_pages(self) -> bool:
        """Whether there are pages of the site."""
        query = "SELECT 1 FROM files WHERE kind = ? LIMIT 1"
        return self._database.execute(query, (FileKind.PAGE,)).fetchone() is not None


def _find_submodule(folder: str, path: bytes) -> str:
    """The folder of a submodule, "" if it is not checked out.

    A tree may name any path. A path outside, or through a link, is another repository.
    """
    below = os.path.join(folder, os.fsdecode(path))
    is_inside = b".." not in path.split(b"/") and raw(path_below(folder, below)) == path
    if is_inside and os.path.exists(os.path.join(below, ".git")):
        return below
    return ""
