"""A list of which only the end is in memory."""

from __future__ import annotations

from sitemapper.long_list import LongList


def test_items_come_in_their_order_also_while_they_are_added() -> None:
    numbers: LongList[int] = LongList()
    for number in range(250):
        numbers.append(number)
        if number in (99, 100, 249):
            assert list(numbers) == list(range(number + 1))
    assert len(numbers) == 250
    assert numbers == tuple(range(250)) and 7 in numbers and 250 not in numbers
    # Two readers do not disturb each other.
    assert list(zip(numbers, numbers, strict=True)) == [(n, n) for n in range(250)]
