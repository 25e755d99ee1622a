"""Opens pages and reads their bytes."""

from __future__ import annotations

import os
import stat

from ..model import Page
from .walk import SiteRoot, leads_to

_IS_WINDOWS = os.name == "nt"  # where a path and an open file have other times, and there are no pipes
_BINARY = getattr(os, "O_BINARY", 0)


def read(site: SiteRoot, page: Page, limit: int) -> bytes:
    """A page's first `limit` bytes. Raises OSError."""
    descriptor = os.open(site.file(page.path), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _BINARY)
    try:
        # What the walk saw may have become a link out of the site, or a pipe. Inodes are used again.
        opened = os.fstat(descriptor)
        same = _IS_WINDOWS or (opened.st_dev, opened.st_ino, opened.st_ctime_ns) == (
            page.device,
            page.inode,
            page.ctime,
        )
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
