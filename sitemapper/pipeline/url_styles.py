"""`url_style = "auto"`: which style the site's own words prove. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..syntax.hosts import Host
from ..syntax.urls import Locator

SAMPLE = 200  # pages that are looked at
STYLES = ("file", "directory", "clean", "slash")


def proved(named: Iterable[tuple[str, str]], host: Host) -> tuple[str, str]:
    """The style, and the evidence in words, from pairs of a file and the path its canonical names.

    A pair votes for each style that writes the file so; pages called index.html tell `file` from the
    rest, others tell `clean` and `slash`. The style with most votes wins; a tie is for the plainest.
    """
    votes: Counter[str] = Counter()
    pairs = list(named)
    for path, form in pairs:
        votes.update(s for s in STYLES if Locator("", s).form(path) == form)
    if votes:
        best = max(("directory", "clean", "slash", "file"), key=lambda style: votes[style])
        if votes[best] * 2 > len(pairs):
            return best, f"{votes[best]} of {len(pairs)} canonicals looked at are written so"
        return "directory", f"no style fits more than {votes[best]} of {len(pairs)} canonicals, which decide"
    if host.names == ("cloudflare",):
        return "clean", "Cloudflare Pages serves b.html at b"
    return "directory", "no canonical tells otherwise"
