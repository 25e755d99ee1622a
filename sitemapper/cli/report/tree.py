"""The site as a tree of folders in bounded memory: small folders are counted in the one above them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

NODES = 5_000
_DEEPEST = 30


class _Folder:
    """Its own pages by kind, and how many folders are counted in it."""

    def __init__(self) -> None:
        self.own: Counter[int] = Counter()
        self.folded = 0


class Tree:
    """Takes folders in walk order, so that a folder comes before all that lie in it."""

    def __init__(self) -> None:
        self._folders = {"": _Folder()}

    def add(self, folder: str, kind: int, pages: int) -> None:
        """More pages of one kind in a folder; "" is the root, other names end with `/`."""
        if folder.count("/") > _DEEPEST:
            folder = "/".join(folder.split("/", _DEEPEST)[:_DEEPEST]) + "/"
        if folder not in self._folders:
            for end in (n for n, char in enumerate(folder, 1) if char == "/"):
                self._folders.setdefault(folder[:end], _Folder())
            if len(self._folders) > 2 * NODES:
                self._shrink(folder)
        self._folders[folder].own[kind] += pages

    def _shrink(self, current: str) -> None:
        """Counts small folders in those above them, and then larger ones, until few enough are left."""
        least = 2  # a folder that holds one page is a page of the folder above it
        self._fold(least, current, most=1)
        while len(self._folders) > NODES:
            least *= 2
            self._fold(least, current, most=NODES)

    def _fold(self, least: int, current: str, *, most: int) -> None:
        parents = {""}
        for path in sorted(self._folders, key=lambda path: -path.count("/")):
            folder = self._folders[path]
            above = path[: path.rfind("/", 0, -1) + 1]
            is_small = folder.own.total() < least and path not in parents and path != current
            if is_small and len(self._folders) > most:
                self._folders[above].own.update(folder.own)
                self._folders[above].folded += 1 + folder.folded
                del self._folders[path]
            else:
                parents.add(above)

    def rows(self) -> Iterator[tuple[int, str, int, list[int]]]:
        """Each folder, before those in it: depth, name, folders counted in it, and own pages as kind, pages,
        kind, pages …"""
        self._shrink("")
        for path, folder in self._folders.items():
            name = path.rstrip("/").rpartition("/")[2]
            own = [n for pair in sorted(folder.own.items()) for n in pair]
            yield path.count("/"), name, folder.folded, own
