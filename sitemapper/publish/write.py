"""The only module that writes the output: first all temporary files, then all renames at once.

At any moment, every sitemap that the live index names is there and whole. Nothing is undone: each
prefix of the renames is a valid state, and the next run completes it.
"""

import gzip
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..files import read_regular, shown_path
from ..messages import SitemapperError
from ..model import File, Plan, Run
from ..read.sitemap import SitemapFault, unpack
from .robots import read_robots, with_sitemap

_TRIES = 200  # to get the lock, while another run has it
_PAUSE = 0.05  # seconds between two tries
_ENDING = ".sitemapper.tmp"


@contextmanager
def lock(output: str, run: Run) -> Iterator[None]:
    """Keeps other runs out of the output folder during the block, and makes the folder.

    A dry run writes nothing, so it needs no lock. Waits for another run. Raises SitemapperError if
    that one does not end within ten seconds, and if the folder cannot be made.
    """
    if run.is_dry:
        yield
        return
    try:
        os.makedirs(output, exist_ok=True)
        descriptor = _take_lock(output)
    except OSError as error:
        what = f"{output}: cannot be used as the output: {error.strerror}"
        raise SitemapperError(what, "choose another folder with --output") from None
    try:
        yield
    finally:
        if descriptor is not None:
            _give_lock_back(descriptor)


def _take_lock(output: str) -> int | None:
    """Waits until no other run has the folder's lock, and takes it.

    Returns the descriptor of the open folder, which has the lock. None on Windows, which can lock
    no folders.
    """
    if os.name == "nt":
        return None
    import fcntl  # Windows lacks it

    descriptor = os.open(output, os.O_RDONLY)
    for _ in range(_TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE)
        except OSError:  # some network file systems have no locks
            return descriptor
        else:
            return descriptor
    os.close(descriptor)
    what = f"{output}: another run of sitemapper uses it"
    raise SitemapperError(what, "wait for it or stop it, then run again")


def _give_lock_back(descriptor: int) -> None:
    """Unlocks and closes the folder that `_take_lock` has opened."""
    import fcntl

    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_UN)  # also for workers that have a copy of it
    os.close(descriptor)


def compare_file(folder: str, name: str, data: bytes, urls: int | None = None) -> File:
    """Compares the bytes for a file with those that are there: is it created, updated or kept?

    `data` is not compressed; it is packed here if the name ends with `.gz`. `urls` says how many a
    sitemap has.
    """
    path = os.path.join(folder, name)
    is_packed = name.endswith(".gz")

    # A packed file is unpacked first: another version of zlib packs the same text to other bytes.
    # One that cannot be read is replaced.
    with suppress(OSError, SitemapFault):
        old = read_regular(path)
        if old is not None and data == (unpack(old) if is_packed else old):
            return File(name, "kept", None, urls)

    if is_packed:
        # The same bytes on every machine: no time, and 255 ("unknown") for the operating system,
        # which is byte 9 of the header (RFC 1952).
        packed = gzip.compress(data, 6, mtime=0)
        data = packed[:9] + b"\xff" + packed[10:]
    return File(name, "updated" if os.path.lexists(path) else "created", data, urls)


def write(plan: Plan, run: Run) -> None:
    """Publishes the files of a plan, all in one burst at the end, in their order.

    Each file is first written beside its place, as `sitemap.xml.sitemapper.tmp`. So what can fail
    has been done before the first rename. Removes what killed runs left. Raises SitemapperError for
    a file that cannot be written.
    """
    output = plan.site.found.output
    # The temporary files, by the paths that they replace; "" for a file to remove.
    temporaries: dict[str, str] = {}
    result = "nothing was published"  # for the message, if writing fails
    path = output
    try:
        # 1. Write all temporary files.
        for file in plan.files:
            path = os.path.join(output, file.name)  # those of a list and the ledger are absolute
            if file.change == "removed":
                temporaries[path] = ""
            if file.data is None:  # it is kept or removed
                continue
            data = file.data
            # Somebody may have written robots.txt since the plan was made.
            if file.name == "robots.txt":
                data = with_sitemap(read_robots(plan.site), plan)
            temporaries[path] = path + _ENDING
            _write_temporary(path + _ENDING, path, data)

        # 2. Put them in their places.
        result = "what is published is complete, but not all of it is new"
        for path, temporary in temporaries.items():
            if temporary:
                os.replace(temporary, path)
            else:
                _discard(path)
    except OSError as error:
        name = shown_path(path, run.cwd)
        what = f"{name}: cannot be written: {error.strerror}; {result}"
        raise SitemapperError(what, "correct that, then run again") from None
    finally:
        # Remove what a failure has left, of this run or of a killed one.
        leftovers = [name for name in os.listdir(output) if name.endswith(_ENDING)]
        for temporary in (*filter(None, temporaries.values()), *leftovers):
            _discard(os.path.join(output, temporary))


def _write_temporary(temporary: str, path: str, data: bytes) -> None:
    """Writes a file to the disk under a temporary name, to be renamed to `path` later.

    It gets the permissions of the file that it replaces.
    """
    with open(temporary, "wb") as file:
        if os.path.exists(path):
            os.chmod(temporary, os.stat(path).st_mode & 0o777)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _discard(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
