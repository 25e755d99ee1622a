"""Firebase: redirects of firebase.json come first, even if the file exists; the last header counts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import unquote

from ...model import Origin, Reason
from ..urls import UrlForms
from . import vercel
from .files import (
    SITE,
    HostEffect,
    Hosting,
    HostRules,
    Matcher,
    Provider,
    dicts,
    forms_of,
    header_effects,
    headers_of,
    linear_matcher,
    read_table,
    table,
    value_at,
)

CONFIG = "firebase.json"
_FORMS = {
    "": UrlForms(("a/", "a/index.html"), ("b.html",)),
    "trailingSlash = false": UrlForms(("a", "a/index.html"), ("b.html",)),
    "trailingSlash = true": UrlForms(("a/", "a/index.html"), ("b.html",)),
    "cleanUrls = true": UrlForms(("a/", "a"), ("b",), clash=("", "a/")),
    "cleanUrls = true, trailingSlash = false": UrlForms(("a",), ("b",), clash=("", "a")),
    "cleanUrls = true, trailingSlash = true": UrlForms(("a/",), ("b/",), clash=("", "a/")),
}
# A whole segment `**` with its slash, a star at the start of a segment, other signs, any other character.
_GLOB = re.compile(
    r"(?<=/)\*\*/|(?<=/)\*\*\Z|(?<=/)\*+|\*+|[@?+*!]\(|[?(){},|]|\[[^\]/]{1,200}\]|.", re.DOTALL
)
_SIGNS = {"?": "[^/]", "{": "(?:", "}": ")", ",": "|", "|": "|"}


def _read(texts: Mapping[str, str], _netloc: str, now: int) -> HostRules:
    text = texts.get(CONFIG, "")
    site = _site(read_table(CONFIG, text), texts.get(SITE, ""))
    moves = table(_redirects(site, text), is_loose=False, read=_matcher)
    tags = table(_headers(site, text, now), is_loose=False, read=_matcher)
    return HostRules(moves, tags, forms_of(site, _FORMS))


def _sites(config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The sites of the project: `hosting` is one, or a list."""
    value = config.get("hosting")
    return dicts(value if isinstance(value, list) else [value])


def _site(config: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """The site that publishes a folder, or the only one."""
    sites = _sites(config)
    own = [site for site in sites if posixpath.normpath(value_at(site, "public") or ".") == folder]
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
        for effect in header_effects(headers_of(rule, CONFIG, line), now, replaces=True):
            yield source.removeprefix("path:"), effect


def _matcher(source: str) -> tuple[str, Matcher | None]:
    """What finds the paths that match. Raises ValueError for an expression that is none."""
    kind, _, text = source.partition(":")
    if kind == "regex":
        return "", partial(_matches, linear_matcher(text), is_not=False)
    if kind == "path":  # in any letter case, with or without a final slash
        beginning, find = vercel.matcher(text.lower().removesuffix("/"))
        return "", partial(_matches_path, find or linear_matcher(f"^{re.escape(beginning)}$"))
    is_not, glob = source.startswith("!"), re.sub("//+", "/", "/" + source.removeprefix("!"))
    return "", partial(_matches, linear_matcher(f"^{_expression(glob)}/?$"), is_not=is_not)


def _matches(find: Matcher, path: str, *, is_not: bool) -> bool:
    return bool(find(unquote(path))) != is_not


def _matches_path(find: Matcher, path: str) -> object:
    return find(unquote(path).lower().removesuffix("/"))


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
    folders = [value_at(site, "public") for site in _sites(config)]
    return tuple(Hosting("hosting.public", (folder,)) if folder else Hosting() for folder in folders)


HOST = Provider(
    "firebase",
    (CONFIG,),
    (),
    _read,
    hosting=_hosting,
    forms=_FORMS,
    order="A redirect wins over a file, the first that matches; the last header of a name.",
    skips="rewrites, `!(…)` in a glob",
)
