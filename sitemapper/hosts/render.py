"""Render: headers and routes in render.yaml (render.com/docs/static-site-headers).

A file wins over each route (render.com/docs/redirects-rewrites).
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..model import Origin, Reason
from ..syntax.project_files import read_table
from ..syntax.urls import encode_path
from .headers import header_effects, read_headers
from .host import HostEffect, HostRules
from .matchers import Matcher, PathPattern, whole_matcher, wildcards
from .moves import Move
from .provider import SITE, Hosting
from .reader import Manual, Reader
from .rules import PathTable, Rule, make_rules
from .tables import tables_of, text_at

CONFIG = "render.yaml"
_BY_TYPE = {"redirect": Reason.REDIRECT, "rewrite": Reason.DUPLICATE}


def _read(texts: Mapping[str, str], _base_url: str, now: int) -> HostRules:
    """The headers of the static site that publishes our folder."""
    text = texts.get(CONFIG, "")
    site = _site_of(texts.get(SITE, ""), _static_sites(read_table(CONFIG, text)))
    rules = make_rules([], _header_rules(site, text, now), None, read=_read_pattern)
    routes = PathTable(_routes(site, text), wildcards, None)
    return rules._replace(fallbacks=routes.find if routes.effects else None)


def _static_sites(config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The static sites among the services. `env` is the older name of `runtime`."""
    services = tables_of(config.get("services"))
    return [one for one in services if "static" in (one.get("runtime"), one.get("env"))]


def _site_of(folder: str, sites: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The first site that publishes a folder, else the only one; empty if there is none."""
    for site in sites:
        if posixpath.normpath(_folder_of(site)) == folder:
            return site
    if len(sites) == 1:
        return sites[0]
    return {}


def _folder_of(site: Mapping[str, Any]) -> str:
    """The folder that a static site publishes, relative to the file."""
    return posixpath.join(text_at(site, "rootDir"), text_at(site, "staticPublishPath")) or "."


def _header_rules(site: Mapping[str, Any], text: str, now: int) -> Iterator[Rule]:
    """The headers of a site by path."""
    position = max(text.find("headers:"), 0)
    for rule in tables_of(site.get("headers")):
        value = str(rule.get("value"))
        position = max(text.find(value, position), position)
        line = text.count("\n", 0, position) + 1
        headers = read_headers([{"key": rule.get("name"), "value": value}], CONFIG, line)
        for effect in header_effects(headers, now):
            yield str(rule.get("path")), effect


def _routes(site: Mapping[str, Any], text: str) -> Iterator[Rule]:
    """The redirects and rewrites of a site, for paths without a file.

    A star in the destination stands for what the star of the source matches.
    """
    position = max(text.find("routes:"), 0)
    for rule in tables_of(site.get("routes")):
        reason = _BY_TYPE.get(text_at(rule, "type"))
        source, destination = text_at(rule, "source"), text_at(rule, "destination")
        position = max(text.find(source, position), position)
        if reason and source and destination:
            line = text.count("\n", 0, position) + 1
            origin = Origin(CONFIG, line, f"{source} -> {destination}")
            target = destination.replace("*", ":splat")
            yield source, HostEffect(reason, origin, target, Move(source, target))


def _read_pattern(source: str) -> PathPattern:
    """The paths of a header: a star at the end is for all text, and others for a part of a name.

    `/**/` is for at least one folder. Raises ValueError for another form.
    """
    pattern = encode_path(source)
    start, star, ending = pattern.partition("*")
    if not star:
        return PathPattern(start)
    if not ending:
        return PathPattern(start, partial(whole_matcher, f"{re.escape(start)}.*"))
    is_below = ending.startswith("*/*")
    end = ending.removeprefix("*/*")
    if "*" in end:
        raise ValueError(f"{source!r}: cannot be read")
    return PathPattern(start, partial(_matcher_between, start, end, is_below))


def _matcher_between(start: str, end: str, is_below: bool) -> Matcher:
    """A matcher for paths with these ends, and a part of a name between them.

    If it `is_below`, at least one folder is between them. It searches for text only: a regular
    expression with two stars could take a time that grows with the square of the path.
    """

    def is_match(path: str) -> bool:
        has_ends = path.startswith(start) and path.endswith(end)
        if not has_ends or len(path) < len(start) + len(end):
            return False
        between = path[len(start) : len(path) - len(end)]
        if is_below:
            return "/" in between[1:]
        return "/" not in between

    return is_match


def _hosting(config: Mapping[str, Any]) -> tuple[Hosting, ...]:
    """The folder of each static site."""
    return tuple(
        Hosting("staticPublishPath", (_folder_of(site),)) for site in _static_sites(config)
    )


READER = Reader(
    read=_read,
    forms={},
    manual=Manual(
        meaning="`render.yaml`",
        order="A file wins over routes. All matching headers apply.",
    ),
    hosting=_hosting,
)
