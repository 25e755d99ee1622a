"""Which times of files are those of a copy or a build, not of changes.

A copy, a checkout, an upload or a build writes files one after another. So the time of a file is in
a burst if those of enough other pages near it in walk order lie within seconds of it. Such a time
dates no page.
"""

from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import sub
from typing import NamedTuple

from ..model import NO_ROW, ROW_OF_COPY, Batch

_NEAR = 500  # pages before a page, and after it; all pages of a large site would take memory


class _Burst(NamedTuple):
    """So many files or more, each written within so many seconds of one of them."""

    files: int
    seconds: int


# An upload of a file a second, with up to eight images between two pages, takes 40 seconds for five
# pages (docs/decisions.md).
_SLOW = _Burst(files=5, seconds=40)
# No person saves three files within a second, so three files are what is left of a copy of which
# others were edited later.
_QUICK = _Burst(files=3, seconds=1)
_LEAST_OF_FEW = 2  # in a site of two to four pages, a burst has all of them


def with_bursts(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yields the batches of a walk, with `is_copy` in the rows of pages that a copy wrote.

    A burst shows that: many files with nearly the same time. A batch is held until the next 500
    pages are walked, so batches of any size have the same rows.
    """
    held: deque[Batch] = deque()
    # The times of the 500 pages before the first page that is held, and of all pages since.
    seconds: list[int | None] = []
    start = 0  # the place of the first page that is held
    for batch in chain(batches, [None]):  # None after the last one
        pages_after = 0
        if batch:
            held.append(batch)
            seconds += _times_of(batch)
            pages_after = _NEAR
        while held and start + len(held[0].pages) + pages_after <= len(seconds):
            end = start + len(held[0].pages)
            places = _places_in_bursts(seconds[: end + _NEAR], start, end)
            yield _with_copies(held.popleft(), [place - start for place in places])
            # The next batch needs only the 500 times before its first page.
            forgotten = max(0, end - _NEAR)
            del seconds[:forgotten]
            start = end - forgotten


def _times_of(batch: Batch) -> list[int | None]:
    """Lists the times of the files of a batch in seconds, None for those that git finds unchanged.

    A checkout wrote these, which says nothing about files that were edited at that moment.
    """
    if not batch.rows:
        return [page.mtime // 1_000_000_000 for page in batch.pages]
    return [
        None if row.is_committed else page.mtime // 1_000_000_000
        for page, row in zip(batch.pages, batch.rows, strict=True)
    ]


def _with_copies(batch: Batch, places: Sequence[int]) -> Batch:
    """Marks the pages of a batch at some places: a copy or a build wrote them."""
    if not places:
        return batch
    rows = list(batch.rows) or [NO_ROW] * len(batch.pages)
    for place in places:
        row = rows[place]
        rows[place] = ROW_OF_COPY if row is NO_ROW else row._replace(is_copy=True)
    return batch._replace(rows=rows)


def _places_in_bursts(seconds: Sequence[int | None], start: int, end: int) -> Sequence[int]:
    """Finds the places from `start` up to `end` whose file times are in a burst.

        five files, each within 40 seconds of one of them    all five
        three files within a second                          all three
        all of two to four pages within 40 seconds           all of them

    `seconds` also has the times of the 500 pages before and after these places.
    """
    slow = _SLOW
    if len(seconds) < slow.files:
        slow = slow._replace(files=max(_LEAST_OF_FEW, len(seconds)))
    ordered = sorted(second for second in seconds if second is not None)
    bursts = [burst for burst in (slow, _QUICK) if _may_have(burst, ordered)]
    if not bursts:
        return ()  # most sites that people edit
    # There are enough files, as `_may_have` has found.
    has_all_times = len(ordered) == len(seconds)
    if has_all_times and ordered[-1] - ordered[0] <= slow.seconds:
        return range(start, end)  # most sites that were just built
    return list(_search(bursts, seconds, start, end))


def _may_have(burst: _Burst, ordered: Sequence[int]) -> bool:
    """Whether there may be a burst among these times, so that `_search` must find its pages.

    Most sites that people edit have none. This costs less than `_search`, because it calls no
    function of Python for each page.
    """
    if len(ordered) < burst.files:
        return False
    # The time that each five files in a row took, for a burst of five files: last minus first.
    lasts = islice(ordered, burst.files - 1, None)
    shortest_span: int = min(map(sub, lasts, ordered))
    # Files within 40 seconds of one of them are within 80 seconds of each other.
    return shortest_span <= 2 * burst.seconds


def _search(
    bursts: Iterable[_Burst], seconds: Sequence[int | None], start: int, end: int
) -> Iterator[int]:
    """Yields the places from `start` up to `end` whose file times are in one of the bursts.

    Each time is compared with those of the 500 pages before it and the 500 after it, which are in
    `near`. From one page to the next, one time enters `near`, and one leaves it.
    """
    near = sorted(second for second in seconds[: start + _NEAR] if second is not None)
    for place in range(start, end):
        entering = seconds[place + _NEAR] if place + _NEAR < len(seconds) else None
        if entering is not None:
            insort(near, entering)
        leaving = seconds[place - _NEAR - 1] if place > _NEAR else None
        if leaving is not None:
            del near[bisect_left(near, leaving)]
        own = seconds[place]
        if own is not None and any(_is_in(burst, own, near) for burst in bursts):
            yield place


def _is_in(burst: _Burst, second: int, ordered: Sequence[int]) -> bool:
    """Whether enough times lie near one of them: at least 5 within 40 seconds, itself counted."""
    first = bisect_left(ordered, second - burst.seconds)
    end = bisect_right(ordered, second + burst.seconds)
    return end - first >= burst.files
