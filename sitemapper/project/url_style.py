"""Which URL style the site's own words prove, for `url_style = "auto"`, or contradict. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from ..syntax.hosts import Host
from ..syntax.urls import Locator

STYLES = ("directory", "clean", "slash", "bare", "file")  # those before win ties
# No parser: what stands in a comment or a script does not lead to pages so often that it decides.
_LINK = re.compile(rb"""<a\s(?:[^<>]*?\s)?href\s*=\s*["']?([^"'\s<>#?][^"'\s<>]*)""", re.IGNORECASE)
_FEW = 10  # links; a server shows a/index.html at a/ even where some lead to a

Pairs = Iterable[tuple[str, str]]  # of a file and the path by which a canonical or a link names it


def proved(canonicals: Pairs, links: Pairs, host: Host) -> tuple[str, str]:
    """The style, and the evidence in words. Links are asked where neither canonicals nor the host tell.

    Where canonicals fit several styles alike, as `b` fits clean and bare, that of the host wins.
    """
    pairs, what = list(canonicals), "canonicals"
    hosts = host.rules[0].style if len(host.rules) == 1 else None
    if not pairs and hosts:
        return hosts
    if not pairs:
        pairs, what = list(links), "internal links"
    if not pairs:
        return "directory", "no canonical or link tells otherwise"
    best, votes = _favourite(pairs, hosts[0] if hosts else "")
    if votes * 2 > len(pairs):
        return best, f"{votes} of {len(pairs)} {what} looked at are written so"
    return "directory", f"no style fits more than {votes} of {len(pairs)} {what} looked at"


def contradicted(style: str, links: Pairs) -> str | None:
    """What nine of ten links that lead to pages say against a style; None if they do not."""
    pairs = list(links)
    best, _ = _favourite(pairs)
    mine, theirs = Locator("", style), Locator("", best)
    told = [(path, form) for path, form in pairs if mine.served_path(path) != theirs.served_path(path)]
    against = [(path, form) for path, form in told if form == theirs.served_path(path)]
    if len(against) * 10 < len(told) * 9 or len(against) < (_FEW if best == "bare" else 1):
        return None
    path, form = against[0]
    return f"{len(against)} of {len(told)} are written as in {best}: /{form}, not /{mine.served_path(path)}"


def _favourite(pairs: Pairs, wins_ties: str = "") -> tuple[str, int]:
    """The style that writes most of the files as they are named, and of how many it does."""
    votes = Counter(s for path, form in pairs for s in STYLES if Locator("", s).served_path(path) == form)
    best = max(STYLES, key=lambda style: (votes[style], style == wins_ties))
    return best, votes[best]


def targets(data: bytes) -> Iterator[str]:
    """The targets of a page's links, each once."""
    yield from dict.fromkeys(found.decode("utf-8", "replace") for found in _LINK.findall(data))
