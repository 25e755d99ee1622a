"""Netlify: an existing file wins over a redirect unless the redirect is forced with `!`.

The rules are those of its parsers, @netlify/redirect-parser and @netlify/headers-parser.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from ..model import Origin, Reason
from ..syntax.settings_files import read_table
from ..syntax.urls import UrlForms, encode_path
from .headers import Header, header_effects, read_headers
from .host import NOT_UNDERSTOOD, HostEffect, HostRules, Unknown
from .matchers import WILDCARD, PathPattern, expression, whole_matcher
from .moves import Move
from .provider import Hosting
from .reader import Manual, Reader, netloc_of
from .rules import Rule, error_page, make_rules
from .tables import entries, text_at
from .text_files import HEADERS, REDIRECTS, header_blocks, redirect_lines

CONFIG = "netlify.toml"
_DEFAULT_STATUS = 301
_REDIRECTS = (301, 302, 303, 307, 308)
_MOVED = (*_REDIRECTS, 404, 410)
# What a rule does where no file is, by its status.
_ON_MISSING = {
    **dict.fromkeys(_REDIRECTS, Reason.REDIRECT),
    200: Reason.DUPLICATE,
    404: Reason.CLOSED,
    410: Reason.CLOSED,
}
# A rule with one of these keys is for URLs with a query. Pages have none.
_QUERIES = ("query", "params", "parameters")
# The forms that both `netlify dev` and production serve. With Pretty URLs, the default, production
# redirects `a` to `a/` and `b/` to `b`, even if a folder has the name of the page.
FORMS = {"": UrlForms(("a/", "a/index.html"), ("b.html", "b"), clash=("b.html", "a/index.html"))}


class _Redirect(NamedTuple):
    """A rule: the path or URL that it is for, its effect, and why it may apply or not, if so.

    The source is empty if the rule cannot be read. `fallback` is its effect where no file is.
    """

    source: str
    effect: HostEffect | None
    origin: Origin
    unknown: str = ""
    fallback: HostEffect | None = None


def _read(texts: Mapping[str, str], base_url: str, now: int) -> HostRules:
    """The rules of the two files, followed by those of netlify.toml."""
    netloc = netloc_of(base_url)
    text = texts.get(CONFIG, "")
    config = read_table(CONFIG, text)
    redirects = [*_lines(texts.get(REDIRECTS, "")), *_tables(config, text)]
    moves, error_pages = _redirect_rules(redirects, netloc)
    tags = [
        *_headers(texts.get(HEADERS, ""), now),
        *_header_tables(config, text, now),
        *error_pages,
    ]
    return make_rules(
        moves,
        _at_both_forms(tags),
        FORMS[""],
        read=read_pattern,
        spellings=spellings,
        skipped=_unknown_rules(redirects),
        fallbacks=_fallback_rules(redirects, netloc),
    )


def _unknown_rules(redirects: Iterable[_Redirect]) -> Iterator[Unknown]:
    """The rules that may apply or not, and would have an effect, or cannot be read."""
    for redirect in redirects:
        has_effect = redirect.effect is not None or not redirect.source
        if redirect.unknown and has_effect:
            yield Unknown(redirect.origin, redirect.unknown)


def _redirect_rules(redirects: Iterable[_Redirect], netloc: str) -> tuple[list[Rule], list[Rule]]:
    """The redirects by path, and the rules for the error pages that they show.

    A redirect with status 404 names an error page. It leaves the pages at its own path alone. A
    rule that may apply or not takes no page away, but may keep one from later rules.
    """
    moves: list[Rule] = []
    error_pages: list[Rule] = []
    for source, effect, _, unknown, _ in redirects:
        path = own_path(source, netloc)
        if not path:
            continue
        is_error_page = effect is not None and effect.reason is Reason.NOT_A_PAGE
        if effect is None or is_error_page:
            moves.append((path, None))
        elif not unknown:
            moves.append((path, effect))
        if effect and is_error_page and not unknown:
            error_pages += error_page(effect.target, effect.origin)
    return moves, error_pages


def _fallback_rules(redirects: Iterable[_Redirect], netloc: str) -> Iterator[Rule]:
    """The rules for paths without a file, where those that are not forced apply as well.

    A rule that may apply or not is passed over.
    """
    for redirect in redirects:
        path = own_path(redirect.source, netloc)
        if path and not redirect.unknown:
            yield path, redirect.fallback


def _at_both_forms(rules: Iterable[Rule]) -> Iterator[Rule]:
    """The same rules by path. Headers for b.html also apply at `b`."""
    for pattern, effect in rules:
        path = own_path(pattern, "")
        for form in dict.fromkeys((path, path.removesuffix(".html"))):
            yield form, effect


def own_path(source: str, netloc: str) -> str:
    """The path of a pattern, with repeated slashes merged. "" for a URL on another host."""
    url = re.match(r"https?://(?P<host>[^/]*)/?", source)
    path = source
    if url and url["host"].lower() == netloc:
        path = "/" + source[url.end() :]
    if not path.startswith("/"):
        return ""
    return re.sub("//+", "/", path)


def read_pattern(source: str) -> PathPattern:
    """The paths of a rule, in which `*` and `:name` stand for other text.

    Netlify compares in any letter case, with or without a final slash. A star also stands for
    nothing, with the slash before it: `/a/*` matches `/a`, and `/a/*/b` matches `/a/b`.
    """
    pattern = encode_path(source).lower()
    before_wildcard, *wildcard_and_rest = re.split(WILDCARD, pattern, maxsplit=1)
    start = before_wildcard.removesuffix("/")
    if not wildcard_and_rest:
        return PathPattern(start)
    without_stars = pattern.replace("/*", "")
    regex = expression(pattern, is_loose=True)
    if without_stars != pattern:
        regex += "|" + expression(without_stars, is_loose=True)
    return PathPattern(start, partial(whole_matcher, regex))


def spellings(path: str) -> Sequence[str]:
    """The texts to look up for a path: in lower case, also without a final slash."""
    lowered = path.lower()
    if lowered.endswith("/"):
        return lowered, lowered.removesuffix("/")
    return (lowered,)


def _lines(text: str) -> Iterator[_Redirect]:
    """The redirects in lines `from [query] to [status[!]]` of `_redirects`.

    More words are conditions. A rule with a query is for no page.
    """
    for words, origin in redirect_lines(text):
        source, target, *others = words
        if not target.startswith(("/", "http://", "https://")):
            if "=" not in target:
                yield _Redirect("", None, origin, NOT_UNDERSTOOD)
            continue
        status, *conditions = others or (str(_DEFAULT_STATUS),)
        code = re.match(r"\d+", status, re.ASCII)
        if code is None:
            yield _Redirect("", None, origin, NOT_UNDERSTOOD)
            continue
        is_forced = status.endswith("!")
        effect = _effect(source, target, int(code[0]), is_forced=is_forced, origin=origin)
        names = [condition.partition("=")[0] for condition in conditions]
        fallback = _fallback(source, target, int(code[0]), origin)
        yield _Redirect(source, effect, origin, _dependence(names), fallback)


def _dependence(conditions: Iterable[str]) -> str:
    """On what the conditions of a rule depend, in words; "" if it has none."""
    names = [f"the {name.lower()}" for name in dict.fromkeys(conditions)]
    if not names:
        return ""
    return f"depends on {' and '.join(names)}"


def _tables(config: Mapping[str, object], text: str) -> Iterator[_Redirect]:
    """The redirects in netlify.toml. `origin` and `destination` are older names of two keys."""
    for source, line, rule in entries(config, text, "redirects", ("from", "origin")):
        status = rule.get("status", _DEFAULT_STATUS)
        target = rule.get("to", rule.get("destination"))
        needs_query = any(rule.get(key) for key in _QUERIES)
        if not target or not isinstance(status, int) or needs_query:
            continue
        is_forced = rule.get("force") is True
        origin = Origin(CONFIG, line, f"{source} -> {target}")
        effect = _effect(source, str(target), status, is_forced=is_forced, origin=origin)
        conditions = rule.get("conditions")
        names = list(conditions) if isinstance(conditions, Mapping) else []
        fallback = _fallback(source, str(target), status, origin)
        yield _Redirect(source, effect, origin, _dependence(names), fallback)


def _effect(
    source: str, target: str, status: int, *, is_forced: bool, origin: Origin
) -> HostEffect | None:
    """The effect of a rule on a page at its path, None if it has none.

    A file wins over a redirect that is not forced. `Reason.NOT_A_PAGE` stands for a rule that names
    the error page, whatever is at its path.
    """
    if is_forced and status in _MOVED:
        if _leads_to_itself(source, target):
            return None
        return HostEffect(Reason.REDIRECT, origin, target, Move(source, target))
    if is_forced and status == 200:
        return HostEffect(Reason.DUPLICATE, origin, target, Move(source, target))
    if status == 404:
        return HostEffect(Reason.NOT_A_PAGE, origin, target)
    return None


def _fallback(source: str, target: str, status: int, origin: Origin) -> HostEffect | None:
    """The effect of a rule on a path without a file: a redirect, a page or an error.

    None for other rules.
    """
    if _leads_to_itself(source, target):
        return None
    reason = _ON_MISSING.get(status)
    if reason is None:
        return None
    return HostEffect(reason, origin, target, Move(source, target))


def _leads_to_itself(source: str, target: str) -> bool:
    """Whether a rule's target matches its own source, as for `/a/*` to `/a/b/:splat`.

    The host ignores such a rule, because it would redirect again and again.
    """
    if ":splat" not in target:
        return False
    compile = read_pattern(source).compile
    if compile is None:
        return False
    matches = compile()
    return bool(matches(target.replace(":splat", "")))


def _headers(text: str, now: int) -> Iterator[Rule]:
    """Patterns of `_headers` with the effects of their headers.

    Blocks with the same pattern are one. In it, a header of a later block replaces the headers of
    the same name in earlier ones.
    """
    headers_by_pattern: dict[str, dict[str, list[Header]]] = {}
    for pattern, headers in header_blocks(text, "/"):
        headers_of_block: dict[str, list[Header]] = {}  # by name
        for header in headers:
            if header.value:
                headers_of_block.setdefault(header.name, []).append(header)
        headers_by_pattern.setdefault(pattern, {}).update(headers_of_block)
    for pattern, by_name in headers_by_pattern.items():
        for effect in header_effects(list(chain(*by_name.values())), now):
            yield pattern, effect


def _header_tables(config: Mapping[str, object], text: str, now: int) -> Iterator[Rule]:
    """Patterns of netlify.toml with the effects of their headers."""
    for pattern, line, rule in entries(config, text, "headers", ("for",)):
        if pattern.startswith("/"):
            for effect in header_effects(read_headers(rule.get("values"), CONFIG, line), now):
                yield pattern, effect


def _hosting(config: Mapping[str, object]) -> tuple[Hosting, ...]:
    """The folder `publish`, relative to `base` or, if it does not exist there, to the root."""
    base = text_at(config, "build.base")
    for key in ("context.production.publish", "build.publish"):
        folder = text_at(config, key)
        if folder:
            in_base = f"{base}/{folder}".strip("/")
            folders = dict.fromkeys((in_base, folder.strip("/")))  # the same without a base
            return (Hosting(key, tuple(folders)),)
    return (Hosting(),)


READER = Reader(
    read=_read,
    forms=FORMS,
    manual=Manual(
        meaning="`_redirects`, `_headers` and `netlify.toml`",
        order="A file wins unless a redirect is forced (`301!`, `force = true`). "
        "All matching headers apply.",
        skipped="conditions (`Country=`, `Language=`, `Role=`, `Cookie=`)",
        production="`a` and `b/` redirect; `netlify dev` serves both",
    ),
    hosting=_hosting,
)
