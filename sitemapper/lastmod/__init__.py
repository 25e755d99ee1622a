"""When a page last changed: an ordered list of sources, the first that answers wins.

A source is one file here and one line in SOURCES: a function from a page to seconds, or None. No
source reads the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..dates import Writer
from ..model import Caution, LastMod, Page, Warned
from . import mtime

Source = Callable[[Sequence[Page]], Sequence[int | None]]
SOURCES: dict[str, Source] = {"mtime": mtime.seconds}


class Dating(NamedTuple):
    """How a run dates its pages: sources in order of trust, the latest second believed, the writer."""

    sources: tuple[str, ...]
    now: int
    source_date_epoch: int | None
    writer: Writer


class Dated(NamedTuple):
    """Dates of a batch page by page, the source of each (by place; one name if all have one), warnings."""

    lastmods: Sequence[LastMod | None]
    sources: str | dict[int, str]
    warned: list[Warned]


def date(pages: Sequence[Page], dating: Dating) -> Dated:
    """The date of each page, None where no source answers."""
    lastmods: list[LastMod | None] = [None] * len(pages)
    sources: dict[int, str] = {}
    warned: list[Warned] = []
    unanswered: Sequence[int] = range(len(pages))
    for name in dating.sources:
        asked = pages if len(unanswered) == len(pages) else [pages[i] for i in unanswered]
        written = dating.writer.lastmods(_believed(SOURCES[name](asked), asked, dating, warned))
        if len(written) == len(pages) and None not in written:
            return Dated(written, name, warned)  # the common case: one source knows all
        for i, lastmod in zip(unanswered, written, strict=True):
            if lastmod is not None:
                lastmods[i], sources[i] = lastmod, name
        unanswered = [i for i in unanswered if lastmods[i] is None]
    return Dated(lastmods, sources, warned)


def answered(dated: Dated, places: Sequence[int]) -> dict[str, list[int]]:
    """The seconds that each source gave to the pages at `places`."""
    found: dict[str, list[int]] = {}
    if isinstance(dated.sources, str):
        known = dated.lastmods if len(places) == len(dated.lastmods) else [dated.lastmods[i] for i in places]
        return {dated.sources: [lastmod[0] for lastmod in known if lastmod is not None]}
    for i in places:
        lastmod = dated.lastmods[i]
        if lastmod is not None:
            found.setdefault(dated.sources[i], []).append(lastmod.seconds)
    return found


def _believed(
    said: Sequence[int | None], pages: Sequence[Page], dating: Dating, warned: list[Warned]
) -> Sequence[int | None]:
    """Without what lies in the future; SOURCE_DATE_EPOCH is an upper bound (reproducible-builds.org)."""
    if dating.source_date_epoch is not None:
        said = [None if s is None else min(s, dating.source_date_epoch) for s in said]
    if max(filter(None, said), default=0) <= dating.now:
        return said
    future = {s for s in said if s is not None and s > dating.now}
    warned += [Warned(Caution.FUTURE, page.path) for s, page in zip(said, pages, strict=True) if s in future]
    return [None if s in future else s for s in said]
