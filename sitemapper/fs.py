"""Opens files without waiting for a pipe or a device, and says where paths are.

`open_inside` and `descriptor_inside` are the way to what a site or a project contains. `regular`
and `open_regular` are for files that a person names, and for our own.
"""

import os
import stat
from typing import IO

# With O_NONBLOCK, opening a pipe does not wait for its writer. Only Windows has O_BINARY.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_inside(root: str, path: str, limit: int) -> bytes | None:
    """The first `limit` bytes of a file in the folder `root` of a site or project.

    `path` is its OS path, not relative to `root`. None if the file does not exist. Raises OSError
    if it cannot be read or is not a regular file.
    """
    try:
        descriptor = descriptor_inside(root, path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    with _as_regular_file(descriptor, path) as file:
        return file.read(limit)


def descriptor_inside(root: str, path: str) -> int:
    """A descriptor of a file in the folder `root`, for callers that check its status themselves.

    A link may lead out of `root`, which nothing checks. Raises OSError if it cannot be opened.
    """
    return os.open(path, _FLAGS)


def regular(path: str, limit: int = -1) -> bytes | None:
    """The first bytes of a file, all by default; None if it does not exist.

    Raises OSError if it cannot be read or is not a regular file.
    """
    try:
        with open_regular(path) as file:
            return file.read(limit)
    except (FileNotFoundError, NotADirectoryError):
        return None


def open_regular(path: str) -> IO[bytes]:
    """Opens a file to read. Raises OSError if it cannot be read or is not a regular file."""
    return _as_regular_file(os.open(path, _FLAGS), path)


def _as_regular_file(descriptor: int, path: str) -> IO[bytes]:
    """The file of an open descriptor.

    Closes it and raises OSError if it belongs to a folder, a pipe or a device.
    """
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "not a regular file", path)
    return open(descriptor, "rb")


def shown_path(path: str, cwd: str) -> str:
    """A path as a user in a folder would type it: relative if it is inside, else absolute."""
    inside = relative(path, cwd)
    return path if inside.startswith("..") else inside


def relative(path: str, start: str) -> str:
    """A path as seen from a folder; unchanged if they are on different drives (Windows)."""
    try:
        return os.path.relpath(path, start)
    except ValueError:
        return path


def ancestors(folder: str) -> list[str]:
    """The folders from `folder` up to the repository's root; only `folder` outside a repository."""
    folders = [folder]
    while not os.path.exists(os.path.join(folders[-1], ".git")):
        above = os.path.dirname(folders[-1])
        if above == folders[-1]:
            return [folder]  # the root of the file system, and no repository on the way
        folders.append(above)
    return folders
