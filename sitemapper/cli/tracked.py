"""`--tracked`: the output files and listed pages that git does not track."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from ..errors import SitemapperError, with_help
from ..find.load import Setup
from ..lastmod.repository import GitError, untracked, untracked_pages
from ..model import Excluded
from ..observer import Observer
from ..read.walk import make_site_root, would_list
from .text import FEW

_IN_CI = "run sitemapper check in CI, after the build of the site, instead of this hook"


@contextmanager
def _git_errors() -> Iterator[None]:
    """Raises SitemapperError if git fails in the `with` block. The message names the flag."""
    try:
        yield
    except GitError as error:
        raise SitemapperError(f"--tracked: {error}") from None


class UntrackedPages(Observer):
    """Collects the listed pages that git does not track.

    At first, these are all pages on disk that git does not track. During the run, `excluded` takes
    out those that are not listed. Raises SitemapperError if git cannot be asked, for example about
    a folder that is in no repository.
    """

    wants_changes = False

    def __init__(self, setup: Setup) -> None:
        """Asks git which files of the site it does not track, and keeps those that are pages."""
        self._site = setup.site
        self._run = setup.run
        # Whether a file is a page depends on the patterns of the site, `ignore` and `include`.
        root = make_site_root(self._site.root, self._site.ignore, self._site.include)
        is_page = partial(would_list, root)
        # The paths of pages that git does not track. `excluded` removes those that are not listed.
        with _git_errors():
            self._pages = untracked_pages(self._site.root, self._site.project, is_page)

    def excluded(self, excluded: Excluded) -> None:
        """Takes out a page that is not listed, because git need not track it."""
        self._pages.discard(excluded.path)

    def problems(self, files: Sequence[str]) -> Iterator[str]:
        """Yields a message for each of `files`, and for each listed page, that git does not track.

        `public/sitemap.xml: is not tracked by git`. After 20 pages, one message counts the others.
        If git ignores the sitemap, there is only a message about that: nothing can be committed.

        Raises SitemapperError if git cannot be asked.
        """
        existing = [file for file in files if os.path.exists(file)]
        with _git_errors():
            missing, ignored = untracked(existing, self._site.project)
        if ignored:
            name = self._run.display(ignored[0])
            yield with_help(f"{name}: git ignores it, so there is nothing to commit", _IN_CI)
            return
        for file in missing:
            yield with_help(f"{file}: is not tracked by git", f"git add {file}")
        site = self._run.display(self._site.root)
        pages = sorted(self._pages)
        for page in pages[:FEW]:
            file = f"{site}/{page}"
            yield with_help(f"{file}: is listed, but not tracked by git", f"git add {file}")
        others = len(pages) - FEW
        if others > 0:
            yield with_help(
                f"{others:,} more listed pages are not tracked by git", f"git add {site}"
            )
