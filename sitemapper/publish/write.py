"""The only module that writes the output: first all temporary files, then all renames at once.

At any moment, every sitemap that the live index names exists and is complete. One run at a time
publishes to an output and writes a ledger. The locks are on the folder and the ledger themselves,
so there are no lock files.
"""

import errno
import os
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from ..config import filenames
from ..errors import WRITE_ADVICE, PublishError
from ..fs import regular
from ..messages import Kind, Message
from ..posix_signals import deferred_signals
from ..replace import Step, discard, make_step, sweep, write_temporary
from ..site import Output, Run, Site
from .shards import OutputFile, Spool

# The errors of file systems without locks, such as some network file systems.
_ERRORS_WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
# What is raised if another run has a lock.
_LOCKED_BY_OTHER = (FileExistsError, PermissionError) if os.name == "nt" else (BlockingIOError,)
_LOCK_INTERVAL = 0.05  # seconds between tries to get all locks
# The errors of a folder that may not be written. Another folder may be.
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)


class Locks(NamedTuple):
    """The descriptors of the locks, and warnings about folders that cannot be locked."""

    descriptors: tuple[int, ...] = ()
    warnings: tuple[Message, ...] = ()


@contextmanager
def lock_output(site: Site, run: Run) -> Iterator[Locks]:
    """Locks the output and the ledger during the block, and yields the locks.

    Once it has the locks, it removes the temporary files that a killed run left in these folders.
    If the file system has no locks, the block runs all the same, with a warning. Raises
    PublishError if another run holds a lock, or if somebody has changed the configuration since it
    was read.
    """
    ledgers = [site.ledger] if site.ledger else []
    with locked(site.output.folder, ledgers) as locks:
        _check_unchanged(run.read_from)
        _remove_left_temporaries(site)
        yield locks


@contextmanager
def locked(directory: str, files: Iterable[str] = (), *, wait: float = 10.0) -> Iterator[Locks]:
    """Locks a folder and files during the block, once no other run has locked any of them.

    Waits for other runs, and raises PublishError if one keeps a lock for `wait` seconds. A missing
    folder is made. For a missing file, its folder is locked. If the file system has no locks, the
    block runs without locks, and the result has a warning.
    """
    os.makedirs(directory, exist_ok=True)
    paths = (directory, *files)
    deadline = time.monotonic() + wait
    while True:
        paths_to_lock = _find_paths_to_lock(paths)
        descriptors: dict[str, int] = {}
        warnings: list[Message] = []
        busy_path = ""  # that another run has locked
        # The stack releases the locks: after the caller's block, or before the next attempt.
        with ExitStack() as stack:
            for path in paths_to_lock:
                try:
                    descriptors[path] = _lock(path, stack, warnings)
                except _LOCKED_BY_OTHER:
                    busy_path = path
                    break
            # The run that had a lock before may have replaced the locked file by a new one, or made
            # a missing file. Then these locks are on the old paths or files. Another run could lock
            # the new ones, and both would write. So try again.
            are_same_paths = paths_to_lock == _find_paths_to_lock(paths)
            if not busy_path and are_same_paths and _are_in_place(descriptors):
                yield Locks(tuple(descriptors.values()), tuple(warnings))
                return
            if time.monotonic() >= deadline:
                raise PublishError(
                    f"{busy_path or directory}: another run of sitemapper uses it and did not end "
                    f"within {wait:g} seconds",
                    "wait for it or stop it, then run again",
                )
            time.sleep(_LOCK_INTERVAL)


def _find_paths_to_lock(paths: Iterable[str]) -> list[str]:
    """Finds the paths on which to hold the locks, without links, sorted.

    `public` and `data/ledger.tsv`, both there          → both
    `public` and `data/ledger.tsv`, which is missing    → `public` and the folder `data`
    a file that may not be read                         → its folder

    They are sorted, because two runs that lock the same paths in different orders would wait for
    each other.
    """
    paths_to_lock = set()
    for path in map(os.path.realpath, paths):
        is_there = os.path.isfile(path) or os.path.isdir(path)
        can_be_opened = is_there and os.access(path, os.R_OK)
        paths_to_lock.add(path if can_be_opened else os.path.dirname(path))
    return sorted(paths_to_lock)


def _lock(path: str, stack: ExitStack, warnings: list[Message]) -> int:
    """Locks a file or folder until the stack ends, and returns its descriptor.

    Does not wait: raises one of `_LOCKED_BY_OTHER` if another run has the lock. If the file system
    has no locks, adds a warning.
    """
    if os.name == "nt":
        # Windows locks no folders. So a file that must not exist yet is created as the lock, and
        # removed when it is closed.
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
        warnings.append(Message(Kind.UNLOCKED, (path,)))
    return descriptor


def _are_in_place(descriptors: Mapping[str, int]) -> bool:
    """Whether all locked files and folders are still at their paths, and were not replaced.

    `descriptors` are those of the locks: `{path: descriptor}`. If another run has renamed a new
    file to a locked path, the lock is on the old file, and protects nothing. The caller then tries
    again.
    """
    if os.name == "nt":  # there, the lock is a file of its own, which no run replaces
        return True
    try:
        return all(
            os.path.samestat(os.fstat(descriptor), os.stat(path))
            for path, descriptor in descriptors.items()
        )
    except FileNotFoundError:
        return False


def _remove_left_temporaries(site: Site) -> None:
    """Removes the temporary files that a killed run left, such as `.sitemap-1.xml.7.new.tmp`.

    In the output, removes those of sitemaps, robots.txt and the key file of IndexNow. In the folder
    of the ledger, removes only those of the ledger, because other runs may be writing sitemaps
    there.
    """
    output = site.output
    _remove_temporaries(output.folder, output.stem, ["robots.txt", f"{output.key}.txt"])
    if site.ledger:
        folder, name = os.path.split(site.ledger)
        _remove_temporaries(folder, stem=None, names=[name])


def _remove_temporaries(folder: str, stem: str | None, names: Collection[str]) -> None:
    """Removes temporary files from a folder: those made for sitemaps, and for files with `names`.

    With the stem `sitemap` and the name `robots.txt`, `.sitemap-1.xml.7.new.tmp` and
    `.robots.txt.7.new.tmp` are removed. If the stem is None, only the second one is.
    """
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        is_temporary = filenames.is_temporary(name, stem, names)
        if is_temporary and stat.S_ISREG(os.lstat(path).st_mode):
            os.unlink(path)


@contextmanager
def os_errors_as_publish_error(output: Output) -> Iterator[None]:
    """Turns each OSError of the block into a PublishError with a message for the user.

    The message names the file of the error. It names a published file, not its temporary file:
    `sitemap.xml` for `.sitemap.xml.7.new.tmp`. If the error has no file, or only the output folder,
    the message names the main sitemap.
    """
    try:
        yield
    except OSError as error:
        folder = output.folder
        file = output.path(output.name)
        if isinstance(error.filename, str) and error.filename != folder:
            file = filenames.final_path(error.filename)
        advice = WRITE_ADVICE
        if os.path.dirname(file) == folder and error.errno in _REFUSED:
            advice = f"{advice}, or choose another folder with --output"
        raise PublishError(
            f"{file}: {error.strerror or error}; the files published before are complete",
            f"{advice}, then run again",
        ) from error


def write(
    replaced: Sequence[OutputFile],
    removed: Sequence[str],
    spool: Spool,
    output: str,
    *,
    lists: Iterable[tuple[str, Iterable[bytes]]],
) -> None:
    """Publishes files. First writes all new contents to temporary files.

    If anything raises an error until then, nothing has changed. Then makes these
    changes quickly:

    1. Replaces the user's `lists` of changed URLs, given by their paths and bytes. They come first:
       if the run is killed, a list may have a change that was not published, but none is missing.
    2. Removes old text sitemaps. Only the old main sitemap shows that they are ours. If it were
       replaced first, a killed run could leave text sitemaps that no later run removes.
    3. Replaces files in the output by the new ones, `replaced`, in their order. The index comes
       after the sitemaps that it names.
    4. Removes old XML sitemaps, which no index names any more.

    If one of the changes 1 to 3 fails, all of them are undone. `removed` are the names of all old
    sitemaps to remove from the folder `output`.
    """
    removed_texts = [name for name in removed if _is_text(name)]
    removed_sitemaps = [name for name in removed if not _is_text(name)]
    # The changes 1 to 3 are steps, which can be undone.
    list_steps = [make_step(os.path.realpath(path), blocks) for path, blocks in lists]
    steps = [*list_steps]
    for name in removed_texts:
        steps.append(make_step(os.path.join(output, name), None))
    for file in replaced:
        target = os.path.join(output, file.name)
        steps.append(make_step(target, file.blocks(spool), gzip=file.gzip))
    folders = {os.path.dirname(step.target) for step in steps}
    if removed:
        folders.add(output)
    try:
        # Nothing is published yet.
        for step in steps:
            if step.blocks is not None:
                write_temporary(step)
        # Remove what killed runs left beside the lists. In the output, `lock_output` has done so.
        for step in list_steps:
            sweep(step)
        # Give each old file a second name, from which it can be restored.
        for step in steps:
            step.keep_old()
        _check_unchanged(file.read_from for file in replaced if file.read_from)
        # Ctrl-C has to wait until all changes are done.
        with deferred_signals():
            _rename_all(steps)  # the changes 1 to 3
            # Before the folders are flushed, so that a power cut does not bring these files back.
            _discard_temporaries(steps)
            _remove_old_sitemaps(removed_sitemaps, output)  # the change 4
            for folder in sorted(folders):
                _sync_folder(folder)
    finally:
        # After an error, the temporary files are still there. After a success, none is.
        with deferred_signals():
            _discard_temporaries(steps)


def _is_text(name: str) -> bool:
    """Whether the name of a sitemap is that of a text sitemap: `a.txt` or `a.txt.gz`."""
    return name.removesuffix(".gz").endswith(".txt")


def _remove_old_sitemaps(names: Iterable[str], output: str) -> None:
    """Deletes the sitemaps that the new index does not name any more.

    Raises PublishError if one cannot be deleted. The new sitemaps are published then.
    """
    try:
        for name in names:
            os.unlink(os.path.join(output, name))
    except OSError as error:
        left = "the new sitemaps are published, but this old one remains"
        problem = f"{error.filename}: {error.strerror}; {left}"
        raise PublishError(problem, f"delete {error.filename}") from error


def _check_unchanged(files: Iterable[tuple[str, bytes]]) -> None:
    """Raises PublishError if a file was edited since it was read, so that no edit is lost.

    Each file is given by its path and the text that was read.
    """
    for path, text in files:
        if (regular(path) or b"") != text:
            raise PublishError(
                f"{path}: changed during the run, so nothing was published", "run again"
            )


def _rename_all(steps: list[Step]) -> None:
    """Makes the changes of all steps, or none: if a step fails, undoes the steps before it.

    If the third of five steps fails, the files of the first two get their old contents back, and
    the error of the third step is raised. If an OSError was the reason, and some of the old
    contents cannot be restored, raises PublishError, which names these files.
    """
    for number, step in enumerate(steps):
        try:
            step.replace_target()
        except BaseException as error:
            # A failed step has usually changed nothing. But on NFS, a rename may report an error
            # although it was done (rename(2)), so undo the failed step, too. The message names its
            # file in any case.
            _undo([step])
            not_restored = _undo(steps[:number])
            # An error that is no OSError is a bug, or the user has stopped the run. It is raised as
            # it is, because the advice of PublishError would be wrong for it.
            if not_restored and isinstance(error, OSError):
                names = ", ".join(map(os.path.basename, not_restored))
                result = f"could not restore {names}, so these files are new"
                problem = f"{step.target}: {error.strerror}; {result}"
                raise PublishError(problem, f"{WRITE_ADVICE}, then run again") from error
            raise


def _undo(steps: Sequence[Step]) -> list[str]:
    """Undoes steps, the last first. Returns the targets that could not be restored.

    Each step has a file to replace, `target`, and two temporary files. `old` is a second name of
    the file that was there before, if there was one. `new` has the new contents until it is renamed
    to `target`.

    - If `old` is there, it is renamed back to `target`.
    - If neither is there, a new file was renamed to `target`, so `target` is deleted.
    - If only `new` is there, it was not renamed, so nothing has to be undone.
    """
    not_restored = []
    for step in reversed(steps):
        has_old = os.path.lexists(step.old)
        was_renamed = not os.path.lexists(step.new)
        try:
            if has_old:
                os.replace(step.old, step.target)
            elif was_renamed:
                discard(step.target)
        except OSError:
            not_restored.append(step.target)
    return not_restored


def _discard_temporaries(steps: Iterable[Step]) -> None:
    """Removes the temporary files of all steps, with the new and with the old contents."""
    for step in steps:
        discard(step.new)
        discard(step.old)


def _sync_folder(output: str) -> None:
    """Flushes the renames in a folder to the disk, so that a power cut does not undo them.

    Does nothing on Windows, where a program cannot flush a folder. Raises PublishError if the disk
    reports an error.
    """
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
