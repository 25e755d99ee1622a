"""The files and folders of a repository that git is asked for. It reads the trees of no others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_MAX_PATHS = 20  # paths; git compares each name with all of them


class AskedPaths(NamedTuple):
    """Files and folders of a repository, relative to its root. Without any, all are meant."""

    paths: tuple[str, ...] = ()

    def contains(self, name: bytes) -> bool:
        """Whether git is asked for a file: it is a path itself, or below one.

        `docs/a.html` is for the path `docs`, but not `docs2/a.html`.
        """
        if not self.paths:
            return True
        prefixes = tuple(os.fsencode(path) + b"/" for path in self.paths)
        return (name + b"/").startswith(prefixes)

    def in_repository(self, folder: str) -> Iterator[str]:
        """Cuts each path at the first submodule in it: `texts/en` in a submodule `texts` → `texts`.

        The tree of the repository at `folder` contains a submodule, but not what is in it.
        """
        for path in self.paths:
            parts = path.split("/")
            above = ["/".join(parts[: length + 1]) for length in range(len(parts))]
            modules = (name for name in above if os.path.exists(os.path.join(folder, name, ".git")))
            yield next(modules, path)


def ask_about(names: Iterable[str]) -> AskedPaths:
    """Chooses at most 20 paths to ask git for, so that it reads these files and folders.

    For a file, git is asked for its folder: `content/a.md` and `README.md` → `content` and
    `README.md`. A name that ends in a slash is a folder. More than 20 paths are replaced by folders
    above: `content/1/a.md` to `content/99/a.md` → `content`. Empty, which means all paths, if even
    the top folders are too many.
    """
    places: set[str] = set()
    for name in names:
        folder, _, _ = name.rpartition("/")
        places.add(folder or name)
    # Cut all paths at one depth, and go deeper while they are at most 20.
    kept: set[str] = set()
    depth = 0
    while kept != places:
        depth += 1
        above = {"/".join(place.split("/")[:depth]) for place in places}
        if len(above) > _MAX_PATHS:
            break
        kept = above
    return AskedPaths(tuple(sorted(kept)))
