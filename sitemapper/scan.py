"""The walk of the site's folder: the files that may be pages, and what is left out. Opens none."""

import os
import stat
from collections.abc import Sequence
from operator import attrgetter

from .files import is_inside, site_file, site_path
from .messages import SitemapperError
from .model import Excluded, Found, Line, Origin, Page, Reason, Scanned
from .syntax.patterns import Patterns
from .syntax.urls import PAGE_ENDINGS, is_folder_page


def scan(found: Found) -> Scanned:
    """Lists the pages of a site in URL order, and the files and folders that are left out.

    A link to a folder of the site is entered once, after all folders: `links` says where it leads.
    Raises SitemapperError for a folder that cannot be listed, because its pages would be lost.
    """
    walk = _Walk(found)
    walk.walk("", "")
    links = dict(sorted(walk.links.items()))
    walk.enters_links = False
    for link, target in links.items():
        walk.walk(f"{link}/", f"{target}/")
    walk.pages.sort(key=lambda page: path_key(page.path))
    walk.excluded.sort(key=attrgetter("path"))
    return Scanned(walk.pages, walk.excluded, links)


def path_key(path: str) -> bytes:
    """The key that sorts paths in URL order: the bytes of the path without a final `index.html`."""
    if is_folder_page(path):
        path = path.removesuffix("index.html")
    return path.encode("utf-8", "surrogateescape")


class _Walk:
    """Walks the folder of a site, and collects its pages and what is left out."""

    def __init__(self, found: Found) -> None:
        self.root = found.folder
        self.ignore = Patterns(found.ignore)
        defaults = [Line(f"*{ending}", Origin("built-in default")) for ending in PAGE_ENDINGS]
        self.include = Patterns([*defaults, *found.include], any_case=True)
        self.has_default_include = not found.include
        self.enters_links = True
        self.pages: list[Page] = []
        self.excluded: list[Excluded] = []
        self.links: dict[str, str] = {}  # from the path of a link to that of a folder of the site

    def walk(self, folder: str, real_folder: str) -> None:
        """Walks a folder and all folders below it. Both are "" or end with a slash.

        Paths begin with `folder`. The files lie in `real_folder`, which is another one for a link:
        with `latest -> 2.1`, they are `latest/` and `2.1/`.
        """
        waiting = [""]
        while waiting:
            below = waiting.pop()
            real_path = site_file(self.root, real_folder + below)
            try:
                with os.scandir(real_path) as entries:
                    names = self._add_entries(folder + below, list(entries))
            except OSError as error:
                raise SitemapperError(
                    f"{os.fsdecode(real_path)}: cannot be listed: {error.strerror}",
                    f'correct its permissions, or ignore it: ignore = ["/{folder}{below}"]',
                ) from None
            waiting += [f"{below}{name}/" for name in names]

    def _add_entries(self, folder: str, entries: Sequence[os.DirEntry[bytes]]) -> list[str]:
        """Adds the pages and exclusions of one folder. Returns the folders in it to enter."""
        folders: list[str] = []
        for entry in entries:
            name = entry.name.decode("utf-8", "surrogateescape")
            path = folder + name
            if entry.is_symlink() and os.path.isdir(entry.path):
                self._add_link(f"{path}/", entry)
            elif entry.is_dir(follow_symlinks=False):
                if not self._is_ignored(f"{path}/"):
                    folders.append(name)
            elif self._is_named_like_page(path) and not self._is_ignored(path):
                self._add_file(path, entry)
        return folders

    def _is_named_like_page(self, path: str) -> bool:
        if self.has_default_include:
            return path.lower().endswith(PAGE_ENDINGS)
        return self.include.match(path) is not None

    def _is_ignored(self, path: str) -> bool:
        line = self.ignore.match(path)
        if line is not None:
            self.excluded.append(Excluded(path, Reason.IGNORED, line.origin))
        return line is not None

    def _add_file(self, path: str, entry: os.DirEntry[bytes]) -> None:
        """Adds a page, or says why a file that is named like one cannot be read."""
        try:
            status = entry.stat()
        except OSError as error:
            reason = Reason.NOT_FOLLOWED if entry.is_symlink() else Reason.UNREADABLE
            self._exclude(path, reason, error.strerror or type(error).__name__)
            return
        if not stat.S_ISREG(status.st_mode):
            self._exclude(path, Reason.NOT_FOLLOWED, "a pipe, a socket or a device")
        elif entry.is_symlink() and not is_inside(_target(entry), self.root):
            self._exclude(path, Reason.NOT_FOLLOWED, "a link out of the site")
        else:
            self.pages.append(Page(path, status.st_mtime_ns))

    def _add_link(self, path: str, entry: os.DirEntry[bytes]) -> None:
        """Remembers a link to a folder that is to be entered. Others are excluded."""
        target = _target(entry)
        if self._is_ignored(path):
            return
        if not is_inside(target, self.root):
            self._exclude(path, Reason.NOT_FOLLOWED, "a link out of the site")
        elif is_inside(os.fsdecode(entry.path), target):
            self._exclude(path, Reason.NOT_FOLLOWED, "a link to a folder above it")
        elif not self.enters_links:
            self._exclude(path, Reason.NOT_FOLLOWED, "a link below another link")
        else:
            folder = site_path(os.path.relpath(target, self.root))
            self.links[path.removesuffix("/")] = folder

    def _exclude(self, path: str, reason: Reason, why: str) -> None:
        self.excluded.append(Excluded(path, reason, Origin(why)))


def _target(link: os.DirEntry[bytes]) -> str:
    return os.path.realpath(os.fsdecode(link.path))
