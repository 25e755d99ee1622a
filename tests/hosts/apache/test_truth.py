"""Three values: what is unknown decides only where nothing else does."""

from __future__ import annotations

import pytest

from sitemapper.hosts.apache.truth import Truth, all_of, any_of, negated


@pytest.mark.parametrize(
    ("values", "all_are", "any_is"),
    [
        ([], True, False),
        ([True, None], None, True),
        ([False, None], False, None),
        ([None, False, True], False, True),
        ([True, True], True, True),
    ],
)
def test_unknown_decides_only_alone(values: list[Truth], all_are: Truth, any_is: Truth) -> None:
    assert all_of(values) is all_are
    assert any_of(values) is any_is


def test_the_opposite_of_unknown_is_unknown() -> None:
    assert [negated(value) for value in (True, False, None)] == [False, True, None]
