"""The only module that writes the output: all temporaries first, then all renames at once.

At every instant each sitemap that the live index names exists and is whole.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import signal
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

from ..config import filenames
from ..errors import PublishError
from ..fs import regular
from ..model import Change, FileChange
from .shards import OutputFile
from .spool import Spool

GZIP_LEVEL = 6
_PATIENCE = (0.05, 0.1, 0.2, 0.4) if os.name == "nt" else ()  # seconds between tries to replace a file


@contextmanager
def os_errors_as_publish_error(output: str) -> Iterator[None]:
    """Turns what the system refuses into a message for a person."""
    try:
        yield
    except OSError as error:
        where = filenames.final_path(error.filename) if isinstance(error.filename, str) else output
        raise PublishError(
            f"{where}: {error.strerror or error}; what was published before is still whole",
            "free disk space or fix the permissions, then run again",
        ) from error


def write(
    changes: Sequence[FileChange], files: Sequence[OutputFile], spool: Spool, output: str, *, threads: int
) -> None:
    """Makes the changes true: every temporary complete and flushed, then renames, then removals.

    `threads` compress at the same time.
    """
    new = (Change.CREATED, Change.UPDATED)
    replaced = [file for file, change in zip(files, changes, strict=False) if change.change in new]
    removed = [c.name for c in changes if c.change is Change.REMOVED]
    replacements = [_replacement(os.path.join(output, file.name)) for file in replaced]
    try:
        _write_all(replacements, replaced, spool, threads)
        for replacement in replacements:
            replacement.keep_old()
        check_unchanged(file.read_from for file in replaced)
        # A text sitemap is ours as long as the main sitemap names it, so it goes before that is replaced.
        texts = [name for name in removed if name.removesuffix(".gz").endswith(".txt")]
        with defer_signals():
            _remove_stale(texts, output)
            _rename_all(replacements)
            _discard_temporaries(replacements)
            _remove_stale((name for name in removed if name not in texts), output)
            folders = {os.path.dirname(replacement.target) for replacement in replacements}
            for folder in sorted(folders | ({output} if removed else set())):
                _sync_folder(folder)
    finally:
        with defer_signals():
            _discard_temporaries(replacements)


def check_unchanged(files: Iterable[tuple[str, bytes] | None]) -> None:
    """Raises PublishError if somebody has edited a file, a path with its text, since it was read."""
    for path, text in filter(None, files):
        if (regular(path) or b"") != text:
            raise PublishError(f"{path}: changed during the run, so nothing was published", "run again")


@contextmanager
def defer_signals() -> Iterator[None]:
    """Signals to end wait until the block is left, so that nothing is left half done."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Replacement(NamedTuple):
    """One file to replace: the new one, the old one kept under another name, the target.

    A number of its own makes the names unique: in containers each run may be process 1.
    """

    target: str
    number: int

    @property
    def new(self) -> str:
        return self._beside("new")

    @property
    def old(self) -> str:
        return self._beside("old")

    def _beside(self, kind: str) -> str:
        folder, name = os.path.split(self.target)
        return os.path.join(folder, filenames.temporary(name, self.number, kind))

    def keep_old(self) -> None:
        """A second name for the old file; a file system without links cannot roll back."""
        if os.path.exists(self.target):
            with contextlib.suppress(OSError):
                os.link(self.target, self.old)

    def rollback(self) -> None:
        """The target as it was before."""
        if os.path.lexists(self.old):
            os.replace(self.old, self.target)


def _replacement(target: str) -> _Replacement:
    return _Replacement(target, int.from_bytes(os.urandom(6), "big"))


def _sweep(replacement: _Replacement) -> None:
    """Removes what killed runs left beside the target; a temporary of the last hour may be in use."""
    folder, name = os.path.split(replacement.target)
    latest = os.stat(replacement.new).st_mtime - 3600
    for other in os.listdir(folder):
        path = os.path.join(folder, other)
        with contextlib.suppress(OSError):
            status = os.lstat(path) if filenames.is_temporary(other, None, [name]) else None
            if status and stat.S_ISREG(status.st_mode) and status.st_mtime < latest:
                os.unlink(path)


def _rename_all(replacements: list[_Replacement]) -> None:
    """All renames, or, where one is refused, none."""
    for n, replacement in enumerate(replacements):
        try:
            _replace(replacement.new, replacement.target)
        except BaseException:
            for earlier in reversed(replacements[: n + 1]):
                earlier.rollback()
            raise


def _replace(new: str, target: str) -> None:
    """On Windows a file that somebody reads at this moment cannot be replaced."""
    for seconds in _PATIENCE:
        try:
            return os.replace(new, target)
        except PermissionError:
            time.sleep(seconds)
    return os.replace(new, target)


def _discard(path: str) -> None:
    # Memory may be short for a moment. What stays is left to the next run, and hides no other error.
    for _ in range(3):
        with contextlib.suppress(OSError):
            os.unlink(path)
        if not os.path.lexists(path):
            return


def _discard_temporaries(replacements: Iterable[_Replacement]) -> None:
    for replacement in replacements:
        _discard(replacement.new)
        _discard(replacement.old)


def create(path: str, text: str) -> None:
    """Writes a new file: whole, or not at all. Raises FileExistsError if there is one, OSError."""
    replacement = _replacement(path)
    try:
        with open(replacement.new, "x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(replacement.new, path)  # replaces nothing, unlike a rename
        except OSError:
            if os.path.lexists(path):
                raise FileExistsError(path) from None
            os.rename(replacement.new, path)  # the file system has no links
    finally:
        _discard(replacement.new)


def replace(path: str, text: str) -> None:
    """Writes a file that a flag names, whole or not at all. Raises OSError."""
    if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    replacement = _replacement(os.path.realpath(path))
    try:
        with open(replacement.new, "x", encoding="utf-8") as file:
            file.write(text)
        _sweep(replacement)
        _replace(replacement.new, replacement.target)
    finally:
        _discard(replacement.new)


def remove(paths: Iterable[str], output: str) -> None:
    """Deletes files of the output."""
    for path in paths:
        os.unlink(os.path.join(output, path))


def _remove_stale(paths: Iterable[str], output: str) -> None:
    try:
        remove(paths, output)
    except OSError as error:
        raise PublishError(
            f"{error.filename}: {error.strerror}; the new sitemaps are published, and this old one is left",
            "delete it",
        ) from error


def _write_all(replacements: list[_Replacement], files: list[OutputFile], spool: Spool, threads: int) -> None:
    """All temporaries. Compression releases the lock of the interpreter, so it runs in threads."""
    if not any(file.gzip for file in files):
        for replacement, file in zip(replacements, files, strict=True):
            _write_temporary(replacement.new, replacement.target, file, spool)
        return
    # Imported here: it costs start-up, and few runs compress.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as executor:
        futures = [
            executor.submit(_write_temporary, replacement.new, replacement.target, file, spool)
            for replacement, file in zip(replacements, files, strict=True)
        ]
    for future in futures:
        future.result()


def _write_temporary(temporary: str, target: str, file: OutputFile, spool: Spool) -> None:
    with open(temporary, "xb") as raw:
        if os.path.exists(target):
            os.chmod(temporary, os.stat(target).st_mode & 0o777)
        blocks = spool.blocks(file.shard) if file.shard else ()
        # No name and no time in the header of gzip: the bytes depend on the contents alone.
        stream = gzip.GzipFile("", "wb", GZIP_LEVEL, raw, mtime=0) if file.gzip else nullcontext(raw)
        with stream as writer:
            for block in (file.head, *blocks, file.tail):
                writer.write(block)
        raw.flush()
        os.fsync(raw.fileno())


def _sync_folder(output: str) -> None:
    """Makes the renames last; where folders cannot be flushed (Windows), the system does it."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(output, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
