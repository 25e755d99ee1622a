"""One publisher at a time. The folder itself is locked, so that nothing new lies in it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

from ..errors import PublishError

WAIT = 10.0  # seconds


@contextmanager
def locked(directory: str, *, wait: float = WAIT) -> Iterator[int]:
    """Holds the lock of a folder, which is made if it is missing; gives its descriptor.

    Raises PublishError if another run keeps it for `wait` seconds.
    """
    os.makedirs(directory, exist_ok=True)
    if os.name == "nt":
        with _locked_file(os.path.join(directory, ".sitemapper.lock"), directory, wait) as descriptor:
            yield descriptor
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        _acquire(descriptor, directory, wait)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def all_locked(directories: Iterable[str], *, wait: float = WAIT) -> Iterator[tuple[int, ...]]:
    """Holds the locks of several folders, each once, always in the same order; gives their descriptors."""
    folders = sorted({os.path.realpath(directory) for directory in directories})
    with ExitStack() as stack:
        yield tuple(stack.enter_context(locked(folder, wait=wait)) for folder in folders)


def _acquire(descriptor: int, directory: str, wait: float) -> None:
    import fcntl

    deadline = time.monotonic() + wait
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise _taken(directory, wait) from None
            time.sleep(0.05)


@contextmanager
def _locked_file(path: str, directory: str, wait: float) -> Iterator[int]:
    """For Windows, which locks files only: a file that nobody else can create, gone afterwards."""
    deadline = time.monotonic() + wait
    while True:
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_TEMPORARY", 0))
            break
        except (FileExistsError, PermissionError):
            if time.monotonic() > deadline:
                raise _taken(directory, wait) from None
            time.sleep(0.05)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _taken(directory: str, wait: float) -> PublishError:
    return PublishError(
        f"{directory}: another run of sitemapper uses this folder and did not end within {wait:g} seconds",
        "wait for it or stop it, then run again",
    )
