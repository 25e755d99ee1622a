"""Parses the dates that people and generators write, and writes W3C Datetime.

Never uses the current time.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache, partial
from itertools import product
from typing import cast

from ..errors import with_help
from ..model import LastMod

_PARTIAL = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
_ZONE = r"(?:Z| ?[+-]\d{2}(?::?[0-5]\d)?(?: UTC)?)"
_W3C = re.compile(
    rf"\d{{4}}-\d{{2}}-\d{{2}}[T ]\d{{2}}(?::\d{{2}}(?::\d{{2}}(?:\.\d+)?)?{_ZONE}?|{_ZONE})"
    rf"|\d{{8}}T\d{{4}}(?:\d{{2}}(?:\.\d+)?)?{_ZONE}?"
)
_STRICT = re.compile(
    r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00))?)?)?",
    re.ASCII,
)
_OWN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", re.ASCII)  # the text of `Writer` in UTC
_LENGTHS = {
    4: 366,
    7: 31,
    10: 1,
}  # the longest year, month and day in days, by the length of their text
_LONGEST = 64  # characters of a date, with a fraction of a second
_LONGEST_FREE = 200  # of a free-form date
_UNREADABLE = re.compile(r"\.\d+| (?=[+-])| UTC")  # which datetime.fromisoformat accepts
_AS_DAY, _AS_TIME = "write it as 2026-03-01", "2026-03-01T12:00:00+00:00"
_AMBIGUOUS = "ambiguous time zone"
_UTC_NAMES = ("UTC", "GMT", "Z")
# `25 Jun 10` of RFC 822 and `Friday, 25-Jun-10` of RFC 850.
_SHORT_YEAR = re.compile(r"(?:[A-Za-z]+, *)?(\d\d?)([ -])([A-Za-z]{3})\2(\d\d)(?= |$)")
_RFC_822_ZONES = {
    "UT": "+0000", "EDT": "-0400", "EST": "-0500", "CDT": "-0500", "CST": "-0600",
    "MDT": "-0600", "MST": "-0700", "PDT": "-0700", "PST": "-0800",
}  # fmt: skip
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DAY = date(1970, 1, 1).toordinal()
# The same as LastMod(...), without a Python call: 0.12 instead of 0.19 µs.
_new_lastmod = cast(Callable[[tuple[object, str]], LastMod], partial(tuple.__new__, LastMod))


class _Days(dict[int, str]):
    """Maps days since the epoch to `YYYY-MM-DD`. Each day is computed once."""

    def __missing__(self, day: int) -> str:
        text = self[day] = date.fromordinal(day + _EPOCH_DAY).isoformat()
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
        self.has_own_form = zone is UTC and not date_only
        self._days = _Days()
        self._minutes = [f"T{m // 60:02}:{m % 60:02}:" for m in range(1440)]
        self._ends = [f"{s:02}+00:00" for s in range(60)]

    def lastmods(self, seconds: Sequence[int | None]) -> Sequence[LastMod | None]:
        """The dates with their text, in order.

        None for None, and for years outside the calendar.
        """
        days, minutes, ends = self._days, self._minutes, self._ends
        if self.has_own_form:
            with suppress(
                TypeError, ValueError, OverflowError
            ):  # a None, or a year outside the calendar
                every = cast(Sequence[int], seconds)
                texts = [
                    f"{days[s // 86400]}{minutes[s // 60 % 1440]}{ends[s % 60]}" for s in every
                ]
                return list(map(_new_lastmod, zip(seconds, texts, strict=True)))
        return [None if s is None else self.lastmod(s) for s in seconds]

    def lastmod(self, seconds: int) -> LastMod | None:
        """The date with its text; None for years outside the calendar."""
        try:
            local = (_EPOCH + timedelta(seconds=seconds)).astimezone(self.zone)
        except OverflowError:
            return None
        # Local mean times before about 1900 have offsets with seconds, which W3C Datetime does not
        # allow.
        if local.strftime("%z")[5:]:
            local = local.astimezone(UTC)
        text = local.date().isoformat() if self.date_only else local.isoformat(timespec="seconds")
        return LastMod(seconds, text)


def read(value: date | str, writer: Writer) -> LastMod:
    """Reads a date that a person wrote: a TOML date, W3C Datetime, or any unambiguous form.

    Nothing is added: `2024-05` stays `2024-05`. A time without a zone is in the writer's zone.
    Raises ValueError with a message for the user.
    """
    if isinstance(value, datetime):
        return _moment(value, writer)
    if isinstance(value, date):
        return _partial(value.isoformat(), value, writer)
    if len(value) > _LONGEST_FREE:
        raise ValueError(with_help(f"{value[:40]!r}… is not a date", f"{_AS_DAY} or {_AS_TIME}"))
    if writer.has_own_form and _OWN.fullmatch(value):  # for ledger rows, in an eighth of the time
        return LastMod(int(_iso(value).timestamp()), value)
    text = re.sub(r"^(\d{4})[/.]?(\d{2})[/.]?(\d{2})$", r"\1-\2-\3", value.strip())
    if _PARTIAL.fullmatch(text):
        return _partial(text, _iso(text), writer)
    if _W3C.fullmatch(text):
        return _moment(_iso(text), writer)
    return _free(text, writer)


def is_date(text: str) -> bool:
    """Whether a text is an unambiguous date."""
    try:
        return bool(read(text, Writer()))
    except ValueError:
        return False


def read_http(text: str) -> LastMod:
    """Parses a date that may also be in RFC 822 or RFC 850 form, with their zones. Raises
    ValueError.

    Years of two digits from 69 on are in the 20th century (POSIX).
    """
    if short := _SHORT_YEAR.match(text):
        day, _, month, year = short.groups()
        text = f"{day} {month} {'20' if year < '69' else '19'}{year}{text[short.end() :]}"
    start, space, zone = text.rpartition(" ")
    return read(start + space + _RFC_822_ZONES.get(zone.upper(), zone), Writer())


def period(text: str) -> tuple[int, int] | None:
    """The first and last second of a W3C Datetime (docs/protocol.md §6). Days and longer are in
    UTC.

    None for any other text.
    """
    return _period(text) if len(text) <= _LONGEST else None


@lru_cache(4096)  # the pages of a site share many dates
def _period(text: str) -> tuple[int, int] | None:
    if not _STRICT.fullmatch(text):
        return None
    try:
        if "T" not in text:
            first = (_iso(text).toordinal() - _EPOCH_DAY) * 86400
            return first, first + _LENGTHS[len(text)] * 86400 - 1
        gone = _iso(text) - _EPOCH
    except (ValueError, OverflowError):
        return None
    second = gone.days * 86400 + gone.seconds
    return second, second


def moment(text: str) -> int | None:
    """The first second of a W3C Datetime, None for any other text."""
    seconds = period(text)
    return seconds[0] if seconds else None


def _iso(text: str) -> datetime:
    """The moment of a date. For a day, month or year, its first second."""
    try:
        return datetime.fromisoformat(_UNREADABLE.sub("", text) + "-01-01"[len(text) - 4 :])
    except ValueError:
        raise ValueError(with_help(f"{text!r} is not a date in the calendar", _AS_DAY)) from None


def _partial(text: str, first: date, writer: Writer) -> LastMod:
    """A day, month or year as written.

    It begins in the writer's zone, so that today is not in the future.
    """
    midnight = (first.toordinal() - _EPOCH_DAY) * 86400
    if writer.zone is UTC:
        return LastMod(midnight, text)
    offset = datetime.combine(first, time(), writer.zone).utcoffset() or timedelta()
    return LastMod(midnight - int(offset.total_seconds()), text)


def _moment(moment: datetime, writer: Writer) -> LastMod:
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=writer.zone)
    gone = moment - _EPOCH
    result = writer.lastmod(gone.days * 86400 + gone.seconds)
    if result is None:
        raise ValueError(f"{moment} is not in the years 1 to 9999")
    return result


def _free(text: str, writer: Writer) -> LastMod:
    """A free-form date.

    dateutil reads it in every possible way, and only the parts that agree are used.
    """
    # Imported here: dateutil takes some 20 ms to load, and few runs need it.
    from dateutil import parser

    def zone(name: str | None, offset: int | None) -> tzinfo | int | None:
        if name is None and offset is None:
            return None
        if offset is None and name not in _UTC_NAMES:
            raise ValueError(_AMBIGUOUS)
        return offset or UTC

    if re.search(r"\d{4}-?W\d", text):
        raise ValueError(with_help(f"{text!r} is a week", _AS_DAY))
    # Each default fills in missing parts, so parts that differ between the results are not in the
    # text.
    defaults = tuple(map(datetime.fromisoformat, ("2001-01-01T00:00:00", "2004-02-02T01:01:00")))
    try:
        readings = [
            parser.parse(text, default=default, dayfirst=day, yearfirst=year, tzinfos=zone)
            for default, day, year in product(defaults, (False, True), (False, True))
        ]
    except (parser.ParserError, ArithmeticError) as error:
        if _AMBIGUOUS in str(error):
            raise ValueError(
                with_help(f"{text!r} has an {_AMBIGUOUS}", "write it as +02:00")
            ) from None
        raise ValueError(with_help(f"{text!r} is not a date", f"{_AS_DAY} or {_AS_TIME}")) from None
    fields = [(m.year, m.month, m.day, m.time()) for m in readings]
    has_year, has_month, has_day, has_time = (
        len({field[:n] for field in fields}) == 1 for n in (1, 2, 3, 4)
    )
    is_year = re.fullmatch(r"\D*\d{4}\D*", text)
    if not has_year or not (has_month or is_year):
        raise ValueError(with_help(f"{text!r} can be read as more than one date", _AS_DAY))
    first = readings[0]
    if has_time and (first.time() != time() or ":" in text):
        return _moment(first.replace(microsecond=0), writer)
    day = first.date().isoformat()
    known = day if has_day else day[: len("2026-01")] if has_month else day[: len("2026")]
    return _partial(known, first.date(), writer)
