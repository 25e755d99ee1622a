"""Finds URLs that a stream has listed twice, once its shards are closed."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..model import Shard
from ..output.formats import escape
from ..output.shards import Spool

_URL = re.compile(rb"<url><loc>([^<]*)")


def find_repeated(
    suspects: Mapping[str, Sequence[str]], shards: Iterable[Shard], spool: Spool
) -> dict[str, str]:
    """The paths of pages to leave out, with their URLs, so that no URL is listed twice.

    `suspects` are the URLs that two pages may have, with the paths of the pages that may be one of
    the two. All other pages have the URL of their file in the style of the site, and these differ.
    So a page that is a suspect is left out where another page is none, and otherwise all suspects
    of a URL but the first. Without suspects, nothing is read.
    """
    if not suspects:
        return {}
    counts = _count_entries({escape(loc).encode() for loc in suspects}, shards, spool)
    left_out = {}
    for loc, paths in suspects.items():
        is_one_no_suspect = counts[escape(loc).encode()] > len(paths)
        first_left_out = 0 if is_one_no_suspect else 1
        for path in paths[first_left_out:]:
            left_out[path] = loc
    return left_out


def _count_entries(locs: set[bytes], shards: Iterable[Shard], spool: Spool) -> Counter[bytes]:
    """How often each of some URLs is listed. They are escaped as in the sitemap."""
    counts: Counter[bytes] = Counter()
    for shard in shards:
        if shard.series.format != "xml":
            continue
        rest = b""  # the beginning of a line whose end is in the next block
        for block in spool.blocks(shard):
            data = rest + block
            end = data.rfind(b"\n") + 1
            counts.update(filter(locs.__contains__, _URL.findall(data, 0, end)))
            rest = data[end:]
    return counts
