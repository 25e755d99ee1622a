"""What a call costs, whatever else the machine does."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(call: Callable[[], object]) -> float:
    """The processor time of a call."""
    begin = time.process_time()
    call()
    return time.process_time() - begin
