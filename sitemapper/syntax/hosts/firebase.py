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
from . import files, vercel
from .files import HostEffect, Hosting, HostRules, Matcher, Provider

CONFIG = "firebase.json"
_KINDS = ("source", "glob", "regex")
_FORMS = {
    "": UrlForms(("a/", "a/index.html"), ("b.html",)),
    "trailingSlash = false": UrlForms(("a", "a/index.html"), ("b.html",)),
    "trailingSlash = true": UrlForms(("a/", "a/index.html"), ("b.html",)),
    "cleanUrls = true": UrlForms(("a/", "a"), ("b",), clash=("", "a/ a")),
    "cleanUrls = true, trailingSlash = false": UrlForms(("a",), ("b",), clash=("", "a")),
    "cleanUrls = true, trailingSlash = true": UrlForms(("a/",), ("b/",), clash=("", "a/")),
}
# A whole segment `**` with its slash, a star at the start of a segment, other signs, any other character.
_GLOB = re.compile(
    r"(?<=/)\*\*/|(?<=/)\*\*\Z|(?<=/)\*+|\*+|[@?+*!]\(|[?(){},|]|\[[^\]/]{1,200}\]|.", re.DOTALL
)
# Inside of what begins with one sign, another means "or".
_OR = {"|": ")", ",": "}"}


def _read(texts: Mapping[str, str], _netloc: str, now: int) -> HostRules:
    text = texts.get(CONFIG, "")
    site = _site(files.read_table(CONFIG, text), texts.get(files.SITE, ""))
    moves = files.table(_redirects(site, text), is_loose=False, read=_matcher)
    tags = files.table(_headers(site, text, now), is_loose=False, read=_matcher)
    return HostRules(moves, tags, files.forms_of(site, _FORMS))


def _sites(config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The sites of the project: `hosting` is one, or a list."""
    value = config.get("hosting")
    return files.dicts(value if isinstance(value, list) else [value])


def _site(config: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """The site that publishes a folder, or the only one."""
    sites = _sites(config)
    own = [site for site in sites if posixpath.normpath(files.value_at(site, "public") or ".") == folder]
    return own[0] if own else sites[0] if len(sites) == 1 else {}


def _redirects(site: Mapping[str, Any], text: str) -> Iterator[tuple[str, HostEffect | None]]:
    for kind, source, line, rule in files.json_rules(site, text, "redirects", _KINDS):
        origin = Origin(CONFIG, line, f"{source} -> {rule.get('destination')}")
        mark = "regex:" if kind == "regex" else "path:" if "/:" in str(rule.get("destination")) else ""
        yield mark + source, HostEffect(Reason.REDIRECT, origin)


def _headers(site: Mapping[str, Any], text: str, now: int) -> Iterator[tuple[str, HostEffect | None]]:
    for kind, source, line, rule in files.json_rules(site, text, "headers", _KINDS):
        for effect in files.header_effects(files.headers_of(rule, CONFIG, line), now, replaces=True):
            yield f"{'regex:' if kind == 'regex' else ''}{source}", effect


def _matcher(source: str) -> tuple[str, Matcher | None]:
    """What finds the paths that match. Raises ValueError for an expression that is none."""
    kind, _, text = source.partition(":")
    if kind == "regex":
        return "", partial(_matches, files.linear_matcher(text), is_not=False)
    if kind == "path":  # in any letter case, with or without a final slash
        beginning, find = vercel.matcher(text.lower().removesuffix("/"))
        return "", partial(_matches_path, find or files.linear_matcher(f"^{re.escape(beginning)}$"))
    is_not, glob = source.startswith("!"), re.sub("//+", "/", "/" + source.removeprefix("!"))
    return "", partial(_matches, files.linear_matcher(f"^{_expression(glob)}/?$"), is_not=is_not)


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
        elif token == "{" or token[1:] == "(":
            regex, closings = regex + "(?:", [*closings, "})"[token != "{"] + token[0].strip("@{")]
        elif closings and closings[-1][0] in (token, _OR.get(token)):
            regex += "|" if token in _OR else ")" + closings.pop()[1:]
        elif token == "?":
            regex += "[^/]"
        else:
            regex += token if len(token) > 1 else re.escape(token)
    return regex


def _hosting(config: Mapping[str, Any]) -> tuple[Hosting, ...]:
    folders = [files.value_at(site, "public") for site in _sites(config)]
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
    otherwise="`%2B` and the like are decoded; `superstatic` answers 404",
)
