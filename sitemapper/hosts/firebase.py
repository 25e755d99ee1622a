"""Firebase: redirects in firebase.json come before files, and the last header counts.

The rules are those of firebase/superstatic, the engine of its emulator.
"""

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import unquote

from ..model import Origin, Reason
from ..syntax.linear import linear_matcher
from ..syntax.settings_files import read_table
from ..syntax.urls import UrlForms
from .globs import glob_expression
from .headers import header_rules_in_json
from .host import HostEffect, HostRules, nothing_there
from .matchers import Matcher, PathPattern, checked, matcher_without
from .moves import Move
from .path_to_regexp import read_source
from .provider import SITE, Hosting
from .reader import Manual, Reader
from .rules import PathTable, Rule, make_rules
from .tables import entries, forms_by_setting, tables_of, text_at
from .uploads import Upload

CONFIG = "firebase.json"
_PATTERN_KEYS = ("source", "glob", "regex")
# Asked of superstatic (`make record-hosts`).
FORMS = {
    "": UrlForms(("a/", "a/index.html"), ("b.html",)),
    "trailingSlash: false": UrlForms(("a", "a/index.html"), ("b.html",)),
    "trailingSlash: true": UrlForms(("a/", "a/index.html"), ("b.html",)),
    "cleanUrls": UrlForms(("a/", "a"), ("b",), clash=("", "a/ a")),
    "cleanUrls, trailingSlash: false": UrlForms(("a",), ("b",), clash=("", "a")),
    "cleanUrls, trailingSlash: true": UrlForms(("a/",), ("b/",), clash=("", "a/")),
}


def _read(texts: Mapping[str, str], _base_url: str, now: int) -> HostRules:
    """The rules of firebase.json for the site that publishes our folder."""
    text = texts.get(CONFIG, "")
    site = _site_of(texts.get(SITE, ""), _sites(read_table(CONFIG, text)))
    moves = _redirect_rules(site, text)
    tags = header_rules_in_json(site, text, CONFIG, now, _PATTERN_KEYS)
    forms = forms_by_setting(site, FORMS)
    upload = _upload(site, text)
    return make_rules(moves, tags, forms, read=_read_pattern, spellings=_spellings, upload=upload)


def _upload(site: Mapping[str, Any], text: str) -> Upload:
    """What is uploaded: all but what the globs in `ignore` match, from the folder `public`.

    A glob without a slash is for the top only (firebase.google.com/docs/hosting/full-config).
    """
    rules: list[Rule] = []
    position = max(text.find('"ignore"'), 0)
    globs = site.get("ignore")
    for glob in globs if isinstance(globs, list) else []:
        position = max(text.find(json.dumps(glob, ensure_ascii=False), position), position)
        origin = Origin(CONFIG, text.count("\n", 0, position) + 1, f"ignore {glob}")
        rules.append((str(glob), HostEffect(Reason.NOT_DEPLOYED, origin)))
    table = PathTable(rules, _read_file_glob, None)
    if not table.effects:
        return Upload(None, tuple(table.unknown))
    return Upload(partial(_withholding_glob, table), tuple(table.unknown))


def _read_file_glob(glob: str) -> PathPattern:
    """The files that a glob matches. Raises ValueError for one that cannot be read."""
    regex = f"^{glob_expression('/' + glob.removeprefix('/'))}$"
    return checked(PathPattern("", partial(linear_matcher, regex)))


def _withholding_glob(table: PathTable, path: str) -> Origin | None:
    """The line of the first glob that matches a file."""
    for effect in table.find(f"/{path}", nothing_there):
        if effect is not None:
            return effect.origin
    return None


def _sites(config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The sites of the project: `hosting` is one, or a list."""
    value = config.get("hosting")
    return tables_of(value if isinstance(value, list) else [value])


def _site_of(folder: str, sites: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The first site that publishes a folder, else the only one; empty if there is none."""
    for site in sites:
        if posixpath.normpath(text_at(site, "public") or ".") == folder:
            return site
    if len(sites) == 1:
        return sites[0]
    return {}


def _redirect_rules(site: Mapping[str, Any], text: str) -> Iterator[Rule]:
    """The redirects of a site. `path:` stands before a pattern that is no glob."""
    for pattern, line, rule in entries(site, text, "redirects", _PATTERN_KEYS):
        target = str(rule.get("destination"))
        origin = Origin(CONFIG, line, f"{pattern.removeprefix('regex:')} -> {target}")
        # superstatic (redirects.js) reads the source with path-to-regexp if the target has names.
        is_path = "/:" in target and "regex" not in rule
        effect = HostEffect(Reason.REDIRECT, origin, move=Move(pattern, target))
        yield f"path:{pattern}" if is_path else pattern, effect


def _spellings(path: str) -> Sequence[str]:
    return (unquote(path),)


def _read_pattern(source: str) -> PathPattern:
    """The paths of a rule.

    Its pattern is a regular expression behind `regex:`, a source of path-to-regexp behind `path:`,
    or else a glob. A glob behind `!` is for all other paths. Raises ValueError for one that cannot
    be read or compiled.
    """
    return checked(_pattern_of_source(source))


def _pattern_of_source(source: str) -> PathPattern:
    """The same, with an expression that may be invalid."""
    kind, _, text = source.partition(":")
    if kind == "regex":
        return PathPattern("", partial(linear_matcher, text))
    if kind == "path":
        return PathPattern("", partial(_path_matcher, text))
    glob = re.sub("//+", "/", "/" + source.removeprefix("!"))
    regex = f"^{glob_expression(glob)}/?$"
    if source.startswith("!"):
        return PathPattern("", partial(matcher_without, regex, None))
    return PathPattern("", partial(linear_matcher, regex))


def _path_matcher(source: str) -> Matcher:
    """A matcher for a source of path-to-regexp, in any letter case, with or without a final slash.

    Raises ValueError for a source that cannot be read.
    """
    pattern = read_source(source.lower().removesuffix("/"))
    if pattern.compile:
        matches = pattern.compile()
    else:
        matches = linear_matcher(f"^{re.escape(pattern.start)}$")
    return lambda path: matches(path.lower().removesuffix("/"))


def _hosting(config: Mapping[str, Any]) -> tuple[Hosting, ...]:
    """The folder of each site of the project."""
    published = []
    for site in _sites(config):
        folder = text_at(site, "public")
        if folder:
            published.append(Hosting("hosting.public", (folder,)))
        else:
            published.append(Hosting())
    return tuple(published)


READER = Reader(
    read=_read,
    forms=FORMS,
    manual=Manual(
        meaning="`firebase.json`",
        order="The first matching redirect wins over a file. The last header with a name applies. "
        "What `ignore` names is not uploaded.",
        skipped="rewrites, `!(…)` in a glob",
        production="escapes such as `%2B` are decoded; the emulator `superstatic` answers 404",
    ),
    hosting=_hosting,
)
