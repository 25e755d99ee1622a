"""Reads the dates that people and programs write, and writes W3C Datetime. Pure, without a clock.

No part that is missing is guessed: `2026-03` stays a month. dateutil reads what is not ISO 8601; of
its result, only the parts count that are in the text.
"""

import re
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from itertools import product
from typing import NamedTuple

_ZONE = r"(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)"
_W3C = re.compile(
    rf"\d{{4}}(?:-\d\d(?:-\d\d(?P<time>T\d\d:\d\d(?::\d\d(?:\.\d+)?)?{_ZONE})?)?)?", re.ASCII
)
_MAX_LENGTH = 200  # of a date in any notation
# `20260301`, `2026/03/01` and `2026.03.01`, where the order of the parts is known.
_COMPACT_DAY = re.compile(r"(\d{4})[/.]?(\d{2})[/.]?(\d{2})", re.ASCII)
_ISO_TIME = re.compile(r"(?:\d{4}-\d\d-\d\d[T ]|\d{8}T)\d\d", re.ASCII)
# Go writes `12:30:15 +0000 UTC`, and git `12:30:15 +0100`.
_NOT_ISO = re.compile(r" (?=[+-]\d\d)| UTC$")
_ISO_WEEK = re.compile(r"\d{4}-?W\d", re.ASCII)
_HELP = "write it as 2026-03-01 or 2026-03-01T12:00:00+00:00"
# They differ in each part, so a part that is the same in both readings is in the text.
_TWO_DEFAULTS = (
    datetime.fromisoformat("2001-01-01T00:00:00"),
    datetime.fromisoformat("2004-02-02T01:01:00"),
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class LastMod(NamedTuple):
    """A date of change: seconds since the epoch to compare it, and W3C Datetime to write it."""

    seconds: int
    text: str


class Writer(NamedTuple):
    """Writes times in one zone: `2026-03-01T12:34:00+00:00`, with `date_only` `2026-03-01`."""

    zone: tzinfo = UTC
    date_only: bool = False

    def lastmod(self, seconds: int) -> LastMod | None:
        """Writes a time in seconds since the epoch; None if its year is not one of 1 to 9999."""
        try:
            local = datetime.fromtimestamp(seconds, self.zone)
        except (OverflowError, ValueError, OSError):
            return None
        return LastMod(seconds, (local.date() if self.date_only else local).isoformat())


def read_date(value: date | str, writer: Writer) -> LastMod:
    """Reads a date that somebody wrote, and writes it as W3C Datetime in the zone of the writer.

    A date of a TOML file is an object already. `2026/03/01` → `2026-03-01`, `March 2026` →
    `2026-03`, `1 March 2026 12:00 GMT` → `2026-03-01T12:00:00+00:00`. Raises ValueError, with a
    sentence for the user, for what is no date or may be several: `3/4 2026`, a week, a time zone
    such as CST.
    """
    if isinstance(value, datetime):
        return _make_time(value, writer)
    if isinstance(value, date):
        return _make_partial(value.isoformat(), writer)

    # A text in one of the usual notations, or else in any other.
    text = value.strip()
    compact = _COMPACT_DAY.fullmatch(text)
    if compact:
        text = "-".join(compact.groups())
    w3c = _W3C.fullmatch(text)
    if w3c and moment(text) is None:
        raise ValueError(f"{value!r} is not a date in the calendar; {_HELP}")
    if w3c and not w3c["time"]:
        return _make_partial(text, writer)
    if _ISO_TIME.match(text):
        with suppress(ValueError):  # such as `2026-03-01 12:00 GMT`
            return _make_time(datetime.fromisoformat(_NOT_ISO.sub("", text)), writer)
    return _read_free_form(text, writer)


@lru_cache(1 << 12)  # the pages of a site share many dates
def moment(text: str) -> int | None:
    """Reads a W3C Datetime to seconds since the epoch; None for any other text.

    One without a time or a day stands for its first second: `2026-03` for midnight of 2026-03-01.
    """
    if _W3C.fullmatch(text) is None:
        return None
    try:
        return _seconds(_first_moment(text))
    except ValueError:  # such as 31 February
        return None


def mail_moment(text: str) -> int | None:
    """Reads a date as mail and HTTP have it (RFC 822 and 850), to seconds since the epoch.

    `Fri, 25 Jun 2010 15:00:00 GMT`. None for any other text, and for a date without time or zone.
    """
    from email.utils import parsedate_to_datetime  # few sites have such dates

    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return _seconds(date) if date.tzinfo else None


def _first_moment(text: str) -> datetime:
    """Parses a W3C Datetime: `2026-03` → midnight of 2026-03-01."""
    if len(text) < len("2026-01-01"):
        text = f"{text}-01-01"[: len("2026-01-01")]
    return datetime.fromisoformat(text)


def _seconds(moment: datetime) -> int:
    """Counts whole seconds since the epoch. Without a zone, a moment is in UTC."""
    since_epoch = moment.replace(tzinfo=moment.tzinfo or UTC) - _EPOCH
    return since_epoch // timedelta(seconds=1)


def _make_partial(text: str, writer: Writer) -> LastMod:
    """Makes a date of a day, a month or a year, such as `2026-03`. Its text stays as it is.

    To compare it, it begins at midnight in the writer's zone. In UTC, a day begins nine hours later
    than in Tokyo, where today might then seem to be in the future.
    """
    begin = _first_moment(text).replace(tzinfo=writer.zone)
    return LastMod(_seconds(begin), text)


def _make_time(moment: datetime, writer: Writer) -> LastMod:
    """Makes a LastMod of a moment, with its time written in the zone of the writer.

    12:00+02:00 is written as 10:00+00:00 for a writer in UTC. A moment without a zone is taken to
    be in the writer's zone. Raises ValueError for a year that W3C
    Datetime cannot have.
    """
    lastmod = writer.lastmod(_seconds(moment.replace(tzinfo=moment.tzinfo or writer.zone)))
    if lastmod is None:
        raise ValueError(f"{moment} is not in the years 1 to 9999")
    return lastmod


def _read_free_form(text: str, writer: Writer) -> LastMod:
    """Reads a date in any notation that dateutil knows: `1 March 2026`, `March 2026`.

    dateutil guesses: it takes what is missing from a default, and chooses an order of day, month
    and year. So the text is read with two defaults and in each order. What all readings have in
    common is certain: a time, or else a day, a month or a year. Raises ValueError for any
    other text.
    """
    # dateutil would take the number of a week, as in 2026-W09, for another part.
    if len(text) > _MAX_LENGTH or _ISO_WEEK.search(text):
        raise ValueError(f"{text[:40]!r} is not a date; {_HELP}")
    from dateutil import parser  # it takes some 20 ms to load, and few runs need it

    readings: list[datetime] = []
    try:
        for default, day_first, year_first in product(_TWO_DEFAULTS, (False, True), (False, True)):
            reading = parser.parse(
                text,
                default=default,
                dayfirst=day_first,
                yearfirst=year_first,
                tzinfos=_choose_zone,
            )
            readings.append(reading)
    except (ValueError, ArithmeticError):
        raise ValueError(f"{text!r} is not a date; {_HELP}") from None

    # What all readings have in common.
    iso_texts = {reading.isoformat() for reading in readings}
    # dateutil reads zeros as midnight, but only a colon shows a time: `202603130000` is a day.
    has_time = readings[0].time() != time() or ":" in text
    if len(iso_texts) == 1 and has_time:
        return _make_time(readings[0], writer)
    for length in (10, 7, 4):  # the characters of 2026-03-01, 2026-03 and 2026
        beginnings = {iso_text[:length] for iso_text in iso_texts}
        # `3/4 2026` has a certain year, too, but the rest of it must not be dropped.
        is_whole = length > 4 or re.fullmatch(r"\D*\d{4}\D*", text)
        if len(beginnings) == 1 and is_whole:
            return _make_partial(beginnings.pop(), writer)
    raise ValueError(f"{text!r} can be read as more than one date; {_HELP}")


def _choose_zone(name: str | None, offset: int | None) -> int | None:
    """Decides for dateutil which zone a date has: its offset from UTC, in seconds.

    Raises ValueError for a name such as `CST`, which several zones share. dateutil would guess.
    """
    if name and offset is None:
        raise ValueError("ambiguous")
    return offset
