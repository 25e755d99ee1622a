"""The file's time of modification: honest where the generator leaves unchanged files alone."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import LastMod, Page
from ..syntax.dates import Writer


def lastmods(pages: Sequence[Page], writer: Writer, epoch: int | None) -> Sequence[LastMod | None]:
    """Whole seconds, rounded down, as `date -r FILE` prints them.

    SOURCE_DATE_EPOCH is an upper bound (reproducible-builds.org).
    """
    seconds = [mtime // 1_000_000_000 for _, _, mtime, *_ in pages]
    if epoch is not None:
        seconds = [min(s, epoch) for s in seconds]
    return writer.lastmods(seconds)
