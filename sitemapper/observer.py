"""Lets a caller follow a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from .model import BatchDetails, Excluded, Summary, UrlChange

if TYPE_CHECKING:
    from .hosts.redirect_lines import Redirect, RedirectWriter


class Observer:
    """Follows a run. Does nothing unless methods are overridden.

    With `wants_changes`, it needs each URL of a first build; with `wants_details`, the details of
    each batch.
    """

    wants_changes = True
    wants_details = False

    def phase(self, name: str) -> None:
        """The current phase: listing, reading, dating or writing.

        Called repeatedly while dating lasts.
        """

    def walked(self, pages: int) -> None:
        """The number of pages processed since the last call."""

    def excluded(self, excluded: Excluded) -> None:
        """A page that is not listed, in walk order."""

    def details(self, details: BatchDetails) -> None:
        """The details of the pages of a batch, after its excluded ones."""

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """A URL that the run adds, changes or removes, with both dates, "" for none.

        Called after the walk.
        """

    def moved(self, writer: RedirectWriter, redirects: Sequence[Redirect]) -> None:
        """The redirects that moved pages need, and how the host writes them. Called if there are
        any.
        """

    def files(self, summary: Summary) -> Iterable[tuple[str, Iterable[bytes]]]:
        """Paths and contents of files to write together with the sitemaps. Called last."""
        return ()

    def ready(self, sitemap: Callable[[], Iterable[bytes]]) -> None:
        """All temporary files are complete.

        `sitemap` returns the first file. An error cancels publishing.
        """


class Observers(Observer):
    """Passes everything on to several observers, in their order."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = observers
        self.wants_changes = any(observer.wants_changes for observer in observers)
        self.wants_details = any(observer.wants_details for observer in observers)

    def phase(self, name: str) -> None:
        """The current phase."""
        for observer in self._observers:
            observer.phase(name)

    def walked(self, pages: int) -> None:
        """The number of pages processed since the last call."""
        for observer in self._observers:
            observer.walked(pages)

    def excluded(self, excluded: Excluded) -> None:
        """A page that is not listed, in walk order."""
        for observer in self._observers:
            observer.excluded(excluded)

    def details(self, details: BatchDetails) -> None:
        """The details of the pages of a batch."""
        for observer in self._observers:
            observer.details(details)

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """A URL that the run adds, changes or removes."""
        for observer in self._observers:
            observer.changed(change, url, before, after)

    def moved(self, writer: RedirectWriter, redirects: Sequence[Redirect]) -> None:
        """The redirects that moved pages need."""
        for observer in self._observers:
            observer.moved(writer, redirects)

    def files(self, summary: Summary) -> Iterator[tuple[str, Iterable[bytes]]]:
        """The files of all observers."""
        for observer in self._observers:
            yield from observer.files(summary)

    def ready(self, sitemap: Callable[[], Iterable[bytes]]) -> None:
        """All temporary files are complete."""
        for observer in self._observers:
            observer.ready(sitemap)
