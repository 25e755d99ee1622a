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
    """A redirect as it is written in a file."""

    source: str  # "/blog/*"
    target: str  # "/news/:splat"
    status: str  # "301"; with "301!", it also applies where a page is
    origin: Origin


def read_cloudflare(files: HostFiles) -> HostRules:
    """Reads `_redirects` and `_headers` as Cloudflare Pages and Workers do.

    Letter case and a final slash count in their paths. A redirect applies even where a page is. A
    status that Cloudflare refuses, such as 404, makes its line void.
    """
    redirects = _redirect_lines(files.redirects, default_status="302")
    accepted = [redirect for redirect in redirects if redirect.status in (*_MOVES, "200")]
    return HostRules(_moves(files, "exact", accepted), _read_headers(files, "exact"))


def read_netlify(files: HostFiles) -> HostRules:
    """Reads rules as Netlify does, from `_redirects`, `_headers` and netlify.toml.

    Where a page is, only a forced redirect applies: one with `301!`, or `force = true`. In paths,
    letter case and a final slash do not count, which is the syntax "loose".
    """
    redirects = _redirect_lines(files.redirects, default_status="301")
    for source, origin, entry in _entries(files, "redirects", "from"):
        status = str(entry.get("status", 301))
        if entry.get("force") is True:
            status += "!"
        redirects.append(_Redirect(source, text_at(entry, "to"), status, origin))

    headers = _read_headers(files, "loose")
    for source, origin, entry in _entries(files, "headers", "for"):
        values = entry.get("values")
        for name, value in values.items() if isinstance(values, dict) else ():
            headers += _header(source, "loose", name, str(value), origin)
    return HostRules(_moves(files, "loose", redirects), headers)


def read_gitlab(files: HostFiles) -> HostRules:
    """Reads rules as GitLab does: where a page is, no redirect applies. There are no headers."""
    return read_unknown(files)._replace(headers=[])


def read_unknown(files: HostFiles) -> HostRules:
    """Reads `_redirects` and `_headers` for a host that is not known.

    The host may ignore these files. So no redirect excludes a page, but a header with noindex does,
    because somebody wants the page to be in no index.
    """
    moves = _moves(files, "loose", _redirect_lines(files.redirects, default_status="301"))
    unforced = [rule._replace(is_forced=False) for rule in moves]
    return HostRules(unforced, _read_headers(files, "loose"))


def read_vercel(files: HostFiles) -> HostRules:
    """Reads the redirects and headers in vercel.json. They apply even where a page is."""
    redirects: list[_Redirect] = []
    for source, origin, entry in _entries(files, "redirects", "source"):
        status = str(entry.get("statusCode", 308))
        redirects.append(_Redirect(source, text_at(entry, "destination"), status, origin))

    headers: list[Rule] = []
    for source, origin, entry in _entries(files, "headers", "source"):
        pairs = entry.get("headers")
        for pair in pairs if isinstance(pairs, list) else ():
            name = text_at(pair, "key")
            headers += _header(source, "vercel", name, text_at(pair, "value"), origin)
    return HostRules(_moves(files, "vercel", redirects), headers)


def read_nothing(_files: HostFiles) -> HostRules:
    """Gives no rules: the host has none, or they are not read."""
    return HostRules([], [])


def _redirect_lines(text: str, default_status: str) -> list[_Redirect]:
    """Reads the lines of `_redirects`, such as `/blog/* /news/:splat 301`.

    A line without a status has `default_status`. A line with a fourth word is left out, because
    that is a condition, such as `Country=de`.
    """
    redirects: list[_Redirect] = []
    for number, line in enumerate(text.split("\n"), 1):
        words = re.sub(r"(?:^|\s)#.*", "", line).split()  # without a comment
        origin = Origin("_redirects", number, " ".join(words))
        if len(words) == 2:
            words.append(default_status)
        if len(words) == 3:
            source, target, status = words
            redirects.append(_Redirect(source, target, status, origin))
    return redirects


def _moves(files: HostFiles, syntax: Syntax, redirects: Sequence[_Redirect]) -> list[Rule]:
    """Turns the redirects of a file into rules.

    Left out are those for paths of another host, those whose source is not understood, and those
    whose target is neither a path nor a web address.
    """
    moves: list[Rule] = []
    for redirect in redirects:
        source = read_source(_path_on_host(redirect.source, files.base_url), syntax)
        if source is None or not redirect.target.startswith(("/", "http://", "https://")):
            continue
        action = _ACTIONS.get(redirect.status.removesuffix("!"))
        # Only on Netlify and the like, whose syntax is the loose one, a page wins over a redirect
        # without `!`. It wins over a rewrite (status 200) on all hosts.
        has_force = syntax != "loose" or redirect.status.endswith("!")
        is_forced = has_force and action is not Reason.DUPLICATE
        moves.append(Rule(source, action, redirect.origin, redirect.target, is_forced))
    return moves


def _path_on_host(source: str, base_url: str) -> str:
    """The path that a rule is for; "" if it is for another host, or for no path.

    For a site on a.example, the source `https://a.example/b` gives `/b`, and `/b//c` gives `/b/c`.
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
    """Yields the source of each rule in a list of the host's own file, its origin, and the rule.

    `key` names the list: `redirects` or `headers`. `source_key` names the path in a rule: `from` on
    Netlify. Rules with conditions, such as the visitor's country, are left out.
    """
    entries = files.table.get(key)
    for entry in entries if isinstance(entries, list) else ():
        source = text_at(entry, source_key)
        if source and not any(entry.get(condition) for condition in _CONDITIONS):
            # Parsers of TOML and JSON give no lines. A person finds the source in the file.
            yield source, Origin(files.name, None, source), entry


def _read_headers(files: HostFiles, syntax: Syntax) -> list[Rule]:
    """Reads `_headers`: a line with a path or URL, and in the lines below it the headers for it.

    `/drafts/*`, and below it `  X-Robots-Tag: noindex`.
    """
    rules: list[Rule] = []
    path = ""
    for number, indented_line in enumerate(files.headers.split("\n"), 1):
        line = indented_line.strip()
        if re.match(r"/|\S+://", line):
            path = _path_on_host(line, files.base_url)
            continue
        header = _HEADER.fullmatch(line)
        if header:
            origin = Origin("_headers", number, line)
            rules += _header(path, syntax, header["name"], header["value"], origin)
    return rules


def _header(path: str, syntax: Syntax, name: str, value: str, origin: Origin) -> list[Rule]:
    """A list with the rule of a header `X-Robots-Tag`, whose `value` is `noindex` or the like.

    The list is empty for all other headers, and for a path that is not understood.
    """
    source = read_source(path, syntax)
    if source is None or name.lower() != "x-robots-tag":
        return []
    return [Rule(source, Reason.NOINDEX, origin, directives=value)]
