"""Small files of the user, such as settings and robots.txt, and the folders around them.

Never waits for a pipe or a device.
"""

import os
import stat
from typing import IO


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
    descriptor = os.open(
        path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "not a regular file", path)
    return open(descriptor, "rb")


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
            return folders[:1]
        folders.append(above)
    return folders
