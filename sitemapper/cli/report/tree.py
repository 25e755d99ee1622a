"""The map of a report: the folders of the site in bounded memory."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

NODES = 5_000  # folders of the tree


class TreeRow(NamedTuple):
    """A folder of the tree.

    `merged` is the number of small folders that are counted in it. `pages` are the pages in it and
    in these: kind and number in turn.
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
        """Adds pages of one kind to a folder. "" is the root; other names end with `/`."""
        if folder not in self._pages:
            for end, char in enumerate(folder, 1):
                if char == "/":  # `a/`, `a/b/` and `a/b/c/` for `a/b/c/`
                    self._pages.setdefault(folder[:end], Counter())
            # Twice as many as are left, so that merging is rare.
            if len(self._pages) > 2 * NODES:
                self._merge_small(folder)
        self._pages[folder][kind] += pages

    def rows(self) -> Iterator[TreeRow]:
        """Each folder, before the folders in it."""
        self._merge_small("")
        for path, kinds in self._pages.items():
            name = path.rstrip("/").rpartition("/")[2]
            pages = []
            for kind, count in sorted(kinds.items()):
                pages += [kind, count]
            yield TreeRow(path.count("/"), name, self._merged[path], pages)

    def _merge_small(self, current: str) -> None:
        """Counts small folders, and then larger ones, in the folder above, until few are left.

        A folder with one page always becomes a page of the folder above: `a/index.html` is a page.
        """
        self._merge(2, current, most=1)
        least = 4
        while len(self._pages) > NODES:
            self._merge(least, current, most=NODES)
            least *= 2

    def _merge(self, least: int, current: str, *, most: int) -> None:
        """Counts folders with fewer than `least` pages in the folder above, the deepest first.

        Stops when only `most` folders are left. A folder with folders in it stays, and so does the
        current one, to which pages are added.
        """
        parents_of_kept = {""}
        for path in sorted(self._pages, key=lambda path: -path.count("/")):
            above = path[: path.rfind("/", 0, -1) + 1]  # "a/" for "a/b/", "" for "a/"
            is_small = self._pages[path].total() < least
            is_needed = path in parents_of_kept or path == current
            if is_small and not is_needed and len(self._pages) > most:
                self._pages[above].update(self._pages.pop(path))
                self._merged[above] += 1 + self._merged.pop(path, 0)
            else:
                parents_of_kept.add(above)
