"""Netlify: an existing file wins over a redirect unless the redirect is forced with `!`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product

from ..model import Origin, Reason
from ..syntax.project_files import read_table
from ..syntax.urls import UrlForms, encode_path
from . import files
from .files import Header, HostEffect, Hosting, HostRules, Matcher, Provider, Rule

CONFIG = "netlify.toml"
_MOVED = (301, 302, 303, 307, 308, 404, 410)
_CONDITIONS = ("conditions", "query", "params", "parameters")
_Redirect = tuple[str, HostEffect | None, bool]  # a source, its effect, whether it has conditions
# The forms that both `netlify dev` and production serve. With Pretty URLs, the default, production
# redirects `a` to `a/` and `b/` to `b`, even if a folder has the name of the page.
FORMS = {"": UrlForms(("a/", "a/index.html"), ("b.html", "b"), clash=("b.html", "a/index.html"))}


def _read(texts: Mapping[str, str], netloc: str, now: int) -> HostRules:
    """The rules of the two files, followed by those of netlify.toml."""
    text, lines = texts.get(CONFIG, ""), texts.get(files.REDIRECTS, "")
    config = read_table(CONFIG, text)
    moves, errors, skipped = list[Rule](), list[Rule](), 0
    for source, effect, is_conditional in (*_lines(lines), *_tables(config, text)):
        path = _own_path(source, netloc)
        if is_conditional:
            skipped += effect is not None
        elif path and effect and effect.reason is Reason.NOT_A_PAGE:
            moves.append((path, None))
            errors += files.error_page(effect.target, effect.origin)
        elif path:
            moves.append((path, effect))
    tags = [*_headers(texts.get(files.HEADERS, ""), now)]
    for pattern, line, rule in files.entries(config, text, "headers", ("for",)):
        headers = files.headers_of(rule.get("values"), CONFIG, line)
        tags += product(
            [pattern] if pattern.startswith("/") else [], files.header_effects(headers, now)
        )
    # Headers for b.html also apply at `b`.
    own_tags: list[Rule] = []
    for pattern, effect in (*tags, *errors):
        path = _own_path(pattern, "")
        own_tags += ((form, effect) for form in dict.fromkeys((path, path.removesuffix(".html"))))
    return files.compiled(moves, own_tags, FORMS[""], _matcher, _spellings, skipped)


def _own_path(source: str, netloc: str) -> str:
    """The path of a pattern, with repeated slashes merged. "" for a URL on another host."""
    own = re.match(r"https?://([^/]*)/?", source)
    source = f"/{source[own.end() :]}" if own and own[1].lower() == netloc else source
    return re.sub("//+", "/", source) if source.startswith("/") else ""


def _matcher(source: str) -> tuple[str, Matcher | None]:
    """Like `files.wildcards`, in any letter case, with or without a final slash."""
    pattern = encode_path(source).lower()
    beginning, *more = re.split(files.WILDCARD, pattern, maxsplit=1)
    both = {pattern, pattern.replace("/*", "")} if more else ()  # the star also matches no folder
    regex = "|".join(files.expression(text, is_loose=True) for text in both)
    return beginning.removesuffix("/"), re.compile(regex).fullmatch if more else None


def _spellings(path: str) -> Sequence[str]:
    path = path.lower()
    return (path, path[:-1]) if path.endswith("/") else (path,)


def _lines(text: str) -> Iterator[_Redirect]:
    """The lines `from to [status[!]]`. More words are conditions."""
    for effect, (source, target, *rest) in files.redirect_lines(text):
        status, *conditions = rest or ("301",)
        code = re.match(r"\d+", status)
        if target.startswith(("/", "http://", "https://")) and code:
            found = _effect(source, target, int(code[0]), status.endswith("!"), effect.origin)
            yield source, found, bool(conditions)


def _tables(config: Mapping[str, object], text: str) -> Iterator[_Redirect]:
    """The redirects in netlify.toml."""
    for source, line, rule in files.entries(config, text, "redirects", ("from", "origin")):
        status, target = rule.get("status", 301), rule.get("to", rule.get("destination"))
        if target and isinstance(status, int):
            origin = Origin(CONFIG, line, f"{source} -> {target}")
            effect = _effect(source, str(target), status, rule.get("force") is True, origin)
            yield source, effect, any(rule.get(key) for key in _CONDITIONS)


def _effect(
    source: str, target: str, status: int, is_forced: bool, origin: Origin
) -> HostEffect | None:
    """The effect of a rule. A file wins over a redirect that is not forced."""
    if is_forced and status in _MOVED:
        find = _matcher(source)[1] if ":splat" in target else None
        is_loop = find and find(target.replace(":splat", ""))  # for the host
        return None if is_loop else HostEffect(Reason.REDIRECT, origin, target)
    if is_forced and status == 200:
        return HostEffect(Reason.DUPLICATE, origin, target)
    return HostEffect(Reason.NOT_A_PAGE, origin, target) if status == 404 else None


def _headers(text: str, now: int) -> Iterator[Rule]:
    """Patterns with the effects of their headers.

    A later header for the same pattern replaces it.
    """
    patterns: dict[str, dict[str, list[Header]]] = {}
    for pattern, headers in files.header_blocks(text, "/"):
        kept = [header for header in headers if header.value]
        new = {
            header.name: [other for other in kept if other.name == header.name] for header in kept
        }
        patterns.setdefault(pattern, {}).update(new)
    for pattern, by_name in patterns.items():
        yield from product([pattern], files.header_effects([*chain(*by_name.values())], now))


def _hosting(config: Mapping[str, object]) -> tuple[Hosting, ...]:
    """The folder `publish`, relative to `base` or, if it does not exist there, to the root."""
    keys = ("context.production.publish", "build.publish")
    key = next((key for key in keys if files.value_at(config, key)), "")
    folder, base = files.value_at(config, key), files.value_at(config, "build.base")
    folders = dict.fromkeys(path.strip("/") for path in (f"{base}/{folder}", folder))
    return (Hosting(key, tuple(folders)) if key else Hosting(),)


HOST = Provider(
    "netlify", (CONFIG,), (files.REDIRECTS, files.HEADERS), _read, hosting=_hosting,
    variables=("NETLIFY",), production="URL", addresses=("DEPLOY_PRIME_URL", "DEPLOY_URL"),
    previews=(("CONTEXT", "deploy-preview"), ("CONTEXT", "branch-deploy")),
    unread=("netlify/edge-functions",), answers=("x-nf-request-id", ""),
)  # fmt: skip
