"""The files and folders of a repository that git is asked about. Git walks no others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_MOST = 20  # paths; with more, git compares each name with too many


class AskedPaths(NamedTuple):
    """Files and folders of a repository, relative to its root. None means everything."""

    paths: tuple[str, ...] = ()

    def prefixes(self) -> tuple[bytes, ...]:
        """What a file's name begins with, when a slash is added to it."""
        if not self.paths:
            return (b"",)
        return tuple(os.fsencode(path) + b"/" for path in self.paths)

    def contains(self, name: bytes) -> bool:
        """Whether a file is one of these, or below one."""
        return (name + b"/").startswith(self.prefixes())

    def below(self, submodule: bytes) -> AskedPaths:
        """The paths in a submodule."""
        name = os.fsdecode(submodule)
        inside = []
        for path in self.paths:
            if f"{name}/".startswith(f"{path}/"):
                return AskedPaths()
            if path.startswith(f"{name}/"):
                inside.append(path.removeprefix(f"{name}/"))
        return AskedPaths(tuple(inside))

    def in_repository(self, folder: str) -> Iterator[str]:
        """The paths up to the first submodule in each: `texts` for `texts/en` in the submodule
        `texts`. The tree of a repository has only the submodule itself.
        """
        for path in self.paths:
            parts = path.split("/")
            above = ["/".join(parts[: length + 1]) for length in range(len(parts))]
            modules = (name for name in above if os.path.exists(os.path.join(folder, name, ".git")))
            yield next(modules, path)


def ask_about(names: Iterable[str]) -> AskedPaths:
    """The paths for some files, and for folders, which end in a slash.

    They are the folders of the files, and files at the root. Of many, those that contain them.
    """
    places: set[str] = set()
    for name in names:
        folder, _, _ = name.rpartition("/")
        places.add(folder or name)
    kept: set[str] = set()
    depth = 0
    while kept != places:
        depth += 1
        above = {"/".join(place.split("/")[:depth]) for place in places}
        if len(above) > _MOST:
            break
        kept = above
    return AskedPaths(tuple(sorted(kept)))
