"""The folders behind symbolic links that a walk enters: those to which pages link."""

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain, islice

from ..model import Page
from ..read import server, walk
from ..read.metadata import refresh_target
from .first_look import SAMPLE, FirstLook
from .first_pages import FirstPages


def follow_links(reader: FirstPages, *, follows_refresh: bool) -> walk.SiteRoot:
    """The folder of a site, with a walk that follows the links of the first pages.

    If its home page redirects to a folder that is a symbolic link, this is followed too.
    """
    home = _linked_home(reader) if follows_refresh else None
    return reader.root._replace(is_linked=LinkedFolders(reader), home=home)


def _linked_home(reader: FirstPages) -> walk.LinkedHome | None:
    """The link to which the home page redirects, if a folder of the site is behind it.

    Tools that publish several versions of a documentation write index.html with a refresh to
    `latest/`, and `latest` is a symbolic link to `2.1`.
    """
    root = reader.root
    link = _folder_of_refresh(reader)
    if not link:
        return None
    file = root.file(link)
    if not (os.path.islink(file) and os.path.isdir(file)):
        return None
    folder = os.path.relpath(os.path.realpath(file), root.root).replace(os.sep, "/")
    is_outside = folder.startswith("..")
    is_site_itself = folder == "."
    if is_outside or is_site_itself:
        return None
    return walk.LinkedHome(link, folder)


def _folder_of_refresh(reader: FirstPages) -> str:
    """The folder to which the refresh of the home page leads, without a final slash, "" if none."""
    page = server.find_page(reader.root, walk.INDEX)
    if page is None:
        return ""
    data = reader.first_look.page(reader.root, page).data
    if b"refresh" not in data.lower():  # most sites need no parser for this
        return ""
    target = refresh_target(data)
    path = reader.path_of(target, "") if target else None
    if path is None:
        return ""
    return path.removesuffix(walk.INDEX).rstrip("/")


class LinkedFolders:
    """The folders to which the first pages link. Read when a walk first needs them."""

    def __init__(self, reader: FirstPages) -> None:
        self._reader = reader

    def __call__(self, folder: str, beside: Sequence[str]) -> bool:
        """Whether a walk enters a folder, such as `a/b/`.

        It does if the first pages or those `beside` the folder link into it, if a pattern such as
        `!b/` includes it, or if the first pages have no links at all, so that nothing is known.
        """
        if not self._folders:
            return True
        if folder in self._folders or self._is_included(folder):
            return True
        found = [server.find_page(self._reader.root, path) for path in beside]
        pages = [page for page in found if page]
        # There may be many such pages in a run, and no one reads them again.
        apart = self._reader._replace(first_look=FirstLook(self._reader.first_look.cwd))
        return folder in _folders_linked_by(pages, apart)

    def _is_included(self, folder: str) -> bool:
        """Whether the last ignore pattern that matches a folder is a negated one, such as `!b/`."""
        pattern = self._reader.root.ignore.last_match(folder)
        return pattern is not None and pattern.negated

    @cached_property
    def _folders(self) -> frozenset[str]:
        """The folders to which the first pages link. Empty if those have no links."""
        # This walk decides which folders are linked, so it cannot ask which ones are.
        root = self._reader.root._replace(is_linked=_enter_none)
        pages = chain.from_iterable(run.pages for run in walk.walk(root))
        return _folders_linked_by(islice(pages, SAMPLE), self._reader)


def _folders_linked_by(pages: Iterable[Page], reader: FirstPages) -> frozenset[str]:
    """The folders to which pages link, with the folders above and the site itself ("").

    A link to `a/b/c.html` gives "", `a/` and `a/b/`.
    """
    folders = set()
    for file, _ in reader.links(pages):
        folders.add("")
        for place, character in enumerate(file):
            if character == "/":
                folders.add(file[: place + 1])
    return frozenset(folders)


def _enter_none(_folder: str, _beside: Sequence[str]) -> bool:
    return False
