"""The history of a repository: each commit with the files that it changed, by one `git log`.

git is asked only for some files and folders. It then reads the trees of no others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from .repository import run_git, shallow_boundary

# `-M100%` finds files that were moved without an edit.
_DIFF = (
    "-m", "-M100%", "--raw", "--no-abbrev", "-z", f"-O{os.devnull}", "--no-ext-diff",
    "--no-textconv", "--no-color",
)  # fmt: skip
# `-m` compares a merge with each parent. Of git's formats, only its own name that parent, and of
# these only `raw` has the time in seconds.
_LOG = (
    "log", "--topo-order", "--parents", *_DIFF, "--pretty=raw", "--no-abbrev-commit",
    "--no-decorate", "--no-notes", "--no-show-signature", "--encoding=UTF-8",
)  # fmt: skip
_MOVES = ("log", "--no-walk=unsorted", *_DIFF, "--diff-filter=R", "--format=")
_MAX_PATHS = 20  # paths to ask for; git compares each name with all of them
_AT_ONCE = 500  # commits in one call; Windows allows 32,767 characters
# The committer's time. A rebase and a squash set it: the day on which the change arrived. Old
# imports have commits without a time, or with one that is no number.
_TIME = re.compile(rb"\ncommitter [^\n]*> (\d{1,12}) ")


class AskedPaths(NamedTuple):
    """The files and folders for which git is asked, relative to the root of the repository.

    Without any paths, as in `ALL_PATHS`, git is asked for all files.
    """

    paths: tuple[str, ...] = ()

    def contains(self, name: bytes) -> bool:
        """Whether git is asked for a file: it is one of the paths, or below one.

        With the path `docs`, git is asked for `docs/a.html`, but not for `docs2/a.html`.
        """
        if not self.paths:  # all files are asked for
            return True
        prefixes = tuple(os.fsencode(path) + b"/" for path in self.paths)
        return (name + b"/").startswith(prefixes)

    def cut_at_submodules(self, folder: str) -> Iterator[str]:
        """Yields each path, cut at the first submodule in it, for a git command in `folder`.

        A repository contains a submodule as one entry, without the files in it. So with a submodule
        `texts`, the path `texts/en` is cut to `texts`, and `docs/en` stays.
        """
        for path in self.paths:
            parts = path.split("/")
            # For `a/b/c`: `a`, `a/b` and `a/b/c`. The first one with a `.git` is a submodule.
            beginnings = ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]
            submodules = (
                name for name in beginnings if os.path.exists(os.path.join(folder, name, ".git"))
            )
            yield next(submodules, path)  # the whole path if it leads into no submodule


ALL_PATHS = AskedPaths()


def ask_about(names: Iterable[str]) -> AskedPaths:
    """Chooses at most 20 paths that contain all the given files and folders, to ask git for them.

        content/a.md, README.md              → content, README.md
        content/1/a.md to content/99/a.md    → content, because 99 folders are too many
        1/a.md to 99/a.md                    → no path, which means all paths

    First, each file is replaced by its folder. `README.md` stays, because it has no folder. A name
    that ends in a slash is a folder already. Then all paths are cut to the same depth, such as two
    folders: the largest depth that gives at most 20 paths.
    """
    places: set[str] = set()
    for name in names:
        folder, _, _ = name.rpartition("/")
        places.add(folder or name)
    # Try depth 1, 2 and so on, until no path is cut or there are too many.
    kept: set[str] = set()
    depth = 0
    while kept != places:
        depth += 1
        cut_places = {"/".join(place.split("/")[:depth]) for place in places}
        if len(cut_places) > _MAX_PATHS:
            break
        kept = cut_places
    return AskedPaths(tuple(sorted(kept)))


class Commit(NamedTuple):
    """A commit: its hash, those of its parents, and the time of its committer in seconds.

    At the boundary of a shallow clone, it is not certain that the commit made the changes that it
    shows.
    """

    hash: bytes
    parents: tuple[bytes, ...]
    seconds: int
    is_certain: bool


class Diff(NamedTuple):
    """A file that differs between a commit and one of its parents.

    `parent` is empty for a commit without parents. Contents are hashes, zeros for none. The names
    differ only if the file was moved or copied without an edit.
    """

    parent: bytes
    name: bytes
    blob: bytes
    name_before: bytes
    blob_before: bytes


class Origin(NamedTuple):
    """Where a file was before a commit: in which parent of the commit, and by which name."""

    parent: bytes
    name: bytes


class ChangedFile(NamedTuple):
    """A file that a commit changed, with its difference to each parent that it differs from.

    An ordinary commit has one parent, so its files have one difference each.
    """

    name: bytes
    diffs: Sequence[Diff]  # in the order of the parents
    parents: Sequence[bytes]  # those of the commit

    @property
    def is_new(self) -> bool:
        """Whether the commit added the file: the first parent does not have it."""
        hash_before = self.diffs[0].blob_before
        return hash_before.strip(b"0") == b""  # git writes zeros for no file

    @property
    def origin(self) -> Origin | None:
        """The parent that already had the content of the file, and the file's name there.

        For `a.md`, the result is:

            the commit edited or added the file          None: so this commit dates the file
            the commit only moved `b.md` to `a.md`       its parent, `b.md`
            the commit only changed the mode             its parent, `a.md`
            a merge of 1a and 2b, and only 1a differs    2b, `a.md`

        If several parents had the content, the first counts, as for `git log -- FILE`.
        """
        differing = {diff.parent for diff in self.diffs}
        for parent in self.parents:
            if parent not in differing:
                return Origin(parent, self.name)
        # The file differs from all parents, but from some perhaps only by its mode or its name.
        unedited = [diff for diff in self.diffs if diff.blob == diff.blob_before]
        if not unedited:
            return None
        # Prefer a parent where the file has the same name. `min` returns the first of equals.
        best = min(unedited, key=lambda diff: diff.name_before != self.name)
        return Origin(best.parent, best.name_before)


def read_history(folder: str, scope: AskedPaths) -> Iterator[tuple[Commit, Iterator[ChangedFile]]]:
    """Yields the commits that changed files below some paths, each with the files that it changed.

    The newest commit comes first, and each commit before its parents. A merge comes even if it
    changed nothing, because the caller goes on to its parents.

    The files of a commit must be read before the next commit is taken, because git prints commits
    and files in turn. Raises GitError.
    """
    boundary = shallow_boundary(folder)  # the oldest commits of a shallow clone, else empty
    # With paths, git leaves out the commits that changed nothing there, also as parents: the parent
    # of a commit is then the next older commit that changed something. `--full-history` follows all
    # parents of a merge, as git does without paths.
    limit = ("--full-history", "--", *scope.paths) if scope.paths else ()
    log = run_git(folder, *_LOG, *limit)
    # A commit with two files comes as three pairs: (commit, None), (commit, diff), (commit, diff).
    for commit, pairs in groupby(_read_log(log, boundary), key=itemgetter(0)):
        diffs = (diff for _, diff in pairs if diff)
        yield commit, _group_by_file(commit.parents, diffs)


def _group_by_file(parents: Sequence[bytes], diffs: Iterable[Diff]) -> Iterator[ChangedFile]:
    """Groups the differences of a commit to its parents by file.

    - An ordinary commit: one file for each difference.
    - A merge that differs in `a.md` from both parents → `a.md` with both differences.
    - A merge that differs in `b.md` from its first parent only → `b.md` with this difference. The
      merge took the file from the second parent.
    - A merge that differs in `c.md` from its second parent only → nothing: the merge has the file
      of the first parent, so it did not change it.
    """
    if len(parents) < 2:
        for diff in diffs:
            yield ChangedFile(diff.name, (diff,), parents)
        return
    # git prints the differences to the first parent before those to the others.
    diffs_by_name: dict[bytes, list[Diff]] = {}
    for diff in diffs:
        if diff.parent == parents[0]:
            diffs_by_name[diff.name] = [diff]
        elif diff.name in diffs_by_name:
            diffs_by_name[diff.name].append(diff)
    for name, diffs_of_file in diffs_by_name.items():
        yield ChangedFile(name, diffs_of_file, parents)


def _read_log(
    parts: Iterator[bytes], boundary: frozenset[bytes]
) -> Iterator[tuple[Commit, Diff | None]]:
    """Reads the output of `git log`. Yields each commit, and again with each of its differences.

    The `parts` are what git prints between zero bytes. A commit that edited `a.md` and moved `b.md`
    has these, and the pairs after the arrows are yielded:

        commit 1a… 0f…                a header of several lines         → (commit, None)
        :100644 100644 2b… 3c… M      its last line is a difference
        a.md                          the file that differs             → (commit, diff)
        :100644 100644 4d… 4d… R100   another difference
        b.md                          the old name of its file
        c.md                          the new name                      → (commit, diff)

    `boundary` has the hashes of the oldest commits of a shallow clone.
    """
    # Both are set by a header. The first part is one.
    commit: Commit
    parent: bytes  # with which git compares the commit
    for part in parts:
        # A merge has a header for each parent from which it differs.
        if part.startswith(b"commit "):
            commit, parent = _read_commit(part, boundary)
            yield commit, None  # the caller needs a commit that changed no file, too
        _, _, last_line = part.rpartition(b"\n")
        if not last_line.startswith(b":"):  # a header without a difference
            continue
        # The columns are in git-diff-tree(1): 2b is the content in the parent, 3c in the commit.
        _, _, blob_before, blob, status = last_line.split()
        has_old_name = status.startswith((b"R", b"C"))  # the file was renamed or copied
        name_before = next(parts)
        name = next(parts) if has_old_name else name_before
        diff = Diff(
            parent=parent, name=name, blob=blob, name_before=name_before, blob_before=blob_before
        )
        yield commit, diff


def _read_commit(header: bytes, boundary: frozenset[bytes]) -> tuple[Commit, bytes]:
    """Reads the header of a commit in git's raw format. Also returns the parent to compare with.

    `commit 1a… 2b… 3c… (from 2b…)` is the merge 1a with the parents 2b and 3c, compared with 2b.
    Without `(from`, the commit has at most one parent. This parent is returned, b"" for none.

    A commit is not certain if it has no time, so that its `seconds` are 0. It is not certain either
    if it is in the `boundary`: the oldest commits of a shallow clone, which seem to add all files.
    """
    hashes, _, compared = header[: header.index(b"\n")].partition(b" (from ")
    _, name, *parents = hashes.split()
    time = _TIME.search(header)
    seconds = int(time[1]) if time else 0
    commit = Commit(
        hash=name,
        parents=tuple(parents),
        seconds=seconds,
        is_certain=name not in boundary and seconds > 0,
    )
    if compared:
        return commit, compared.rstrip(b")")
    return commit, parents[0] if parents else b""


def moved_into(folder: str, commits_that_add: Iterable[bytes], scope: AskedPaths) -> bool:
    """Whether a commit moved a file into the asked paths from elsewhere, without an edit.

    If `new` is the asked path, and a commit made `git mv old/a.md new/a.md`, the result is true.
    `git log new` only shows that this commit added `new/a.md`, and not the commits of `old/a.md`.
    So the caller then reads the history of all paths.

    `commits_that_add` are the hashes of the commits that seem to add files. Raises GitError.
    """
    hashes = [os.fsdecode(commit) for commit in commits_that_add]
    for start in range(0, len(hashes), _AT_ONCE):
        # git prints only moves without an edit. Each has three parts: the facts `:100644 100644 1a…
        # 1a… R100`, the old name of the file and its new name.
        tokens = run_git(folder, *_MOVES, *hashes[start : start + _AT_ONCE])
        for token in tokens:
            if not token.startswith(b":"):
                continue
            name_before, name = next(tokens), next(tokens)
            if scope.contains(name) and not scope.contains(name_before):
                return True
    return False
