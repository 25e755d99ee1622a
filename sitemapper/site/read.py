"""Opens pages: reads their bytes, and fetches them ahead of need where the disk is cold."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice

from sitemapper.model import Page
from sitemapper.site.walk import Folder, leads_to

_IS_WINDOWS = os.name == "nt"  # where a path and an open file have other times, and there are no pipes
_BINARY = getattr(os, "O_BINARY", 0)
_PROBES, _SLOW = 5, 80e-6  # so many reads tell a cold disk, if half of them take so many seconds
_READERS = 16  # threads; more gain nothing on the disks measured
_FETCHED = 1 << 18  # bytes of a page; the system reads on by itself


def read(site: Folder, page: Page, limit: int) -> bytes:
    """A page's first `limit` bytes. Raises OSError."""
    descriptor = os.open(site.file(page.path), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _BINARY)
    try:
        # What the walk saw may have become a link out of the site, or a pipe. Inodes are used again.
        opened = os.fstat(descriptor)
        same = _IS_WINDOWS or (opened.st_ino == page.inode and opened.st_ctime_ns == page.ctime)
        if not (same and stat.S_ISREG(opened.st_mode)) and not leads_to(site, page.path, opened):
            raise OSError(0, "became something else while the site was read")
        # Of the size that the walk saw: a larger buffer costs more than the read itself.
        data = os.read(descriptor, min(page.size, limit))
        while len(data) < min(page.size, limit):
            more = os.read(descriptor, min(page.size, limit) - len(data))
            if not more:
                break
            data += more
        return data
    finally:
        os.close(descriptor)


def warm(site: Folder, pages: Iterable[Page]) -> None:
    """Fetches pages into the system's cache by many threads at once, if the disk is slow to give them.

    On a cold disk a read waits 150 µs and more, and without threads the waits add up: 4.8 s of 32,000
    pages become 1.9. Where the first reads are quick nothing else is done, as threads would only cost.
    """
    coming = iter(pages)
    waits = sorted(_fetch(site, page) for page in islice(coming, _PROBES))
    if len(waits) < _PROBES or waits[_PROBES // 2] < _SLOW:
        return
    # Imported here: most runs find their pages in the cache.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_READERS) as readers:
        for page in coming:
            readers.submit(_fetch, site, page)


def _fetch(site: Folder, page: Page) -> float:
    """Reads the beginning of a page; how many seconds that took. What cannot be read is told later."""
    begun = time.perf_counter()
    with suppress(OSError):
        read(site, page, _FETCHED)
    return time.perf_counter() - begun
