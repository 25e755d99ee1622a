"""Finds the pages whose file times are those of a copy or a build, and not of changes.

A copy, a checkout, an upload or a build writes files one after another. So many pages that follow
each other in the walk then have nearly the same file time: a burst. A person who edits pages leaves
hours or days between them. So a time in a burst does not say when the page changed, and such a
time dates no page.

Each time is compared with those of the 500 pages before it in the walk and of the 500 after it. It
is in a burst if enough of these lie within seconds of it: 4 within 40 seconds, or 2 within one.
"""

from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import sub
from typing import NamedTuple

from ..model import NO_ROW, ROW_OF_COPY, Batch

# A time is compared with those of so many pages before it in the walk, and so many after it. All
# pages of a large site would take memory.
_NEAR = 500


class _Burst(NamedTuple):
    """How many files make a burst: many files that a copy or a build wrote one after another.

    A file is in a burst if at least `files` files, itself included, were written within `seconds`
    of it. `files=5, seconds=40`: four other files were written within 40 seconds of this one.
    """

    files: int
    seconds: int


# An upload of a file a second, with up to eight images between two pages, takes 40 seconds for five
# pages (docs/decisions.md).
_BURST_OF_UPLOAD = _Burst(files=5, seconds=40)
# No person saves three files within a second, so three files are what is left of a copy of which
# others were edited later.
_BURST_OF_COPY = _Burst(files=3, seconds=1)
# In a site of two to four pages, an upload may write all of them. One page shows nothing.
_MIN_FILES_OF_BURST = 2


def with_bursts(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yields the batches of a walk, and sets `is_copy` in the rows of pages that a copy wrote.

    A copy or a build writes many files within seconds, and a person does not. So the file time of
    each page is compared with those of the 500 pages before it and the 500 after it. A batch is
    held back until the 500 pages after it are there. So the size of the batches does not matter.

    An example with batches of three pages, and 2 instead of 500 pages around each page. When pages
    7 to 9 have come, pages 4 to 6 can be compared. `seconds` then has the times of pages 2 to 9.
    Page 4 is at `start`, place 2 in this list, and `end` is 5, the place after page 6.
    """
    held: deque[Batch] = deque()
    # The times of the 500 pages before the first page that is held, and of all pages since.
    seconds: list[int | None] = []
    start = 0  # the place of the first held page in `seconds`
    for batch in chain(batches, [None]):  # None after the last batch
        pages_to_wait_for = 0  # there are no more pages after the last one
        if batch:
            held.append(batch)
            seconds += _times_of(batch)
            pages_to_wait_for = _NEAR
        while held and start + len(held[0].pages) + pages_to_wait_for <= len(seconds):
            end = start + len(held[0].pages)
            places = _places_in_bursts(seconds[: end + _NEAR], start, end)
            yield _with_copies(held.popleft(), [place - start for place in places])
            # The next batch needs only the 500 times before its first page.
            forgotten = max(0, end - _NEAR)
            del seconds[:forgotten]
            start = end - forgotten


def _times_of(batch: Batch) -> list[int | None]:
    """Lists the file times of a batch in seconds, for the search for bursts.

    A burst is many files that a copy wrote within seconds. None stands for a page whose file is as
    in the last commit: `git clone` gave all these files the time of the clone. If they counted, a
    page that was edited just after the clone would seem to be in a burst with them.

    If git was not asked, it is not known which pages are committed, and all times count.
    """
    # Without rows, no page is known to be committed. This way takes two thirds of the time.
    if not batch.rows:
        return [page.mtime // 1_000_000_000 for page in batch.pages]
    return [
        None if row.is_committed else page.mtime // 1_000_000_000 for page, row in batch.page_rows()
    ]


def _with_copies(batch: Batch, places: Sequence[int]) -> Batch:
    """Sets `is_copy` in the rows of those pages of a batch that a copy or a build wrote.

    Their file times then do not count. `places` are the numbers of these pages in the batch, 0 for
    the first. If nothing else is known of a page, its row is the shared `ROW_OF_COPY`, which takes
    no memory of its own.
    """
    if not places:
        return batch
    # A batch without rows is one of whose pages nothing is known.
    rows = list(batch.rows) or [NO_ROW] * len(batch.pages)
    for place in places:
        row = rows[place]
        rows[place] = ROW_OF_COPY if row is NO_ROW else row._replace(is_copy=True)
    return batch._replace(rows=rows)


def _places_in_bursts(seconds: Sequence[int | None], start: int, end: int) -> Sequence[int]:
    """Finds the pages that a copy or a build wrote: those whose file times are in a burst.

    A file is in a burst if

    - it was written within 40 seconds of at least four others, as by an upload
    - the site has only two to four pages, and it was written within 40 seconds of all others
    - it was written within a second of at least two others, as by a copy

    `seconds` are file times in the order of the walk, None for those that do not count. Only the
    places from `start` up to `end` in this list are checked, and those in a burst are returned. The
    list also has the times of the 500 pages before these places, and of the 500 after them.
    """
    upload = _BURST_OF_UPLOAD
    if len(seconds) < upload.files:  # a site of fewer than five pages
        upload = upload._replace(files=max(_MIN_FILES_OF_BURST, len(seconds)))
    ordered = sorted(second for second in seconds if second is not None)
    bursts = [burst for burst in (upload, _BURST_OF_COPY) if _may_have_burst(burst, ordered)]
    if not bursts:
        return ()  # as in most sites that people edit
    # If all files were written within 40 seconds, all are in one burst. There are enough of them.
    every_time_counts = len(ordered) == len(seconds)
    if every_time_counts and ordered[-1] - ordered[0] <= upload.seconds:
        return range(start, end)  # as in most sites that were just built
    return list(_find_in_bursts(bursts, seconds, start, end))


def _may_have_burst(burst: _Burst, ordered: Sequence[int]) -> bool:
    """Whether sorted file times may contain a burst. A fast check: if not, no search is needed.

    With `files=5, seconds=40`, a file is in a burst if it was written within 40 seconds of four
    others. Some of these may be 40 seconds older, and some 40 seconds newer. So a burst is only
    possible if five of the times lie within 80 seconds. Sites that people edit rarely have them.

    The search itself takes longer, because it calls a Python function for each page.
    """
    if len(ordered) < burst.files:
        return False
    # For a burst of five files, the time from the first to the fifth, from the second to the sixth,
    # and so on.
    lasts = islice(ordered, burst.files - 1, None)
    shortest_span: int = min(map(sub, lasts, ordered))
    return shortest_span <= 2 * burst.seconds


def _find_in_bursts(
    bursts: Iterable[_Burst], seconds: Sequence[int | None], start: int, end: int
) -> Iterator[int]:
    """Yields the places of pages in a burst, from `start` up to `end`.

    A page is in a burst if enough of the pages near it were written at nearly the same time. Each
    of `bursts` says how many, and how nearly: five files within 40 seconds. The pages near it are
    the 500 before it and the 500 after it in the walk.

    `seconds` are the file times in the order of the walk, None for those that do not count. They
    begin with the times of at most 500 pages before `start`.
    """
    # The sorted times of the pages near the current one. From page to page, one time enters and one
    # leaves. At first, these are the times near the page before `start`.
    near = sorted(second for second in seconds[: start + _NEAR] if second is not None)
    for place in range(start, end):
        entering = seconds[place + _NEAR] if place + _NEAR < len(seconds) else None
        if entering is not None:
            insort(near, entering)
        leaving = seconds[place - _NEAR - 1] if place > _NEAR else None
        if leaving is not None:
            del near[bisect_left(near, leaving)]
        own = seconds[place]
        if own is not None and any(_is_in_burst(burst, own, near) for burst in bursts):
            yield place


def _is_in_burst(burst: _Burst, second: int, near: Sequence[int]) -> bool:
    """Whether a file written at `second` is in a burst: enough files were written with it.

    `near` are the sorted times of the files near it in the walk, its own included. For a burst of
    `files=5, seconds=40`, at least 5 of them must lie within 40 seconds of `second`.
    """
    first = bisect_left(near, second - burst.seconds)
    end = bisect_right(near, second + burst.seconds)
    return end - first >= burst.files
