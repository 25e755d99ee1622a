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


def head_signals() -> HeadSignals:
    """Collects what is to be read in the `<head>` of each page: the signals that stand there.

    The `words` are those of the tags to read, such as `robots` for `<meta name="robots">`: other
    tags are skipped. The `readers` find a signal in these tags. Signals such as robots.txt are not
    in heads, and have neither. Signals that `[respect]` turns off are read all the same, so that
    the cache stays valid when one of its keys changes.

    The cache keeps what was read. It is valid for the same `stamp` only, which is another one when
    a reader or its words change.
    """
    words = dict.fromkeys(word for signal in ALL for word in signal.words)
    readers = []
    versions = []
    for signal in ALL:
        if signal.read:  # it is in heads
            readers.append((signal.name, signal.read))
            versions.append((signal.name, signal.version, signal.words))
    return HeadSignals(tuple(words), tuple(readers), stamp=repr(versions))
