"""Where the first pages lead: into which folders, and the home page into a folder that is a link."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain, islice

from ..config.settings import Settings
from ..extract.metadata import read_metadata
from ..model import Page
from ..site import server, walk
from .url_style import MAX_PAGES, beginnings, linked_files, path_of


def with_links(settings: Settings, root: walk.SiteRoot) -> walk.SiteRoot:
    """The folder of a site, with a walk that follows the links of the first pages."""
    return root._replace(is_linked=LinkedFolders(settings, root), home=_linked_home(settings, root))


def _linked_home(settings: Settings, root: walk.SiteRoot) -> tuple[str, str] | None:
    """The folder that is a link to which the home page redirects, and the folder of the site behind it."""
    page = server.find_page(root, walk.INDEX)
    for _, data in beginnings([page] if page and settings.respect.refresh else [], root):
        target = read_metadata(data).refresh if b"refresh" in data.lower() else None
        path = path_of(target, "", settings) if target else None
        folder = (path or "").removesuffix(walk.INDEX).rstrip("/")
        if folder and os.path.islink(root.file(folder)) and os.path.isdir(root.file(folder)):
            behind = os.path.relpath(os.path.realpath(root.file(folder)), root.root).replace(os.sep, "/")
            return None if behind.startswith("..") or behind == "." else (folder, behind)
    return None


class LinkedFolders:
    """Into which folders the first pages lead. They are read when a walk first comes upon a sign of parts."""

    def __init__(self, settings: Settings, root: walk.SiteRoot) -> None:
        self._settings, self._root = settings, root

    def __call__(self, folder: str, beside: Sequence[str]) -> bool:
        """Whether one of these pages, or those beside the folder, leads into it, or a pattern brings it back.

        True where no page has links.
        """
        above, _, name = folder[:-1].rpartition("/")
        pattern = self._root.ignore.level(above and f"{above}/").decide(name, is_dir=True).get(0)
        if not self._folders or folder in self._folders or (pattern and pattern.negated):
            return True
        pages = filter(None, (server.find_page(self._root, page) for page in beside))
        return folder in self._linked(pages)

    @cached_property
    def _folders(self) -> frozenset[str]:
        root = self._root._replace(is_linked=lambda *_: False)
        pages = chain.from_iterable(run.pages for run in walk.walk(root))
        return self._linked(islice(pages, MAX_PAGES))

    def _linked(self, pages: Iterable[Page]) -> frozenset[str]:
        """The folders into which pages lead, with those above them and the site itself ("")."""
        files = (file for file, _ in linked_files(pages, self._settings, self._root))
        ends = ((file, n) for file in files for n in range(len(file)) if not n or file[n - 1] == "/")
        return frozenset(file[:n] for file, n in ends)
