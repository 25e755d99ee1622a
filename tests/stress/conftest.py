"""A site that is built in one state, to be disturbed on its way to the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from support import Count
from support.trial import Trial

COUNT = "counted "  # begins the name of a property that a test reports


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path)


@pytest.fixture
def count(record_property: Callable[[str, object], None]) -> Count:
    """`count("kills", 3)` adds to the counts that are printed at the end."""
    return lambda what, n: record_property(COUNT + what, n)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was tried, of all tests and all processes."""
    counts: Counter[str] = Counter()
    for report in terminalreporter.getreports("passed"):
        for name, n in report.user_properties:
            if name.startswith(COUNT):
                counts[name.removeprefix(COUNT)] += int(str(n))
    for what, number in counts.items():
        terminalreporter.write_line(f"{number:,} {what}")
