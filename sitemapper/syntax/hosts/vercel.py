"""Vercel: redirects of vercel.json come first, even if the file exists; the last header of a name counts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...model import Origin, Reason
from ..robots_directives import header_forbids
from ..urls import encode_path
from .files import (
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

CONFIG = "vercel.json"
_REDIRECTS = (301, 302, 303, 307, 308)  # 200 is a proxy, as people use it
# Keys of a project that may be anything but a site.
_NO_HOSTING = frozenset(("$schema", "crons", "functions", "git", "ignoreCommand", "regions"))
_LETTERS = r"(?:[^:(){}*+?\\]|\\.)"
_GROUP = r"\((?!\?)((?:[^()\\]|\\.|\(\?(?:[^()\\]|\\.)*\))+)\)"
# A part of a source: `{/:name(regex)}?`, `/:name(regex)?`, `/(regex)?`, or a character.
_PART = re.compile(
    rf"\{{({_LETTERS}*+)(?::(\w++))?(?:{_GROUP})?({_LETTERS}*+)\}}([*+?]?)"
    rf"|([/.]?)(?::(\w+)(?:{_GROUP})?|{_GROUP})([*+?]?)|({_LETTERS})",
    re.ASCII | re.DOTALL,
)


def _read(texts: Mapping[str, str], _netloc: str, now: int) -> HostRules:
    text = texts.get(CONFIG, "")
    config = read_table(CONFIG, text)
    slash = config.get("trailingSlash")
    named = "slash" if slash is True else "bare" if slash is False else "clean"
    style = (named, f"{CONFIG} has cleanUrls") if config.get("cleanUrls") is True else None
    moves, tags = (
        table(rules, is_loose=False, read=matcher)
        for rules in (_redirects(config, text), _headers(config, text, now))
    )
    return HostRules(moves, tags, style)


def _redirects(config: Mapping[str, Any], text: str) -> Iterator[tuple[str, HostEffect | None]]:
    for source, line, rule in _rules(config, text, "redirects"):
        if not _is_conditional(rule):
            text_of_rule = f"{source} -> {rule.get('destination')}"
            effect = HostEffect(Reason.REDIRECT, Origin(CONFIG, line, text_of_rule))
            yield source, effect if rule.get("statusCode", 308) in _REDIRECTS else None


def _headers(config: Mapping[str, Any], text: str, now: int) -> Iterator[tuple[str, HostEffect | None]]:
    """A later header replaces an earlier one; a condition never leaves a page out."""
    for source, line, rule in _rules(config, text, "headers"):
        for header in dicts(rule.get("headers")):
            key, value = str(header.get("key")), str(header.get("value"))
            forbids = key.lower() == "x-robots-tag" and header_forbids(value, now)
            if key.lower() == "x-robots-tag" and not (_is_conditional(rule) and forbids):
                effect = HostEffect(Reason.NOINDEX, Origin(CONFIG, line, f"{key}: {value}"))
                yield source, effect if forbids else None


def _rules(config: Mapping[str, Any], text: str, key: str) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """The rules of a list, each with its source and the line where that stands."""
    at = text.find(f'"{key}"')
    for rule in dicts(config.get(key)):
        source = rule.get("source")
        if isinstance(source, str):
            at = max(at, text.find(json.dumps(source, ensure_ascii=False), at))
            yield source, text.count("\n", 0, at) + 1, rule


def _is_conditional(rule: Mapping[str, Any]) -> bool:
    """Whether a rule depends on more of the request than its path."""
    return bool(rule.get("has") or rule.get("missing"))


def matcher(source: str) -> tuple[str, Matcher | None]:
    """How the paths begin that match a source of path-to-regexp, and what finds them; None for one path.

    Raises ValueError for what Vercel refuses, and for look-arounds.
    """
    beginning = regex = ""
    is_plain, at = True, 0
    while at < len(source):
        part = _PART.match(source, at)
        if part is None:
            raise ValueError(f"{source!r}: cannot be read from character {at + 1}")
        at = part.end()
        *key, letter = part.groups("")
        if letter:
            beginning += _plain(letter) if is_plain else ""
            regex += re.escape(_plain(letter))
            continue
        is_plain = False
        before, after = (re.escape(_plain(text)) for text in (key[0] + key[5], key[3]))
        name, group, modifier = key[1] + key[6], key[2] + key[7] + key[8], key[4] + key[9]
        one = f"(?:{group or ('[^/]+' if name else '')})"
        more = f"(?:{after}{before}{one})*" if modifier in ("*", "+") else ""
        regex += f"(?:{before}{one}{more}{after})" + ("?" if modifier in ("*", "?") else "")
    if is_plain:
        return beginning, None
    return beginning, linear_matcher(f"^{regex}$")


def _plain(text: str) -> str:
    """Text without the backslashes before its characters, encoded as in URLs."""
    text = re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
    return re.sub(r"[^!-~]+", lambda run: encode_path(run[0]), text)


def _hosting(config: Mapping[str, object]) -> tuple[Hosting, ...]:
    folder = folder_at(config, "outputDirectory")
    if folder:
        return (Hosting("outputDirectory", (folder,)),)
    is_other = _NO_HOSTING & config.keys() and not config.keys() - _NO_HOSTING
    return () if is_other else (Hosting(),)


HOST = Provider("vercel", (CONFIG,), (), _read, ("VERCEL",), _hosting)
