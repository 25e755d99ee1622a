"""What a call costs, whatever else the machine does."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def few_seconds_of_cpu(limit: float = 20) -> Iterator[None]:
    """Fails where time grows with the square of the input: what is allowed is twenty times what is needed."""
    begun = time.process_time()
    yield
    assert time.process_time() - begun < limit
