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
    """Picks the signals that the user has not turned off under `[respect]`, in order.

    `noindex = false` turns off the signals whose `switch` is "noindex". A signal without a switch,
    such as `too_long`, always counts.
    """
    return tuple(
        signal for signal in ALL if signal.switch is None or getattr(respect, signal.switch)
    )


def head_signals() -> HeadSignals:
    """Collects how to read the signals in the `<head>` of each page, such as noindex.

    - `words`: only tags with one of these are read. `robots` is for `<meta name="robots">`.
    - `readers`: the functions that find a signal in these tags, each with the signal's name.

    Signals that are not in heads, such as robots.txt, are left out.
    """
    words = dict.fromkeys(word for signal in ALL for word in signal.words)
    readers = [(signal.name, signal.read) for signal in ALL if signal.read]
    return HeadSignals(tuple(words), tuple(readers))
