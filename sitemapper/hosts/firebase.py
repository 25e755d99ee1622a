"""Firebase: redirects in firebase.json come before files, and the last header counts."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import unquote

from ..model import Origin, Reason
from ..syntax.project_files import read_table
from ..syntax.urls import UrlForms
from . import files, vercel
from .files import HostEffect, Hosting, HostRules, Matcher, Provider

CONFIG = "firebase.json"
_KINDS = ("source", "glob", "regex")
FORMS = {
    "": UrlForms(("a/", "a/index.html"), ("b.html",)),
    "trailingSlash = false": UrlForms(("a", "a/index.html"), ("b.html",)),
    "trailingSlash = true": UrlForms(("a/", "a/index.html"), ("b.html",)),
    "cleanUrls = true": UrlForms(("a/", "a"), ("b",), clash=("", "a/ a")),
    "cleanUrls = true, trailingSlash = false": UrlForms(("a",), ("b",), clash=("", "a")),
    "cleanUrls = true, trailingSlash = true": UrlForms(("a/",), ("b/",), clash=("", "a/")),
}
# A whole segment `**` with its slash, a star at the start of a segment, other signs, any other
# character.
_GLOB = re.compile(
    r"(?<=/)\*\*/|(?<=/)\*\*\Z|(?<=/)\*+|\*+|[@?+*!]\(|[?(){},|]|\[[^\]/]{1,200}\]|.", re.DOTALL
)
# In a group that begins with one sign, another sign means "or".
_OR = {"|": ")", ",": "}"}


def _read(texts: Mapping[str, str], _netloc: str, now: int) -> HostRules:
    """The rules of the site that publishes the folder, or of the only one."""
    text, folder = texts.get(CONFIG, ""), texts.get(files.SITE, "")
    sites = _sites(read_table(CONFIG, text))
    own = [
        site
        for site in sites
        if posixpath.normpath(files.value_at(site, "public") or ".") == folder
    ]
    chosen = own or (sites if len(sites) == 1 else [])
    site = chosen[0] if chosen else {}
    moves = []
    for pattern, line, rule in files.entries(site, text, "redirects", _KINDS):
        target = rule.get("destination")
        origin = Origin(CONFIG, line, f"{pattern.removeprefix('regex:')} -> {target}")
        is_path = "/:" in str(target) and "regex" not in rule
        moves.append(
            (f"path:{pattern}" if is_path else pattern, HostEffect(Reason.REDIRECT, origin))
        )
    tags = files.json_headers(site, text, CONFIG, now, _KINDS)
    return files.compiled(moves, tags, files.forms_of(site, FORMS), _matcher, _spellings)


def _sites(config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The sites of the project: `hosting` is one, or a list."""
    value = config.get("hosting")
    return files.dicts(value if isinstance(value, list) else [value])


def _spellings(path: str) -> Sequence[str]:
    return (unquote(path),)


def _matcher(source: str) -> tuple[str, Matcher | None]:
    """A matcher for the paths. Raises ValueError for an invalid expression."""
    kind, _, text = source.partition(":")
    if kind == "regex":
        return "", files.linear_matcher(text)
    if kind == "path":  # in any letter case, with or without a final slash
        beginning, find = vercel.matcher(text.lower().removesuffix("/"))
        return "", partial(_matches_path, find or files.linear_matcher(f"^{re.escape(beginning)}$"))
    glob = re.sub("//+", "/", "/" + source.removeprefix("!"))
    find = files.linear_matcher(f"^{_expression(glob)}/?$")
    return "", partial(vercel.without, find, bool) if source.startswith("!") else find


def _matches_path(find: Matcher, path: str) -> object:
    return find(path.lower().removesuffix("/"))


def _expression(glob: str) -> str:
    """The regular expression for a glob, as in minimatch. Raises ValueError for `!(…)`."""
    regex = ""
    groups: list[
        tuple[str, str]
    ] = []  # of those that are open: the sign that ends it, how often it may come
    for token in _GLOB.findall(glob):
        if token in ("**/", "**"):
            regex += "(?:.*/)?" if token == "**/" else ".*"
        elif token.strip("*") == "":
            regex += "[^/.][^/]*" if regex.endswith("/") else "[^/]*"
        elif token == "!(":
            raise ValueError(f"{glob!r}: !(…) cannot be read")
        elif token == "{" or token[1:] == "(":
            regex += "(?:"
            groups.append(("}", "") if token == "{" else (")", token[0].replace("@", "")))
        elif groups and groups[-1][0] == token:
            regex += ")" + groups.pop()[1]
        elif groups and groups[-1][0] == _OR.get(token):
            regex += "|"
        elif token == "?":
            regex += "[^/]"
        else:
            regex += token if len(token) > 1 else re.escape(token)
    return regex


def _hosting(config: Mapping[str, Any]) -> tuple[Hosting, ...]:
    folders = [files.value_at(site, "public") for site in _sites(config)]
    return tuple(
        Hosting("hosting.public", (folder,)) if folder else Hosting() for folder in folders
    )


HOST = Provider("firebase", (CONFIG,), (), _read, hosting=_hosting)
