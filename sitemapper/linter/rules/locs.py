"""SM3xx: the URLs."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

from ...protocol import MAX_URL_LENGTH
from ...syntax.urls import SESSION_IDS
from ..model import Entry, Fault, Rule, Severity, origin, shorten

# The characters that RFC 3986 allows; brackets around a host and, as is common, in queries.
_CHARACTERS = r"A-Za-z0-9\-._~:/@!$&'()*+,;="
_ALLOWED = re.compile(
    rf"(?:[{_CHARACTERS}]+|%[0-9A-Fa-f]{{2}}|(?<=://)\[[0-9A-Fa-f:.]+\])*"
    rf"(?:[?#](?:[{_CHARACTERS}?#\[\]]+|%[0-9A-Fa-f]{{2}})*)?"
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
    fix="write one sitemap for each host, and name each in the robots.txt of its host.",
)
OUT_OF_SCOPE = Rule(
    "SM306",
    Severity.WARNING,
    "A URL is outside the folder of its sitemap.",
    reason=(
        'A sitemap may only list URLs at or below its own folder (sitemaps.org, "Sitemap file '
        'location"). Not every\n'
        "crawler checks this, and a robots.txt that names the sitemap lifts the limit."
    ),
    fix="publish the sitemap in the root, or name it in robots.txt itself, not only in an index.",
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


def check_entry(entry: Entry) -> Iterator[Fault]:
    """What is wrong with the URL of an entry."""
    if is_plain(entry):
        return
    loc, own, line, short = entry.loc, origin(entry.loc), entry.line, shorten(entry.loc)
    if loc and not own:
        secret = re.match(r"https?://[^/?#]*@", loc)
        problem = (
            "contains a user name or password" if secret else "is not an absolute http or https URL"
        )
        yield NOT_ABSOLUTE, line, f"{short!r} {problem}"
    if len(loc) >= MAX_URL_LENGTH:
        yield TOO_LONG, line, f"{short} has {len(loc):,} characters; 2,047 are allowed"
    match = _ALLOWED.match(loc)
    end = match.end() if match else 0
    if end < len(loc) and own:
        how = "written as xn--... in a host name" if loc[:end].count("/") < 3 else "percent-encoded"
        yield RAW, line, f"{short} contains {loc[end]!r}, which must be {how}"
    if "#" in loc and own:
        yield FRAGMENT, line, f"{short} has a fragment, which crawlers ignore"
    if own and entry.origin and own != entry.origin:
        yield OTHER_HOST, line, f"{short} is not on {entry.origin} like the first entry"
    folder = _folder(entry.context.url)
    is_limited = folder and own and not entry.context.in_robots
    if is_limited and (own != origin(folder) or not _path(loc).startswith(_path(folder))):
        yield OUT_OF_SCOPE, line, f"{short} is not below {folder}, the folder of its sitemap"
    if entry.first is not None:
        yield DUPLICATE, line, f"{short} is already in line {entry.first}"
    for name in _session_names(loc) if own else ():
        yield SESSION, line, f"{short} contains a session ID, {name}"


def _session_names(loc: str) -> list[str]:
    if not _SESSION.search(loc):
        return []
    parts = urlsplit(loc)
    names = [name for name, _ in parse_qsl(parts.query)] + re.findall(r";([^/;=]+)=", parts.path)
    return list(filter(_SESSION.fullmatch, names))


def is_plain(entry: Entry) -> bool:
    """Whether a URL is one of letters, digits and a few signs, where it may be:

    no rule finds anything.
    """
    loc, context = entry.loc, entry.context
    return (
        entry.first is None
        and len(loc) < MAX_URL_LENGTH
        and loc.startswith(entry.origin + "/")
        and _PLAIN.fullmatch(loc) is not None
        and (context.in_robots or loc.startswith(_folder(context.url)))
    )


def _folder(url: str) -> str:
    return url[: url.rfind("/") + 1]


def _path(url: str) -> str:
    return urlsplit(url).path or "/"
