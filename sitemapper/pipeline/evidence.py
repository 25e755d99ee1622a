"""The data about pages in git, the ledger and the cache, joined to the batches of a walk.

Workers get pages with their evidence. Only this module reads git, the ledger and the cache.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import cache, partial
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ..errors import NetworkError, with_help
from ..fs import regular, relative
from ..lastmod import ledger
from ..lastmod.ledger import LedgerFile
from ..model import Batch, BatchResult, Candidate, Diagnostic, WarningKind
from ..pages.cache import PageCache, file_of
from ..recent import Spill
from ..settled import Run, Site
from ..site.read import read
from ..site.server import find_page
from ..site.walk import SiteRoot, page_names
from ..syntax.html import SIZE_LIMIT, parse_tree
from .plan import Plan
from .process import is_listed

if TYPE_CHECKING:
    from ..lastmod.git import History
    from ..lastmod.sources import Source

LARGEST = 1 << 30  # bytes of a live ledger
_LIVE_DEADLINE = 60.0  # seconds for the live ledger, redirects included


class Evidence:
    """Attaches evidence to batches in walk order, and stores the records of pages."""

    def __init__(self, plan: Plan, cache: PageCache | None, on_commit: Callable[[], None]) -> None:
        """Reads the history if git is a source. Raises LedgerError if the ledger cannot be read."""
        self.diagnostics: list[Diagnostic] = []
        self.no_git = ("", "")  # why git dates no page, and what to do
        self.git: History | None = None
        self._notes: list[str] = []
        self._cache = cache
        self._is_auto_dated = plan.site.is_auto_dated
        self._versions = Spill() if plan.policy.versions else None
        self._ledger: ledger.LedgerReader | None = None
        if "git" in plan.site.date_sources:
            self.git = self._open_history(plan, on_commit)
        if plan.ledger:
            self._ledger = ledger.LedgerReader(plan.ledger, plan.date_policy.writer)

    def attach(self, batch: Batch) -> Batch:
        """The next batch with the evidence for its pages. Raises LedgerError."""
        if self.git:
            dates, sources = self.git.dates([page.path for page in batch.pages])
            batch = batch._replace(git=dates, sources=sources)
        if self._ledger:
            batch = batch._replace(ledger=self._ledger.rows(batch.pages))
        if self._versions:
            batch = batch._replace(versions=self._versions.get(page.path for page in batch.pages))
        if self._cache:
            batch = batch._replace(cached=self._cache.records_of(batch.pages))
        return batch

    def store(self, batch: Batch, result: BatchResult) -> None:
        """Stores the records of a batch."""
        if self._versions:
            self._versions.put(result.versions)
        if self._cache:
            self._cache.store(batch.pages, result.records)

    @property
    def ledger_rows(self) -> tuple[int, int]:
        """The number of rows in the ledger, and the number of these that belong to this site."""
        return (self._ledger.count, self._ledger.matched) if self._ledger else (0, 0)

    @property
    def notes(self) -> list[str]:
        """Why sources were not searched, and why the cache was not written."""
        if not (self._cache and self._cache.problem):
            return self._notes
        what = f"the cache cannot be written: {self._cache.problem}"
        return [*self._notes, with_help(what, "to build without it, pass --no-cache")]

    def finish(self) -> None:
        """Reads the rest of the ledger after the last batch, to find damaged lines.

        Warns if git knows none of the pages. Raises LedgerError.
        """
        if self._ledger:
            self._ledger.finish()
        if self.git and self.git.idle and not self._is_auto_dated:
            self.diagnostics.append(Diagnostic(WarningKind.GIT, self.git.idle))

    def _open_history(self, plan: Plan, on_commit: Callable[[], None]) -> History | None:
        """The history with its dates. None if it dates no page, with the reason in `no_git`."""
        # Imported here: SQLite and what runs programs cost start-up.
        from ..lastmod import git, repository

        try:
            history = git.History(plan.site, plan.git_maps)
            history.candidates, note = find_candidates(history, plan.root)
            if note:
                self._notes.append(note)
            if plan.site.is_auto_dated and not _may_date(history, plan.site):
                history.close()
                return None
            history.read(on_commit, partial(is_listed, plan) if self._is_auto_dated else None)
        except repository.GitError as error:
            self.no_git = (error.cause, error.step)
            self._warn_of_git([str(error)])
            return None
        self._warn_of_git(history.problems)
        return history

    def _warn_of_git(self, problems: Iterable[str]) -> None:
        """Warns if somebody chose git. Otherwise, other sources take its place."""
        if not self._is_auto_dated:
            self.diagnostics += [Diagnostic(WarningKind.GIT, problem) for problem in problems]

    def close(self) -> None:
        """Closes the files."""
        if self.git:
            self.git.close()
        if self._versions:
            self._versions.close()


def _may_date(history: History, site: Site) -> bool:
    """Whether the history may date pages: by their sources, or by the commits of the pages.

    Raises GitError.
    """
    from ..lastmod import repository

    if history.maps or history.source_files or history.candidates:
        return True
    sitemap = site.output.path(site.output.name)
    return repository.dates_pages_themselves(site.root, sitemap, site.project)


def find_candidates(
    history: History, root: SiteRoot
) -> tuple[dict[str, tuple[Candidate, ...]], str]:
    """The sources that fit the paths and titles of pages. A note if there are too many files.

    Reads the beginnings of sources, and a few pages.
    """
    from ..lastmod import sources

    project = "" if history.project == "." else history.project
    site = "" if history.site == "." else history.site
    names: list[str] = []
    # With this file of mike, the pages are of older versions of the sources.
    if not os.path.isfile(root.file("versions.json")):
        names = sources.candidate_names(history.files(), project, site)
    if len(names) > sources.MAX_SOURCES:
        what = f"{len(names):,} files may be sources of pages, too many to compare"
        return {}, with_help(what, "name the sources with [[git.map]]")
    read_sources = (_read_source(history.top, name) for name in names)
    matching = sources.Matching(source for source in read_sources if source)
    for path in history.mark_pages(page_names(root)):
        matching.add(path)
    titles_of = cache(partial(_read_titles, root))
    return matching.candidates(titles_of, history.folders), ""


def _read_source(top: str, name: str) -> Source | None:
    """The facts in a source file. None if it makes no page, or is not a regular file."""
    from ..lastmod.sources import make_source
    from ..syntax.source_text import SOURCE_LIMIT, read_source

    path = os.path.join(top, name)
    if os.path.islink(path):
        return None
    try:
        size = os.lstat(path).st_size
        data = regular(path, SOURCE_LIMIT)
    except OSError:
        return None
    if data is None:
        return None
    facts = read_source(data)
    return make_source(name, size, facts) if facts else None


def _read_titles(root: SiteRoot, path: str) -> tuple[str, ...]:
    """The titles that a page shows. Empty if it cannot be read."""
    from ..extract.content import read_titles

    page = find_page(root, path)
    if page is None:
        return ()
    try:
        data = read(root, page, SIZE_LIMIT)
    except OSError:
        return ()
    return read_titles(parse_tree(data))


@contextmanager
def open_ledger(site: Site, run: Run) -> Iterator[tuple[LedgerFile | None, tuple[str, ...]]]:
    """The ledger to read, None if there is none, and notes about it.

    It is a copy of the live ledger if there is no local one. Raises LedgerError if the live one
    cannot be read, unless the site answers that it does not exist.
    """
    own = local_ledger(site, run)
    if own is None or not site.has_live_ledger or run.no_live:
        yield own, ()
        return
    url = site.base_url + site.output.live_name
    if not ledger.is_first_run(own.path):
        yield own, (f"dates are from {own.label}, not from {url}",)
        return
    with TemporaryDirectory(prefix="sitemapper-", ignore_cleanup_errors=True) as folder:
        copy = os.path.join(folder, site.output.live_name)
        if _download(url, copy, run):
            yield LedgerFile(copy, url, is_live=True), ()
        else:
            yield own, (f"{url} does not exist yet, so this is a first run",)


def _download(url: str, copy: str, run: Run) -> bool:
    """Copies the live ledger to a file. Whether there is one. Raises LedgerError."""
    # Imported here: urllib3 is an extra.
    from ..net.client import Client

    client = Client(run.proxies, deadline=_LIVE_DEADLINE)
    try:
        with open(copy, "wb") as file:
            status = client.download(url, file, LARGEST)
    except NetworkError as error:
        raise ledger.live_error(url, str(error).removeprefix(f"{url}: ")) from error
    if status in (404, 410):
        return False
    if status != 200:
        raise ledger.live_error(url, f"answers {status}")
    ledger.check_live(copy, url)
    return True


def local_ledger(site: Site, run: Run) -> LedgerFile | None:
    """The ledger of a site, None if it is not a source of dates."""
    if site.ledger is None:
        return None
    return LedgerFile(site.ledger, run.display(site.ledger))


@contextmanager
def open_evidence(
    plan: Plan, cache: str | None = None, on_commit: Callable[[], None] = lambda: None
) -> Iterator[Evidence]:
    """The evidence for one stream.

    `cache` is the folder of records. Calls `on_commit` for each commit.
    """
    site = plan.site
    stamp = plan.read_options.stamp.encode()
    # On any machine, a site is identified by its URL and its path in the project.
    place = f"{site.base_url} {relative(site.root, site.project)}"
    opened: AbstractContextManager[PageCache | None] = nullcontext()
    if cache and stamp:
        opened = PageCache(file_of(cache, place), stamp, plan.started)
    with opened as records, closing(Evidence(plan, records, on_commit)) as evidence:
        yield evidence
