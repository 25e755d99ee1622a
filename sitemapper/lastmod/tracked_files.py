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

from ..model import GitDates
from .asked_paths import AskedPaths
from .commits import Commit, moved_into, read_history
from .last_commits import CommitSearch, FileKind, NoEdit, TrackedFile
from .repository import GitError, configuration, path_below, raw, run_git
from .working_tree import differences, edited_files, has_content

_SUBMODULE = b"160000 "  # the mode of its entry (gitsubmodules(7))
_MAX_SITEMAP_BYTES = 1 << 26  # bytes of an unpacked sitemap; ours have at most 52,428,800


class _Repository(NamedTuple):
    """A repository or a submodule.

    `prefix` is that of its files: `themes/x/` for a submodule there. `files` are those of the last
    commit below the asked paths, `scope`, by their names in the repository.
    """

    folder: str
    prefix: bytes
    scope: AskedPaths
    files: dict[bytes, TrackedFile]


class TrackedFiles:
    """The files of a repository and its submodules.

    First `list` the files and `mark` their kinds, then `read` the history. After this, `find` gives
    each file with its commit.

    `problems` are errors of submodules, and `deploy_commits` those that wrote nearly all pages.
    `sitemap_commit` is the last commit of the published sitemap, None if git has none.
    """

    def __init__(self, top: str) -> None:
        """Opens the repository with the root `top`."""
        self.top = top
        # Filled by `list`.
        self._files: dict[bytes, TrackedFile] = {}  # by their paths in the repository
        self._repositories: list[_Repository] = []  # each before its submodules
        # Filled by `list` and `read`.
        self.problems: list[str] = []
        # Filled by `read`.
        self.deploy_commits: dict[bytes, NoEdit] = {}
        self.sitemap_commit: Commit | None = None
        self._repository_of_sitemap: _Repository | None = None
        # Files that changed since the commit of the sitemap, with the hashes of their contents in
        # that commit.
        self._changed_since_sitemap: dict[bytes, bytes] = {}
        # Files with the hashes that they had before commits that are no edits.
        self._contents_before_no_edits: set[tuple[bytes, bytes]] = set()

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
        self._list_repository(self.top, b"", scope)

    def _list_repository(self, folder: str, prefix: bytes, scope: AskedPaths) -> None:
        """Lists the files of a repository and of its submodules, and which of them are edited.

        `prefix` comes before the paths of the files: `themes/x/` for a submodule there.
        """
        modules: list[bytes] = []
        files: dict[bytes, TrackedFile] = {}
        # The paths come after "--", because their names may begin with a hyphen.
        command = ("ls-tree", "-r", "-z", "--full-tree", "--", "HEAD")
        for entry in run_git(folder, *command, *scope.in_repository(folder)):
            facts, _, path = entry.partition(b"\t")
            if facts.startswith(_SUBMODULE):
                modules.append(path)
            else:
                files[path] = self._files[prefix + path] = TrackedFile(prefix + path)
        for path, blob in edited_files(folder, configuration(folder), scope.paths):
            # A new file that is added to the index has no commit yet.
            file = self._files.setdefault(prefix + path, TrackedFile(prefix + path))
            file.edited = blob
        self._repositories.append(_Repository(folder, prefix, scope, files))
        for path in modules:
            below = _find_submodule(folder, path)
            if below:
                with self._noting_problems(prefix + path):
                    self._list_repository(below, prefix + path + b"/", AskedPaths())

    def mark(self, files: Iterable[tuple[FileKind, bytes]]) -> None:
        """Marks files as pages of the site, or as their sources. The last mark counts."""
        for kind, path in files:
            if path in self._files:
                self._files[path].kind = kind

    def read(
        self,
        on_change: Callable[[], None],
        *,
        skips_no_edits: bool,
        sitemaps: Collection[bytes] = (),
    ) -> None:
        """Reads the history until each file has the commit that dates it. Raises GitError.

        Calls `on_change` at each change. With `skips_no_edits`, commits that touched nearly all
        files of a kind date nothing. `sitemaps` are the paths of the published sitemap's files.
        """
        file_counts: Counter[FileKind] = Counter()
        if skips_no_edits:
            file_counts.update(file.kind for file in self._files.values() if file.kind)
        problems_before = len(self.problems)
        if not self._date_by_history(on_change, file_counts, sitemaps):
            # A file came from outside of the asked paths, where its older commits are.
            del self.problems[problems_before:]
            self._widen_scope_to_all_paths()
            self._date_by_history(on_change, file_counts, sitemaps)
        self._find_changes_since_sitemap()

    def _widen_scope_to_all_paths(self) -> None:
        """Forgets the commits of all files, and lets git be asked for all paths from now on."""
        for number, repository in enumerate(self._repositories):
            self._repositories[number] = repository._replace(scope=AskedPaths())
            for file in repository.files.values():
                file.forget_commits()

    def _find_changes_since_sitemap(self) -> None:
        """Fills `_changed_since_sitemap`, if the sitemap is committed. Raises GitError.

        Only files in the repository of the sitemap are compared.
        """
        repository = self._repository_of_sitemap
        if repository is None or self.sitemap_commit is None:
            return
        command = ("diff-tree", "-r", self.sitemap_commit.hash.decode(), "HEAD")
        for difference in differences(repository.folder, command, repository.scope.paths):
            path = repository.prefix + difference.path
            self._changed_since_sitemap[path] = difference.before

    def _date_by_history(
        self,
        on_change: Callable[[], None],
        file_counts: Counter[FileKind],
        sitemaps: Collection[bytes],
    ) -> bool:
        """Dates the files of each repository by its history. Raises GitError.

        Returns False if the caller must forget these dates, and ask git again for all paths. That
        is so after `git mv old/a.md new/a.md`, if git was only asked for `new`: the older commits
        of the file are those of `old/a.md`.
        """
        for repository in self._repositories:
            if not repository.files:
                continue
            search = CommitSearch(repository.files, file_counts, sitemaps)
            with self._noting_problems(repository.prefix.removesuffix(b"/")):
                search.run(read_history(repository.folder, repository.scope), on_change)
                scope = repository.scope
                if scope.paths and moved_into(repository.folder, search.commits_that_add, scope):
                    return False
            self.deploy_commits |= search.deploy_commits
            self._contents_before_no_edits |= search.contents_before_no_edits
            if search.sitemap_commit:
                self.sitemap_commit = search.sitemap_commit
                self._repository_of_sitemap = repository
        return True

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

    def find(self, name: bytes) -> TrackedFile | None:
        """The file at a path, None if git does not track it or has not dated it.

        An edited file needs no commit: it has the time of its edit.
        """
        file = self._files.get(name)
        if file and (file.commit or file.edited is not None):
            return file
        return None

    def time_of_edit(self, file: TrackedFile) -> int | None:
        """The time at which a file was edited that differs from the last commit, in seconds.

        None if it does not differ, and 0 if it is deleted.
        """
        if file.edited and has_content(self.top, file.path, file.edited):
            file.edited = None  # only the time or the inode differed, as after a copy
        if file.edited is None:
            return None
        file.edited = b""  # it certainly differs: its content is not compared again
        try:
            status = os.lstat(os.path.join(self.top, os.fsdecode(file.path)))
        except OSError:
            return 0
        return status.st_mtime_ns // 1_000_000_000

    def dates_of(self, files: Sequence[TrackedFile]) -> GitDates:
        """What git says of the files of a page together, such as a source and what it includes.

        - An edit that is not committed counts before all commits, and the newest edit if several.
        - Otherwise, the newest commit counts. It is no date at the edge of a shallow clone.
        - If no file changed since the published sitemap, `unchanged` is the time of their last
          commit of any kind.
        - `previous` is then the time of their commit before that which dates them.
        """
        edits = [edit for edit in map(self.time_of_edit, files) if edit is not None]
        if edits:
            return GitDates(edit=max(edits))
        newest = max(files, key=lambda file: (file.seconds, file.is_certain))
        unchanged = None
        previous = 0
        if all(map(self._is_published, files)):
            unchanged = max(file.last for file in files)
            # The newest commit may have changed some of the files only. The others have an older
            # one, which may also be the commit before the newest.
            others = [file.seconds for file in files if file.commit != newest.commit]
            changed = [file.previous for file in files if file.commit == newest.commit]
            previous = max([*others, *changed])
        return GitDates(
            commit=newest.seconds if newest.is_certain else None,
            is_shallow=not newest.is_certain,
            unchanged=unchanged,
            previous=previous,
        )

    def _is_published(self, file: TrackedFile) -> bool:
        """Whether a file is the same as in the commit of the published sitemap.

        It also is if only commits that are no edits changed it since then. A file of another
        repository is never, because that has other commits.
        """
        repository = self._repository_of_sitemap
        if repository is None or self._repository_of(file.path) is not repository:
            return False
        content_at_sitemap = self._changed_since_sitemap.get(file.path)
        if content_at_sitemap is None:
            return True
        return (file.path, content_at_sitemap) in self._contents_before_no_edits

    def _repository_of(self, path: bytes) -> _Repository:
        """The repository or submodule that has a file."""
        # A submodule comes after the repository around it.
        for repository in reversed(self._repositories):
            if path.startswith(repository.prefix):
                return repository
        raise AssertionError(path)

    def is_committed(self, path: str) -> bool:
        """Whether the last commit has a file. `path` begins at the root of the repository."""
        repository = self._repository_of(raw(path))
        return raw(path).removeprefix(repository.prefix) in repository.files

    def lines(self, path: str) -> Iterator[bytes]:
        """The lines of a committed sitemap, unpacked if it ends in .gz. Raises GitError."""
        repository = self._repository_of(raw(path))
        name = os.fsdecode(raw(path).removeprefix(repository.prefix))
        command = ("cat-file", "blob", f"HEAD:{name}")
        if not path.endswith(".gz"):
            yield from run_git(repository.folder, *command, end=b"\n")
            return
        packed = b"".join(run_git(repository.folder, *command, end=b""))
        with suppress(zlib.error):  # a damaged file has no dates
            unpacking = zlib.decompressobj(31)  # 31: with a gzip header
            yield from unpacking.decompress(packed, _MAX_SITEMAP_BYTES).split(b"\n")

    def has_files_below(self, folder: str) -> bool:
        """Whether there are files in a folder, "" for the root of the repository."""
        beginning = raw(f"{folder}/") if folder else b""
        return any(path.startswith(beginning) for path in self._files)

    def has_pages(self) -> bool:
        """Whether there are pages of the site."""
        return any(file.kind is FileKind.PAGE for file in self._files.values())


def _find_submodule(folder: str, path: bytes) -> str:
    """The folder of a submodule of the repository at `folder`, "" if it is not checked out.

    Also "" for a path outside of the repository, or through a link: a tree may name any path, and
    git must not be run in the repository of somebody else.
    """
    below = os.path.join(folder, os.fsdecode(path))
    is_inside = b".." not in path.split(b"/") and raw(path_below(folder, below)) == path
    if is_inside and os.path.exists(os.path.join(below, ".git")):
        return below
    return ""
