"""What a signal needs to know decides whether pages have to be read for it."""

from __future__ import annotations

import pytest

from sitemapper.select import signals

READ_FOR = {"canonical", "noindex", "not_a_page", "refresh", "unavailable_after"}


@pytest.mark.parametrize("signal", signals.ALL, ids=lambda signal: signal.name)
def test_whether_pages_are_read_for_a_signal(signal: signals.Signal) -> None:
    assert signal.needs_page is (signal.name in READ_FOR)
