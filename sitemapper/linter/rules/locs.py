"""SM3xx: the URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

from sitemapper.linter.facts import Entry, origin
from sitemapper.linter.rule import Rule, Said, Severity
from sitemapper.syntax.urls import MAX_LENGTH

# What RFC 3986 allows in a URL as it is written; brackets around a host, and in queries, as is usual.
_CHARACTERS = r"A-Za-z0-9\-._~:/@!$&'()*+,;="
_ALLOWED = re.compile(
    rf"(?:[{_CHARACTERS}]+|%[0-9A-Fa-f]{{2}}|(?<=://)\[[0-9A-Fa-f:.]+\])*"
    rf"(?:[?#](?:[{_CHARACTERS}?#\[\]]+|%[0-9A-Fa-f]{{2}})*)?"
)
_SESSION = re.compile(r"(?i)jsessionid|phpsessid|sid|session_?id|aspsessionid\w*|cfid|cftoken")


def absolute(entry: Entry) -> Iterator[Said]:
    """loc is no absolute http or https URL.

    A sitemap has no base that a relative URL could be read against, and a password has no place in it.
    Fix: write scheme, host and path: https://example.com/a/.
    """
    if entry.loc and not origin(entry.loc):
        secret = re.match(r"https?://[^/?#]*@", entry.loc)
        fault = "holds a user name or password" if secret else "is no absolute http or https URL"
        yield entry.line, f"{_short(entry.loc)!r} {fault}"


def too_long(entry: Entry) -> Iterator[Said]:
    """A URL of 2,048 characters or more.

    The protocol wants less than that.
    Fix: shorten the URL, or leave it out.
    """
    if len(entry.loc) >= MAX_LENGTH:
        yield entry.line, f"{_short(entry.loc)} has {len(entry.loc):,} characters; 2,047 are allowed"


def raw(entry: Entry) -> Iterator[Said]:
    """A character that must be percent-encoded.

    Spaces, letters outside ASCII, quotes and the like have to be written as %XX of their UTF-8 bytes (RFC
    3986), a % as %25; a host as xn--....
    Fix: encode the URL before it is escaped for XML.
    """
    found = _ALLOWED.match(entry.loc)
    end = found.end() if found else 0
    if end < len(entry.loc) and origin(entry.loc):
        is_host = entry.loc[:end].count("/") < 3
        how = "in a host be written as xn--..." if is_host else "be percent-encoded"
        yield entry.line, f"{_short(entry.loc)} holds {entry.loc[end]!r}, which must {how}"


def fragment(entry: Entry) -> Iterator[Said]:
    """A URL with a fragment.

    Crawlers cut off what stands behind #, so the entry repeats another page.
    Fix: list the page once, without #.
    """
    if "#" in entry.loc and origin(entry.loc):
        yield entry.line, f"{_short(entry.loc)} has a fragment, which crawlers cut off"


def hosts(entry: Entry) -> Iterator[Said]:
    """URLs of more than one host or scheme in one file.

    A sitemap may list only URLs of its own host, in one of http and https.
    Fix: one sitemap for each host, each named in that host's robots.txt.
    """
    here = origin(entry.loc)
    if here and entry.origin and here != entry.origin:
        yield entry.line, f"{_short(entry.loc)} is not of {entry.origin}, as the first entry is"


def scope(entry: Entry) -> Iterator[Said]:
    """A URL outside the folder of its sitemap.

    A sitemap may list only what lies at or below its own folder (sitemaps.org, sitemap file location); not
    every crawler minds, and a robots.txt that names the sitemap may cross that border.
    Fix: publish the sitemap in the root, or name it in robots.txt itself, not only in an index.
    """
    if not entry.context.is_indexed or entry.context.crosses or not origin(entry.loc):
        return
    folder = entry.context.url.rpartition("/")[0] + "/"
    if origin(entry.loc) != origin(folder) or not _path(entry.loc).startswith(_path(folder)):
        yield entry.line, f"{_short(entry.loc)} is not below {folder}, where its sitemap lies"


def duplicate(entry: Entry) -> Iterator[Said]:
    """A URL stands twice in one file.

    It says nothing new and hides which date counts.
    Fix: list each URL once.
    """
    if entry.first is not None:
        yield entry.line, f"{_short(entry.loc)} stands in line {entry.first} already"


def session(entry: Entry) -> Iterator[Said]:
    """A session ID in a URL.

    Every visit would get another URL for the same page; the protocol asks to leave them out.
    Fix: list the URL without it.
    """
    if (
        "sid" not in entry.loc.lower()
        and "session" not in entry.loc.lower()
        and "cf" not in entry.loc.lower()
    ):
        return
    parts = urlsplit(entry.loc) if origin(entry.loc) else None
    names = [name for name, _ in parse_qsl(parts.query)] if parts else []
    names += re.findall(r";([^/;=]+)=", parts.path) if parts else []
    for name in names:
        if _SESSION.fullmatch(name):
            yield entry.line, f"{_short(entry.loc)} holds a session ID, {name}"


def _path(url: str) -> str:
    return urlsplit(url).path or "/"


def _short(loc: str) -> str:
    return loc if len(loc) <= 100 else f"{loc[:99]}…"


OF_ENTRIES = (
    Rule("SM301", Severity.ERROR, absolute),
    Rule("SM302", Severity.ERROR, too_long),
    Rule("SM303", Severity.ERROR, raw),
    Rule("SM304", Severity.ERROR, fragment),
    Rule("SM305", Severity.ERROR, hosts),
    Rule("SM306", Severity.WARNING, scope),
    Rule("SM307", Severity.WARNING, duplicate),
    Rule("SM308", Severity.WARNING, session),
)
