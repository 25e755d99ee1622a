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
_MIN_FILES_OF_BURST = 2  # one file shows nothing


def with_bursts(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yields the batches of a walk, and sets `is_copy` in the rows of pages that a copy wrote.

    A copy or a build writes many files within seconds, and a person does not. Such files are a
    burst. To find bursts, the file time of each page is compared with those of the 500 pages before
    it and the 500 after it. So a batch waits until the next 500 pages have come.
    """
    waiting: deque[Batch] = deque()
    # The file times of the 500 pages before the first waiting batch, and of all pages since.
    seconds: list[int | None] = []
    start = 0  # the index of the first waiting page in `seconds`
    for batch in chain(batches, [None]):  # None after the last batch
        pages_to_wait_for = 0  # there are no more pages after the last one
        if batch:
            waiting.append(batch)
            seconds += _times_of(batch)
            pages_to_wait_for = _NEAR
        # The numbers below are those of an example: batches of three pages, and `_NEAR` is 2. Pages
        # 4 to 6 wait, and pages 7 to 9 have just come. `seconds` has the times of pages 2 to 9.
        while waiting and start + len(waiting[0].pages) + pages_to_wait_for <= len(seconds):
            end = start + len(waiting[0].pages)  # `start` is 2 (page 4), and `end` is 5 (page 7)
            indexes = _indexes_in_bursts(seconds[: end + _NEAR], start, end)  # up to page 8
            yield _with_copies(waiting.popleft(), [index - start for index in indexes])
            # The next batch needs only the 500 times before its first page.
            forgotten = max(0, end - _NEAR)  # 3: the times of pages 2 to 4
            del seconds[:forgotten]
            start = end - forgotten  # 2, which is now page 7


def _times_of(batch: Batch) -> list[int | None]:
    """Lists the file times of a batch in seconds. They show which files a copy wrote together.

    None stands for a page whose file is as in the last commit: `git clone` gave all these files the
    time of the clone. If they counted, a page that was edited just after the clone would seem to be
    copied with them. If git was not asked, all times count.
    """
    # A batch without rows has no page that git knows. The simple loop is a third faster.
    if not batch.rows:
        return [page.mtime // 1_000_000_000 for page in batch.pages]
    return [
        None if row.is_committed else page.mtime // 1_000_000_000 for page, row in batch.page_rows()
    ]


def _with_copies(batch: Batch, numbers: Sequence[int]) -> Batch:
    """Sets `is_copy` in the rows of those pages of a batch that a copy or a build wrote.

    `cp` gives all files the time of the copy. So the file time of a page with `is_copy` does not
    date a change. `numbers` are the numbers of these pages in the batch, 0 for the first.

    If nothing else is known of a page, its row is the shared `ROW_OF_COPY`, which takes no memory.
    """
    if not numbers:
        return batch
    # The batch has no rows if nothing is known of any of the pages.
    rows = list(batch.rows) or [NO_ROW] * len(batch.pages)
    for number in numbers:
        row = rows[number]
        rows[number] = ROW_OF_COPY if row is NO_ROW else row._replace(is_copy=True)
    return batch._replace(rows=rows)


def _indexes_in_bursts(seconds: Sequence[int | None], start: int, end: int) -> Sequence[int]:
    """Finds the pages that a copy or a build wrote: those whose file times are in a burst.

    A file is in a burst if

    - it was written within 40 seconds of at least four others, as by an upload
    - the site has only two to four pages, and it was written within 40 seconds of all others
    - it was written within a second of at least two others, as by a copy

    `seconds` are file times in the order of the walk, None for those that do not count. Only the
    pages with the indexes from `start` up to `end` are checked. The other times are those of the
    500 pages before them, and of the 500 after them.

    Returns the indexes in `seconds` of the pages in a burst.
    """
    upload = _BURST_OF_UPLOAD
    # In a site of fewer than five pages, an upload may write all of them.
    if len(seconds) < upload.files:
        upload = upload._replace(files=max(_MIN_FILES_OF_BURST, len(seconds)))
    ordered = sorted(second for second in seconds if second is not None)
    bursts = [burst for burst in (upload, _BURST_OF_COPY) if _may_have_burst(burst, ordered)]
    if not bursts:
        return ()  # as in most sites that people edit
    # If all files were written within 40 seconds, all are in one burst. They are at least as many
    # as `upload.files`, because that is at most the number of `seconds`.
    every_time_counts = len(ordered) == len(seconds)
    if every_time_counts and ordered[-1] - ordered[0] <= upload.seconds:
        return range(start, end)  # as in most sites that were just built
    return list(_find_in_bursts(bursts, seconds, start, end))


def _may_have_burst(burst: _Burst, ordered: Sequence[int]) -> bool:
    """Whether sorted file times may contain a burst. If not, no slow search for it is needed.

    With `files=5, seconds=40`, a file is in a burst if it was written within 40 seconds of four
    others. Some of these may be 40 seconds older, and some 40 seconds newer. So a burst is only
    possible if five of the times lie within 80 seconds. Sites that people edit rarely have them.
    """
    if len(ordered) < burst.files:
        return False
    # For a burst of five files: the fifth time minus the first, the sixth minus the second, and so
    # on. `map` ends with the shorter of both lists.
    lasts = islice(ordered, burst.files - 1, None)
    shortest_span: int = min(map(sub, lasts, ordered))
    return shortest_span <= 2 * burst.seconds


def _find_in_bursts(
    bursts: Iterable[_Burst], seconds: Sequence[int | None], start: int, end: int
) -> Iterator[int]:
    """Yields the index of each page from `start` up to `end` whose file time is in a burst.

    A page is in a burst if enough of the pages near it were written with it, such as five within 40
    seconds. The pages near it are the 500 before it and the 500 after it in the walk.

    `seconds` are file times in the order of the walk, None for those that do not count. At most 500
    of them come before `start`.
    """
    # A sliding window: the sorted times of the pages near the current one. With each page, one time
    # enters it and one leaves it. It begins as the window of the page before `start`.
    near = sorted(second for second in seconds[: start + _NEAR] if second is not None)
    for index in range(start, end):
        ahead = index + _NEAR  # the page that enters the window
        entering = seconds[ahead] if ahead < len(seconds) else None
        if entering is not None:
            insort(near, entering)
        behind = index - _NEAR - 1  # the page that leaves it
        leaving = seconds[behind] if behind >= 0 else None
        if leaving is not None:
            del near[bisect_left(near, leaving)]
        own = seconds[index]
        if own is not None and any(_is_in_burst(burst, own, near) for burst in bursts):
            yield index


def _is_in_burst(burst: _Burst, second: int, near: Sequence[int]) -> bool:
    """Whether a file written at `second` is in a burst: enough files were written with it.

    `near` are the sorted times of the files near it in the walk, its own included. For a burst of
    `files=5, seconds=40`, at least 5 of them must lie within 40 seconds of `second`.
    """
    first = bisect_left(near, second - burst.seconds)
    end = bisect_right(near, second + burst.seconds)
    return end - first >= burst.files
