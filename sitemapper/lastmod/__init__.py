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
    """Dates of a batch, page by page, the seconds each source answered, and future dates met."""

    lastmods: Sequence[LastMod | None]
    answers: dict[str, Sequence[int]]
    warned: list[Warned]


def date(pages: Sequence[Page], dating: Dating) -> Dated:
    """The date of each page, None where no source answers."""
    lastmods: Sequence[LastMod | None] = [None] * len(pages)
    answers: dict[str, Sequence[int]] = {}
    warned: list[Warned] = []
    unanswered: Sequence[int] = range(len(pages))
    for name in dating.sources:
        asked = pages if len(unanswered) == len(pages) else [pages[i] for i in unanswered]
        said = _believed(SOURCES[name](asked), asked, dating, warned)
        answers[name] = [s for s in said if s is not None]
        written = dating.writer.lastmods(said)
        if len(asked) == len(pages):
            lastmods = written
        else:
            known = dict(zip(unanswered, written, strict=True))
            lastmods = [known.get(i, lastmod) for i, lastmod in enumerate(lastmods)]
        unanswered = [i for i, lastmod in enumerate(lastmods) if lastmod is None] if None in lastmods else ()
    return Dated(lastmods, answers, warned)


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
