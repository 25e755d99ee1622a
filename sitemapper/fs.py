"""Small files of the user, such as settings and robots.txt. Never waits for a pipe or a device."""

from __future__ import annotations

import os
import stat


def regular(path: str, limit: int = -1) -> bytes | None:
    """The first bytes of a file, all by default; None if it does not exist.

    Raises OSError if it cannot be read or is not a regular file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "not a regular file", path)
    with open(descriptor, "rb") as file:
        return file.read(limit)


def relative(path: str, start: str) -> str:
    """A path as seen from a folder; unchanged if they are on different drives (Windows)."""
    try:
        return os.path.relpath(path, start)
    except ValueError:
        return path
