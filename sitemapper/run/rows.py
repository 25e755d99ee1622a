"""Joins what is known of pages to the batches of a walk: a row beside each page.

Only this module reads git and the ledger for a run. Workers get pages with their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cache, partial
from itertools import takewhile
from typing import TYPE_CHECKING

from ..lastmod.file_times import with_bursts
from ..lastmod.ledger import LedgerReader
from ..messages import Kind, Message
from ..model import NO_ROW, Batch, BatchResult, Listed
from ..plan import Plan
from ..publish import published
from ..read import walk
from ..read.sitemap import parse_row
from ..read.walk import page_names
from ..recent import TemporaryStore
from ..select.pages import select_file
from ..site import Output

if TYPE_CHECKING:
    from ..lastmod.git import History
    from ..lastmod.repository import GitError


class Rows:
    """Puts a row beside each page of a batch: what git and the ledger know of it.

    Batches must come in walk order, because the ledger has its rows in this order, too, and is read
    along with them.
    """

    def __init__(self, plan: Plan, on_commit: Callable[[], None]) -> None:
        """Opens the places from which the rows of pages come: git and the ledger.

        Reads git's history if a source of dates needs it, and calls `on_commit` for each commit.
        Raises LedgerError if the ledger cannot be read.
        """
        self._plan = plan
        # Messages about these places.
        self.diagnostics: list[Message] = []  # warnings
        self.notes: list[Message] = []  # such as why source files were not searched
        self.no_git: GitError | None = None  # the error if git could not be read

        # The places. A place that is not used is None or empty.
        # What this run has read of pages whose batches come later: those that an earlier page names
        # as its versions in other languages.
        self._versions = TemporaryStore() if plan.policy.versions else None
        self._ledger: LedgerReader | None = None
        self.git: History | None = None
        self._published: dict[str, str] = {}  # dates in the committed sitemap, by URL
        # Three sources of dates need git: also `front_matter`, because git finds the source file of
        # a page, and `published`, because git has the committed sitemap.
        if not {"git", "front_matter", "published"}.isdisjoint(plan.site.date_sources):
            self._open_git(on_commit)
        if plan.ledger:
            self._ledger = LedgerReader(plan.ledger, plan.date_policy.writer)

    def attach_all(self, walked: Iterable[Batch]) -> Iterator[Batch]:
        """Adds to each page of a walk its row: what git and the ledger know of it.

        If file times count, a row also says whether a copy or a build wrote the file. The sign of
        that is that many files were written within seconds. Raises LedgerError if the ledger is
        damaged.
        """
        with_git: Iterable[Batch] = map(self._add_git_rows, walked)
        needs_file_times = self._plan.date_policy.needs_bursts
        with_file_times = with_bursts(with_git) if needs_file_times else with_git
        return map(self._add_ledger, with_file_times)

    def attach(self, batch: Batch) -> Batch:
        """Adds to each page of one batch its row: what git and the ledger know of it.

        A row does not say if the file is in a burst (`is_in_burst`): the times of other files show
        that. Raises LedgerError if the ledger is damaged.
        """
        return self._add_ledger(self._add_git_rows(batch))

    def is_in_burst(self, path: str) -> bool:
        """Whether many files were written within seconds of a page, as by a copy or a build.

        The time of the page's file is no date then. This reads no file: it lists the site up to the
        page, and compares the times. False if the page is not found.
        """
        batches = walk.resize_batches(walk.walk(self._plan.root), walk.BATCH)
        # What git knows is needed, too: a file that is as in its last commit is in no burst.
        batches_with_git = map(self._add_git_rows, batches)
        for batch in with_bursts(batches_with_git):
            for page, row in batch.page_rows():
                if page.path == path:
                    return row.is_in_burst
        return False

    def _add_git_rows(self, batch: Batch) -> Batch:
        """Adds to each page of a batch its commits, and its dates in the committed sitemap.

        A date in that sitemap counts only if no later commit changed the page. So a page that git
        does not track gets none, because nothing shows whether it changed.
        """
        if not self.git:
            return batch
        paths = [page.path for page in batch.pages]
        rows = self.git.rows(paths)
        if not self._published:  # no committed sitemap
            return batch._replace(rows=rows)
        rows_with_dates = []
        for row, dates in zip(rows, self._published_dates(paths), strict=True):
            is_tracked = row is not NO_ROW  # the row of all pages that git does not track
            rows_with_dates.append(row._replace(published=dates) if dates and is_tracked else row)
        return batch._replace(rows=rows_with_dates)

    def _add_ledger(self, batch: Batch) -> Batch:
        """Adds to a batch what is known of its pages from the ledger and this run."""
        # From the ledger: when the content of each page last changed.
        if self._ledger:
            batch = self._ledger.attach(batch)
        # From this run: if /en/ links to /fr/ as its French version, /fr/ was read with /en/, to
        # see whether it links back. It need not be read again.
        if self._versions:
            batch = batch._replace(versions=self._versions.get(page.path for page in batch.pages))
        return batch

    def _published_dates(self, paths: Sequence[str]) -> Iterator[Mapping[str, str]]:
        """Yields for each page the dates that the committed sitemap has for it, by URL.

            b.html → {"https://example.com/b.html": "2026-03-01"}, at its usual URL
            c.html → {"https://example.com/c": "2026-03-01"}, at the URL of its canonical
            d.html → {}, because it is not in the committed sitemap

        The page is not read yet, so its canonical is not known. If the sitemap does not have the
        usual URL, all URLs that the page may have are looked up: /c.html, /c and /c/.
        """
        published = self._published
        locator = self._plan.policy.locator
        for path, usual_loc in zip(paths, locator.locs(paths), strict=True):
            locs = [usual_loc]
            if usual_loc not in published:
                locs = [locator.encoded(possible) for possible in locator.served_paths(path)]
            yield {loc: published[loc] for loc in locs if loc in published}

    def describe_published(self) -> str:
        """Says why a page has the date of the committed sitemap, for `explain`.

        `in the committed sitemap; unchanged since commit 3f0c9a1b2d4e`. Only called if there is a
        committed sitemap.
        """
        assert self.git and self.git.tracked.sitemap_commit
        commit = self.git.tracked.sitemap_commit.hash[:12].decode()
        return f"in the committed sitemap; unchanged since commit {commit}"

    def store(self, result: BatchResult) -> None:
        """Stores what a batch has read of language versions that come later in the walk."""
        if self._versions:
            self._versions.put(result.versions)

    @property
    def ledger_rows(self) -> tuple[int, int]:
        """Counts the rows in the ledger, and how many of these belong to pages of this site.

        `(800, 790)`: 10 rows are of pages that are gone. (0, 0) without a ledger.
        """
        if self._ledger is None:
            return 0, 0
        return self._ledger.count, self._ledger.matched

    def finish(self) -> bytes:
        """Ends the reading after the last batch, and returns the ledger's rows of unread pages.

        These pages were not walked, such as those of an ignored folder. They may come back, so the
        caller writes their rows again. Warns if git dates no page. Raises LedgerError if the ledger
        is damaged.
        """
        if self.git and self.git.why_no_dates:
            self._warn_of_git([self.git.why_no_dates])
        return self._ledger.finish() if self._ledger else b""

    def _open_git(self, on_commit: Callable[[], None]) -> None:
        """Reads the commits of the pages into `git`, and the dates in committed sitemaps.

        If git cannot be read, as outside of a repository, `git` stays None, and `no_git` has the
        error. `git` also stays None if `lastmod` is `auto`, and git has no file that may date a
        page.
        """
        # Imported here: what runs programs costs start-up.
        from ..lastmod.repository import GitError, git_path

        site = self._plan.site
        sitemaps: Sequence[str] = ()
        try:
            history = self._find_files()
            if site.is_auto_dated and not history.may_date:
                return
            if "published" in site.date_sources:
                sitemaps = committed_sitemaps(history, site.output)
            self._published = read_published(history, sitemaps)
            # A user who names git alone wants the dates of all commits. For all others, a commit
            # that touched nearly all files, such as a reformatting, is no edit and dates nothing.
            is_git_alone = site.date_sources == ("git",)
            history.tracked.read(
                on_commit,
                skips_rewrites=not is_git_alone,
                sitemaps=set(map(git_path, sitemaps)),
            )
        except GitError as error:
            self.no_git = error
            self._warn_of_git([str(error)])
            return
        self.git = history
        self._warn_of_shallow_clone(history)
        self._warn_of_git(history.tracked.problems)

    def _warn_of_shallow_clone(self, history: History) -> None:
        """Warns if a clone has too few commits to check the dates in the committed sitemap.

        After `git clone --depth 1`, only the last commit is known. The sitemap may have been
        committed long before, and nobody knows which pages changed since.
        """
        sitemap_commit = history.tracked.sitemap_commit  # None if no sitemap is committed
        if sitemap_commit and not sitemap_commit.is_certain:
            self.diagnostics.append(Message(Kind.UNCHECKED, (self._plan.site.output.name,)))

    def _find_files(self) -> History:
        """Finds the files whose commits may date pages: the pages' own files, and their sources.

        `a/index.html` may be made from `content/a.md`. The last commit that changed this file then
        dates the page. Adds a note if there are too many files to search for sources. Raises
        GitError.
        """
        from ..lastmod.git import History
        from ..lastmod.source_search import find_possible_sources

        plan = self._plan
        history = History(plan.site, plan.git_maps, plan.root.linked_home)
        is_page_listed = cache(partial(_is_listed, plan))
        found = find_possible_sources(history, plan.root, is_page_listed)
        history.possible_sources = found.by_page
        history.similar_by_chance = found.similar_by_chance  # only shown by `explain`
        if found.note:
            self.notes.append(found.note)
        history.load_files(page_names(plan.root))
        return history

    def _warn_of_git(self, problems: Iterable[str]) -> None:
        """Warns of each problem with git, if the user has chosen git as a source of dates.

        With `lastmod = "auto"`, nobody has chosen it, and other sources take its place.
        """
        if not self._plan.site.is_auto_dated:
            self.diagnostics += [Message(Kind.GIT, (problem,)) for problem in problems]

    def close(self) -> None:
        """Closes the temporary file with what was read for later pages."""
        if self._versions:
            self._versions.close()


def _is_listed(plan: Plan, path: str) -> bool:
    """Whether a page would be listed in the sitemap, by its path and the head of its file.

    The search for source files asks this.
    """
    selected = select_file(path, plan.policy, plan.read_options, plan.root)
    return selected is not None and isinstance(selected.result, Listed)


def committed_sitemaps(history: History, output: Output) -> list[str]:
    """Lists the files of the sitemap that are committed, as paths from the root of the repository.

        sitemap.xml, the only file             → ["public/sitemap.xml"]
        an index with two sitemaps             → the index, and those of the two that are committed
        not committed, or of another tool      → []

    Raises GitError.
    """
    from ..lastmod.repository import path_below

    tracked = history.tracked
    main = path_below(history.top, output.path(output.name))
    if not tracked.is_committed(main):
        return []
    # The lines before the first page show whether we wrote the file, and name the other files.
    beginning = takewhile(
        lambda line: not line.startswith(b"<url>"), tracked.lines_of_sitemap(main)
    )
    names = published.names_in(b"\n".join(beginning), output.name)
    if not names:  # another tool wrote it
        return []
    paths = {path_below(history.top, output.path(name)) for name in names}
    return [main, *(path for path in sorted(paths - {main}) if tracked.is_committed(path))]


def read_published(history: History, sitemaps: Iterable[str]) -> dict[str, str]:
    """Reads the dates in committed sitemaps, by URL: `{"https://example.com/a": "2026-03-01"}`.

    "" for a URL without a date. Raises GitError.
    """
    dates: dict[str, str] = {}
    for path in sitemaps:
        rows = (
            line for line in history.tracked.lines_of_sitemap(path) if line.startswith(b"<url>")
        )
        dates.update(map(parse_row, rows))
    return dates


@contextmanager
def open_rows(plan: Plan, on_commit: Callable[[], None] = lambda: None) -> Iterator[Rows]:
    """Opens git and the ledger, from which the rows of pages come, and closes them at the end.

    Calls `on_commit` for each commit that is read.
    """
    with closing(Rows(plan, on_commit)) as rows:
        yield rows
