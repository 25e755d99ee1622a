"""The site as a tree of folders in bounded memory: small folders are counted in the one above them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

NODES = 5_000
_DEEPEST = 30


class _Node:
    """A folder: its own pages by kind, the folders in it that are shown, and how many are counted in it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.own: Counter[int] = Counter()
        self.children: list[_Node] = []
        self.total = self.folded = 0

    def fold(self, child: _Node) -> None:
        """Counts a folder here."""
        self.own.update(child.own)
        self.folded += 1 + child.folded


class Tree:
    """Takes folders in walk order. A folder is done once one is opened outside it.

    Pages of a folder may come before and after those of the folders in it.
    """

    def __init__(self) -> None:
        self._open = [_Node("")]
        self._nodes = 1  # with those that are done
        self._least = 2  # a folder that holds one page is a page of the folder above it

    def add(self, folder: str, kind: int, pages: int) -> None:
        """More pages of one kind in a folder; "" is the root, other names end with `/`."""
        if folder.count("/") > _DEEPEST:
            folder = "/".join(folder.split("/", _DEEPEST)[:_DEEPEST]) + "/"
        node = next((node for node in self._open if node.path == folder), None) or self._opened(folder)
        node.own[kind] += pages
        node.total += pages

    def _opened(self, folder: str) -> _Node:
        while not folder.startswith(self._open[-1].path):
            self._close()
        while (start := len(self._open[-1].path)) < len(folder):
            self._open.append(_Node(folder[: folder.index("/", start) + 1]))
        return self._open[-1]

    def _close(self) -> None:
        child, above = self._open.pop(), self._open[-1]
        above.total += child.total
        if self._is_small(child):
            above.fold(child)
            return
        above.children.append(child)
        self._nodes += 1
        if self._nodes > 2 * NODES:
            self._fold()

    def _is_small(self, node: _Node) -> bool:
        return not node.children and node.total < self._least

    def _fold(self) -> None:
        """Counts small folders in those above them, and then larger ones, until few enough are left."""
        while self._nodes > NODES:
            for node in self._open:
                self._fold_in(node)
            self._least *= 2

    def _fold_in(self, node: _Node) -> None:
        children, node.children = node.children, []
        for child in children:
            self._fold_in(child)
            if self._nodes > NODES and self._is_small(child):
                node.fold(child)
                self._nodes -= 1
            else:
                node.children.append(child)

    def rows(self) -> Iterator[tuple[int, str, int, list[int]]]:
        """Each folder, before those in it: depth, name, folders counted in it, and own pages as kind, pages,
        kind, pages …"""
        while len(self._open) > 1:
            self._close()
        self._fold()
        waiting = [(0, self._open[0])]
        while waiting:
            depth, node = waiting.pop()
            name = node.path.rstrip("/").rpartition("/")[2]
            yield depth, name, node.folded, [n for pair in sorted(node.own.items()) for n in pair]
            waiting += [(depth + 1, child) for child in reversed(node.children)]
