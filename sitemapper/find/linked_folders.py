"""Which folders a walk enters because pages lead there.

These are packages into which a page links, and the symbolic link, such as `latest`, to which the
home page redirects or which most canonicals of its folder name.
"""

import os
from collections.abc import Iterable
from functools import cached_property
from itertools import chain, islice

from ..model import Batch, Page, Reason
from ..read import server, walk
from ..read.metadata import refresh_target
from .first_look import SAMPLE, FirstPages, canonical_of


def follow_links(reader: FirstPages, *, follows_refresh: bool) -> walk.SiteRoot:
    """Returns the site's folder with the rule by which a walk enters folders that it would skip.

    A package such as `editor/`, which has a `package.json`, is entered if a page links into it.
    With `follows_refresh`, so is the symbolic link to which the home page redirects: with
    `latest -> 2.1`, pages are listed as `latest/a.html`, and `2.1/` is left out as a copy.
    """
    home = _make_linked_home(_folder_of_refresh(reader), reader) if follows_refresh else None
    return reader.root._replace(is_linked=LinkedFolders(reader), home=home)


def _make_linked_home(link: str, reader: FirstPages) -> walk.LinkedHome | None:
    """Makes the pair of a symbolic link and the folder of the site to which it leads.

    Tools that publish several versions of a documentation write index.html with a refresh to
    `latest/`, and `latest` is a symbolic link to `2.1`. The result is then `latest` and `2.1`. None
    if `link` is no symbolic link, or leads out of the site or to the site itself.
    """
    root = reader.root
    file = root.file(link)
    if not link or not (os.path.islink(file) and os.path.isdir(file)):
        return None
    target = os.path.relpath(os.path.realpath(file), root.root).replace(os.sep, "/")
    is_outside = target.startswith("..")
    is_site_itself = target == "."  # the walk would list each page twice
    if is_outside or is_site_itself:
        return None
    return walk.LinkedHome(link, target)


def find_link_of_canonicals(
    reader: FirstPages, beginning: walk.Beginning
) -> walk.LinkedHome | None:
    """Finds the symbolic link at the top of a site whose URLs its pages name as canonical.

    With `stable -> v1.0`, `v1.0/a.html` has the canonical `https://a.example/stable/a.html`. If
    more than half of the canonicals in `v1.0/` do so, the result is `stable` and `v1.0`, else None.
    The `beginning` is that of a walk which follows no link.
    """
    # 1. The links at the top of the site: the walk has reported them as not followed.
    homes = []
    for run in (*beginning.runs, *beginning.pending):
        for excluded in run.excluded if isinstance(run, Batch) else ():
            link = excluded.path.removesuffix("/")
            if excluded.reason is Reason.NOT_FOLLOWED and "/" not in link:
                homes.append(_make_linked_home(link, reader))
    if not any(homes) or not reader.follows_canonicals:
        return None
    # 2. The first one that most canonicals in its folder name.
    starts = list(reader.starts(beginning.pages))
    for home in filter(None, homes):
        count = 0  # the canonicals of the folder that name the link, minus the others
        for page, data in starts:
            canonical = canonical_of(data) if page.startswith(f"{home.folder}/") else ""
            path = reader.path_of(canonical, page) if canonical else None
            if path is not None:
                count += 1 if path.startswith(f"{home.link}/") else -1
        if count > 0:  # more than half
            return home
    return None


def _folder_of_refresh(reader: FirstPages) -> str:
    """Finds the folder to which index.html redirects by a meta refresh, "" if to none.

    `<meta http-equiv="refresh" content="0; url=latest/index.html">` → `latest`.
    """
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
    """Decides which packages a walk enters. The first pages are read when they are needed."""

    def __init__(self, reader: FirstPages) -> None:
        self._reader = reader

    def __call__(self, folder: str) -> bool:
        """Whether a walk enters the folder of a package, such as `lib/editor/`.

        It does in each of these cases:
        - one of the first pages links into it
        - a pattern such as `!lib/editor/` includes it
        - the first pages have no links at all, so they show nothing
        """
        if not self._linked_by_first_pages:
            return True
        return folder in self._linked_by_first_pages or self._is_included(folder)

    def _is_included(self, folder: str) -> bool:
        """Whether the last ignore pattern that matches a folder is a negated one, such as `!b/`."""
        pattern = self._reader.root.ignore.last_match(folder)
        return pattern is not None and pattern.negated

    @cached_property
    def _linked_by_first_pages(self) -> frozenset[str]:
        """The folders into which the first pages link, empty if those have no links."""
        # This walk finds out which linked folders to enter, so it enters none.
        root = self._reader.root._replace(is_linked=_enter_none)
        pages = chain.from_iterable(run.pages for run in walk.walk(root))
        return _list_linked_folders(islice(pages, SAMPLE), self._reader)


def _list_linked_folders(pages: Iterable[Page], reader: FirstPages) -> frozenset[str]:
    """Lists the folders into which pages link, with all folders above them, and "" for the site.

    A link to `a/b/c.html` gives "", `a/` and `a/b/`.
    """
    folders = set()
    for file, _ in reader.links(pages):
        folders.add("")
        for place, character in enumerate(file):
            if character == "/":
                folders.add(file[: place + 1])
    return frozenset(folders)


def _enter_none(_folder: str) -> bool:
    return False
