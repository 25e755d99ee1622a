"""The checks of one sitemap: of its bytes, of each entry, and of all entries together."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from ..protocol import CHANGEFREQS, LANGUAGE, MAX_BYTES, MAX_URL_LENGTH, MAX_URLS
from ..read.sitemap import SPACE, SitemapEntry, SitemapFault, read_sitemap, unpack
from ..syntax import urls
from ..syntax.dates import moment
from ..syntax.robots import Crawling
from ..syntax.urls import SESSION_IDS, resolve

_DAY = 86_400
_CODES = {
    "malformed": "SM101",
    "encoding": "SM102",
    "root": "SM103",
    "size": "SM105",
    "unsafe": "SM107",
    "damaged": "SM109",
}
_ENCODING = re.compile(rb"""(?:\xef\xbb\xbf)?<\?xml\s[^>]*\sencoding\s*=\s*["']([^"']*)""")
_LINK = "http://www.w3.org/1999/xhtml link"
# Google's App Indexing puts deep links into apps there. They name no language.
_APP = re.compile("(?:android|ios)-app://")
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
_PLAIN_URL = re.compile(r"https?://[a-z0-9.-]+/[A-Za-z0-9/._~-]*")
_USER = re.compile(r"https?://[^/?#]*@", re.IGNORECASE)
_SESSION_ID = re.compile(rf"[;?&]({SESSION_IDS})=[^&]", re.IGNORECASE)
_MIN_DATES = 20  # fewer pages may well be written within a minute

Fault = tuple[str, int, str]  # the code of a rule, the line, and what is wrong there


class Context(NamedTuple):
    """What is known about a sitemap before it is read."""

    now: int  # in seconds since the epoch
    url: str = ""  # of the sitemap, if it is known
    in_robots: bool = False  # robots.txt names it
    crawling: Crawling | None = None  # the robots.txt that holds for its pages


class Checked(NamedTuple):
    """What is wrong with a sitemap, the number of its entries, and those of an index."""

    faults: list[Fault]
    entries: int
    children: list[SitemapEntry]


def check_sitemap(name: str, data: bytes, context: Context) -> Checked:
    """Checks the bytes of a sitemap or an index, whose name may end in `.gz`, by all rules."""
    faults: list[Fault] = []
    children: list[SitemapEntry] = []
    lines: dict[str, int] = {}  # where a URL was first
    moments: list[int] = []
    url = resolve(context.url, context.url) or ""
    # robots.txt may name a sitemap of any folder.
    folder = "" if context.in_robots else url[: url.rfind("/") + 1]
    origin = ""  # of the first entry that has one
    count = 0
    try:
        for entry in read_sitemap(_checked_bytes(name, data), is_strict=True):
            count += 1
            loc, lastmod = entry.loc, entry.lastmod
            if entry.is_sitemap:
                children.append(entry)
            if not origin:
                origin = origin_of(loc)
            seconds = moment(lastmod) if lastmod else 0
            if lastmod and seconds is not None:
                moments.append(seconds)
            if context.crawling and not context.crawling.allows_all:
                faults += _check_crawling(entry, context.crawling)
            first_line = lines.get(loc)
            # Most entries have only a plain URL and a date in the past: no rule can find a fault.
            if (
                first_line is None
                and loc.startswith(f"{origin}/")
                and loc.startswith(folder)
                and len(loc) < MAX_URL_LENGTH
                and _PLAIN_URL.fullmatch(loc)
                and seconds is not None
                and seconds <= context.now
                and len(entry.elements) <= (2 if lastmod else 1)
            ):
                lines[loc] = entry.line
                continue
            faults += check_fields(entry, context.now)
            faults += check_alternates(entry)
            if loc:
                faults += check_loc(entry, origin, folder, first_line)
                lines.setdefault(loc, entry.line)
    except SitemapFault as fault:
        faults.append((_CODES[fault.fault], fault.line, fault.text))
    else:
        if not count:
            faults.append(("SM106", 1, "lists no URL"))
    if count > MAX_URLS:
        faults.append(("SM104", 1, f"{count:,} entries; the protocol allows {MAX_URLS:,}"))
    if not children:  # the sitemaps of an index may well be of one build
        faults += _check_dates(moments)
    return Checked(faults, count, children)


def _checked_bytes(name: str, data: bytes) -> bytes:
    """Unpacks a sitemap. Raises SitemapFault if it is no UTF-8 file of a size that is allowed."""
    unpacked = unpack(data)
    # A server may have unpacked it, so the name in a URL tells nothing.
    if name.lower().endswith(".gz") and unpacked is data and "://" not in name:
        raise SitemapFault("damaged", 1, "is named .gz but is not compressed with gzip")
    if unpacked.startswith(b"\x1f\x8b"):
        raise SitemapFault("damaged", 1, "is compressed twice")
    if len(unpacked) > MAX_BYTES:
        raise SitemapFault("size", 1, f"has more than {MAX_BYTES:,} bytes uncompressed")
    if b"\0" in unpacked:  # valid in UTF-8, but the parser would take it for UTF-16
        line = unpacked.count(b"\n", 0, unpacked.index(b"\0")) + 1
        raise SitemapFault("encoding", line, "contains a NUL byte, as UTF-16 does")
    declared = _ENCODING.match(unpacked)
    if declared and declared[1].upper() not in (b"UTF-8", b"US-ASCII", b"ASCII"):
        what = f"declares the encoding {declared[1].decode('utf-8', 'replace')}"
        raise SitemapFault("encoding", 1, f"{what}; the protocol requires UTF-8")
    return unpacked


def _check_crawling(entry: SitemapEntry, crawling: Crawling) -> Iterator[Fault]:
    url = resolve(entry.loc, entry.loc)
    rule = crawling.forbids(url) if url else None
    if rule:
        yield "SM406", entry.line, f"{entry.loc} is disallowed by {rule}"


def check_fields(entry: SitemapEntry, now: int) -> Iterator[Fault]:
    """Yields what is wrong with loc, lastmod, changefreq and priority, apart from the URL itself.

    A date of tomorrow is allowed, because it may be today where the page was written.
    """
    if not entry.loc:
        name = "sitemap" if entry.is_sitemap else "url"
        yield "SM201", entry.line, f"<{name}> has no <loc>"
    for name, raw, line, _ in entry.elements:
        text = raw.strip(SPACE)
        short = repr(shorten(text, 60))
        if name == "lastmod":
            seconds = moment(text)
            if seconds is None:
                expected = "a W3C Datetime such as 2026-03-01T12:00:00+00:00"
                yield "SM203", line, f"lastmod {short} is not {expected}"
            elif seconds > now + _DAY:
                yield "SM204", line, f"lastmod {text} is in the future"
        elif name == "changefreq" and raw not in CHANGEFREQS:  # the schema allows no space there
            words = ", ".join(CHANGEFREQS)
            yield "SM205", line, f"changefreq {shorten(raw, 60)!r} must be one of {words}"
        elif name == "priority":
            # A float would take 1.00000000000000000001 for 1.
            if not (_DECIMAL.fullmatch(text) and 0 <= Decimal(text) <= 1):
                yield "SM206", line, f"priority {short} must be a number from 0.0 to 1.0"


def check_alternates(entry: SitemapEntry) -> Iterator[Fault]:
    """Yields what is wrong with the links of an entry to its language versions.

    Links for AMP, a device or an app are no such links.
    """
    versions: list[str] = []
    first_line = 0
    for name, _, line, attributes in entry.elements:
        rel, href = attributes.get("rel", ""), attributes.get("href", "")
        is_for_device = "media" in attributes and "hreflang" not in attributes
        if name != _LINK or is_for_device or rel == "amphtml" or _APP.match(href):
            continue
        first_line = first_line or line
        versions.append(href)
        language = attributes.get("hreflang", "")
        if rel != "alternate":
            text = f'xhtml:link must have rel="alternate", not {shorten(rel, 60)!r}'
            yield "SM209", line, text
        if not LANGUAGE.fullmatch(language):
            what = f"hreflang {shorten(language, 60)!r}"
            yield "SM209", line, f"{what} is not a language such as de, pt-BR or x-default"
        if not origin_of(href):
            text = f"the alternate's href {shorten(href, 60)!r} is not an absolute URL"
            yield "SM209", line, text
    if versions and entry.loc not in versions:
        text = f"the alternates do not include the page itself, {entry.loc}"
        yield "SM212", first_line, text


def check_loc(
    entry: SitemapEntry, first_origin: str, folder: str, first_line: int | None
) -> Iterator[Fault]:
    """Yields what is wrong with a URL: in how it is written, or in where it leads.

    `folder` is the normalized URL of the sitemap's folder, "" if any folder is right. `first_line`
    is that of an earlier entry with the same URL.
    """
    loc, line = entry.loc, entry.loc_line
    short = shorten(loc, 100)
    if first_line is not None:
        yield "SM307", line, f"{short} is already in line {first_line}"
    if len(loc) >= MAX_URL_LENGTH:
        yield "SM302", line, f"{short} has {len(loc):,} characters; 2,047 are allowed"
        return
    normal = resolve(loc, loc)
    if _USER.match(loc):
        yield "SM301", line, f"{short!r} contains a user name or password"
        return
    if normal is None:
        yield "SM301", line, f"{short!r} is not an absolute http or https URL"
        return
    position = len(_ALLOWED.match(loc)[0])  # type: ignore[index]
    if position < len(loc):
        is_in_host = loc.count("/", 0, position) < 3
        how = "written as xn--... in a host name" if is_in_host else "percent-encoded"
        yield "SM303", line, f"{short} contains {loc[position]!r}, which must be {how}"
    if "#" in loc:
        yield "SM304", line, f"{short} has a fragment, which crawlers ignore"
    if urls.origin_of(normal) != first_origin:
        yield "SM305", line, f"{short} is not on {first_origin} like the first entry"
    if not normal.startswith(folder):
        yield "SM306", line, f"{short} is not below {folder}, the folder of its sitemap"
    for name in _SESSION_ID.findall(loc):
        yield "SM308", line, f"{short} contains a session ID, {name}"


def _check_dates(moments: list[int]) -> Iterator[Fault]:
    """Yields a fault where nine of ten dates lie within one minute."""
    total = len(moments)
    if total < _MIN_DATES:
        return
    moments.sort()
    windows = (bisect_right(moments, first + 60) - n for n, first in enumerate(moments))
    share = max(windows) / total
    if share >= 0.9:
        text = f"{share:.0%} of {total:,} dates lie within one minute"
        yield "SM207", 1, f"{text}: the time of a build, not of changes"


def origin_of(url: str) -> str:
    """The scheme, host and port of a URL, normalized; "" for what is no web URL or too long.

    `HTTPS://Example.com:443/a` → `https://example.com`. "" also for a URL with a user name.
    """
    normal = resolve(url, url) if len(url) < MAX_URL_LENGTH else None
    if normal is None or _USER.match(url):
        return ""
    return urls.origin_of(normal)


def shorten(text: str, most: int) -> str:
    """Cuts a text to at most `most` characters: `lindenhof` with 5 → `lind…`."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
