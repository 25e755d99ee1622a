"""The files of a site as a server has them: which one it shows at a path, and their bytes."""

import os
import re
import stat

from ..fs import descriptor_of_page
from ..model import Page
from ..syntax.html import SIZE_LIMIT
from ..syntax.urls import INDEXES, UrlForms
from .walk import SiteRoot, page_of

# On Windows, a path and its open file have different times, and no pipe can replace the file.
_IS_WINDOWS = os.name == "nt"


def find_page(site: SiteRoot, path: str) -> Page | None:
    """Makes a `Page` of the file at a path of the site: its path, size and times.

    A symbolic link is followed, and the page then has the path of the link and the size and times
    of its target. None if no regular file is there, or if the link leads out of the site.
    """
    target = site.file(path)
    try:
        status = os.lstat(target)
        # Only a path with links needs `realpath`, which takes five times as long as this check. On
        # Windows, the check does not find all links: there are also junctions.
        if _IS_WINDOWS or stat.S_ISLNK(status.st_mode) or _is_below_link(site, path):
            target = os.path.realpath(target, strict=True)
            status = os.lstat(target)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode) or not site.contains(target):
        return None
    return page_of(path, status)


def _is_below_link(site: SiteRoot, path: str) -> bool:
    """Whether a folder above a path is a symbolic link, as `a/latest` may be for `a/latest/b.html`.

    Checks `a` first, then `a/latest`. Raises OSError if one of them does not exist.
    """
    folder_end = path.find("/")
    while folder_end != -1:
        folder = path[:folder_end]
        if stat.S_ISLNK(os.lstat(site.file(folder)).st_mode):
            return True
        folder_end = path.find("/", folder_end + 1)
    return False


def leads_to(site: SiteRoot, path: str, page: str) -> bool:
    """Whether a path leads to the file of a page through a symbolic link.

    With the link `latest` to `2.0`, `latest/a.html` leads to `2.0/a.html`, but not the other way.
    Two links to one file do not lead to each other, because neither is the file itself.
    """
    return os.path.realpath(site.file(path)) == os.path.normpath(site.file(page))


def file_for_url_path(site: SiteRoot, path: str, forms: UrlForms | None = None) -> str | None:
    """Finds the file of the site that a server shows at a URL path, None if there is none.

    `a/` → `a/index.html`. The path is decoded: `tea pot`, not `tea%20pot`. If both `a.html` and
    `a/index.html` exist, the URL forms of the host (`forms`) decide between them.
    """
    if _may_lead_out(path):
        return None
    for file in _files_to_try(path, forms):
        if os.path.isfile(site.file(file)):
            return file
    return None


def page_at(site: SiteRoot, path: str) -> Page | None:
    """Makes the `Page` that a server shows at a decoded URL path, None if there is none."""
    file = file_for_url_path(site, path)
    return find_page(site, file) if file is not None else None


def _may_lead_out(path: str) -> bool:
    """Whether a URL path might lead out of the site (`../a`), or is no file's path (`a//b`).

    If True, the caller searches no file, and treats the path like one without a file. On Windows,
    this includes `a\\b` and `c:a`.
    """
    if "\0" in path:
        return True
    if os.sep != "/" and re.search(r"[\\:]", path):  # on Windows, separators and drives
        return True
    if not path:  # the home page
        return False
    segments = path.removesuffix("/").split("/")
    return not {"", ".", ".."}.isdisjoint(segments)


def _files_to_try(path: str, forms: UrlForms | None) -> list[str]:
    """Lists the files that a server may show at a URL path. It shows the first that exists.

    - `a` → `a`, `a.html`, `a/index.html`
    - `a/` → `a/index.html`, `a.html`
    - "", the home page → `index.html`

    Other indexes, such as `a/index.htm`, follow `a/index.html`. `forms` are the URL forms of the
    host, None if they are not known.
    """
    if not path:
        return list(INDEXES)
    name = path.removesuffix("/")
    page = f"{name}.html"
    indexes = [f"{name}/{index}" for index in INDEXES]
    files = [page, *indexes] if _is_page_tried_first(path, forms) else [*indexes, page]
    if path.endswith("/"):
        return files
    return [path, *files]


def _is_page_tried_first(path: str, forms: UrlForms | None) -> bool:
    """Whether a server looks for `a.html` before `a/index.html`, at the URL path `a` or `a/`.

    | if both exist, the host shows                | result at `a` | result at `a/` |
    |----------------------------------------------|---------------|----------------|
    | only `a/index.html`, as Firebase             | False         | False          |
    | only `a.html`, as Vercel with `cleanUrls`    | True          | True           |
    | both, or this is not known                   | True          | False          |

    `forms` are the URL forms of the host, None if they are not known.
    """
    clash = forms.clash if forms else None  # the forms of the two files if both exist
    if clash and not clash.page:  # the host shows only `a/index.html`
        return False
    if clash and not clash.folder:  # the host shows only `a.html`
        return True
    return not path.endswith("/")


def has_file(site: SiteRoot, path: str) -> bool:
    """Whether the site has a file at exactly this path."""
    return not _may_lead_out(path) and os.path.isfile(site.file(path))


# --- the bytes of pages


def read(site: SiteRoot, page: Page, limit: int) -> tuple[Page, bytes]:
    """Reads the first `limit` bytes of a page that the walk found. Returns the page and the bytes.

    If the file was saved after the walk, the returned page has its new size and times, because the
    caller stores them with the bytes. Otherwise, the returned page is `page` itself.

    Raises OSError if the file cannot be read, or is no file of the site any more.
    """
    descriptor = descriptor_of_page(site.file(page.path))
    try:
        status = os.fstat(descriptor)
        # Each write changes the ctime of a file. Only inode and device would not be enough, because
        # inodes are reused.
        identity = page[3:]  # inode, ctime and device; a slice, because this is done for each page
        is_same = _IS_WINDOWS or (status.st_ino, status.st_ctime_ns, status.st_dev) == identity
        is_as_walked = is_same and stat.S_ISREG(status.st_mode) and status.st_size == page.size
        if not is_as_walked:
            # Since the walk, it was saved, or it became a link out of the site, a pipe or the like.
            if not _is_file_of_site(site, page.path, status):
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


def read_at(site: SiteRoot, path: str) -> bytes | None:
    """Reads the beginning of the file at a path of the site.

    None if there is no file, if it cannot be read, or if the path leads out of the site.
    """
    page = find_page(site, path)
    if page is None:
        return None
    try:
        _, data = read(site, page, SIZE_LIMIT)
    except OSError:
        return None
    return data


def _is_file_of_site(site: SiteRoot, path: str, status: os.stat_result) -> bool:
    """Whether an open file is the regular file at this path, inside the site.

    It is not if the path became a link out of the site, or a pipe, after the walk. `status` is the
    stat of the open file. Raises OSError if nothing is at the path any more.
    """
    target = os.path.realpath(site.file(path))
    is_inside = stat.S_ISREG(status.st_mode) and site.contains(target)
    return is_inside and os.path.samestat(os.lstat(target), status)
