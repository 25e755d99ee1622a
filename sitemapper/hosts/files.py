"""What the files of hosts say: `_redirects`, `_headers`, netlify.toml and vercel.json to rules.

By the hosts' own parsers: cloudflare/workers-sdk (parseRedirects.ts, parseHeaders.ts),
@netlify/redirect-parser, @netlify/headers-parser, @vercel/routing-utils, and GitLab's docs. Lines
with conditions, such as `Country=de`, and those that are not understood, are no rules.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..model import Origin, Reason
from ..syntax.tables import text_at
from ..syntax.urls import host_of
from .host import Rule, Syntax, read_source

_MOVES = ("301", "302", "303", "307", "308")
_ACTIONS = {
    **dict.fromkeys(_MOVES, Reason.REDIRECT),
    **dict.fromkeys(("404", "410"), Reason.CLOSED),
    "200": Reason.DUPLICATE,
}
_CONDITIONS = ("has", "missing", "conditions", "query")  # on Vercel, and on Netlify
_HEADER = re.compile(r"(?P<name>[^ :]+) *:\s*(?P<value>.+)")


class HostFiles(NamedTuple):
    """The files of a host: `_redirects` and `_headers` in the site, and one of its own."""

    redirects: str
    headers: str
    name: str  # of its own file, such as "vercel.json"; "" without one
    table: Mapping[str, Any]
    base_url: str  # "" if it is not known


class HostRules(NamedTuple):
    """The rules of a host in the order in which it applies them."""

    moves: list[Rule]
    headers: list[Rule]


class _Redirect(NamedTuple):
    """A redirect as it is written; a `!` at the end of its status forces it."""

    source: str
    target: str
    status: str
    origin: Origin


def read_cloudflare(files: HostFiles) -> HostRules:
    """Reads rules as Cloudflare Pages and Workers do: redirects come before files."""
    lines = _redirect_lines(files.redirects, "302")
    valid = [line for line in lines if line.status in (*_MOVES, "200")]
    return HostRules(_moves(files, "exact", valid), _read_headers(files, "exact"))


def read_netlify(files: HostFiles) -> HostRules:
    """Reads rules as Netlify does, from `_redirects`, `_headers` and netlify.toml.

    Where a page is, only a forced redirect applies: one with `301!`, or `force = true`. The syntax
    of its paths is the loose one: capitals and a slash at the end make no difference.
    """
    lines = _redirect_lines(files.redirects, "301")
    for source, origin, entry in _entries(files, "redirects", "from"):
        status = str(entry.get("status", 301))
        if entry.get("force") is True:
            status += "!"
        lines.append(_Redirect(source, text_at(entry, "to"), status, origin))
    headers = _read_headers(files, "loose")
    for source, origin, entry in _entries(files, "headers", "for"):
        values = entry.get("values")
        for name, value in values.items() if isinstance(values, dict) else ():
            headers += _header(source, "loose", name, str(value), origin)
    return HostRules(_moves(files, "loose", lines), headers)


def read_gitlab(files: HostFiles) -> HostRules:
    """Reads rules as GitLab does: where a page is, no redirect applies. There are no headers."""
    return read_unknown(files)._replace(headers=[])


def read_unknown(files: HostFiles) -> HostRules:
    """Reads the rules for a host that is not known.

    No redirect takes a page, because the host may ignore the file. A header with noindex still
    does.
    """
    moves = _moves(files, "loose", _redirect_lines(files.redirects, "301"))
    unforced = [rule._replace(is_forced=False) for rule in moves]
    return HostRules(unforced, _read_headers(files, "loose"))


def read_vercel(files: HostFiles) -> HostRules:
    """Reads vercel.json: redirects come before files."""
    redirects: list[_Redirect] = []
    for source, origin, entry in _entries(files, "redirects", "source"):
        status = str(entry.get("statusCode", 308))
        redirects.append(_Redirect(source, text_at(entry, "destination"), status, origin))
    headers: list[Rule] = []
    for source, origin, entry in _entries(files, "headers", "source"):
        values = entry.get("headers")
        for value in values if isinstance(values, list) else ():
            name = text_at(value, "key")
            headers += _header(source, "vercel", name, text_at(value, "value"), origin)
    return HostRules(_moves(files, "vercel", redirects), headers)


def read_nothing(_files: HostFiles) -> HostRules:
    """Gives no rules: the host has none, or they are not read."""
    return HostRules([], [])


def _redirect_lines(text: str, default: str) -> list[_Redirect]:
    """The lines of `_redirects`; `default` is the status of a line without one.

    A fourth word is a condition.
    """
    lines: list[_Redirect] = []
    for number, row in enumerate(text.split("\n"), 1):
        words = re.sub(r"(?:^|\s)#.*", "", row).split()
        origin = Origin("_redirects", number, " ".join(words))
        if len(words) == 2:
            words.append(default)
        if len(words) == 3:
            lines.append(_Redirect(words[0], words[1], words[2], origin))
    return lines


def _moves(files: HostFiles, syntax: Syntax, redirects: Sequence[_Redirect]) -> list[Rule]:
    """Turns redirects into rules. Those for another host, or not understood, are left out."""
    moves: list[Rule] = []
    for redirect in redirects:
        source = read_source(_path_on_host(redirect.source, files.base_url), syntax)
        if source is None or not redirect.target.startswith(("/", "http://", "https://")):
            continue
        action = _ACTIONS.get(redirect.status.removesuffix("!"))
        is_forced = syntax != "loose" or redirect.status.endswith("!")
        takes_pages = is_forced and action is not Reason.DUPLICATE
        moves.append(Rule(source, action, redirect.origin, redirect.target, takes_pages))
    return moves


def _path_on_host(source: str, base_url: str) -> str:
    """The path in the source of a rule, "" for a URL on another host.

    For a site on a.example: `/b//c` → `/b/c`, `https://a.example/b` → `/b`.
    """
    path = source
    url = re.match("https?://([^/]*)", source)
    if url:
        if url[1].lower() != host_of(base_url):
            return ""
        path = source[url.end() :] or "/"
    if not path.startswith("/"):
        return ""
    return re.sub("//+", "/", path)


def _entries(
    files: HostFiles, key: str, source_key: str
) -> Iterator[tuple[str, Origin, Mapping[str, Any]]]:
    """Yields the rules in a list of the host's own file, but for those with conditions."""
    entries = files.table.get(key)
    for entry in entries if isinstance(entries, list) else ():
        source = text_at(entry, source_key)
        if source and not any(entry.get(condition) for condition in _CONDITIONS):
            # Parsers give no lines, but a source is found in its file.
            yield source, Origin(files.name, None, source), entry


def _read_headers(files: HostFiles, syntax: Syntax) -> list[Rule]:
    """Reads `_headers`: a line with a path or URL, and below it its headers."""
    rules: list[Rule] = []
    path = ""
    for number, row in enumerate(files.headers.split("\n"), 1):
        line = row.strip()
        if re.match(r"/|\S+://", line):
            path = _path_on_host(line, files.base_url)
            continue
        header = _HEADER.fullmatch(line)
        if header:
            origin = Origin("_headers", number, line)
            rules += _header(path, syntax, header["name"], header["value"], origin)
    return rules


def _header(path: str, syntax: Syntax, name: str, value: str, origin: Origin) -> list[Rule]:
    """The rule of a header `X-Robots-Tag`, with its directives; an empty list for other headers."""
    source = read_source(path, syntax)
    if source is None or name.lower() != "x-robots-tag":
        return []
    return [Rule(source, Reason.NOINDEX, origin, directives=value)]
