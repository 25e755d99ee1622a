"""Counts dates, and detects those that come from one build."""

from collections import Counter
from collections.abc import Sequence

_LEAST_DATES = 20
_SHARE = 0.9
_WINDOW = 60  # seconds
_KEPT = 20_000


class Histogram:
    """Counts dates by second in bounded memory (Misra and Gries, 1982).

    If there are more than 20,000 different seconds, one date of each is dropped, and a second
    without dates is forgotten. So a second loses at most one date in 20,000.
    """

    def __init__(self) -> None:
        self.total = 0
        self._seconds: Counter[int] = Counter()

    def add(self, seconds: Sequence[int]) -> None:
        """Counts more dates, in seconds since the epoch."""
        self.total += len(seconds)
        self._seconds.update(seconds)
        while len(self._seconds) > _KEPT:
            fewer = {second: dates - 1 for second, dates in self._seconds.items() if dates > 1}
            self._seconds = Counter(fewer)

    def share(self) -> float:
        """The largest share of the dates within one minute, from 0 to 1. The minute is moved over
        the sorted seconds.
        """
        if not self.total:
            return 0.0
        ordered = sorted(self._seconds)
        most = 0
        inside = 0  # dates in the window that ends with this second
        first = 0  # the index of the window's first second
        for second in ordered:
            inside += self._seconds[second]
            while second - ordered[first] > _WINDOW:
                inside -= self._seconds[ordered[first]]
                first += 1
            most = max(most, inside)
        return most / self.total

    def is_uniform(self) -> bool:
        """Whether there are enough dates, and nearly all are within one minute."""
        return self.total >= _LEAST_DATES and self.share() >= _SHARE
