"""The walk of the site's folder: the files that may be pages, and what is left out. Opens none."""

import os
import stat
from collections.abc import Sequence
from operator import attrgetter

from .errors import SitemapperError
from .files import is_inside, site_file, site_path
from .model import Excluded, Found, Line, Origin, Page, Reason, Scanned
from .syntax.patterns import Patterns
from .syntax.urls import PAGE_ENDINGS, is_folder_page

# `scandir` on a descriptor makes each stat relative to it, which saves 15 % of a walk.
_BY_DESCRIPTOR = os.scandir in os.supports_fd
_SPECIAL_FILES = {stat.S_IFIFO: "named pipe", stat.S_IFSOCK: "socket"}


def scan(found: Found) -> Scanned:
    """Lists the pages of a site in URL order, and the files and folders that are left out.

    A link to a folder of the site is entered once, after all folders: `links` says where it leads.
    Raises SitemapperError for a folder that cannot be listed, because its pages would be lost.
    """
    walk = _Walk(found)
    walk.walk("", "")
    links: dict[str, str] = {}
    walk.enters_links = False
    for link, target in sorted(walk.links):
        links[link] = target
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
    def __init__(self, found: Found) -> None:
        self.root = found.folder
        self.ignore = Patterns(found.ignore)
        defaults = [Line(f"*{ending}", Origin("built-in default")) for ending in PAGE_ENDINGS]
        self.include = Patterns([*defaults, *found.include], any_case=True)
        self.has_default_include = not found.include
        self.enters_links = True
        self.pages: list[Page] = []
        self.excluded: list[Excluded] = []
        self.links: list[tuple[str, str]] = []  # (path of the link, folder of the site)

    def walk(self, folder: str, real_folder: str) -> None:
        """Walks a folder ("" or with a final slash), whose files are in `real_folder`."""
        waiting = [folder]
        while waiting:
            current = waiting.pop()
            place = os.fsdecode(site_file(self.root, real_folder + current[len(folder) :]))
            try:
                waiting += self._list(current, place)
            except OSError as error:
                raise SitemapperError(
                    f"{place}: cannot be listed: {error.strerror}",
                    f'correct its permissions, or ignore it: ignore = ["/{current}"]',
                ) from None

    def _list(self, folder: str, place: str) -> list[str]:
        """Adds the pages and exclusions of one folder, and returns the folders in it to enter."""
        if not _BY_DESCRIPTOR:  # as on Windows
            return self._read(folder, place, place)
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        try:
            return self._read(folder, place, descriptor)
        finally:
            os.close(descriptor)

    def _read(self, folder: str, place: str, handle: str | int) -> list[str]:
        folders: list[str] = []
        files: dict[str, os.DirEntry[str]] = {}
        with os.scandir(handle) as entries:
            for entry in entries:
                name = entry.name if entry.name.isascii() else site_path(entry.name)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(name)
                elif self._is_named_like_page(folder + name):
                    files[name] = entry
                elif entry.is_symlink():
                    self._add_link(folder + name, os.path.join(place, entry.name))
            for name in self._without_ignored(folder, list(files), ""):
                self._add_file(folder + name, files[name], place)
        kept = self._without_ignored(folder, folders, "/")
        return [f"{folder}{name}/" for name in kept]

    def _is_named_like_page(self, path: str) -> bool:
        if self.has_default_include:
            return path.lower().endswith(PAGE_ENDINGS)
        return self.include.match(path) is not None

    def _without_ignored(self, folder: str, names: Sequence[str], ending: str) -> Sequence[str]:
        """The names in a folder that no line ignores. The others are excluded."""
        if not names or not self.ignore.may_match(folder, names, ending):
            return names
        kept: list[str] = []
        for name in names:
            path = folder + name + ending
            line = self.ignore.match(path)
            if line is None:
                kept.append(name)
            else:
                self.excluded.append(Excluded(path, Reason.IGNORED, line.origin))
        return kept

    def _add_file(self, path: str, entry: "os.DirEntry[str]", folder: str) -> None:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            reason = Origin(error.strerror or type(error).__name__)
            self.excluded.append(Excluded(path, Reason.UNREADABLE, reason))
            return
        if stat.S_ISREG(status.st_mode):
            self.pages.append(Page(path, status.st_mtime_ns, status.st_size))
        elif stat.S_ISLNK(status.st_mode):
            self._add_link(path, os.path.join(folder, entry.name))
        else:
            kind = _SPECIAL_FILES.get(stat.S_IFMT(status.st_mode), "device")
            self.excluded.append(Excluded(path, Reason.NOT_FOLLOWED, Origin(kind)))

    def _add_link(self, path: str, place: str) -> None:
        """Adds a link to a file as a page, and remembers one to a folder of the site."""
        if os.path.isdir(place):
            self._add_link_to_folder(path, os.path.realpath(place))
            return
        if not self._is_named_like_page(path):
            return
        try:
            target = os.path.realpath(place, strict=True)
            status = os.stat(target)
        except OSError:
            self.exclude_link(path, "nowhere or in a loop")
            return
        if not is_inside(target, self.root):
            self.exclude_link(path, "out of the site")
            return
        if stat.S_ISREG(status.st_mode):
            self.pages.append(Page(path, status.st_mtime_ns, status.st_size))
        else:
            self.exclude_link(path, "to a special file")

    def _add_link_to_folder(self, path: str, target: str) -> None:
        line = self.ignore.match(f"{path}/")
        if line is not None:
            self.excluded.append(Excluded(f"{path}/", Reason.IGNORED, line.origin))
        elif not is_inside(target, self.root):
            self.exclude_link(f"{path}/", "out of the site")
        elif is_inside(os.path.join(self.root, path), target):
            self.exclude_link(f"{path}/", "to a folder above it")
        elif not self.enters_links:
            self.exclude_link(f"{path}/", "to a folder of the site")
        else:
            self.links.append((path, site_path(os.path.relpath(target, self.root))))

    def exclude_link(self, path: str, where: str) -> None:
        origin = Origin("symbolic link", None, f"leads {where}")
        self.excluded.append(Excluded(path, Reason.NOT_FOLLOWED, origin))
