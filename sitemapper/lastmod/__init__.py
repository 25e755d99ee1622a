"""When a page last changed: an ordered list of sources, the first that answers wins.

A source is one file here and one line in SOURCES. No source reads the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..dates import Writer
from ..model import Caution, LastMod, Page, Warned
from . import mtime, page


class Dating(NamedTuple):
    """How a run dates its pages: sources in order of trust, the latest second believed, the writer."""

    sources: tuple[str, ...]
    now: int
    source_date_epoch: int | None
    writer: Writer

    @property
    def reads_pages(self) -> bool:
        """Whether a source wants to know what the page says."""
        return "page" in self.sources


class Asked(NamedTuple):
    """Pages to date, and the dates that they give themselves, if a source wants them."""

    pages: Sequence[Page]
    texts: Sequence[str | None] = ()

    def at(self, places: Sequence[int]) -> Asked:
        """Some of them."""
        texts = [self.texts[i] for i in places] if self.texts else ()
        return Asked([self.pages[i] for i in places], texts)


Source = Callable[[Asked, Dating], Sequence[LastMod | None]]
SOURCES: dict[str, Source] = {
    "page": lambda asked, dating: page.lastmods(asked.texts, dating.writer),
    "mtime": lambda asked, dating: mtime.lastmods(asked.pages, dating.writer, dating.source_date_epoch),
}


class Dated(NamedTuple):
    """Dates of pages in order, the source of each (by place; one name if all have one), warnings."""

    lastmods: Sequence[LastMod | None]
    sources: str | dict[int, str]
    warned: list[Warned]


def date(asked: Asked, dating: Dating) -> Dated:
    """The date of each page, None where no source answers."""
    lastmods: list[LastMod | None] = [None] * len(asked.pages)
    sources: dict[int, str] = {}
    warned: list[Warned] = []
    unanswered: Sequence[int] = range(len(asked.pages))
    for name in dating.sources:
        rest = asked if len(unanswered) == len(asked.pages) else asked.at(unanswered)
        said = _believed(SOURCES[name](rest, dating), rest.pages, dating, warned)
        if len(said) == len(asked.pages) and None not in said:
            return Dated(said, name, warned)  # the common case: one source knows all
        for i, lastmod in zip(unanswered, said, strict=True):
            if lastmod is not None:
                lastmods[i], sources[i] = lastmod, name
        unanswered = [i for i in unanswered if lastmods[i] is None]
    return Dated(lastmods, sources, warned)


def answered(dated: Dated) -> dict[str, list[int]]:
    """The seconds that each source gave."""
    if isinstance(dated.sources, str):
        return {dated.sources: [lastmod[0] for lastmod in dated.lastmods if lastmod is not None]}
    found: dict[str, list[int]] = {}
    for i, name in dated.sources.items():
        lastmod = dated.lastmods[i]
        found.setdefault(name, []).append(lastmod.seconds if lastmod else 0)
    return found


def _believed(
    said: Sequence[LastMod | None], pages: Sequence[Page], dating: Dating, warned: list[Warned]
) -> Sequence[LastMod | None]:
    """Without what lies in the future."""
    latest = max(filter(None, said), default=None)
    if latest is None or latest.seconds <= dating.now:
        return said
    future = [d is not None and d.seconds > dating.now for d in said]
    warned += [Warned(Caution.FUTURE, p.path) for p, late in zip(pages, future, strict=True) if late]
    return [None if late else d for d, late in zip(said, future, strict=True)]
