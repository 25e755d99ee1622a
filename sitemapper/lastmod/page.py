"""The date that a page gives itself, as `extract/page_date.py` reads it."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import LastMod
from ..syntax.dates import Writer, read


def lastmods(texts: Sequence[str | None], writer: Writer) -> list[LastMod | None]:
    """The dates of pages; a text that has no single meaning is no date."""
    return [None if text is None else _read(text, writer) for text in texts]


def _read(text: str, writer: Writer) -> LastMod | None:
    try:
        return read(text, writer)
    except ValueError:
        return None
