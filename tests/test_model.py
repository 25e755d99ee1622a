"""The values that rooms exchange, and what may not be doubled."""

from __future__ import annotations

from sitemapper.model import Reason


def test_each_reason_has_its_own_sentence() -> None:
    """Two members of one value would be one."""
    assert len(Reason) == len(Reason.__members__)
