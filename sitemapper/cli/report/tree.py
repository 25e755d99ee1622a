"""The site as a tree of folders in bounded memory: small folders are counted in the one above them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

NODES = 5_000
_DEEPEST = 30


class Tree:
    """Takes folders in walk order, so that a folder comes before all that lie in it."""

    def __init__(self) -> None:
        self._pages: dict[str, Counter[int]] = {"": Counter()}  # of each folder, without those in it, by kind
        self._folded: Counter[str] = Counter()  # folders that are counted in another

    def add(self, folder: str, kind: int, pages: int) -> None:
        """More pages of one kind in a folder; "" is the root, other names end with `/`."""
        if folder.count("/") > _DEEPEST:
            folder = "/".join(folder.split("/", _DEEPEST)[:_DEEPEST]) + "/"
        if folder not in self._pages:
            for end in (n for n, char in enumerate(folder, 1) if char == "/"):
                self._pages.setdefault(folder[:end], Counter())
            if len(self._pages) > 2 * NODES:
                self._shrink(folder)
        self._pages[folder][kind] += pages

    def _shrink(self, current: str) -> None:
        """Counts small folders in those above them, and then larger ones, until few enough are left."""
        least = 2  # a folder that holds one page is a page of the folder above it
        self._fold(least, current, most=1)
        while len(self._pages) > NODES:
            least *= 2
            self._fold(least, current, most=NODES)

    def _fold(self, least: int, current: str, *, most: int) -> None:
        parents = {""}
        for path in sorted(self._pages, key=lambda path: -path.count("/")):
            above = path[: path.rfind("/", 0, -1) + 1]
            is_small = self._pages[path].total() < least and path not in parents and path != current
            if is_small and len(self._pages) > most:
                self._pages[above].update(self._pages.pop(path))
                self._folded[above] += 1 + self._folded.pop(path, 0)
            else:
                parents.add(above)

    def rows(self) -> Iterator[tuple[int, str, int, list[int]]]:
        """Each folder, before those in it: depth, name, folders counted in it, and own pages as kind, pages,
        kind, pages …"""
        self._shrink("")
        for path, kinds in self._pages.items():
            name = path.rstrip("/").rpartition("/")[2]
            counts = [n for pair in sorted(kinds.items()) for n in pair]
            yield path.count("/"), name, self._folded[path], counts
