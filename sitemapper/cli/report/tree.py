"""The map of a report: the folders of the site in bounded memory."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

NODES = 5_000  # folders of the tree
_DEEPEST = 30


class TreeRow(NamedTuple):
    """A folder of the tree.

    `merged` is the number of folders that are counted in it. `pages` are its own pages: kind and
    number in turn.
    """

    depth: int
    name: str
    merged: int
    pages: list[int]


class Tree:
    """The folders of the site in bounded memory. Small folders are counted in the folder above.

    Takes folders in walk order, so that a folder comes before everything in it.
    """

    def __init__(self) -> None:
        self._pages: dict[str, Counter[int]] = {"": Counter()}  # of each folder alone, by kind
        self._merged: Counter[str] = Counter()  # number of folders that are counted in another one

    def add(self, folder: str, kind: int, pages: int) -> None:
        """Adds pages of one kind to a folder. "" is the root; other names end with `/`.

        A folder that is too deep counts in the one above it that is not.
        """
        kept = folder
        if folder.count("/") > _DEEPEST:
            names = folder.split("/", _DEEPEST)
            kept = "/".join(names[:_DEEPEST]) + "/"
        if kept not in self._pages:
            self._open(kept)
        self._pages[kept][kind] += pages

    def _open(self, folder: str) -> None:
        """Makes room for a folder and those above it: `a/`, `a/b/` and `a/b/c/` for `a/b/c/`."""
        for end, char in enumerate(folder, 1):
            if char == "/":
                self._pages.setdefault(folder[:end], Counter())
        if len(self._pages) > 2 * NODES:
            self._shrink(folder)

    def _shrink(self, current: str) -> None:
        """Counts small folders, and then larger ones, in the folder above, until few are left."""
        least = 2  # a folder with one page becomes a page of the folder above
        self._merge(least, current, most=1)
        while len(self._pages) > NODES:
            least *= 2
            self._merge(least, current, most=NODES)

    def _merge(self, least: int, current: str, *, most: int) -> None:
        """Counts folders with fewer than `least` pages in the folder above, the deepest first.

        Stops when only `most` folders are left. A folder with folders of its own stays, and so does
        the current one.
        """
        parents_of_kept = {""}  # folders that stay, because folders in them do
        for path in sorted(self._pages, key=lambda path: -path.count("/")):
            above = path[: path.rfind("/", 0, -1) + 1]  # "a/" for "a/b/", "" for "a/"
            is_small = self._pages[path].total() < least
            is_needed = path in parents_of_kept or path == current
            has_too_many = len(self._pages) > most
            if is_small and not is_needed and has_too_many:
                own_pages = self._pages.pop(path)
                self._pages[above].update(own_pages)
                self._merged[above] += 1 + self._merged.pop(path, 0)
            else:
                parents_of_kept.add(above)

    def rows(self) -> Iterator[TreeRow]:
        """Each folder, before the folders in it."""
        self._shrink("")
        for path, kinds in self._pages.items():
            name = path.rstrip("/").rpartition("/")[2]
            pages = []
            for kind, count in sorted(kinds.items()):
                pages += [kind, count]
            yield TreeRow(path.count("/"), name, self._merged[path], pages)
