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
_LARGEST = 1 << 26  # bytes of an unpacked sitemap; ours have at most 52,428,800


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

    `problems` are errors of submodules, and `deploys` the commits that wrote nearly all pages.
    `sitemap_commit` is the last commit of the published sitemap, None if git has none.
    """

    def __init__(self, top: str) -> None:
        """Opens the repository with the root `top`."""
        self.top = top
        self.problems: list[str] = []
        self.deploys: dict[bytes, NoEdit] = {}
        self.sitemap_commit: Commit | None = None
        self._files: dict[bytes, TrackedFile] = {}  # by their paths in the repository
        self._repositories: list[_Repository] = []  # each before its submodules
        # What differs from the commit of the sitemap, in its repository: the contents at that time.
        self._before: dict[bytes, bytes] = {}
        self._repository_of_sitemap: _Repository | None = None
        # Files with contents that only commits that are no edits changed since then.
        self._equal: set[tuple[bytes, bytes]] = set()

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
        self._list(self.top, b"", scope)

    def _list(self, folder: str, prefix: bytes, scope: AskedPaths) -> None:
        """Lists the files of a repository and, below it, of its submodules."""
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
                    self._list(below, prefix + path + b"/", AskedPaths())

    def mark(self, files: Iterable[tuple[FileKind, bytes]]) -> None:
        """Marks files as pages of the site, or as their sources. The last mark counts."""
        for kind, path in files:
            if path in self._files:
                self._files[path].kind = kind

    def read(
        self,
        on_change: Callable[[], None],
        *,
        looks_through: bool,
        sitemaps: Collection[bytes] = (),
    ) -> None:
        """Reads the history until each file has the commit that dates it. Raises GitError.

        Calls `on_change` at each change. With `looks_through`, commits that are no edits date
        nothing. `sitemaps` are the paths of the published sitemap's files.
        """
        kinds: Counter[FileKind] = Counter()
        if looks_through:
            kinds.update(file.kind for file in self._files.values() if file.kind)
        problems = len(self.problems)
        if not self._read(on_change, kinds, sitemaps):
            del self.problems[problems:]
            self._ask_about_all_paths()
            self._read(on_change, kinds, sitemaps)
        self._compare_with_sitemap()

    def _ask_about_all_paths(self) -> None:
        """Prepares to read the history again, of all files of each repository."""
        for number, repository in enumerate(self._repositories):
            self._repositories[number] = repository._replace(scope=AskedPaths())
            for file in repository.files.values():
                file.forget_commits()

    def _compare_with_sitemap(self) -> None:
        """Notes what changed since the last commit of the sitemap. Raises GitError."""
        home = self._repository_of_sitemap
        if home is None or self.sitemap_commit is None:
            return
        command = ("diff-tree", "-r", self.sitemap_commit.hash.decode(), "HEAD")
        for difference in differences(home.folder, command, home.scope.paths):
            self._before[home.prefix + difference.path] = difference.before

    def _read(
        self,
        on_change: Callable[[], None],
        kinds: Counter[FileKind],
        sitemaps: Collection[bytes],
    ) -> bool:
        """Reads the history of each repository. Raises GitError.

        False if a commit moved a file from elsewhere to the asked paths. All paths must then be
        asked, because the commits before that have it at another path.
        """
        for repository in self._repositories:
            if not repository.files:
                continue
            search = CommitSearch(repository.files, kinds, sitemaps)
            with self._noting_problems(repository.prefix.removesuffix(b"/")):
                search.run(read_history(repository.folder, repository.scope), on_change)
                scope = repository.scope
                if scope.paths and moved_into(repository.folder, search.adding, scope):
                    return False
            self.deploys |= search.deploys
            self._equal |= search.equal
            if search.sitemap_commit:
                self.sitemap_commit = search.sitemap_commit
                self._repository_of_sitemap = repository
        return True

    @contextmanager
    def _noting_problems(self, submodule: bytes) -> Iterator[None]:
        """Notes the error of a submodule that cannot be read, so that the other dates are kept."""
        try:
            yield
        except GitError as error:
            if not submodule:
                raise
            self.problems.append(f"submodule {os.fsdecode(submodule)}: {error}")

    def find(self, name: bytes) -> TrackedFile | None:
        """The file at a path, if it has a commit or is edited."""
        file = self._files.get(name)
        if file and (file.commit or file.edited is not None):
            return file
        return None

    def time_of_edit(self, file: TrackedFile) -> int | None:
        """The time of a file that differs from the last commit, 0 if it is not there any more.

        None if it does not differ. Its content is compared only once.
        """
        if file.edited and has_content(self.top, file.path, file.edited):
            file.edited = None
        if file.edited is None:
            return None
        file.edited = b""
        try:
            status = os.lstat(os.path.join(self.top, os.fsdecode(file.path)))
        except OSError:
            return 0
        return status.st_mtime_ns // 1_000_000_000

    def dates_of(self, files: Sequence[TrackedFile]) -> GitDates:
        """What git says of the files of a page together.

        The newest commit counts, or the newest edit that is not committed. They are unchanged since
        the earlier sitemap if all of them are.
        """
        edits = [edit for edit in map(self.time_of_edit, files) if edit is not None]
        if edits:
            return GitDates(edit=max(edits))
        newest = max(files, key=lambda file: (file.seconds, file.is_certain))
        unchanged = None
        before_sitemap = None
        if all(map(self._is_published, files)):
            unchanged = max(file.last for file in files)
            if any(file.before_sitemap for file in files):
                before_sitemap = max(file.before_sitemap or file.last for file in files)
        return GitDates(
            commit=newest.seconds if newest.is_certain else None,
            is_shallow=not newest.is_certain,
            unchanged=unchanged,
            before_sitemap=before_sitemap,
        )

    def _is_published(self, file: TrackedFile) -> bool:
        """Whether a file is the same as in the commit of the published sitemap.

        Files of another repository are not compared.
        """
        home = self._repository_of_sitemap
        if home is None or self._repository_of(file.path) is not home:
            return False
        before = self._before.get(file.path)
        return before is None or (file.path, before) in self._equal

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
        """The lines of a committed sitemap, unpacked. Raises GitError."""
        repository = self._repository_of(raw(path))
        name = os.fsdecode(raw(path).removeprefix(repository.prefix))
        command = ("cat-file", "blob", f"HEAD:{name}")
        if not path.endswith(".gz"):
            yield from run_git(repository.folder, *command, end=b"\n")
            return
        packed = b"".join(run_git(repository.folder, *command, end=b""))
        with suppress(zlib.error):  # a damaged file has no dates
            unpacking = zlib.decompressobj(31)  # 31: with a gzip header
            yield from unpacking.decompress(packed, _LARGEST).split(b"\n")

    def has_files_below(self, folder: str) -> bool:
        """Whether there are files in a folder, "" for the root of the repository."""
        beginning = raw(f"{folder}/") if folder else b""
        return any(path.startswith(beginning) for path in self._files)

    def has_pages(self) -> bool:
        """Whether there are pages of the site."""
        return any(file.kind is FileKind.PAGE for file in self._files.values())


def _find_submodule(folder: str, path: bytes) -> str:
    """The folder of a submodule, "" if it is not checked out.

    A tree may name any path. A path outside, or through a link, is another repository.
    """
    below = os.path.join(folder, os.fsdecode(path))
    is_inside = b".." not in path.split(b"/") and raw(path_below(folder, below)) == path
    if is_inside and os.path.exists(os.path.join(below, ".git")):
        return below
    return ""
