"""How a server maps paths to files: the file at a path, and whether two paths are one file."""

import os
import re
import stat

from ..model import Page
from ..syntax.urls import INDEXES, UrlForms
from .walk import SiteRoot, page_of


def find_page(site: SiteRoot, path: str) -> Page | None:
    """Makes a `Page` of the file at a path of the site: its path, size and times.

    A symbolic link is followed, and the page then has the path of the link and the size and times
    of its target. None if no regular file is there, or if the link leads out of the site.
    """
    target = site.file(path)
    try:
        status = os.lstat(target)
        # `realpath` takes five times as long as a check for links. Windows also has junctions.
        if os.name == "nt" or stat.S_ISLNK(status.st_mode) or _is_below_link(site, path):
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
    segments = path.removesuffix("/").split("/") if path else []
    return not {"", ".", ".."}.isdisjoint(segments)


def _files_to_try(path: str, forms: UrlForms | None) -> list[str]:
    """Lists the files that a server may show at a URL path. It shows the first that exists.

    - `a` → `a`, `a.html`, `a/index.html`
    - `a/` → `a/index.html`, `a.html`
    - "", the home page → `index.html`

    Other indexes, such as `a/index.htm`, follow `a/index.html`. `forms` are the URL forms of the
    host: if they say which of `a.html` and `a/index.html` has a URL there, that file comes first.
    """
    if not path:
        return list(INDEXES)
    name = path.removesuffix("/")
    page = f"{name}.html"
    indexes = [f"{name}/{index}" for index in INDEXES]
    is_folder = path.endswith("/")
    page_comes_first = not is_folder
    if forms and forms.clash and "" in forms.clash:
        # `clash` has the URL forms of `a.html` and of `a/index.html` where both exist. "" means
        # that this file has no URL at the host, so the other one comes first.
        page_forms, _ = forms.clash
        page_comes_first = page_forms != ""
    files = [page, *indexes] if page_comes_first else [*indexes, page]
    if is_folder:
        return files
    return [path, *files]


def has_file(site: SiteRoot, path: str) -> bool:
    """Whether the site has a file at exactly this path."""
    return not _may_lead_out(path) and os.path.isfile(site.file(path))
