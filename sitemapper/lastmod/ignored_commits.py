"""The commits that change files and no content, such as a new format: `git blame` looks through
them, and so do dates."""

import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..fs import open_inside
from .repository import Setting, read_configured

_HASH = rb"[0-9a-f]{40}|[0-9a-f]{64}"  # SHA-1 or SHA-256
_LIMIT = 16 << 20  # bytes of a list


class IgnoredCommits(NamedTuple):
    """The commits that `git blame` looks through, by their hashes, and what is wrong with the lists
    that name them."""

    hashes: frozenset[bytes]
    problems: tuple[str, ...]


def ignored_commits(top: str, settings: Iterable[Setting]) -> IgnoredCommits:
    """The commits that `.git-blame-ignore-revs` and `blame.ignoreRevsFile` name.

    `settings` are the configuration of the repository.
    GitHub and GitLab read the file of this name at the root of the repository. git itself reads the
    files that its configuration names.
    """
    hashes: set[bytes] = set()
    problems: list[str] = []
    for name, is_configured in _lists_of_ignored(settings).items():
        try:
            if is_configured:
                text = read_configured(top, name)
            else:
                text = open_inside(top, os.path.join(top, name), _LIMIT)
        except OSError as error:
            problems.append(f"{name}: cannot be read: {error.strerror}")
            continue
        if text is not None:
            hashes.update(_read_hashes(text, name, problems))
        elif is_configured:
            problems.append(f"{name}: does not exist, and blame.ignoreRevsFile names it")
    return IgnoredCommits(frozenset(hashes), tuple(problems))


def _lists_of_ignored(settings: Iterable[Setting]) -> dict[str, bool]:
    """The lists of ignored commits, and whether the configuration names them."""
    lists = {".git-blame-ignore-revs": False}
    for key, value in settings:
        if key == "blame.ignorerevsfile" and value:
            lists[value] = True
    return lists


def _read_hashes(text: bytes, name: str, problems: list[str]) -> Iterator[bytes]:
    """The hashes in a list, one a line; `#` begins a comment (git-blame(1), fsck.skipList).

    Adds lines that are something else to the problems. git accepts no abbreviation there.
    """
    for number, line in enumerate(text.splitlines(), 1):
        entry = line.partition(b"#")[0].strip().lower()
        if re.fullmatch(_HASH, entry):
            yield entry
        elif entry:
            shown = entry[:50].decode("utf-8", "replace")
            problems.append(f"{name}:{number}: {shown!r} is not the full hash of a commit")
