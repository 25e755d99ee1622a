"""Parses the dates that people and generators write, and writes W3C Datetime.

W3C Datetime and ISO 8601 are read here, because pages, ledgers and git have millions of them.
dateutil reads all other notations. Of its result, only the parts count that are in the text: no
missing part is guessed, and no time zone by its letters. Never uses the current time.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cached_property, lru_cache
from itertools import product
from typing import cast

from ..errors import with_help
from ..model import LastMod

_PARTIAL = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
_ZONE = r"(?:Z| ?[+-]\d{2}(?::?[0-5]\d)?(?: UTC)?)"
# Compiled when they are used.
_W3C = (
    rf"\d{{4}}-\d{{2}}-\d{{2}}[T ]\d{{2}}(?::\d{{2}}(?::\d{{2}}(?:\.\d+)?)?{_ZONE}?|{_ZONE})"
    rf"|\d{{8}}T\d{{4}}(?:\d{{2}}(?:\.\d+)?)?{_ZONE}?"
)
_STRICT_ZONE = r"(Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)"
_STRICT = rf"(?a)\d{{4}}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?{_STRICT_ZONE})?)?)?"
# A time as `Writer` writes it in UTC.
_WRITTEN_IN_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", re.ASCII)
# Days in the longest year, month and day, by the length of their text.
_LENGTHS = {len("2026"): 366, len("2026-01"): 31, len("2026-01-01"): 1}
_LONGEST = 64  # characters of a date, with a fraction of a second
_LONGEST_FREE = 200  # of a free-form date
# Parts of a time that do not change its second: fractions, and what ISO 8601 does not know.
_UNREADABLE = re.compile(r"\.\d+| (?=[+-])| UTC")
_AS_DAY = "write it as 2026-03-01"
_AS_TIME = "2026-03-01T12:00:00+00:00"
_AMBIGUOUS = "ambiguous time zone"
_UTC_NAMES = ("UTC", "GMT", "Z")
# What stands for the parts that a free-form date does not have. They differ in each part.
_DEFAULTS = (
    datetime.fromisoformat("2001-01-01T00:00:00"),
    datetime.fromisoformat("2004-02-02T01:01:00"),
)
# `20260301`, `2026/03/01` and `2026.03.01`, where the order of the parts is known.
_COMPACT_DAY = re.compile(r"(\d{4})[/.]?(\d{2})[/.]?(\d{2})")
_WEEK = re.compile(r"\d{4}-?W\d")  # ISO 8601: `2026-W09`
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_END_OF_CALENDAR = 253_402_300_800  # 10000-01-01
_EPOCH_DAY = date(1970, 1, 1).toordinal()


class _Days(dict[int, str]):
    """Maps days since the epoch to `YYYY-MM-DD`. Each day is computed once."""

    def __missing__(self, day: int) -> str:
        text = date.fromordinal(day + _EPOCH_DAY).isoformat()
        self[day] = text
        return text


class Writer:
    """Writes seconds since the epoch as W3C Datetime (docs/protocol.md §6) in one zone, as times or
    days.

    In UTC, it uses three tables that fit into the processor's cache. They take a fifth of the time
    of `datetime.isoformat`, and a third of the time of one table for all seconds of a day.
    """

    def __init__(self, zone: tzinfo = UTC, *, date_only: bool = False) -> None:
        self.zone = zone
        self.date_only = date_only
        self.writes_utc_times = zone is UTC and not date_only
        # The three parts of `2026-03-01`, `T12:34:`, `56+00:00`, by day, minute and second.
        self._days = _Days()
        self._seconds = [f"{second:02}+00:00" for second in range(60)]

    @cached_property
    def _minutes(self) -> list[str]:
        """The texts of the minutes of a day. Made when a time is written, because it takes long."""
        numbers = [f"{number:02}" for number in range(60)]
        return [f"T{hour}:{minute}:" for hour in numbers[:24] for minute in numbers]

    def lastmods(self, seconds: Sequence[int | None]) -> Sequence[LastMod | None]:
        """The dates for some times, in order, each with its text for the sitemap.

        Times are in seconds since the epoch. None for None, and for a year before 1 or after 9999.
        """
        if self.writes_utc_times:
            # The tables raise if a time is None or its year is outside the calendar. Then all times
            # are written one by one.
            with suppress(TypeError, ValueError, OverflowError):
                return self._lastmods_by_table(cast(Sequence[int], seconds))
        return [None if s is None else self.lastmod(s) for s in seconds]

    def _lastmods_by_table(self, times: Sequence[int]) -> Sequence[LastMod]:
        """The dates for some times in seconds since the epoch, with their texts in UTC.

        Joins the texts of a day, a minute of the day and a second: `2026-03-01` + `T12:34:` +
        `56+00:00`. This runs for each page, so it has no call per date.
        """
        days = self._days
        minutes = self._minutes
        seconds = self._seconds
        texts = [f"{days[t // 86400]}{minutes[t // 60 % 1440]}{seconds[t % 60]}" for t in times]
        return list(map(LastMod, times, texts))

    def lastmod(self, seconds: int) -> LastMod | None:
        """The date for a time in seconds since the epoch, with its text for the sitemap.

        `1772368440` → `2026-03-01T12:34:00+00:00`, or `2026-03-01` with `date_only`. None for a
        year before 1 or after 9999.
        """
        if self.writes_utc_times and 0 <= seconds < _END_OF_CALENDAR:
            minute = self._minutes[seconds // 60 % 1440]
            text = f"{self._days[seconds // 86400]}{minute}{self._seconds[seconds % 60]}"
            return LastMod(seconds, text)
        try:
            local = (_EPOCH + timedelta(seconds=seconds)).astimezone(self.zone)
        except OverflowError:
            return None
        # W3C Datetime has no seconds in offsets. The local times of cities before about 1900 have
        # them: `+005328` for Berlin. Such a date is written in UTC.
        seconds_of_offset = local.strftime("%z")[len("+0053") :]
        if seconds_of_offset:
            local = local.astimezone(UTC)
        if self.date_only:
            return LastMod(seconds, local.date().isoformat())
        return LastMod(seconds, local.isoformat(timespec="seconds"))


def read(value: date | str, writer: Writer) -> LastMod:
    """Reads a date that a person wrote: a date of TOML, W3C Datetime, or any unambiguous text.

        2024-05, May 2024              → 2024-05: no part is added
        20260301, 2026/03/01           → 2026-03-01
        2026-03-01 12:00               → 2026-03-01T12:00:00, in the zone of the writer
        Mon, 02 Mar 2026 12:00 +0100   → that time, in the zone of the writer
        3/4 2026                       → ValueError: March or April

    The message of the ValueError is for the user.
    """
    if isinstance(value, datetime):
        return _moment(value, writer)
    if isinstance(value, date):
        return _partial(value.isoformat(), value, writer)
    if len(value) > _LONGEST_FREE:
        raise ValueError(with_help(f"{value[:40]!r}… is not a date", f"{_AS_DAY} or {_AS_TIME}"))
    # Most rows of a ledger are written so, and this reads them in an eighth of the time.
    if writer.writes_utc_times and _WRITTEN_IN_UTC.fullmatch(value):
        with suppress(ValueError):  # of 31 February; `_iso` below raises it with its message
            return LastMod(int(datetime.fromisoformat(value).timestamp()), value)
    text = value.strip()
    compact = _COMPACT_DAY.fullmatch(text)
    if compact:
        text = "-".join(compact.groups())
    if _PARTIAL.fullmatch(text):
        return _partial(text, _iso(text), writer)
    if re.fullmatch(_W3C, text):
        return _moment(_iso(text), writer)
    return _free(text, writer)


def is_date(text: str) -> bool:
    """Whether a text is an unambiguous date."""
    try:
        read(text, Writer())
    except ValueError:
        return False
    return True


def period(text: str) -> tuple[int, int] | None:
    """The first and the last second of a W3C Datetime, since the epoch; None for other texts.

    `2026-03-01` → the first and last second of that day in UTC. For a time, both are the same.
    docs/protocol.md §6 has the notations.
    """
    if len(text) > _LONGEST:
        return None
    return _short_period(text)


@lru_cache(4096)  # the pages of a site share many dates
def _short_period(text: str) -> tuple[int, int] | None:
    """As `period`, for a text that is short enough for the cache."""
    if not re.fullmatch(_STRICT, text):
        return None
    try:
        start = _iso(text)
        if "T" not in text:
            first = _midnight(start)
            return first, first + _LENGTHS[len(text)] * 86400 - 1
        second = _seconds(start)
    except (ValueError, OverflowError):
        return None
    return second, second


def moment(text: str) -> int | None:
    """The first second of a W3C Datetime, since the epoch; None for other texts."""
    seconds = period(text)
    return seconds[0] if seconds else None


def mail_moment(text: str) -> int | None:
    """The time of a date as mail, feeds and robots directives have it, in seconds since the epoch.

        Sun, 01 Mar 2026 12:00:00 +0100    RFC 822, also with two digits of the year
        Sunday, 01-Mar-26 12:00:00 EST     RFC 850

    None for other texts, and for a date without a time or without a zone.
    """
    if len(text) > _LONGEST:
        return None
    # Imported here: few sites have such dates.
    from email.utils import parsedate_to_datetime

    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    if date.tzinfo is None:
        if not text.endswith("-0000"):
            return None
        # A time in UTC that says nothing of the local one (RFC 5322 §3.3).
        date = date.replace(tzinfo=UTC)
    return _seconds(date)


def utc_text(seconds: int) -> str:
    """A time in seconds since the epoch as W3C Datetime in UTC: `2026-03-01T12:00:00+00:00`."""
    return (_EPOCH + timedelta(seconds=seconds)).isoformat()


def _iso(text: str) -> datetime:
    """The first moment of a date in ISO 8601: `2026-03` → midnight of 2026-03-01.

    Raises ValueError for a date that is not in the calendar, such as `2026-02-31`.
    """
    # `fromisoformat` needs a whole day: `2026` lacks `-01-01`, `2026-03` lacks `-01`.
    missing_parts = "-01-01"[len(text) - len("2026") :]
    try:
        return datetime.fromisoformat(_UNREADABLE.sub("", text) + missing_parts)
    except ValueError:
        raise ValueError(with_help(f"{text!r} is not a date in the calendar", _AS_DAY)) from None


def _partial(text: str, first: date, writer: Writer) -> LastMod:
    """A day, month or year with its text as written, and its first second in the writer's zone.

    In UTC, a day that has begun in the writer's zone could still be in the future.
    """
    midnight_in_utc = _midnight(first)
    if writer.zone is UTC:
        return LastMod(midnight_in_utc, text)
    offset = datetime.combine(first, time(), writer.zone).utcoffset() or timedelta()
    return LastMod(midnight_in_utc - int(offset.total_seconds()), text)


def _midnight(day: date) -> int:
    """The seconds from the epoch to the beginning of a day, in UTC."""
    return (day.toordinal() - _EPOCH_DAY) * 86400


def _seconds(moment: datetime) -> int:
    """The whole seconds from the epoch to a moment."""
    since_epoch = moment - _EPOCH
    return since_epoch.days * 86400 + since_epoch.seconds


def _moment(moment: datetime, writer: Writer) -> LastMod:
    """A time as the writer writes it. A time without a zone is in the writer's zone.

    Raises ValueError if its year is not 1 to 9999, after the change to UTC.
    """
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=writer.zone)
    lastmod = writer.lastmod(_seconds(moment))
    if lastmod is None:
        raise ValueError(f"{moment} is not in the years 1 to 9999")
    return lastmod


def _free(text: str, writer: Writer) -> LastMod:
    """Reads a date in any notation, as far as it can be read in one way only.

        March 2026          → 2026-03
        1 March 2026        → 2026-03-01
        3/4 2026            → ValueError: it may be in March or in April
        March 1             → ValueError: no year

    dateutil reads the text in all possible ways. A part of the date counts if it is the same in all
    of them.
    """
    if _WEEK.search(text):
        # dateutil would take the number of the week for another part of the date.
        raise ValueError(with_help(f"{text!r} is a week", _AS_DAY))
    readings = _readings(text)
    # Only a part that the text has, and has in one place, is the same in all readings.
    has_year = len({m.year for m in readings}) == 1
    has_month = has_year and len({m.month for m in readings}) == 1
    has_day = has_month and len({m.day for m in readings}) == 1
    has_time = has_day and len({m.time() for m in readings}) == 1
    is_year = re.fullmatch(r"\D*\d{4}\D*", text)
    if not has_year or not (has_month or is_year):
        raise ValueError(with_help(f"{text!r} can be read as more than one date", _AS_DAY))
    reading = readings[0]
    # dateutil reads zeros as midnight. Only a colon shows that they are a time: `202603010000` is
    # more likely a day.
    if has_time and (reading.time() != time() or ":" in text):
        return _moment(reading.replace(microsecond=0), writer)
    certain_parts = reading.date().isoformat()
    if not has_month:
        certain_parts = certain_parts[: len("2026")]
    elif not has_day:
        certain_parts = certain_parts[: len("2026-01")]
    return _partial(certain_parts, reading.date(), writer)


def _readings(text: str) -> list[datetime]:
    """All dates that a text may mean to dateutil. Raises ValueError if it is no date.

    A part that differs between two of them is ambiguous or not in the text:

        3/4 2026      → 3 April 2026 and 4 March 2026: the day may come first or second
        March 2026    → 1 March 2026 and 2 March 2026: it has no day

    dateutil takes a missing part from a default date. The two defaults differ in every part.
    """
    # Imported here: dateutil takes some 20 ms to load, and few runs need it.
    from dateutil import parser

    try:
        return [
            parser.parse(
                text, default=default, dayfirst=day_first, yearfirst=year_first, tzinfos=_zone
            )
            for default, day_first, year_first in product(_DEFAULTS, (False, True), (False, True))
        ]
    except (parser.ParserError, ArithmeticError) as error:
        if _AMBIGUOUS in str(error):
            problem = with_help(f"{text!r} has an {_AMBIGUOUS}", "write it as +02:00")
        else:
            problem = with_help(f"{text!r} is not a date", f"{_AS_DAY} or {_AS_TIME}")
        raise ValueError(problem) from None


def _zone(name: str | None, offset: int | None) -> tzinfo | int | None:
    """The time zone for what dateutil read in a date: the name of a zone, and its offset.

    The offset is in seconds. None without both. Raises ValueError for a name alone, such as `CST`:
    it stands for several zones, and dateutil would take it for that of this machine.
    """
    if name is None and offset is None:
        return None
    if offset is None and name not in _UTC_NAMES:
        raise ValueError(_AMBIGUOUS)
    return offset or UTC
