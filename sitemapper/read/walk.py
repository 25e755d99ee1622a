"""The walk: lists the files that may be pages. Reads directories, never contents.

Walk order is the byte order of the path without a final `index.html`. A folder's own page comes
first, and the rest is in URL order. Each directory is listed and sorted separately, so the largest
directory bounds memory.
"""

import os
import re
import stat
import sys
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import NamedTuple, cast

from ..errors import SiteError
from ..model import Batch, Excluded, Origin, Page, Reason
from ..syntax.gitignore import BUILT_IN, Line, Patterns, literal_path
from ..syntax.urls import INDEXES, PAGE_ENDINGS, is_page_name

INDEX = "index.html"
SAMPLE = 1000  # pages that are read before a run
BATCH = 1000  # pages: enough to spread a call's cost, few enough for flat memory
# `scandir` on a descriptor makes each stat relative to it: 15 % of a walk (docs/performance.md).
_BY_DESCRIPTOR = os.scandir in os.supports_fd
_OPEN = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_UTF8 = sys.getfilesystemencoding() in ("utf-8", "utf8")

# The same as Page(...), without a Python call: 0.14 instead of 0.24 µs.
_new_page = cast(
    Callable[[tuple[str, int, int, int, int, int]], Page], partial(tuple.__new__, Page)
)
_SPECIAL_FILES = {stat.S_IFIFO: "named pipe", stat.S_IFSOCK: "socket"}
_PLAIN_ENDING = r"\*\.[A-Za-z0-9]+"
_PACKAGES = ("package.json", "bower.json")


class LinkedHome(NamedTuple):
    """The symbolic link to which the home page redirects, such as `latest`, and the folder of the
    site behind it, such as `2.1`. Both are paths without a final slash.
    """

    link: str
    folder: str

    def without_link(self, path: str) -> str:
        """The path of a file without the link: `2.1/a.html` for `latest/a.html`."""
        if f"{path}/".startswith(f"{self.link}/"):
            return self.folder + path.removeprefix(self.link)
        return path


class SiteRoot(NamedTuple):
    """The folder of a site, and what decides which of its files are pages.

    `inside` is the folder's path with a final separator. `endings` are those of `include` if all
    its patterns are like `*.html`, None otherwise: names are compared with them by `str.endswith`,
    which is faster. `is_linked` tells whether one of the first pages links into a folder. The walk
    follows the link of `home`, and not its folder.
    """

    root: str
    inside: str
    ignore: Patterns
    include: Patterns
    endings: tuple[str, ...] | None
    is_linked: Callable[[str], bool] | None = None
    home: LinkedHome | None = None

    def file(self, path: str) -> str:
        """The OS path of a site path. Paths below the link of `home` are below its folder."""
        if self.home:
            path = self.home.without_link(path)
        return self.inside + _os_name(path)

    def listed_beside_html(self, paths: Iterable[str]) -> set[Origin]:
        """The patterns of `include` that list files without a page's ending."""
        if self.endings == PAGE_ENDINGS:
            return set()
        origins = set()
        for path in paths:
            if is_page_name(path):
                continue
            pattern = self.include.deciding_pattern(path)
            if pattern:
                origins.add(pattern.origin)
        return origins

    def lists_any_kind(self, path: str, *, is_index: bool) -> bool:
        """Whether a pattern of the user lists a file although its contents are those of no page.

        A pattern of `include` without wildcards does so, as `LICENSE`. An index that a generator
        wrote (`is_index`) is also listed by an ignore pattern such as `!genindex.html`.
        """
        if is_index:
            ignored = self.ignore.deciding_pattern(path)
            if ignored and ignored.negated:
                return True
        included = self.include.deciding_pattern(path)
        if included is None or included.negated:
            return False
        name = literal_path(included.origin.text)
        return name is not None and f"/{path}".lower().endswith(f"/{name.lower()}")

    def contains(self, file: str) -> bool:
        """Whether an OS path without symbolic links is inside the site."""
        return file.startswith(self.inside)


def folder(
    root: str, ignored: Iterable[Line], included: Sequence[str], prefix: str = ""
) -> SiteRoot:
    """The folder of a site, with patterns to ignore and to list.

    Raises SiteError if it is not a folder.
    """
    check_root(root, prefix)
    lines = [Line(f"*{ending}", Origin(BUILT_IN, None, f"*{ending}")) for ending in PAGE_ENDINGS]
    lines += [Line(text, Origin("include", None, text)) for text in included]
    include = Patterns(lines, any_case=True)
    # If all patterns are plain endings, such as `*.html`, names are compared with these by
    # `str.endswith`, which is faster.
    endings = None
    if all(re.fullmatch(_PLAIN_ENDING, line.text) for line in lines):
        endings = tuple(line.text.removeprefix("*").lower() for line in lines)
    real = os.path.realpath(root)
    return SiteRoot(real, os.path.join(real, ""), Patterns(ignored), include, endings)


def check_root(root: str, prefix: str) -> None:
    """Raises SiteError if there is no folder. The message begins with the place that names it."""
    if os.path.isdir(root):
        return
    if os.path.exists(root):
        raise SiteError(
            f"{prefix}{root}: is not a folder", "name the folder that your generator wrote"
        )
    written_as = "`site`" if prefix else "the path"
    help = f"build the site first, or correct {written_as}"
    # In TOML, `\b` in ".\build" is a backspace.
    if os.sep == "/" and ("\\" in root or not root.isprintable()):
        help = "write the folder with slashes, such as `site/public`"
    raise SiteError(f"{prefix}{root}: does not exist", help)


def describe_no_html(folder: str) -> str:
    """Says that a folder has no page, and that it is a program if it looks like one."""
    for name in ("index.php", "index.asp", "index.jsp", "index.cgi"):
        if os.path.isfile(os.path.join(folder, name)):
            return f"{name} is a program, and no *.html is here; --include {name} lists it"
    return "there is no HTML here"


class Beginning(NamedTuple):
    """The first runs of a walk, and the runs and folders that are left, the next one last.

    A new walk has only the site itself ("") before it.
    """

    runs: Sequence[Batch] = ()
    pending: Sequence[Batch | str] = ("",)

    @property
    def pages(self) -> list[Page]:
        """The pages that are read before a run."""
        return list(islice(chain.from_iterable(run.pages for run in self.runs), SAMPLE))


NOTHING_YET = Beginning()


def walk(site: SiteRoot, beginning: Beginning = NOTHING_YET) -> Iterator[Batch]:
    """The whole site in walk order, as runs of entries between subfolders.

    The folders that `begin` has listed are not listed again.
    """
    yield from beginning.runs
    yield from _go_on(site, [*beginning.pending])


def begin(site: SiteRoot) -> Beginning:
    """Walks until there are enough pages to read before a run."""
    runs: list[Batch] = []
    pending = [*NOTHING_YET.pending]
    pages = 0
    for run in _go_on(site, pending):
        runs.append(run)
        pages += len(run.pages)
        if pages >= SAMPLE:
            break
    return Beginning(runs, pending)


def _go_on(site: SiteRoot, pending: list[Batch | str]) -> Iterator[Batch]:
    """The runs of the pending folders and runs, in order. What was yielded is no longer pending.

    A folder is listed when it is its turn. Its runs and its subfolders then take its place.
    """
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            pending += reversed(list_directory(site, item))
        else:
            yield item


def page_names(site: SiteRoot) -> Iterator[str]:
    """The paths of files that are named like pages, without ignored ones.

    Faster than a walk, because no file is looked at. So some may be folders or links, and the order
    is not that of a walk.
    """
    pending = [""]
    while pending:
        directory = pending.pop()
        path = _os_path(site, directory)
        try:
            names = _list_names(site, directory, path)
        except OSError:  # the walk will report it
            continue
        files = _without_ignored(site, directory, names.files, "", path, [])
        folders = _without_ignored(site, directory, names.folders, "/", path, [])
        yield from (directory + name for name in sorted(files))
        pending += (f"{directory}{name}/" for name in sorted(folders, reverse=True))


def batches(runs: Iterable[Batch], size: int) -> Iterator[Batch]:
    """Merges short runs of entries and cuts long ones, so that a batch has about `size` pages."""
    pages: list[Page] = []
    excluded: list[Excluded] = []
    twins: dict[str, str] = {}
    for run in runs:
        excluded += run.excluded
        twins |= run.twins
        # At least one, because a run without pages may have exclusions.
        parts = [run.pages]
        if len(run.pages) > size:
            parts = [run.pages[start : start + size] for start in range(0, len(run.pages), size)]
        for part in parts:
            pages += part
            if len(pages) + len(excluded) >= size:
                yield Batch(pages, excluded, twins)
                pages = []
                excluded = []
                twins = dict(run.twins)  # the rest of the run needs them too
    yield Batch(pages, excluded, twins)


def list_directory(site: SiteRoot, directory: str) -> list[Batch | str]:
    """The runs and subfolders of a directory ("" or with a final slash), in walk order.

    One that cannot be listed is left out. Raises SiteError if that is the site itself.
    """
    path = _os_path(site, directory)
    try:
        if not _BY_DESCRIPTOR:
            return _scan(site, directory, path)
        descriptor = os.open(path, _OPEN)
        try:
            if not _is_still_at(descriptor, path):
                raise OSError(0, "became a link while the site was read")
            return _scan(site, directory, descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if not directory:
            raise SiteError(
                f"{path}: cannot be listed: {error.strerror}", "check its permissions"
            ) from None
        return [Batch([], [unreadable(directory, error)], {})]


def _os_path(site: SiteRoot, directory: str) -> str:
    """The OS path of a directory ("" or with a final slash), without a final separator."""
    if not directory:
        return site.root
    return site.file(directory.removesuffix("/"))


def _is_still_at(descriptor: int, path: str) -> bool:
    """Whether an open folder is the one at this path, so that no folder above it became a link."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}") == path
    except OSError:  # only Linux has it
        return os.path.realpath(path) == path


def _scan(site: SiteRoot, directory: str, place: str | int) -> list[Batch | str]:
    """Lists one directory: runs of pages and of what is left out, and the subfolders to enter.

    `place` is the path of the directory or, where the system allows it, its open descriptor.
    """
    names = _list_names(site, directory, place)
    if names.package and directory and site.is_linked and not site.is_linked(directory):
        origin = Origin(directory + names.package, None, "a package that no page links to")
        return [Batch([], [Excluded(directory, Reason.IGNORED, origin)], {})]
    all_folders = names.folders
    excluded = names.links
    # First by name: files and folders that no pattern ignores.
    files = _without_ignored(site, directory, names.files, "", place, excluded)
    folders_to_enter = _without_ignored(site, directory, all_folders, "/", place, excluded)
    # Then by stat, which also finds folders that are named like pages.
    pages, named_like_pages = _stat_pages(site, directory, _in_order(files), place, excluded)
    if named_like_pages:
        all_folders = [*all_folders, *named_like_pages]
        not_ignored = _without_ignored(site, directory, named_like_pages, "/", place, excluded)
        folders_to_enter = [*folders_to_enter, *not_ignored]
    excluded.sort(key=sort_key)
    # An ignored folder may own a page's URL too, because the server shows it all the same.
    twins = _find_twins(site, directory, pages, all_folders)
    if "index.htm" in files or "index.xhtml" in files:
        twins |= _find_second_indexes(site, directory, files)
    subfolders = _in_order([f"{name}/" for name in folders_to_enter])
    return _cut_at_folders(directory, pages, excluded, subfolders, twins)


class _Names(NamedTuple):
    """The names in a directory that matter to a walk, in the order of the file system.

    `files` are named like pages, and some may be folders. `links` are the symbolic links to
    folders, which are left out. `package` is the file that makes the directory a package of
    JavaScript, "" for none.
    """

    files: list[str]
    folders: list[str]
    links: list[Excluded]
    package: str


def _list_names(site: SiteRoot, directory: str, place: str | int) -> _Names:
    """Lists a directory, and sorts its entries by what they are. Raises OSError if that fails.

    A name that ends like a page is not looked at here, because that would take longest.
    """
    files: list[str] = []
    folders: list[str] = []
    links: list[Excluded] = []
    package = ""
    endings = site.endings
    with os.scandir(place) as entries:
        for entry in entries:
            name = entry.name if _UTF8 else _site_name(entry.name)
            if endings and name.endswith(endings):
                files.append(name)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(name)
            elif _is_named_like_page(site, directory + name):
                files.append(name)
            elif name in _PACKAGES:
                package = name
            elif entry.is_symlink() and _leads_to_folder(entry):
                if site.home and site.home.link == directory + name:
                    folders.append(name)
                else:
                    links.append(_link_to_folder(site, directory + name))
    home = site.home
    if home and home.folder in (directory + name for name in folders):
        # The link is walked instead.
        folders.remove(home.folder.removeprefix(directory))
        what = "is the link to this folder that the site uses"
        origin = Origin(f"{home.link}/", None, what)
        links.append(Excluded(f"{home.folder}/", Reason.NOT_FOLLOWED, origin))
    return _Names(files=files, folders=folders, links=links, package=package)


def _is_named_like_page(site: SiteRoot, path: str) -> bool:
    """Whether a file is named like a page, in any letter case: by its ending, or by patterns."""
    if site.endings:
        return path.lower().endswith(site.endings)
    pattern = site.include.last_match(path)
    return pattern is not None and not pattern.negated


def _stat_entry(place: str | int, name: str) -> os.stat_result:
    """Stats an entry of a directory. With a descriptor, the path is not resolved again."""
    if isinstance(place, str):
        return os.lstat(os.path.join(place, _os_name(name)))
    return os.lstat(name if _UTF8 else _os_name(name), dir_fd=place)


def _without_ignored(
    site: SiteRoot,
    directory: str,
    names: list[str],
    ending: str,
    place: str | int,
    excluded: list[Excluded],
) -> list[str]:
    """The names that no pattern ignores. Adds the others to `excluded`, with their patterns.

    `ending` is "/" for the names of folders, and "" for those of files. Called for each directory
    of a walk.
    """
    if not names or not site.ignore.may_match(directory, names, ending):
        return names  # the case in most directories
    names_left: list[str] = []
    for name in names:
        path = directory + name + ending
        pattern = site.ignore.last_match(path)
        if pattern is None or pattern.negated:
            names_left.append(name)
        elif not ending and _is_folder(place, name):
            names_left.append(name)  # a folder that is named like a page is decided as a folder
        else:
            excluded.append(Excluded(path, Reason.IGNORED, pattern.origin))
    return names_left


def _is_folder(place: str | int, name: str) -> bool:
    """Whether an entry is a folder, and not a link to one."""
    try:
        return stat.S_ISDIR(_stat_entry(place, name).st_mode)
    except OSError:
        return False


def _in_order(names: Iterable[str]) -> list[str]:
    """Names in byte order, `index.html` first."""
    ordered = sorted(names)
    if len(ordered) < 2:  # the case in most directories of a site with a folder a page
        return ordered
    if not "".join(ordered).isascii():
        ordered.sort(key=_encode)
    if INDEX in ordered:
        ordered.remove(INDEX)
        ordered.insert(0, INDEX)
    return ordered


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def sort_key(entry: Page | Excluded) -> bytes:
    """The key of an entry in walk order."""
    return path_key(entry.path)


def path_key(path: str) -> bytes:
    """The key of a path in walk order: its bytes without a final `index.html`."""
    if path.endswith("/" + INDEX) or path == INDEX:
        path = path.removesuffix(INDEX)
    return _encode(path)


def _stat_pages(
    site: SiteRoot,
    directory: str,
    names: list[str],
    place: str | int,
    excluded: list[Excluded],
) -> tuple[list[Page], list[str]]:
    """Stats entries that are named like pages. Returns the pages, and the folders among them.

    Adds others, such as links that are not followed, to `excluded`. A hot loop.
    """
    pages: list[Page] = []
    folders: list[str] = []
    is_file = stat.S_ISREG
    for name in names:
        try:
            s = _stat_entry(place, name)
            if is_file(s.st_mode):
                fields = (
                    directory + name,
                    s.st_size,
                    s.st_mtime_ns,
                    s.st_ino,
                    s.st_ctime_ns,
                    s.st_dev,
                )
                pages.append(_new_page(fields))
            elif stat.S_ISDIR(s.st_mode):
                folders.append(name)
            else:
                entry = _resolve_symlink(site, directory + name, s.st_mode)
                if isinstance(entry, Page):
                    pages.append(entry)
                else:
                    excluded.append(entry)
        except OSError as error:
            excluded.append(unreadable(directory + name, error))
    return pages, folders


def _resolve_symlink(site: SiteRoot, path: str, mode: int) -> Page | Excluded:
    """The page to which a symbolic link leads, or why an entry that is no file is left out.

    A link is left out if it leads out of the site, or to a file that the walk lists itself. So are
    pipes, sockets and devices. `mode` is from the entry's stat.
    """
    if not stat.S_ISLNK(mode):
        kind = _SPECIAL_FILES.get(stat.S_IFMT(mode), "device")
        return Excluded(path, Reason.NOT_FOLLOWED, Origin(kind))
    try:
        target = os.path.realpath(site.file(path), strict=True)
        status = os.stat(target)
    except OSError:
        return _not_followed(path, "nowhere or in a loop")
    if not site.contains(target):
        return _not_followed(path, "out of the site")
    if not stat.S_ISREG(status.st_mode):
        return _not_followed(path, "to a special file")
    name = os.path.relpath(target, site.root).replace(os.sep, "/")
    if not _UTF8:
        name = _site_name(name)
    if site.include.matches(name) and not site.ignore.matches(name):
        # The target is the page, whatever URL its canonical names.
        origin = Origin(name, None, "is what this symbolic link leads to")
        return Excluded(path, Reason.DUPLICATE, origin)
    return page_of(path, status)


def _not_followed(path: str, where: str) -> Excluded:
    """Leaves out a symbolic link, with the place to which it leads."""
    return Excluded(path, Reason.NOT_FOLLOWED, Origin("symbolic link", None, f"leads {where}"))


def page_of(path: str, s: os.stat_result) -> Page:
    """The page of a file with its size, times and identity."""
    return Page(path, s.st_size, s.st_mtime_ns, s.st_ino, s.st_ctime_ns, s.st_dev)


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    """Whether a symbolic link leads to a folder."""
    try:
        return entry.is_dir()
    except OSError:  # a loop, or below a folder that cannot be entered
        return False


def _link_to_folder(site: SiteRoot, path: str) -> Excluded:
    """Leaves out a link to a folder, because its pages would be listed under two URLs."""
    is_inside = site.contains(os.path.realpath(site.file(path)))
    where = "to a folder of the site" if is_inside else "out of the site"
    return _not_followed(path + "/", where)


def unreadable(path: str, error: OSError) -> Excluded:
    """Leaves out a page or a folder that cannot be read, with the error of the system."""
    return Excluded(path, Reason.UNREADABLE, Origin(error.strerror or type(error).__name__))


def _cut_at_folders(
    directory: str,
    pages: list[Page],
    excluded: list[Excluded],
    folders: list[str],
    twins: dict[str, str],
) -> list[Batch | str]:
    """The entries of a directory, cut at each of its subfolders, so that all are in walk order.

    For the pages `a.html` and `c.html` and the folder `b/`: a run with `a.html`, `b/`, and a run
    with `c.html`. No run is empty.
    """
    if not folders and pages:
        return [_entries(pages, excluded, twins)]
    result: list[Batch | str] = []
    page_start = 0  # the first page that is not yet in the result
    excluded_start = 0
    for subfolder in folders:
        path = directory + subfolder
        key = _encode(path)
        page_end = bisect_left(pages, key, page_start, key=sort_key)
        excluded_end = bisect_left(excluded, key, excluded_start, key=sort_key)
        if page_end > page_start or excluded_end > excluded_start:
            pages_before = pages[page_start:page_end]
            excluded_before = excluded[excluded_start:excluded_end]
            result.append(_entries(pages_before, excluded_before, twins))
        result.append(path)
        page_start = page_end
        excluded_start = excluded_end
    if page_start < len(pages) or excluded_start < len(excluded):
        result.append(_entries(pages[page_start:], excluded[excluded_start:], twins))
    return result


def _entries(pages: list[Page], excluded: list[Excluded], twins: dict[str, str]) -> Batch:
    """A run of entries with those of a directory's `twins` that are its own pages."""
    if not twins:  # the usual case
        return Batch(pages, excluded, twins)
    own = {page.path: twins[page.path] for page in pages if page.path in twins}
    return Batch(pages, excluded, own)


def _find_twins(
    site: SiteRoot, directory: str, pages: list[Page], folders: list[str]
) -> dict[str, str]:
    """The pages of a directory that may have the URL of another file, with that file.

    `b.html` → `b/index.html`, if the folder `b/` has one; `b.html` → `b`, if `include` lists it.
    """
    if not folders and site.endings is not None:
        return {}  # no page is called `b`, because all have endings
    page_paths = {page.path for page in pages}
    folder_paths = {directory + name for name in folders}
    twins: dict[str, str] = {}
    for path in page_paths:
        stem = path.removesuffix(".html")
        other = None
        if stem in folder_paths:
            other = _index_page(site, f"{stem}/")
        elif stem != path and stem in page_paths:
            other = stem
        if other:
            twins[path] = other
    return twins


def _find_second_indexes(site: SiteRoot, directory: str, files: Container[str]) -> dict[str, str]:
    """The index pages of a directory that a server does not show, with the one that it does show.

    `index.htm` → `index.html`, if both exist.
    """
    shown = _index_page(site, directory)
    if shown is None:
        return {}
    indexes = [directory + name for name in INDEXES if name in files]
    return {path: shown for path in indexes if path != shown}


def _index_page(site: SiteRoot, directory: str) -> str | None:
    """The file that a server shows at a folder, None if it has no index page."""
    for name in INDEXES:
        if os.path.isfile(site.file(directory + name)):
            return directory + name
    return None


def would_list(site: SiteRoot, path: str) -> bool:
    """Whether the walk lists a file at a path: no link is above it, and no pattern ignores it."""
    file = site.file(path)
    if os.path.realpath(file) != file:
        return False
    return site.include.matches(path) and not site.ignore.matches(path)


def _site_name(name: str) -> str:
    """The name as UTF-8 with surrogate escapes, in any locale."""
    return os.fsencode(name).decode("utf-8", "surrogateescape")


def _os_name(path: str) -> str:
    """The path of a site as the system's functions expect it, in any locale."""
    return path if _UTF8 else os.fsdecode(_encode(path))
