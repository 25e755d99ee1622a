"""Lets a caller follow a run."""

from __future__ import annotations

from collections.abc import Iterable

from .model import BatchDetails, Excluded, Summary, UrlChange


class Observer:
    """Follows a run: the run calls a method for each event. Each method does nothing by default.

    A subclass overrides the methods for the events that it needs. A progress bar needs `phase` and
    `walked`, for example, and a list of excluded pages needs `excluded`.
    """

    # Whether a first build calls `changed`, too: all its URLs are added, so there are many calls.
    wants_changes = True
    # Whether the run calls `details`, which take time to collect.
    wants_details = False

    def phase(self, name: str) -> None:
        """Called when a phase begins: listing, reading, dating or writing. Does nothing here.

        It is called again during a long phase of dating, so that an observer can show the time.
        """

    def walked(self, pages: int) -> None:
        """Called with the number of pages processed since the last call."""

    def excluded(self, excluded: Excluded) -> None:
        """Called for each page that is not listed, in walk order."""

    def details(self, details: BatchDetails) -> None:
        """Called with the details of a batch of pages, after `excluded` for the pages in it."""

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """Called after the walk, for each URL that the run adds, changes or removes.

        `before` is its date in the earlier sitemap, and `after` that in the new one, "" for none.
        """

    def files(self, summary: Summary) -> Iterable[tuple[str, Iterable[bytes]]]:
        """Returns paths and contents of files to publish together with the sitemaps.

        Called when the sitemaps are written, but not yet published.
        """
        return ()
