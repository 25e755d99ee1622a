"""One publisher at a time. The folder and the ledger themselves are locked: nothing new lies there."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress

from ..errors import PublishError

_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)  # of some network file systems
_HELD = (FileExistsError, PermissionError) if os.name == "nt" else (BlockingIOError,)


@contextmanager
def locked(
    directory: str,
    files: Iterable[str] = (),
    *,
    wait: float = 10.0,
    on_refused: Callable[[str], object] = lambda path: None,
) -> Iterator[tuple[int, ...]]:
    """Holds the locks of a folder, which is made if it is missing, and of files; gives their descriptors.

    A missing file is locked by its folder. Where the file system has no locks, it goes on without, and calls
    `on_refused` with the path. Raises PublishError if another run keeps a lock for `wait` seconds.
    """
    os.makedirs(directory, exist_ok=True)
    paths = (directory, *files)
    deadline = time.monotonic() + wait
    while True:
        places, held = _places(paths), dict[str, int]()
        refused: list[str] = []
        with ExitStack() as stack:
            with suppress(*_HELD):
                for place in places:
                    held[place] = _lock(place, stack, refused.append)
            # The run that was waited for may have put another file there.
            is_same = places == _places(paths) and all(map(_is_at, held.values(), held))
            if len(held) == len(places) and is_same:
                for place in refused:
                    on_refused(place)
                yield tuple(held.values())
                return
            if time.monotonic() >= deadline:
                place, late = [*places, directory][len(held)], f"did not end within {wait:g} seconds"
                problem = f"{place}: another run of sitemapper uses it and {late}"
                raise PublishError(problem, "wait for it or stop it, then run again")
            time.sleep(0.05)


def _places(paths: Iterable[str]) -> list[str]:
    """The files and folders to lock, in one order for all runs."""
    real = {os.path.realpath(path) for path in paths}
    usable = {p for p in real if (os.path.isfile(p) or os.path.isdir(p)) and os.access(p, os.R_OK)}
    return sorted(usable | {os.path.dirname(path) for path in real - usable})


def _lock(path: str, stack: ExitStack, on_refused: Callable[[str], object]) -> int:
    """The descriptor of a lock. Raises one of `_HELD` if another run has it."""
    if os.name == "nt":  # it locks no folders: a file that nobody else can create, gone afterwards
        name = os.path.join(path, ".sitemapper.lock") if os.path.isdir(path) else f"{path}.lock"
        descriptor = os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_TEMPORARY", 0))
        stack.callback(os.close, descriptor)
        return descriptor
    import fcntl

    descriptor = os.open(path, os.O_RDONLY)
    stack.callback(os.close, descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        on_refused(path)
    return descriptor


def _is_at(descriptor: int, path: str) -> bool:
    try:
        return os.name == "nt" or os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
