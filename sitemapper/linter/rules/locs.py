"""SM3xx: the URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

from ...protocol import MAX_URL_LENGTH
from ...syntax.urls import SESSION_IDS
from ..elements import Entry, origin
from ..rule import Message, Severity, rule, shorten

# The characters that RFC 3986 allows; brackets around a host and, as is common, in queries.
_CHARACTERS = r"A-Za-z0-9\-._~:/@!$&'()*+,;="
_ALLOWED = re.compile(
    rf"(?:[{_CHARACTERS}]+|%[0-9A-Fa-f]{{2}}|(?<=://)\[[0-9A-Fa-f:.]+\])*"
    rf"(?:[?#](?:[{_CHARACTERS}?#\[\]]+|%[0-9A-Fa-f]{{2}})*)?"
)
_PLAIN = re.compile(r"https?://[a-z0-9.-]+/[A-Za-z0-9/._~-]*")
_SESSION = re.compile("|".join(SESSION_IDS), re.IGNORECASE)


@rule("SM301", sees_plain=False)
def absolute(entry: Entry) -> Iterator[Message]:
    """loc is not an absolute http or https URL.

    A sitemap has no base for relative URLs, and a URL must not contain a password.
    Fix: write scheme, host and path, such as https://example.com/a/.
    """
    if entry.loc and not origin(entry.loc):
        secret = re.match(r"https?://[^/?#]*@", entry.loc)
        problem = "contains a user name or password" if secret else "is not an absolute http or https URL"
        yield entry.line, f"{shorten(entry.loc)!r} {problem}"


@rule("SM302", sees_plain=False)
def too_long(entry: Entry) -> Iterator[Message]:
    """A URL has 2,048 characters or more.

    The protocol requires fewer.
    Fix: shorten the URL, or remove it.
    """
    if len(entry.loc) >= MAX_URL_LENGTH:
        yield entry.line, f"{shorten(entry.loc)} has {len(entry.loc):,} characters; 2,047 are allowed"


@rule("SM303", sees_plain=False)
def raw(entry: Entry) -> Iterator[Message]:
    """A character is not percent-encoded.

    Spaces, quotes, characters outside ASCII and the like must be written as %XX for each UTF-8 byte (RFC
    3986), a % as %25, and a host name as xn--....
    Fix: encode the URL before you escape it for XML.
    """
    match = _ALLOWED.match(entry.loc)
    end = match.end() if match else 0
    if end < len(entry.loc) and origin(entry.loc):
        is_host = entry.loc[:end].count("/") < 3
        how = "written as xn--... in a host name" if is_host else "percent-encoded"
        yield entry.line, f"{shorten(entry.loc)} contains {entry.loc[end]!r}, which must be {how}"


@rule("SM304", sees_plain=False)
def fragment(entry: Entry) -> Iterator[Message]:
    """A URL has a fragment.

    Crawlers ignore everything from # on, so the entry repeats another page.
    Fix: list the page once, without #.
    """
    if "#" in entry.loc and origin(entry.loc):
        yield entry.line, f"{shorten(entry.loc)} has a fragment, which crawlers ignore"


@rule("SM305", sees_plain=False)
def hosts(entry: Entry) -> Iterator[Message]:
    """One file has URLs with different hosts or schemes.

    A sitemap may only list URLs on its own host, and only with http or only with https.
    Fix: write one sitemap for each host, and name each in the robots.txt of its host.
    """
    own = origin(entry.loc)
    if own and entry.origin and own != entry.origin:
        yield entry.line, f"{shorten(entry.loc)} is not on {entry.origin} like the first entry"


@rule("SM306", Severity.WARNING, sees_plain=False)
def scope(entry: Entry) -> Iterator[Message]:
    """A URL is outside the folder of its sitemap.

    A sitemap may only list URLs at or below its own folder (sitemaps.org, "Sitemap file location"). Not every
    crawler checks this, and a robots.txt that names the sitemap lifts the limit.
    Fix: publish the sitemap in the root, or name it in robots.txt itself, not only in an index.
    """
    if not entry.context.url or entry.context.in_robots or not origin(entry.loc):
        return
    folder = _folder(entry.context.url)
    if origin(entry.loc) != origin(folder) or not _path(entry.loc).startswith(_path(folder)):
        yield entry.line, f"{shorten(entry.loc)} is not below {folder}, the folder of its sitemap"


@rule("SM307", Severity.WARNING, sees_plain=False)
def duplicate(entry: Entry) -> Iterator[Message]:
    """A URL appears twice in one file.

    The second entry adds nothing, and it is unclear whose date counts.
    Fix: list each URL once.
    """
    if entry.first is not None:
        yield entry.line, f"{shorten(entry.loc)} is already in line {entry.first}"


@rule("SM308", Severity.WARNING, sees_plain=False)
def session(entry: Entry) -> Iterator[Message]:
    """A URL contains a session ID.

    Each visit would make another URL of the same page. The protocol asks you to leave session IDs out.
    Fix: list the URL without it.
    """
    if not _SESSION.search(entry.loc):
        return
    parts = urlsplit(entry.loc) if origin(entry.loc) else None
    names = [name for name, _ in parse_qsl(parts.query)] if parts else []
    names += re.findall(r";([^/;=]+)=", parts.path) if parts else []
    for name in names:
        if _SESSION.fullmatch(name):
            yield entry.line, f"{shorten(entry.loc)} contains a session ID, {name}"


def is_plain(entry: Entry) -> bool:
    """Whether a URL is one of letters, digits and a few signs, where it may be: no rule finds anything."""
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


OF_ENTRIES = (absolute, too_long, raw, fragment, hosts, scope, duplicate, session)
