"""How a cost grows with the size of its input, whatever else the machine does."""

from __future__ import annotations

import time
from collections.abc import Callable

NOISE = 0.05  # seconds that a run may take for any reason


def seconds(call: Callable[[], object]) -> float:
    """The processor time of a call."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def assert_linear(prepare: Callable[[int], Callable[[], object]], size: int) -> None:
    """Fails where time grows with the square of the input: four times as much may take nine times as long.

    `prepare(n)` gives the call to time, on an input of size n. The shortest times of up to five runs are compared.
    """
    quarter = whole = float("inf")
    for _ in range(5):
        quarter = min(quarter, seconds(prepare(size // 4)))
        whole = min(whole, seconds(prepare(size)))
        if whole < 9 * max(quarter, NOISE):
            return
    raise AssertionError(f"size {size // 4}: {quarter:.2f} s, size {size}: {whole:.2f} s")
