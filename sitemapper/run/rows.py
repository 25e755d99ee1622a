"""Joins what is known of pages to the batches of a walk: a row beside each page.

Only this module reads git, the ledger and the cache for a run. Workers get pages with their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import cache, partial
from itertools import takewhile
from typing import TYPE_CHECKING

from ..fs import relative
from ..lastmod.file_times import with_bursts
from ..lastmod.ledger import LedgerReader
from ..messages import Kind, Message
from ..model import NO_ROW, Batch, BatchResult, Listed
from ..plan import Plan
from ..publish import published
from ..read import walk
from ..read.cache import PageCache, file_of
from ..read.sitemap import parse_row
from ..read.walk import SiteRoot, page_names
from ..recent import Spill
from ..select.alone import select_file
from ..site import Output

if TYPE_CHECKING:
    from ..lastmod.git import History
    from ..lastmod.repository import GitError


class Rows:
    """Joins rows to batches in walk order, and stores the records of pages.

    `diagnostics` are warnings. `no_git` is the error because of which git dates no page.
    """

    def __init__(self, plan: Plan, cache: PageCache | None, on_commit: Callable[[], None]) -> None:
        """Reads the history if git is a source. Raises LedgerError if the ledger cannot be read."""
        self.diagnostics: list[Message] = []
        self.no_git: GitError | None = None
        self.git: History | None = None
        self._published: dict[str, str] = {}  # the dates in the committed sitemap, by URL
        self._notes: list[Message] = []
        self._cache = cache
        self._locator = plan.policy.locator
        self._is_auto_dated = plan.site.is_auto_dated
        self._versions = Spill() if plan.policy.versions else None
        self._ledger: LedgerReader | None = None
        if not {"git", "front_matter", "published"}.isdisjoint(plan.site.date_sources):
            self.git = self._open_history(plan, on_commit)
        if plan.ledger:
            self._ledger = LedgerReader(plan.ledger, plan.date_policy.writer)
        self.needs_bursts = plan.date_policy.needs_bursts

    def attach_all(self, walked: Iterable[Batch]) -> Iterator[Batch]:
        """The batches of a walk with a row beside each page. Raises LedgerError."""
        batches: Iterable[Batch] = map(self._with_git, walked)
        if self.needs_bursts:
            batches = with_bursts(batches)
        return map(self._with_rest, batches)

    def attach(self, batch: Batch) -> Batch:
        """A batch with its rows, without the times of files around it. Raises LedgerError."""
        return self._with_rest(self._with_git(batch))

    def is_copy(self, path: str, site: SiteRoot) -> bool:
        """Whether a copy or a build wrote a page, by the times of the files around it.

        Walks the site up to it, and reads no page.
        """
        walked = walk.batches(walk.walk(site), walk.BATCH)
        for batch in with_bursts(map(self._with_git, walked)):
            for page, row in batch.page_rows():
                if page.path == path:
                    return row.is_copy
        return False

    def _with_git(self, batch: Batch) -> Batch:
        """A batch with what git knows of its pages."""
        if not self.git:
            return batch
        paths = [page.path for page in batch.pages]
        rows = self.git.rows(paths)
        if self._published:
            dates = self._published_dates(paths)
            rows = [
                row._replace(published=own) if own and row is not NO_ROW else row
                for row, own in zip(rows, dates, strict=True)
            ]
        return batch._replace(rows=rows)

    def _with_rest(self, batch: Batch) -> Batch:
        """A batch with the rows of the ledger, and the data of earlier pages and runs."""
        if self._ledger:
            batch = self._ledger.attach(batch)
        if self._versions:
            batch = batch._replace(versions=self._versions.get(page.path for page in batch.pages))
        if self._cache:
            batch = batch._replace(cached=self._cache.records_of(batch.pages))
        return batch

    def _published_dates(self, paths: Sequence[str]) -> Iterator[Mapping[str, str]]:
        """The dates of each page in the committed sitemap, by its URL there.

        A page's canonical may have chosen another form of its URL than that of the site: /b for
        b.html, where other pages end in .html.
        """
        published = self._published
        for path, loc in zip(paths, self._locator.locs(paths), strict=True):
            locs = [loc]
            if loc not in published:
                locs = [*map(self._locator.encoded, self._locator.served_paths(path))]
            yield {loc: published[loc] for loc in locs if loc in published}

    def describe_published(self) -> str:
        """Why a published date still stands."""
        assert self.git and self.git.tracked.sitemap_commit
        commit = self.git.tracked.sitemap_commit.hash[:12].decode()
        return f"in the committed sitemap; unchanged since commit {commit}"

    def store(self, batch: Batch, result: BatchResult) -> None:
        """Stores the records of a batch."""
        if self._versions:
            self._versions.put(result.versions)
        if self._cache:
            self._cache.store(batch.pages, result.records)

    @property
    def ledger_rows(self) -> tuple[int, int]:
        """The number of rows in the ledger, and the number of these that belong to this site."""
        if self._ledger is None:
            return 0, 0
        return self._ledger.count, self._ledger.matched

    @property
    def notes(self) -> list[Message]:
        """Why sources were not searched, and why the cache was not written."""
        if not (self._cache and self._cache.problem):
            return self._notes
        return [*self._notes, Message(Kind.CACHE_NOT_WRITTEN, (self._cache.problem,))]

    def finish(self) -> bytes:
        """Reads the rest of the ledger after the last batch, and returns the rows to keep of it.

        Warns if git knows none of the pages. Raises LedgerError.
        """
        rest = self._ledger.finish() if self._ledger else b""
        if self.git and self.git.idle and not self._is_auto_dated:
            self.diagnostics.append(Message(Kind.GIT, (self.git.idle,)))
        return rest

    def _open_history(self, plan: Plan, on_commit: Callable[[], None]) -> History | None:
        """The history of git with its dates, None if it dates no page.

        If that is because of an error, `no_git` is the error.
        """
        # Imported here: what runs programs costs start-up.
        from ..lastmod import git, repository
        from ..lastmod.source_search import find_possible_sources

        try:
            history = git.History(plan.site, plan.git_maps, plan.root.home)
            is_page_listed = cache(partial(_is_listed, plan))
            found = find_possible_sources(history, plan.root, is_page_listed)
            history.possible_sources = found.by_page
            history.nearest = found.nearest
            if found.note:
                self._notes.append(found.note)
            history.list_files(page_names(plan.root))
            if plan.site.is_auto_dated and not history.may_date:
                return None
            sitemaps: Sequence[str] = ()
            if "published" in plan.site.date_sources:
                sitemaps = committed_sitemaps(history, plan.site.output)
                self._published = read_published(history, sitemaps)
            # Somebody who names git alone wants the dates of all commits.
            history.tracked.read(
                on_commit,
                looks_through=plan.site.date_sources != ("git",),
                sitemaps={repository.raw(path) for path in sitemaps},
            )
        except repository.GitError as error:
            self.no_git = error
            self._warn_of_git([str(error)])
            return None
        self._warn_of_git(history.tracked.problems)
        commit = history.tracked.sitemap_commit
        if commit and not commit.is_certain:
            self.diagnostics.append(Message(Kind.UNCHECKED, (plan.site.output.name,)))
        return history

    def _warn_of_git(self, problems: Iterable[str]) -> None:
        """Warns if somebody chose git. Otherwise, other sources take its place."""
        if not self._is_auto_dated:
            self.diagnostics += [Message(Kind.GIT, (problem,)) for problem in problems]

    def close(self) -> None:
        """Closes the files."""
        if self._versions:
            self._versions.close()


def _is_listed(plan: Plan, path: str) -> bool:
    """Whether a page is listed. Reads its head at most."""
    selected = select_file(path, plan.policy, plan.read_options, plan.root)
    return selected is not None and isinstance(selected.result, Listed)


def committed_sitemaps(history: History, output: Output) -> list[str]:
    """The paths of our sitemaps that are committed, from the root of the repository.

    Raises GitError.
    """
    from ..lastmod.repository import path_below

    tracked = history.tracked
    main = path_below(history.top, output.path(output.name))
    if not tracked.is_committed(main):
        return []
    beginning = takewhile(lambda line: not line.startswith(b"<url>"), tracked.lines(main))
    names = published.names_in(b"\n".join(beginning), output.name)
    if not names:  # another tool wrote it
        return []
    paths = {path_below(history.top, output.path(name)) for name in names}
    return [main, *(path for path in sorted(paths - {main}) if tracked.is_committed(path))]


def read_published(history: History, sitemaps: Iterable[str]) -> dict[str, str]:
    """The dates in committed sitemaps, by URL, "" for a URL without a date. Raises GitError."""
    dates: dict[str, str] = {}
    for path in sitemaps:
        rows = (line for line in history.tracked.lines(path) if line.startswith(b"<url>"))
        dates.update(map(parse_row, rows))
    return dates


@contextmanager
def open_rows(
    plan: Plan, cache: str | None = None, on_commit: Callable[[], None] = lambda: None
) -> Iterator[Rows]:
    """The rows for one run. `cache` is the folder of records. Calls `on_commit` for each commit."""
    site = plan.site
    stamp = plan.read_options.stamp.encode()
    # On any machine, a site is identified by its URL and its path in the project.
    place = f"{site.base_url} {relative(site.root, site.project)}"
    opened: AbstractContextManager[PageCache | None] = nullcontext()
    if cache and stamp:
        opened = PageCache(file_of(cache, place), stamp, plan.started)
    with opened as records, closing(Rows(plan, records, on_commit)) as rows:
        yield rows
