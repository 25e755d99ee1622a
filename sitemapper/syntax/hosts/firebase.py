"""Firebase: redirects of firebase.json come first, even if the file exists; the last header counts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from ...model import Origin, Reason
from ..robots_directives import header_forbids
from . import vercel
from .files import (
    SITE,
    HostEffect,
    Hosting,
    HostRules,
    Matcher,
    Provider,
    dicts,
    folder_at,
    linear_matcher,
    read_table,
    table,
)

CONFIG = "firebase.json"
# A whole segment `**` with its slash, a star at the start of a segment, other signs, any other character.
_GLOB = re.compile(
    r"(?<=/)\*\*/|(?<=/)\*\*\Z|(?<=/)\*+|\*+|[@?+*!]\(|[?(){},|]|\[[^\]/]{1,200}\]|.", re.DOTALL
)
_SIGNS = {"?": "[^/]", "{": "(?:", "}": ")", ",": "|", "|": "|"}


def _read(texts: Mapping[str, str], _netloc: str, now: int) -> HostRules:
    text = texts.get(CONFIG, "")
    site = _site(read_table(CONFIG, text), texts.get(SITE, ""))
    moves = table(_redirects(site, text), is_loose=False, read=_matcher)
    return HostRules(moves, table(_headers(site, text, now), is_loose=False, read=_matcher))


def _sites(config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The sites of the project: `hosting` is one, or a list."""
    value = config.get("hosting")
    return dicts(value if isinstance(value, list) else [value])


def _site(config: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """The site that publishes a folder, or the only one."""
    sites = _sites(config)
    own = [site for site in sites if posixpath.normpath(folder_at(site, "public") or ".") == folder]
    return own[0] if own else sites[0] if len(sites) == 1 else {}


def _rules(site: Mapping[str, Any], text: str, key: str) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """The rules of a list, each with its source and the line where that stands."""
    at = max(text.find(f'"{key}"'), 0)
    for rule in dicts(site.get(key)):
        kind = next((k for k in ("source", "glob", "regex") if isinstance(rule.get(k), str)), "")
        at = max(at, text.find(f'"{rule.get(kind)}"', at))
        if kind:
            mark = "regex:" if kind == "regex" else "path:" if "/:" in str(rule.get("destination")) else ""
            yield mark + str(rule[kind]), text.count("\n", 0, at) + 1, rule


def _redirects(site: Mapping[str, Any], text: str) -> Iterator[tuple[str, HostEffect | None]]:
    for source, line, rule in _rules(site, text, "redirects"):
        text_of_rule = f"{source.removeprefix('path:')} -> {rule.get('destination')}"
        yield source, HostEffect(Reason.REDIRECT, Origin(CONFIG, line, text_of_rule))


def _headers(site: Mapping[str, Any], text: str, now: int) -> Iterator[tuple[str, HostEffect | None]]:
    for source, line, rule in _rules(site, text, "headers"):
        for header in dicts(rule.get("headers")):
            key, value = str(header.get("key")), str(header.get("value"))
            if key.lower() == "x-robots-tag":
                effect = HostEffect(Reason.NOINDEX, Origin(CONFIG, line, f"{key}: {value}"))
                yield source.removeprefix("path:"), effect if header_forbids(value, now) else None


def _matcher(source: str) -> tuple[str, Matcher | None]:
    """What finds the paths that match a glob, a path with names, or an expression of RE2.

    Raises ValueError for what is none.
    """
    if source.startswith("regex:"):
        find = linear_matcher(source.removeprefix("regex:"))
    elif source.startswith("path:"):
        beginning, match = vercel.matcher(source.removeprefix("path:"))
        find = match or (lambda path: path == beginning)
    else:
        is_not, glob = source.startswith("!"), posixpath.normpath("/" + source.removeprefix("!").lstrip("/"))
        match = linear_matcher(f"^{_expression(glob)}/?$")
        find = (lambda path: not match(path)) if is_not else match
    return "", lambda path: find(unquote(path))


def _expression(glob: str) -> str:
    """The regular expression of a glob, as minimatch has it. Raises ValueError for `!(…)`."""
    regex = ""
    closings: list[str] = []
    for token in _GLOB.findall(glob):
        if token in ("**/", "**"):
            regex += "(?:.*/)?" if token == "**/" else ".*"
        elif token.strip("*") == "":
            regex += "[^/.][^/]*" if regex.endswith("/") else "[^/]*"
        elif token == "!(":
            raise ValueError(f"{glob!r}: !(…) cannot be read")
        elif token.endswith("("):
            regex, closings = regex + "(?:", [*closings, ")" + token[0].strip("@(")]
        elif token == ")":
            regex += closings.pop() if closings else r"\)"
        else:
            regex += _SIGNS.get(token) or (token if len(token) > 1 else re.escape(token))
    return regex


def _hosting(config: Mapping[str, Any]) -> tuple[Hosting, ...]:
    folders = [folder_at(site, "public") for site in _sites(config)]
    return tuple(Hosting("hosting.public", (folder,)) if folder else Hosting() for folder in folders)


HOST = Provider("firebase", (CONFIG,), (), _read, (), _hosting)
