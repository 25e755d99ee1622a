"""Opens pages and reads their bytes."""

import os
import stat

from ..fs import descriptor_of_page
from ..model import Page
from ..syntax.html import SIZE_LIMIT
from .server import find_page
from .walk import SiteRoot, page_of

# On Windows, a path and its open file have different times, and no pipe can replace the file.
_IS_WINDOWS = os.name == "nt"


def read(site: SiteRoot, page: Page, limit: int) -> tuple[Page, bytes]:
    """Opens a page that the walk found, and returns it with its first `limit` bytes.

    If the file was saved after the walk, the returned page has the new size and times. They are
    stored with the bytes, so they must be of the same state of the file. Otherwise, the returned
    page is `page` itself. Raises OSError if it cannot be read, or is no file of the site any more.
    """
    descriptor = descriptor_of_page(site.file(page.path))
    try:
        # The file may have become a link out of the site, or a pipe, since the walk. The inode
        # alone does not show this, because inodes are reused.
        status = os.fstat(descriptor)
        walked = page[3:]  # inode, ctime_ns and dev; a slice, because this is done for each page
        is_same = _IS_WINDOWS or (status.st_ino, status.st_ctime_ns, status.st_dev) == walked
        is_walked_file = is_same and stat.S_ISREG(status.st_mode) and status.st_size == page.size
        if not is_walked_file:
            if not _leads_to(site, page.path, status):
                raise OSError(0, "became something else while the site was read")
            page = page_of(page.path, status)
        # Reads only the size of the file, because a larger buffer costs more than the read itself.
        size = min(page.size, limit)
        data = os.read(descriptor, size)
        while len(data) < size:
            more = os.read(descriptor, size - len(data))
            if not more:
                break
            data += more
        return page, data
    finally:
        os.close(descriptor)


def read_at(site: SiteRoot, path: str, limit: int = SIZE_LIMIT) -> bytes | None:
    """Reads the first `limit` bytes of the file at a path of the site.

    None if there is no file, if it cannot be read, or if the path leads out of the site.
    """
    page = find_page(site, path)
    if page is None:
        return None
    try:
        _, data = read(site, page, limit)
    except OSError:
        return None
    return data


def _leads_to(site: SiteRoot, path: str, status: os.stat_result) -> bool:
    """Whether an open file is the regular file at this path, inside the site.

    It is not if the path became a link out of the site, or a pipe, after the walk.
    `status` is the
    stat of the open file. Raises OSError if nothing is at the path any more.
    """
    target = os.path.realpath(site.file(path))
    is_inside = stat.S_ISREG(status.st_mode) and site.contains(target)
    return is_inside and os.path.samestat(os.lstat(target), status)
