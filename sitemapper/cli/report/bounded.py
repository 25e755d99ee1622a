"""What a report holds of a run, in bounded memory: lists of rows, and the folders of the site."""

import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from ..text import shown

_MAX_ROWS = 100_000  # of a kind, few enough for a browser to search at once
_MAX_COLUMN_CHARS = 300
_GZIP = 31  # zlib's window bits for a gzip header, which browsers unpack
_LITTLE_MEMORY = 4  # zlib's level; its memory is outside of the budget
MAX_FOLDERS = 5_000  # in the finished tree, so that the report stays small


class _Rows:
    """A table of the report with the rows of one kind, such as "noindex", packed with gzip."""

    def __init__(self) -> None:
        """Makes an empty table. The caller counts each row, and packs it if there is room."""
        self.count = 0
        self.kept = 0  # how many of these rows were packed
        self.data = bytearray()  # the packed rows, without the last bytes, which the packer keeps
        self._packer = zlib.compressobj(wbits=_GZIP, memLevel=_LITTLE_MEMORY)

    def pack(self, row: str) -> None:
        """Packs a row and keeps it."""
        self.data += self._packer.compress(row.encode())
        self.kept += 1

    def finish(self) -> dict[str, object]:
        """Ends the packing, and returns `{"count": 9, "kept": 5, "rows": "H4sI…"}`.

        `rows` are the kept rows as base64 of gzip.
        """
        data = self.data + self._packer.flush()
        return {"count": self.count, "kept": self.kept, "rows": b64encode(data).decode()}


class Lists:
    """Keeps rows of several kinds in bounded memory. Rows beyond the budget are only counted.

    The budget, in bytes of packed rows, is for all kinds together.
    """

    def __init__(self, budget: int, *, has_one_kind: bool = False) -> None:
        """Makes empty lists. `budget` is the number of bytes for the packed rows of all kinds.

        Each kind, such as "noindex", may take half of it, so that 100,000 noindex pages leave room
        for a few redirects. If there is only one kind, it may take all.
        """
        self._budget = budget
        self._budget_of_kind = budget if has_one_kind else budget // 2
        self._kinds: dict[str, _Rows] = {}  # the list of each kind of rows, such as "noindex"

    def add(self, kind: str, *columns: str) -> None:
        """Counts a row of one kind, and keeps it if there is room for it.

        There is room as long as all kinds are within the budget, this kind is within its own
        budget, and it has fewer than _MAX_ROWS rows.
        """
        if kind not in self._kinds:
            self._kinds[kind] = _Rows()
        rows = self._kinds[kind]
        rows.count += 1
        used_by_all = sum(len(rows_of_kind.data) for rows_of_kind in self._kinds.values())
        is_room_in_total = used_by_all < self._budget
        is_room_for_kind = len(rows.data) < self._budget_of_kind and rows.kept < _MAX_ROWS
        if is_room_in_total and is_room_for_kind:
            rows.pack("\t".join(map(_shorten_column, columns)) + "\n")

    def packed(self) -> dict[str, dict[str, object]]:
        """Ends all lists: `{"noindex": {"count": 9, "kept": 9, "rows": "H4sI…"}}`."""
        return {kind: rows.finish() for kind, rows in self._kinds.items()}


def _shorten_column(column: str) -> str:
    """Escapes control characters in a column, and cuts it off with … after 300 characters."""
    text = shown(column)
    if len(text) <= _MAX_COLUMN_CHARS:
        return text
    return f"{text[:_MAX_COLUMN_CHARS]}…"


class TreeRow(NamedTuple):
    """A folder of the tree, as the script of the report reads it.

    - `depth`: 0 for the root, 1 for a folder in it
    - `name`: without its path, "" for the root
    - `merged`: how many small folders were merged into this one
    - `pages`: kinds of pages, each followed by their number: `[0, 12, 9, 1]` for 12 pages that
      changed within 30 days, and 1 that is ignored. A kind is an index into `KINDS`
    """

    depth: int
    name: str
    merged: int
    pages: list[int]


class Tree:
    """Counts the pages of folders in bounded memory: small folders are merged into their parents.

    Folders are added in walk order, so that a folder comes before everything in it.
    """

    def __init__(self) -> None:
        """Makes a tree that has only the root, "", without pages."""
        # The pages in each folder, by their kind: `{"a/b/": {0: 12, 9: 1}}`. A kind is an index
        # into `KINDS`, which has ages and reasons, such as "noindex". The pages of the folders in a
        # folder are not counted.
        self._pages: dict[str, Counter[int]] = {"": Counter()}
        # How many small folders were merged into each folder, so that their pages count as its own.
        self._merged: Counter[str] = Counter()

    def add(self, folder: str, kind: int, pages: int) -> None:
        """Adds pages of one kind to a folder: "" is the root, and `a/b/` the folder b in a.

        If the tree has too many folders then, small ones are merged into their parents, so that it
        does not outgrow the memory.
        """
        # `a/b/` adds `a/`, which may have no page of its own, and then `a/b/`. "" is always there.
        for end, char in enumerate(folder, 1):
            if char == "/":
                self._pages.setdefault(folder[:end], Counter())
        # Merging takes long, and leaves at most MAX_FOLDERS folders. It begins only at twice as
        # many, because it would otherwise be repeated for each new folder. `folder` itself must not
        # be merged: it may have no page yet, and gets its pages below.
        if len(self._pages) > 2 * MAX_FOLDERS:
            self._merge_small_folders(folder_to_keep=folder)
        self._pages[folder][kind] += pages

    def rows(self) -> Iterator[TreeRow]:
        """Yields a row for each folder of the finished tree: `a/`, then `a/b/`.

        Small folders are merged into their parents first, so that at most MAX_FOLDERS are left.
        """
        self._merge_small_folders()
        for path, number_by_kind in self._pages.items():  # in the order in which they were added
            # {0: 12, 9: 1} → [0, 12, 9, 1], which is shorter in the report's JSON than pairs.
            kinds_and_numbers = chain.from_iterable(sorted(number_by_kind.items()))
            yield TreeRow(
                depth=path.count("/"),
                name=path.rstrip("/").rpartition("/")[2],  # "b" for `a/b/`
                merged=self._merged[path],
                pages=list(kinds_and_numbers),
            )

    def _merge_small_folders(self, folder_to_keep: str = "") -> None:
        """Merges small folders into their parents, so that at most MAX_FOLDERS are left.

        All folders with one page are merged, then the smallest others, if there are still too many.
        `folder_to_keep` stays, as the root "" always does.
        """
        # Most generators write the page `a` as `a/index.html`. The report shows it as a page, and
        # not as a folder, even if there are few folders.
        self._merge_into_parents(folder_to_keep, min_pages=2, stop_at=0)
        min_pages = 4  # then folders with fewer than 4 pages, with fewer than 8, and so on
        while len(self._pages) > MAX_FOLDERS:
            self._merge_into_parents(folder_to_keep, min_pages=min_pages, stop_at=MAX_FOLDERS)
            min_pages *= 2

    def _merge_into_parents(self, folder_to_keep: str, *, min_pages: int, stop_at: int) -> None:
        """Merges each folder with fewer than `min_pages` pages into its parent, the deepest first.

        `a/b/` with 1 page and `a/` with 5 → `a/` with 6. Stops when only `stop_at` folders are
        left. The folders that stay are the root, `folder_to_keep`, and all above a folder that
        stays.
        """
        must_stay = {"", folder_to_keep}
        # The deepest first, so that it is decided for `a/b/` before `a/` whether it stays.
        deepest_first = sorted(self._pages, key=lambda path: path.count("/"), reverse=True)
        for path in deepest_first:
            parent = path[: path.rfind("/", 0, -1) + 1]  # "a/" for "a/b/", "" for "a/"
            is_small = self._pages[path].total() < min_pages
            if is_small and path not in must_stay and len(self._pages) > stop_at:
                self._pages[parent].update(self._pages.pop(path))
                merged_before = self._merged.pop(path, 0)  # folders that were merged into this one
                self._merged[parent] += 1 + merged_before
            else:
                must_stay.add(parent)
