"""The file's time of modification: honest where the generator leaves unchanged files alone."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Page


def seconds(pages: Sequence[Page]) -> Sequence[int | None]:
    """Whole seconds since the epoch, rounded down, as `date -r FILE` prints them."""
    return [mtime // 1_000_000_000 for _, _, mtime in pages]
