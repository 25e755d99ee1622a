"""Opens files without waiting for a pipe or a device, and says where paths are."""

import os
import stat
from collections.abc import Iterator
from typing import IO

# With O_NONBLOCK, opening a pipe does not wait for its writer. Only Windows has O_BINARY.
OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_MAX_BYTES = 16 << 20  # of a file that is read whole, such as robots.txt or a settings file


def open_regular(path: str | bytes) -> IO[bytes]:
    """Opens a file to read its bytes, but no pipe and no device, which could block for ever.

    Raises OSError if it cannot be read or is not a regular file.
    """
    descriptor = os.open(path, OPEN_FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "not a regular file", path)
    return open(descriptor, "rb")


def read_regular(path: str, limit: int = -1) -> bytes | None:
    """Reads the first `limit` bytes of a file, or all if it is -1; None if it does not exist.

    Raises OSError if it cannot be read or is not a regular file.
    """
    try:
        with open_regular(path) as file:
            return file.read(limit)
    except (FileNotFoundError, NotADirectoryError):
        return None


def read_inside(folder: str, name: str, limit: int = _MAX_BYTES) -> bytes | None:
    """Reads the file `name` below `folder`; None if it does not exist.

    A folder of others may have a link to a file of this machine, such as a key, which must not be
    read. Raises OSError if a link leads out of the folder, and for a file that cannot be read, is
    not a regular file, or has more than `limit` bytes.
    """
    path = os.path.join(folder, name)
    target = os.path.realpath(path)
    if not is_inside(target, os.path.realpath(folder)):
        raise OSError(0, f"a link leads out of {folder}", path)
    data = read_regular(target, limit + 1)  # one byte more shows a file that is too large
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
    """The file name, in bytes, of a path of the site: `b"/site/a.html"` for `/site` and `a.html`.

    Paths of the site are UTF-8, whatever the encoding of the locale is.
    """
    return os.path.join(os.fsencode(folder), path.encode("utf-8", "surrogateescape"))


def site_path(file: str) -> str:
    """The path of a file in the site, always with `/`, from its path relative to the site's folder.

    On Windows, `a\\b.html` → `a/b.html`. The result is UTF-8, whatever the encoding of the locale
    is.
    """
    if not file.isascii():
        file = os.fsencode(file).decode("utf-8", "surrogateescape")
    return file.replace(os.sep, "/")


def files_below(folder: str) -> Iterator[str]:
    """Yields the paths of all files in a folder and below it.

    Hidden folders, and folders that are links, are not entered. Each call of os.walk lists a single
    folder: it recurses in Python 3.11, and fails for 1,000 folders in each other.
    """
    folders = [folder]
    for current in folders:  # the loop adds the folders below
        _, folder_names, file_names = next(os.walk(current), ("", [], []))
        for name in file_names:
            yield os.path.join(current, name)
        for name in folder_names:
            path = os.path.join(current, name)
            if not name.startswith(".") and not os.path.islink(path):
                folders.append(path)


def is_inside(path: str, folder: str) -> bool:
    """Whether a path is that of `folder` or below it. Both are absolute and without links."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def shown_path(path: str, cwd: str) -> str:
    """Shortens an absolute path for messages. One that is not below the folder `cwd` stays.

    `/srv/site/a.html` in `/srv` → `site/a.html`.
    """
    return os.path.relpath(path, cwd) if is_inside(path, cwd) else path


def ancestors(folder: str) -> list[str]:
    """Lists the folders from `folder` up to the root of its git repository, the innermost first.

    Outside of a repository, it is only `folder` itself.
    """
    folders = [folder]
    while not os.path.exists(os.path.join(folders[-1], ".git")):
        above = os.path.dirname(folders[-1])
        if above == folders[-1]:  # the root of the file system
            return [folder]
        folders.append(above)
    return folders


def folders_above(folder: str, cwd: str) -> list[str]:
    """Lists the folders from `folder` up to the root of its repository, the innermost first.

    Outside of a repository, they go up to the working directory `cwd`, if `folder` is below it.
    """
    folders = ancestors(folder)
    has_no_repository_above = len(folders) == 1
    if has_no_repository_above and is_inside(folder, cwd):
        while folders[-1] != cwd:
            folders.append(os.path.dirname(folders[-1]))
    return folders
