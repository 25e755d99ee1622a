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
    """Files and folders of a repository, relative to its root. Without any, all are meant.

    `ALL_PATHS` has none.
    """

    paths: tuple[str, ...] = ()

    def contains(self, name: bytes) -> bool:
        """Whether git is asked for a file: it is one of the paths, or below one.

        With the path `docs`, it is asked for `docs/a.html`, but not for `docs2/a.html`.
        """
        if not self.paths:
            return True
        prefixes = tuple(os.fsencode(path) + b"/" for path in self.paths)
        return (name + b"/").startswith(prefixes)

    def in_repository(self, folder: str) -> Iterator[str]:
        """Cuts each path at the first submodule in it: `texts/en` in a submodule `texts` → `texts`.

        The tree of the repository at `folder` contains a submodule, but not what is in it.
        """
        for path in self.paths:
            parts = path.split("/")
            above = ["/".join(parts[: length + 1]) for length in range(len(parts))]
            modules = (name for name in above if os.path.exists(os.path.join(folder, name, ".git")))
            yield next(modules, path)


ALL_PATHS = AskedPaths()


def ask_about(names: Iterable[str]) -> AskedPaths:
    """Chooses at most 20 paths that contain all of some files and folders. git is asked for these.

        content/a.md, README.md              content, README.md
        content/1/a.md to content/99/a.md    content, because 99 folders are too many
        1/a.md to 99/a.md                    none, which means all paths

    A file is replaced by its folder, so that many files make few paths. `README.md` has no folder,
    and stays. A name that ends in a slash is a folder. All paths are then cut after the same number
    of names: the largest number that gives at most 20 paths.
    """
    places: set[str] = set()
    for name in names:
        folder, _, _ = name.rpartition("/")
        places.add(folder or name)
    # The first name of each path, then the first two names, and so on, until no path is cut.
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


class Change(NamedTuple):
    """A file that differs between a commit and one of its parents.

    `parent` is empty for a commit without parents. Contents are hashes, zeros for none. The names
    differ only if the file was moved or copied without an edit.
    """

    parent: bytes
    name: bytes
    blob: bytes
    name_before: bytes
    blob_before: bytes

    @property
    def existed(self) -> bool:
        """Whether the parent has the file. False if the commit added it: its hash is zeros."""
        return self.blob_before.strip(b"0") != b""


def read_history(folder: str, scope: AskedPaths) -> Iterator[tuple[Commit, Iterator[Change]]]:
    """Yields the commits that changed files below some paths, each with an iterator of its changes.

    The newest commit comes first, and each commit before its parents. A merge comes even if it
    changed nothing, because the caller goes on to its parents. It is compared with each parent, so
    a file that differs from two parents comes twice, first as it differs from the first parent.

    The changes must be read before the next commit is taken, because git prints them in between.
    Raises GitError.
    """
    # `_read_log` yields the pairs (commit, None), (commit, change), (commit, change), …
    for commit, pairs in groupby(_read_log(folder, scope), key=itemgetter(0)):
        yield commit, (change for _, change in pairs if change)


def _read_log(folder: str, scope: AskedPaths) -> Iterator[tuple[Commit, Change | None]]:
    """Reads the output of `git log`. Yields each commit with None, and then with each change.

    A zero byte ends each part of the output. These are the parts of a commit that changed two
    files. The first one has the header of the commit, and also the facts of its first change:

        commit 1a…\ncommitter …\n\n    Fix a typo\n\n:100644 100644 2b… 3c… M
        a.md
        :100644 100644 4d… 5e… M
        b.md
    """
    boundary = shallow_boundary(folder)
    # `--full-history` follows all parents of a merge, as git does without paths. git leaves out
    # commits that changed nothing below the paths, and names the next ones that did as parents.
    limit = ("--full-history", "--", *scope.paths) if scope.paths else ()
    tokens = iter(run_git(folder, *_LOG, *limit))
    commit = Commit(hash=b"", parents=(), seconds=0, is_certain=False)
    parent = b""
    for token in tokens:
        # A merge has a header for each parent, so it comes several times.
        if token.startswith(b"commit "):
            commit, parent = _read_commit(token, boundary)
            yield commit, None
        # The facts are the last line of a header, or the whole part.
        facts = token[token.rfind(b"\n") + 1 :]
        if facts.startswith(b":"):
            yield commit, _read_change(facts, tokens, parent)


def _read_commit(header: bytes, boundary: frozenset[bytes]) -> tuple[Commit, bytes]:
    """Reads the header of a commit in git's raw format. Also returns the parent to compare with.

    `commit 1a… 2b… 3c… (from 2b…)` is the merge 1a with the parents 2b and 3c, compared with 2b.
    Without `(from`, the parent is the only one, or empty for a commit without parents. A commit
    without a time has second 0. Neither this one is certain, nor one of the `boundary`, which are
    the oldest commits of a shallow clone.
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


def _read_change(facts: bytes, names: Iterator[bytes], parent: bytes) -> Change:
    """Reads a change in git's raw format: `:100644 100644 1a… 2b… M` (git-diff-tree(1)).

    1a is the content in the `parent`, and 2b that after the commit. The next of `names` belong to
    the change: the old and the new one if the file was renamed (R) or copied (C), otherwise one.
    """
    _, _, blob_before, blob, status = facts.split()
    name_before = next(names)
    name = next(names) if status[:1] in b"RC" else name_before
    return Change(
        parent=parent, name=name, blob=blob, name_before=name_before, blob_before=blob_before
    )


def moved_into(folder: str, commits_that_add: Sequence[bytes], scope: AskedPaths) -> bool:
    """Whether a commit moved a file from elsewhere into the asked paths, without an edit.

    A commit of `git mv old/a.md new/a.md` is an example, if `new` is the asked path. `git log new`
    shows that it added the file, and nothing from before. So the caller reads the history of all
    paths instead, if this is true. `commits_that_add` are the hashes of the commits that seem to
    add files. Raises GitError.
    """
    for start in range(0, len(commits_that_add), _AT_ONCE):
        some = map(os.fsdecode, commits_that_add[start : start + _AT_ONCE])
        # Only moves without an edit, in three parts: `:100644 100644 1a… 1a… R100`, the old name of
        # the file, the new one.
        tokens = run_git(folder, *_MOVES, *some)
        for token in tokens:
            if not token.startswith(b":"):
                continue
            name_before, name = next(tokens), next(tokens)
            if scope.contains(name) and not scope.contains(name_before):
                return True
    return False


def find_origin(changes: Sequence[Change], parents: Sequence[bytes]) -> tuple[bytes, bytes] | None:
    """Finds the parent from which a commit has a file's content, and the file's name there.

    `changes` are those of one file, one for each parent that it differs from.

        a merge of 1a and 2b that differs only from 1a    2b, with the same name
        a commit that only moved `b.md` to `a.md`         its parent, with `b.md`
        a commit that only changed the mode of `a.md`     its parent, with `a.md`
        a commit that edited the file                     None: its time dates the file

    Of several parents with the same file, the first counts, as for `git log -- FILE`.
    """
    [name] = {change.name for change in changes}
    differing = {change.parent for change in changes}
    for parent in parents:
        if parent not in differing:
            return parent, name
    # All parents differ, but in some perhaps only the mode or the name, and not the content.
    unedited = [change for change in changes if change.blob == change.blob_before]
    if not unedited:
        return None
    # The first parent where it has the same name, or else the first of all.
    best = min(unedited, key=lambda change: change.name_before != name)
    return best.parent, best.name_before
