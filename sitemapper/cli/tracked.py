"""`--tracked`: the output files and listed pages that git does not track."""

import os
from collections.abc import Iterator, Sequence
from functools import partial

from ..errors import SitemapperError, with_help
from ..find.settle import Setup
from ..lastmod.repository import GitError, untracked, untracked_pages
from ..model import Excluded
from ..observer import Observer
from ..read.walk import folder, would_list
from ..site import Site
from .text import FEW

_IN_CI = "run sitemapper check in CI, after the build of the site, instead of this hook"


def find_untracked(site: Site) -> set[str]:
    """The pages of the site that git does not track. Raises SitemapperError without an answer."""
    pages = folder(site.root, site.ignore, site.include)
    try:
        return untracked_pages(site.root, site.project, partial(would_list, pages))
    except GitError as error:
        raise SitemapperError(f"--tracked: {error}") from None


class UntrackedPages(Observer):
    """The listed pages that git does not track: all of `pages`, without those that are excluded."""

    wants_changes = False

    def __init__(self, setup: Setup, pages: set[str]) -> None:
        self._site, self._run = setup.site, setup.run
        self._pages = pages

    def excluded(self, excluded: Excluded) -> None:
        """Drops a page that is not listed."""
        self._pages.discard(excluded.path)

    def problems(self, files: Sequence[str]) -> Iterator[str]:
        """A message for each page and each of these files that git does not track.

        Raises SitemapperError if git has no answer.
        """
        existing = [file for file in files if os.path.exists(file)]
        try:
            missing, ignored = untracked(existing, self._site.project)
        except GitError as error:
            raise SitemapperError(f"--tracked: {error}") from None
        if ignored:
            name = self._run.display(ignored[0])
            yield with_help(f"{name}: git ignores it, so there is nothing to commit", _IN_CI)
            return
        for file in missing:
            yield with_help(f"{file}: is not tracked by git", f"git add {file}")
        yield from self._page_problems()

    def _page_problems(self) -> Iterator[str]:
        """A message for each of the first pages, and one for all others."""
        site = self._run.display(self._site.root)
        pages = sorted(self._pages)
        for page in pages[:FEW]:
            file = f"{site}/{page}"
            yield with_help(f"{file}: is listed, but not tracked by git", f"git add {file}")
        others = len(pages) - FEW
        if others > 0:
            problem = f"{others:,} more listed pages are not tracked by git"
            yield with_help(problem, f"git add {site}")
