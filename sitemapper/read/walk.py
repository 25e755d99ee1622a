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
        """Replaces the link in a path by its folder: `latest/a.html` → `2.1/a.html`.

        A path that is not below the link stays as it is.
        """
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
        """Makes the OS path of a site path: `docs/a.html` → `/srv/site/docs/a.html`.

        For a path below the link of `home`, it is that of the file in the folder of the link.
        """
        if self.home:
            path = self.home.without_link(path)
        return self.inside + _os_name(path)

    def listed_beside_html(self, paths: Iterable[str]) -> set[Origin]:
        """Finds the patterns of `include` by which files other than HTML are listed.

        Returns where the patterns are written that list one of these paths. With the pattern
        `*.pdf`, `["a.html", "tea.pdf"]` → the origin of `*.pdf`.
        """
        if self.endings == PAGE_ENDINGS:
            return set()  # the user added no pattern
        origins = set()
        for path in paths:
            if is_page_name(path):
                continue
            pattern = self.include.deciding_pattern(path)
            if pattern:
                origins.add(pattern.origin)
        return origins

    def lists_any_kind(self, path: str, *, is_index: bool) -> bool:
        """Whether the user asked for this file by name, so that it is listed even if it is no page.

        That is by a pattern of `include` without a wildcard, or by a negated pattern of `ignore`:

        - the pattern `LICENSE` of `include`, without a wildcard, and `docs/LICENSE` → True
        - the pattern `*.txt`, and `docs/a.txt` → False
        - the negated ignore pattern `!genindex.html` → True, only if a generator wrote the file as
          an index (`is_index`)
        """
        if is_index:
            ignored = self.ignore.deciding_pattern(path)
            if ignored and ignored.negated:
                return True
        included = self.include.deciding_pattern(path)
        if included is None or included.negated:
            return False
        name = literal_path(included.origin.text)  # None if it has a wildcard
        return name is not None and f"/{path}".lower().endswith(f"/{name.lower()}")

    def contains(self, file: str) -> bool:
        """Whether an OS path is inside the site. The path must have no symbolic links left."""
        return file.startswith(self.inside)


def folder(
    root: str, ignored: Iterable[Line], included: Sequence[str], prefix: str = ""
) -> SiteRoot:
    """Makes the SiteRoot of a folder from the patterns that ignore and those that list files.

    `included` are the user's patterns, such as `*.pdf`. They are added to the built-in `*.html` and
    its like. Raises SiteError if `root` is not a folder. Its message begins with `prefix`.
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
    return SiteRoot(
        root=real,
        inside=os.path.join(real, ""),
        ignore=Patterns(ignored),
        include=include,
        endings=endings,
    )


def check_root(root: str, prefix: str) -> None:
    """Raises SiteError if there is no folder at the path `root`.

    The message begins with `prefix`, the place where the path is written: `sitemapper.toml:2: `.
    """
    if os.path.isdir(root):
        return
    if os.path.exists(root):
        raise SiteError(
            f"{prefix}{root}: is not a folder", "name the folder that your generator wrote"
        )
    written_as = "`site`" if prefix else "the path"
    help = f"build the site first, or correct {written_as}"
    # Only Windows separates folders by "\". In TOML, the `\b` in ".\build" is a backspace.
    if os.sep == "/" and ("\\" in root or not root.isprintable()):
        help = "write the folder with slashes, such as `site/public`"
    raise SiteError(f"{prefix}{root}: does not exist", help)


def describe_no_html(folder: str) -> str:
    """Says for an error that a folder has no HTML, or that its home page is a program.

    With `index.php`: "index.php is a program, and no *.html is here; --include index.php lists it".
    """
    for name in ("index.php", "index.asp", "index.jsp", "index.cgi"):
        if os.path.isfile(os.path.join(folder, name)):
            return f"{name} is a program, and no *.html is here; --include {name} lists it"
    return "there is no HTML here"


class Beginning(NamedTuple):
    """A walk that was stopped early, so that `walk` can go on from there.

    `runs` are the runs of entries that were found. `pending` are the runs and folders that are
    left, in reverse order: the last is the next.
    """

    runs: Sequence[Batch] = ()
    pending: Sequence[Batch | str] = ("",)  # a new walk has only the site itself before it

    @property
    def pages(self) -> list[Page]:
        """The pages that are read before a run."""
        return list(islice(chain.from_iterable(run.pages for run in self.runs), SAMPLE))


NOTHING_YET = Beginning()


def walk(site: SiteRoot, beginning: Beginning = NOTHING_YET) -> Iterator[Batch]:
    """Yields the whole site in walk order, as runs of entries between subfolders.

    `a.html`, `b/x.html`, `c.html` → three runs. `beginning` is what `begin` returned: its runs come
    first, and its folders are not listed again.
    """
    yield from beginning.runs
    yield from _walk_pending(site, [*beginning.pending])


def begin(site: SiteRoot) -> Beginning:
    """Walks until SAMPLE pages were found, or to the end of a smaller site.

    These pages are read before the run, for what they show of the whole site. Pass the result to
    `walk`, which goes on after them.
    """
    runs: list[Batch] = []
    pending = [*NOTHING_YET.pending]
    pages = 0
    for run in _walk_pending(site, pending):  # takes from `pending` what it yields
        runs.append(run)
        pages += len(run.pages)
        if pages >= SAMPLE:
            break
    return Beginning(runs, pending)


def _walk_pending(site: SiteRoot, pending: list[Batch | str]) -> Iterator[Batch]:
    """Yields the runs of entries in `pending`, a stack whose last item is the next.

    Each yielded run is taken from the stack. A folder is listed when it is its turn: its runs and
    subfolders then take its place.
    """
    while pending:
        run_or_folder = pending.pop()
        if isinstance(run_or_folder, str):
            pending += reversed(list_directory(site, run_or_folder))
        else:
            yield run_or_folder


def page_names(site: SiteRoot) -> Iterator[str]:
    """Yields the paths that are named like pages, such as `a.html`, without ignored ones.

    This is faster than a walk, because no file is opened and none gets a stat. Therefore some of
    them may be folders or links. A folder's files come before its subfolders, unlike in a walk.
    """
    pending = [""]
    while pending:
        directory = pending.pop()
        path = _os_path(site, directory)
        try:
            names = _list_names(site, directory, path)
        except OSError:  # the walk will report it
            continue
        files = _without_ignored(site, directory, names.files, "", [])
        folders = _without_ignored(site, directory, names.folders, "/", [])
        yield from (directory + name for name in sorted(files))
        pending += (f"{directory}{name}/" for name in sorted(folders, reverse=True))


def batches(runs: Iterable[Batch], size: int) -> Iterator[Batch]:
    """Merges short runs of entries and cuts long ones into batches of about `size` entries.

    With `size` 1000, runs of 10, 20 and 2,500 pages → batches of 1030, 1000 and 500 pages. The last
    batch may be empty.
    """
    pages: list[Page] = []
    excluded: list[Excluded] = []
    twins: dict[str, str] = {}
    for run in runs:
        excluded += run.excluded
        twins |= run.twins
        # At least one part, because a run without pages may have exclusions.
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
    """Lists one directory of the site in walk order: runs of its entries, and its subfolders.

    `directory` is "" for the site, otherwise like `docs/`. For `docs/a.html`, `docs/b/` and
    `docs/c.html`: a run with the first, the text `docs/b/`, and a run with the last.

    A directory that cannot be read becomes one run that excludes it as unreadable. For the site
    itself, that raises SiteError.
    """
    path = _os_path(site, directory)
    try:
        if not _BY_DESCRIPTOR:
            return _read_directory(site, directory, path)
        descriptor = os.open(path, _OPEN)
        try:
            # A folder above it may have been replaced by a link out of the site.
            if not _is_still_at(descriptor, path):
                raise OSError(0, "became a link while the site was read")
            return _read_directory(site, directory, descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if not directory:  # without the site, nothing is left to do
            raise SiteError(
                f"{path}: cannot be listed: {error.strerror}", "check its permissions"
            ) from None
        return [Batch([], [unreadable(directory, error)], {})]


def _os_path(site: SiteRoot, directory: str) -> str:
    """Makes the OS path of a directory: `docs/` → `/srv/site/docs`, "" → `/srv/site`."""
    if not directory:
        return site.root
    return site.file(directory.removesuffix("/"))


def _is_still_at(descriptor: int, path: str) -> bool:
    """Whether an open folder is still the one at its path. If not, the caller must not read it.

    If a folder above it became a link while the site was read, the open folder is another one,
    perhaps outside the site.
    """
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}") == path
    except OSError:  # only Linux has it
        return os.path.realpath(path) == path


def _read_directory(site: SiteRoot, directory: str, handle: str | int) -> list[Batch | str]:
    """Reads one directory, and sorts what is in it into pages, exclusions and subfolders.

    Returns them in walk order, like `list_directory`. Files and folders that a pattern ignores are
    exclusions. A package of JavaScript, such as `vendor/jquery/` with a `package.json`, is one
    exclusion as a whole, unless a page links into it.

    `handle` is the open descriptor of the directory or, where the system allows none, its path.
    Raises OSError if it cannot be read.
    """
    names = _list_names(site, directory, handle)
    is_package_inside = names.package != "" and directory != ""
    if is_package_inside and site.is_linked and not site.is_linked(directory):
        origin = Origin(directory + names.package, None, "a package that no page links to")
        return [Batch([], [Excluded(directory, Reason.IGNORED, origin)], {})]
    all_folders = names.folders
    excluded = names.links
    # First by name, because that is fast: each call adds what is ignored to `excluded`.
    files = _without_ignored(site, directory, names.files, "", excluded)
    folders_to_enter = _without_ignored(site, directory, all_folders, "/", excluded)
    # Then by stat, which also finds folders that are named like pages, such as `v1.html/`.
    pages, named_like_pages = _stat_pages(site, directory, _in_order(files), handle, excluded)
    if named_like_pages:
        all_folders = [*all_folders, *named_like_pages]
        not_ignored = _without_ignored(site, directory, named_like_pages, "/", excluded)
        folders_to_enter = [*folders_to_enter, *not_ignored]
    excluded.sort(key=sort_key)
    # Ignored folders too: for `b.html`, the server may show `b/index.html` though it is ignored.
    twins = _find_twins(site, directory, pages, all_folders)
    if "index.htm" in files or "index.xhtml" in files:
        twins |= _find_second_indexes(site, directory, files)
    subfolders = _in_order([f"{name}/" for name in folders_to_enter])
    return _cut_at_folders(directory, pages, excluded, subfolders, twins)


class _Names(NamedTuple):
    """The names in a directory that matter to a walk, in the order of the file system.

    `files` are named like pages, and some may be folders. `links` are the exclusions of symbolic
    links to folders. `package` is the file that makes the directory a package of JavaScript, such
    as `package.json`, "" for none.
    """

    files: list[str]
    folders: list[str]
    links: list[Excluded]
    package: str


def _list_names(site: SiteRoot, directory: str, handle: str | int) -> _Names:
    """Lists a directory, and sorts the names into files, folders, links and a package's mark.

    Names that do not matter, such as `tea.css`, are dropped. A name that ends like a page counts as
    a file without a check of its type, which would take longest. Links to folders are excluded,
    except the one to which the home page redirects (`site.home`). Raises OSError if the directory
    cannot be read.
    """
    files: list[str] = []
    folders: list[str] = []
    links: list[Excluded] = []
    package = ""
    endings = site.endings
    with os.scandir(handle) as entries:
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
            elif entry.is_symlink() and os.path.isdir(site.file(directory + name)):
                if site.home and site.home.link == directory + name:
                    folders.append(name)
                else:
                    links.append(_link_to_folder(site, directory + name))
    names = _Names(files=files, folders=folders, links=links, package=package)
    if site.home:
        _leave_out_linked_folder(names, directory, site.home)
    return names


def _leave_out_linked_folder(names: _Names, directory: str, home: LinkedHome) -> None:
    """Leaves out the folder behind the link to which the home page redirects, if it is in `names`.

    With `latest -> 2.1`, the pages are listed below `latest/`. So `2.1` is no longer in
    `names.folders`, and its exclusion is in `names.links`.
    """
    name = home.folder.removeprefix(directory)
    if directory + name != home.folder or name not in names.folders:
        return
    names.folders.remove(name)
    what = "is the link to this folder that the site uses"
    origin = Origin(f"{home.link}/", None, what)
    names.links.append(Excluded(f"{home.folder}/", Reason.NOT_FOLLOWED, origin))


def _is_named_like_page(site: SiteRoot, path: str) -> bool:
    """Whether a file is named like a page: `A.HTML`, or `tea.pdf` if `include` lists `*.pdf`."""
    if site.endings:  # all patterns are like `*.html`
        return path.lower().endswith(site.endings)
    pattern = site.include.last_match(path)
    return pattern is not None and not pattern.negated


def _without_ignored(
    site: SiteRoot,
    directory: str,
    names: list[str],
    ending: str,
    excluded: list[Excluded],
) -> list[str]:
    """Returns the names that no pattern ignores, and adds the others to `excluded`.

    `names` are all folders (`ending` is "/") or all files (""). With the pattern `drafts/`:
    `["a", "drafts"]` → `["a"]`. An exclusion names the pattern. A folder named like a page, such as
    `v1.html`, is kept among the files, and a later call decides about it as a folder.
    """
    if not names or not site.ignore.may_match(directory, names, ending):
        return names  # the case in most directories
    names_left: list[str] = []
    for name in names:
        path = directory + name + ending
        pattern = site.ignore.last_match(path)
        if pattern is None or pattern.negated:
            names_left.append(name)
        elif not ending and os.path.isdir(site.file(path)) and not os.path.islink(site.file(path)):
            names_left.append(name)  # `v1.html` is matched later, with its slash: `v1.html/`
        else:
            excluded.append(Excluded(path, Reason.IGNORED, pattern.origin))
    return names_left


def _in_order(names: Iterable[str]) -> list[str]:
    """Sorts the names of a directory in walk order: by bytes, but `index.html` first.

    `["b.html", "index.html", "a.html"]` → `["index.html", "a.html", "b.html"]`.
    """
    ordered = sorted(names)
    if len(ordered) < 2:  # most directories of a site in which each page has a folder
        return ordered
    # For ASCII, the order of characters is that of bytes, and much faster to get.
    if not "".join(ordered).isascii():
        ordered.sort(key=_encode)
    if INDEX in ordered:
        ordered.remove(INDEX)
        ordered.insert(0, INDEX)
    return ordered


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def sort_key(entry: Page | Excluded) -> bytes:
    """Makes the key by which an entry is sorted in walk order, from its path."""
    return path_key(entry.path)


def path_key(path: str) -> bytes:
    """Makes the key that sorts a path in walk order: its bytes without a final `index.html`.

    `docs/index.html` → `docs/`, so a folder's own page comes before its other pages.
    """
    if path.endswith("/" + INDEX) or path == INDEX:
        path = path.removesuffix(INDEX)
    return _encode(path)


def _stat_pages(
    site: SiteRoot,
    directory: str,
    names: list[str],
    handle: str | int,
    excluded: list[Excluded],
) -> tuple[list[Page], list[str]]:
    """Gets the stat of each entry that is named like a page. Returns the pages and the folders.

    `a.html` is a page. `v1.html` may be a folder. A symbolic link is a page if it leads to a file
    that the walk does not list itself. All others are added to `excluded`: other links, pipes, and
    files whose stat fails.
    """
    pages: list[Page] = []
    folders: list[str] = []
    is_file = stat.S_ISREG  # a local name, because this loop runs for each page
    for name in names:
        os_name = name if _UTF8 else _os_name(name)
        try:
            if isinstance(handle, str):
                s = os.lstat(os.path.join(handle, os_name))
            else:
                s = os.lstat(os_name, dir_fd=handle)
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
    """Makes a page of a symbolic link, or the exclusion of an entry that is no page.

    | the entry is                                    | result                                 |
    |-------------------------------------------------|----------------------------------------|
    | a pipe, a socket or a device                    | excluded                               |
    | a link to nowhere, or out of the site           | excluded                               |
    | a link to a pipe, a socket or a device          | excluded                               |
    | a link to `a.html`, which the walk lists        | excluded, because `a.html` is the page |
    | a link to `tea.txt`, which the walk never lists | a page with the path of the link       |

    `mode` is from the entry's stat.
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
        # Two paths show one file. The target is the page, whatever URL its canonical names.
        origin = Origin(name, None, "is what this symbolic link leads to")
        return Excluded(path, Reason.DUPLICATE, origin)
    return page_of(path, status)


def _not_followed(path: str, where: str) -> Excluded:
    """Makes the exclusion of a symbolic link. Its reason says where it leads: "out of the site"."""
    return Excluded(path, Reason.NOT_FOLLOWED, Origin("symbolic link", None, f"leads {where}"))


def page_of(path: str, s: os.stat_result) -> Page:
    """Makes the `Page` of a file from its path in the site and its stat."""
    return Page(path, s.st_size, s.st_mtime_ns, s.st_ino, s.st_ctime_ns, s.st_dev)


def _link_to_folder(site: SiteRoot, path: str) -> Excluded:
    """Makes the exclusion of a symbolic link to a folder. Its pages would have two URLs each.

    Its reason says whether that folder is one of the site, or out of the site.
    """
    is_inside = site.contains(os.path.realpath(site.file(path)))
    where = "to a folder of the site" if is_inside else "out of the site"
    return _not_followed(path + "/", where)


def unreadable(path: str, error: OSError) -> Excluded:
    """Makes the exclusion of a file or folder that cannot be read, with the text of the error.

    That text is the system's, such as "Permission denied".
    """
    return Excluded(path, Reason.UNREADABLE, Origin(error.strerror or type(error).__name__))


def _cut_at_folders(
    directory: str,
    pages: list[Page],
    excluded: list[Excluded],
    folders: list[str],
    twins: dict[str, str],
) -> list[Batch | str]:
    """Puts the subfolders of a directory between its pages and exclusions, in walk order.

    Returns the paths of the subfolders, and a run of the entries before, between and after them.
    Pages `a.html` and `c.html`, folder `b/` → a run with `a.html`, `b/`, a run with `c.html`. There
    are no empty runs. `pages`, `excluded` and `folders` are sorted already.
    """
    if not folders and pages:  # most directories: nothing to cut
        return [_make_run(pages, excluded, twins)]
    runs_and_folders: list[Batch | str] = []
    # The first page, and the first exclusion, that are in no run yet.
    page_start = 0
    excluded_start = 0
    for folder_path in [*(directory + name for name in folders), None]:
        page_end = len(pages)
        excluded_end = len(excluded)
        if folder_path is not None:  # None stands for the end of the directory
            folder_key = _encode(folder_path)
            page_end = bisect_left(pages, folder_key, page_start, key=sort_key)
            excluded_end = bisect_left(excluded, folder_key, excluded_start, key=sort_key)
        if page_end > page_start or excluded_end > excluded_start:
            pages_before = pages[page_start:page_end]
            excluded_before = excluded[excluded_start:excluded_end]
            runs_and_folders.append(_make_run(pages_before, excluded_before, twins))
        if folder_path is not None:
            runs_and_folders.append(folder_path)
        page_start = page_end
        excluded_start = excluded_end
    return runs_and_folders


def _make_run(pages: list[Page], excluded: list[Excluded], twins: dict[str, str]) -> Batch:
    """Makes a run of some entries of a directory: their pages, exclusions and twins.

    `twins` are those of the whole directory: `{"b.html": "b/index.html"}`. The run gets only those
    of its own pages.
    """
    if not twins:  # most directories
        return Batch(pages, excluded, twins)
    own = {page.path: twins[page.path] for page in pages if page.path in twins}
    return Batch(pages, excluded, own)


def _find_twins(
    site: SiteRoot, directory: str, pages: list[Page], folders: list[str]
) -> dict[str, str]:
    """Finds the pages of a directory that may have the same URL as another file of the site.

    `b.html` and `b/index.html` may both be at `/b` → `{"b.html": "b/index.html"}`. If `include`
    lists a file `b` without an ending → `{"b.html": "b"}`.
    """
    if not folders and site.endings is not None:
        return {}  # all pages have endings, so no page is called `b`
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
    """Finds the index pages of a directory that no server shows, because another one comes first.

    With both `index.html` and `index.htm` in `docs/` → `{"docs/index.htm": "docs/index.html"}`.
    """
    shown = _index_page(site, directory)
    if shown is None:
        return {}
    indexes = [directory + name for name in INDEXES if name in files]
    return {path: shown for path in indexes if path != shown}


def _index_page(site: SiteRoot, directory: str) -> str | None:
    """Finds the file that a server shows for a folder: `docs/` → `docs/index.html`, or None."""
    for name in INDEXES:
        if os.path.isfile(site.file(directory + name)):
            return directory + name
    return None


def would_list(site: SiteRoot, path: str) -> bool:
    """Whether the walk would list a file at this path as a page, if there is one.

    It does if the file is no link, is not below a link, is named like a page, and is not ignored.
    """
    file = site.file(path)
    is_link_or_below_one = os.path.realpath(file) != file
    if is_link_or_below_one:
        return False
    return site.include.matches(path) and not site.ignore.matches(path)


def _site_name(name: str) -> str:
    """A name from the system as a part of a site path: UTF-8 with surrogate escapes."""
    return os.fsencode(name).decode("utf-8", "surrogateescape")


def _os_name(path: str) -> str:
    """A site path as the functions of the system expect it, in the encoding of the locale."""
    return path if _UTF8 else os.fsdecode(_encode(path))
