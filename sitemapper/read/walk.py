"""The walk: lists the files that may be pages. Reads directories, never contents.

Walk order is the byte order of the path without a final `index.html`. A folder's own page comes
first, and the rest is in URL order. Each directory is listed and sorted separately, so the largest
directory bounds memory.

The walk yields small batches. Each has entries of one directory, between two of its subfolders:
`a.html`, `b/x.html` and `c.html` are three batches. `resize_batches` merges and cuts them.
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
# `scandir` on a descriptor makes each stat relative to it: 15 % of a walk (docs/scale.md).
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
    site to which the link leads, such as `2.1`. Both are paths without a final slash.
    """

    link: str
    folder: str

    def without_link(self, path: str) -> str:
        """Replaces the link in a path by its folder: `latest/a.html` → `2.1/a.html`.

        A path that is not below the link stays as it is.
        """
        # With slashes, `latest` itself is found, too, and `latest-news` is not.
        if f"{path}/".startswith(f"{self.link}/"):
            return self.folder + path.removeprefix(self.link)
        return path


class SiteRoot(NamedTuple):
    """The folder of a site, and what decides which of its files are pages.

    `prefix` is the folder's path with a final separator: all files of the site begin with it.
    `endings` are those of `include` if all its patterns are like `*.html`, None otherwise: names
    are compared with them by `str.endswith`, which is faster. `enters_package` tells whether a walk
    enters a folder with a package.json; with None, it enters all of them. The walk follows the link
    of `linked_home`, and not its folder.
    """

    root: str
    prefix: str
    ignore: Patterns
    include: Patterns
    endings: tuple[str, ...] | None
    enters_package: Callable[[str], bool] | None = None
    linked_home: LinkedHome | None = None

    def file(self, path: str) -> str:
        """Makes the path in the file system of a path in the site.

            docs/a.html      → /srv/site/docs/a.html
            latest/a.html    → /srv/site/2.1/a.html, if `linked_home` has the link `latest` to `2.1`

        Files are opened without symbolic links, which may lead out of the site.
        """
        if self.linked_home:
            path = self.linked_home.without_link(path)
        return self.prefix + _os_name(path)

    def patterns_used_by(self, paths: Iterable[str]) -> set[Origin]:
        """Finds which of the user's patterns in `include` list any of these paths.

        `["a.html", "tea.pdf"]` → the origin of `*.pdf`, which lists `tea.pdf`. A built-in pattern
        lists `a.html`. At the end of a run, the user is warned of patterns that listed no page.
        """
        # A shortcut for most sites: if all patterns are the built-in ones, none is the user's.
        if self.endings == PAGE_ENDINGS:
            return set()
        origins = set()
        for path in paths:
            if is_page_name(path):  # a built-in pattern lists it
                continue
            pattern = self.include.deciding_pattern(path)
            if pattern:
                origins.add(pattern.origin)
        return origins

    def is_asked_for(self, path: str, *, is_index: bool) -> bool:
        """Whether the user asked for this file by name, so that it is listed even if it is no page.

        | the setting                         | asks for                      |
        |-------------------------------------|-------------------------------|
        | `LICENSE` in `include`              | `LICENSE`, `docs/LICENSE`     |
        | `*.txt` in `include`                | none, because it names none   |
        | `!genindex.html` in `ignore`        | `genindex.html` if `is_index` |

        `is_index`: the file is an index of terms or modules, which Sphinx or the like wrote. It is
        ignored by default, and asked for by a negation, as docs/sphinx.md says.
        """
        return self._is_included_by_name(path) or (is_index and self._is_kept_by_negation(path))

    def _is_included_by_name(self, path: str) -> bool:
        """Whether a pattern without wildcards in `include` lists this file.

        `LICENSE` → True for `docs/LICENSE`. `*.txt` → False for `docs/a.txt`.
        """
        pattern = self.include.deciding_pattern(path)
        if pattern is None or pattern.negated:
            return False
        name = literal_path(pattern.origin.text)  # None if it has a wildcard
        return name is not None and f"/{path}".lower().endswith(f"/{name.lower()}")

    def _is_kept_by_negation(self, path: str) -> bool:
        """Whether a negation in `ignore` keeps this file: `!a.html` → True for `a.html`."""
        pattern = self.ignore.deciding_pattern(path)
        return pattern is not None and pattern.negated

    def contains(self, file: str) -> bool:
        """Whether an OS path is inside the site. The path must have no symbolic links left."""
        return file.startswith(self.prefix)


def make_site_root(
    folder: str, ignored: Iterable[Line], included: Sequence[str], place: str = ""
) -> SiteRoot:
    """Makes the SiteRoot of a folder from the patterns that ignore and those that list files.

    `included` are the user's patterns, such as `*.pdf`. They are added to the built-in `*.html` and
    the like. Raises SiteError if `folder` is not a folder. The message begins with `place`, where
    the user has written the path: `sitemapper.toml:2: `.
    """
    check_root(folder, place)
    lines = [Line(f"*{ending}", Origin(BUILT_IN, None, f"*{ending}")) for ending in PAGE_ENDINGS]
    lines += [Line(text, Origin("include", None, text)) for text in included]
    include = Patterns(lines, any_case=True)  # `A.HTML` is a page, too
    # If all patterns are plain endings, such as `*.html`, names are compared with these by
    # `str.endswith`, which is faster.
    endings = None
    if all(re.fullmatch(_PLAIN_ENDING, line.text) for line in lines):
        endings = tuple(line.text.removeprefix("*").lower() for line in lines)
    root = os.path.realpath(folder)
    return SiteRoot(
        root=root,
        prefix=os.path.join(root, ""),
        ignore=Patterns(ignored),
        include=include,
        endings=endings,
    )


def check_root(root: str, place: str) -> None:
    """Raises SiteError if there is no folder at the path `root`.

    The message begins with `place`, where the user has written the path: `sitemapper.toml:2: `.
    """
    if os.path.isdir(root):
        return
    if os.path.exists(root):
        raise SiteError(
            f"{place}{root}: is not a folder", "use the folder that your generator wrote"
        )
    written_as = "`site`" if place else "the path"  # the key of a file, or an argument
    help = f"build the site first, or correct {written_as}"
    # Only Windows separates folders by "\". In TOML, the `\b` in ".\build" is a backspace.
    if os.sep == "/" and ("\\" in root or not root.isprintable()):
        help = "separate folders with / and not with \\, as in `site/public`"
    raise SiteError(f"{place}{root}: does not exist", help)


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

    `batches` are what was found. `pending` is what is left: the batches that were not yielded yet,
    and the folders that were not listed yet. It is in reverse order, so its last item is the next.
    """

    batches: Sequence[Batch] = ()
    pending: Sequence[Batch | str] = ("",)  # a new walk has only the site itself before it

    @property
    def pages(self) -> list[Page]:
        """Lists the first 1,000 pages of the site, which are read before a run."""
        pages = chain.from_iterable(batch.pages for batch in self.batches)
        return list(islice(pages, SAMPLE))


NOTHING_YET = Beginning()


def walk(site: SiteRoot, beginning: Beginning = NOTHING_YET) -> Iterator[Batch]:
    """Yields all pages and exclusions of a site in walk order: `a.html`, `b/x.html`, `c.html`.

    A Batch has entries of one directory that follow each other. These three pages are in three
    batches, because `b/` is walked between `a.html` and `c.html`.

    `beginning` has the first pages, if they were walked before. They are yielded without walking
    them again, and then the rest is walked.
    """
    yield from beginning.batches
    pending = [*beginning.pending]  # a copy, because the walk empties the list
    yield from _walk_pending(site, pending)


def begin(site: SiteRoot) -> Beginning:
    """Walks until 1,000 pages were found, or to the end of a smaller site.

    These pages are read before all others are processed, because they show what holds for the whole
    site, such as its URL form: `b`, `b/` or `b.html`. `walk` can go on from the result.
    """
    batches: list[Batch] = []
    pending: list[Batch | str] = [""]  # the site's own folder
    page_count = 0
    for batch in _walk_pending(site, pending):  # takes each batch from `pending`
        batches.append(batch)
        page_count += len(batch.pages)
        if page_count >= SAMPLE:
            break
    return Beginning(batches, pending)  # `pending` has what is left


def _walk_pending(site: SiteRoot, pending: list[Batch | str]) -> Iterator[Batch]:
    """Yields the batches in `pending`, and those of the folders in it, from the last to the first.

    `["c/", "b/"]` → first all batches of `b/` and its subfolders, then those of `c/`. What was
    yielded is removed from `pending`, so that another call can go on with the rest.
    """
    while pending:
        batch_or_folder = pending.pop()
        if isinstance(batch_or_folder, str):
            # Its batches and subfolders are next. The first of them comes last in the list.
            pending += reversed(list_directory(site, batch_or_folder))
        else:
            yield batch_or_folder


def page_names(site: SiteRoot) -> Iterator[str]:
    """Yields the paths in a site that are named like pages, such as `a.html`, without ignored ones.

    This is faster than a walk, because no file gets a stat. So some of the paths may be folders or
    links. A folder's files come before its subfolders, unlike in a walk.
    """
    pending = [""]
    while pending:
        directory = pending.pop()
        try:
            names = _list_names(site, directory, handle=_os_path(site, directory))
        except OSError:  # the walk will report it
            continue
        files, _ = _split_ignored(site, directory, names.like_pages, ending="")
        folders, _ = _split_ignored(site, directory, names.folders, ending="/")
        yield from (directory + name for name in sorted(files))
        pending += (f"{directory}{name}/" for name in sorted(folders, reverse=True))


def resize_batches(batches: Iterable[Batch], size: int) -> Iterator[Batch]:
    """Merges small batches and cuts large ones, so that each has about `size` pages.

    With `size` 1000, batches of 10, 20 and 2,500 pages → one of 1030 pages (10, 20 and the first
    1000), one of 1000 and one of 500. The last batch may be empty. Excluded files count like pages.
    """
    pages: list[Page] = []
    excluded: list[Excluded] = []
    other_files: dict[str, str] = {}
    for batch in batches:
        excluded += batch.excluded
        pages_to_cut = max(1, len(batch.pages))  # a batch without pages is one piece, too
        for start in range(0, pages_to_cut, size):
            pages += batch.pages[start : start + size]
            # Each piece gets all of these, also those for pages of other pieces, which do no harm.
            other_files |= batch.other_files
            if len(pages) + len(excluded) >= size:
                yield Batch(pages, excluded, other_files)
                pages, excluded, other_files = [], [], {}
    yield Batch(pages, excluded, other_files)


def list_directory(site: SiteRoot, directory: str) -> list[Batch | str]:
    """Lists one directory of the site in walk order: its pages and exclusions, and its subfolders.

    For `docs/a.html`, `docs/b/` and `docs/c.html`: a Batch with the first, the text `docs/b/`, and
    a Batch with the last. `directory` is `docs/`, or "" for the site itself.

    A directory that cannot be read becomes a Batch that excludes it as unreadable. For the site
    itself, that raises SiteError.
    """
    path = _os_path(site, directory)
    try:
        if not _BY_DESCRIPTOR:  # as on Windows
            return _read_directory(site, directory, path)
        descriptor = os.open(path, _OPEN)  # not through a link
        try:
            # A folder above it may have become a link out of the site.
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
    """Whether an open folder is really at its path, which was found without symbolic links.

    A folder above it may have been replaced by a link after the walk found it. Then another folder
    was opened, perhaps outside the site: False. The caller must not read it.
    """
    try:
        place_of_open_folder = os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:  # only Linux has /proc/self/fd
        place_of_open_folder = os.path.realpath(path)
    return place_of_open_folder == path


def _read_directory(site: SiteRoot, directory: str, handle: str | int) -> list[Batch | str]:
    """Reads one directory, and sorts what is in it into pages, exclusions and subfolders.

    Returns them in walk order: a Batch with `a.html`, the text `b/`, a Batch with `c.html`.

    `handle` is the open descriptor of the directory or, where the system allows none, its path.
    Raises OSError if it cannot be read.
    """
    names = _list_names(site, directory, handle)
    if names.package and _is_unused_package(site, directory):
        origin = Origin(directory + names.package, None, "a package that no page links to")
        return [Batch([], [Excluded(directory, Reason.IGNORED, origin)], {})]
    # 1. The names like `a.html`. Most are pages, some are folders (`v1.html/`), few are neither.
    files, ignored_files = _split_ignored(site, directory, names.like_pages, ending="")
    pages, folders_like_pages, not_pages = _stat_pages(site, directory, _in_order(files), handle)
    # 2. The subfolders.
    all_folders = [*names.folders, *folders_like_pages]
    folders, ignored_folders = _split_ignored(site, directory, all_folders, ending="/")
    # 3. Which pages share a URL with another file: `b.html` with `b/index.html`, and `index.htm`
    # with `index.html`. An ignored folder `b/` counts, too, because a server still shows its page.
    other_files = _find_other_files(site, directory, pages, all_folders)
    if "index.htm" in files or "index.xhtml" in files:
        other_files |= _find_second_indexes(site, directory, files)
    # 4. All in walk order. The pages are in this order already.
    excluded = [*names.links, *ignored_files, *not_pages, *ignored_folders]
    excluded.sort(key=sort_key)
    subfolders = _in_order([f"{name}/" for name in folders])
    return _place_folders(directory, pages, excluded, subfolders, other_files)


def _is_unused_package(site: SiteRoot, directory: str) -> bool:
    """Whether no page links into a package of JavaScript, such as `vendor/jquery/`.

    False if it is not known which folders have links, and for the site itself (""), which may have
    a `package.json`, too.
    """
    if not directory or site.enters_package is None:
        return False
    return not site.enters_package(directory)


class _Names(NamedTuple):
    """The names in a directory that matter to a walk, in the order of the file system.

    `like_pages` are names such as `a.html`. Some may be folders, because to ask the disk about each
    of them would take long. `folders` are the other folders, which the walk enters. `links` are the
    exclusions of symbolic links to folders. `package` is the file that makes the directory a
    package of JavaScript, such as `package.json`, "" for none.
    """

    like_pages: list[str]
    folders: list[str]
    links: list[Excluded]
    package: str


def _list_names(site: SiteRoot, directory: str, handle: str | int) -> _Names:
    """Lists the names in a directory: those like pages, folders, links to folders, and a package.

    | the name is                          | listed in                                           |
    |--------------------------------------|-----------------------------------------------------|
    | `a.html`, also of a folder           | `like_pages`                                        |
    | a folder                             | `folders`                                           |
    | `A.HTML`, or like `include` lists it | `like_pages`                                        |
    | `package.json` or the like           | `package`                                           |
    | a symbolic link to a folder          | `links`, as an exclusion. `site.linked_home` may be |
    |                                      | one: then it is in `folders`, and its folder is not |
    | any other, such as `tea.css`         | nothing                                             |

    `handle` is the open descriptor of the directory, or its path. Raises OSError if the directory
    cannot be read.
    """
    like_pages: list[str] = []
    folders: list[str] = []
    links: list[Excluded] = []
    package = ""
    endings = site.endings
    with os.scandir(handle) as entries:
        for entry in entries:
            name = entry.name if _UTF8 else _site_name(entry.name)
            if endings and name.endswith(endings):  # most names: the disk need not be asked
                like_pages.append(name)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(name)
            elif _is_named_like_page(site, directory + name):  # such as `A.HTML`
                like_pages.append(name)
            elif name in _PACKAGES:
                package = name
            elif entry.is_symlink() and os.path.isdir(site.file(directory + name)):
                links.append(_link_to_folder(site, directory + name))
    names = _Names(like_pages, folders, links, package)
    if site.linked_home:
        return _with_linked_home(names, directory, site.linked_home)
    return names


def _with_linked_home(names: _Names, directory: str, home: LinkedHome) -> _Names:
    """Moves one link to the `folders` to enter, and excludes the folder to which it leads.

    If the home page redirects to the link `latest`, which leads to the folder `2.1`, the same pages
    are in both. They are listed below `latest/`, so the walk enters this link, and not `2.1`.
    """
    folders = []
    links = []
    for name in names.folders:
        if directory + name == home.folder:
            origin = Origin(f"{home.link}/", None, "is the link to this folder that the site uses")
            links.append(Excluded(f"{home.folder}/", Reason.NOT_FOLLOWED, origin))
        else:
            folders.append(name)
    for link in names.links:
        if link.path == f"{home.link}/":
            folders.append(home.link.removeprefix(directory))
        else:
            links.append(link)
    return names._replace(folders=folders, links=links)


def _is_named_like_page(site: SiteRoot, path: str) -> bool:
    """Whether a file is named like a page: `A.HTML`, or `tea.pdf` if `include` lists `*.pdf`.

    Capitals do not matter.
    """
    if site.endings:  # all patterns are like `*.html`, so they need not be matched, which is slow
        return path.lower().endswith(site.endings)
    pattern = site.include.last_match(path)
    return pattern is not None and not pattern.negated


def _split_ignored(
    site: SiteRoot, directory: str, names: list[str], ending: str
) -> tuple[list[str], list[Excluded]]:
    """Returns the names in a directory that no pattern ignores, and exclusions of the others.

    `names` are either all folders, with the `ending` "/", or all files, with "". Folders `a` and
    `drafts`, and the pattern `drafts/` → `["a"]`, and the exclusion of `drafts/` by this pattern.
    """
    if not names or not site.ignore.may_match(directory, names, ending):
        return names, []  # the case in most directories
    names_left: list[str] = []
    excluded: list[Excluded] = []
    for name in names:
        path = directory + name + ending
        pattern = site.ignore.last_match(path)
        if pattern is None or pattern.negated:
            names_left.append(name)
            continue
        # A folder that is called like a page, such as `v1.html`, is among the files. It is not
        # excluded as a file: the caller puts it among the folders, and asks whether a pattern
        # ignores `v1.html/`.
        file = site.file(path)
        is_folder_among_files = not ending and os.path.isdir(file) and not os.path.islink(file)
        if is_folder_among_files:
            names_left.append(name)
        else:
            excluded.append(Excluded(path, Reason.IGNORED, pattern.origin))
    return names_left, excluded


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
    site: SiteRoot, directory: str, names: list[str], handle: str | int
) -> tuple[list[Page], list[str], list[Excluded]]:
    """Sorts the entries of a directory that are called like pages into three lists, by their stat.

    | the entry is                                     | result                             |
    |--------------------------------------------------|------------------------------------|
    | a file, such as `a.html`                         | a page, in the first list          |
    | a folder, such as `v1.html/`                     | its name, in the second list       |
    | a link to a file that the walk does not list     | a page, in the first list          |
    | another link, a pipe, or a file whose stat fails | an exclusion, in the third list    |

    `names` are the entries. `handle` is the open descriptor of the directory, or its path.
    """
    pages: list[Page] = []
    folders: list[str] = []
    excluded: list[Excluded] = []
    is_file = stat.S_ISREG  # a local name, because this loop runs for each page
    for name in names:
        os_name = name if _UTF8 else _os_name(name)  # in the encoding of the locale
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
                pages.append(_new_page(fields))  # faster than Page(…)
            elif stat.S_ISDIR(s.st_mode):
                folders.append(name)
            else:
                entry = _resolve_special(site, directory + name, s.st_mode)
                if isinstance(entry, Page):
                    pages.append(entry)
                else:
                    excluded.append(entry)
        except OSError as error:
            excluded.append(unreadable(directory + name, error))
    return pages, folders, excluded


def _resolve_special(site: SiteRoot, path: str, mode: int) -> Page | Excluded:
    """Makes a page or an exclusion of an entry that is neither a file nor a folder.

    | the entry is                                    | result                                 |
    |-------------------------------------------------|----------------------------------------|
    | a pipe, a socket or a device, or a link to one  | excluded                               |
    | a link to nowhere, a folder or out of the site  | excluded                               |
    | a link to `a.html`, which the walk lists itself | excluded, because `a.html` is the page |
    | `tea.html`, which is a link to `tea.txt`        | a page: the walk lists no `tea.txt`    |

    The entry is named like a page. `mode` is from its stat.
    """
    is_symlink = stat.S_ISLNK(mode)
    if not is_symlink:
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
    target_path = os.path.relpath(target, site.root).replace(os.sep, "/")
    if not _UTF8:  # `relpath` is in the encoding of the locale, and patterns are in UTF-8
        target_path = _site_name(target_path)
    walk_finds_target = site.include.matches(target_path) and not site.ignore.matches(target_path)
    if walk_finds_target:
        origin = Origin(target_path, None, "is what this symbolic link leads to")
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


def _place_folders(
    directory: str,
    pages: list[Page],
    excluded: list[Excluded],
    folders: list[str],
    other_files: dict[str, str],
) -> list[Batch | str]:
    """Places the subfolders of a directory between its pages and exclusions, in walk order.

    In `docs/`, pages `a.html` and `c.html`, subfolder `b/` → a Batch with `docs/a.html`, the path
    `docs/b/`, a Batch with `docs/c.html`. No Batch is empty.

    `pages`, `excluded` and `folders` are sorted already. `other_files` are those that share a URL
    with a page of the directory: `{"docs/b.html": "docs/b/index.html"}`.
    """
    if pages and not folders:  # most directories: the lists need not be copied
        return [_make_batch(pages, excluded, other_files)]
    batches_and_folders: list[Batch | str] = []
    # The first page, and the first exclusion, that are in no batch yet.
    page_start = 0
    excluded_start = 0
    for name in folders:
        folder_path = directory + name
        folder_key = _encode(folder_path)
        page_end = bisect_left(pages, folder_key, page_start, key=sort_key)
        excluded_end = bisect_left(excluded, folder_key, excluded_start, key=sort_key)
        if page_end > page_start or excluded_end > excluded_start:
            pages_before = pages[page_start:page_end]
            excluded_before = excluded[excluded_start:excluded_end]
            batches_and_folders.append(_make_batch(pages_before, excluded_before, other_files))
        batches_and_folders.append(folder_path)
        page_start = page_end
        excluded_start = excluded_end
    # The entries after the last subfolder.
    pages_left = pages[page_start:]
    excluded_left = excluded[excluded_start:]
    if pages_left or excluded_left:
        batches_and_folders.append(_make_batch(pages_left, excluded_left, other_files))
    return batches_and_folders


def _make_batch(pages: list[Page], excluded: list[Excluded], other_files: dict[str, str]) -> Batch:
    """Makes a Batch of some pages and exclusions of a directory.

    `other_files` are those that share a URL with any page of the directory: `{"b.html":
    "b/index.html"}`. The batch gets only those of its own pages, because a directory with thousands
    of pages may have thousands of batches.
    """
    if not other_files:  # most directories
        return Batch(pages, excluded, other_files)
    own = {page.path: other_files[page.path] for page in pages if page.path in other_files}
    return Batch(pages, excluded, own)


def _find_other_files(
    site: SiteRoot, directory: str, pages: list[Page], folders: list[str]
) -> dict[str, str]:
    """Finds the pages of a directory that may have the same URL as another file of the site.

    A server may show each of these files at `/b`:

    - `b.html`, and the folder `b` with an index page → `{"b.html": "b/index.html"}`
    - `b.html`, and a file `b`, which the user lists by `include` → `{"b.html": "b"}`
    """
    all_pages_have_endings = site.endings is not None  # so no page is a file such as `b`
    if not folders and all_pages_have_endings:
        return {}  # most directories
    page_paths = {page.path for page in pages}
    folder_paths = {directory + name for name in folders}
    other_files: dict[str, str] = {}
    for path in page_paths:
        stem = path.removesuffix(".html")
        other = None
        if stem in folder_paths:  # the folder `b`
            other = _index_page(site, f"{stem}/")  # None without an index page
        elif stem != path and stem in page_paths:  # the file `b`
            other = stem
        if other:
            other_files[path] = other
    return other_files


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
    """Turns a file name, as the system gives it, into a part of a site path.

    Site paths are always UTF-8, whatever the encoding of the locale. Bytes that are not UTF-8
    become surrogates (PEP 383).
    """
    return os.fsencode(name).decode("utf-8", "surrogateescape")


def _os_name(path: str) -> str:
    """Turns a site path into the text that functions such as `os.stat` need for this file.

    A site path is UTF-8, and so is the name of the file on the disk: `ä` is two bytes. But Python
    encodes the text for the disk in the encoding of the locale. If that is Latin-1, the text must
    be `Ã¤`, which gives these two bytes. In a UTF-8 locale, the text is the path itself.
    """
    return path if _UTF8 else os.fsdecode(_encode(path))
