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

# The errors of file systems without locks, such as some network file systems.
_ERRORS_WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
# What is raised if another run has a lock.
_LOCKED_BY_OTHER = (FileExistsError, PermissionError) if os.name == "nt" else (BlockingIOError,)
_LOCK_INTERVAL = 0.05  # seconds between tries to get all locks


class Locks(NamedTuple):
    """The descriptors of the locks, and warnings about folders that cannot be locked."""

    descriptors: tuple[int, ...] = ()
    warnings: tuple[Message, ...] = ()


@contextmanager
def lock_output(site: Site, run: Run) -> Iterator[Locks]:
    """Locks the output and the ledger during the block, and gives the locks.

    First removes the temporary files that a killed run left there. A folder that cannot be locked
    is only a warning. Raises PublishError if another run holds a lock, or if somebody has changed
    the configuration since it was read.
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
    """Holds the locks of a folder and of files during the block, and gives their descriptors.

    A missing folder is made. A missing file is locked by its folder. If the file system has no
    locks, the block runs without, and `on_refused` is called with the path. Raises PublishError if
    another run keeps a lock for `wait` seconds.
    """
    os.makedirs(directory, exist_ok=True)
    paths = (directory, *files)
    deadline = time.monotonic() + wait
    while True:
        paths_to_lock = _find_paths_to_lock(paths)
        # The stack releases the locks: after the block, or before the next attempt.
        with ExitStack() as stack:
            attempt = _lock_all(paths_to_lock, stack)
            # Before the lock was free, the run that had it may have renamed a new file to the path.
            # Then the lock is on the old file, and another run could lock the new one.
            is_current = paths_to_lock == _find_paths_to_lock(paths) and _are_in_place(attempt)
            if attempt.busy is None and is_current:
                for path in attempt.refused:
                    on_refused(path)
                yield tuple(attempt.held.values())
                return
            if time.monotonic() >= deadline:
                late = f"did not end within {wait:g} seconds"
                path = attempt.busy or directory
                problem = f"{path}: another run of sitemapper uses it and {late}"
                raise PublishError(problem, "wait for it or stop it, then run again")
            time.sleep(_LOCK_INTERVAL)


def _find_paths_to_lock(paths: Iterable[str]) -> list[str]:
    """Finds the paths on which to hold the locks, without links, sorted.

    `public` and `data/ledger.tsv`, both there    → both
    `public` and a ledger that is not there yet   → `public` and the ledger's folder `data`
    a file that may not be read                   → its folder

    Sorted, because two runs that lock the same paths in different orders would wait for each other.
    """
    paths_to_lock = set()
    for path in map(os.path.realpath, paths):
        is_there = os.path.isfile(path) or os.path.isdir(path)
        can_be_opened = is_there and os.access(path, os.R_OK)
        paths_to_lock.add(path if can_be_opened else os.path.dirname(path))
    return sorted(paths_to_lock)


class _LockAttempt(NamedTuple):
    """The result of one attempt to get all locks."""

    held: dict[str, int]  # the descriptors, by path
    refused: list[str]  # paths whose file system has no locks
    busy: str | None  # the first path that another run has locked, None if all were free


def _lock_all(paths: Iterable[str], stack: ExitStack) -> _LockAttempt:
    """Tries once to lock all paths, in their order. The stack releases the locks when it ends.

    Stops at the first path that another run has locked, which is `busy` in the result. The caller
    then releases all, and tries again.
    """
    held: dict[str, int] = {}
    refused: list[str] = []
    for path in paths:
        try:
            held[path] = _lock(path, stack, refused.append)
        except _LOCKED_BY_OTHER:
            return _LockAttempt(held, refused, busy=path)
    return _LockAttempt(held, refused, busy=None)


def _lock(path: str, stack: ExitStack, on_refused: Callable[[str], object]) -> int:
    """Locks a file or folder until the stack ends, and returns its descriptor.

    Does not wait: raises one of `_LOCKED_BY_OTHER` if another run has the lock. Calls `on_refused`
    with the path if the file system has no locks.
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
        if error.errno not in _ERRORS_WITHOUT_LOCKS:
            raise
        on_refused(path)
    return descriptor


def _are_in_place(attempt: _LockAttempt) -> bool:
    """Whether all locked files and folders are still at their paths, and were not replaced.

    If another run has renamed a new file to a locked path, the lock is on the old file and protects
    nothing. The caller then tries again.
    """
    if os.name == "nt":  # where the lock is a file of its own
        return True
    try:
        return all(
            os.path.samestat(os.fstat(descriptor), os.stat(path))
            for path, descriptor in attempt.held.items()
        )
    except FileNotFoundError:
        return False
