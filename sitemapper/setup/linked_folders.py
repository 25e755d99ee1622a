"""The folders behind symbolic links that a walk enters: those to which pages link."""

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain, islice

from ..extract.metadata import refresh_target
from ..model import Page
from ..site import server, walk
from .first_pages import FirstPages

_PAGES = 200  # that are read


def follow_links(reader: FirstPages, *, follows_refresh: bool) -> walk.SiteRoot:
    """The folder of a site, with a walk that follows the links of the first pages.

    If its home page redirects to a folder that is a symbolic link, this is followed too.
    """
    home = _linked_home(reader) if follows_refresh else None
    return reader.root._replace(is_linked=LinkedFolders(reader), home=home)


def _linked_home(reader: FirstPages) -> tuple[str, str] | None:
    """The link to which the home page redirects, and the folder behind it. None if there is none."""
    root = reader.root
    page = server.find_page(root, walk.INDEX)
    starts = list(reader.beginnings([page] if page else []))
    if not starts:
        return None
    [(_, data)] = starts
    if b"refresh" not in data.lower():
        return None
    target = refresh_target(data)
    path = reader.path_of(target, "") if target else None
    folder = (path or "").removesuffix(walk.INDEX).rstrip("/")
    if not folder:
        return None
    link = root.file(folder)
    if not (os.path.islink(link) and os.path.isdir(link)):
        return None
    behind = os.path.relpath(os.path.realpath(link), root.root).replace(os.sep, "/")
    if behind.startswith("..") or behind == ".":
        return None
    return folder, behind


class LinkedFolders:
    """The folders to which the first pages link. Read when a walk first needs them."""

    def __init__(self, reader: FirstPages) -> None:
        self._reader = reader

    def __call__(self, folder: str, beside: Sequence[str]) -> bool:
        """Whether these pages, or those beside it, link into a folder, or a pattern includes it.

        True if no page has links.
        """
        if not self._folders or folder in self._folders or self._is_included(folder):
            return True
        pages = (server.find_page(self._reader.root, page) for page in beside)
        return folder in self._linked(page for page in pages if page)

    def _is_included(self, folder: str) -> bool:
        above, _, name = folder[:-1].rpartition("/")
        level = self._reader.root.ignore.level(above and f"{above}/")
        pattern = level.decide(name, is_dir=True).get(0)
        return pattern is not None and pattern.negated

    @cached_property
    def _folders(self) -> frozenset[str]:
        root = self._reader.root._replace(is_linked=_enter_none)
        pages = chain.from_iterable(run.pages for run in walk.walk(root))
        return self._linked(islice(pages, _PAGES))

    def _linked(self, pages: Iterable[Page]) -> frozenset[str]:
        """The folders to which pages link, with the folders above and the site itself ("")."""
        folders = set()
        for file, _ in self._reader.links(pages):
            folders.add("")
            for place, character in enumerate(file):
                if character == "/":
                    folders.add(file[: place + 1])
        return frozenset(folders)


def _enter_none(_folder: str, _beside: Sequence[str]) -> bool:
    return False
