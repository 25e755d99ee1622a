"""The signals that exclude pages: one file a signal, and here their order.

The first signal that excludes a page decides. Those that need only the path run before a page is
read. A new signal is a file here, its line in `ALL`, and a member of `model.Reason`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...read.metadata import HeadSignals
from . import (
    canonical,
    duplicate,
    host,
    noindex,
    not_a_page,
    refresh,
    robots,
    rule,
    too_long,
    unavailable_after,
)
from .signal import Signal

if TYPE_CHECKING:
    from ...config.settings import Respect

ALL = (
    rule.SIGNAL,
    robots.SIGNAL,
    host.SIGNAL,
    refresh.SIGNAL,
    not_a_page.SIGNAL,
    noindex.SIGNAL,
    unavailable_after.SIGNAL,
    canonical.SIGNAL,
    duplicate.SIGNAL,
    too_long.SIGNAL,
)


def respected(respect: Respect) -> tuple[Signal, ...]:
    """Picks the signals that no key of `[respect]` turns off, in order."""
    return tuple(
        signal for signal in ALL if signal.switch is None or getattr(respect, signal.switch)
    )


def in_heads() -> HeadSignals:
    """Collects the words to search the heads of pages for, and the readers of the signals there.

    All signals are read, also those that `[respect]` turns off, so that the cache stays valid when
    one of its keys changes. `stamp` changes with the readers and the words.
    """
    words = dict.fromkeys(word for signal in ALL for word in signal.words)
    readers = []
    versions = []
    for signal in ALL:
        if signal.read:
            readers.append((signal.name, signal.read))
            versions.append((signal.name, signal.version, signal.words))
    return HeadSignals(tuple(words), tuple(readers), stamp=repr(versions))
