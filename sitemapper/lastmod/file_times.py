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
from itertools import chain, islice, repeat
from operator import sub
from typing import NamedTuple

from ..model import NO_ROW, ROW_IN_BURST, Batch

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


def with_bursts(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yields the batches of a walk, and sets `is_in_burst` in the rows of pages that a copy wrote.

    A copy or a build writes many files within seconds, and a person does not. Such files are a
    burst. To find bursts, the file time of each page is compared with those of the 500 pages before
    it and the 500 after it. So a batch waits until the next 500 pages have come.
    """
    waiting: deque[Batch] = deque()
    times: list[int | None] = []  # the file times of all pages that wait
    before: list[int | None] = []  # those of the 500 pages before them
    for batch in chain(batches, [None]):  # None after the last batch
        pages_to_wait_for = 0  # there are no more pages after the last batch
        if batch:
            waiting.append(batch)
            times += _times_of(batch)
            pages_to_wait_for = _NEAR
        while waiting and len(waiting[0].pages) + pages_to_wait_for <= len(times):
            count = len(waiting[0].pages)
            checked = times[:count]
            after = times[count : count + _NEAR]
            yield _with_copies(waiting.popleft(), _find_pages_in_bursts(before, checked, after))
            before = [*before, *checked][-_NEAR:]
            del times[:count]


def _times_of(batch: Batch) -> list[int | None]:
    """Lists the file times of a batch in seconds, None for a file that is as in its last commit.

    `git clone` gives all files the time of the clone. If these times counted, a page that somebody
    edited just after the clone would seem to be copied with the others.
    """
    # Without rows, no file is known to be as in its last commit. This loop is a third faster.
    if not batch.rows:
        return [page.mtime // 1_000_000_000 for page in batch.pages]
    return [
        None if row.is_committed else page.mtime // 1_000_000_000 for page, row in batch.page_rows()
    ]


def _with_copies(batch: Batch, copies: Sequence[int]) -> Batch:
    """Notes in the rows of a batch that a copy or a build wrote these pages: sets `is_in_burst`.

    `copies` are the places of these pages in the batch: `[0, 2]` for the first and the third page.
    """
    if not copies:
        return batch
    # A row is what is known of a page. The batch has no rows if nothing is known of any page.
    rows = list(batch.rows) or [NO_ROW] * len(batch.pages)
    for place in copies:
        row = rows[place]
        # Pages of which nothing else is known share the object `ROW_IN_BURST`, which saves memory.
        rows[place] = ROW_IN_BURST if row is NO_ROW else row._replace(is_in_burst=True)
    return batch._replace(rows=rows)


def _find_pages_in_bursts(
    before: Sequence[int | None], checked: Sequence[int | None], after: Sequence[int | None]
) -> Sequence[int]:
    """Finds the pages of a batch that a copy or a build wrote: their files are in a burst.

    A file is in a burst if it was written

    - within 40 seconds of at least four others, as by an upload
    - within 40 seconds of all others, if the site has only two to four pages
    - within a second of at least two others, as by a copy

    `checked` are the file times of the batch in seconds, None for those that date no page anyway.
    `before` and `after` are those of the 500 pages before the batch and of the 500 after it.

    Returns the places of these pages in the batch: `[0, 2]` for the first and the third page.
    """
    times = [*before, *checked, *after]
    ordered = sorted(time for time in times if time is not None)
    if len(ordered) < 2:  # one file shows nothing
        return ()
    # If all files were written within 40 seconds, all are in one burst. This is so in most sites
    # that were just built.
    upload = _BURST_OF_UPLOAD
    every_page_has_time = len(ordered) == len(times)
    if every_page_has_time and ordered[-1] - ordered[0] <= upload.seconds:
        return range(len(checked))
    # An upload of a site with fewer than five pages writes fewer than five files.
    if len(times) < upload.files:
        upload = upload._replace(files=len(times))
    bursts = [burst for burst in (upload, _BURST_OF_COPY) if _may_have_burst(burst, ordered)]
    if not bursts:  # as in most sites that people edit
        return ()
    found = []
    near_times = _times_near_pages(before, checked, after)
    for place, (own, near) in enumerate(zip(checked, near_times, strict=True)):
        if own is not None and any(_is_in_burst(burst, own, near) for burst in bursts):
            found.append(place)
    return found


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


def _times_near_pages(
    before: Sequence[int | None], checked: Sequence[int | None], after: Sequence[int | None]
) -> Iterator[list[int]]:
    """Yields for each page of a batch the file times near it in the walk, sorted.

    These are the times of the page, of the 500 pages before it and of the 500 after it. None stands
    for a page without a time, and is left out of the result.

    `checked` are the file times of the batch. `before` and `after` are those of up to 500 pages
    before the batch and after it.

    To sort a new list for each page would take long. So this is always the same list. From one page
    to the next, the time of the first of the 1,001 pages is removed, and that of the page after the
    last one is inserted.
    """
    # At the ends of the walk, some of the 500 pages are missing. None stands for each of them.
    missing_before = repeat(None, _NEAR - len(before))
    missing_after = repeat(None, _NEAR - len(after))
    times = [*missing_before, *before, *checked, *after, *missing_after]
    # Near the first page of the batch are `times[0:1001]`, near the second `times[1:1002]`.
    near = sorted(time for time in times[: 2 * _NEAR] if time is not None)
    for place in range(len(checked)):
        last = times[place + 2 * _NEAR]
        if last is not None:
            insort(near, last)
        yield near
        first = times[place]
        if first is not None:
            del near[bisect_left(near, first)]


def _is_in_burst(burst: _Burst, second: int, near: Sequence[int]) -> bool:
    """Whether a file written at `second` is in a burst: enough files were written with it.

    `near` are the sorted times of the files near it in the walk, its own included. For a burst of
    `files=5, seconds=40`, at least 5 of them must lie within 40 seconds of `second`.
    """
    first = bisect_left(near, second - burst.seconds)
    end = bisect_right(near, second + burst.seconds)
    return end - first >= burst.files
