"""What a server shows at a path: which file, and whether two paths lead to one."""

from __future__ import annotations

import os
import re
import stat

from ..model import Page
from ..syntax.urls import INDEXES
from .walk import SiteRoot, page_of


def find_page(site: SiteRoot, path: str) -> Page | None:
    """The page at a path; None if there is none any more, or if it leads out of the site."""
    target = site.file(path)
    try:
        # `realpath` takes five times as long as a look for links. Windows has junctions, too.
        if os.name == "nt" or _has_link(site, path):
            target = os.path.realpath(target, strict=True)
        status = os.lstat(target)
    except OSError:
        return None
    return page_of(path, status) if stat.S_ISREG(status.st_mode) and site.contains(target) else None


def _has_link(site: SiteRoot, path: str) -> bool:
    """Whether a file, or a folder above it in the site, is a link. Raises OSError."""
    ends = [place for place, character in enumerate(path) if character == "/"]
    return any(stat.S_ISLNK(os.lstat(site.file(path[:end])).st_mode) for end in (*ends, len(path)))


def is_same_file(site: SiteRoot, path: str, other: str) -> bool:
    """Whether two paths lead to one file."""
    return os.path.realpath(site.file(path)) == os.path.realpath(site.file(other))


def file_for_url_path(site: SiteRoot, path: str) -> str | None:
    """The file that a server shows at a decoded URL path; None if there is none."""
    if "\0" in path or (os.sep != "/" and re.search(r"[\\:]", path)):
        return None  # on Windows these are separators and drives
    if not {"", ".", ".."}.isdisjoint(path.removesuffix("/").split("/") if path else ()):
        return None  # such a path may lead out of the site
    if path.endswith("/") or not path:
        candidates = [*(path + name for name in INDEXES), path[:-1] + ".html"]
    else:
        candidates = [path, path + ".html", *(f"{path}/{name}" for name in INDEXES)]
    return next((c for c in candidates if c and os.path.isfile(site.file(c))), None)
