"""serve: redirects in serve.json come before files, and the last header with a name counts.

The rules are those of vercel/serve-handler, which matches paths with path-to-regexp and minimatch.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import unquote

from ..model import Origin, Reason
from ..syntax.project_files import line_of, read_table
from ..syntax.urls import UrlForms
from .globs import glob_expression
from .headers import header_rules_in_json
from .host import NOT_UNDERSTOOD, FindKind, HostEffect, HostRules, Unknown
from .matchers import Matcher, PathPattern, checked, linear_matcher, matcher_without
from .moves import Move
from .path_to_regexp import read_source
from .reader import Manual, Reader
from .rules import PathTable, Rule, make_rules
from .tables import entries, forms_by_setting

CONFIG = "serve.json"
_DEFAULT_STATUS = 301
_REDIRECTS = (301, 302, 303, 307, 308)
# By the rules of its handler. Without clean URLs, a folder is a list of its files.
FORMS = {
    "": UrlForms(("a/", "a"), ("b", "b/"), clash=("", "a/ a")),
    "trailingSlash: false": UrlForms(("a",), ("b",), clash=("", "a")),
    "trailingSlash: true": UrlForms(("a/",), ("b/",), clash=("", "a/")),
    "cleanUrls: false": UrlForms(("a/index.html",), ("b.html",)),
}
# What cleanUrls redirects, also for the page `x.html.html`.
_CLEANED = {"/:path*.html": "/:path*", "/:path*/index": "/:path*", "/index": "/"}
# A star that repeats no name and no group is a star.
_LITERAL_STAR = re.compile(r"(?<![\w)])\*")
_ESCAPE_OR_CAPITAL = re.compile(r"\\.|[A-Z]", re.DOTALL)


def _read(texts: Mapping[str, str], _base_url: str, now: int) -> HostRules:
    """The rules of serve.json. Headers are for the file that is shown, not for the URL."""
    text = texts.get(CONFIG, "")
    config = {"cleanUrls": True, **read_table(CONFIG, text)}
    moves = list(_redirect_rules(config, text))
    if config["cleanUrls"] is True:
        moves = [*_cleaning_rules(), *moves]
    skipped = list(_unknown_rules(config, text))
    rules = make_rules(moves, [], _forms(config), read=_read_pattern, skipped=skipped)
    headers = PathTable(header_rules_in_json(config, text, CONFIG, now), _read_glob, None)
    return rules._replace(
        headers=partial(_headers_of_file, headers) if headers.effects else None,
        skipped=tuple(dict.fromkeys((*rules.skipped, *headers.unknown))),
    )


def _forms(config: Mapping[str, Any]) -> UrlForms | None:
    """The URL forms, None if they depend on the path."""
    if isinstance(config["cleanUrls"], list):
        return None
    if config["cleanUrls"] is False:
        return FORMS["cleanUrls: false"]
    return forms_by_setting({"trailingSlash": config.get("trailingSlash")}, FORMS)


def _cleaning_rules() -> Iterator[Rule]:
    """The redirects that `cleanUrls` stands for. They come before the others."""
    origin = Origin(CONFIG, None, "cleanUrls")
    for source, target in _CLEANED.items():
        # The first star is for all text, so `:path` alone would be for one segment.
        pattern = source.replace(":path*", "*")
        yield pattern, HostEffect(Reason.REDIRECT, origin, move=Move(source, target))


def _redirect_rules(config: Mapping[str, Any], text: str) -> Iterator[Rule]:
    """The paths and effects of redirects. One whose effect is not known keeps its pages."""
    for source, line, rule in entries(config, text, "redirects"):
        if not _is_redirect(rule):
            yield source, None
            continue
        target = rule["destination"]
        origin = Origin(CONFIG, line, f"{source} -> {target}")
        yield source, HostEffect(Reason.REDIRECT, origin, move=Move(source, target))


def _is_redirect(rule: Mapping[str, Any]) -> bool:
    """Whether a rule has a place to lead to, and a status that does."""
    has_target = isinstance(rule.get("destination"), str)
    return has_target and rule.get("type", _DEFAULT_STATUS) in _REDIRECTS


def _unknown_rules(config: Mapping[str, Any], text: str) -> Iterator[Unknown]:
    """The rules that may apply or not."""
    if isinstance(config["cleanUrls"], list):
        origin = Origin(CONFIG, line_of(text, "cleanUrls", "cleanUrls"), "cleanUrls")
        yield Unknown(origin, "a list of paths is not read")
    for source, line, rule in entries(config, text, "redirects"):
        if not _is_redirect(rule):
            yield Unknown(Origin(CONFIG, line, source), NOT_UNDERSTOOD)
    for source, line, _ in entries(config, text, "rewrites"):
        yield Unknown(Origin(CONFIG, line, source), "rewrites are not read")


def _read_pattern(source: str) -> PathPattern:
    """The paths of a redirect. Raises ValueError for one that cannot be read or compiled."""
    return checked(PathPattern("", partial(_path_matcher, source)))


def _read_glob(source: str) -> PathPattern:
    """The files of a header. Raises ValueError for a glob that cannot be read or compiled."""
    return checked(PathPattern("", partial(_glob_matcher, source)))


def _path_matcher(source: str) -> Matcher:
    """A matcher for paths that a source of path-to-regexp matches, or the same text as a glob.

    A final slash does not count. The first star is for all text. Raises ValueError for a source
    that cannot be read.
    """
    in_glob = _glob_matcher(source)
    if "{" in source:  # braces have no meaning in path-to-regexp 3
        return lambda path: in_glob(path.removesuffix("/") or "/")
    before, star, behind = _slashed(source).partition("*")
    normalized = before + ("(.*)" if star else "") + _LITERAL_STAR.sub(r"\\*", behind)
    lower = _ESCAPE_OR_CAPITAL.sub(_lower_capital, normalized)
    pattern = read_source(lower.removesuffix("/") or "/")
    if pattern.compile:
        in_source = pattern.compile()
    else:
        in_source = linear_matcher(f"^{re.escape(pattern.start)}$")

    def is_match(path: str) -> bool:
        resolved = path.removesuffix("/") or "/"
        return bool(in_source(resolved.lower()) or in_glob(resolved))

    return is_match


def _lower_capital(found: re.Match[str]) -> str:
    """A capital in lower case. An escape stays, as `\\D` is not `\\d`."""
    is_escape = len(found[0]) > 1
    return found[0] if is_escape else found[0].lower()


def _glob_matcher(source: str) -> Matcher:
    """A matcher for decoded paths. A glob behind `!` is for all others."""
    regex = f"^{glob_expression(_slashed(source.removeprefix('!')))}$"
    if source.startswith("!"):
        matches = matcher_without(regex, None)
    else:
        matches = linear_matcher(regex)
    return lambda path: matches(unquote(path))


def _slashed(source: str) -> str:
    """A source with one slash in front, and no two in a row."""
    return re.sub("//+", "/", f"/{source}")


def _headers_of_file(table: PathTable, path: str, look: FindKind) -> Sequence[HostEffect | None]:
    """The effects of headers for the file that is shown at a URL path."""
    stem = path.removesuffix("/")
    for file in (f"{stem}/index.html", f"{stem}.html"):
        if look(unquote(file).strip("/")) == "f":
            return table.find(file, look)
    return table.find(path, look)


READER = Reader(
    read=_read,
    forms=FORMS,
    manual=Manual(
        meaning="`serve.json`",
        order="Redirects and headers apply as on Firebase.",
        skipped="rewrites, lists in `cleanUrls`",
    ),
)
