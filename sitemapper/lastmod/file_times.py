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


def _with_copies(batch: Batch, copies: Sequence[int]) -> Batch:
    """Sets `is_copy` in the rows of pages of a batch. A row is what is known of a page so far.

    `copies` are the numbers of the pages whose files a copy or a build wrote, 0 for the first page
    of the batch. `cp` gives all files the time of the copy, so their times date no change.
    """
    if not copies:
        return batch
    # The batch has no rows if nothing is known of any of its pages.
    rows = list(batch.rows) or [NO_ROW] * len(batch.pages)
    for number in copies:
        row = rows[number]
        # All pages of which nothing else is known share one row, which saves memory.
        rows[number] = ROW_OF_COPY if row is NO_ROW else row._replace(is_copy=True)
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
    They are compared with each other, and with the times `before` and `after`: those of up to 500
    pages that come before the batch, and of 500 that come after it.

    Returns the numbers of the pages, 0 for the first one of the batch.
    """
    times = [*before, *checked, *after]
    upload = _BURST_OF_UPLOAD
    # In a site of fewer than five pages, an upload may write all of them.
    if len(times) < upload.files:
        upload = upload._replace(files=max(_MIN_FILES_OF_BURST, len(times)))
    ordered = sorted(time for time in times if time is not None)
    bursts = [burst for burst in (upload, _BURST_OF_COPY) if _may_have_burst(burst, ordered)]
    if not bursts:
        return ()  # as in most sites that people edit
    # If all files were written within 40 seconds, all are in one burst. This is so in most sites
    # that were just built.
    every_time_counts = len(ordered) == len(times)
    if every_time_counts and ordered[-1] - ordered[0] <= upload.seconds:
        return range(len(checked))
    return list(_search_for_bursts(bursts, before, checked, after))


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


def _search_for_bursts(
    bursts: Iterable[_Burst],
    before: Sequence[int | None],
    checked: Sequence[int | None],
    after: Sequence[int | None],
) -> Iterator[int]:
    """Yields the number of each page of a batch whose file is in one of the `bursts`.

    `checked` are the file times of the batch in seconds, None for those that date no page anyway.
    `before` and `after` are those of up to 500 pages before the batch, and of 500 after it.

    Each page has its own surroundings: the 500 pages before it and the 500 after it. From one page
    to the next, one time enters them, and one leaves them.
    """
    following = [*checked, *after]
    # The sorted times of the surroundings, as they are before the first page is reached.
    near = sorted(time for time in (*before, *following[:_NEAR]) if time is not None)
    entering = chain(following[_NEAR:], repeat(None))
    # A page leaves when the walk is 501 pages further. `before` may have fewer than 500 pages, and
    # then the first of them leaves later.
    leaving = chain(repeat(None, _NEAR + 1 - len(before)), before, checked)
    for number, (own, enters, leaves) in enumerate(zip(checked, entering, leaving, strict=False)):
        if enters is not None:
            insort(near, enters)
        if leaves is not None:
            del near[bisect_left(near, leaves)]
        if own is not None and any(_is_in_burst(burst, own, near) for burst in bursts):
            yield number


def _is_in_burst(burst: _Burst, second: int, near: Sequence[int]) -> bool:
    """Whether a file written at `second` is in a burst: enough files were written with it.

    `near` are the sorted times of the files near it in the walk, its own included. For a burst of
    `files=5, seconds=40`, at least 5 of them must lie within 40 seconds of `second`.
    """
    first = bisect_left(near, second - burst.seconds)
    end = bisect_right(near, second + burst.seconds)
    return end - first >= burst.files
