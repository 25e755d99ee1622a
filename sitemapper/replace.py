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
from typing import IO, NamedTuple

from .config import filenames
from .posix_signals import deferred_signals

# Seconds between tries to replace a file that somebody is reading. Only Windows refuses that.
_RETRY_DELAYS = (0.05, 0.1, 0.2, 0.4) if os.name == "nt" else ()
_IN_USE_SECONDS = 3600  # in which a temporary file of another run may still be written


class Step(NamedTuple):
    """A file to replace with blocks of bytes, or to remove if `blocks` is None.

    `new` and `old` are temporary files beside the `target`, with the new and the old contents. The
    blocks are compressed if `gzip`.
    """

    target: str
    new: str
    old: str
    blocks: Iterable[bytes] | None
    gzip: bool

    def keep_old(self) -> None:
        """Gives the old file a second name, or copies it if the file system has no links.

        From there, it can be restored. Without an old file, does nothing.
        """
        if os.path.exists(self.target):
            try:
                os.link(self.target, self.old)
            except OSError:
                shutil.copy2(self.target, self.old)

    def replace_target(self) -> None:
        """Renames the new file to the target, or removes the target if there is no new one.

        Windows refuses that while somebody is reading the target, so there it is tried again, a few
        times. Raises OSError.
        """
        if self.blocks is None:
            os.unlink(self.target)
            return
        for seconds in _RETRY_DELAYS:  # none except on Windows
            try:
                os.replace(self.new, self.target)
                return
            except PermissionError:
                time.sleep(seconds)
        os.replace(self.new, self.target)


def make_step(target: str, blocks: Iterable[bytes] | None, *, gzip: bool = False) -> Step:
    """Makes the step that replaces a file by `blocks`, or removes it if `blocks` is None.

    Writes nothing yet, but chooses the names of two temporary files, for the new and for the old
    contents. They are in the folder of the target, because a rename is atomic only within one file
    system.
    """
    folder, name = os.path.split(target)
    # A process number would not make names unique: in containers, each run may be process 1.
    number = int.from_bytes(os.urandom(6), "big")
    new = os.path.join(folder, filenames.temporary_name(name, number, "new"))
    old = os.path.join(folder, filenames.temporary_name(name, number, "old"))
    return Step(target, new, old, blocks, gzip)


def write_temporary(step: Step) -> None:
    """Writes the new contents of a step to its temporary file. They are on the disk afterwards."""
    blocks = step.blocks or ()
    with _new_file(step) as raw:  # flushes the file to the disk when it closes it
        if step.gzip:
            # The gzip header has no name and no time, so that the bytes depend only on the blocks.
            packing = gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0)
            with packing as packed:
                packed.writelines(blocks)
        else:
            raw.writelines(blocks)


@contextmanager
def _new_file(step: Step) -> Iterator[IO[bytes]]:
    """Creates and opens the temporary file of a step, and flushes it to the disk at the end.

    Its permissions are those of the file at the target. If there is no file, it has the usual ones
    of a new file.
    """
    with open(step.new, "xb") as raw:
        if os.path.exists(step.target):
            os.chmod(step.new, os.stat(step.target).st_mode & 0o777)
        yield raw
        raw.flush()
        os.fsync(raw.fileno())


def sweep(step: Step) -> None:
    """Removes the temporary files that killed runs left for the target of a step.

    Those of the last hour stay, because another run may be writing them.
    """
    folder, name = os.path.split(step.target)
    # The file system's clock, which may differ from ours, wrote the time of the new file.
    latest = os.stat(step.new).st_mtime - _IN_USE_SECONDS
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
def replacing(path: str) -> Iterator[IO[bytes]]:
    """Opens a new file to write, which replaces the file at `path` when the `with` block ends.

    Until then, it is a temporary file beside that file. If the block ends with an error, the file
    at `path` stays as it is. The new file has the same permissions. Raises OSError.
    """
    # If `path` is a link, the file to which it leads is replaced. The caller writes the contents.
    step = make_step(os.path.realpath(path), blocks=())
    try:
        with _new_file(step) as file:
            yield file
        sweep(step)  # remove what killed runs left
        step.replace_target()
    finally:
        # After an error, the temporary file is still there. Ctrl-C must not keep it from removal.
        with deferred_signals():
            discard(step.new)


def create(path: str, text: str) -> None:
    """Writes a new file, complete or not at all.

    Raises FileExistsError if there is a file already, and OSError if it cannot be written.
    """
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
