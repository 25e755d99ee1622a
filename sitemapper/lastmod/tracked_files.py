"""The files that git tracks, and which commit made each of them what it is.

One `git log` for the whole tree answers for all files. A commit counts for a file if it produced
the file's current content. Branches that a merge discarded, changes of mode, pure renames and
ignored commits do not count; renames are followed. SQLite's page cache bounds memory, whatever the
size of the history.
"""

import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from .asked_paths import AskedPaths
from .commits import Change, changes
from .deploys import Deploy, Rewrites
from .ignored_commits import IgnoredCommits, ignored_commits
from .repository import GitError, Setting, configuration, path_below, raw, run_git
from .working_tree import differences, edited_files, has_content

# A row is a file. `name` and `blob` are where the search in the history is: the content to find,
# under its name at that time. `hash` to `existed` are of the commit that made the file, and
# `existed` says whether the file was there before. `page` is set if it is a page. `edited` is set
# if it seems to differ from the last commit: its hash there, empty if it certainly differs.
# `before` is set if it differs from the commit of the published sitemap: its hash there, zeros if
# it was not there.
_FILES = """CREATE TABLE files
    (path BLOB PRIMARY KEY, name BLOB UNIQUE, blob BLOB, hash BLOB, seconds INTEGER,
    authored INTEGER, certain INTEGER, existed INTEGER, page BLOB, edited BLOB, before BLOB)"""
_ADDED = "INSERT INTO files (path, name, blob) VALUES (?, ?, ?)"
_IS_PAGE = "UPDATE files SET page = ? WHERE path = ?"
# A new file that is added to the index has no commit yet.
_IS_NEW = "INSERT OR IGNORE INTO files (path, seconds, edited) VALUES (?, 0, x'')"
_IS_EDITED = "UPDATE files SET edited = ? WHERE path = ?"
_DIFFERS = "UPDATE files SET before = ? WHERE path = ?"
_ALL = "UPDATE files SET before = ?"
_ALL_BELOW = "UPDATE files SET before = ? WHERE path >= ? AND path < ?"
_RENAMED = "UPDATE OR IGNORE files SET name = ? WHERE name = ? AND blob = ?"
_MADE = """UPDATE files SET hash = ?, seconds = ?, authored = ?, certain = ?, existed = ?,
    name = NULL WHERE name = ? AND blob = ?"""
# The contents that ignored commits replaced, which count as the same.
_SAME = "CREATE TABLE same (path BLOB, blob BLOB, PRIMARY KEY (path, blob)) WITHOUT ROWID"
_IS_SAME = """INSERT OR IGNORE INTO same SELECT path, ? FROM files
    WHERE name = ? AND blob = ? AND path = name"""
_LOOKED_THROUGH = "UPDATE OR IGNORE files SET name = ?, blob = ? WHERE name = ? AND blob = ?"
# Pages that differ from the last commit belong to the next one, which has no hash yet. So a hook
# finds before the commit what everyone finds after it.
_MADE_BY = "CASE WHEN edited IS NULL THEN hash ELSE x'' END"
_PAGES_BY_COMMIT = f"""SELECT COUNT(*), MAX(seconds), {_MADE_BY} AS made FROM files
    WHERE page NOT NULL AND made NOT NULL GROUP BY made"""
# Hashes sort contents randomly, so these are random pages of a commit, or of all others.
_SOME_PAGES = f"""SELECT page, {_MADE_BY} AS made FROM files
    WHERE page NOT NULL AND made NOT NULL AND (made = ?) = ? ORDER BY blob LIMIT 20"""
_PERHAPS_EDITED = "SELECT path, edited FROM files WHERE page NOT NULL AND edited > x''"
_NEXT_COMMIT = 1 << 40  # later than any other
_KNOWN = """SELECT path, seconds, certain, hash, edited, before FROM files
    WHERE seconds NOT NULL AND path IN ({})"""
_MOST_EDITED = """SELECT hash, seconds FROM files WHERE existed GROUP BY hash
    HAVING COUNT(*) >= ? ORDER BY COUNT(*) DESC, hash LIMIT 9"""
_BY_TIME = """SELECT seconds / ?, COUNT(*), MIN(authored), MAX(authored) FROM files
    WHERE certain AND authored > 0 GROUP BY 1 ORDER BY 1"""
_AT_ONCE = 500  # variables of one query; old versions of SQLite allow 999
_BULK = 0.9  # of the pages
_SLOT = 600  # seconds; six of them are the hour in which a history may be rewritten
_MONTH = 31 * 86_400
_MIN_EDITS = 5  # files that one commit edits; fewer are everyday work
_SUBMODULE = b"160000 "  # the mode of its entry (gitsubmodules(7))


class TrackedFile(NamedTuple):
    """A file, and its last commit, "" for a new file, uncertain at the edge of a shallow clone.

    `edited` is the file's time in seconds if it differs from its last commit, 0 if it is not there
    any more, and else None. With `is_published`, it is the same as in the commit of the published
    sitemap.
    """

    seconds: int
    is_certain: bool
    name: str
    commit: str
    edited: int | None = None
    is_published: bool = False


class _Repository(NamedTuple):
    """A repository or submodule, the prefix of its files, the number of those that are listed below
    the asked paths, and its configuration.
    """

    folder: str
    prefix: bytes
    scope: AskedPaths
    files: int
    settings: Sequence[Setting]


class _CameFromElsewhereError(Exception):
    """A file had a name outside of the asked paths before."""


class TrackedFiles:
    """The files of a repository and its submodules. Holds a temporary database; close it."""

    def __init__(self, top: str) -> None:
        """Opens the repository with the root `top`. Raises GitError."""
        self.top = top
        self.problems: list[str] = []  # of submodules
        self.unread: list[str] = []  # problems of lists of ignored commits
        self.published_in = ""  # the commit of the published sitemap
        self.is_published_at_boundary = False
        self._rewrites: Rewrites | None = None
        self._repositories: list[_Repository] = []  # each before its submodules
        self._database = sqlite3.connect("", isolation_level=None)
        with self._closed_on_error():
            self._database.execute(_FILES)
            self._database.execute(_SAME)
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
        """The files of a repository and its submodules."""
        modules: list[bytes] = []
        files = 0
        # The paths are behind "--", because their names may begin with a hyphen.
        command = ("ls-tree", "-r", "-z", "--full-tree", "--", "HEAD")
        for entry in run_git(folder, *command, *scope.in_repository(folder)):
            facts, _, path = entry.partition(b"\t")
            _, kind, blob = facts.split()
            if kind == b"commit":
                modules.append(path)
                continue
            files += 1
            self._database.execute(_ADDED, (prefix + path, prefix + path, blob))
        settings = list(configuration(folder))
        for path, blob in edited_files(folder, settings, scope.paths):
            self._database.execute(_IS_NEW, (prefix + path,))
            self._database.execute(_IS_EDITED, (blob, prefix + path))
        self._repositories.append(_Repository(folder, prefix, scope, files, settings))
        for path in modules:
            below = _find_submodule(folder, path)
            if below:
                with self._noting_problems(prefix + path):
                    self._list(below, prefix + path + b"/", scope.below(path))

    def read(self, dating: Callable[[], None]) -> None:
        """Reads the history, newest commits first, until it has made all files. Raises GitError.

        Calls `dating` at each change.
        """
        with self._closed_on_error():
            self._database.execute("SAVEPOINT unread")
            problems = len(self.problems)
            try:
                self._read(dating)
            except _CameFromElsewhereError:
                self._database.execute("ROLLBACK TO unread")
                self.unread.clear()
                del self.problems[problems:]
                everywhere = AskedPaths()
                self._repositories = [
                    repository._replace(scope=everywhere) for repository in self._repositories
                ]
                self._read(dating)
            self._database.execute("COMMIT")

    def _read(self, dating: Callable[[], None]) -> None:
        """Reads the history. Raises GitError, and _CameFromElsewhereError."""
        self._rewrites = Rewrites(self._database)
        for repository in self._repositories:
            folder, prefix, scope, unmade_files, _ = repository
            if not unmade_files:
                continue
            with self._noting_problems(prefix.removesuffix(b"/")):
                for change in changes(folder, scope, self._ignored_in(repository)):
                    dating()
                    self._rewrites.add(prefix + change.name, change)
                    unmade_files -= self._apply(change, prefix, scope)
                    if not unmade_files:
                        break
                self._rewrites.finish()

    def _ignored_in(self, repository: _Repository) -> IgnoredCommits:
        """The commits of a repository to look through."""
        ignored = ignored_commits(repository.folder, repository.settings)
        prefix = os.fsdecode(repository.prefix)
        self.unread += [prefix + problem for problem in ignored.problems]
        return ignored

    def _apply(self, change: Change, prefix: bytes, scope: AskedPaths) -> bool:
        """Whether the change made a current file.

        Raises _CameFromElsewhereError for a file that had a name elsewhere before, because only the
        whole history tells its commits.
        """
        commit = change.commit
        found = (prefix + change.name, change.blob)
        for name_before, blob_before in zip(change.names_before, change.blobs_before, strict=True):
            if blob_before == change.blob:
                # The content comes from this parent, perhaps under another name.
                if name_before != change.name:
                    renamed = self._database.execute(_RENAMED, (prefix + name_before, *found))
                    if renamed.rowcount and not scope.contains(name_before):
                        raise _CameFromElsewhereError
                return False
        if commit.is_ignored and change.existed:
            # The content counts as that of the first parent.
            name, blob = change.names_before[0], change.blobs_before[0]
            self._database.execute(_IS_SAME, (blob, *found))
            before = self._database.execute(_LOOKED_THROUGH, (prefix + name, blob, *found))
            if before.rowcount and not scope.contains(name):
                raise _CameFromElsewhereError
            return False
        facts = (commit.hash, commit.seconds, commit.authored, commit.is_certain, change.existed)
        return bool(self._database.execute(_MADE, (*facts, *found)).rowcount)

    @contextmanager
    def _closed_on_error(self) -> Iterator[None]:
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

    def known(self, names: Sequence[bytes]) -> dict[bytes, TrackedFile]:
        """What is known of these files. Others are left out."""
        known: dict[bytes, TrackedFile] = {}
        for start in range(0, len(names), _AT_ONCE):
            some = names[start : start + _AT_ONCE]
            rows = self._database.execute(_KNOWN.format(",".join("?" * len(some))), some)
            for path, seconds, certain, commit, seems_edited, before in rows.fetchall():
                edited = None
                if seems_edited is not None:
                    edited = self._time_of_edit(path, seems_edited)
                is_published = False
                if self.published_in and edited is None:
                    is_published = before is None or self._is_same(path, before)
                known[path] = TrackedFile(
                    seconds=seconds,
                    is_certain=bool(certain),
                    name=os.fsdecode(path),
                    commit=commit.decode() if commit else "",
                    edited=edited,
                    is_published=is_published,
                )
        return known

    def _time_of_edit(self, path: bytes, blob: bytes) -> int | None:
        """The time of a file that differs from the last commit, 0 if it is not there any more.

        None if it does not differ. `blob` is its hash in the last commit, empty if it certainly
        differs.
        """
        if blob and has_content(self.top, path, blob):
            self._database.execute(_IS_EDITED, (None, path))
            return None
        try:
            status = os.lstat(os.path.join(self.top, os.fsdecode(path)))
        except OSError:
            return 0
        return status.st_mtime_ns // 1_000_000_000

    def _is_same(self, path: bytes, before: bytes) -> bool:
        """Whether only ignored commits changed a file since it had some content."""
        query = "SELECT 1 FROM same WHERE path = ? AND blob = ?"
        return self._database.execute(query, (path, before)).fetchone() is not None

    def compare_with(self, sitemaps: Sequence[str]) -> None:
        """Finds the last commit of the published sitemap, and what has changed since then.

        `sitemaps` are the paths of its files in the repository. At the boundary of a shallow clone,
        the last commit may be an older one. Raises GitError.
        """
        with self._closed_on_error():
            last = max(self.known([raw(name) for name in sitemaps]).values(), default=None)
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
            self._database.execute(_DIFFERS, (difference.before, prefix + difference.path))

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
            self._database.execute(_ALL_BELOW, (before, prefix, prefix[:-1] + b"0"))
        elif before is not None:  # at first, all are the same
            self._database.execute(_ALL, (before,))

    def has_files_below(self, folder: str) -> bool:
        """Whether there are files in a folder, "" for the root of the repository."""
        first = raw(f"{folder}/") if folder else b""
        last = raw(f"{folder}0") if folder else b"\xff"  # "0" comes after "/"
        query = "SELECT 1 FROM files WHERE path >= ? AND path < ? LIMIT 1"
        return self._database.execute(query, (first, last)).fetchone() is not None

    def mark_pages(self, pages: Iterable[tuple[str, bytes]]) -> None:
        """Marks the files of pages. A pair is a page and its file."""
        pairs = ((raw(page), path) for page, path in pages)
        self._database.executemany(_IS_PAGE, pairs)

    def has_pages(self) -> bool:
        """Whether there are pages of the site."""
        query = "SELECT 1 FROM files WHERE page NOT NULL LIMIT 1"
        return self._database.execute(query).fetchone() is not None

    def find_deploy(self, is_listed: Callable[[str], bool]) -> Deploy | None:
        """The newest commit that rewrote nine of ten listed pages that there were, or added nine of
        ten that there are, estimated from a sample.
        """
        rewrote = self._rewrites.newest_deploy(is_listed) if self._rewrites else None
        added = self._find_commit_of_most_pages(is_listed)
        if rewrote and added:
            return rewrote if rewrote.seconds >= added.seconds else added
        return rewrote or added

    def _find_commit_of_most_pages(self, is_listed: Callable[[str], bool]) -> Deploy | None:
        """A commit that made nine of ten listed pages."""
        for path, blob in self._database.execute(_PERHAPS_EDITED).fetchall():
            self._time_of_edit(path, blob)  # forgets those that do not differ
        commits = self._database.execute(_PAGES_BY_COMMIT).fetchall()
        most, seconds, commit = max(commits, default=(0, 0, b""))
        if not commit:
            seconds = _NEXT_COMMIT
        if most < 2:
            return None

        def listed_of(files: int, *, is_own: bool) -> float:
            rows = self._database.execute(_SOME_PAGES, (commit, is_own))
            some = [os.fsdecode(page) for page, _ in rows]
            return files * sum(map(is_listed, some)) / max(1, len(some))

        own = listed_of(most, is_own=True)
        total = own + listed_of(sum(count for count, *_ in commits) - most, is_own=False)
        is_most = total and own >= _BULK * total
        return Deploy(seconds, commit.decode(), is_rewrite=False) if is_most else None

    def find_bulk_commits(self) -> dict[int, str]:
        """The commits that edited the most files, by their times in seconds."""
        rows = self._database.execute(_MOST_EDITED, (_MIN_EDITS,))
        return {seconds: commit.decode() for commit, seconds in rows}

    def find_rewritten_hour(self) -> range | None:
        """The hour whose commits made the most files, if their authors wrote over a month.

        So a history looks after a rebase or an import: the committers' times are those of one hour.
        """
        best = 0
        hour: range | None = None
        slots: list[tuple[int, int, int, int]] = []
        for slot in self._database.execute(_BY_TIME, (_SLOT,)):
            slots.append(slot)
            slots = [other for other in slots if other[0] > slot[0] - 3600 // _SLOT]
            files = sum(count for _, count, _, _ in slots)
            first_authored = min(first for _, _, first, _ in slots)
            last_authored = max(last for _, _, _, last in slots)
            if files > best and last_authored - first_authored > _MONTH:
                best = files
                hour = range(slots[0][0] * _SLOT, (slot[0] + 1) * _SLOT)
        return hour


def _find_submodule(folder: str, path: bytes) -> str:
    """The folder of a submodule, "" if it is not checked out.

    A tree may name any path. A path outside, or through a link, is another repository.
    """
    below = os.path.join(folder, os.fsdecode(path))
    is_inside = b".." not in path.split(b"/") and raw(path_below(folder, below)) == path
    if is_inside and os.path.exists(os.path.join(below, ".git")):
        return below
    return ""
