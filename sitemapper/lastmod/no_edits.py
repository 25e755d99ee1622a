"""Which commits are no edits: those that touched nearly all sources, or nearly all built pages.

Such a commit formatted the files, moved them or deployed the site. Pure.
"""

from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import NamedTuple

_NEARLY_ALL = 0.9
_FEWEST_SOURCES = 20  # people do edit all sources of a small site at once
_FEWEST_PAGES = 2  # each deploy of a small site writes all its pages; one page may be an edit


class FileKind(IntEnum):
    """What a file is for the site."""

    SOURCE = 1
    PAGE = 2


class Touched:
    """How many files of a kind a commit edited, and how many it added.

    `dated_by_edit` are the edited files that no later commit dates.
    """

    def __init__(self) -> None:
        self.edited = 0
        self.added = 0
        self.dated_by_edit = 0


class NoEdit(NamedTuple):
    """A commit that is no edit: it touched so many files of a kind, of those that there were."""

    kind: FileKind
    touched: int
    files: int


class NoEdits:
    """Finds the commits that are no edits. They come newest first."""

    def __init__(self, files: Mapping[FileKind, int]) -> None:
        """`files` are the numbers of files that there are now, by kind."""
        self._files = dict(files)

    def kinds_looked_through(self, touched: Mapping[FileKind | None, Touched]) -> Iterator[NoEdit]:
        """The kinds of files of which a commit touched nearly all that there were at its time.

        A commit that edits 25 of 27 sources is no edit, even if there are a hundred today.
        """
        for kind, after in self._files.items():
            if kind not in touched:
                continue
            files = touched[kind]
            before = after - files.added
            self._files[kind] = before
            if kind is FileKind.SOURCE:
                # A commit that adds sources is an import, and nothing else could date them.
                if _are_nearly_all(files.edited, before, _FEWEST_SOURCES):
                    yield NoEdit(kind, files.edited, before)
            else:
                written = files.edited + files.added
                if _are_nearly_all(written, after, _FEWEST_PAGES):
                    yield NoEdit(kind, written, after)


def _are_nearly_all(touched: int, files: int, fewest: int) -> bool:
    """Whether a commit touched nine of ten files, and enough of them."""
    return touched >= fewest and touched >= _NEARLY_ALL * files
