"""What the files of hosts say: `_redirects`, `_headers`, netlify.toml and vercel.json to rules.

By the hosts' own parsers: cloudflare/workers-sdk (parseRedirects.ts, parseHeaders.ts),
@netlify/redirect-parser, @netlify/headers-parser, @vercel/routing-utils, and GitLab's docs. Lines
with conditions, such as `Country=de`, and those that are not understood, are no rules.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..model import Origin, Reason
from ..syntax.tables import text_at
from ..syntax.urls import host_of
from .host import Rule
from .sources import Syntax, read_source

_MOVES = ("301", "302", "303", "307", "308")
_ACTIONS = {
    **dict.fromkeys(_MOVES, Reason.REDIRECT),
    **dict.fromkeys(("404", "410"), Reason.CLOSED),
    "200": Reason.DUPLICATE,
}
_INDEX = re.compile(r"/(?:.*/)?index(?:\.html)?")
# `! Name` removes a header. Another line is a name without spaces, a colon and a value.
_HEADER = re.compile(r"! (?P<removed>[^:]*)|(?P<name>[^ :]+) *:\s*(?P<value>.+)")
# RFC 8288, RFC 6596. `</:splat>` names no one URL.
_CANONICAL = re.compile(
    r"<((?:https?:/)?/[^<>:]*+)>[^,<>]*?;\s*rel\s*=\s*[\"']?canonical\b", re.IGNORECASE
)
_WITH_VALUE = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
_OUR_AGENTS = ("", "*", "robots", "googlebot")


class HostFiles(NamedTuple):
    """The files of a host: `_redirects` and `_headers` in the site, and one of its own."""

    redirects: str
    headers: str
    name: str  # of its own file, such as "vercel.json"; "" without one
    text: str
    table: Mapping[str, Any]
    base_url: str  # "" if it is not known


class HostRules(NamedTuple):
    """The rules of a host in the order in which it applies them."""

    moves: list[Rule]
    headers: list[Rule]


class _Header(NamedTuple):
    """A header that a host sends, by its name in lower case. The value "" removes it."""

    name: str
    value: str
    origin: Origin


# A source, and the headers that are sent there.
_Block = tuple[str, list[_Header]]


def read_cloudflare(files: HostFiles) -> HostRules:
    """Reads rules as Cloudflare Pages and Workers do: redirects come before files."""
    moves: list[Rule] = []
    sources: set[str] = set()
    for words, origin in _redirect_lines(files.redirects):
        source = "/" + re.split("[?#]", words[0], maxsplit=1)[0].removeprefix("/")
        target = words[1]
        status = words[2] if len(words) > 2 else "302"
        # Cloudflare takes these for a loop, as in many projects: `/* /index.html 200`.
        is_loop = source.endswith(("/", "/*")) and _INDEX.fullmatch(target) is not None
        is_valid = target.startswith(("/", "https://")) and status in (*_MOVES, "200")
        is_of_a_path = not words[0].startswith("https://")
        if is_loop or not is_valid or not is_of_a_path or len(words) > 3 or source in sources:
            continue
        sources.add(source)
        moves += _move(source, "exact", status, target, origin)
    return HostRules(moves, _header_rules(_header_blocks(files), "exact"))


def read_netlify(files: HostFiles) -> HostRules:
    """Reads rules as Netlify does: a file wins over a redirect that is not forced (`301!`)."""
    moves = _loose_moves(files)
    for source, line, entry in _entries(files, "redirects", "from"):
        if entry.get("conditions") or entry.get("query"):
            continue
        target = text_at(entry, "to")
        status = str(entry.get("status", 301))
        if entry.get("force") is True:
            status += "!"
        origin = Origin(files.name, line, f"{source} -> {target}")
        moves += _loose_move(_own_path(source, files.base_url), target, status, origin)

    blocks = _header_blocks(files)
    for source, line, entry in _entries(files, "headers", "for"):
        values = entry.get("values")
        pairs = values.items() if isinstance(values, dict) else ()
        blocks.append((source, _headers_of(pairs, files.name, line)))
    # Netlify shows `a.html` at `/a`, too, with the same headers.
    of_short_names = [(source.removesuffix(".html"), headers) for source, headers in blocks]
    return HostRules(moves, _header_rules([*blocks, *of_short_names], "loose"))


def read_gitlab(files: HostFiles) -> HostRules:
    """Reads rules as GitLab does: a file wins over each, and sources begin with the site's path."""
    folder = urlsplit(files.base_url).path.removesuffix("/").lower()
    moves = []
    for rule in read_unknown(files).moves:
        if rule.source.start.startswith(folder):
            source = rule.source._replace(start=rule.source.start.removeprefix(folder))
            moves.append(rule._replace(source=source))
    return HostRules(moves, [])


def read_unknown(files: HostFiles) -> HostRules:
    """Reads rules of a host that is not known: no redirect takes a page, but a noindex does."""
    moves = [rule._replace(is_forced=False) for rule in _loose_moves(files)]
    return HostRules(moves, _header_rules(_header_blocks(files), "loose"))


def read_vercel(files: HostFiles) -> HostRules:
    """Reads vercel.json: redirects come before files, and the last header of a name counts."""
    moves: list[Rule] = []
    for source, line, entry in _entries(files, "redirects", "source"):
        if entry.get("has") or entry.get("missing"):
            continue
        target = text_at(entry, "destination")
        status = str(entry.get("statusCode", 308))
        if status not in _MOVES:
            status = ""  # it redirects nothing
        origin = Origin(files.name, line, f"{source} -> {target}")
        moves += _move(source, "vercel", status, target, origin)
    blocks: list[_Block] = []
    for source, line, entry in _entries(files, "headers", "source"):
        headers = entry.get("headers")
        if entry.get("has") or entry.get("missing") or not isinstance(headers, list):
            continue
        pairs = [(text_at(one, "key"), text_at(one, "value")) for one in headers]
        blocks.append((source, _headers_of(pairs, files.name, line)))
    return HostRules(moves, _header_rules(blocks, "vercel"))


def read_nothing(_files: HostFiles) -> HostRules:
    """Gives no rules: the host has none, or they are not read."""
    return HostRules([], [])


def _redirect_lines(text: str) -> Iterator[tuple[list[str], Origin]]:
    """Splits `_redirects` into the words of each line, without comments: two words at least."""
    for number, row in enumerate(text.split("\n"), 1):
        words = list(takewhile(lambda word: not word.startswith("#"), row.split()))
        if len(words) > 1:
            yield words, Origin("_redirects", number, " ".join(words))


def _loose_moves(files: HostFiles) -> list[Rule]:
    moves: list[Rule] = []
    for words, origin in _redirect_lines(files.redirects):
        status = words[2] if len(words) > 2 else "301"
        if len(words) <= 3:  # a fourth word is a condition
            moves += _loose_move(_own_path(words[0], files.base_url), words[1], status, origin)
    return moves


def _loose_move(path: str, target: str, status: str, origin: Origin) -> list[Rule]:
    """The rule of a redirect on Netlify; none if it is not valid, and for another host."""
    is_forced = status.endswith("!")
    code = status.removesuffix("!")
    is_valid = path and code.isdecimal() and target.startswith(("/", "http://", "https://"))
    if not is_valid:
        return []
    rules = _move(path, "loose", code, target, origin, is_forced=is_forced)
    # `/a/* /a/b/:splat` would redirect for ever, so Netlify ignores it.
    if ":splat" in target and rules and rules[0].source.match(target.replace(":splat", "")):
        return []
    return rules


def _move(
    source: str, syntax: Syntax, status: str, target: str, origin: Origin, *, is_forced: bool = True
) -> list[Rule]:
    """The rule of a redirect; none if its source is not understood."""
    understood = read_source(source, syntax)
    if understood is None:
        return []
    action = _ACTIONS.get(status)
    takes_pages = is_forced and action is not Reason.DUPLICATE
    return [Rule(understood, action, origin, target, takes_pages)]


def _own_path(source: str, base_url: str) -> str:
    """The path on this site that a source names, "" for another host: `https://a.example//b`."""
    path = source
    url = re.match("https?://([^/]*)", source)
    if url and url[1].lower() == host_of(base_url):
        path = source[url.end() :] or "/"
    return re.sub("//+", "/", path) if path.startswith("/") else ""


def _entries(
    files: HostFiles, key: str, source_key: str
) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """Yields the source, the line and the table of each rule in a list of the host's own file."""
    entries = files.table.get(key)
    position = max(files.text.find(key), 0)
    for entry in entries if isinstance(entries, list) else ():
        source = text_at(entry, source_key)
        if not source:
            continue
        # Parsers give no lines, so the text is searched for the sources, one after the other.
        written = re.compile(rf"\b{source_key}\W+{re.escape(source)}[\"']")
        found = written.search(files.text, position)
        if found:
            position = found.end()
        yield source, files.text.count("\n", 0, position) + 1, entry


def _header_blocks(files: HostFiles) -> list[_Block]:
    """Reads `_headers`: a line with a path or URL, and below it its headers."""
    blocks: list[_Block] = []
    for number, row in enumerate(files.headers.split("\n"), 1):
        line = row.strip()
        if line.startswith("#"):
            continue
        if re.match(r"/|\S+://", line):
            blocks.append((_own_path(line, files.base_url), []))
            continue
        header = _HEADER.fullmatch(line)
        if header and blocks:
            name = (header["removed"] or header["name"]).strip().lower()
            origin = Origin("_headers", number, line)
            blocks[-1][1].append(_Header(name, header["value"] or "", origin))
    return blocks


def _headers_of(pairs: Iterable[tuple[str, object]], file: str, line: int) -> list[_Header]:
    headers = []
    for name, value in pairs:
        headers.append(_Header(name.lower(), str(value), Origin(file, line, f"{name}: {value}")))
    return headers


def _header_rules(blocks: Iterable[_Block], syntax: Syntax) -> list[Rule]:
    """The rules of the headers that decide about pages. On Vercel, the last of a name counts."""
    rules: list[Rule] = []
    for path, headers in blocks:
        source = read_source(path, syntax) if path else None
        if source is None:
            continue
        for header in headers:
            action = None
            target = ""
            if header.name == "x-robots-tag":
                action = Reason.NOINDEX if _forbids_indexing(header.value) else None
                if action is None and header.value and syntax != "vercel":
                    continue  # such as `all`, which cancels no noindex before it
            elif header.name == "basic-auth" and syntax == "loose":  # only Netlify has it
                action = Reason.CLOSED
            elif header.name == "link" and (link := _CANONICAL.search(header.value)):
                action = Reason.CANONICAL
                target = link[1]
            else:
                continue
            rules.append(Rule(source, action, header.origin, target))
    return rules


def _forbids_indexing(value: str) -> bool:
    """Whether an X-Robots-Tag keeps every crawler or Googlebot from indexing."""
    is_for_us = True
    for directive in value.lower().split(","):
        name, colon, rest = directive.partition(":")
        if colon and name.strip() not in _WITH_VALUE:  # `bingbot: noindex`
            is_for_us = name.strip() in _OUR_AGENTS
            name = rest
        if is_for_us and name.strip() in ("noindex", "none"):
            return True
    return False
