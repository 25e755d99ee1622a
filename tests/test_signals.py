"""Signals that wait until something is whole."""

from __future__ import annotations

import signal

import pytest
from support import POSIX

from sitemapper.signals import deferred_signals


@POSIX
def test_a_signal_comes_once_the_block_is_left() -> None:
    steps = []
    with pytest.raises(KeyboardInterrupt), deferred_signals():
        signal.raise_signal(signal.SIGINT)
        steps.append("whole")
    assert steps == ["whole"]
