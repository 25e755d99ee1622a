"""One publisher at a time. The folder and the ledger themselves are locked: nothing new lies there."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TypeVar

from ..errors import PublishError

WAIT = 10.0  # seconds
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)  # of some network file systems
Result = TypeVar("Result")


@contextmanager
def locked(
    path: str, *, wait: float = WAIT, on_refused: Callable[[str], object] = lambda path: None
) -> Iterator[int]:
    """Holds the lock of a folder or file; gives its descriptor.

    Where the file system has no locks, it goes on without, and calls `on_refused` with the path. Raises
    PublishError if another run keeps the lock for `wait` seconds.
    """
    if os.name == "nt":  # it locks no folders: a file that nobody else can create, gone afterwards
        name = os.path.join(path, ".sitemapper.lock") if os.path.isdir(path) else f"{path}.lock"
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_TEMPORARY", 0)
        descriptor = _patiently(lambda: os.open(name, flags), (FileExistsError, PermissionError), path, wait)
    else:
        descriptor = os.open(path, os.O_RDONLY)
    try:
        if os.name != "nt":
            import fcntl

            kind = fcntl.LOCK_EX | fcntl.LOCK_NB
            try:
                _patiently(lambda: fcntl.flock(descriptor, kind), (BlockingIOError,), path, wait)
            except OSError as error:
                if error.errno not in _NO_LOCKS:
                    raise
                on_refused(path)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def all_locked(
    directory: str,
    files: Iterable[str] = (),
    *,
    wait: float = WAIT,
    on_refused: Callable[[str], object] = lambda path: None,
) -> Iterator[tuple[int, ...]]:
    """Holds the locks of a folder, which is made if it is missing, and of files; gives the descriptors.

    A missing file is locked by its folder. Each run takes the locks in the same order. `on_refused` is as in
    `locked`.
    """
    os.makedirs(directory, exist_ok=True)
    paths = [directory, *files]
    deadline = time.monotonic() + wait
    while True:
        places = _places(paths)
        with ExitStack() as stack:
            remaining = max(0.0, deadline - time.monotonic())
            lock = partial(locked, wait=remaining, on_refused=on_refused)
            held = {place: stack.enter_context(lock(place)) for place in places}
            # The run that was waited for may have put another file there.
            if places == _places(paths) and all(_is_at(held[place], place) for place in places):
                yield tuple(held.values())
                return
        if time.monotonic() > deadline:
            raise _lock_error(directory, wait)


def _places(paths: Iterable[str]) -> list[str]:
    real = map(os.path.realpath, paths)
    usable = {
        path: (os.path.isfile(path) or os.path.isdir(path)) and os.access(path, os.R_OK) for path in real
    }
    return sorted({path if usable[path] else os.path.dirname(path) for path in usable})


def _is_at(descriptor: int, path: str) -> bool:
    try:
        return os.name == "nt" or os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _patiently(
    lock: Callable[[], Result], is_held: tuple[type[OSError], ...], path: str, wait: float
) -> Result:
    """Tries until it is not held by another run."""
    deadline = time.monotonic() + wait
    while True:
        try:
            return lock()
        except is_held:
            if time.monotonic() > deadline:
                raise _lock_error(path, wait) from None
            time.sleep(0.05)


def _lock_error(path: str, wait: float) -> PublishError:
    return PublishError(
        f"{path}: another run of sitemapper uses it and did not end within {wait:g} seconds",
        "wait for it or stop it, then run again",
    )
