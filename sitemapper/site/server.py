"""How a server maps paths to files: the file at a path, and whether two paths are one file."""

import os
import re
import stat

from ..model import Page
from ..syntax.urls import INDEXES, UrlForms
from .walk import SiteRoot, page_of


def find_page(site: SiteRoot, path: str) -> Page | None:
    """The page at a path. None if it no longer exists, or leads out of the site."""
    target = site.file(path)
    try:
        status = os.lstat(target)
        ends = (place for place, character in enumerate(path) if character == "/")
        folders = (os.lstat(site.file(path[:end])) for end in ends)
        # `realpath` takes five times as long as a check for links. Windows also has junctions.
        if os.name == "nt" or any(stat.S_ISLNK(place.st_mode) for place in (status, *folders)):
            target = os.path.realpath(target, strict=True)
            status = os.lstat(target)
    except OSError:
        return None
    return page_of(path, status) if stat.S_ISREG(status.st_mode) and site.contains(target) else None


def is_same_file(site: SiteRoot, path: str, other: str) -> bool:
    """Whether two paths lead to one file."""
    return os.path.realpath(site.file(path)) == os.path.realpath(site.file(other))


def file_for_url_path(site: SiteRoot, path: str, forms: UrlForms | None = None) -> str | None:
    """The file that a server shows at a decoded URL path, None if there is none.

    `forms` are the host's. They decide between a page and a folder with the same name.
    """
    if "\0" in path or (os.sep != "/" and re.search(r"[\\:]", path)):
        return None  # on Windows these are separators and drives
    if not {"", ".", ".."}.isdisjoint(path.removesuffix("/").split("/") if path else ()):
        return None  # these paths may lead out of the site
    is_folder, name = path.endswith("/") or not path, path.removesuffix("/")
    page, indexes = f"{name}.html", [f"{name}/{index}".lstrip("/") for index in INDEXES]
    page_wins = not is_folder
    if forms and forms.clash and "" in forms.clash:
        page_wins = forms.clash[0] != ""  # the page comes first; who has no form loses
    candidates = [] if is_folder else [path]
    candidates += [page, *indexes] if page_wins else [*indexes, page]
    return next((c for c in candidates if c != ".html" and os.path.isfile(site.file(c))), None)


def kind_at(site: SiteRoot, path: str) -> str:
    """The type of a path of the site: "f" for a file, "d" for a folder, "" if there is nothing."""
    if not {".", ".."}.isdisjoint(path.split("/")) or "\0" in path:
        return ""
    file = site.file(path)
    return "f" if os.path.isfile(file) else "d" if os.path.isdir(file) else ""
