"""The forms in which entries are written: one file a form, one line here each."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import NamedTuple

from ..config.settings import Settings
from ..model import LastMod, Listed
from ..protocol import CHANGEFREQS
from . import text, xml


class Format(NamedTuple):
    """A form: its extension, the bytes around so many entries, and the entries as text.

    `setting` is the key of `[sitemap]` that switches it on, "" for none. `mark`, in a file, shows that it is
    ours; of a form that can carry none, the main sitemap names our files. `indexed` forms are named by the
    index and may have sections.
    """

    extension: str
    mark: bytes
    setting: str
    head: Callable[[Settings, int], bytes]
    tail: bytes
    render: Callable[[Sequence[Listed], Sequence[LastMod | None]], list[str]]
    indexed: bool


ALL = (
    Format("xml", xml.MARK, "", xml.urlset_head, xml.URLSET_TAIL, xml.render, indexed=True),
    Format("txt", b"", "text", text.head, b"", text.render, indexed=False),
)


def enabled(settings: Settings) -> tuple[Format, ...]:
    """The formats to write."""
    return tuple(form for form in ALL if not form.setting or getattr(settings.sitemap, form.setting))


def by_extension(extension: str) -> Format:
    """The format of an extension."""
    return next(form for form in ALL if form.extension == extension)


def priority(value: float | str) -> str:
    """The priority in its one form: `0.8`, `1.0`, `0.55`. Raises ValueError outside 0.0 to 1.0."""
    text = str(value).strip()
    number = (
        Decimal(text) if re.fullmatch(r"\d{1,9}\.?\d{0,9}|\.\d{1,9}|\d(\.\d+)?e-\d\d", text) else Decimal(2)
    )
    if number > 1:
        raise ValueError(f"priority: must be between 0.0 and 1.0, not {value}")
    whole, _, fraction = f"{number:.9f}".partition(".")
    return f"{whole}.{fraction.rstrip('0') or '0'}"


def changefreq(value: str) -> str:
    """The value itself. Raises ValueError for what the protocol does not allow."""
    if value not in CHANGEFREQS:
        raise ValueError(f"changefreq: must be one of {', '.join(CHANGEFREQS)}, not {value!r}")
    return value
