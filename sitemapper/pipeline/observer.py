"""Lets a caller follow a run."""

from collections.abc import Callable, Iterable

from ..model import BatchDetails, Excluded, Summary, UrlChange


class Observer:
    """Follows a run. Does nothing unless methods are overridden.

    With `wants_changes`, it needs each URL of a first build; with `wants_details`, the details of
    each batch.
    """

    wants_changes = True
    wants_details = False

    def phase(self, name: str) -> None:
        """The current phase:

        listing, reading, dating or writing. Called repeatedly while dating lasts.
        """

    def walked(self, pages: int) -> None:
        """The number of pages processed since the last call."""

    def excluded(self, excluded: Excluded) -> None:
        """One verdict, in walk order."""

    def details(self, details: BatchDetails) -> None:
        """The details of the pages of a batch, after its excluded ones."""

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """A URL that the run adds, changes or removes, with both dates ("" for none); after the
        walk.
        """

    def restart(self) -> None:
        """The stream starts again. Everything observed so far is invalid."""

    def files(self, summary: Summary) -> Iterable[tuple[str, Iterable[bytes]]]:
        """Paths and contents of files to write together with the sitemaps. Called last."""
        return ()

    def ready(self, sitemap: Callable[[], Iterable[bytes]]) -> None:
        """All temporary files are complete.

        `sitemap` returns the first file. An error cancels publishing.
        """
