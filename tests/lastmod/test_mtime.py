"""The time of the file as the date of its page."""

from __future__ import annotations

from datetime import timedelta, timezone

from sitemapper.lastmod.mtime import lastmods
from sitemapper.model import Page
from sitemapper.syntax.dates import Writer

FILES = [Page("a.html", 1, 1_767_323_045_999_999_999), Page("b.html", 1, 0)]


def test_dates_are_whole_seconds_rounded_down() -> None:
    dates = [date.text for date in lastmods(FILES, Writer(), None) if date]
    assert dates == ["2026-01-02T03:04:05+00:00", "1970-01-01T00:00:00+00:00"]


def test_source_date_epoch_is_the_latest_date() -> None:
    assert [date.seconds for date in lastmods(FILES, Writer(), 1_700_000_000) if date] == [1_700_000_000, 0]


def test_dates_are_written_in_the_zone_of_the_site() -> None:
    writer = Writer(timezone(timedelta(hours=9)), date_only=True)
    assert [date.text for date in lastmods(FILES, writer, None) if date] == ["2026-01-02", "1970-01-01"]
