"""Dates are read without inventing anything, and written as W3C Datetime."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapper.syntax.dates import Writer, mail_moment, moment, read_date


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024", "2024"),
        ("2024-05", "2024-05"),
        (" 2024-05-01 ", "2024-05-01"),
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
        ("202603130000", "2026-03-13"),
        ("2014-02-04 12:30:15.25+05", "2014-02-04T07:30:15+00:00"),  # Postgres
        ("20140204T123015Z", "2014-02-04T12:30:15+00:00"),
        ("2014-02-04T12Z", "2014-02-04T12:00:00+00:00"),
        ("2014-02-04 12:30:15 +0000 UTC", "2014-02-04T12:30:15+00:00"),  # Go
        ("2014-02-04 12:30:15 +0100", "2014-02-04T11:30:15+00:00"),  # git
        (date(2026, 3, 1), "2026-03-01"),
        (datetime(2026, 3, 1, 12), "2026-03-01T12:00:00+00:00"),
        ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59+00:00"),
    ],
)
def test_a_date_is_read_as_its_author_means_it(value: date | str, expected: str) -> None:
    assert read_date(value, Writer()).text == expected


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("03/04/2024", "more than one date"),
        ("05/06/07", "more than one date"),
        ("Monday", "more than one date"),
        ("12:30", "more than one date"),
        ("2024-W05", "is not a date"),
        ("2024W051", "is not a date"),
        ("next week", "is not a date"),
        ("", "is not a date"),
        ("9" * 1000, "is not a date"),
        ("2024-02-30", "in the calendar"),
        ("2024-02-30T00:00:00+00:00", "in the calendar"),
        ("2024-13", "in the calendar"),
        ("0000", "in the calendar"),
        ("1 May 2024 14:30 CST", "is not a date"),
        ("9999-12-31T23:59:59-10:00", "years 1 to 9999"),
    ],
)
def test_a_date_without_a_single_meaning_is_refused(value: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_date(value, Writer())


@pytest.mark.parametrize(
    ("zone", "seconds", "expected", "day"),
    [
        ("UTC", 0, "1970-01-01T00:00:00+00:00", "1970-01-01"),
        ("UTC", -1, "1969-12-31T23:59:59+00:00", "1969-12-31"),
        ("Europe/Berlin", 1_772_323_200, "2026-03-01T01:00:00+01:00", "2026-03-01"),
        ("America/New_York", 1_772_323_200, "2026-02-28T19:00:00-05:00", "2026-02-28"),
        ("UTC", 10**15, None, None),
        ("UTC", -(10**15), None, None),
    ],
)
def test_a_time_is_written_in_the_zone_of_the_site(
    zone: str, seconds: int, expected: str | None, day: str | None
) -> None:
    tzinfo = UTC if zone == "UTC" else ZoneInfo(zone)
    for date_only, text in ((False, expected), (True, day)):
        written = Writer(tzinfo, date_only=date_only).lastmod(seconds)
        assert written == (None if text is None else (seconds, text))


def test_a_date_without_a_zone_is_in_that_of_the_site() -> None:
    tokyo = Writer(ZoneInfo("Asia/Tokyo"))
    assert read_date("2026-03-01 12:00", tokyo).text == "2026-03-01T12:00:00+09:00"
    for text in ("1 March 2026 12:00 +0000", "1 March 2026 12:00 GMT"):
        assert read_date(text, tokyo).text == "2026-03-01T21:00:00+09:00"
    assert read_date("2026-03-01", tokyo) == (1_772_323_200 - 9 * 3600, "2026-03-01")


@given(st.integers(-62_135_596_800, 253_402_300_799))
def test_what_is_written_is_read_back(seconds: int) -> None:
    written = Writer().lastmod(seconds)
    assert written is not None
    assert written.text == datetime.fromtimestamp(seconds, UTC).isoformat()
    assert read_date(written.text, Writer()) == written
    assert moment(written.text) == seconds


@given(st.text("0123456789-:TZ+ ./,aMonyW", max_size=24))
def test_no_text_raises_anything_but_a_sentence(text: str) -> None:
    try:
        assert read_date(text, Writer()).text
    except ValueError as error:
        assert repr(text.strip()[:10])[1:-1] in str(error) or "years 1" in str(error)
    mail_moment(text)
    moment(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970", 0),
        ("1970-02", 31 * 86_400),
        ("1970-01-02", 86_400),
        ("1970-01-01T00:01:00Z", 60),
        ("1970-01-01T01:00+01:00", 0),
        ("1970-01-01T00:00", None),  # no zone
        ("2026-03-01T12:00:00+00:60", None),
        ("2026-02-31", None),
        ("1 March 2026", None),
    ],
)
def test_the_first_second_that_a_w3c_datetime_may_mean(text: str, expected: int | None) -> None:
    assert moment(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sun, 01 Mar 2026 12:00:00 +0100", "2026-03-01T11:00:00+00:00"),
        ("1 Mar 26 12:00 GMT", "2026-03-01T12:00:00+00:00"),
        ("25 Jun 2010 15:00:00 PST", "2010-06-25T23:00:00+00:00"),  # Google's example
        ("Friday, 25-Jun-10 15:00:00 GMT", "2010-06-25T15:00:00+00:00"),  # RFC 850
        ("Sun, 01 Mar 2026 12:00:00 -0000", None),  # a machine that does not say its own zone
        ("Sun, 01 Mar 2026 12:00:00 CEST", None),  # a zone that the RFC does not know
        ("Sun, 01 Mar 2026 12:00:00", None),
        ("Sun, 31 Feb 2026 12:00:00 GMT", None),
        ("2026-03-01", None),
        ("", None),
    ],
)
def test_a_date_of_mail_and_robots_directives(text: str, expected: str | None) -> None:
    second = mail_moment(text)
    written = None if second is None else Writer().lastmod(second)
    assert (written and written.text) == expected
