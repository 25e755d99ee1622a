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
    """How many files make a burst: so many, each written within so many seconds of one of them.

    A copy or a build writes files one after another, so these are in a burst.
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

    A copy or a build writes many files within seconds, and a person does not. So the time of each
    page is compared with those of the 500 pages before it and the 500 after it. A batch is held
    back until the 500 pages after it are there. Batches of any size then have the same rows.

    For example, three batches of three pages, with 2 instead of 500 pages around each page. When
    the third batch has come, the second can be compared:

        batches      1 2 3   4 5 6   7 8 9
        `seconds`      2 3   4 5 6   7 8 9   page 1 is forgotten
                             start   end     places 2 and 5 in `seconds`
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
    """Lists the file times of a batch in seconds, among which bursts are sought.

    None stands for a page that is as in the last commit: `git clone` gave its file the time of the
    clone. An edit just after the clone would seem to be in a burst with all these files, so they
    are left out. Where git was not asked, no page is committed, and all times count.
    """
    if not batch.rows:  # no page is committed; this takes two thirds of the time
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

    `seconds` are file times in the order of the walk, None for those that do not count. Returns
    which of the places from `start` up to `end` are in a burst: many files with nearly the same
    time. There are three kinds:

        an upload           a file that was written within 40 seconds of four others or more
        … of a small site   in a site of two to four pages: within 40 seconds of all others
        a copy              a file that was written within a second of two others or more

    `seconds` also has the times of the 500 pages before these places and of the 500 after them.
    """
    upload = _BURST_OF_UPLOAD
    if len(seconds) < upload.files:  # a site of fewer than five pages
        upload = upload._replace(files=max(_MIN_FILES_OF_BURST, len(seconds)))
    ordered = sorted(second for second in seconds if second is not None)
    bursts = [burst for burst in (upload, _BURST_OF_COPY) if _may_have_burst(burst, ordered)]
    if not bursts:
        return ()  # most sites that people edit
    # There are enough files for a burst, so it has all pages if all were written at once.
    every_time_counts = len(ordered) == len(seconds)
    if every_time_counts and ordered[-1] - ordered[0] <= upload.seconds:
        return range(start, end)  # most sites that were just built
    return list(_find_in_bursts(bursts, seconds, start, end))


def _may_have_burst(burst: _Burst, ordered: Sequence[int]) -> bool:
    """Whether some sorted file times may contain a burst. If not, the caller need not search.

    A burst of `files=5, seconds=40` is a file that was written within 40 seconds of four others.
    Some of these may be 40 seconds older, and some 40 seconds newer. So five of the times lie
    within 80 seconds. The sites that people edit rarely have such times.

    The search for the pages costs more, because it calls a function of Python for each page.
    """
    if len(ordered) < burst.files:
        return False
    # For a burst of five files: the time from the first to the fifth, from the second to the sixth,
    # and so on. The shortest one counts.
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
    # The sorted times of the pages near one page. From that page to the next, one time enters, and
    # one leaves. At first, they are those of the page before `start`.
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
    """Whether enough file times lie within seconds of one of them, so that a copy wrote the file.

    For a burst of `files=5, seconds=40`: at least 5 of the sorted times `near` it lie within 40
    seconds of `second`. Its own time is one of these.
    """
    first = bisect_left(near, second - burst.seconds)
    end = bisect_right(near, second + burst.seconds)
    return end - first >= burst.files
