"""The checks of one sitemap: of its bytes, of each entry, and of all entries together."""

import math
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from ..protocol import CHANGEFREQS, LANGUAGE, MAX_URL_LENGTH, MAX_URLS
from ..read.sitemap import SPACE, SitemapEntry, SitemapFault, read_sitemap, unpack
from ..syntax.dates import moment
from ..syntax.robots import Crawling
from ..syntax.urls import SESSION_IDS, host_of, origin_of, resolve

_DAY = 86_400
_CODES = {
    "malformed": "SM101",
    "encoding": "SM102",
    "root": "SM103",
    "size": "SM105",
    "unsafe": "SM107",
    "damaged": "SM109",
}
_ENCODING = re.compile(rb"""(?:\xef\xbb\xbf)?<\?xml\s[^>]*\sencoding\s*=\s*["']([\w.-]*)""")
_LINK = "http://www.w3.org/1999/xhtml link"
# As the schema's decimal may write a number: 1, 0.5, .5, +0.5, but not 1e-1.
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
# The characters that RFC 3986 allows; brackets around a host and, as is common, in queries.
_CHARACTERS = r"A-Za-z0-9\-._~:/@!$&'()*+,;="
_ALLOWED = re.compile(
    rf"""
    (?: [{_CHARACTERS}]+
      | %[0-9A-Fa-f]{{2}}
      | (?<=://) \[[0-9A-Fa-f:.]+\]                           # an IPv6 address
    )*
    (?: [?#] (?: [{_CHARACTERS}?#\[\]]+ | %[0-9A-Fa-f]{{2}} )* )?  # query and fragment
    """,
    re.VERBOSE,
)
_SESSION_ID = re.compile(rf"[;?&]({SESSION_IDS})=[^&]", re.IGNORECASE)
_MAX_SHOWN = 80  # characters
_MIN_DATES = 20  # fewer pages may well be written within a minute

Fault = tuple[str, int, str]  # the code of a rule, the line, and what is wrong there


class Checked(NamedTuple):
    """What is wrong with a file, the number of its entries, and the sitemaps that it names."""

    faults: list[Fault]
    entries: int
    children: list[SitemapEntry]  # those on the host of the first


def check_sitemap(
    name: str, data: bytes, now: int, scope: str | None, robots: Crawling | None = None
) -> Checked:
    """Checks the bytes of a sitemap or an index by all rules that need only this file.

    `name` is its path or URL, which may end in `.gz`. `now` is in seconds since the epoch. All URLs
    must be below `scope`, the normalized URL of the sitemap's folder, unless it is "" or None, and
    the rules of `robots` must allow them.
    """
    faults: list[Fault] = []
    children: list[SitemapEntry] = []
    first_lines: dict[str, int] = {}  # of each URL
    moments: list[int] = []  # the dates of pages, in seconds
    origin = ""  # scheme and host of the first entry, which all others must have
    count = 0
    try:
        for entry in read_sitemap(_checked_bytes(name, data), is_strict=True):
            count += 1
            seconds = moment(entry.lastmod)
            if seconds is not None and not entry.is_sitemap:
                moments.append(seconds)
            faults += _check_fields(entry, now)
            faults += _check_alternates(entry)

            # What follows needs a URL.
            if not entry.loc:
                faults.append(("SM201", entry.line, "the entry has no <loc>"))
                continue
            if entry.loc in first_lines:
                text = f"{shorten(entry.loc)} is already in line {first_lines[entry.loc]}"
                faults.append(("SM307", entry.line, text))
            first_lines.setdefault(entry.loc, entry.line)
            origin = origin or web_origin(entry.loc)
            if entry.is_sitemap and origin and web_origin(entry.loc) == origin:
                children.append(entry)
            faults += _check_loc(entry, origin, scope, robots)
    except SitemapFault as fault:  # the file cannot be read any further
        faults.append((_CODES[fault.fault], fault.line, fault.text))
    else:
        if not count:
            faults.append(("SM106", 1, "lists no URL"))

    # What is wrong with all entries together.
    if count > MAX_URLS:
        faults.append(("SM104", 1, f"{count:,} entries; the protocol allows {MAX_URLS:,}"))
    faults += _check_dates(moments)
    return Checked(faults, count, children)


def _checked_bytes(name: str, data: bytes) -> bytes:
    """Unpacks a sitemap, and checks what the reader does not: its name and its encoding.

    Raises SitemapFault for a `.gz` file that is not packed, and for an encoding other than UTF-8.
    """
    unpacked = unpack(data)
    is_packed = unpacked is not data
    is_local_file = "://" not in name  # a server may unpack `a.xml.gz` before it sends it
    if name.lower().endswith(".gz") and is_local_file and not is_packed:
        raise SitemapFault("damaged", 1, "is named .gz but is not compressed with gzip")
    if b"\0" in unpacked:  # valid in UTF-8, but the parser would take it for UTF-16
        raise SitemapFault("encoding", 1, "contains a NUL byte, as UTF-16 does")
    declared = _ENCODING.match(unpacked)
    if declared and declared[1].upper() not in (b"UTF-8", b"US-ASCII", b"ASCII"):
        what = f"declares the encoding {declared[1].decode()}; the protocol requires UTF-8"
        raise SitemapFault("encoding", 1, what)
    return unpacked


def _check_fields(entry: SitemapEntry, now: int) -> Iterator[Fault]:
    """Yields what is wrong with lastmod, changefreq and priority.

    A date of tomorrow is allowed, because it may be today where the page was written.
    """
    for name, raw, line, _ in entry.elements:
        text = raw.strip(SPACE)
        short = shorten(text)
        if name == "lastmod":
            seconds = moment(text)
            if seconds is None:
                expected = "a W3C Datetime such as 2026-03-01T12:00:00+00:00"
                yield "SM203", line, f"lastmod {short!r} is not {expected}"
            elif seconds > now + _DAY:
                yield "SM204", line, f"lastmod {text} is in the future"
        elif name == "changefreq" and raw not in CHANGEFREQS:  # the schema allows no space there
            words = ", ".join(CHANGEFREQS)
            yield "SM205", line, f"changefreq {shorten(raw)!r} must be one of {words}"
        elif name == "priority":
            # A float would take 1.00000000000000000001 for 1.
            if not (_DECIMAL.fullmatch(text) and 0 <= Decimal(text) <= 1):
                yield "SM206", line, f"priority {short!r} must be a number from 0.0 to 1.0"


def _check_alternates(entry: SitemapEntry) -> Iterator[Fault]:
    """Yields what is wrong with the links of an entry to its language versions.

    Such a link is `<xhtml:link rel="alternate" hreflang="de" href="https://a.example/de/"/>`. Those
    without hreflang are not checked: they are for AMP, a device or an app.
    """
    versions = []  # the URLs of the language versions
    for name, _, line, attributes in entry.elements:
        if name != _LINK or "hreflang" not in attributes:
            continue
        language = attributes["hreflang"]
        href = attributes.get("href", "")
        rel = attributes.get("rel", "")
        versions.append(href)
        if rel != "alternate":
            text = f'xhtml:link must have rel="alternate", not {shorten(rel)!r}'
            yield "SM209", line, text
        if not LANGUAGE.fullmatch(language):
            text = f"hreflang {shorten(language)!r} is not a language"
            yield "SM209", line, f"{text} such as de, pt-BR or x-default"
        if not web_origin(href):
            text = f"the alternate's href {shorten(href)!r} is not an absolute URL"
            yield "SM209", line, text
    if versions and entry.loc not in versions:
        text = f"the alternates do not include the page itself, {entry.loc}"
        yield "SM212", entry.line, text


def _check_loc(
    entry: SitemapEntry, origin: str, scope: str | None, robots: Crawling | None
) -> Iterator[Fault]:
    """Yields what is wrong with the URL of an entry: in how it is written, or in where it leads.

    It must be on `origin`, the scheme and host of the first entry, and below `scope`, the
    normalized URL of the sitemap's folder, if it is known. `robots` must allow it.
    """
    loc = entry.loc
    line = entry.line
    short = shorten(loc)
    if len(loc) >= MAX_URL_LENGTH:
        yield "SM302", line, f"{short} has {len(loc):,} characters; 2,047 are allowed"
        return
    if "@" in host_of(loc):
        yield "SM301", line, f"{short!r} contains a user name or password"
        return
    url = resolve(loc, loc)
    if url is None:
        yield "SM301", line, f"{short!r} is not an absolute http or https URL"
        return

    # From here on, it is the URL of a page, so all faults are reported.
    rule = robots.closing_line(url) if robots else None
    if rule:
        yield "SM406", line, f"{loc} is disallowed by {rule}"
    allowed = _ALLOWED.match(loc)[0]  # type: ignore[index] # the beginning without a wrong character
    if allowed != loc:
        how = "written as xn--... in a host name"
        if allowed.count("/") > 2:  # the wrong character stands behind the host
            how = "percent-encoded"
        yield "SM303", line, f"{short} contains {loc[len(allowed)]!r}, which must be {how}"
    if "#" in loc:
        yield "SM304", line, f"{short} has a fragment, which crawlers ignore"
    if origin_of(url) != origin:
        yield "SM305", line, f"{short} is not on {origin} like the first entry"
    if scope and not url.startswith(scope):
        yield "SM306", line, f"{short} is not below {scope}, the folder of its sitemap"
    for name in _SESSION_ID.findall(loc):
        yield "SM308", line, f"{short} contains a session ID, {name}"


def _check_dates(moments: list[int]) -> Iterator[Fault]:
    """Yields a fault if nine of ten dates lie within one minute: they are the time of a build.

    `moments` are the dates in seconds since the epoch.
    """
    total = len(moments)
    if total < _MIN_DATES:
        return
    # In order of time, each date is compared with the one by which nine tenths of all are reached.
    moments.sort()
    most = math.ceil(total * 0.9)
    for first, last in zip(moments, moments[most - 1 :], strict=False):
        if last - first <= 60:
            text = f"{most:,} of {total:,} dates lie within one minute"
            yield "SM207", 1, f"{text}: the time of a build, not of changes"
            return


def web_origin(url: str) -> str:
    """The scheme, host and port of a URL, normalized; "" for what is no web URL.

    `HTTPS://Example.com:443/a` → `https://example.com`.
    """
    normal = resolve(url, url)
    return origin_of(normal) if normal else ""


def shorten(text: str) -> str:
    """Cuts a text that would make a message too long."""
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
