"""Vercel: redirects in vercel.json come before files, and the last header with a name counts."""

import re
from collections.abc import Mapping
from functools import partial

from ..model import Origin, Reason
from ..syntax.project_files import read_table
from ..syntax.urls import UrlForms, encode_path
from . import files
from .files import HostEffect, Hosting, HostRules, Matcher, Provider, Rule

CONFIG = "vercel.json"
_REDIRECTS = (301, 302, 303, 307, 308)  # 200 is a proxy, as it is commonly used
# Keys of a project that may not be a site.
_NO_HOSTING = frozenset(("$schema", "crons", "functions", "git", "ignoreCommand", "regions"))
FORMS = {
    "": UrlForms(("a/", "a", "a/index.html"), ("b.html",)),
    "trailingSlash = false": UrlForms(("a", "a/index.html"), ("b.html",)),
    "trailingSlash = true": UrlForms(("a/", "a/index.html"), ("b.html",), dotted=("a", "b.html")),
    "cleanUrls = true": UrlForms(("a/", "a"), ("b", "b/"), clash=("b b/", "")),
    "cleanUrls = true, trailingSlash = false": UrlForms(("a",), ("b",), clash=("b", "")),
    "cleanUrls = true, trailingSlash = true": UrlForms(
        ("a/",), ("b/",), clash=("b/", ""), dotted=("a", "b")
    ),
}
# URLs of pages that cleanUrls redirects all the same: for `x.html.html` and `index/index.html`.
_CLEAN = [
    (source, HostEffect(Reason.REDIRECT, Origin(CONFIG, None, "cleanUrls")))
    for source in (
        "/:path*.html",
        "/:path*.html/",
        "/:path*/index",
        "/:path*/index/",
        "/index",
        "/index/",
    )
]
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
    moves: list[Rule] = []
    for source, line, rule in files.entries(config, text, "redirects"):
        if not files.is_conditional(rule):
            origin = Origin(CONFIG, line, f"{source} -> {rule.get('destination')}")
            is_move = rule.get("statusCode", 308) in _REDIRECTS
            moves.append((source, HostEffect(Reason.REDIRECT, origin) if is_move else None))
    moves += _CLEAN if config.get("cleanUrls") is True else ()
    tags = files.json_headers(config, text, CONFIG, now)
    listed = (rule for key in ("redirects", "headers") for rule in files.dicts(config.get(key)))
    skipped = sum(map(files.is_conditional, listed))
    return files.compiled(moves, tags, files.forms_of(config, FORMS), _matcher, skipped=skipped)


def _matcher(source: str) -> tuple[str, Matcher | None]:
    """Like `matcher`, also for a look-ahead after plain text, as in `/((?!api/).*)`."""
    start, mark, rest = source.partition("(?!")
    plain = re.fullmatch(rf"({_LETTERS}*)(?::\w+)?\(", start)
    ahead = re.match(r"([^()]*)\)", rest)
    if not (mark and plain and ahead):
        return matcher(source)
    _, find = matcher(start + rest[ahead.end() :])
    prefix = re.escape(_plain(plain[1]))
    return "", partial(without, files.linear_matcher(f"^{prefix}(?:{ahead[1]})"), find or bool)


def without(excepted: Matcher, find: Matcher, path: str) -> bool:
    """Whether a path matches and is not an exception."""
    return bool(find(path)) and not excepted(path)


def matcher(source: str) -> tuple[str, Matcher | None]:
    """The prefix of paths that match a path-to-regexp source, and their matcher. None for a plain
    path.

    Raises ValueError for a source that Vercel rejects, and for look-arounds.
    """
    beginning = regex = ""
    is_plain, at = True, 0
    while at < len(source):
        part = _PART.match(source, at)
        if part is None:
            raise ValueError(f"{source!r}: cannot be read from character {at + 1}")
        at = part.end()
        *in_braces, prefix, name, group, unnamed, modifier, letter = part.groups("")
        if letter:
            beginning += _plain(letter) if is_plain else ""
            regex += re.escape(_plain(letter))
            continue
        is_plain = False
        start, name_in, group_in, end, modifier_in = (
            in_braces  # of a part without braces, all are empty
        )
        before, after = re.escape(_plain(start + prefix)), re.escape(_plain(end))
        name, group, modifier = name_in + name, group_in + group + unnamed, modifier_in + modifier
        one = f"(?:{group or ('[^/]+' if name else '')})"
        more = f"(?:{after}{before}{one})*" if modifier in ("*", "+") else ""
        regex += f"(?:{before}{one}{more}{after})" + ("?" if modifier in ("*", "?") else "")
    if is_plain:
        return beginning, None
    return beginning, files.linear_matcher(f"^{regex}$")


def _plain(text: str) -> str:
    """The text without backslashes before its characters, encoded as in URLs."""
    text = re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
    return re.sub(r"[^!-~]+", lambda run: encode_path(run[0]), text)


def _hosting(config: Mapping[str, object]) -> tuple[Hosting, ...]:
    folder = files.value_at(config, "outputDirectory")
    is_other = _NO_HOSTING & config.keys() and not config.keys() - _NO_HOSTING
    if folder:
        return (Hosting("outputDirectory", (folder,)),)
    return () if is_other else (Hosting(),)


HOST = Provider(
    "vercel", (CONFIG,), (), _read, hosting=_hosting,
    variables=("VERCEL",), production="VERCEL_PROJECT_PRODUCTION_URL",
    previews=(("VERCEL_ENV", "preview"),), addresses=("VERCEL_URL", "VERCEL_BRANCH_URL"),
    unread=("middleware.js", "middleware.ts", "vercel.ts"), answers=("x-vercel-id", ""),
)  # fmt: skip
