"""Opens files without waiting for a pipe or a device, and says where paths are.

`open_inside`, `start_inside` and `Beginnings` are the way to what a site or a project contains.
They follow no link out of it. `regular` is for files that a person names, and for our own.
"""

import os
import stat
from collections.abc import Iterator
from functools import lru_cache
from typing import IO

# With O_NONBLOCK, opening a pipe does not wait for its writer. Only Windows has O_BINARY.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # Windows has none


class OutsideError(OSError):
    """A file of a site or a project is outside of it, where a link leads."""


def open_inside(root: str, path: str, limit: int) -> bytes | None:
    """Reads a file in the folder `root`, None if it does not exist.

    `path` contains the root: `public/CNAME` for the root `public`. Raises OSError if the file
    cannot be read, is not a regular file, has more than `limit` bytes, or is outside of `root`
    (OutsideError).
    """
    data = start_inside(root, path, limit + 1)  # one byte more shows that it is too large
    if data is not None and len(data) > limit:
        raise OSError(0, f"has more than {limit >> 20} MiB", path)
    return data


def start_inside(root: str, path: str, limit: int) -> bytes | None:
    """Reads the first `limit` bytes of a file in the folder `root`, None if it does not exist.

    `path` contains the root: `public/CNAME` for the root `public`. Raises OSError if the file
    cannot be read, is not a regular file, or is outside of `root` (OutsideError).
    """
    try:
        with open_file_inside(root, path) as file:
            return file.read(limit)
    except (FileNotFoundError, NotADirectoryError):
        return None


def open_file_inside(root: str, path: str) -> IO[bytes]:
    """Opens a file in the folder `root` to read. Links are followed inside of this folder.

    Raises OSError if it cannot be read, is not a regular file, or is outside of `root`
    (OutsideError).
    """
    os.lstat(path)  # raises if there is no file, the usual case, before the slower `realpath`
    target = os.path.realpath(path)
    if not is_inside(target, os.path.realpath(root)):
        raise OutsideError(0, f"a link leads out of {root}", path)
    return _as_regular_file(os.open(target, _FLAGS | _NO_LINK), path)


class Beginnings:
    """Reads the beginnings of many files in a folder and its subfolders.

    Links to files are not followed. A link to a folder is, unless it leads out of the root. This is
    checked once for each folder and not for each file, because there are many.
    """

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root)
        self._is_folder_inside_cached = lru_cache(1 << 8)(self._is_folder_inside)

    def read(self, name: str, limit: int) -> tuple[bytes, int] | None:
        """Reads the first `limit` bytes of a file, and gives its size in bytes, too.

        `name` is relative to the root, with slashes: `blog/a.html`. None if the file is missing, is
        a link, is outside of the root, cannot be read, or is not a regular file.
        """
        folder, _, _ = name.rpartition("/")
        path = os.path.join(self._root, name)
        if os.path.islink(path) or not self._is_folder_inside_cached(folder):
            return None
        try:
            descriptor = os.open(path, _FLAGS | _NO_LINK)
        except OSError:
            return None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return None
            return os.read(descriptor, limit), status.st_size
        except OSError:
            return None
        finally:
            os.close(descriptor)

    def _is_folder_inside(self, folder: str) -> bool:
        """Whether a folder, given relative to the root, is inside of it after following links."""
        return is_inside(os.path.realpath(os.path.join(self._root, folder)), self._root)


def files_below(top: str, *, skipped: tuple[str, ...] = ()) -> Iterator[str]:
    """Lists the paths of all files below the folder `top`: those of a folder, then its subfolders.

    With `b`, `a/x` and `a/y`, the order is `b`, `a/x`, `a/y`. Enters no link to a folder, no folder
    whose name begins with one of `skipped`, and no folder that cannot be listed.
    """
    # Not with `os.walk`, which fails for deep folders: before Python 3.12, it recurses (gh-89727).
    folders = [top]
    while folders:
        try:
            with os.scandir(folders.pop()) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:  # the folder cannot be listed
            continue
        subfolders: list[str] = []
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith(skipped):
                    subfolders.append(entry.path)
            elif entry.is_file(follow_symlinks=False) or os.path.isfile(entry.path):
                yield entry.path
        folders += reversed(subfolders)  # the last is taken first


def is_inside(path: str, folder: str) -> bool:
    """Whether a path is that of `folder`, or below it: `/a/b` is in `/a`, and `/ab` is not.

    Both have to be absolute and without links.
    """
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def descriptor_of_page(path: str) -> int:
    """Opens a page of the site for reading, and returns its file descriptor.

    It follows links, because the walk lists only pages that are inside of the site. A pipe in place
    of the page does not make it wait. Raises OSError if the page cannot be opened.
    """
    return os.open(path, _FLAGS)


def regular(path: str, limit: int = -1) -> bytes | None:
    """Reads the first `limit` bytes of a file, or all of them. None if it does not exist.

    Raises OSError if it cannot be read or is not a regular file.
    """
    try:
        with _as_regular_file(os.open(path, _FLAGS), path) as file:
            return file.read(limit)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _as_regular_file(descriptor: int, path: str) -> IO[bytes]:
    """Opens a file object on an open descriptor, if it belongs to a regular file.

    Otherwise, for a folder, a pipe or a device, closes the descriptor and raises OSError.
    """
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "not a regular file", path)
    return open(descriptor, "rb")


def with_slashes(path: str, start: str) -> str:
    """Replaces the separators of a path that was written for Windows by those of this system.

    `.\\public` → `./public` if there is a folder of this name and nothing with the name
    `.\\public`. Other paths stay as they are. A relative path begins at the folder `start`.
    """
    if os.sep == "\\" or "\\" not in path or os.path.exists(os.path.join(start, path)):
        return path
    slashed = path.replace("\\", "/")
    return slashed if os.path.isdir(os.path.join(start, slashed)) else path


def shown_path(path: str, cwd: str) -> str:
    """Shortens a path to what a user in the folder `cwd` would type.

    In `/site`, `/site/public/a.html` → `public/a.html`. A path outside stays absolute.
    """
    inside = relative(path, cwd)
    return path if inside.startswith("..") else inside


def relative(path: str, start: str) -> str:
    """Makes a path relative to the folder `start`: `/a/c` from `/a/b` → `../c`.

    Unchanged if they are on different drives of Windows.
    """
    try:
        return os.path.relpath(path, start)
    except ValueError:
        return path


def ancestors(folder: str) -> list[str]:
    """Lists the folders from `folder` up to the root of its git repository.

    `/a/b/docs` → itself and `/a/b`, if that has a `.git`. Outside of a
    repository, only `folder` itself.
    """
    folders = [folder]
    while not os.path.exists(os.path.join(folders[-1], ".git")):
        above = os.path.dirname(folders[-1])
        if above == folders[-1]:
            return [folder]  # the root of the file system, and no repository on the way
        folders.append(above)
    return folders
