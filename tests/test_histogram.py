"""Dates that tell when a site was built, not when its pages changed."""

from __future__ import annotations

import pytest

from sitemapper.histogram import Histogram

HOUR = 3_600


def histogram(*seconds: int) -> Histogram:
    dates = Histogram()
    dates.add(seconds)
    return dates


@pytest.mark.parametrize(
    ("seconds", "is_uniform"),
    [
        (range(20), True),
        (range(19), False),  # too few to tell
        (range(0, 20 * HOUR, HOUR), False),
        ((*range(18), HOUR, 2 * HOUR), True),  # nine in ten
        ((*range(17), HOUR, 2 * HOUR, 3 * HOUR), False),
        ((), False),
    ],
)
def test_dates_are_uniform_if_nearly_all_lie_within_a_minute(
    seconds: range | tuple[int, ...], is_uniform: bool
) -> None:
    assert histogram(*seconds).is_uniform() is is_uniform


def test_a_minute_has_no_fixed_beginning() -> None:
    assert histogram(59, 60, 119).share() == 1
    assert histogram(59, 60, 120).share() == pytest.approx(2 / 3)


def test_many_different_dates_take_no_memory_and_hide_no_build() -> None:
    dates = histogram(*range(0, 25_000 * HOUR, HOUR))
    dates.add([7] * 300_000)
    assert dates.total == 325_000
    assert dates.is_uniform()
