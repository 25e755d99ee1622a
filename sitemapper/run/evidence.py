"""The data about pages in git, the ledger and the cache, joined to the batches of a walk.

Workers get pages with their evidence. Only this module reads git, the ledger and the cache.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import cache, partial
from itertools import takewhile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ..errors import NetworkError, with_help
from ..fs import relative
from ..lastmod import ledger
from ..lastmod.file_times import with_bursts
from ..lastmod.ledger import LedgerFile
from ..lastmod.undated import NoGit
from ..messages import Kind, Message
from ..model import Batch, BatchResult, Listed, SourceCandidate
from ..plan import Plan
from ..publish import published
from ..read import walk
from ..read.cache import PageCache, file_of
from ..read.contents import read
from ..read.server import find_page
from ..read.sitemap import parse_row
from ..read.walk import SiteRoot, page_names
from ..recent import Spill
from ..select.alone import select_file
from ..site import Output, Run, Site
from ..syntax.html import SIZE_LIMIT, all_tags, parse_tree

if TYPE_CHECKING:
    from ..lastmod.git import History
    from ..lastmod.published import PublishedDates
    from ..lastmod.source_paths import Source

LARGEST = 1 << 30  # bytes of a live ledger
_LIVE_DEADLINE = 15.0  # seconds that a build waits for the live ledger, redirects included


class Evidence:
    """Attaches evidence to batches in walk order, and stores the records of pages."""

    def __init__(self, plan: Plan, cache: PageCache | None, on_commit: Callable[[], None]) -> None:
        """Reads the history if git is a source. Raises LedgerError if the ledger cannot be read."""
        self.diagnostics: list[Message] = []
        self.no_git = NoGit()
        self.git: History | None = None
        self.published: PublishedDates | None = None
        self._notes: list[str] = []
        self._cache = cache
        self._locator = plan.policy.locator
        self._is_auto_dated = plan.site.is_auto_dated
        self._versions = Spill() if plan.policy.versions else None
        self._ledger: ledger.LedgerReader | None = None
        if not {"git", "published"}.isdisjoint(plan.site.date_sources):
            self.git = self._open_history(plan, on_commit)
        if plan.ledger:
            self._ledger = ledger.LedgerReader(plan.ledger, plan.date_policy.writer)
        self.needs_bursts = plan.date_policy.needs_bursts

    def attach_all(self, walked: Iterable[Batch]) -> Iterator[Batch]:
        """The batches of a walk with the evidence for their pages. Raises LedgerError."""
        batches: Iterable[Batch] = map(self._with_git, walked)
        if self.needs_bursts:
            batches = with_bursts(batches)
        return map(self._with_rest, batches)

    def attach(self, batch: Batch) -> Batch:
        """A batch with the evidence for its pages, but for bursts. Raises LedgerError."""
        return self._with_rest(self._with_git(batch))

    def pages_in_bursts(self, path: str, site: SiteRoot) -> Set[str]:
        """The pages in bursts in the batch of a page. Walks the site up to it, and reads none."""
        walked = walk.batches(walk.walk(site), walk.BATCH)
        for batch in with_bursts(map(self._with_git, walked)):
            if any(page.path == path for page in batch.pages):
                return batch.in_bursts
        return frozenset()

    def _with_git(self, batch: Batch) -> Batch:
        """A batch with what git knows of its pages."""
        if not self.git:
            return batch
        paths = [page.path for page in batch.pages]
        found = self.git.dates(paths)
        batch = batch._replace(
            git=found.commits, edits=found.edits, clean=found.clean, sources=found.sources
        )
        if self.published:
            published = self._published_dates(paths, self.published)
            batch = batch._replace(unchanged=found.published, published=published)
        return batch

    def _with_rest(self, batch: Batch) -> Batch:
        """A batch with the rows of the ledger, and the data of earlier pages and runs."""
        if self._ledger:
            batch = batch._replace(ledger=self._ledger.rows(batch.pages))
        if self._versions:
            batch = batch._replace(versions=self._versions.get(page.path for page in batch.pages))
        if self._cache:
            batch = batch._replace(cached=self._cache.records_of(batch.pages))
        return batch

    def _published_dates(self, paths: Sequence[str], published: PublishedDates) -> dict[str, str]:
        """The published dates of pages by URL. A page's canonical may have chosen another form."""
        locs = self._locator.locs(paths)
        dates = published.dates(locs)
        if len(dates) == len(paths):
            return dates
        others: list[str] = []
        for path, loc in zip(paths, locs, strict=True):
            if loc not in dates:
                others += map(self._locator.encoded, self._locator.served_paths(path))
        return dates | published.dates(others)

    def describe_published(self, loc: str) -> str:
        """Why the published date of a URL still stands."""
        assert self.git and self.published
        commit = self.git.tracked.published_in[:12]
        return f"published in {self.published.file_of(loc)}; unchanged since commit {commit}"

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
            self.diagnostics.append(Message(Kind.GIT, (self.git.idle,)))

    def _open_history(self, plan: Plan, on_commit: Callable[[], None]) -> History | None:
        """The history of git with its dates, None if it dates no page.

        If that is because of an error, `no_git` is the reason.
        """
        # Imported here: SQLite and what runs programs cost start-up.
        from ..lastmod import git, repository

        try:
            history = git.History(plan.site, plan.git_maps, plan.root.home)
            is_page_listed = cache(partial(_is_listed, plan))
            history.candidates, note = find_candidates(history, plan.root, is_page_listed)
            if note:
                self._notes.append(note)
            history.list_files(page_names(plan.root))
            if plan.site.is_auto_dated and not _may_date(history):
                history.close()
                return None
            # Somebody who names git alone wants the dates of all commits.
            history.read(on_commit, looks_through=plan.site.date_sources != ("git",))
            if "published" in plan.site.date_sources:
                self.published = open_published(history, plan.site.output)
        except repository.GitError as error:
            self.no_git = NoGit(error.cause, error.step)
            self._warn_of_git([str(error)])
            return None
        self._warn_of_git(history.tracked.problems)
        if history.tracked.is_published_at_boundary:
            self.diagnostics.append(Message(Kind.UNCHECKED, (plan.site.output.name,)))
        return history

    def _warn_of_git(self, problems: Iterable[str]) -> None:
        """Warns if somebody chose git. Otherwise, other sources take its place."""
        if not self._is_auto_dated:
            self.diagnostics += [Message(Kind.GIT, (problem,)) for problem in problems]

    def close(self) -> None:
        """Closes the files."""
        if self.git:
            self.git.close()
        if self.published:
            self.published.close()
        if self._versions:
            self._versions.close()


def open_published(history: History, output: Output) -> PublishedDates | None:
    """The dates of the committed sitemap. None if git has none of ours. Raises GitError."""
    from ..lastmod.published import PublishedDates
    from ..lastmod.repository import path_below

    tracked = history.tracked
    main = path_below(history.top, output.path(output.name))
    if not tracked.has_file(main):
        return None
    beginning = takewhile(lambda line: not line.startswith(b"<url>"), tracked.lines(main))
    names = published.names_in(b"\n".join(beginning), output.name)
    files = {name: path_below(history.top, output.path(name)) for name in names}
    committed = {name: path for name, path in files.items() if tracked.has_file(path)}
    if not committed:
        return None
    tracked.compare_with([main, *committed.values()])
    dates = PublishedDates()
    for name, path in committed.items():
        rows = (parse_row(line) for line in tracked.lines(path) if line.startswith(b"<url>"))
        dates.add(name, rows)
    return dates


def _may_date(history: History) -> bool:
    """Whether the history may date pages: by their sources, or by the commits of the pages."""
    has_sources = bool(history.maps or history.source_files or history.candidates)
    return has_sources or history.tracked.has_pages()


def _is_listed(plan: Plan, path: str) -> bool:
    """Whether a page is listed. Reads its head at most."""
    selected = select_file(path, plan.policy, plan.read_options, plan.root)
    return selected is not None and isinstance(selected.verdict, Listed)


def find_candidates(
    history: History, root: SiteRoot, is_page_listed: Callable[[str], bool] = lambda _: True
) -> tuple[dict[str, tuple[SourceCandidate, ...]], str]:
    """Looks for the source files of pages, by their paths and titles.

    Returns the possible sources of pages, and a note if there are too many files to compare, else
    "". Reads the beginnings of sources, and a few pages: those that show titles, and those that
    compete for a source.
    """
    from ..lastmod import sources
    from ..lastmod.source_paths import candidate_names, may_fit_by_name, page_ends

    project = "" if history.project == "." else history.project
    site = "" if history.site == "." else history.site
    names: list[str] = []
    # mike, which keeps several versions of a documentation, writes this file. With it, pages are of
    # older versions of the sources.
    is_by_mike = os.path.isfile(root.file("versions.json"))
    if site and not is_by_mike:
        built = [site, *history.outputs]
        fits = _fit_by_name(history, root)
        names = candidate_names(history.files(), project, built, fits, history.routes)
        names.sort()
    if len(names) > sources.MAX_SOURCES:
        ends = page_ends(page_names(root))
        names = [name for name in names if may_fit_by_name(name, ends)]
    note = ""
    if len(names) > sources.MAX_SOURCES:
        what = f"{len(names):,} files may be sources of pages, too many to compare"
        note = with_help(what, "name the sources with [[git.map]]")
        names = []
    read_sources = (_read_source(history, name) for name in names)
    matching = sources.Matching(source for source in read_sources if source)
    for path in page_names(root):
        matching.add(path)
    titles_of = cache(partial(_read_titles, root))
    return matching.candidates(titles_of, history.folders, is_page_listed), note


def _fit_by_name(history: History, root: SiteRoot) -> Callable[[str], bool]:
    """Whether a file may be a source, by its path.

    Outside of the folders that the generator reads, its name must fit a page. In a repository of
    many projects, most files are of others, and opening them takes longer than the whole build.
    """
    from ..lastmod.source_paths import may_fit_by_name, page_ends

    @cache
    def ends() -> set[str]:
        return page_ends(page_names(root))

    folders = tuple(f"{folder}/" for folder in history.folders)
    is_anywhere = not folders or "./" in folders

    def fits(name: str) -> bool:
        return is_anywhere or name.startswith(folders) or may_fit_by_name(name, ends())

    return fits


def _read_source(history: History, name: str) -> Source | None:
    """The facts in a source file. None if it makes no page, or is not a regular file."""
    from ..lastmod.source_paths import make_routed_source, make_source, route_of, with_route
    from ..syntax.source_text import read_source

    text = history.sources.read(name)
    facts = read_source(text.data) if text else None
    if text is None or facts is None:
        return None
    source = make_source(name, text.size, facts)
    route = route_of(name, history.routes)
    if route:
        routed = make_routed_source(name, text.size, facts, route)
        source = with_route(source, routed) if history.folders else routed
    if text.parts or text.is_stub:
        file = source.file._replace(parts=text.parts, is_stub=text.is_stub)
        source = source._replace(file=file)
    return source


def _read_titles(root: SiteRoot, path: str) -> tuple[str, ...]:
    """The titles that a page shows. Empty if it cannot be read."""
    from ..read.content import read_titles

    page = find_page(root, path)
    if page is None:
        return ()
    try:
        data = read(root, page, SIZE_LIMIT)
    except OSError:
        return ()
    tree = parse_tree(data)
    return read_titles(tree, all_tags(tree).metas)


@contextmanager
def open_ledger(site: Site, run: Run) -> Iterator[tuple[LedgerFile | None, tuple[str, ...]]]:
    """The ledger to read, None if there is none, and notes about it.

    It is a copy of the live ledger if there is no local one. Raises LedgerError if the live one
    cannot be read, unless the site answers that it does not exist.
    """
    local = local_ledger(site, run)
    if local is None or not site.has_live_ledger or run.no_live:
        yield local, ()
        return
    url = site.base_url + site.output.live_name
    if not ledger.is_first_run(local.path):
        yield local, (f"dates are from {local.label}, not from {url}",)
        return
    with TemporaryDirectory(prefix="sitemapper-", ignore_cleanup_errors=True) as folder:
        copy = os.path.join(folder, site.output.live_name)
        if _download(url, copy, run):
            yield LedgerFile(copy, url, is_live=True), ()
        else:
            yield local, (f"{url} does not exist yet, so this is a first run",)


def _download(url: str, copy: str, run: Run) -> bool:
    """Copies the live ledger to the file `copy`, and tells whether there is one at the URL.

    Raises LedgerError if it cannot be read.
    """
    # Imported here: urllib3 is an extra.
    from ..net.client import Client

    client = Client(run.proxies, deadline=_LIVE_DEADLINE)
    try:
        with open(copy, "wb") as file:
            status = client.download(url, file, LARGEST, run.headers)
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
    """The evidence for one stream. `cache` is the folder of records. Calls `on_commit` for each
    commit.
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
