"""Which times of files are those of a copy or a build, not of changes.

A copy, a checkout, an upload or a build writes files one after another. Five or more times that
follow each other within seconds are a burst, and no time in it dates a page. In a site of two to
four pages, a burst has all of them.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import sub
from typing import NamedTuple

from ..model import Batch, Burst, Page, TimeFault

MAX_GAP = 10  # seconds between two files of a burst; docs/decisions.md says what was measured
_MIN_FILES = 5  # people save fewer at once
_NEARLY_ALL = 0.9  # of the listed pages
_FEW = 2  # one file alone is no burst
_PARTS = 16  # in which all times are sorted; a million times at once take 40 MiB more


def find_bursts(seconds: Collection[int], pages: int) -> list[Burst]:
    """The bursts among some times, in order. `pages` is the number of pages of the site."""
    least = _least_files(pages)
    return [chain for chain in _chains(sorted(seconds)) if chain.files >= least]


def _least_files(pages: int) -> int:
    """The least number of files in a burst of a site."""
    return min(_MIN_FILES, max(_FEW, pages))


def _has_burst(ordered: Sequence[int], least: int) -> bool:
    """Whether some of the times may be a burst: so many of them lie as near as in a burst.

    Most sites that people edit have none, so this looks at all pairs without a Python call.
    """
    if len(ordered) < least:
        return False
    narrowest: int = min(map(sub, islice(ordered, least - 1, None), ordered))
    return narrowest <= MAX_GAP * (least - 1)


def _has_burst_in_parts(times: Sequence[int], least: int) -> bool:
    """Whether some of the times, which are in no order, may be a burst."""
    before: list[int] = []  # the end of the part before, where a burst may begin
    for part in _in_order(times):
        ordered = [*before, *part]
        if _has_burst(ordered, least):
            return True
        before = ordered[1 - least :]
    return False


def _in_order(times: Sequence[int]) -> Iterator[list[int]]:
    """The times in order, in parts that span equally many seconds."""
    if not times:
        return
    first = min(times)
    seconds_in_part = (max(times) - first) // _PARTS + 1
    parts = [array("q") for _ in range(_PARTS)]
    for time in times:
        parts[(time - first) // seconds_in_part].append(time)
    for part in parts:
        yield sorted(part)


def _chains(ordered: Sequence[int]) -> Iterator[Burst]:
    """Times that follow each other, however few."""
    start = 0
    for place in range(1, len(ordered) + 1):
        is_end = place == len(ordered) or ordered[place] - ordered[place - 1] > MAX_GAP
        if is_end:
            yield Burst(ordered[start], ordered[place - 1], place - start)
            start = place


def burst_at(second: int, bursts: Sequence[Burst]) -> Burst | None:
    """The burst that contains a second, None if there is none. `bursts` are in order."""
    place = bisect_left(bursts, second, key=_last)
    if place < len(bursts) and bursts[place].first <= second:
        return bursts[place]
    return None


def _first(burst: Burst) -> int:
    return burst.first


def _last(burst: Burst) -> int:
    return burst.last


class FileTimes:
    """The bursts among the file times of a walk, as far as they are known.

    Pages are judged while the walk goes on, so a page may be judged before the burst around it is
    known. At the end, `late` counts these pages, and the run goes through the site once more with
    all `bursts`. Each page outside of bursts takes 8 bytes.
    """

    def __init__(self, bursts: Sequence[Burst] | None) -> None:
        """`bursts` are those of the whole site, None if they are not known yet."""
        self.bursts = list(bursts or ())
        self.late = 0
        self._is_complete = bursts is not None
        self._pages = 0
        self._others = array("q")  # the times outside of known bursts

    def add(self, batch: Batch) -> None:
        """Adds the times of the pages of a batch.

        The time of a file that git finds unchanged does not count: another file with such a time
        was edited at that moment, not checked out.
        """
        if self._is_complete:
            return
        pages = batch.pages
        self._pages += len(pages)
        if batch.clean:
            pages = [page for page in pages if page.path not in batch.clean]
        seconds = [mtime // 1_000_000_000 for _, _, mtime, *_ in pages]
        others = sorted(self._outside(seconds))
        if self.bursts or _has_burst(others, _MIN_FILES):
            for chain in _chains(others):
                self._add_chain(chain, _MIN_FILES)
            others = list(self._outside(others))
        self._others.extend(others)

    def finish(self) -> None:
        """Completes the bursts after the last page."""
        if self._is_complete:
            return
        least = _least_files(self._pages)
        if self.bursts or _has_burst_in_parts(self._others, least):
            for chain in _chains(sorted(self._others)):
                if self._add_chain(chain, least):
                    self.late += chain.files
        self._is_complete = True
        self._others = array("q")

    def near(self, batch: Batch) -> tuple[Burst, ...]:
        """The known bursts between the first and the last time of a batch."""
        if not self.bursts or not batch.pages:
            return ()
        times = [page.mtime for page in batch.pages]
        first = min(times) // 1_000_000_000
        last = max(times) // 1_000_000_000
        start = bisect_left(self.bursts, first, key=_last)
        end = bisect_right(self.bursts, last, key=_first)
        return tuple(self.bursts[start:end])

    def _outside(self, seconds: Sequence[int]) -> Sequence[int]:
        """The times that are in no known burst."""
        if not seconds or not self.bursts:
            return seconds
        around = burst_at(min(seconds), self.bursts)
        if around and max(seconds) <= around.last:  # the usual case after a build
            return ()
        return [second for second in seconds if burst_at(second, self.bursts) is None]

    def _add_chain(self, chain: Burst, least: int) -> bool:
        """Adds times to the bursts that they touch, or as a new one if there are at least as many.

        Whether they are in a burst now.
        """
        start = bisect_left(self.bursts, chain.first - MAX_GAP, key=_last)
        end = bisect_right(self.bursts, chain.last + MAX_GAP, key=_first)
        touched = self.bursts[start:end]
        if not touched and chain.files < least:
            return False
        merged = [*touched, chain]
        self.bursts[start:end] = [
            Burst(
                first=min(part.first for part in merged),
                last=max(part.last for part in merged),
                files=sum(part.files for part in merged),
            )
        ]
        return True


class Judged(NamedTuple):
    """The file times that do not count, by the positions of the pages: the reasons, and the bursts.

    `trusted` is the number of those that count only because the ledger finds the pages changed.
    """

    faults: Mapping[int, TimeFault]
    bursts: Mapping[int, Burst]
    trusted: int


def judge(
    pages: Sequence[Page],
    places: Iterable[int],
    batch: Batch,
    *,
    is_generated: bool,
    changed: Container[int],
) -> Judged:
    """Which file times do not count, of the pages at these positions.

    `batch` holds what git and the walk know of them. With `is_generated`, a known generator wrote
    the pages. `changed` are the positions of pages that the ledger finds new or changed.
    """
    faults: dict[int, TimeFault] = {}
    bursts: dict[int, Burst] = {}
    trusted = 0
    if not (batch.bursts or batch.clean or is_generated):
        return Judged(faults, bursts, trusted)  # the times of most sites that people edit
    for place in places:
        page = pages[place]
        second = page.mtime // 1_000_000_000
        if batch.edits.get(page.path, second) != second:
            continue  # the time of an edited source, which stands for that of the page
        burst = burst_at(second, batch.bursts)
        fault = None
        if page.path in batch.clean:
            fault = TimeFault.COMMITTED
        elif is_generated:
            fault = TimeFault.GENERATED
        elif burst:
            fault = TimeFault.BURST
            bursts[place] = burst
        if fault is None:
            continue
        if fault is not TimeFault.COMMITTED and place in changed:
            # It changed between the last build and this one, in which the file was written.
            trusted += 1
        else:
            faults[place] = fault
    return Judged(faults, bursts, trusted)


def changed_nearly_all(changed: int, listed: int) -> bool:
    """Whether the ledger finds nearly all pages changed: a theme changed, not their content."""
    return changed >= _FEW and changed >= _NEARLY_ALL * listed
