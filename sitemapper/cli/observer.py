"""What a run reports while it works, to lists, to the progress bar and to a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import IO, TYPE_CHECKING

from ..model import BatchDetails, Excluded, Reason
from ..pipeline.observer import Observer
from ..pipeline.stats import EXAMPLES
from ..summary import NO_BASELINE, Summary, UrlChange
from . import request
from .progress import Bar
from .words import shown

if TYPE_CHECKING:
    from .report.page import Report


class RunObserver(Observer):
    """Writes the lists of excluded pages and of changes, moves the bar, and passes everything on to a report.

    Keeps the first changes of each kind, the first pages that each reason excludes, and the listed ones of
    the pages that git does not track.
    """

    def __init__(
        self,
        excluded: IO[str] | None,
        changes: IO[str] | None,
        *,
        keep: int,
        bar: Bar,
        report: Report | None = None,
        files: Callable[[Summary], Iterable[tuple[str, Iterable[bytes]]]] = lambda _: (),
    ) -> None:
        self.report = report
        self._files = files
        self.to_stdout = False
        self.untracked: set[str] = set()
        self._next = report or Observer()
        self.examples: dict[Reason, list[Excluded]] = {}
        self.kept: dict[UrlChange, list[tuple[str, str, str]]] = {change: [] for change in UrlChange}
        self._excluded = excluded
        self._changes = changes
        self._keep = keep
        self._bar = bar
        self._phase = ""
        self._pages = self._left_out = 0

    @property
    def wants_changes(self) -> bool:
        """Only where there is a list of them, or some are kept."""
        return self._keep > 0 or self._changes is not None

    @property
    def wants_details(self) -> bool:
        """Only for a report."""
        return self._next.wants_details

    def details(self, details: BatchDetails) -> None:
        """Passes it on."""
        self._next.details(details)

    def excluded(self, excluded: Excluded) -> None:
        """Writes the verdict into the list."""
        self._left_out += 1
        self.untracked.discard(excluded.path)
        examples = self.examples.setdefault(excluded.reason, [])
        examples += [excluded] if len(examples) < EXAMPLES else []
        if self._excluded:
            columns = (excluded.path, excluded.reason.value, str(excluded.origin))
            self._excluded.write("\t".join(map(shown, columns)) + "\n")
        self._next.excluded(excluded)

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """Writes the change into its list."""
        if self._changes:
            self._changes.write(f"{change.value}\t{shown(url)}\n")
        if len(self.kept[change]) < self._keep:
            self.kept[change].append((url, before, after))
        self._next.changed(change, url, before, after)

    def files(self, summary: Summary) -> Iterable[tuple[str, Iterable[bytes]]]:
        """The lists and the report; marks a list of changes that names the whole site, as it is no news."""
        if self._changes and summary.previous is None:
            self._changes.write(f"{NO_BASELINE}: there was no earlier sitemap\n")
        if self.to_stdout:
            request.check_one_file(summary)
        return self._files(summary)

    def ready(self, sitemap: Callable[[], Iterable[bytes]]) -> None:
        """Prints the sitemap of `--output -` before anything is replaced."""
        if self.to_stdout:
            request.print_sitemap(sitemap())

    def restart(self) -> None:
        """Starts again from nothing."""
        self._pages = self._left_out = 0
        self.examples.clear()
        if self._excluded:
            self._excluded.seek(0)
            self._excluded.truncate()
        self._next.restart()

    def walked(self, pages: int) -> None:
        """Counts the pages."""
        self._pages += pages
        self.phase(self._phase)

    def phase(self, name: str) -> None:
        """Shows what the run is doing."""
        self._phase = name
        self._bar.show(name, self._pages, self._pages - self._left_out)
