"""Who watches a run: for a progress bar, not for results."""


class Observer:
    """Hears how far a run is. Its methods do nothing; a subclass overrides what it needs."""

    def begins(self, step: str, total: int | None) -> None:
        """A step of the run begins, such as "reading". `total` is how many pages it takes."""

    def advances(self, pages: int) -> None:
        """So many more pages are done."""


QUIET = Observer()
