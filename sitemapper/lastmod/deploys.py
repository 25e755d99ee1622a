"""Finds the commits that rewrote nearly all pages of a built site, such as deploys."""

import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from .commits import Change, Commit

_COUNT = "SELECT COUNT(*) FROM files WHERE page NOT NULL AND blob NOT NULL"
_PAGE = "SELECT page FROM files WHERE path = ? AND page NOT NULL"
# Hashes sort contents randomly, so these are random pages.
_RANDOM_PAGES = "SELECT path, page FROM files WHERE page NOT NULL AND blob NOT NULL ORDER BY blob"
_BULK = 0.9  # of the pages
_PERHAPS = 0.5  # of the pages, among which some may not be listed
_FEW = 2  # pages; one page alone is everyday work
_SAMPLE = 20
_MOST = 9  # commits to look at


class Deploy(NamedTuple):
    """A commit that rewrote or added nearly all pages, as a build does, and its time in seconds.

    The commit is "" for changes that are not committed.
    """

    seconds: int
    commit: str
    is_rewrite: bool


class _Rewrite(NamedTuple):
    """A commit that rewrote many pages, and of these and the other pages that there were before,
    the number and a sample.
    """

    commit: Commit
    rewritten: int
    some_rewritten: list[str]
    others: int
    some_others: list[str]


class Rewrites:
    """The commits of a history that rewrote many of the pages that there were before them.

    They are added newest first, so that of the pages of today, those that later commits added were
    not there yet.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        """`database` has a table of files, of which those of pages are marked."""
        self._database = database
        self._pages: int = database.execute(_COUNT).fetchone()[0]
        self._commit: Commit | None = None
        self._rewritten: set[bytes] = set()
        self._added: set[bytes] = set()  # by this commit and later ones
        self._found: list[_Rewrite] = []

    def add(self, path: bytes, change: Change) -> None:
        """Adds a change of a file with this path."""
        if self._pages < _FEW or len(self._found) == _MOST:
            return
        if change.commit != self._commit:
            self.finish()
            self._commit = change.commit
        is_rename = change.names_before[0] != change.name
        if is_rename or change.commit.is_ignored or change.blob == change.blobs_before[0]:
            return
        if self._database.execute(_PAGE, (path,)).fetchone() is None:
            return
        if change.existed:
            self._rewritten.add(path)
        else:
            self._added.add(path)

    def finish(self) -> None:
        """Looks at the last commit."""
        rewritten = self._rewritten
        self._rewritten = set()
        before = self._pages - len(self._added)
        if self._commit is None or len(rewritten) < max(_FEW, _PERHAPS * before):
            return
        some_rewritten: list[str] = []
        some_others: list[str] = []
        for path, page in self._database.execute(_RANDOM_PAGES):
            some = some_rewritten if path in rewritten else some_others
            if len(some) < _SAMPLE and path not in self._added:
                some.append(page.decode("utf-8", "surrogateescape"))
            if min(len(some_rewritten), len(some_others)) == _SAMPLE:
                break
        others = max(0, before - len(rewritten))
        found = _Rewrite(self._commit, len(rewritten), some_rewritten, others, some_others)
        self._found.append(found)

    def newest_deploy(self, is_listed: Callable[[str], bool]) -> Deploy | None:
        """The newest commit that rewrote nine of ten listed pages, by a sample."""
        deploys: list[Deploy] = []
        for found in self._found:
            rewritten = _listed_of(found.rewritten, found.some_rewritten, is_listed)
            others = _listed_of(found.others, found.some_others, is_listed)
            if rewritten and rewritten >= _BULK * (rewritten + others):
                commit = found.commit
                deploys.append(Deploy(commit.seconds, commit.hash.decode(), is_rewrite=True))
        return max(deploys, default=None)


def _listed_of(pages: int, some: list[str], is_listed: Callable[[str], bool]) -> float:
    """How many of so many pages are listed, by a sample of them."""
    return pages * sum(map(is_listed, some)) / max(1, len(some))
