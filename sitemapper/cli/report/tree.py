"""The map of a report: the folders of the site in bounded memory."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

NODES = 5_000  # folders in the finished tree, so that the report stays small


class TreeRow(NamedTuple):
    """A folder of the tree, as the script of the report reads it.

    - `depth`: 0 for the root, 1 for a folder in it
    - `name`: without its path, "" for the root
    - `merged`: how many small folders were merged into this one
    - `pages`: kinds and numbers in turn: `[0, 12, 3, 1]` for 12 pages of kind 0 and 1 of kind 3
    """

    depth: int
    name: str
    merged: int
    pages: list[int]


class Tree:
    """The folders of the site in bounded memory: merges small folders into their parent.

    Folders are added in walk order, so that a folder comes before everything in it.
    """

    def __init__(self) -> None:
        # The pages of each folder by kind, without those of the folders in it.
        self._pages: dict[str, Counter[int]] = {"": Counter()}
        self._merged: Counter[str] = Counter()  # how many folders were merged into each folder

    def add(self, folder: str, kind: int, pages: int) -> None:
        """Adds pages of one kind to a folder: "" is the root, and `a/b/` the folder b in a."""
        if folder not in self._pages:
            for end, char in enumerate(folder, 1):
                if char == "/":  # `a/b/` also adds its parent `a/`, which may have no page
                    self._pages.setdefault(folder[:end], Counter())
            # Merging leaves NODES folders. Waiting for twice as many makes it rare.
            if len(self._pages) > 2 * NODES:
                self._merge_until_few(current=folder)
        self._pages[folder][kind] += pages

    def rows(self) -> Iterator[TreeRow]:
        """Yields a row for each folder that is left after merging, before the folders in it.

        The caller puts these rows into the report. No page is added afterwards.
        """
        self._merge_until_few(current="")
        for path, kinds in self._pages.items():
            name = path.rstrip("/").rpartition("/")[2]
            pages = []
            for kind, count in sorted(kinds.items()):
                pages += [kind, count]
            yield TreeRow(path.count("/"), name, self._merged[path], pages)

    def _merge_until_few(self, current: str) -> None:
        """Merges folders into their parents until NODES are left, the ones with fewest pages first.

        Folders with one page always become a page of their parent, because most generators write
        the page `a` as `a/index.html`. If too many folders are left, those with fewer than 4 pages
        follow, then those with fewer than 8, and so on.

        The folder `current` stays, because `add` is about to add pages to it.
        """
        self._merge_into_parents(min_pages=2, current=current, max_folders=1)
        min_pages = 4
        while len(self._pages) > NODES:
            self._merge_into_parents(min_pages=min_pages, current=current, max_folders=NODES)
            min_pages *= 2

    def _merge_into_parents(self, *, min_pages: int, current: str, max_folders: int) -> None:
        """Merges each folder with fewer than `min_pages` pages into its parent, the deepest first.

        `a/b/` with 1 page and `a/` with 5 → `a/` with 6. Stops when only `max_folders` are left.
        The current folder stays, and so does a folder in which another one stays.
        """
        parents_of_kept = {""}
        for path in sorted(self._pages, key=lambda path: -path.count("/")):
            parent = path[: path.rfind("/", 0, -1) + 1]  # "a/" for "a/b/", "" for "a/"
            is_small = self._pages[path].total() < min_pages
            is_needed = path in parents_of_kept or path == current
            if is_small and not is_needed and len(self._pages) > max_folders:
                self._pages[parent].update(self._pages.pop(path))
                self._merged[parent] += 1 + self._merged.pop(path, 0)
            else:
                parents_of_kept.add(parent)
