"""The history of a repository: every change of every file, by one `git log`, newest first."""

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from .asked_paths import AskedPaths
from .repository import run_git, shallow_boundary

# `-c` shows of a merge only the files that differ from all its parents.
_LOG = (
    "log", "-c", "-M100%", "--raw", "--no-abbrev", "--combined-all-paths", "-z",
    f"-O{os.devnull}", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color",
    "--encoding=UTF-8",
    # The hash, and the committer's time. A rebase and a squash set it: the day on which the change
    # arrived.
    "--format=%x01%H %ct",
)  # fmt: skip
_SECONDS = re.compile(rb"\d{1,12}")


class Commit(NamedTuple):
    """A commit: its hash, and the time of its committer in seconds.

    At the boundary of a shallow clone, it is not certain that the commit made the changes that it
    shows.
    """

    hash: bytes
    seconds: int
    is_certain: bool


class Change(NamedTuple):
    """A file that a commit changed: its name and content, and those in each parent.

    Contents are hashes, zeros for none.
    """

    name: bytes
    blob: bytes
    names_before: list[bytes]
    blobs_before: list[bytes]
    commit: Commit

    @property
    def existed(self) -> bool:
        """Whether the first parent has the file."""
        return self.blobs_before[0].strip(b"0") != b""


def changes(folder: str, scope: AskedPaths) -> Iterator[Change]:
    """Every change of files below some paths, newest first. Raises GitError."""
    boundary = shallow_boundary(folder)
    prefixes = scope.prefixes()
    tokens = iter(run_git(folder, *_LOG, *_limit(scope)))
    commit = Commit(hash=b"", seconds=0, is_certain=False)
    for token in tokens:
        if token.startswith(b"\x01"):
            name, time = token[1:].split(b" ")
            seconds = _read_seconds(time)
            is_certain = name not in boundary and seconds > 0
            commit = Commit(hash=name, seconds=seconds, is_certain=is_certain)
            continue
        facts = token.strip()
        if facts:
            change = _read_change(facts, tokens, commit)
            if (change.name + b"/").startswith(prefixes):
                yield change


def _limit(scope: AskedPaths) -> tuple[str, ...]:
    """The options that leave out commits without changes below the asked paths (git-log(1)).

    Of the others, git compares all files: it would not see that a file came from elsewhere. It also
    follows all parents of a merge, as it does without paths.
    """
    if not scope.paths:
        return ()
    return ("--full-history", "--full-diff", "--", *scope.paths)


def _read_seconds(text: bytes) -> int:
    """A time. 0 for none or an invalid one, which old imports have."""
    return int(text) if _SECONDS.fullmatch(text) else 0


def _read_change(facts: bytes, names: Iterator[bytes], commit: Commit) -> Change:
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
    return Change(name, blob, names_before, blobs_before, commit)
