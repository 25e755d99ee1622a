"""Reads the small files that people write. Regular files only: a named pipe would wait for ever."""

from __future__ import annotations

import os
import stat


def regular(path: str) -> bytes | None:
    """The bytes of a file, None if there is none. Raises OSError if it cannot be read or is no file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # asked first: a folder cannot be opened as a file
        os.close(descriptor)
        raise OSError(0, "not a regular file", path)
    with open(descriptor, "rb") as file:
        return file.read()
