"""Counts dates, and detects those that come from one build."""

from collections import Counter
from collections.abc import Sequence

_MIN_DATES = 20  # fewer pages may well be written within a minute
_MIN_SHARE = 0.9  # of the dates: a build may leave a few pages as they were
_WINDOW_SECONDS = 60
_MAX_SECONDS_KEPT = 20_000  # different seconds, which take some 2 MB


class Histogram:
    """Counts dates by second in bounded memory (Misra and Gries, 1982).

    If there are more than 20,000 different seconds, one date of each is dropped, and a second
    without dates is forgotten. Each such round drops over 20,000 dates, so a second loses at most
    one date for every 20,000 dates.
    """

    def __init__(self) -> None:
        self.total = 0  # dates, also the dropped ones
        self._seconds: Counter[int] = Counter()  # dates by second since the epoch

    def add(self, seconds: Sequence[int]) -> None:
        """Counts more dates, given as seconds since the epoch, and keeps only the frequent seconds.

        The memory for the counts is bounded. If too many seconds are counted, each of them loses a
        date, until few enough have any left. With a bound of two seconds instead of 20,000:

            three dates at 10:00:00, one at 10:05:00, one at 10:07:00 → two dates at 10:00:00

        So seconds with many dates survive, which are the ones that `share` needs. Their counts may
        be a little too small, and never too large (Misra and Gries, 1982).
        """
        self.total += len(seconds)
        self._seconds.update(seconds)
        while len(self._seconds) > _MAX_SECONDS_KEPT:
            fewer = {second: dates - 1 for second, dates in self._seconds.items() if dates > 1}
            self._seconds = Counter(fewer)

    def share(self) -> float:
        """Returns the largest share of the dates that are within one minute, from 0 to 1.

        10:00:00, 10:00:50, 10:01:40 and 12:00:00 → 0.5, because two of four are within a minute.
        A window of a minute is moved over the sorted seconds.
        """
        if not self.total:
            return 0.0
        ordered = sorted(self._seconds)
        max_dates = 0  # in any window so far
        dates_in_window = 0  # in the window that ends with the current second
        first = 0  # the index in `ordered` of the first second in the window
        for second in ordered:
            # The window grows to this second, then drops the seconds that are too long ago.
            dates_in_window += self._seconds[second]
            while second - ordered[first] > _WINDOW_SECONDS:
                dates_in_window -= self._seconds[ordered[first]]
                first += 1
            max_dates = max(max_dates, dates_in_window)
        return max_dates / self.total

    def is_uniform(self) -> bool:
        """Whether the dates show when the site was built, not when its pages changed.

        That is so if there are 20 dates or more, and 9 of 10 are within one minute. The caller
        warns then.
        """
        return self.total >= _MIN_DATES and self.share() >= _MIN_SHARE
