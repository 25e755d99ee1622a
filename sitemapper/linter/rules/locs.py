"""SM3xx: the URLs."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

from ...protocol import MAX_URL_LENGTH
from ...read.sitemap_xml import shorten
from ...syntax.urls import SESSION_IDS, web_origin
from ..model import Fault, LintedEntry, Rule, Severity

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
_PLAIN = re.compile(r"https?://[a-z0-9.-]+/[A-Za-z0-9/._~-]*")
_SESSION = re.compile("|".join(SESSION_IDS), re.IGNORECASE)

NOT_ABSOLUTE = Rule(
    "SM301",
    Severity.ERROR,
    "loc is not an absolute http or https URL.",
    reason="A sitemap has no base for relative URLs, and a URL must not contain a password.",
    fix="write scheme, host and path, such as https://example.com/a/.",
)
TOO_LONG = Rule(
    "SM302",
    Severity.ERROR,
    "A URL has 2,048 characters or more.",
    reason="The protocol requires fewer.",
    fix="shorten the URL, or remove it.",
)
RAW = Rule(
    "SM303",
    Severity.ERROR,
    "A character is not percent-encoded.",
    reason=(
        "Spaces, quotes, characters outside ASCII and the like must be written as %XX for each "
        "UTF-8 byte (RFC\n"
        "3986), a % as %25, and a host name as xn--...."
    ),
    fix="encode the URL before you escape it for XML.",
)
FRAGMENT = Rule(
    "SM304",
    Severity.ERROR,
    "A URL has a fragment.",
    reason="Crawlers ignore everything from # on, so the entry repeats another page.",
    fix="list the page once, without #.",
)
OTHER_HOST = Rule(
    "SM305",
    Severity.ERROR,
    "One file has URLs with different hosts or schemes.",
    reason="A sitemap may only list URLs on its own host, and only with http or only with https.",
    fix="write one sitemap for each host, and list each in its host's robots.txt.",
)
OUT_OF_SCOPE = Rule(
    "SM306",
    Severity.WARNING,
    "A URL is outside the folder of its sitemap.",
    reason=(
        'A sitemap may only list URLs at or below its own folder (sitemaps.org, "Sitemap file '
        'location"). Not every\n'
        "crawler checks this, and a robots.txt that lists the sitemap lifts the limit."
    ),
    fix="publish the sitemap in the root, or list it in robots.txt itself, not only in an index.",
)
DUPLICATE = Rule(
    "SM307",
    Severity.WARNING,
    "A URL appears twice in one file.",
    reason="The second entry adds nothing, and it is unclear whose date counts.",
    fix="list each URL once.",
)
SESSION = Rule(
    "SM308",
    Severity.WARNING,
    "A URL contains a session ID.",
    reason=(
        "Each visit would make another URL of the same page. The protocol asks you to leave "
        "session IDs out."
    ),
    fix="list the URL without it.",
)
ALL = (
    NOT_ABSOLUTE,
    TOO_LONG,
    RAW,
    FRAGMENT,
    OTHER_HOST,
    OUT_OF_SCOPE,
    DUPLICATE,
    SESSION,
)


def check_entry(entry: LintedEntry) -> Iterator[Fault]:
    """Yields the faults of the URL of an entry: in how it is written, or in where it leads."""
    # Nothing in most URLs can break a rule.
    if is_plain(entry):
        return
    loc = entry.loc
    loc_origin = web_origin(loc)  # "" if it is not an absolute URL
    if loc and not loc_origin:
        why = "is not an absolute http or https URL"
        if re.match(r"https?://[^/?#]*@", loc):
            why = "contains a user name or password"
        yield NOT_ABSOLUTE, entry.line, f"{shorten(loc)!r} {why}"
    if len(loc) >= MAX_URL_LENGTH:
        text = f"{shorten(loc)} has {len(loc):,} characters; 2,047 are allowed"
        yield TOO_LONG, entry.line, text
    if loc_origin:
        yield from _check_characters(entry)
        yield from _check_place(entry, loc_origin)
    if entry.first_line is not None:
        yield DUPLICATE, entry.line, f"{shorten(loc)} is already in line {entry.first_line}"
    if loc_origin:
        for name in _session_names(loc):
            yield SESSION, entry.line, f"{shorten(loc)} contains a session ID, {name}"


def _check_characters(entry: LintedEntry) -> Iterator[Fault]:
    """Yields the faults of a URL with a character that must be encoded, or with a fragment.

    `https://a.example/é` → a fault that names é. Only the first such character is named.
    """
    loc = entry.loc
    allowed = _ALLOWED.match(loc)  # the longest beginning that is right
    position = allowed.end() if allowed else 0  # of the first character that is not allowed
    if position < len(loc):
        how = "percent-encoded"
        is_in_host = loc[:position].count("/") < 3  # before the slash that ends "https://host"
        if is_in_host:
            how = "written as xn--... in a host name"
        text = f"{shorten(loc)} contains {loc[position]!r}, which must be {how}"
        yield RAW, entry.line, text
    if "#" in loc:
        yield FRAGMENT, entry.line, f"{shorten(loc)} has a fragment, which crawlers ignore"


def _check_place(entry: LintedEntry, loc_origin: str) -> Iterator[Fault]:
    """Yields the faults of a URL on another host than the first entry, or outside the folder.

    /docs/sitemap.xml may list only URLs below /docs/, unless robots.txt names it (sitemaps.org).
    The folder is known only if an index gives the URL of the sitemap.
    """
    short = shorten(entry.loc)
    if entry.first_origin and loc_origin != entry.first_origin:
        yield OTHER_HOST, entry.line, f"{short} is not on {entry.first_origin} like the first entry"
    folder = _folder_url(entry.context.url)
    if not folder or entry.context.in_robots:
        return
    is_same_host = loc_origin == web_origin(folder)
    is_below = is_same_host and _path(entry.loc).startswith(_path(folder))
    if not is_below:
        text = f"{short} is not below {folder}, the folder of its sitemap"
        yield OUT_OF_SCOPE, entry.line, text


def _session_names(loc: str) -> list[str]:
    """Lists the session IDs in a URL: `/a?sid=1` → sid, `/a;jsessionid=1` → jsessionid."""
    if not _SESSION.search(loc):
        return []
    parts = urlsplit(loc)
    names = [name for name, _ in parse_qsl(parts.query)]
    names += re.findall(r";([^/;=]+)=", parts.path)
    return [name for name in names if _SESSION.fullmatch(name)]


def is_plain(entry: LintedEntry) -> bool:
    """Whether the URL of an entry certainly breaks no rule about URLs, so none need be run.

    Such a URL has only letters, digits, dots and the like. It is on the host of the first entry and
    in the folder of the sitemap, and no earlier entry has it. Most URLs are plain, so the time of a
    check depends on this function.
    """
    loc, context = entry.loc, entry.context
    return (
        # `first_line` is that of an earlier entry with the same URL.
        entry.first_line is None
        and len(loc) < MAX_URL_LENGTH
        and loc.startswith(entry.first_origin + "/")
        and _PLAIN.fullmatch(loc) is not None
        # A sitemap that robots.txt names may list URLs outside of its folder.
        and (context.in_robots or loc.startswith(_folder_url(context.url)))
    )


def _folder_url(url: str) -> str:
    """Gives the folder of a URL: `https://a.example/docs/b.xml` → `https://a.example/docs/`."""
    return url[: url.rfind("/") + 1]


def _path(url: str) -> str:
    """Gives the path of a URL, "/" for https://example.com."""
    return urlsplit(url).path or "/"
