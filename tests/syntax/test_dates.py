"""Dates are read without inventing anything and written as W3C Datetime."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapper.syntax.dates import Writer, mail_moment, moment, read


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024", "2024"),
        ("2024-05", "2024-05"),
        ("2024-05-01", "2024-05-01"),
        ("2024-05-01T10:00Z", "2024-05-01T10:00:00+00:00"),
        ("2024-05-01T10:00:30.123+02:00", "2024-05-01T08:00:30+00:00"),
        ("2024-05-01 10:00", "2024-05-01T10:00:00+00:00"),
        ("May 1, 2024", "2024-05-01"),
        ("1 May 2024 14:30 GMT", "2024-05-01T14:30:00+00:00"),
        ("Wed, 01 May 2024 14:30:00 +0200", "2024-05-01T12:30:00+00:00"),
        ("May 2024", "2024-05"),
        ("25/12/2024", "2024-12-25"),
        ("2026-03-01T12:00+0200", "2026-03-01T10:00:00+00:00"),
        ("2026/03/01", "2026-03-01"),
        ("20260301", "2026-03-01"),
        ("2014-02-04 12:30:15.25+05", "2014-02-04T07:30:15+00:00"),  # Postgres
        ("20140204T123015Z", "2014-02-04T12:30:15+00:00"),
        ("2014-02-04T12Z", "2014-02-04T12:00:00+00:00"),
        ("2014-02-04 12:30:15 +0000 UTC", "2014-02-04T12:30:15+00:00"),  # Go
        (date(2026, 3, 1), "2026-03-01"),
        (datetime(2026, 3, 1, 12), "2026-03-01T12:00:00+00:00"),
        ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59+00:00"),
    ],
)
def test_reads(value: date | str, expected: str) -> None:
    assert read(value, Writer()).text == expected


@pytest.mark.parametrize(
    "value",
    ["03/04/2024", "2024-W05", "2024W051", "Monday", "12:30", "next week", "2024-02-30", "2024-02-30T00:00:00+00:00", "2024-13", "05/06/07", "",
     "1 May 2024 14:30 CST", "9999-12-31T23:59:59-10:00"],
)  # fmt: skip
def test_refuses_what_has_no_single_meaning(value: str) -> None:
    with pytest.raises(ValueError, match="."):
        read(value, Writer())


def test_an_offset_has_at_most_59_minutes() -> None:
    assert moment("2026-03-01T12:00:00+00:60") is None


@pytest.mark.parametrize(
    ("zone", "seconds", "expected"),
    [
        ("UTC", 0, "1970-01-01T00:00:00+00:00"),
        ("UTC", -1, "1969-12-31T23:59:59+00:00"),
        ("Europe/Berlin", 1_772_323_200, "2026-03-01T01:00:00+01:00"),
        ("Asia/Kolkata", 1_772_323_200, "2026-03-01T05:30:00+05:30"),
        ("Europe/Amsterdam", -3_000_000_000, "1874-12-07T18:40:00+00:00"),
    ],
)
def test_zones(zone: str, seconds: int, expected: str) -> None:
    writer = Writer(UTC if zone == "UTC" else ZoneInfo(zone))
    assert [d.text for d in writer.lastmods([seconds]) if d] == [expected]


def test_years_that_the_calendar_lacks_have_no_date() -> None:
    assert Writer().lastmods([10**15, 5, -(10**15)])[::2] == [None, None]


@given(st.integers(-60_000_000_000, 250_000_000_000))
def test_what_is_written_is_read_back(seconds: int) -> None:
    written = Writer().lastmod(seconds)
    assert written is not None
    assert read(written.text, Writer()) == written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sun, 01 Mar 2026 12:00:00 +0100", "2026-03-01T11:00:00+00:00"),
        ("1 Mar 26 12:00 GMT", "2026-03-01T12:00:00+00:00"),
        ("Sun, 01 Mar 2026 12:00:00 EST", "2026-03-01T17:00:00+00:00"),
        ("Sun, 01 Mar 2026 12:00:00 CEST", None),  # a zone that the RFC does not know
        ("25 Jun 2010 15:00:00 PST", "2010-06-25T23:00:00+00:00"),  # Google's example
        ("Friday, 25-Jun-10 15:00:00 GMT", "2010-06-25T15:00:00+00:00"),  # RFC 850
        ("25 Jun 10 15:00:00 UT", "2010-06-25T15:00:00+00:00"),  # RFC 822
        ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37+00:00"),
        ("Sun, 01 Mar 2026 12:00:00 -0000", "2026-03-01T12:00:00+00:00"),
        ("Sun, 01 Mar 2026 12:00:00", None),
        ("Sun, 31 Feb 2026 12:00:00 GMT", None),
        ("2026-03-01", None),
        ("9" * 100_000, None),
        ("", None),
    ],
)
def test_a_date_of_mail_and_robots_directives(text: str, expected: str | None) -> None:
    assert mail_moment(text) == (expected and moment(expected))
