"""The only module that writes the output: first all temporary files, then all renames at once.

At any moment, every sitemap that the live index names exists and is complete. One run publishes at
a time. The locks are on the folder and the ledger themselves, so there are no lock files.
"""

import errno
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from ..config import filenames
from ..errors import WRITE_ADVICE, PublishError
from ..fs import regular
from ..model import Change, FileChange
from ..posix_signals import deferred_signals
from ..replace import Step, discard, make_step, sweep, write_temporary
from ..site import Output
from .shards import OutputFile, Spool

_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)


@contextmanager
def os_errors_as_publish_error(output: Output) -> Iterator[None]:
    """Raises system errors as PublishError with a message for the user.

    The message names the file or, if the system named only the folder, the main sitemap.
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
    changes: Sequence[FileChange],
    files: Sequence[OutputFile],
    spool: Spool,
    output: str,
    *,
    lists: Iterable[tuple[str, Iterable[bytes]]],
    before: Callable[[], object],
) -> None:
    """Publishes files: writes all as temporary files, renames these, then removes old sitemaps.

    `changes` say what happens to each of `files`, and to old files. The user's `lists` of URLs
    (paths and bytes) are renamed first: a killed run may list a change that was not published, but
    never publishes one that is not listed. `before` is called when all temporary files are
    complete. If it raises, nothing has changed.
    """
    # `changes` begins with those of the files, in the same order. Those of old files follow.
    replaced = [
        file
        for file, change in zip(files, changes, strict=False)
        if change.change in (Change.CREATED, Change.UPDATED)
    ]
    removed_names = [change.name for change in changes if change.change is Change.REMOVED]
    # Only the main sitemap shows that a text sitemap is ours. So text is removed before the main
    # sitemap is replaced: a killed run must not leave text that no later run knows as ours.
    # XML sitemaps are removed last, when no index names them any more.
    removed_texts = [name for name in removed_names if _is_text(name)]
    removed_sitemaps = [name for name in removed_names if not _is_text(name)]
    # The steps in the order of the renames: lists, removed text, new files.
    list_steps = [make_step(os.path.realpath(path), blocks) for path, blocks in lists]
    steps = [*list_steps]
    for name in removed_texts:
        steps.append(make_step(os.path.join(output, name), None))
    for file in replaced:
        target = os.path.join(output, file.name)
        steps.append(make_step(target, file.blocks(spool), gzip=file.gzip))
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
    """Whether a removed file is a text sitemap by its name: `a.txt` or `a.txt.gz`."""
    return name.removesuffix(".gz").endswith(".txt")


def _prepare(steps: Iterable[Step], list_steps: Iterable[Step]) -> None:
    """Writes the temporary files of all steps, and gives the old files a second name.

    Nothing is published yet. Also removes temporary files that killed runs left beside the user's
    lists. Those in the output were removed when it was locked.
    """
    for step in steps:
        if step.blocks is not None:
            write_temporary(step)
    for step in list_steps:
        sweep(step)
    for step in steps:
        step.keep_old()


def _remove_old_sitemaps(names: Iterable[str], output: str) -> None:
    """Deletes the sitemaps that the new index does not name any more.

    Raises PublishError if one cannot be deleted. The new sitemaps are published then.
    """
    try:
        remove(names, output)
    except OSError as error:
        left = "the new sitemaps are published, but this old one remains"
        problem = f"{error.filename}: {error.strerror}; {left}"
        raise PublishError(problem, "delete it") from error


def check_unchanged(files: Iterable[tuple[str, bytes] | None]) -> None:
    """Raises PublishError if a file was edited since it was read, so that no edit is lost.

    Each file is given by its path and the text that was read. None stands for no file.
    """
    for path, text in filter(None, files):
        if (regular(path) or b"") != text:
            raise PublishError(
                f"{path}: changed during the run, so nothing was published", "run again"
            )


def _rename_all(steps: list[Step]) -> None:
    """Makes the changes of all steps, or none: if one fails, undoes those before it.

    Raises the error of the step that failed, or PublishError if some steps cannot be undone.
    """
    for number, step in enumerate(steps):
        try:
            step.take()
        except BaseException as error:
            # A failed step has rarely changed anything. If undoing it fails too, its own error
            # says what is wrong.
            _undo([step])
            not_restored = _undo(steps[:number])
            if not_restored and isinstance(error, OSError):
                names = ", ".join(map(os.path.basename, not_restored))
                result = f"could not restore {names}, so these files are new"
                problem = f"{step.target}: {error.strerror}; {result}"
                raise PublishError(problem, f"{WRITE_ADVICE}, then run again") from error
            raise


def _undo(steps: Sequence[Step]) -> list[str]:
    """Undoes steps, the last first. Returns the targets that could not be restored.

    A replaced or removed file comes back from its second name. A file that was not there before is
    deleted.
    """
    not_restored = []
    for step in reversed(steps):
        try:
            if os.path.lexists(step.old):
                os.replace(step.old, step.target)
            elif not os.path.lexists(step.new):
                # The temporary file was renamed to the target, where there was no file before.
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
    """Deletes files, given by absolute paths or by names in the output's folder."""
    for path in paths:
        os.unlink(os.path.join(output, path))


def _sync_folder(output: str) -> None:
    """Flushes the renames in a folder to the disk, so that a power cut does not undo them.

    Windows cannot flush a folder, and does it itself. Raises PublishError if it fails.
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
