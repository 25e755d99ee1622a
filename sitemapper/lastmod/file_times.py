"""Which file times are those of a copy, a checkout or a build, and not of changes. Pure."""

from collections.abc import Iterable

# So many files within so many seconds of one of them. An upload of a file a second, with up to
# eight images between two pages, takes 40 seconds for five pages. Nobody saves three in a second.
_BURSTS = ((5, 40), (3, 1))


def find_bursts(times: Iterable[int], total: int) -> set[int]:
    """Finds the times, in seconds, at which files were written together with others.

    Five files within 40 seconds of one, itself included, or three within a second; of two to four
    files in `total`, all within 40 seconds.
    """
    known = sorted(times)
    found: set[int] = set()
    for files, seconds in _BURSTS:
        needed = max(2, min(files, total))
        first = end = 0  # of the times around one
        for time in known:
            while known[first] < time - seconds:
                first += 1
            while end < len(known) and known[end] <= time + seconds:
                end += 1
            if end - first >= needed:
                found.add(time)
    return found
