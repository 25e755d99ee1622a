"""The date of the last commit that changed a page's source: one `git log` for the whole tree.

A commit counts for a file if it made the content that the file has today: neither a branch that a
merge discarded does, nor a change of mode, nor a pure rename, which is followed. Memory is bounded by
SQLite's page cache, whatever the history.
"""

from __future__ import annotations

import os
import posixpath
import re
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import IO, NamedTuple

from ..config.settings import Settings
from ..fs import relative
from ..model import Candidate, SourceFiles
from ..syntax.templates import Map, compile_map

_LOG = (
    "log", "-c", "-M100%", "--raw", "--no-abbrev", "--combined-all-paths", "-z",
    f"-O{os.devnull}", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color",
    "--encoding=UTF-8",
)  # fmt: skip
# A repository may name programs: here each is off. A partial clone would fetch what it lacks, by one of them.
_KINDS = (*(f".{kind}" for kind in ("file", "git", "http", "https", "ssh", "ext")), "")
_SAFE = (
    "core.fsmonitor=false", f"core.hooksPath={os.devnull}", "core.askPass=", "safe.bareRepository=explicit",
    "log.showRoot=true", "log.mailmap=false", *(f"protocol{kind}.allow=never" for kind in _KINDS),
)  # fmt: skip
# What `git rev-parse --local-env-vars` names, but for configuration: a git hook sets these for its own
# repository, and the site may lie in another.
_LOCAL = (
    "DIR", "WORK_TREE", "INDEX_FILE", "PREFIX", "COMMON_DIR", "OBJECT_DIRECTORY", "GRAFT_FILE",
    "SHALLOW_FILE", "ALTERNATE_OBJECT_DIRECTORIES", "IMPLICIT_WORK_TREE", "REPLACE_REF_BASE",
    "NO_REPLACE_OBJECTS",
)  # fmt: skip
_FETCHES_NOTHING = {"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1"}
_OPTIONS = ("--no-pager", "--literal-pathspecs", *(word for value in _SAFE for word in ("-c", value)))
_TABLE = """CREATE TABLE files
    (path BLOB PRIMARY KEY, name BLOB UNIQUE, blob BLOB, seconds INTEGER, sure INTEGER, made BLOB,
    page INTEGER)"""
_BY_COMMIT = "SELECT COUNT(*), MAX(seconds) FROM files WHERE page AND made NOT NULL GROUP BY made"
_RENAMED = "UPDATE OR IGNORE files SET name = ? WHERE name = ? AND blob = ?"
_DATED = "UPDATE files SET seconds = ?, sure = ?, made = ?, name = NULL WHERE name = ? AND blob = ?"
_BLOCK = 1 << 16
_BULK = 0.9  # of the pages
_AT_ONCE = 500  # variables of one query; old versions of SQLite take 999


class GitError(Exception):
    """Why git cannot tell dates, as a clause for a warning."""


class Sources(NamedTuple):
    """Where the files behind pages lie: templates and the folder they are relative to; the site itself.

    `told` holds the files that a generator names, `top` is the root of the repository. `is_built_in` says
    that the templates are those of a generator, `folders` are where it looks for sources.
    """

    maps: tuple[Map, ...]
    project: str
    site: str
    told: SourceFiles | None = None
    is_built_in: bool = False
    folders: tuple[str, ...] = ()
    top: str = ""

    @property
    def start(self) -> str:
        """The folder in whose repository the sources lie."""
        return self.told.folder if self.told else self.project

    def below(self, top: str) -> Sources:
        """The same with folders relative to `top`, the root of the repository."""
        project, site, *folders = (_below(top, path) for path in (self.project, self.site, *self.folders))
        return self._replace(project=project, site=site, folders=tuple(folders), top=top)

    def mapped(self, path: str) -> list[bytes] | None:
        """The files that templates name for a page, none for a list of others; None if no template fits."""
        fitting = [templates for templates in self.maps if templates.matches(path)]
        if not fitting:
            return None
        is_list = any(not templates.sources for templates in fitting)
        names = (name for templates in (() if is_list else fitting) for name in templates.names(path))
        return [_raw(posixpath.normpath(f"{self.project}/{name}")) for name in names]

    def names(self, path: str) -> list[bytes]:
        """The files that the configuration and a plugin name for a page."""
        names = (not self.is_built_in and self.mapped(path)) or []
        if self.told:
            files = self.told.of.get(path, ())
            # Links are followed: git would date the link itself.
            names += [_raw(_below(self.top, os.path.join(self.told.folder, name))) for name in files]
        return names

    def name(self, path: str) -> bytes:
        """The page itself."""
        return _raw(path if self.site == "." else f"{self.site}/{path}")


def _below(top: str, path: str) -> str:
    """A path as git has it: from the root of the repository, links resolved."""
    return relative(os.path.realpath(path), top).replace(os.sep, "/")


def sources(settings: Settings) -> Sources:
    """The sources that a configuration or the generator names."""
    is_built_in = any(setting.key == "git.map" for setting in settings.detected)
    maps = tuple(compile_map(templates.page, templates.source) for templates in settings.git.map)
    told, folders = settings.source_files, settings.source_folders
    return Sources(maps, settings.project, settings.site, told, is_built_in, folders)


def dates_pages_themselves(site: str, sitemap: str, project: str) -> bool:
    """Whether the project's repository tracks files of the site, and not its sitemap. Raises GitError.

    A commit would change the dates of the pages in it, so no sitemap could be committed with them.
    """
    top = _top(project)
    below = _below(top, site)
    names = set() if below.startswith("..") else set(_git(top, "ls-files", "-z", "--", below))
    return bool(names) and _raw(_below(top, sitemap)) not in names


class Source(NamedTuple):
    """A file behind a page, and the commit that made it what it is; not `sure` on a shallow boundary."""

    seconds: int
    sure: bool
    name: str
    commit: str


class History:
    """When each file of a commit last changed. Holds a temporary database; close it."""

    def __init__(self, sources: Sources) -> None:
        """Lists the files of the last commit. Raises GitError."""
        self.candidates: Mapping[str, Sequence[Candidate]] = {}
        self.example, self.has_dates = b"", False
        self.problems: list[str] = []  # of submodules
        self._folders: list[tuple[str, bytes, int]] = []  # repositories, their prefixes and files
        self._deployed: int | None = None
        top = _top(sources.start)
        self.sources = sources.below(top)
        self._database = sqlite3.connect("", isolation_level=None)
        with self._closed_on_error():
            self._database.execute(_TABLE)
            self._database.execute("BEGIN")
            self._list(top, b"")

    def read(self, dating: Callable[[], None] = lambda: None, *, distrusts_deploys: bool = False) -> None:
        """Reads the dates, and calls `dating` at each change. Raises GitError.

        With `distrusts_deploys`, a commit that made nine of ten pages of the site dates none by itself, nor
        does an older one: a built site was committed, and each build changes every file.
        """
        with self._closed_on_error():
            for folder, prefix, left in self._folders:
                with self._noting_problems(prefix.removesuffix(b"/")):
                    for change in _changes(folder) if left else ():
                        dating()
                        left -= self._apply(change, prefix)
                        if not left:
                            break
            self._database.execute("COMMIT")
            if distrusts_deploys:
                pages = self._database.execute(_BY_COMMIT).fetchall()
                most, seconds = max(pages, default=(0, 0))
                is_deploy = most > 1 and most >= _BULK * sum(count for count, _ in pages)
                self._deployed = seconds if is_deploy else None

    @contextmanager
    def _closed_on_error(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            self.close()
            raise GitError(f"no room for a temporary database ({error})") from None
        except GitError:
            self.close()
            raise

    @contextmanager
    def _noting_problems(self, submodule: bytes) -> Iterator[None]:
        """Keeps a submodule that cannot be read from losing the dates of the rest."""
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
        """The files of one repository, and those of its submodules."""
        modules: list[bytes] = []
        count = 0
        for entry in _git(folder, "ls-tree", "-r", "-z", "--full-tree", "HEAD"):
            facts, _, path = entry.partition(b"\t")
            _, kind, blob = facts.split()
            if kind == b"commit":
                modules.append(path)
                continue
            count += 1
            row = (prefix + path, prefix + path, blob)
            self._database.execute("INSERT INTO files VALUES (?, ?, ?, NULL, 0, NULL, 0)", row)
        self._folders.append((folder, prefix, count))
        for path in modules:
            below = os.path.join(folder, os.fsdecode(path))
            # A tree may name any path: what lies elsewhere, or behind a link, is another repository.
            is_inside = b".." not in path.split(b"/") and _raw(_below(folder, below)) == path
            if is_inside and os.path.exists(os.path.join(below, ".git")):
                with self._noting_problems(prefix + path):
                    self._list(below, prefix + path + b"/")

    def names(self) -> Iterator[str]:
        """The files of the last commit, in the order of their names."""
        for (path,) in self._database.execute("SELECT path FROM files ORDER BY path"):
            yield path.decode("utf-8", "surrogateescape")

    def mark_pages(self, paths: Iterable[str]) -> Iterator[str]:
        """Notes which files are pages of the site, and passes them on."""
        for path in paths:
            self._database.execute("UPDATE files SET page = 1 WHERE path = ?", (self.sources.name(path),))
            yield path

    def _apply(self, change: _Change, prefix: bytes) -> bool:
        """Whether a file of today got its date by the change."""
        run, made = self._database.execute, (prefix + change.name, change.blob)
        for blob, name in change.before:
            if blob == change.blob:  # the content came with this parent, perhaps under another name
                if name != change.name:
                    run(_RENAMED, (prefix + name, *made))
                return False
        return bool(run(_DATED, (change.seconds, change.sure, change.commit, *made)).rowcount)

    def dates(self, paths: Sequence[str]) -> tuple[dict[str, int | None], dict[str, list[Candidate]]]:
        """The second of each page's last commit, and the files that may have made it, with theirs.

        None is where the history is cut off before the commit. What git does not know is left out.
        """
        behind = self.sources_of(paths)
        own = {path: os.fsdecode(self.sources.name(path)) for path in paths}
        named = {path for path, known in behind.items() if any(file.name != own[path] for file in known)}
        candidates = self._candidates_of([path for path in paths if path not in named])
        newest = ((path, max(known)) for path, known in behind.items() if known)
        found = {path: source.seconds if source.sure else None for path, source in newest}
        self.has_dates |= bool(found or candidates)
        return found, candidates

    def _candidates_of(self, paths: Sequence[str]) -> dict[str, list[Candidate]]:
        """The candidates of pages whose sources no template names."""
        found = {path: of for path in paths if (of := self._candidates(path))}
        known = self._known(sorted({_raw(candidate.name) for of in found.values() for candidate in of}))

        def dated(candidate: Candidate) -> Candidate:
            source = known.get(_raw(candidate.name))
            return candidate._replace(seconds=source.seconds if source and source.sure else None)

        return {path: list(map(dated, of)) for path, of in found.items()}

    def _candidates(self, path: str) -> Sequence[Candidate]:
        """What a generator's template names for a page, or else what its path and title fit."""
        mapped = self.sources.mapped(path)
        if mapped is None or (mapped and not self.sources.is_built_in):
            return self.candidates.get(path, ())
        files = ((os.fsdecode(name), os.path.join(self.sources.top, os.fsdecode(name))) for name in mapped)
        there = [(name, os.path.getsize(file)) for name, file in files if os.path.isfile(file)]
        return [Candidate(name, size, "", is_named=False, is_literal=True) for name, size in there]

    def named(self, path: str) -> tuple[list[str], bool]:
        """The files that are named for a page, and whether they exist: those that do, or all if none does."""
        names = dict.fromkeys(self.sources.names(path) or [self.sources.name(path)])
        top = os.fsencode(self.sources.top)
        present = [name for name in names if os.path.lexists(os.path.join(top, name))]
        return list(map(os.fsdecode, present or names)), bool(present)

    def commit(self, name: str) -> str:
        """The last commit of a file, as the end of a clause."""
        source = self._known([_raw(name)]).get(_raw(name))
        return f"; commit {source.commit[:12]}" if source else "; not committed"

    def sources_of(self, paths: Sequence[str]) -> dict[str, list[Source]]:
        """The files that are named as those behind each page; the page itself where git knows none."""
        names = [(self.sources.names(path), self.sources.name(path)) for path in paths]
        known = self._known(sorted({name for mapped, own in names for name in (*mapped, own)}))
        self.example = self.example or next((mapped[0] for mapped, _ in names if mapped), b"")
        found = {}
        for path, (mapped, own) in zip(paths, names, strict=True):
            behind = [known[name] for name in mapped if name in known]
            is_dated = own in known and known[own].seconds > (self._deployed or 0)
            found[path] = behind or ([known[own]] if is_dated else [])
        return found

    @property
    def idle(self) -> str | None:
        """What is wrong with templates that found no source of any page."""
        if self.has_dates:
            return None
        if not self.sources.maps and not self.sources.told:
            return "no page of the site is in git, and no [[git.map]] names the sources"
        tried = f", such as {os.fsdecode(self.example)}" if self.example else "; no page fits a template"
        if self.sources.told:
            return f"no source of a page is in git{tried if self.example else ''}"
        return f"[[git.map]] leads to no source that is in git{tried}"

    def _known(self, names: Sequence[bytes]) -> dict[bytes, Source]:
        known: dict[bytes, Source] = {}
        for start in range(0, len(names), _AT_ONCE):
            some = names[start : start + _AT_ONCE]
            where = f"seconds IS NOT NULL AND path IN ({','.join('?' * len(some))})"
            query = f"SELECT path, seconds, sure, made FROM files WHERE {where}"
            for path, seconds, sure, commit in self._database.execute(query, some):
                known[path] = Source(seconds, bool(sure), os.fsdecode(path), commit.decode())
        return known


class _Change(NamedTuple):
    """One file in one commit: name and content, those in each parent; not `sure` on a shallow boundary."""

    name: bytes
    blob: bytes
    before: list[tuple[bytes, bytes]]
    seconds: int
    sure: bool
    commit: bytes


def _changes(folder: str) -> Iterator[_Change]:
    """Every change of the history, newest first. Raises GitError."""
    boundary = _boundary(folder)
    tokens = iter(_git(folder, *_LOG, "--format=%x01%H %at"))
    seconds, sure, commit = 0, False, b""
    for token in tokens:
        if token.startswith(b"\x01"):
            commit, _, text = token[1:].partition(b" ")
            # Old imports have commits without a date, or with one that no clock can show.
            seconds = int(text) if re.fullmatch(rb"\d{1,12}", text) else 0
            sure = commit not in boundary and seconds > 0
        elif facts := token.strip():
            parents = facts.count(b":")
            *_, status = fields = facts.lstrip(b":").split()
            blobs = fields[parents + 1 : 2 * parents + 2]
            renamed = parents > 1 or status[:1] in b"RC"
            names = [next(tokens) for _ in range(parents + 1 if renamed else 1)]
            before = list(zip(blobs, names if renamed else names * parents, strict=False))[:parents]
            yield _Change(names[-1], blobs[-1], before, seconds, sure, commit)


def _boundary(folder: str) -> frozenset[bytes]:
    """The commits whose parents a shallow clone lacks (docs/protocol.md §6)."""
    path = os.path.join(".git", "shallow")
    if not os.path.isfile(os.path.join(folder, ".git", "HEAD")):  # a submodule or a linked worktree
        path = os.fsdecode(b"".join(_git(folder, "rev-parse", "--git-path", "shallow"))).removesuffix("\n")
    try:
        with open(os.path.join(folder, path), "rb") as file:
            return frozenset(file.read().split())
    except FileNotFoundError:
        return frozenset()


def tracked_blobs(project: str) -> dict[str, str]:
    """The files in the index of the project's repository, with the hashes of their bytes.

    None without a repository. Raises GitError.
    """
    try:
        top = _top(project)
    except GitError:
        return {}
    entries = (entry.partition(b"\t") for entry in _git(top, "ls-files", "--stage", "-z"))
    return {os.path.join(top, os.fsdecode(path)): facts.split()[1].decode() for facts, _, path in entries}


def untracked(files: Sequence[str], project: str) -> list[str]:
    """Those of the files that are not in the index of the project's repository. Raises GitError."""
    top = _top(project)
    folders = sorted({_below(top, os.path.dirname(os.path.abspath(file))) for file in files})
    inside = [folder for folder in folders if not folder.startswith("..")]
    names = {os.fsdecode(name) for name in _git(top, "ls-files", "-z", "--", *inside)} if inside else set()
    return [file for file in files if _below(top, os.path.abspath(file)) not in names]


def ignored(files: Sequence[str], project: str) -> list[str]:
    """Those of the files that git neither tracks nor would add. Raises GitError."""
    top = _top(project)
    names = {
        os.fsdecode(name)
        for name in _git(top, "ls-files", "-z", "-o", "-i", "--exclude-standard", "--", *files)
    }
    return [file for file in files if _below(top, os.path.abspath(file)) in names]


def untracked_pages(site: str, project: str, is_page: Callable[[str], bool]) -> set[str]:
    """The pages of a site that are not in the index of the project's repository, ignored ones too.

    None where it tracks no page of the site. Raises GitError.
    """
    top = _top(project)
    below = _below(top, site)

    def pages(*options: str) -> Iterator[str]:
        for name in _git(top, "ls-files", "-z", *options, "--", below):
            path = posixpath.relpath(name.decode("utf-8", "surrogateescape"), below)
            if is_page(path):
                yield path

    return set(pages("--others")) if not below.startswith("..") and any(pages()) else set()


def _top(folder: str) -> str:
    """The folder with `.git` that is nearest to a folder, itself or above. Raises GitError.

    git would also take a folder for a repository that looks like a bare one, such as a site with its files.
    """
    top = os.path.realpath(folder)
    while not os.path.exists(os.path.join(top, ".git")):
        top, below = os.path.dirname(top), top
        if top == below:
            raise GitError("not a git repository (or any of the parent directories): .git")
    return top


def _git(top: str, *command: str) -> Iterator[bytes]:
    """The output of a git command in a repository, cut at NUL characters as it comes. Raises GitError.

    The only function that starts a program.
    """
    place = ("-C", top, f"--git-dir={os.path.join(top, '.git')}", f"--work-tree={top}")
    call = ("git", *_OPTIONS, *place, *command)
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                call, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, env=_environment()
            )
        except OSError as error:
            raise GitError(f"git cannot be run ({error.strerror}); install it") from None
        assert process.stdout
        with process, closing(process.stdout) as stdout:
            yield from _tokens(stdout)
            stdout.close()
            if process.wait():
                errors.seek(0)
                raise GitError(_reason(errors.read()))


def _environment() -> dict[str, str]:
    """The environment of git, in which it belongs to no other repository and fetches nothing."""
    local = {f"GIT_{name}" for name in _LOCAL}
    kept = {name: value for name, value in os.environ.items() if name not in local}
    return kept | _FETCHES_NOTHING


def _tokens(stream: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while block := stream.read(_BLOCK):
        *whole, rest = (rest + block).split(b"\0")
        yield from whole
    if rest:
        yield rest


def _reason(errors: bytes) -> str:
    lines = os.fsdecode(errors).strip().splitlines()
    fatal = [line.removeprefix("fatal: ") for line in lines if line.startswith("fatal: ")]
    said = (fatal or lines or ["git failed without a message"])[0]
    if b"promisor" in errors or b"lazy fetching" in errors:
        lacks = "this partial clone lacks a part of its history"
        return f"{lacks}: run git fetch --refetch --filter=blob:none"
    return "the repository has no commit yet" if said == "Not a valid object name HEAD" else said


def _raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
