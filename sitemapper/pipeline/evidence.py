"""The data about pages in git, the ledger and the cache, joined to the batches of a walk.

Workers get pages with their evidence. Only this module reads git, the ledger and the cache.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
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
        site = plan.site
        self.diagnostics: list[Diagnostic] = []
        self._cache = cache
        self._versions = Spill() if plan.policy.versions else None
        self._is_auto_dated = site.is_auto_dated
        has_git = "git" in site.date_sources
        self._notes: list[str] = []
        self.no_git = ("", "")  # why git dates no page, and what to do
        self.git = self._history(plan, on_commit) if has_git else None
        self._ledger: ledger.LedgerReader | None = None
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
        return batch._replace(cached=self._cache.records_of(batch.pages)) if self._cache else batch

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
        """Reads the rest of the ledger after the last batch, to find damaged lines. Raises
        LedgerError.

        Warns if git knows none of the pages.
        """
        if self._ledger:
            self._ledger.finish()
        if self.git and self.git.idle and not self._is_auto_dated:
            self.diagnostics.append(Diagnostic(WarningKind.GIT, self.git.idle))

    def _history(self, plan: Plan, on_commit: Callable[[], None]) -> History | None:
        """The history, if it may date pages."""
        # Imported here: SQLite and what runs programs cost start-up.
        from ..lastmod import git, repository

        try:
            site, is_auto = plan.site, plan.site.is_auto_dated
            history = git.History(site, plan.git_maps)
            history.candidates, note = find_candidates(history, plan.root)
            self._notes += [note] if note else []
            may_date = bool(history.maps or history.source_files or history.candidates)
            if is_auto and not may_date:
                sitemap = site.output.path(site.output.name)
                may_date = repository.dates_pages_themselves(site.root, sitemap, site.project)
            if is_auto and not may_date:
                history.close()
                return None
            history.read(on_commit, partial(is_listed, plan) if is_auto else None)
            problems = () if is_auto else history.problems
            self.diagnostics += [Diagnostic(WarningKind.GIT, problem) for problem in problems]
        except repository.GitError as error:
            self.no_git = error.cause, error.step
            if not plan.site.is_auto_dated:
                self.diagnostics.append(Diagnostic(WarningKind.GIT, str(error)))
            return None
        return history

    def close(self) -> None:
        """Closes the files."""
        if self.git:
            self.git.close()
        if self._versions:
            self._versions.close()


def find_candidates(
    history: History, root: SiteRoot
) -> tuple[dict[str, tuple[Candidate, ...]], str]:
    """The sources that fit the paths and titles of pages. A note if there are too many files.

    Reads the beginnings of sources, and a few pages.
    """
    from ..lastmod import sources

    project = "" if history.project == "." else history.project
    site = "" if history.site == "." else history.site
    is_versioned = os.path.isfile(root.file("versions.json"))  # of mike: from older sources
    names = [] if is_versioned else sources.candidate_names(history.files(), project, site)
    if len(names) > sources.MAX_SOURCES:
        what = f"{len(names):,} files may be sources of pages, too many to compare"
        return {}, with_help(what, "name the sources with [[git.map]]")
    matching = sources.Matching(filter(None, (_read_source(history.top, name) for name in names)))
    for path in history.mark_pages(page_names(root)):
        matching.add(path)
    titles_of = cache(partial(_read_titles, root))
    return matching.candidates(titles_of, history.folders), ""


def _read_source(top: str, name: str) -> Source | None:
    """The facts in a source file. None if it makes no page, or is not a regular file."""
    from ..lastmod.sources import make_source
    from ..syntax.source_text import SOURCE_LIMIT, read_source

    path = os.path.join(top, name)
    try:
        size = os.lstat(path).st_size
        data = None if os.path.islink(path) else regular(path, SOURCE_LIMIT)
    except OSError:
        return None
    facts = read_source(data) if data is not None else None
    return make_source(name, size, facts) if facts else None


def _read_titles(root: SiteRoot, path: str) -> tuple[str, ...]:
    """The titles that a page shows. Empty if it cannot be read."""
    from ..extract.content import read_titles

    page = find_page(root, path)
    try:
        return read_titles(parse_tree(read(root, page, SIZE_LIMIT))) if page else ()
    except OSError:
        return ()


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
    # Imported here: urllib3 is an extra.
    from ..net.client import Client

    with TemporaryDirectory(prefix="sitemapper-", ignore_cleanup_errors=True) as folder:
        copy = os.path.join(folder, site.output.live_name)
        client = Client(run.proxies, deadline=_LIVE_DEADLINE)
        try:
            with open(copy, "wb") as file:
                status = client.download(url, file, LARGEST)
        except NetworkError as error:
            raise ledger.live_error(url, str(error).removeprefix(f"{url}: ")) from error
        if status in (404, 410):
            yield own, (f"{url} does not exist yet, so this is a first run",)
            return
        if status != 200:
            raise ledger.live_error(url, f"answers {status}")
        ledger.check_live(copy, url)
        yield LedgerFile(copy, url, is_live=True), ()


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
    site, reads = plan.site, plan.read_options.stamp.encode()
    # On any machine, a site is identified by its URL and its path in the project.
    place = f"{site.base_url} {relative(site.root, site.project)}"
    pages = (
        PageCache(file_of(cache, place), reads, plan.started) if cache and reads else nullcontext()
    )
    with pages as records, closing(Evidence(plan, records, on_commit)) as evidence:
        yield evidence
