"""Vercel: redirects in vercel.json come before files, and the last header with a name counts.

The rules are those of vercel.com/docs/project-configuration and @vercel/routing-utils.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from ..model import Origin, Reason
from ..syntax.settings_files import read_table
from ..syntax.urls import UrlForms
from .conditions import Condition, condition_of
from .headers import header_rules_in_json
from .host import HostEffect, HostRules, Unknown
from .matchers import PathPattern, checked, matcher_without
from .moves import Move
from .path_to_regexp import LETTER, decoded, read_source
from .provider import SITE, Hosting
from .reader import Manual, Reader, netloc_of
from .rules import Rule, make_rules
from .tables import Entry, entries, forms_by_setting, text_at
from .uploads import ALL_FILES, Upload, read_gitignore

CONFIG = "vercel.json"
_IGNORED = ".vercelignore"
# A redirect without `statusCode` is a 308. 200 is a proxy, as it is commonly used.
_DEFAULT_STATUS = 308
_REDIRECTS = (301, 302, 303, 307, 308)
# Keys of a project that may not be a site.
_NO_HOSTING = frozenset(("$schema", "crons", "functions", "git", "ignoreCommand", "regions"))
# Asked of `vercel build` (`make record-hosts`).
FORMS = {
    "": UrlForms(("a/", "a", "a/index.html"), ("b.html",)),
    "trailingSlash: false": UrlForms(("a", "a/index.html"), ("b.html",)),
    "trailingSlash: true": UrlForms(("a/", "a/index.html"), ("b.html",), dotted=("a", "b.html")),
    "cleanUrls": UrlForms(("a/", "a"), ("b", "b/"), clash=("b b/", "")),
    "cleanUrls, trailingSlash: false": UrlForms(("a",), ("b",), clash=("b", "")),
    "cleanUrls, trailingSlash: true": UrlForms(
        ("a/",), ("b/",), clash=("b/", ""), dotted=("a", "b")
    ),
}
# URLs of pages that cleanUrls redirects all the same (superstatic.ts): for `x.html.html` and
# `index/index.html`.
_CLEANED = {
    "/:path*.html": "/:path*",
    "/:path*.html/": "/:path*",
    "/:path*/index": "/:path*",
    "/:path*/index/": "/:path*",
    "/index": "/",
    "/index/": "/",
}
# Plain text and perhaps a name, before the group of a look-ahead: `/docs/:path(`.
_BEFORE_LOOK_AHEAD = re.compile(rf"(?P<plain>{LETTER}*)(?::\w+)?\(")


def _read(texts: Mapping[str, str], base_url: str, now: int) -> HostRules:
    """The rules of vercel.json, and the redirects that its key `cleanUrls` stands for."""
    netloc = netloc_of(base_url)
    text = texts.get(CONFIG, "")
    config = read_table(CONFIG, text)

    def condition(entry: Entry) -> Condition:
        return condition_of(entry.table, netloc)

    moves = list(_redirect_rules(config, text, condition))
    if config.get("cleanUrls") is True:
        origin = Origin(CONFIG, None, "cleanUrls")
        for source, target in _CLEANED.items():
            moves.append((source, HostEffect(Reason.REDIRECT, origin, move=Move(source, target))))
    tags = header_rules_in_json(config, text, CONFIG, now, condition=condition)
    forms = forms_by_setting(config, FORMS)
    skipped = _unknown_rules(config, text, condition)
    upload = _upload(texts, config)
    return make_rules(moves, tags, forms, read=_read_pattern, skipped=skipped, upload=upload)


def _upload(texts: Mapping[str, str], config: Mapping[str, object]) -> Upload:
    """What is uploaded. Before a build, `.vercelignore` would leave out sources, not pages.

    So it counts only if the site is the project's root, and nothing is built
    (vercel.com/docs/deployments/vercel-ignore).
    """
    is_root = texts.get(SITE, ".") == "."
    is_named = any(config.get(key) for key in ("buildCommand", "framework", "outputDirectory"))
    try:
        package = read_table("package.json", texts.get("package.json", ""))
    except ValueError:
        return ALL_FILES
    is_built = is_named or bool(text_at(package, "scripts.build"))
    if is_built or not is_root:
        return ALL_FILES
    return read_gitignore(_IGNORED, texts.get(_IGNORED, ""))


def _unknown_rules(
    config: Mapping[str, object], text: str, condition: Callable[[Entry], Condition]
) -> Iterator[Unknown]:
    """The rules that may apply or not."""
    for key in ("redirects", "headers"):
        for entry in entries(config, text, key):
            holds, why = condition(entry)
            if holds is None:
                yield Unknown(Origin(CONFIG, entry.line, entry.pattern), why)
    for entry in entries(config, text, "routes", ("src",)):
        yield Unknown(Origin(CONFIG, entry.line, entry.pattern), "`routes` are not read")


def _redirect_rules(
    config: Mapping[str, object], text: str, condition: Callable[[Entry], Condition]
) -> Iterator[Rule]:
    """The paths and effects of redirects. With a status that moves nothing, a page is served.

    A rule that may apply or not takes no page away, but may keep one from later rules.
    """
    for entry in entries(config, text, "redirects"):
        source, line, rule = entry
        holds = condition(entry).holds
        if holds is False:
            continue
        if rule.get("statusCode", _DEFAULT_STATUS) not in _REDIRECTS:
            yield source, None
        elif holds:
            target = str(rule.get("destination"))
            origin = Origin(CONFIG, line, f"{source} -> {target}")
            yield source, HostEffect(Reason.REDIRECT, origin, move=Move(source, target))


def _read_pattern(source: str) -> PathPattern:
    """The paths of a source. Raises ValueError for one that cannot be read or compiled."""
    return checked(_pattern_without_look_ahead(source))


def _pattern_without_look_ahead(source: str) -> PathPattern:
    """The paths of a source of path-to-regexp, which may have a negative look-ahead.

    The engine for expressions has no look-ahead. So `/((?!api/).*)` becomes the source `/(.*)`,
    with an exception for paths that begin with `/api/`. A look-ahead in another place stays, so
    that the source cannot be compiled.
    """
    before_look_ahead, look_ahead, behind_sign = source.partition("(?!")
    if not look_ahead:
        return read_source(source)
    before = _BEFORE_LOOK_AHEAD.fullmatch(before_look_ahead)
    forbidden = re.match(r"(?P<text>[^()]*)\)", behind_sign)
    if before is None or forbidden is None:
        return read_source(source)
    start = re.escape(decoded(before["plain"]))
    exception = f"^{start}(?:{forbidden['text']})"
    without_look_ahead = read_source(before_look_ahead + behind_sign[forbidden.end() :])
    return PathPattern("", partial(matcher_without, exception, without_look_ahead.compile))


def _hosting(config: Mapping[str, object]) -> tuple[Hosting, ...]:
    """The folder to publish. A project with only settings of functions publishes nothing."""
    folder = text_at(config, "outputDirectory")
    if folder:
        return (Hosting("outputDirectory", (folder,)),)
    is_no_site = bool(config) and config.keys() <= _NO_HOSTING
    if is_no_site:
        return ()
    return (Hosting(),)


READER = Reader(
    read=_read,
    forms=FORMS,
    manual=Manual(
        meaning="`vercel.json`",
        order="Redirects and headers apply as on Firebase. "
        "`.vercelignore` counts where nothing is built.",
        skipped="`has` and `missing` of a cookie or header, `routes`, rewrites, "
        "look-arounds except a leading `(?!…)`",
    ),
    hosting=_hosting,
)
