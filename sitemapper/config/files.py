"""Files that people name and write: small ones are read, regular ones only, as a pipe would wait for ever."""

from __future__ import annotations

import os
import stat


def regular(path: str) -> bytes | None:
    """The bytes of a file, None if there is none. Raises OSError if it cannot be read or is no file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "not a regular file", path)
    with open(descriptor, "rb") as file:
        return file.read()


def relative(path: str, start: str) -> str:
    """A path as seen from a folder; as it is where they lie on different drives (Windows)."""
    try:
        return os.path.relpath(path, start)
    except ValueError:
        return path
