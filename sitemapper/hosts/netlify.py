"""Netlify: an existing file wins over a redirect unless the redirect is forced with `!`.

The rules are those of its parsers, @netlify/redirect-parser and @netlify/headers-parser.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from ..model import Origin, Reason
from ..syntax.project_files import read_table
from ..syntax.urls import UrlForms, encode_path
from .headers import Header, header_effects, read_headers
from .host import HostEffect, HostRules
from .matchers import WILDCARD, PathPattern, expression, whole_matcher
from .provider import AnswerSign, Hosting, Manual, Provider
from .rules import Rule, error_page, make_rules
from .tables import entries, text_at
from .text_files import HEADERS, REDIRECTS, header_blocks, redirect_lines

CONFIG = "netlify.toml"
_DEFAULT_STATUS = 301
_MOVED = (301, 302, 303, 307, 308, 404, 410)
_CONDITIONS = ("conditions", "query", "params", "parameters")
# The forms that both `netlify dev` and production serve. With Pretty URLs, the default, production
# redirects `a` to `a/` and `b/` to `b`, even if a folder has the name of the page.
FORMS = {"": UrlForms(("a/", "a/index.html"), ("b.html", "b"), clash=("b.html", "a/index.html"))}


class _Redirect(NamedTuple):
    """A rule: the path or URL that it is for, its effect, and whether it has conditions."""

    source: str
    effect: HostEffect | None
    is_conditional: bool


def _read(texts: Mapping[str, str], netloc: str, now: int) -> HostRules:
    """The rules of the two files, followed by those of netlify.toml."""
    text = texts.get(CONFIG, "")
    config = read_table(CONFIG, text)
    redirects = [*_lines(texts.get(REDIRECTS, "")), *_tables(config, text)]
    moves, errors = _redirect_rules(redirects, netloc)
    tags = [*_headers(texts.get(HEADERS, ""), now), *_header_tables(config, text, now), *errors]
    return make_rules(
        moves,
        _at_both_forms(tags),
        FORMS[""],
        read=_read_pattern,
        spellings=_spellings,
        skipped=sum(one.is_conditional and one.effect is not None for one in redirects),
    )


def _redirect_rules(redirects: Iterable[_Redirect], netloc: str) -> tuple[list[Rule], list[Rule]]:
    """The redirects that always apply, and the paths of error pages."""
    moves: list[Rule] = []
    errors: list[Rule] = []
    for source, effect, is_conditional in redirects:
        path = _own_path(source, netloc)
        if is_conditional or not path:
            continue
        if effect and effect.reason is Reason.NOT_A_PAGE:
            moves.append((path, None))
            errors += error_page(effect.target, effect.origin)
        else:
            moves.append((path, effect))
    return moves, errors


def _at_both_forms(rules: Iterable[Rule]) -> Iterator[Rule]:
    """The same rules by path. Headers for b.html also apply at `b`."""
    for pattern, effect in rules:
        path = _own_path(pattern, "")
        for form in dict.fromkeys((path, path.removesuffix(".html"))):
            yield form, effect


def _own_path(source: str, netloc: str) -> str:
    """The path of a pattern, with repeated slashes merged. "" for a URL on another host."""
    url = re.match(r"https?://(?P<host>[^/]*)/?", source)
    path = source
    if url and url["host"].lower() == netloc:
        path = "/" + source[url.end() :]
    if not path.startswith("/"):
        return ""
    return re.sub("//+", "/", path)


def _read_pattern(source: str) -> PathPattern:
    """Like `wildcards`, in any letter case, with or without a final slash."""
    pattern = encode_path(source).lower()
    start, *rest = re.split(WILDCARD, pattern, maxsplit=1)
    start = start.removesuffix("/")
    if not rest:
        return PathPattern(start)
    # `/a/*` also matches `/a`, and `/a/*/b` matches `/a/b`.
    both = dict.fromkeys((pattern, pattern.replace("/*", "")))
    regex = "|".join(expression(one, is_loose=True) for one in both)
    return PathPattern(start, partial(whole_matcher, regex))


def _spellings(path: str) -> Sequence[str]:
    lowered = path.lower()
    return (lowered, lowered[:-1]) if lowered.endswith("/") else (lowered,)


def _lines(text: str) -> Iterator[_Redirect]:
    """The lines `from to [status[!]]`. More words are conditions."""
    for words, origin in redirect_lines(text):
        source, target, *status_and_conditions = words
        status, *conditions = status_and_conditions or (str(_DEFAULT_STATUS),)
        code = re.match(r"\d+", status)
        if target.startswith(("/", "http://", "https://")) and code:
            effect = _effect(
                source, target, int(code[0]), is_forced=status.endswith("!"), origin=origin
            )
            yield _Redirect(source, effect, bool(conditions))


def _tables(config: Mapping[str, object], text: str) -> Iterator[_Redirect]:
    """The redirects in netlify.toml. `origin` and `destination` are older names of two keys."""
    for source, line, rule in entries(config, text, "redirects", ("from", "origin")):
        status = rule.get("status", _DEFAULT_STATUS)
        target = rule.get("to", rule.get("destination"))
        if not target or not isinstance(status, int):
            continue
        is_forced = rule.get("force") is True
        origin = Origin(CONFIG, line, f"{source} -> {target}")
        effect = _effect(source, str(target), status, is_forced=is_forced, origin=origin)
        yield _Redirect(source, effect, any(rule.get(key) for key in _CONDITIONS))


def _effect(
    source: str, target: str, status: int, *, is_forced: bool, origin: Origin
) -> HostEffect | None:
    """The effect of a rule. A file wins over a redirect that is not forced."""
    if is_forced and status in _MOVED:
        is_loop = _leads_to_itself(source, target)
        return None if is_loop else HostEffect(Reason.REDIRECT, origin, target)
    if is_forced and status == 200:
        return HostEffect(Reason.DUPLICATE, origin, target)
    if status == 404:
        return HostEffect(Reason.NOT_A_PAGE, origin, target)
    return None


def _leads_to_itself(source: str, target: str) -> bool:
    """Whether a star leads to a path that it matches, as `/a/*` to `/a/b/:splat`.

    The host ignores such a rule.
    """
    if ":splat" not in target:
        return False
    compile = _read_pattern(source).compile
    if compile is None:
        return False
    matches = compile()
    return bool(matches(target.replace(":splat", "")))


def _headers(text: str, now: int) -> Iterator[Rule]:
    """Patterns of `_headers` with the effects of their headers.

    A later header for the same pattern replaces it.
    """
    patterns: dict[str, dict[str, list[Header]]] = {}
    for pattern, headers in header_blocks(text, "/"):
        by_name: dict[str, list[Header]] = {}
        for header in headers:
            if header.value:
                by_name.setdefault(header.name, []).append(header)
        patterns.setdefault(pattern, {}).update(by_name)
    for pattern, by_name in patterns.items():
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
            folders = dict.fromkeys(path.strip("/") for path in (f"{base}/{folder}", folder))
            return (Hosting(key, tuple(folders)),)
    return (Hosting(),)


HOST = Provider(
    name="netlify",
    markers=(CONFIG,),
    files=(REDIRECTS, HEADERS),
    read=_read,
    forms=FORMS,
    manual=Manual(
        meaning="`_redirects`, `_headers` and `netlify.toml`",
        order="A file wins unless a redirect is forced (`301!`, `force = true`). "
        "All matching headers apply.",
        skipped="conditions (`Country=`, `Language=`, `Role=`, a query)",
        production="`a` and `b/` redirect; `netlify dev` serves both",
    ),
    hosting=_hosting,
    unread=("netlify/edge-functions",),
    variables=("NETLIFY",),
    production="URL",
    previews=(("CONTEXT", "deploy-preview"), ("CONTEXT", "branch-deploy")),
    addresses=("DEPLOY_PRIME_URL", "DEPLOY_URL"),
    answer=AnswerSign("x-nf-request-id"),
)
