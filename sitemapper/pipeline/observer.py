"""What a caller can observe of a run while it goes."""

from collections.abc import Callable, Iterable

from ..model import BatchDetails, Excluded, Summary, UrlChange


class Observer:
    """Follows a run; does nothing unless overridden.

    `wants_changes` says that it needs each URL of a first build, `wants_details` those of each batch.
    """

    wants_changes = True
    wants_details = False

    def phase(self, name: str) -> None:
        """What the run is doing: listing, reading, dating or writing; called again while dating lasts."""

    def walked(self, pages: int) -> None:
        """So many more pages have been processed."""

    def excluded(self, excluded: Excluded) -> None:
        """One verdict, in walk order."""

    def details(self, details: BatchDetails) -> None:
        """The pages of a batch, after its excluded ones."""

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """A URL that the run adds, dates anew or removes, with its dates ("" for none); after the walk."""

    def restart(self) -> None:
        """The stream begins again; what was observed is void."""

    def files(self, summary: Summary) -> Iterable[tuple[str, Iterable[bytes]]]:
        """Paths and contents of files to write together with the sitemaps; asked for last."""
        return ()

    def ready(self, sitemap: Callable[[], Iterable[bytes]]) -> None:
        """All is written beside its place; `sitemap` gives the first file. An error leaves all as it was."""
