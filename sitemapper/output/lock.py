"""One publisher at a time. The folder itself is locked, so that nothing new lies in it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sitemapper.errors import PublishError

WAIT = 10.0  # seconds


@contextmanager
def locked(directory: str, *, wait: float = WAIT) -> Iterator[None]:
    """Holds the folder's lock. Raises PublishError if another run keeps it for `wait` seconds."""
    if os.name == "nt":
        with _locked_file(os.path.join(directory, ".sitemapper.output.lock"), directory, wait):
            yield
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        _acquire(descriptor, directory, wait)
        yield
    finally:
        os.close(descriptor)


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
def _locked_file(path: str, directory: str, wait: float) -> Iterator[None]:
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
        yield
    finally:
        os.close(descriptor)


def _taken(directory: str, wait: float) -> PublishError:
    return PublishError(
        f"{directory}: another run of sitemapper publishes here, or keeps its ledger here, and did not end "
        f"within {wait:g} seconds; wait for it or stop it, then run again"
    )
