"""The date of the last commit that changed a page's source, by one `git log` for the whole tree.

A commit counts for a file if it produced the file's current content. Branches that a merge
discarded, changes of mode and pure renames do not count; renames are followed. SQLite's page cache
bounds memory, whatever the size of the history.
"""

import os
import posixpath
import re
import sqlite3
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import NamedTuple

from ..config.settings import GitMap
from ..model import Candidate
from ..settled import Site
from ..syntax.templates import compile_map
from .repository import GitError, path_below, raw, run_git, shallow_boundary, top_of

_LOG = (
    "log", "-c", "-M100%", "--raw", "--no-abbrev", "--combined-all-paths", "-z",
    f"-O{os.devnull}", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color",
    "--encoding=UTF-8",
)  # fmt: skip
_TABLE = """CREATE TABLE files
    (path BLOB PRIMARY KEY, name BLOB UNIQUE, blob BLOB, seconds INTEGER, certain INTEGER,
    hash BLOB,
    page BLOB)"""
_IS_PAGE = "UPDATE files SET page = ? WHERE path = ?"
_BY_COMMIT = """SELECT COUNT(*), MAX(seconds), hash FROM files WHERE page NOT NULL AND hash NOT NULL
    GROUP BY hash"""
# Hashes sort contents randomly, so these are random pages of a commit, or of all others.
_SOME_PAGES = """SELECT page FROM files WHERE page NOT NULL AND hash NOT NULL AND (hash = ?) = ?
    ORDER BY blob LIMIT 20"""
_RENAMED = "UPDATE OR IGNORE files SET name = ? WHERE name = ? AND blob = ?"
_DATED = (
    "UPDATE files SET seconds = ?, certain = ?, hash = ?, name = NULL WHERE name = ? AND blob = ?"
)
_BULK = 0.9  # of the pages
_AT_ONCE = 500  # variables of one query; old versions of SQLite allow 999


class Source(NamedTuple):
    """A file behind a page, and its last commit, uncertain at the edge of a shallow clone."""

    seconds: int
    is_certain: bool
    name: str
    commit: str


class _Commit(NamedTuple):
    """The time of a commit in seconds, whether it is certain, and the hash."""

    seconds: int
    is_certain: bool
    hash: bytes


class _Change(NamedTuple):
    """A file in a commit: its name and content, and its content and name in each parent."""

    name: bytes
    blob: bytes
    before: list[tuple[bytes, bytes]]
    commit: _Commit


class History:
    """When each file of a commit last changed. Holds a temporary database; close it.

    `top` is the root of the repository. `project`, the site and `folders`, where the generator
    looks for sources, are relative to it. `maps` are the templates, `source_files` the files that a
    plugin recorded.
    """

    def __init__(self, site: Site, maps: Iterable[GitMap]) -> None:
        """Lists the files of the last commit. `maps` are `[[git.map]]`. Raises GitError."""
        self.maps = tuple(compile_map(templates.page, templates.source) for templates in maps)
        self.source_files = site.source_files
        self._is_built_in = any(setting.key == "git.map" for setting in site.found)
        self.top = top_of(site.source_files.folder if site.source_files else site.project)
        self.project = path_below(self.top, site.project)
        self.site = path_below(self.top, site.root)
        self.folders = [path_below(self.top, folder) for folder in site.source_folders]
        self.candidates: Mapping[str, Sequence[Candidate]] = {}
        self.example = b""  # a source that is named
        self.has_dates = False
        self.problems: list[str] = []  # of submodules
        self._folders: list[tuple[str, bytes, int]] = []  # repositories, their prefixes and files
        self._deployed: int | None = None
        self._database = sqlite3.connect("", isolation_level=None)
        with self._closed_on_error():
            self._database.execute(_TABLE)
            self._database.execute("BEGIN")
            self._list(self.top, b"")

    def _template_paths(self, path: str) -> list[bytes] | None:
        """The files that templates name for a page.

        Empty for a list of pages, None if no template fits.
        """
        fitting = [templates for templates in self.maps if templates.matches(path)]
        if not fitting:
            return None
        is_list = any(not templates.sources for templates in fitting)
        if is_list:
            return []
        names = [name for templates in fitting for name in templates.names(path)]
        return [raw(posixpath.normpath(f"{self.project}/{name}")) for name in names]

    def named_paths(self, path: str) -> list[bytes]:
        """The files that the configuration and a plugin name for a page."""
        names: list[bytes] = []
        if not self._is_built_in:
            names += self._template_paths(path) or ()
        if self.source_files:
            for name in self.source_files.of.get(path, ()):
                # Links are followed, because git would date the link itself.
                file = os.path.join(self.source_files.folder, name)
                names.append(raw(path_below(self.top, file)))
        return names

    def _page_path(self, path: str) -> bytes:
        return raw(path if self.site == "." else f"{self.site}/{path}")

    def read(
        self, dating: Callable[[], None], is_listed: Callable[[str], bool] | None = None
    ) -> None:
        """Reads the dates, newest commits first, until all files have one. Raises GitError.

        Calls `dating` at each change. With `is_listed`, which tells whether a page is listed, also
        finds the commit that added a built site (`_deploy`), for the pages' own commits.
        """
        with self._closed_on_error():
            for folder, prefix, undated_files in self._folders:
                if not undated_files:
                    continue
                with self._noting_problems(prefix.removesuffix(b"/")):
                    for change in _changes(folder):
                        dating()
                        undated_files -= self._apply(change, prefix)
                        if not undated_files:
                            break
            self._database.execute("COMMIT")
            if is_listed:
                self._deployed = self._deploy(is_listed)

    def _deploy(self, is_listed: Callable[[str], bool]) -> int | None:
        """The time of a commit that produced nine of ten pages, estimated from a sample."""
        commits = self._database.execute(_BY_COMMIT).fetchall()
        most, seconds, commit = max(commits, default=(0, 0, b""))
        if most < 2:
            return None

        def listed_of(files: int, *, is_own: bool) -> float:
            rows = self._database.execute(_SOME_PAGES, (commit, is_own))
            some = [os.fsdecode(page) for (page,) in rows]
            return files * sum(map(is_listed, some)) / max(1, len(some))

        own = listed_of(most, is_own=True)
        total = own + listed_of(sum(count for count, *_ in commits) - most, is_own=False)
        return seconds if total and own >= _BULK * total else None

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

    def _list(self, folder: str, prefix: bytes) -> None:
        """The files of a repository and its submodules."""
        modules: list[bytes] = []
        count = 0
        for entry in run_git(folder, "ls-tree", "-r", "-z", "--full-tree", "HEAD"):
            facts, _, path = entry.partition(b"\t")
            _, kind, blob = facts.split()
            if kind == b"commit":
                modules.append(path)
                continue
            count += 1
            row = (prefix + path, prefix + path, blob)
            self._database.execute("INSERT INTO files VALUES (?, ?, ?, NULL, 0, NULL, NULL)", row)
        self._folders.append((folder, prefix, count))
        for path in modules:
            below = os.path.join(folder, os.fsdecode(path))
            # A tree may name any path. A path outside, or through a link, is another repository.
            is_inside = b".." not in path.split(b"/") and raw(path_below(folder, below)) == path
            if is_inside and os.path.exists(os.path.join(below, ".git")):
                with self._noting_problems(prefix + path):
                    self._list(below, prefix + path + b"/")

    def files(self) -> Iterator[str]:
        """The files of the last commit, sorted by name."""
        for (path,) in self._database.execute("SELECT path FROM files ORDER BY path"):
            yield path.decode("utf-8", "surrogateescape")

    def mark_pages(self, paths: Iterable[str]) -> Iterator[str]:
        """Marks the files that are pages of the site, and passes them on."""
        for path in paths:
            self._database.execute(_IS_PAGE, (raw(path), self._page_path(path)))
            yield path

    def _apply(self, change: _Change, prefix: bytes) -> bool:
        """Whether the change dates a current file."""
        content = (prefix + change.name, change.blob)
        for blob_before, name_before in change.before:
            if blob_before == change.blob:
                # The content comes from this parent, perhaps under another name.
                if name_before != change.name:
                    self._database.execute(_RENAMED, (prefix + name_before, *content))
                return False
        return bool(self._database.execute(_DATED, (*change.commit, *content)).rowcount)

    def dates(
        self, paths: Sequence[str]
    ) -> tuple[dict[str, int | None], dict[str, list[Candidate]]]:
        """The time of each page's last commit in seconds, and its possible sources with theirs.

        None if the history ends before the commit. Files unknown to git are left out.
        """
        behind = self.sources_of(paths)
        candidates: dict[str, Sequence[Candidate]] = {}
        for path in paths:
            own = os.fsdecode(self._page_path(path))
            has_named_source = any(file.name != own for file in behind[path])
            fitting = () if has_named_source else self._candidates(path)
            if fitting:
                candidates[path] = fitting
        found: dict[str, int | None] = {}
        for path, known in behind.items():
            if known:
                newest = max(known)
                found[path] = newest.seconds if newest.is_certain else None
        if found or candidates:
            self.has_dates = True
        return found, self._with_seconds(candidates)

    def _with_seconds(
        self, candidates: Mapping[str, Sequence[Candidate]]
    ) -> dict[str, list[Candidate]]:
        """The possible sources of pages with the times of their last commits."""
        names = {raw(candidate.name) for fitting in candidates.values() for candidate in fitting}
        known = self._known(sorted(names)).values()
        seconds = {source.name: source.seconds for source in known if source.is_certain}
        return {
            path: [candidate._replace(seconds=seconds.get(candidate.name)) for candidate in fitting]
            for path, fitting in candidates.items()
        }

    def _candidates(self, path: str) -> Sequence[Candidate]:
        """The files that a generator's template names for a page, else those that fit its path and
        title.
        """
        mapped = self._template_paths(path)
        if mapped is None or (mapped and not self._is_built_in):
            return self.candidates.get(path, ())
        files = ((os.fsdecode(name), os.path.join(self.top, os.fsdecode(name))) for name in mapped)
        there = [(name, os.path.getsize(file)) for name, file in files if os.path.isfile(file)]
        return [Candidate(name, size, "", is_named=False, is_literal=True) for name, size in there]

    def named_files(self, path: str) -> tuple[list[str], bool]:
        """The files that are named for a page:

        the existing ones, or all if none exists; whether any does.
        """
        names = dict.fromkeys(self.named_paths(path) or [self._page_path(path)])
        top = os.fsencode(self.top)
        present = [name for name in names if os.path.lexists(os.path.join(top, name))]
        return list(map(os.fsdecode, present or names)), bool(present)

    def commit(self, name: str) -> str:
        """The last commit of a file, as a clause of a sentence."""
        source = self._known([raw(name)]).get(raw(name))
        return f"; commit {source.commit[:12]}" if source else "; not committed"

    def sources_of(self, paths: Sequence[str]) -> dict[str, list[Source]]:
        """The named sources of each page. The page itself if git knows none of them."""
        named = {path: self.named_paths(path) for path in paths}
        own = {path: self._page_path(path) for path in paths}
        known = self._known(sorted({*own.values(), *chain.from_iterable(named.values())}))
        if not self.example:
            self.example = next((names[0] for names in named.values() if names), b"")
        deployed = self._deployed or 0
        found: dict[str, list[Source]] = {}
        for path in paths:
            behind = [known[name] for name in named[path] if name in known]
            page = known.get(own[path])
            if not behind and page and page.seconds > deployed:
                behind = [page]
            found[path] = behind
        return found

    @property
    def idle(self) -> str | None:
        """The error for templates that found no source of any page."""
        if self.has_dates:
            return None
        if not self.maps and not self.source_files:
            return "no page of the site is in git, and no [[git.map]] names the sources"
        named = f"not in git, such as {os.fsdecode(self.example)}" if self.example else "not in git"
        if self.source_files:
            return f"the sources of the pages are {named}"
        return (
            f"[[git.map]] names only files {named}" if self.example else "no page fits [[git.map]]"
        )

    def _known(self, names: Sequence[bytes]) -> dict[bytes, Source]:
        known: dict[bytes, Source] = {}
        for start in range(0, len(names), _AT_ONCE):
            some = names[start : start + _AT_ONCE]
            where = f"seconds IS NOT NULL AND path IN ({','.join('?' * len(some))})"
            query = f"SELECT path, seconds, certain, hash FROM files WHERE {where}"
            for path, seconds, certain, commit in self._database.execute(query, some):
                known[path] = Source(seconds, bool(certain), os.fsdecode(path), commit.decode())
        return known


def _changes(folder: str) -> Iterator[_Change]:
    """Every change of the history, newest first. Raises GitError."""
    boundary = shallow_boundary(folder)
    tokens = iter(run_git(folder, *_LOG, "--format=%x01%H %at"))
    commit = _Commit(0, False, b"")
    for token in tokens:
        if token.startswith(b"\x01"):
            commit = _read_commit(token[1:], boundary)
            continue
        facts = token.strip()
        if facts:
            yield _read_change(facts, tokens, commit)


def _read_commit(text: bytes, boundary: Container[bytes]) -> _Commit:
    """A commit from its hash and its time."""
    name, _, time = text.partition(b" ")
    # Old imports have commits without a date, or with an invalid one.
    seconds = int(time) if re.fullmatch(rb"\d{1,12}", time) else 0
    return _Commit(seconds, name not in boundary and seconds > 0, name)


def _read_change(facts: bytes, names: Iterator[bytes], commit: _Commit) -> _Change:
    """A change of a file in git's raw format, with its names, which follow (git-diff-tree(1)).

    The facts begin with a colon for each parent. Then come the modes and the hashes, each of all
    parents and then the commit's own, and a status.
    """
    parents = facts.count(b":")
    fields = facts.lstrip(b":").split()
    *blobs_before, blob = fields[parents + 1 : 2 * parents + 2]
    is_renamed = fields[-1][:1] in b"RC"  # or copied
    if parents > 1 or is_renamed:
        names_before = [next(names) for _ in range(parents)]
        name = next(names)
    else:
        name = next(names)
        names_before = [name] * parents
    return _Change(name, blob, list(zip(blobs_before, names_before, strict=True)), commit)
