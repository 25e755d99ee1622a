"""The only module that writes the output: first all temporary files, then all renames at once.

At any moment, every sitemap that the live index names exists and is complete. One run publishes at
a time. The locks are on the folder and the ledger themselves, so there are no lock files.
"""

import errno
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from ..config import filenames
from ..errors import PublishError, write_advice
from ..fs import regular
from ..model import Change, FileChange
from ..posix_signals import deferred_signals
from ..replace import Step, discard, make_step, sweep, write_temporary
from .shards import OutputFile, Spool

# What some network file systems answer when asked for a lock.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
_HELD = (FileExistsError, PermissionError) if os.name == "nt" else (BlockingIOError,)
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)
_LOCK_INTERVAL = 0.05  # seconds between tries to get all locks


@contextmanager
def os_errors_as_publish_error(sitemap: str) -> Iterator[None]:
    """Raises system errors as PublishError with a message for the user.

    The message names the file or, if the system named only the output, the main `sitemap`.
    """
    try:
        yield
    except OSError as error:
        folder = os.path.dirname(sitemap)
        file = sitemap
        if isinstance(error.filename, str) and error.filename != folder:
            file = filenames.final_path(error.filename)
        advice = write_advice(error)
        if os.path.dirname(file) == folder and error.errno in _REFUSED:
            advice = f"{advice} or choose another folder with --output"
        raise PublishError(
            f"{file}: {error.strerror or error}; the files published before are complete",
            f"{advice}, then run again",
        ) from error


def write(
    changes: Sequence[FileChange],
    files: Sequence[OutputFile],
    spool: Spool,
    output: str,
    *,
    lists: Iterable[tuple[str, Iterable[bytes]]],
    before: Callable[[], object],
) -> None:
    """Publishes the changes: complete temporary files on disk, then renames, then removals.

    The user's `lists` (paths and bytes) are renamed first. A killed run may list a change that was
    not published, but never omits one. `before` is called when all temporary files are complete. If
    it raises, nothing has changed.
    """
    replaced = _replaced(changes, files)
    removed_names = [change.name for change in changes if change.change is Change.REMOVED]
    # A text sitemap is ours while the main sitemap names it, so it is removed before that is
    # replaced. XML sitemaps are removed last, when no index names them any more.
    removed_texts = [name for name in removed_names if _is_text(name)]
    removed_sitemaps = [name for name in removed_names if not _is_text(name)]
    list_steps = [make_step(os.path.realpath(path), blocks) for path, blocks in lists]
    steps = [
        *list_steps,
        *_steps_to_remove(removed_texts, output),
        *_steps_to_replace(replaced, output, spool),
    ]
    folders = {os.path.dirname(step.target) for step in steps}
    if removed_names:
        folders.add(output)
    try:
        _prepare(steps, list_steps)
        check_unchanged(file.read_from for file in replaced)
        before()
        with deferred_signals():
            _rename_all(steps)
            _discard_temporaries(steps)
            _remove_old_sitemaps(removed_sitemaps, output)
            for folder in sorted(folders):
                _sync_folder(folder)
    finally:
        with deferred_signals():
            _discard_temporaries(steps)


def _is_text(name: str) -> bool:
    """Whether a file is a text sitemap by its name, packed or not."""
    return name.removesuffix(".gz").endswith(".txt")


def _steps_to_remove(names: Iterable[str], output: str) -> Iterator[Step]:
    """The steps that remove files of the output."""
    for name in names:
        yield make_step(os.path.join(output, name), None)


def _steps_to_replace(files: Iterable[OutputFile], output: str, spool: Spool) -> Iterator[Step]:
    """The steps that write files of the output, in the same order."""
    for file in files:
        target = os.path.join(output, file.name)
        yield make_step(target, file.blocks(spool), gzip=file.gzip)


def _replaced(changes: Sequence[FileChange], files: Sequence[OutputFile]) -> list[OutputFile]:
    """The files that are new or differ. `changes` begins with those of the files, in order."""
    return [
        file
        for file, change in zip(files, changes, strict=False)
        if change.change in (Change.CREATED, Change.UPDATED)
    ]


def _prepare(steps: Iterable[Step], list_steps: Iterable[Step]) -> None:
    """Writes all temporary files and keeps the old ones. Nothing is published yet.

    Beside the user's lists, killed runs may have left temporary files, which are removed.
    """
    for step in steps:
        if step.blocks is not None:
            write_temporary(step)
    for step in list_steps:
        sweep(step)
    for step in steps:
        step.keep_old()


def _remove_old_sitemaps(names: Iterable[str], output: str) -> None:
    """Deletes what the live index does not name any more. Raises PublishError."""
    try:
        remove(names, output)
    except OSError as error:
        left = "the new sitemaps are published, but this old one remains"
        problem = f"{error.filename}: {error.strerror}; {left}"
        raise PublishError(problem, "delete it") from error


def check_unchanged(files: Iterable[tuple[str, bytes] | None]) -> None:
    """Raises PublishError if a file, given by path and text, was edited since it was read."""
    for path, text in filter(None, files):
        if (regular(path) or b"") != text:
            raise PublishError(
                f"{path}: changed during the run, so nothing was published", "run again"
            )


def _rename_all(steps: list[Step]) -> None:
    """Takes all steps. If one fails, undoes those before it, and raises its error.

    Raises PublishError instead if some of those before it cannot be undone.
    """
    for number, step in enumerate(steps):
        try:
            step.take()
        except BaseException as error:
            # A failed step has rarely changed anything. If it has, undoing it may fail too.
            _take_back([step])
            not_restored = _take_back(steps[:number])
            if not_restored and isinstance(error, OSError):
                names = ", ".join(map(os.path.basename, not_restored))
                result = f"could not restore {names}, so these files are new"
                problem = f"{step.target}: {error.strerror}; {result}"
                raise PublishError(problem, f"{write_advice(error)}, then run again") from error
            raise


def _take_back(steps: Sequence[Step]) -> list[str]:
    """Undoes steps, the last first. Returns the targets that could not be restored."""
    not_restored = []
    for step in reversed(steps):
        try:
            if os.path.lexists(step.old):
                os.replace(step.old, step.target)
            elif not os.path.lexists(step.new):
                # It was renamed, and there was no file before.
                discard(step.target)
        except OSError:
            not_restored.append(step.target)
    return not_restored


def _discard_temporaries(steps: Iterable[Step]) -> None:
    """Removes the temporary files of all steps, those with the old contents too."""
    for step in steps:
        discard(step.new)
        discard(step.old)


def remove(paths: Iterable[str], output: str) -> None:
    """Deletes files of the output."""
    for path in paths:
        os.unlink(os.path.join(output, path))


def _sync_folder(output: str) -> None:
    """Flushes the renames. If folders cannot be flushed (Windows), the system does it."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(output, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        problem = f"{output}: {error.strerror}; the files are published, but not flushed"
        advice = "check the disk, because a power cut may undo what was published"
        raise PublishError(problem, advice) from error
    finally:
        os.close(descriptor)


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
    real_paths = {os.path.realpath(path) for path in paths}
    lockable = {path for path in real_paths if _can_be_locked(path)}
    folders_of_others = {os.path.dirname(path) for path in real_paths - lockable}
    return sorted(lockable | folders_of_others)


def _can_be_locked(path: str) -> bool:
    is_there = os.path.isfile(path) or os.path.isdir(path)
    return is_there and os.access(path, os.R_OK)


class _Locks(NamedTuple):
    """The descriptors by path, what the file system refused to lock, and what another run holds."""

    held: dict[str, int]
    refused: list[str]
    busy: str | None


def _lock_all(places: Iterable[str], stack: ExitStack) -> _Locks:
    """Locks the places in order, up to the first that another run holds."""
    held: dict[str, int] = {}
    refused: list[str] = []
    for place in places:
        try:
            held[place] = _lock(place, stack, refused.append)
        except _HELD:
            return _Locks(held, refused, place)
    return _Locks(held, refused, None)


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


def _are_in_place(locks: _Locks) -> bool:
    """Whether all locked files and folders are still at their paths."""
    return all(_is_at(descriptor, path) for path, descriptor in locks.held.items())


def _is_at(descriptor: int, path: str) -> bool:
    """Whether a locked file or folder is still at its path."""
    if os.name == "nt":
        return True
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
