"""Signals that wait until something is whole."""

from __future__ import annotations

import signal

from support import POSIX

from sitemapper.posix_signals import deferred_signals


@POSIX
def test_a_signal_comes_once_the_block_is_left() -> None:
    steps = []
    # A handler of the test's own: SIGINT may be ignored, as it is in a job that a shell runs in the background.
    before = signal.signal(signal.SIGTERM, lambda *_: steps.append("signal"))
    try:
        with deferred_signals():
            signal.raise_signal(signal.SIGTERM)
            steps.append("whole")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert steps == ["whole", "signal"]
