"""Opens files without waiting for a pipe or a device, and says where paths are."""

import os
import stat
from collections.abc import Iterator
from typing import IO

# With O_NONBLOCK, opening a pipe does not wait for its writer. Only Windows has O_BINARY.
OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_MAX_BYTES = 16 << 20  # of a file that is read whole, such as robots.txt or a settings file


def open_regular(path: str | bytes) -> IO[bytes]:
    """Opens a file to read. Raises OSError if it cannot be read or is not a regular file."""
    descriptor = os.open(path, OPEN_FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "not a regular file", path)
    return open(descriptor, "rb")


def read_regular(path: str, limit: int = -1) -> bytes | None:
    """Reads the first `limit` bytes of a file, or all of them; None if it does not exist.

    Raises OSError if it cannot be read or is not a regular file.
    """
    try:
        with open_regular(path) as file:
            return file.read(limit)
    except (FileNotFoundError, NotADirectoryError):
        return None


def read_inside(folder: str, name: str, limit: int = _MAX_BYTES) -> bytes | None:
    """Reads a file below `folder`, None if it does not exist. Links are followed inside only.

    Raises OSError if it cannot be read, is not a regular file, has more than `limit` bytes, or if a
    link leads out of the folder.
    """
    path = os.path.join(folder, name)
    target = os.path.realpath(path)
    if not is_inside(target, os.path.realpath(folder)):
        raise OSError(0, f"a link leads out of {folder}", path)
    data = read_regular(target, limit + 1)
    if data is not None and len(data) > limit:
        raise OSError(0, f"has more than {limit >> 20} MiB", path)
    return data


def contents(folder: str, name: str, limit: int = _MAX_BYTES) -> bytes:
    """The bytes of a file below `folder`, b"" if it is missing, unreadable or outside of it."""
    try:
        return read_inside(folder, name, limit) or b""
    except OSError:
        return b""


def site_file(folder: str, path: str) -> bytes:
    """The file of a path of the site, whose names are UTF-8 whatever the locale's encoding is."""
    return os.path.join(os.fsencode(folder), path.encode("utf-8", "surrogateescape"))


def site_path(file: str) -> str:
    """The path that a file has in the site, from its path relative to the site's folder."""
    if not file.isascii():
        file = os.fsencode(file).decode("utf-8", "surrogateescape")
    return file.replace(os.sep, "/")


def files_below(folder: str) -> Iterator[str]:
    """Yields the paths of the files in a folder and below it, but not of what links lead to.

    Hidden folders are passed over. Unlike os.walk in Python 3.11, it does not recurse: 1,000
    folders may lie in each other.
    """
    folders = [folder]
    for current in folders:  # which grows
        _, below, names = next(os.walk(current), ("", [], []))
        for name in names:
            yield os.path.join(current, name)
        for name in below:
            path = os.path.join(current, name)
            if not name.startswith(".") and not os.path.islink(path):
                folders.append(path)


def is_inside(path: str, folder: str) -> bool:
    """Whether a path is that of `folder` or below it. Both are absolute and without links."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def shown_path(path: str, cwd: str) -> str:
    """Shortens a path to what a person in the folder `cwd` would type, if it is below it."""
    return os.path.relpath(path, cwd) if is_inside(path, cwd) else path


def ancestors(folder: str) -> list[str]:
    """Lists the folders from `folder` up to the root of its git repository, if it is in one."""
    folders = [folder]
    while not os.path.exists(os.path.join(folders[-1], ".git")):
        above = os.path.dirname(folders[-1])
        if above == folders[-1]:
            return [folder]
        folders.append(above)
    return folders


def folders_above(folder: str, cwd: str) -> list[str]:
    """Lists the folders from `folder` up to the root of its repository, or else up to `cwd`."""
    folders = ancestors(folder)
    if len(folders) == 1 and is_inside(folder, cwd):
        while folders[-1] != cwd:
            folders.append(os.path.dirname(folders[-1]))
    return folders
