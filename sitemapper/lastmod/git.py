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
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from operator import itemgetter
from typing import IO, NamedTuple

from ..config.settings import Settings
from ..fs import relative
from ..model import SourceFiles
from ..syntax.templates import Map, compile_map

_LOG = (
    "log", "-c", "-M100%", "--raw", "--no-abbrev", "--combined-all-paths", "-z",
    f"-O{os.devnull}", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color",
)  # fmt: skip
# A repository may name programs: here each is off. A partial clone would fetch what it lacks, by one of them.
_KINDS = (*(f".{kind}" for kind in ("file", "git", "http", "https", "ssh", "ext")), "")
_SAFE = (
    "core.fsmonitor=false", f"core.hooksPath={os.devnull}", "core.askPass=", "safe.bareRepository=explicit",
    "log.showRoot=true", *(f"protocol{kind}.allow=never" for kind in _KINDS),
)  # fmt: skip
_OPTIONS = ("--no-pager", "--literal-pathspecs", *(word for value in _SAFE for word in ("-c", value)))
_TABLE = """CREATE TABLE files
    (path BLOB PRIMARY KEY, name BLOB UNIQUE, blob BLOB, seconds INTEGER, sure INTEGER, made BLOB)"""
_RENAMED = "UPDATE OR IGNORE files SET name = ? WHERE name = ? AND blob = ?"
_DATED = "UPDATE files SET seconds = ?, sure = ?, made = ?, name = NULL WHERE name = ? AND blob = ?"
_BLOCK = 1 << 16
_HTML = (b".html", b".htm", b".xhtml")
_BULK = 0.9  # of the pages
_AT_ONCE = 500  # variables of one query; old versions of SQLite take 999


class GitError(Exception):
    """Why git cannot tell dates, as a clause for a warning."""


class Sources(NamedTuple):
    """Where the files behind pages lie: templates and the folder they are relative to; the site itself.

    `told` holds the files that a generator names, `top` is the root of the repository.
    """

    maps: tuple[Map, ...]
    project: str
    site: str
    told: SourceFiles | None = None
    top: str = ""

    @property
    def start(self) -> str:
        """The folder in whose repository the sources lie."""
        return self.told.folder if self.told else self.project

    def below(self, top: str) -> Sources:
        """The same with folders relative to `top`, the root of the repository."""
        project, site = (_below(top, folder) for folder in (self.project, self.site))
        return self._replace(project=project, site=site, top=top)

    def names(self, path: str) -> list[bytes]:
        """The files that the generator and templates name for a page."""
        is_list = any(not templates.sources and templates.matches(path) for templates in self.maps)
        mapped = (name for templates in (() if is_list else self.maps) for name in templates.names(path))
        names = [posixpath.normpath(f"{self.project}/{name}") for name in mapped]
        if self.told:
            files = self.told.of.get(path, ())
            # Links are followed: git would date the link itself.
            names += [_below(self.top, os.path.join(self.told.folder, name)) for name in files]
        return [_raw(name) for name in names]

    def name(self, path: str) -> bytes:
        """The page itself."""
        return _raw(path if self.site == "." else f"{self.site}/{path}")


def _below(top: str, path: str) -> str:
    """A path as git has it: from the root of the repository, links resolved."""
    return relative(os.path.realpath(path), top).replace(os.sep, "/")


def sources(settings: Settings) -> Sources:
    """The sources that a configuration or the generator names."""
    maps = tuple(compile_map(templates.page, templates.source) for templates in settings.git.map)
    return Sources(maps, settings.project, settings.site, settings.source_files)


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

    def __init__(
        self,
        sources: Sources,
        dating: Callable[[], None] = lambda: None,
        *,
        distrusts_bulk: bool = False,
    ) -> None:
        """Reads the history, and calls `dating` at each change. Raises GitError.

        With `distrusts_bulk`, no page is dated by its own commit if nine of ten pages share it: a built site
        was committed, and each build changes every file.
        """
        self._dating = dating
        self.example, self.has_dates = b"", False
        top = _top(sources.start)
        self._sources = sources.below(top)
        self._database = sqlite3.connect("", isolation_level=None)
        try:
            self._database.execute(_TABLE)
            self._database.execute("BEGIN")
            self._read(top, b"")
            self._database.execute("COMMIT")
            self._bulk_commit = self._find_bulk_commit() if distrusts_bulk else None
        except sqlite3.Error as error:
            self.close()
            raise GitError(f"no room for a temporary database ({error})") from None
        except GitError:
            self.close()
            raise

    def close(self) -> None:
        """Removes the database."""
        self._database.close()

    def _read(self, folder: str, prefix: bytes) -> None:
        """Dates the files of one repository, and those of its submodules."""
        modules: list[bytes] = []
        left = 0
        for entry in _git(folder, "ls-tree", "-r", "-z", "--full-tree", "HEAD"):
            facts, _, path = entry.partition(b"\t")
            _, kind, blob = facts.split()
            if kind == b"commit":
                modules.append(path)
                continue
            left += 1
            row = (prefix + path, prefix + path, blob)
            self._database.execute("INSERT INTO files VALUES (?, ?, ?, NULL, 0, NULL)", row)
        for change in _changes(folder):
            self._dating()
            left -= self._apply(change, prefix)
            if not left:
                break
        for path in modules:
            below = os.path.join(folder, os.fsdecode(path))
            if os.path.exists(os.path.join(below, ".git")):
                self._read(below, prefix + path + b"/")

    def _apply(self, change: _Change, prefix: bytes) -> bool:
        """Whether a file of today got its date by the change."""
        run, made = self._database.execute, (prefix + change.name, change.blob)
        for blob, name in change.before:
            if blob == change.blob:  # the content came with this parent, perhaps under another name
                if name != change.name:
                    run(_RENAMED, (prefix + name, *made))
                return False
        return bool(run(_DATED, (change.seconds, change.sure, change.commit, *made)).rowcount)

    def dates(self, paths: Sequence[str]) -> dict[str, int | None]:
        """The second of each page's newest source, None where the history is cut off before it.

        Pages that git does not know are left out.
        """
        newest = ((path, max(known)) for path, known in self.sources(paths).items() if known)
        found = {path: source.seconds if source.sure else None for path, source in newest}
        self.has_dates |= bool(found)
        return found

    def candidates(self, path: str) -> tuple[list[str], bool]:
        """The files that may date a page, and whether they exist: those that do, or all if none does."""
        names = self._sources.names(path) or [self._sources.name(path)]
        top = os.fsencode(self._sources.top)
        present = [name for name in names if os.path.lexists(os.path.join(top, name))]
        return list(map(os.fsdecode, present or names)), bool(present)

    def newest(self, path: str) -> Source | None:
        """The one that does."""
        return max(self.sources([path])[path], default=None)

    def sources(self, paths: Sequence[str]) -> dict[str, list[Source]]:
        """The files behind each page that git knows; the page itself where it knows no other."""
        names = [(self._sources.names(path), self._sources.name(path)) for path in paths]
        known = self._known(sorted({name for mapped, own in names for name in (*mapped, own)}))
        self.example = self.example or next((mapped[0] for mapped, _ in names if mapped), b"")
        found = {}
        for path, (mapped, own) in zip(paths, names, strict=True):
            behind = [known[name] for name in mapped if name in known]
            is_dated = own in known and known[own].commit != self._bulk_commit
            found[path] = behind or ([known[own]] if is_dated else [])
        return found

    def _find_bulk_commit(self) -> str | None:
        """The commit that nine of ten HTML files of the site share; None if there is none, or one file."""
        below = b"" if self._sources.site == "." else _raw(f"{self._sources.site}/")
        rows = self._database.execute("SELECT path, made FROM files WHERE made IS NOT NULL")
        commits = Counter(made for path, made in rows if path.startswith(below) and path.endswith(_HTML))
        commit, pages = max(commits.items(), key=itemgetter(1), default=(b"", 0))
        return commit.decode() if pages > 1 and pages >= _BULK * commits.total() else None

    @property
    def idle(self) -> str | None:
        """What is wrong with templates that found no source of any page."""
        if self.has_dates:
            return None
        if not self._sources.maps and not self._sources.told:
            return "no page of the site is in git; tell by [[git.map]] which sources pages come from"
        tried = f", such as {os.fsdecode(self.example)}" if self.example else "; no page fits a template"
        if self._sources.told:
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
    path = os.fsdecode(b"".join(_git(folder, "rev-parse", "--git-path", "shallow"))).removesuffix("\n")
    try:
        with open(os.path.join(folder, path), "rb") as file:
            return frozenset(file.read().split())
    except FileNotFoundError:
        return frozenset()


def untracked(files: Sequence[str], project: str) -> list[str]:
    """Those of the files that are not in the index of the project's repository. Raises GitError."""
    top = _top(project)
    folders = sorted({_below(top, os.path.dirname(os.path.abspath(file))) for file in files})
    inside = [folder for folder in folders if not folder.startswith("..")]
    names = {os.fsdecode(name) for name in _git(top, "ls-files", "-z", "--", *inside)} if inside else set()
    return [file for file in files if _below(top, os.path.abspath(file)) not in names]


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
            process = subprocess.Popen(call, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        except OSError as error:
            raise GitError(f"git cannot be run ({error.strerror}); install it") from None
        assert process.stdout
        with process, closing(process.stdout) as stdout:
            yield from _tokens(stdout)
            stdout.close()
            if process.wait():
                errors.seek(0)
                raise GitError(_reason(errors.read()))


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
    said = (fatal or lines or ["git failed and did not say why"])[0]
    if b"promisor" in errors or b"lazy fetching" in errors:
        lacks = "this partial clone lacks a part of its history, and sitemapper fetches nothing"
        return f"{lacks}; git fetch --refetch --filter=blob:none gets it"
    return "the repository has no commit yet" if said == "Not a valid object name HEAD" else said


def _raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
