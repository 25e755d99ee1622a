"""The only module that writes the output: first all temporary files, then all renames at once.

At any moment, every sitemap that the live index names exists and is complete. One run publishes at
a time. The locks are on the folder and the ledger themselves, so there are no lock files.
"""

import errno
import gzip
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from typing import IO, NamedTuple

from ..config import filenames
from ..errors import PublishError, write_advice
from ..fs import regular
from ..model import Change, FileChange
from ..posix_signals import deferred_signals
from .shards import OutputFile, Spool

_PATIENCE = (
    (0.05, 0.1, 0.2, 0.4) if os.name == "nt" else ()
)  # seconds between tries to replace a file
_NO_LOCKS = (
    errno.ENOLCK,
    errno.ENOSYS,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
)  # of some network file systems
_HELD = (FileExistsError, PermissionError) if os.name == "nt" else (BlockingIOError,)


@contextmanager
def os_errors_as_publish_error(output: str) -> Iterator[None]:
    """Raises system errors as PublishError with a message for the user."""
    try:
        yield
    except OSError as error:
        where = filenames.final_path(error.filename) if isinstance(error.filename, str) else output
        raise PublishError(
            f"{where}: {error.strerror or error}; the files published before are complete",
            f"{write_advice(error)}, then run again",
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
    new = (Change.CREATED, Change.UPDATED)
    replaced = [file for file, change in zip(files, changes, strict=False) if change.change in new]
    removed = [c.name for c in changes if c.change is Change.REMOVED]
    # A text sitemap is ours while the main sitemap names it, so it is removed before that is
    # replaced.
    texts = [name for name in removed if name.removesuffix(".gz").endswith(".txt")]
    of_user = [_step(os.path.realpath(path), blocks) for path, blocks in lists]
    steps = [
        *of_user,
        *(_step(os.path.join(output, name), None) for name in texts),
        *(_step(os.path.join(output, f.name), f.blocks(spool), gzip=f.gzip) for f in replaced),
    ]
    try:
        for step in steps:
            if step.blocks is not None:
                _write_temporary(step)
        for step in of_user:
            _sweep(step)
        for step in steps:
            step.keep_old()
        check_unchanged(file.read_from for file in replaced)
        before()
        with deferred_signals():
            _rename_all(steps)
            _discard_temporaries(steps)
            try:
                remove((name for name in removed if name not in texts), output)
            except OSError as error:
                left = "the new sitemaps are published, but this old one remains"
                raise PublishError(
                    f"{error.filename}: {error.strerror}; {left}", "delete it"
                ) from error
            folders = {os.path.dirname(step.target) for step in steps}
            for folder in sorted(folders | ({output} if removed else set())):
                _sync_folder(folder)
    finally:
        with deferred_signals():
            _discard_temporaries(steps)


def check_unchanged(files: Iterable[tuple[str, bytes] | None]) -> None:
    """Raises PublishError if a file, given by path and text, was edited since it was read."""
    for path, text in filter(None, files):
        if (regular(path) or b"") != text:
            raise PublishError(
                f"{path}: changed during the run, so nothing was published", "run again"
            )


class _Step(NamedTuple):
    """A file to replace with blocks of bytes, or to remove if there are none, and its temporary
    files.
    """

    target: str
    new: str
    old: str
    blocks: Iterable[bytes] | None
    gzip: bool

    def keep_old(self) -> None:
        """A second name for the old file, or a copy if the file system has no links."""
        if os.path.exists(self.target):
            try:
                os.link(self.target, self.old)
            except OSError:
                shutil.copy2(self.target, self.old)

    def take(self) -> None:
        """Makes the change. On Windows, a file that somebody is reading cannot be replaced."""
        if self.blocks is None:
            return os.unlink(self.target)
        for seconds in _PATIENCE:
            try:
                return os.replace(self.new, self.target)
            except PermissionError:
                time.sleep(seconds)
        return os.replace(self.new, self.target)


def _step(target: str, blocks: Iterable[bytes] | None, *, gzip: bool = False) -> _Step:
    folder, name = os.path.split(target)
    # Makes temporary names unique, because in containers each run may be process 1.
    number = int.from_bytes(os.urandom(6), "big")
    new = os.path.join(folder, filenames.temporary(name, number, "new"))
    old = os.path.join(folder, filenames.temporary(name, number, "old"))
    return _Step(target, new, old, blocks, gzip)


def _sweep(step: _Step) -> None:
    """Removes files that killed runs left.

    A temporary file of the last hour may be in use, and stays.
    """
    folder, name = os.path.split(step.target)
    latest = os.stat(step.new).st_mtime - 3600
    for other in os.listdir(folder):
        path = os.path.join(folder, other)
        with suppress(OSError):
            status = os.lstat(path) if filenames.is_temporary(other, None, [name]) else None
            if status and stat.S_ISREG(status.st_mode) and status.st_mtime < latest:
                os.unlink(path)


def _rename_all(steps: list[_Step]) -> None:
    """Takes all steps, or none if one fails. Raises PublishError if one cannot be undone."""
    for n, step in enumerate(steps):
        try:
            step.take()
        except BaseException as error:
            # A failed step has rarely changed anything. If it has, undoing it may fail too.
            _take_back([step])
            left = ", ".join(map(os.path.basename, _take_back(steps[:n])))
            if left and isinstance(error, OSError):
                raise PublishError(
                    (
                        f"{step.target}: {error.strerror}; could not restore {left}, so these "
                        "files are new"
                    ),
                    f"{write_advice(error)}, then run again",
                ) from error
            raise


def _take_back(steps: Sequence[_Step]) -> list[str]:
    """Undoes steps, the last first. Returns the targets that could not be restored."""
    left = []
    for step in reversed(steps):
        try:
            if os.path.lexists(step.old):
                os.replace(step.old, step.target)
            elif not os.path.lexists(step.new):  # it was renamed, and there was none before
                _discard(step.target)
        except OSError:
            left.append(step.target)
    return left


def _discard(path: str) -> None:
    # Memory may be short for a moment. The next run removes the rest. No other error is hidden.
    for _ in range(3):
        with suppress(OSError):
            os.unlink(path)
        if not os.path.lexists(path):
            return


def _discard_temporaries(steps: Iterable[_Step]) -> None:
    for step in steps:
        _discard(step.new)
        _discard(step.old)


def create(path: str, text: str) -> None:
    """Writes a new file, complete or not at all. Raises FileExistsError if it exists, OSError."""
    step = _step(path, [text.encode()])
    try:
        _write_temporary(step)
        try:
            os.link(step.new, path)  # unlike a rename, this replaces nothing
        except OSError:
            if os.path.lexists(path):
                raise FileExistsError(path) from None
            os.rename(step.new, path)  # the file system has no links
    finally:
        _discard(step.new)


@contextmanager
def replacing(path: str, mode: int | None = None) -> Iterator[IO[bytes]]:
    """A file that replaces another one when the block ends without an error. Raises OSError.

    It keeps the mode of the other file, unless `mode` is given.
    """
    step = _step(os.path.realpath(path), ())
    try:
        with _new_file(step, mode) as file:
            yield file
        _sweep(step)
        step.take()
    finally:
        with deferred_signals():
            _discard(step.new)


def remove(paths: Iterable[str], output: str) -> None:
    """Deletes files of the output."""
    for path in paths:
        os.unlink(os.path.join(output, path))


def _write_temporary(step: _Step) -> None:
    with _new_file(step) as raw:
        # The gzip header has no name and no time, so that the bytes depend only on the contents.
        stream = gzip.GzipFile("", "wb", 6, raw, mtime=0) if step.gzip else nullcontext(raw)
        with stream as writer:
            writer.writelines(step.blocks or ())


@contextmanager
def _new_file(step: _Step, mode: int | None = None) -> Iterator[IO[bytes]]:
    """The temporary file beside the target, with its mode if none is given, flushed at the end."""
    opener = partial(os.open, mode=0o666 if mode is None else mode)
    with open(step.new, "xb", opener=opener) as raw:
        if mode is None and os.path.exists(step.target):
            os.chmod(step.new, os.stat(step.target).st_mode & 0o777)
        yield raw
        raw.flush()
        os.fsync(raw.fileno())


def _sync_folder(output: str) -> None:
    """Flushes the renames. If folders cannot be flushed (Windows), the system does it."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(output, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        what = f"{output}: {error.strerror}; the files are published, but not flushed"
        raise PublishError(
            what, "check the disk, because a power cut may undo what was published"
        ) from error
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
    """Holds the locks of a folder, which is made if it is missing, and of files; gives their
    descriptors.

    A missing file is locked by its folder. Where the file system has no locks, it goes on without,
    and calls `on_refused` with the path. Raises PublishError if another run keeps a lock for `wait`
    seconds.
    """
    os.makedirs(directory, exist_ok=True)
    paths = (directory, *files)
    deadline = time.monotonic() + wait
    while True:
        places = _places(paths)
        held: dict[str, int] = {}
        refused: list[str] = []
        with ExitStack() as stack:
            with suppress(*_HELD):
                for place in places:
                    held[place] = _lock(place, stack, refused.append)
            # The other run may have put a new file there.
            is_same = places == _places(paths) and all(map(_is_at, held.values(), held))
            if len(held) == len(places) and is_same:
                for place in refused:
                    on_refused(place)
                yield tuple(held.values())
                return
            if time.monotonic() >= deadline:
                busy = next((place for place in places if place not in held), directory)
                late = f"did not end within {wait:g} seconds"
                problem = f"{busy}: another run of sitemapper uses it and {late}"
                raise PublishError(problem, "wait for it or stop it, then run again")
            time.sleep(0.05)


def _places(paths: Iterable[str]) -> list[str]:
    """The files and folders to lock, in the same order for all runs."""
    real = {os.path.realpath(path) for path in paths}
    usable = {p for p in real if (os.path.isfile(p) or os.path.isdir(p)) and os.access(p, os.R_OK)}
    return sorted(usable | {os.path.dirname(path) for path in real - usable})


def _lock(path: str, stack: ExitStack, on_refused: Callable[[str], object]) -> int:
    """The descriptor of a lock. Raises one of `_HELD` if another run has it."""
    if (
        os.name == "nt"
    ):  # it locks no folders, so this creates an exclusive file, and removes it at the end
        name = os.path.join(path, ".sitemapper.lock") if os.path.isdir(path) else f"{path}.lock"
        descriptor = os.open(
            name, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_TEMPORARY", 0)
        )
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
