"""Netlify: an existing file wins over a redirect unless the redirect is forced with `!`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain

from ...model import Origin, Reason
from ..urls import UrlForms
from . import files
from .files import Header, HostEffect, Hosting, HostRules, Provider

CONFIG = "netlify.toml"
_MOVED = (301, 302, 303, 307, 308, 404, 410)
_Rule = tuple[str, HostEffect | None, bool]  # a source, what happens there, whether without a condition
_CONDITIONS = ("conditions", "query", "params", "parameters")


# Those that both `netlify dev` and production show: with Pretty URLs, its default, that redirects `a` to `a/`
# and `b/` to `b`, even where a folder has the name of the page.
_FORMS = UrlForms(("a/", "a/index.html"), ("b.html", "b"), clash=("b.html", "a/index.html"))


def _read(texts: Mapping[str, str], netloc: str, now: int) -> HostRules:
    """The rules of the two files, and behind them those of netlify.toml."""
    text = texts.get(CONFIG, "")
    config = files.read_table(CONFIG, text)
    rules = [*_redirects(texts.get(files.REDIRECTS, "")), *_config_redirects(config, text)]
    certain = [(_own_path(rule[0], netloc), rule[1]) for rule in rules if rule[2]]
    errors = [effect for path, effect in certain if path and effect and effect.reason is Reason.NOT_A_PAGE]
    moves = [(path, None if effect in errors else effect) for path, effect in certain if path]
    tags = [*_headers(texts.get(files.HEADERS, ""), now), *_config_headers(config, text, now)]
    tags += (pair for error in errors for pair in files.error_page(error.target, error.origin))
    # What is set for b.html is set at `b`, too.
    own_tags = [
        (path, effect)
        for pattern, effect in tags
        for path in dict.fromkeys((_own_path(pattern, ""), _own_path(pattern, "").removesuffix(".html")))
    ]
    skipped = sum(effect is not None and not is_certain for _, effect, is_certain in rules)
    return HostRules(files.table(moves, is_loose=True), files.table(own_tags, is_loose=True), _FORMS, skipped)


def _own_path(source: str, netloc: str) -> str:
    """The path of a pattern, whose repeated slashes are one; "" for a URL of another host."""
    scheme, separator, rest = source.partition("://")
    host, _, path = rest.partition("/")
    is_own = separator and scheme in ("http", "https") and host.lower() == netloc
    source = f"/{path}" if is_own else source
    return re.sub("//+", "/", source) if source.startswith("/") else ""


def _redirects(text: str) -> Iterator[_Rule]:
    """The lines `from to [status[!]]`; more words are conditions."""
    for effect, (source, target, *rest) in files.redirect_lines(text):
        status, *conditions = rest or ("301",)
        code = re.match(r"\d+", status)
        if target.startswith(("/", "http://", "https://")) and code:
            yield _rule(source, target, int(code[0]), status.endswith("!"), effect.origin, bool(conditions))


def _rule(
    source: str, target: str, status: int, is_forced: bool, origin: Origin, is_conditional: bool
) -> _Rule:
    """A rule, and what it does: a file wins over one that is not forced."""
    effect = HostEffect(Reason.REDIRECT, origin, target) if is_forced and status in _MOVED else None
    _, find = files.wildcards(source, is_loose=True)
    if effect and ":splat" in target and find and find(target.replace(":splat", "")):
        effect = None  # the host takes this for a loop
    elif is_forced and status == 200:
        effect = HostEffect(Reason.DUPLICATE, origin, target)
    elif not is_forced and status == 404:
        effect = HostEffect(Reason.NOT_A_PAGE, origin, target)
    return source, effect, not is_conditional


def _headers(text: str, now: int) -> Iterator[tuple[str, HostEffect | None]]:
    """Patterns with what their headers do. A later header for the same pattern replaces it."""
    patterns: dict[str, dict[str, list[Header]]] = {}
    for pattern, headers in files.header_blocks(text, "/"):
        kept = [header for header in headers if header.value]
        new = {header.name: [other for other in kept if other.name == header.name] for header in kept}
        patterns.setdefault(pattern, {}).update(new)
    for pattern, by_name in patterns.items():
        yield from ((pattern, effect) for effect in files.header_effects([*chain(*by_name.values())], now))


def _line(text: str, key: str, value: str) -> int:
    match = re.search(rf"""(?m)^[ \t]*{key}[ \t]*=[ \t]*["']{re.escape(value)}["']""", text)
    return text.count("\n", 0, match.end()) + 1 if match else 1


def _config_redirects(config: Mapping[str, object], text: str) -> Iterator[_Rule]:
    for rule in files.dicts(config.get("redirects")):
        source, status = str(rule.get("from", rule.get("origin"))), rule.get("status", 301)
        target = rule.get("to", rule.get("destination"))
        if target and isinstance(status, int):
            origin = Origin(CONFIG, _line(text, "(?:from|origin)", source), f"{source} -> {target}")
            is_conditional = any(rule.get(key) for key in _CONDITIONS)
            yield _rule(source, str(target), status, rule.get("force") is True, origin, is_conditional)


def _config_headers(
    config: Mapping[str, object], text: str, now: int
) -> Iterator[tuple[str, HostEffect | None]]:
    for rule in files.dicts(config.get("headers")):
        pattern, values = str(rule.get("for", "")), rule.get("values")
        line = _line(text, "for", pattern)
        headers = [
            Header(name.lower(), text, Origin(CONFIG, line, f"{name}: {text}"))
            for name, value in (values.items() if isinstance(values, dict) else ())
            for text in [", ".join(map(str, value)) if isinstance(value, list) else str(value)]
        ]
        if pattern.startswith("/"):
            yield from ((pattern, effect) for effect in files.header_effects(headers, now))


def _hosting(config: Mapping[str, object]) -> tuple[Hosting, ...]:
    """`publish` is relative to `base`, or to the root if it is not there."""
    keys = ("context.production.publish", "build.publish")
    key = next((key for key in keys if files.value_at(config, key)), "")
    folder, base = files.value_at(config, key), files.value_at(config, "build.base")
    folders = dict.fromkeys(path.strip("/") for path in (f"{base}/{folder}", folder))
    return (Hosting(key, tuple(folders)) if key else Hosting(),)


HOST = Provider(
    "netlify",
    (CONFIG,),
    (files.REDIRECTS, files.HEADERS),
    _read,
    ("NETLIFY",),
    "URL",
    ("CONTEXT=deploy-preview", "CONTEXT=branch-deploy"),
    ("DEPLOY_PRIME_URL", "DEPLOY_URL"),
    hosting=_hosting,
    unread=("netlify/edge-functions",),
    forms={"": _FORMS},
    order="A file wins unless a redirect is forced (`301!`, `force = true`); all headers.",
    skips="conditions (`Country=`, `Language=`, `Role=`, a query)",
    otherwise="`a` and `b/` redirect; `netlify dev` shows both",
    answers=("x-nf-request-id", ""),
)
