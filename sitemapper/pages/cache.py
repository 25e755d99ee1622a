"""What pages said in the last run, on this machine: what did not change is not read again.

One file a site, in walk order, one block a batch: a length, a check sum and the batch's records. It is
read in step with the walk, written beside it and renamed at the end, so runs that share it disturb
nobody. Whatever is foreign, damaged or of another version is no record.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from importlib.util import find_spec
from typing import IO, Any, NamedTuple

from sitemapper import __version__
from sitemapper.model import NOTHING, Head, Page, Seen
from sitemapper.site.walk import path_key

_MAX_BLOCK = 1 << 28  # bytes
_KEPT_DAYS = 90
_OURS = re.compile(r"[0-9a-f]{24}\.(?:pages|run)|sitemapper-(?P<host>[0-9a-f]{8})-(?P<process>\d{1,9})-\w+")


class Place(NamedTuple):
    """Where the files of one site lie; `label` tells runs on it apart that may not share a record."""

    folder: str
    site: str

    def file(self, kind: str, label: str = "") -> str:
        """The file of one kind: `pages`, or `run` for each label."""
        name = blake2b(f"{self.site}\0{label}".encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
        return os.path.join(self.folder, f"{name}.{kind}")


def is_racy(mtime: int, now: int) -> bool:
    """Whether a file may have been written to again without a new mtime (as git has it); both in ns.

    The time of a write is as coarse as the kernel's tick, or two seconds on simple file systems.
    """
    return mtime >= now - (2_000_000_000 if mtime % 1_000_000_000 == 0 else 100_000_000)


class PageCache:
    """Records of the last run for one site, read and written in step with the walk."""

    def __init__(self, place: Place, stamp: bytes, now: int) -> None:
        """`stamp` names what the records depend on besides the page: our code, what is asked of pages."""
        self.problem: str | None = None
        self._path = place.file("pages")
        self._header = blake2b(stamp, digest_size=16).digest()
        self._now = now
        self._blocks = _blocks(self._path, self._header)
        self._last = b""
        self._known: dict[str, tuple[Any, ...]] = {}
        self._new: IO[bytes] | None = None

    def __enter__(self) -> PageCache:
        folder = os.path.dirname(self._path)
        try:
            os.makedirs(folder, exist_ok=True)
            sweep(folder, self._now)
            # Open as long as the cache, which is itself what `with` closes.
            self._new = temporary(folder)
            self._new.write(self._header)
        except OSError as error:
            self.problem = f"{error.filename or self._path}: {error.strerror}"
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._new is None:
            return
        try:
            self._new.close()
            if kind is None and self.problem is None:
                os.replace(self._new.name, self._path)
                return
        except OSError as error:
            self.problem = f"{self._path}: {error.strerror}"
        with contextlib.suppress(OSError):
            os.unlink(self._new.name)

    def seen(self, pages: Sequence[Page]) -> dict[str, Seen]:
        """What is known of the next pages in walk order."""
        if not pages:
            return {}
        last = path_key(pages[-1].path)
        while self._last <= last:
            block = next(self._blocks, None)
            if block is None:
                break
            self._last = block[0]
            self._known |= block[1]
        known, found = self._known, {}
        for path, *facts in pages:
            record = known.pop(path, None)
            if record is not None and record[0] == tuple(facts):
                _, head, modified, digest = record
                found[path] = Seen(Head(*head) if head else NOTHING, modified, digest)
        if self._last <= last:
            known.clear()
        return found

    def learn(self, pages: Sequence[Page], seen: Mapping[str, Seen]) -> None:
        """Remembers what pages say."""
        racy = is_racy(max((max(page.mtime, page.ctime) for page in pages), default=0), self._now)
        records = {}
        for path, *facts in pages:
            if path in seen and not (racy and is_racy(max(facts[1], facts[3]), self._now)):
                head, *rest = seen[path]
                records[path] = (tuple(facts), tuple(head) if head != NOTHING else None, *rest)
        if self._new is None or self.problem or not records:
            return
        data = marshal.dumps((path_key(next(reversed(records))), records))
        try:
            self._new.write(len(data).to_bytes(8, "big") + blake2b(data, digest_size=16).digest() + data)
        except OSError as error:
            self.problem = f"{self._path}: {error.strerror}"


def _blocks(path: str, header: bytes) -> Iterator[tuple[bytes, dict[str, tuple[Any, ...]]]]:
    with contextlib.suppress(OSError), open(path, "rb") as file:
        if file.read(16) != header:
            return
        while len(start := file.read(24)) == 24:
            size = int.from_bytes(start[:8], "big")
            data = file.read(size) if size < _MAX_BLOCK else b""
            if blake2b(data, digest_size=16).digest() != start[8:]:
                return
            yield marshal.loads(data)


def code_stamp() -> bytes:
    """What tells this version of the program, and of what it reads pages with, from others."""
    package = os.path.dirname(__file__)
    files = [os.path.join(top, name) for top, _, names in os.walk(package) for name in names]
    specs = map(find_spec, ("selectolax", "protego", "dateutil"))
    files += [spec.origin for spec in specs if spec and spec.origin]
    facts = []
    for path in sorted(name for name in files if name.endswith(".py")):
        with contextlib.suppress(OSError):
            found = os.stat(path)
            facts.append((found.st_size, found.st_mtime_ns))
    return f"{__version__} {sys.version} {facts}".encode()


def temporary(folder: str) -> IO[bytes]:
    """A new file beside the records, whose name says which process of which machine writes it."""
    return open(os.path.join(folder, f"sitemapper-{_host()}-{os.getpid()}-{os.urandom(4).hex()}"), "xb")


def sweep(folder: str, now: int) -> None:
    """Removes records of sites that were not built for a long time, and those of killed runs; `now` in ns."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            ours = _OURS.fullmatch(entry.name)
            if ours:
                with contextlib.suppress(OSError):
                    is_old = entry.stat().st_mtime_ns < now - _KEPT_DAYS * 86_400_000_000_000
                    if is_old or (ours["host"] == _host() and not _runs(int(ours["process"]))):
                        os.unlink(entry.path)


def _host() -> str:
    """The machine or container, as a folder may be shared by several, each with processes of its own."""
    name = os.uname().nodename if hasattr(os, "uname") else "windows"
    return blake2b(name.encode(), digest_size=4).hexdigest()


def _runs(process: int) -> bool:
    """Whether a process is there; on Windows, where to ask would end it, it is taken for granted."""
    if os.name != "nt":
        try:
            os.kill(process, 0)
        except OSError as error:
            return isinstance(error, PermissionError)
    return True
