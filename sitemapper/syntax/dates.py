"""Parses the dates that people and generators write, and writes W3C Datetime.

W3C Datetime and ISO 8601 are read here, because pages, ledgers and git have millions of them.
dateutil reads all other notations. Of its result, only the parts count that are in the text: no
missing part is guessed, and no time zone by its letters. Never uses the current time.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache, lru_cache
from itertools import product
from typing import cast

from ..errors import with_help
from ..model import LastMod

_PARTIAL_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
_OFFSET = r"(?:Z| ?[+-]\d{2}(?::?[0-5]\d)?(?: UTC)?)"
# Compiled when they are used.
_ISO_TIME = (
    rf"\d{{4}}-\d{{2}}-\d{{2}}[T ]\d{{2}}(?::\d{{2}}(?::\d{{2}}(?:\.\d+)?)?{_OFFSET}?|{_OFFSET})"
    rf"|\d{{8}}T\d{{4}}(?:\d{{2}}(?:\.\d+)?)?{_OFFSET}?"
)
_W3C_ZONE = r"(Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)"
_W3C_DATETIME = rf"(?a)\d{{4}}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?{_W3C_ZONE})?)?)?"
# A time as `Writer` writes it in UTC.
_WRITTEN_IN_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", re.ASCII)
# A text of four characters is a year, one of seven is a month, and one of ten is a day. These are
# the days that each may have: a year 366, a month 31, a day 1.
_MAX_DAYS_BY_LENGTH = {len("2026"): 366, len("2026-01"): 31, len("2026-01-01"): 1}
_MAX_CHARACTERS = 64  # of a date in W3C Datetime or of mail, with a fraction of a second
_MAX_FREE_FORM_CHARACTERS = 200
# Parts of a time that `fromisoformat` need not read: fractions of a second, the space in
# `12:00 +01:00`, and ` UTC`. Without them, the second is the same.
_IGNORED_PARTS = re.compile(r"\.\d+| (?=[+-])| UTC")
_AS_DAY = "write it as 2026-03-01"
_AS_TIME = "2026-03-01T12:00:00+00:00"
_AMBIGUOUS_ZONE = "ambiguous time zone"
_UTC_NAMES = ("UTC", "GMT", "Z")
# What stands for the parts that a free-form date does not have. They differ in each part.
_TWO_DEFAULTS = (
    datetime.fromisoformat("2001-01-01T00:00:00"),
    datetime.fromisoformat("2004-02-02T01:01:00"),
)
# `20260301`, `2026/03/01` and `2026.03.01`, where the order of the parts is known.
_COMPACT_DAY = re.compile(r"(\d{4})[/.]?(\d{2})[/.]?(\d{2})")
_ISO_WEEK = re.compile(r"\d{4}-?W\d")  # ISO 8601: `2026-W09`
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_END_OF_CALENDAR = 253_402_300_800  # 10000-01-01
_EPOCH_DAY = date(1970, 1, 1).toordinal()


class _Days(dict[int, str]):
    """Maps days since the epoch to `YYYY-MM-DD`: `20513` → `2026-03-01`.

    Each day is computed once, when it is first needed.
    """

    def __missing__(self, day: int) -> str:
        text = date.fromordinal(day + _EPOCH_DAY).isoformat()
        self[day] = text
        return text


_DAYS = _Days()
_SECONDS = [f"{second:02}+00:00" for second in range(60)]


@cache
def _minutes_of_day() -> list[str]:
    """Lists the texts of the minutes of a day: `T12:34:` at the index 754."""
    numbers = [f"{number:02}" for number in range(60)]
    return [f"T{hour}:{minute}:" for hour in numbers[:24] for minute in numbers]


def _utc_lastmods(times: Sequence[int]) -> list[LastMod]:
    """Turns times in seconds since the epoch into dates in UTC, with three table lookups each.

    The text of a date is that of its day, its minute of the day, and its second:
    `2026-03-01` + `T12:34:` + `56+00:00`. That takes a fifth of the time of `datetime.isoformat`,
    and a site has a date for each page. The tables fit into the processor's cache, as a table of
    all seconds of a day would not. No function is called for each date.

    Raises TypeError for a time that is None, and ValueError or OverflowError for one whose year is
    before 1 or after 9999.
    """
    days = _DAYS
    minutes = _minutes_of_day()
    seconds = _SECONDS
    texts = [f"{days[t // 86400]}{minutes[t // 60 % 1440]}{seconds[t % 60]}" for t in times]
    return list(map(LastMod, times, texts))


class Writer:
    """Writes times as texts for a sitemap: `1772368440` → `2026-03-01T12:34:00+00:00`.

    All texts are in one zone. With `date_only`, it writes `2026-03-01`. The notation is W3C
    Datetime (w3.org/TR/NOTE-datetime).
    """

    def __init__(self, zone: tzinfo = UTC, *, date_only: bool = False) -> None:
        self.zone = zone
        self.date_only = date_only
        # Whether all texts are like `2026-03-01T12:34:00+00:00`, as on most sites. Such texts are
        # written and read in a quicker way.
        self.writes_utc_times = zone is UTC and not date_only

    def lastmods(self, seconds: Sequence[int | None]) -> Sequence[LastMod | None]:
        """Turns times in seconds since the epoch into dates for a sitemap, in the same order.

            [0, None]    → 1970-01-01T00:00:00+00:00, and None for the page without a time

        A time whose year is before 1 or after 9999 also becomes None.
        """
        if self.writes_utc_times:
            # If a time is None, or its year is outside the calendar, all are written one by one.
            with suppress(TypeError, ValueError, OverflowError):
                return _utc_lastmods(cast(Sequence[int], seconds))
        return [None if s is None else self.lastmod(s) for s in seconds]

    def lastmod(self, seconds: int) -> LastMod | None:
        """Turns a time in seconds since the epoch into a date for a sitemap.

            1772368440    → 2026-03-01T12:34:00+00:00 in UTC, or 2026-03-01 with `date_only`

        None if the year would be before 1 or after 9999, which no sitemap can have.
        """
        if self.writes_utc_times and 0 <= seconds < _END_OF_CALENDAR:  # the quick way
            return _utc_lastmods([seconds])[0]
        try:
            local = (_EPOCH + timedelta(seconds=seconds)).astimezone(self.zone)
        except OverflowError:
            return None
        # `%z` is `+0053`, or `+005328` with seconds, as in Berlin before 1893. W3C Datetime has no
        # seconds in offsets, so such a date is written in UTC.
        has_seconds_in_offset = len(local.strftime("%z")) > len("+0053")
        if has_seconds_in_offset:
            local = local.astimezone(UTC)
        if self.date_only:
            return LastMod(seconds, local.date().isoformat())
        return LastMod(seconds, local.isoformat(timespec="seconds"))


def read(value: date | str, writer: Writer) -> LastMod:
    """Reads a date that a person or a program wrote, and returns it as a sitemap shows it.

    `value` is a date that tomllib has read already, or a text. For a writer in UTC:

        2026-03-01T12:00:00+00:00       → 2026-03-01T12:00:00+00:00
        20260301, 2026/03/01            → 2026-03-01
        2026-03                         → 2026-03: no part is added
        2026-03-01 12:00                → 2026-03-01T12:00:00+00:00: it has the writer's zone
        March 2026                      → 2026-03
        Mon, 02 Mar 2026 12:00 +0100    → 2026-03-02T11:00:00+00:00
        3/4 2026                        → ValueError: it may be in March or in April

    The message of the ValueError is for the user.
    """
    if isinstance(value, datetime):
        return _make_time(value, writer)
    if isinstance(value, date):
        return _make_partial_date(value.isoformat(), value, writer)
    if len(value) > _MAX_FREE_FORM_CHARACTERS:
        raise ValueError(with_help(f"{value[:40]!r}… is not a date", f"{_AS_DAY} or {_AS_TIME}"))
    # Most rows of a ledger are written so, and this reads them in an eighth of the time.
    if writer.writes_utc_times and _WRITTEN_IN_UTC.fullmatch(value):
        # A day such as 31 February raises ValueError here. `_parse_iso` then says so to the user.
        with suppress(ValueError):
            return LastMod(int(datetime.fromisoformat(value).timestamp()), value)
    # The notations of ISO 8601 are read here, which is faster, and all others by dateutil.
    text = value.strip()
    compact = _COMPACT_DAY.fullmatch(text)
    if compact:
        text = "-".join(compact.groups())
    if _PARTIAL_DATE.fullmatch(text):
        return _make_partial_date(text, _parse_iso(text), writer)
    if re.fullmatch(_ISO_TIME, text):
        return _make_time(_parse_iso(text), writer)
    return _read_free_form(text, writer)


def is_date(text: str) -> bool:
    """Whether a text is a date that `read` understands.

    True for `1 March 2026`; false for `3/4 2026`, which is ambiguous, and for `soon`.
    """
    try:
        read(text, Writer())
    except ValueError:
        return False
    return True


def period(text: str) -> tuple[int, int] | None:
    """Returns the first and the last second of the time that a W3C Datetime names, as a pair.

        1970-01-02              → (86400, 172799): the whole day in UTC
        1970-01                 → (0, 2678399): the whole month, of 31 days
        1970-01-01T00:01:00Z    → (60, 60): this second only

    Both are seconds since the epoch. The last second is the last possible one: every month counts
    as 31 days and every year as 366, so that no date inside of it is missed. None for any other
    text. w3.org/TR/NOTE-datetime has the notations.
    """
    # A long text is refused first, because the cache of `_parse_period` would keep it.
    if len(text) > _MAX_CHARACTERS:
        return None
    return _parse_period(text)


@lru_cache(4096)  # the pages of a site share many dates
def _parse_period(text: str) -> tuple[int, int] | None:
    """Returns the pair of `period` for a text of at most 64 characters, and caches it.

    The pair is the first and the last second: `1970-01-02` → (86400, 172799). None for a text in
    another notation, such as `1 March`, and for a date that is not in the calendar.
    """
    if not re.fullmatch(_W3C_DATETIME, text):
        return None
    try:
        first_second = _seconds_since_epoch(_parse_iso(text))
        if "T" in text:
            return first_second, first_second
        # A day, a month or a year ends some days later.
        max_days = _MAX_DAYS_BY_LENGTH[len(text)]
        return first_second, first_second + max_days * 86400 - 1
    except (ValueError, OverflowError):  # such as 31 February
        return None


def moment(text: str) -> int | None:
    """Returns the first second of the time that a W3C Datetime names, in seconds since the epoch.

    `1970-01-02` → 86400. None for any other text.
    """
    first_and_last = period(text)
    return first_and_last[0] if first_and_last else None


def mail_moment(text: str) -> int | None:
    """Parses a date of mail, HTTP and robots directives, to seconds since the epoch.

        Sun, 01 Mar 2026 12:00:00 +0100    RFC 822, also with two digits of the year
        Sunday, 01-Mar-26 12:00:00 EST     RFC 850

    None for any other text, and for a date without a time or without a zone.
    """
    if len(text) > _MAX_CHARACTERS:
        return None
    # Imported here: few sites have such dates.
    from email.utils import parsedate_to_datetime

    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    if date.tzinfo is None:
        # `-0000` is a time in UTC from a machine that does not say its own zone (RFC 5322 §3.3).
        # Python gives it no zone, as for a date without one.
        if not text.endswith("-0000"):
            return None
        date = date.replace(tzinfo=UTC)
    return _seconds_since_epoch(date)


def _parse_iso(text: str) -> datetime:
    """Parses a date in ISO 8601 to its first moment: `2026-03` → midnight of 2026-03-01.

    Fractions of a second are dropped. Raises ValueError for a date that is not in the calendar,
    such as `2026-02-31`.
    """
    # `fromisoformat` needs a whole day, and a year or a month stands for its first one:
    # `2026` → `2026-01-01`, and `2026-03` → `2026-03-01`, from `2026-03-01-01`.
    first_day = text
    if len(text) < len("2026-01-01"):
        first_day = f"{text}-01-01"[: len("2026-01-01")]
    try:
        return datetime.fromisoformat(_IGNORED_PARTS.sub("", first_day))
    except ValueError:
        raise ValueError(with_help(f"{text!r} is not a date in the calendar", _AS_DAY)) from None


def _make_partial_date(text: str, first: date, writer: Writer) -> LastMod:
    """Makes the LastMod of a day, a month or a year. Its text stays as it is: `2026-03`.

    Its seconds are those at which its first day (`first`) begins in the writer's zone.
    """
    # Not in UTC: a day begins in Tokyo nine hours before it does in UTC. So a page that is dated
    # today in Tokyo might seem to have a date in the future.
    midnight = datetime.combine(first, time(), writer.zone)
    return LastMod(_seconds_since_epoch(midnight), text)


def _seconds_since_epoch(moment: datetime) -> int:
    """Counts the whole seconds from the epoch to a moment. Without a zone, the moment is in UTC.

    1970-01-01 00:01:00.5 UTC → 60: fractions are dropped.
    """
    since_epoch = moment.replace(tzinfo=moment.tzinfo or UTC) - _EPOCH
    return since_epoch.days * 86400 + since_epoch.seconds


def _make_time(moment: datetime, writer: Writer) -> LastMod:
    """Turns a date with a time into a date for a sitemap, in the time zone of the sitemap's dates.

    If these are in UTC:

        2026-03-01 12:00 +01:00    → 2026-03-01T11:00:00+00:00: the same moment in UTC
        2026-03-01 12:00           → 2026-03-01T12:00:00+00:00: without a zone, it is in UTC

    `writer` has the zone. Raises ValueError if the year would be before 1 or after 9999 there.
    """
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=writer.zone)
    lastmod = writer.lastmod(_seconds_since_epoch(moment))
    if lastmod is None:
        raise ValueError(f"{moment} is not in the years 1 to 9999")
    return lastmod


def _read_free_form(text: str, writer: Writer) -> LastMod:
    """Reads a date in any notation that dateutil knows, if it can mean only one date.

        2026-W09                 → ValueError: a week
        March 1                  → ValueError: no year
        3/4 2026                 → ValueError: it may be in March or in April
        1 March 2026 12:00       → 2026-03-01T12:00:00+00:00, for a writer in UTC
        2026                     → 2026
        March 2026               → 2026-03
        1 March 2026             → 2026-03-01

    dateutil reads the text in eight ways. The year is certain if all eight dates have the same one.
    The month is certain if the year is, and all have the same month, and so on for day and time.
    Only what is certain is returned.
    """
    if _ISO_WEEK.search(text):
        # dateutil would take the number of the week for another part of the date.
        raise ValueError(with_help(f"{text!r} names a week, not a day", _AS_DAY))
    readings = _read_in_all_ways(text)
    # Which parts are certain.
    has_year = len({m.year for m in readings}) == 1
    has_month = has_year and len({m.month for m in readings}) == 1
    has_day = has_month and len({m.day for m in readings}) == 1
    has_time = has_day and len({m.time() for m in readings}) == 1
    # Without a certain month, a year is the whole date only if the text has no other digits.
    # `3/4 2026` has a year, but it would be wrong to drop the rest.
    is_year = re.fullmatch(r"\D*\d{4}\D*", text)
    if not has_year or not (has_month or is_year):
        raise ValueError(with_help(f"{text!r} can be read as more than one date", _AS_DAY))
    reading = readings[0]
    # dateutil reads zeros as midnight. Only a colon shows that they are a time: `202603010000` is
    # more likely a day.
    if has_time and (reading.time() != time() or ":" in text):
        return _make_time(reading.replace(microsecond=0), writer)
    # Without a time, the result is the day, the month or the year.
    certain_parts = reading.date().isoformat()
    if not has_month:
        certain_parts = certain_parts[: len("2026")]
    elif not has_day:
        certain_parts = certain_parts[: len("2026-01")]
    return _make_partial_date(certain_parts, reading.date(), writer)


def _read_in_all_ways(text: str) -> list[datetime]:
    """Reads a text with dateutil in eight ways, and returns all eight dates.

    The ways are: two defaults for missing parts, the day before or after the month, and the year
    first or last. A part that differs between the dates is ambiguous or not in the text:

        3/4 2026      → 3 April 2026 and 4 March 2026: the day may come first or second
        March 2026    → 1 March 2026 and 2 March 2026: it has no day

    The two defaults differ in every part. Raises ValueError if the text is no date.
    """
    # Imported here: dateutil takes some 20 ms to load, and few runs need it.
    from dateutil import parser

    try:
        return [
            parser.parse(
                text,
                default=default,
                dayfirst=day_first,
                yearfirst=year_first,
                tzinfos=_choose_zone,
            )
            for default, day_first, year_first in product(
                _TWO_DEFAULTS, (False, True), (False, True)
            )
        ]
    except (parser.ParserError, ArithmeticError) as error:
        if _AMBIGUOUS_ZONE in str(error):
            problem = with_help(f"{text!r} has an {_AMBIGUOUS_ZONE}", "write it as +02:00")
        else:
            problem = with_help(f"{text!r} is not a date", f"{_AS_DAY} or {_AS_TIME}")
        raise ValueError(problem) from None


def _choose_zone(name: str | None, offset: int | None) -> tzinfo | int | None:
    """Chooses the time zone of a date from the name and the offset that dateutil read in it.

        12:00 +0100    → 3600: the offset in seconds
        12:00 +0000    → UTC
        12:00 GMT      → UTC
        12:00          → None: the date has no zone
        12:00 CST      → ValueError: several zones have this name

    dateutil calls this for each date.
    """
    if offset:
        return offset
    if offset == 0 or name in _UTC_NAMES:
        return UTC
    if name is None:
        return None
    # dateutil itself would take such a name for the zone of this machine, if that has the same one.
    raise ValueError(_AMBIGUOUS_ZONE)
