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
from ..model import DELETED, GitDates, TimesOfEdit
from .commits import ALL_PATHS, AskedPaths, Commit, moved_into, read_history
from .last_commits import CommitSearch, Deploy, FileCommits, FileKind, SearchOptions, TrackedFile
from .repository import GitError, configuration, git_path, path_below, run_git

_SUBMODULE = b"160000 "  # the mode of its entry (gitsubmodules(7))
_MAX_SITEMAP_BYTES = 1 << 26  # bytes of an unpacked sitemap; ours have at most 52,428,800
_WITH_GZIP_HEADER = 31  # as zlib.decompressobj wants it
_LARGEST_COMPARED = 1 << 28  # bytes of a file to compare
_DIGITS_OF_SHA1 = 40  # in a repository with SHA-256, hashes have 64


class _Repository(NamedTuple):
    """A repository or a submodule.

    - `prefix` leads from the root of the main repository to this one: `themes/x/` for a submodule.
      The file `a.md` in it has the path `themes/x/a.md`.
    - `scope` are the paths for which git is asked.
    - `files` are the files of the last commit below these paths, by their names in this repository.
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
        """Finds the files of the last commit that are below the asked paths. Raises GitError.

        `find` and `read` know only these files. So a large repository around a small site costs
        little.
        """
        self._load_repository(self.top, prefix=b"", scope=scope)

    def _load_repository(self, folder: str, prefix: bytes, scope: AskedPaths) -> None:
        """Adds the files of a repository and its submodules, and marks those that were edited.

        Only files below the paths of `scope` are added. In the submodule `themes/x`, the `prefix`
        is `themes/x/`, so that its file `a.md` gets the path `themes/x/a.md`. In the main
        repository, it is empty.
        """
        # 1. The files of the last commit. It has a submodule as one entry, without its files. So
        # the path `texts/en` in a submodule `texts` is cut to `texts`, to find the submodule.
        submodules: list[bytes] = []
        files: dict[bytes, TrackedFile] = {}  # by their names in this repository
        # The paths come after "--", because their names may begin with a hyphen.
        command = ("ls-tree", "-r", "-z", "--full-tree", "--", "HEAD")
        for entry in run_git(folder, *command, *scope.cut_at_submodules(folder)):
            facts, _, path = entry.partition(b"\t")
            if facts.startswith(_SUBMODULE):
                submodules.append(path)
            else:
                file = files[path] = TrackedFile(prefix + path)
                self._files[file.path] = file  # by the path from the main repository's root
        # 2. The files that differ from the last commit, or seem to differ.
        for path, blob in files_that_may_differ(folder, scope.paths):
            # A file that is new in the index is not in the last commit.
            file = self._files.setdefault(prefix + path, TrackedFile(prefix + path))
            file.is_edited = True
            # If the hash is empty, the file certainly differs. Otherwise, `time_of_edit` compares.
            file.blob_to_compare = blob
        self._repositories.append(_Repository(folder, prefix, scope, files))
        # 3. The submodules, with all their files: `scope` has no paths inside of them.
        for path in submodules:
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
        """Sets the kind of files: pages of the site, or their sources.

        Files that git does not track are skipped. If a file comes twice, the last kind counts.
        """
        for kind, path in files:
            if path in self._files:
                self._files[path].kind = kind

    def read(
        self,
        on_change: Callable[[], None],
        *,
        skips_rewrites: bool,
        sitemaps: Collection[bytes] = (),
    ) -> None:
        """Reads the history, and sets the `commits` of each page and source file.

        - With `skips_rewrites`, a commit that changed nearly all sources dates no source, because a
          formatter made it. One that wrote nearly all pages dates no page, because it is a deploy.
          It is noted in `deploys`.
        - `sitemaps` are the paths of the published sitemap's files. The last commit that changed
          one of them is noted as `sitemap_commit`.
        - `on_change` is called for each file that a commit changed, to show progress.

        Raises GitError. An error of a submodule is only added to `problems`.
        """
        options = SearchOptions(
            file_counts=Counter(file.kind for file in self._files.values() if file.kind),
            sitemap_paths=sitemaps,
            skips_rewrites=skips_rewrites,
        )
        for repository in self._repositories:
            with self._noting_problems(repository.prefix.removesuffix(b"/")):
                search = _search_commits(repository, options, on_change)
                self.deploys |= search.deploys
                if search.sitemap_commit:
                    self.sitemap_commit = search.sitemap_commit

    def find(self, name: bytes) -> TrackedFile | None:
        """Finds the file at a path. None if git does not track it, or knows no date of it.

        An edited file needs no commit: the time of its edit is its date.
        """
        file = self._files.get(name)
        if file and (file.commits.dating or file.is_edited):
            return file
        return None

    def time_of_edit(self, file: TrackedFile) -> int | None:
        """Returns the time of an edit that is not committed, in seconds. None if there is no edit.

        - If the content is as in the last commit, the result is None, even if a copy has written
          the file again since.
        - If the file is deleted, it is `DELETED`.
        - Otherwise, it is the time of the file.

        If git only found a new file time, `blob_to_compare` is set. The content is then compared
        with that of the last commit, once for each file.
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

        - If one of them has an edit that is not committed: only the time of the newest such edit.
        - Otherwise: the time of the last commit that edited one of them. At the edge of a shallow
          clone, an older commit may have edited it, so there is no time.
        - If no commit edited them after the last one of the sitemap: also `edited_before_sitemap`,
          by which a date in the sitemap is checked.
        """
        edits = [edit for edit in map(self.time_of_edit, files) if edit is not None]
        if edits:
            return GitDates(edit=max(edits))
        commits = [file.commits.dating for file in files if file.commits.dating]
        if not commits:  # as in a submodule whose history cannot be read
            return GitDates(is_shallow=True)
        last = max(commits, key=lambda commit: (commit.seconds, commit.is_certain))
        is_in_sitemap = all(file.commits.is_in_sitemap for file in files)
        return GitDates(
            commit=last.seconds if last.is_certain else None,
            is_shallow=not last.is_certain,
            edited_before_sitemap=_times_of_edit(files, last) if is_in_sitemap else None,
        )

    def _repository_of(self, path: bytes) -> _Repository:
        """Finds the repository or submodule that has a file."""
        # A submodule comes after the repository around it, so the innermost one is found first.
        for repository in reversed(self._repositories):
            if path.startswith(repository.prefix):
                return repository
        raise AssertionError(path)  # cannot happen: the main repository has an empty prefix

    def is_committed(self, path: str) -> bool:
        """Whether the last commit has a file. `path` begins at the root of the repository."""
        repository = self._repository_of(git_path(path))
        return git_path(path).removeprefix(repository.prefix) in repository.files

    def lines_of_sitemap(self, path: str) -> Iterator[bytes]:
        """Reads the lines of a committed sitemap, unpacked if it ends in .gz. Raises GitError."""
        repository = self._repository_of(git_path(path))
        name = os.fsdecode(git_path(path).removeprefix(repository.prefix))
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


def _times_of_edit(files: Sequence[TrackedFile], last: Commit) -> TimesOfEdit:
    """Says between which times the files of a page were last edited, as far as commits show it.

    If they were committed on 1 May and on 9 May, the result is: after 1 May, until 9 May. On 8 May,
    a person may have edited them and built the sitemap, and committed all of it on 9 May. The date
    in the sitemap, 8 May, is then better than that of the commit.

    `last` is the commit of 9 May: the newest of those that date the files.
    """
    commits_before = [file.commits.before(last) for file in files]
    # A formatter may have changed a file after its last edit. A sitemap that was built then may
    # have the time of this change, so the newest commits of the files are the limit.
    newest_commits = [file.commits.newest for file in files]
    return TimesOfEdit(
        after=max(commit.seconds if commit else 0 for commit in commits_before),
        until=max(commit.seconds if commit else 0 for commit in newest_commits),
    )


def _search_commits(
    repository: _Repository, options: SearchOptions, on_change: Callable[[], None]
) -> CommitSearch:
    """Finds the commits that date the files of one repository. Returns the search, for its results.

    First, only the history of the asked paths is read, such as that of the folder `new`. But if a
    commit made `git mv old/a.md new/a.md`, this history lacks the commits of `old/a.md`. The
    history of all paths is then read instead, which takes longer. Raises GitError.
    """
    search = CommitSearch(repository.files, options)
    if not search.files:  # nothing to date
        return search
    search.run(read_history(repository.folder, repository.scope), on_change)
    has_read_all_paths = not repository.scope.paths
    if has_read_all_paths:
        return search
    if not moved_into(repository.folder, search.commits_that_add, repository.scope):
        return search
    for file in repository.files.values():
        file.commits = FileCommits()
    search = CommitSearch(repository.files, options)
    search.run(read_history(repository.folder, ALL_PATHS), on_change)
    return search


def _find_submodule(folder: str, path: bytes) -> str:
    """Finds the folder of a submodule in the file system, so that git can be run there.

    `themes/x` in the repository at `/srv/shop` → `/srv/shop/themes/x`. "" if the submodule is not
    checked out.

    Also "" for a path that leads out of the repository, with `..` or through a link. The tree of a
    commit may contain any path, and git must not be run in a repository elsewhere.
    """
    if b".." in path.split(b"/"):
        return ""
    below = os.path.join(folder, os.fsdecode(path))
    # `path_below` follows links, so its path is another one if there is a link.
    has_link = git_path(path_below(folder, below)) != path
    if has_link or not os.path.exists(os.path.join(below, ".git")):
        return ""
    return below


def files_that_may_differ(top: str, paths: Sequence[str] = ()) -> Iterator[tuple[bytes, bytes]]:
    """Yields each file that may differ from the last commit: its path and a hash to compare.

        an edit that is staged, a new or a deleted file    b"", because it certainly differs
        any other file with a new file time                b"1a…", its hash in the last commit

    A new file time alone does not show an edit: in a copied project, all files have one. So the
    caller compares the content of such a file with the hash.

    `paths` are the files and folders to compare, all if there are none. Raises GitError.
    """
    # `git diff-index` compares the times of files with those in git's index. `git diff` would also
    # compare contents, but it writes the index.
    options = ("--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=all")
    command = ("diff-index", *options, "HEAD", "--", *paths)
    # git still reads a file if its time shows nothing, because the index was written in the same
    # second. It would run the filters of the configuration, which are programs. A stranger may have
    # named them, so they are turned off.
    tokens = run_git(top, *_options_without_filters(top), *command)
    for facts in tokens:
        path = next(tokens)
        # `:100644 100644 1a… 0000… M`: the file time of a tracked file differs (M). git has not
        # read the file, so there are zeros in place of its hash.
        _, _, blob_in_commit, blob_of_file, status = facts.split()
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
    """Whether the content of a file has the hash `blob`, as in the last commit: it is not edited.

    The lines of the file may end in CRLF, although those of the committed content end in LF: git
    may write them so on Windows. False for a file that cannot be read, or is larger than 256 MB.
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
