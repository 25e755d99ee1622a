"""The locks of a run: one run at a time publishes to an output and writes a ledger.

They are on the folder and the ledger themselves, so there are no lock files.
"""

import errno
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from ..errors import PublishError
from ..messages import Kind, Message
from ..site import Run, Site
from . import published, write

# What some network file systems answer when asked for a lock.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
_HELD = (FileExistsError, PermissionError) if os.name == "nt" else (BlockingIOError,)
_LOCK_INTERVAL = 0.05  # seconds between tries to get all locks


class Locks(NamedTuple):
    """The descriptors of the locks, and warnings about folders that cannot be locked."""

    descriptors: tuple[int, ...] = ()
    warnings: tuple[Message, ...] = ()


@contextmanager
def lock_output(site: Site, run: Run) -> Iterator[Locks]:
    """Locks the output and the ledger, and removes what a killed run left there.

    A folder that cannot be locked is only a warning. Raises PublishError if another run holds a
    lock, or if somebody has changed the configuration since it was read.
    """
    ledgers = [site.ledger] if site.ledger else []
    folder = site.output.folder
    unlocked: list[str] = []  # folders that cannot be locked
    with locked(folder, ledgers, on_refused=unlocked.append) as descriptors:
        write.check_unchanged(run.read_from)
        write.remove(published.stale_temp_files(site.output, site.ledger), folder)
        warnings = [Message(Kind.UNLOCKED, (path,)) for path in unlocked]
        yield Locks(descriptors, tuple(warnings))


@contextmanager
def locked(
    directory: str,
    files: Iterable[str] = (),
    *,
    wait: float = 10.0,
    on_refused: Callable[[str], object] = lambda path: None,
) -> Iterator[tuple[int, ...]]:
    """Holds the locks of a folder and of files, and gives their descriptors.

    A missing folder is made. A missing file is locked by its folder. Where the file system has no
    locks, it goes on without, and calls `on_refused` with the path. Raises PublishError if another
    run keeps a lock for `wait` seconds.
    """
    os.makedirs(directory, exist_ok=True)
    paths = (directory, *files)
    deadline = time.monotonic() + wait
    while True:
        places = _places(paths)
        with ExitStack() as stack:
            locks = _lock_all(places, stack)
            # The run that had a lock before may have put a new file there.
            is_current = places == _places(paths) and _are_in_place(locks)
            if locks.busy is None and is_current:
                for place in locks.refused:
                    on_refused(place)
                yield tuple(locks.held.values())
                return
            if time.monotonic() >= deadline:
                late = f"did not end within {wait:g} seconds"
                place = locks.busy or directory
                problem = f"{place}: another run of sitemapper uses it and {late}"
                raise PublishError(problem, "wait for it or stop it, then run again")
            time.sleep(_LOCK_INTERVAL)


def _places(paths: Iterable[str]) -> list[str]:
    """The files and folders to lock, in the same order for all runs.

    For a file that is missing or cannot be read, that is its folder.
    """
    places = set()
    for path in map(os.path.realpath, paths):
        is_there = os.path.isfile(path) or os.path.isdir(path)
        can_be_opened = is_there and os.access(path, os.R_OK)
        places.add(path if can_be_opened else os.path.dirname(path))
    return sorted(places)


class _Held(NamedTuple):
    """The result of one attempt to get all locks."""

    held: dict[str, int]  # the descriptors, by path
    refused: list[str]  # paths whose file system has no locks
    busy: str | None  # the first path that another run has locked, None if all were free


def _lock_all(places: Iterable[str], stack: ExitStack) -> _Held:
    """Locks the places in order, up to the first that another run holds."""
    held: dict[str, int] = {}
    refused: list[str] = []
    for place in places:
        try:
            held[place] = _lock(place, stack, refused.append)
        except _HELD:
            return _Held(held, refused, place)
    return _Held(held, refused, None)


def _lock(path: str, stack: ExitStack, on_refused: Callable[[str], object]) -> int:
    """Locks a file or folder until the stack ends, and returns its descriptor.

    Calls `on_refused` with the path if the file system has no locks. Raises one of `_HELD` if
    another run has the lock.
    """
    if os.name == "nt":
        # Windows locks no folders, so this creates an exclusive file, and removes it at the end.
        name = f"{path}.lock"
        if os.path.isdir(path):
            name = os.path.join(path, ".sitemapper.lock")
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_TEMPORARY", 0)
        descriptor = os.open(name, flags)
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


def _are_in_place(locks: _Held) -> bool:
    """Whether all locked files and folders are still at their paths."""
    if os.name == "nt":  # where the lock is a file of its own
        return True
    try:
        return all(
            os.path.samestat(os.fstat(descriptor), os.stat(path))
            for path, descriptor in locks.held.items()
        )
    except FileNotFoundError:
        return False
