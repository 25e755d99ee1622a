"""Replaces a file by another one: complete, or not at all.

The new contents are written to a temporary file beside it, flushed, and renamed.
"""

import gzip
import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO, NamedTuple

from .config import filenames
from .posix_signals import deferred_signals

# Seconds between tries to replace a file that somebody is reading.
_PATIENCE = (0.05, 0.1, 0.2, 0.4) if os.name == "nt" else ()
_IN_USE = 3600  # seconds in which a temporary file of another run may still be written


class Step(NamedTuple):
    """A file to replace with blocks of bytes, or to remove if `blocks` is None.

    `new` and `old` are its temporary files: what will be there, and what was.
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


def make_step(target: str, blocks: Iterable[bytes] | None, *, gzip: bool = False) -> Step:
    """A step with temporary files beside the target."""
    folder, name = os.path.split(target)
    # Makes temporary names unique, because in containers each run may be process 1.
    number = int.from_bytes(os.urandom(6), "big")
    new = os.path.join(folder, filenames.temporary_name(name, number, "new"))
    old = os.path.join(folder, filenames.temporary_name(name, number, "old"))
    return Step(target, new, old, blocks, gzip)


def write_temporary(step: Step) -> None:
    """Writes the new contents of a step to its temporary file, and flushes them."""
    with _new_file(step) as raw:
        # The gzip header has no name and no time, so that the bytes depend only on the contents.
        blocks = step.blocks or ()
        if step.gzip:
            with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                packed.writelines(blocks)
        else:
            raw.writelines(blocks)


@contextmanager
def _new_file(step: Step, mode: int | None = None) -> Iterator[IO[bytes]]:
    """Opens the temporary file of a step, and flushes it to the disk at the end.

    It has the given mode or, by default, that of the file at the target.
    """
    mode_before_umask = 0o666 if mode is None else mode
    opener = partial(os.open, mode=mode_before_umask)
    with open(step.new, "xb", opener=opener) as raw:
        if mode is None and os.path.exists(step.target):
            os.chmod(step.new, os.stat(step.target).st_mode & 0o777)
        yield raw
        raw.flush()
        os.fsync(raw.fileno())


def sweep(step: Step) -> None:
    """Removes the temporary files of the step's target that killed runs left.

    Those of the last hour may be in use, and stay.
    """
    folder, name = os.path.split(step.target)
    latest = os.stat(step.new).st_mtime - _IN_USE
    for other in os.listdir(folder):
        if not filenames.is_temporary(other, None, [name]):
            continue
        path = os.path.join(folder, other)
        with suppress(OSError):
            status = os.lstat(path)
            if stat.S_ISREG(status.st_mode) and status.st_mtime < latest:
                os.unlink(path)


def discard(path: str) -> None:
    """Removes a temporary file, if it is there. If that fails, the next run removes it."""
    # Three times, because memory may be short for a moment.
    for _ in range(3):
        with suppress(OSError):
            os.unlink(path)
        if not os.path.lexists(path):
            return


@contextmanager
def replacing(path: str, mode: int | None = None) -> Iterator[IO[bytes]]:
    """A file that replaces another one when the block ends without an error. Raises OSError.

    It keeps the mode of the other file, unless `mode` is given.
    """
    step = make_step(os.path.realpath(path), ())
    try:
        with _new_file(step, mode) as file:
            yield file
        sweep(step)
        step.take()
    finally:
        with deferred_signals():
            discard(step.new)


def create(path: str, text: str) -> None:
    """Writes a new file, complete or not at all. Raises FileExistsError if it exists, OSError."""
    step = make_step(path, [text.encode()])
    try:
        write_temporary(step)
        try:
            os.link(step.new, path)  # unlike a rename, this replaces nothing
        except OSError:
            if os.path.lexists(path):
                raise FileExistsError(path) from None
            os.rename(step.new, path)  # the file system has no links
    finally:
        discard(step.new)
