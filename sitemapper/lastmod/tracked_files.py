"""The files that git tracks in a repository and its submodules, with the commit that dates each.

One `git log` answers for all files of a repository. It gives the commit that `git log -1 -- FILE`
would show, except that renames are followed, and that pure renames, changes of the mode and commits
that are no edits do not count. Memory grows with the number of files, by some 500 bytes a file.
"""

import os
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from ..fs import open_inside
from ..model import DELETED, GitDates
from .commits import ALL_PATHS, AskedPaths, Commit, moved_into, read_history
from .last_commits import CommitSearch, Deploy, FileKind, TrackedFile
from .repository import GitError, configuration, path_below, raw, run_git

_SUBMODULE = b"160000 "  # the mode of its entry (gitsubmodules(7))
_MAX_SITEMAP_BYTES = 1 << 26  # bytes of an unpacked sitemap; ours have at most 52,428,800
_WITH_GZIP_HEADER = 31  # as zlib.decompressobj wants it
_LARGEST_COMPARED = 1 << 28  # bytes of a file to compare
_DIGITS_OF_SHA1 = 40  # in a repository with SHA-256, hashes have 64


class _Repository(NamedTuple):
    """A repository or a submodule.

    `prefix` comes before the names of its files, to make paths from the root of the main
    repository: `themes/x/` for a submodule there. `scope` are the paths for which git is asked, and
    `files` those of the last commit below them, by their names in the repository.
    """

    folder: str
    prefix: bytes
    scope: AskedPaths
    files: dict[bytes, TrackedFile]


class TrackedFiles:
    """The files of a repository and its submodules.

    First `load` the files and `mark` their kinds, then `read` the history. After this, `find` gives
    each file with its commit.

    `problems` are errors of submodules. `deploys` are the commits that wrote nearly all pages of
    the site, by their hashes. `sitemap_commit` is the last commit of the published sitemap, None if
    git has none.
    """

    def __init__(self, top: str) -> None:
        """Opens the repository with the root `top`."""
        self.top = top
        # Filled by `load`.
        self._files: dict[bytes, TrackedFile] = {}  # by their paths from the root
        self._repositories: list[_Repository] = []  # each before its submodules
        # Filled by `load` and `read`.
        self.problems: list[str] = []
        # Filled by `read`.
        self.deploys: dict[bytes, Deploy] = {}
        self.sitemap_commit: Commit | None = None

    def names(self) -> Iterator[str]:
        """Yields the paths of all files of the index, those of submodules last. Raises GitError."""
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

    def load(self, scope: AskedPaths) -> None:
        """Lists the files of the last commit that are below the asked paths. Raises GitError.

        No other file gets a date, so that a large repository around a small site costs little.
        """
        self._load_repository(self.top, prefix=b"", scope=scope)

    def _load_repository(self, folder: str, prefix: bytes, scope: AskedPaths) -> None:
        """Lists the files of a repository and of its submodules, and notes which of them differ.

        `scope` are the paths for which git is asked. `prefix` comes before the names of files, to
        make paths from the root of the main repository. It is empty there. For a submodule in
        `themes/x`, it is `themes/x/`, so that its file `a.md` is `themes/x/a.md`.
        """
        # 1. The files of the last commit. A submodule is one entry there, so `in_repository` cuts
        # the asked paths that lead into one.
        modules: list[bytes] = []
        files: dict[bytes, TrackedFile] = {}
        # The paths come after "--", because their names may begin with a hyphen.
        command = ("ls-tree", "-r", "-z", "--full-tree", "--", "HEAD")
        for entry in run_git(folder, *command, *scope.in_repository(folder)):
            facts, _, path = entry.partition(b"\t")
            if facts.startswith(_SUBMODULE):
                modules.append(path)
            else:
                file = files[path] = TrackedFile(prefix + path)
                self._files[file.path] = file
        # 2. The files that differ from it, or seem to differ.
        for path, blob in files_that_may_differ(folder, scope.paths):
            # A new file that is added to the index has no commit yet.
            file = self._files.setdefault(prefix + path, TrackedFile(prefix + path))
            file.is_edited = True
            file.blob_to_compare = blob  # empty if the file certainly differs
        self._repositories.append(_Repository(folder, prefix, scope, files))
        # 3. The submodules. Paths in them have other names there, so git is asked for all files.
        for path in modules:
            below = _find_submodule(folder, path)
            if below:
                with self._noting_problems(prefix + path):
                    self._load_repository(below, prefix + path + b"/", ALL_PATHS)

    @contextmanager
    def _noting_problems(self, submodule: bytes) -> Iterator[None]:
        """Adds the error of a submodule to `problems`, so that all other files keep their dates.

        An error of the main repository, for which `submodule` is empty, is raised.
        """
        try:
            yield
        except GitError as error:
            if not submodule:
                raise
            self.problems.append(f"submodule {os.fsdecode(submodule)}: {error}")

    def mark(self, files: Iterable[tuple[FileKind, bytes]]) -> None:
        """Marks files as pages of the site, or as their sources. The last mark counts."""
        for kind, path in files:
            if path in self._files:
                self._files[path].kind = kind

    def read(
        self,
        on_change: Callable[[], None],
        *,
        skips_commits_over_nearly_all: bool,
        sitemaps: Collection[bytes] = (),
    ) -> None:
        """Finds the commit that dates each file, and sets it in the file. Raises GitError.

        - `on_change` is called at each change that a commit made, to show progress.
        - With `skips_commits_over_nearly_all`, a commit that touched nearly all sources or nearly
          all pages dates none of these: a formatter or a deploy.
        - `sitemaps` are the paths of the published sitemap's files.

        First, the history of the asked paths is read, such as `new`. If a commit moved a file into
        them, as `git mv old/a.md new/a.md` does, the commits of `old/a.md` are missing. Only then,
        the history of all paths is read.

        Also collects what concerns all files: the `deploys`, and the `sitemap_commit`.
        """
        # How many sources and pages there are. Empty if a commit over nearly all of them counts.
        file_counts: Counter[FileKind] = Counter()
        if skips_commits_over_nearly_all:
            file_counts.update(file.kind for file in self._files.values() if file.kind)
        for repository in self._repositories:
            if not repository.files:
                continue
            folder = repository.folder
            scope = repository.scope
            with self._noting_problems(repository.prefix.removesuffix(b"/")):
                search = CommitSearch(repository.files, file_counts, sitemaps)
                search.run(read_history(folder, scope), on_change)
                # `scope.paths` are empty if the history is that of all paths.
                if scope.paths and moved_into(folder, search.commits_that_add, scope):
                    for file in repository.files.values():
                        file.forget_commits()
                    search = CommitSearch(repository.files, file_counts, sitemaps)
                    search.run(read_history(folder, ALL_PATHS), on_change)
                self.deploys |= search.deploys
                if search.sitemap_commit:
                    self.sitemap_commit = search.sitemap_commit

    def find(self, name: bytes) -> TrackedFile | None:
        """Finds the file at a path, None if git does not track it or has not dated it.

        An edited file needs no commit: it has the time of its edit.
        """
        file = self._files.get(name)
        if file and (file.commit or file.is_edited):
            return file
        return None

    def time_of_edit(self, file: TrackedFile) -> int | None:
        """Returns when a file was edited that differs from the last commit, in seconds.

            `a.md` is as in the last commit       None
            … and was only written again          None: a copy changes the time, not the content
            it differs, and was written at noon   noon
            it is deleted                         `DELETED`

        If only its content can show whether a file differs, that is compared now. The result stays
        in `is_edited`, so that each file is compared once.
        """
        if file.blob_to_compare:
            file.is_edited = not has_content(self.top, file.path, file.blob_to_compare)
            file.blob_to_compare = b""
        if not file.is_edited:
            return None
        try:
            status = os.lstat(os.path.join(self.top, os.fsdecode(file.path)))
        except OSError:
            return DELETED
        return status.st_mtime_ns // 1_000_000_000

    def dates_of(self, files: Sequence[TrackedFile]) -> GitDates:
        """Returns the times that git has for the files of a page: its source and what it includes.

        - If one of the files is edited, and that is not committed, the result is `edit`: the time
          of the newest edit.
        - Otherwise it is `commit`: the newest of the commits that date the files. If that is at the
          edge of a shallow clone, it is not certain, so the result is only `is_shallow`.
        - If no file changed since the last commit of the published sitemap, the result also has
          limits for the date of the page in that sitemap: `previous_commit` and
          `last_commit_if_unchanged`.

        An example of the last case, with one file:

            1 May     somebody edits the file     `previous_commit`
            9 May     somebody edits it again     `commit`
            12 May    a formatter changes all     `last_commit_if_unchanged`, of any kind
            20 May    the sitemap is committed
        """
        edits = [edit for edit in map(self.time_of_edit, files) if edit is not None]
        if edits:
            return GitDates(edit=max(edits))
        newest = max(files, key=lambda file: (file.seconds, file.is_certain))
        dates = GitDates(
            commit=newest.seconds if newest.is_certain else None,
            is_shallow=not newest.is_certain,
        )
        if not all(file.is_unchanged_since_sitemap for file in files):
            return dates
        # If the newest commit did not change all of the files, the last commit of another file may
        # be the one before it.
        previous = 0
        for file in files:
            is_of_newest = file.commit == newest.commit
            previous = max(previous, file.previous_seconds if is_of_newest else file.seconds)
        newest_of_any_kind = max(file.newest_seconds for file in files)
        return dates._replace(last_commit_if_unchanged=newest_of_any_kind, previous_commit=previous)

    def _repository_of(self, path: bytes) -> _Repository:
        """Finds the repository or submodule that has a file."""
        # A submodule comes after the repository around it.
        for repository in reversed(self._repositories):
            if path.startswith(repository.prefix):
                return repository
        raise AssertionError(path)

    def is_committed(self, path: str) -> bool:
        """Whether the last commit has a file. `path` begins at the root of the repository."""
        repository = self._repository_of(raw(path))
        return raw(path).removeprefix(repository.prefix) in repository.files

    def lines_of_sitemap(self, path: str) -> Iterator[bytes]:
        """Reads the lines of a committed sitemap, unpacked if it ends in .gz. Raises GitError."""
        repository = self._repository_of(raw(path))
        name = os.fsdecode(raw(path).removeprefix(repository.prefix))
        command = ("cat-file", "blob", f"HEAD:{name}")
        if not path.endswith(".gz"):
            yield from run_git(repository.folder, *command, end=b"\n")
            return
        packed = b"".join(run_git(repository.folder, *command, end=b""))
        with suppress(zlib.error):  # a damaged file has no dates
            unpacking = zlib.decompressobj(_WITH_GZIP_HEADER)
            yield from unpacking.decompress(packed, _MAX_SITEMAP_BYTES).split(b"\n")

    def has_pages(self) -> bool:
        """Whether there are pages of the site."""
        return any(file.kind is FileKind.PAGE for file in self._files.values())


def _find_submodule(folder: str, path: bytes) -> str:
    """Finds the folder of a submodule, "" if it is not checked out. git is then run in this folder.

    `themes/x` in the repository at `/srv/shop` → `/srv/shop/themes/x`.

    Also "" for a path that leads out of the repository, with `..` or through a link. The tree of a
    commit may contain any path, and git must not be run in the repository of somebody else.
    """
    if b".." in path.split(b"/"):
        return ""
    below = os.path.join(folder, os.fsdecode(path))
    # `path_below` follows links, so its path is another one if there is a link.
    has_link = raw(path_below(folder, below)) != path
    if has_link or not os.path.exists(os.path.join(below, ".git")):
        return ""
    return below


def files_that_may_differ(top: str, paths: Sequence[str] = ()) -> Iterator[tuple[bytes, bytes]]:
    """Yields the path of each file that may differ from the last commit, with a hash to compare.

    - A new, deleted or certainly edited file has an empty hash.
    - A file may only have another time than git noted, as all files of a copied project do. It has
      the hash of its content in the last commit, with which the caller compares its content
      (`has_content`).

    `paths` are the files and folders to compare, all if there are none. Raises GitError.
    """
    # `git diff` would compare contents itself, but it writes the index. `git diff-index` does not,
    # and goes by the times. It only reads a file that was written in the same second as the index.
    # For that, git would run the filters of the configuration, which are programs.
    options = ("--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=all")
    command = (*_options_without_filters(top), "diff-index", *options, "HEAD", "--", *paths)
    tokens = run_git(top, *command)
    for facts in tokens:
        # `:100644 100644 1a… 0000… M`, then the path: it is modified, by its time. The zeros say
        # that git has not read the file.
        _, _, blob_in_commit, blob_of_file, status = facts.split()
        path = next(tokens)
        is_read = blob_of_file.strip(b"0") != b""
        may_be_equal = status == b"M" and not is_read
        yield path, blob_in_commit if may_be_equal else b""


def _options_without_filters(top: str) -> list[str]:
    """Makes the options of git that turn off each filter in the configuration of a repository.

    `filter.lfs.clean` → `-c filter.lfs.clean= -c filter.lfs.process= …`. Raises GitError for a
    filter that cannot be turned off.
    """
    filters: dict[str, None] = {}
    for key in configuration(top):
        name = key.rpartition(".")[0]
        if not name.startswith("filter."):
            continue
        if "=" in name:  # `git -c NAME=VALUE` would end the name at the first one
            raise GitError(f"the name of the filter {name} contains “=”", "rename it")
        filters[name] = None
    options: list[str] = []
    for name in filters:
        for setting in ("clean=", "process=", "required=false"):
            options += ["-c", f"{name}.{setting}"]
    return options


def has_content(top: str, path: bytes, blob: bytes) -> bool:
    """Whether a file of a repository has the content with this hash, so that it is not edited.

    Its lines may end in CRLF, which git writes on Windows, instead of LF. False for a file that
    cannot be read, or is larger than 256 MB.
    """
    # Imported here, because it loads OpenSSL.
    from hashlib import sha1, sha256

    file = os.path.join(top, os.fsdecode(path))
    try:
        if os.path.islink(file):  # its content is its target
            data: bytes | None = os.fsencode(os.readlink(file))
        else:
            data = open_inside(top, file, _LARGEST_COMPARED)
    except OSError:
        return False
    if data is None:
        return False
    # A blob's hash is that of a header and the content (gitformat-loose(5)).
    digest = sha1 if len(blob) == _DIGITS_OF_SHA1 else sha256
    for text in (data, data.replace(b"\r\n", b"\n")):
        header = b"blob %d\0" % len(text)
        if digest(header + text, usedforsecurity=False).hexdigest().encode() == blob:
            return True
    return False
