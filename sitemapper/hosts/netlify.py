"""Netlify: an existing file wins over a redirect unless the redirect is forced with `!`.

The rules are those of its parsers, @netlify/redirect-parser and @netlify/headers-parser.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import chain

from ..model import Origin, Reason
from ..syntax.settings_files import read_table
from ..syntax.urls import UrlForms
from .headers import Header, header_rules, read_headers
from .host import HostRules, make_rules
from .provider import Hosting
from .reader import Manual, Reader, netloc_of
from .rule import Line, Pattern, Rule, error_page, loose_texts, read_rule, wildcards
from .tables import entries, text_at
from .text_files import HEADERS, REDIRECTS, header_blocks, redirect_lines

CONFIG = "netlify.toml"
_DEFAULT_STATUS = 301
# What a rule does, by its status. Others leave the page alone.
_BY_STATUS = {
    **dict.fromkeys((301, 302, 303, 307, 308), Reason.REDIRECT),
    **dict.fromkeys((404, 410), Reason.CLOSED),
    200: Reason.DUPLICATE,
}
# A rule with one of these keys is for URLs with a query. Pages have none.
_QUERIES = ("query", "params", "parameters")
# The forms that both `netlify dev` and production serve. With Pretty URLs, the default, production
# redirects `a` to `a/` and `b/` to `b`, even if a folder has the name of the page.
FORMS = {"": UrlForms(("a/", "a/index.html"), ("b.html", "b"), clash=("b.html", "a/index.html"))}


def _read(texts: Mapping[str, str], base_url: str, now: int) -> HostRules:
    """The rules of the two files, followed by those of netlify.toml."""
    netloc = netloc_of(base_url)
    text = texts.get(CONFIG, "")
    config = read_table(CONFIG, text)
    moves = [
        *_read_lines(texts.get(REDIRECTS, ""), netloc),
        *_read_tables(config, text, netloc),
    ]
    error_pages = (rule for rule in moves if isinstance(rule, Rule) and _names_error_page(rule))
    headers = [
        *_read_headers(texts.get(HEADERS, ""), now),
        *_read_header_tables(config, text, now),
        *chain.from_iterable(error_page(rule.target, rule.origin) for rule in error_pages),
    ]
    rules = make_rules(FORMS[""], moves, headers, texts_of=loose_texts)
    return rules._replace(ignores_circles=True)


def _read_lines(text: str, netloc: str) -> Iterator[Line]:
    """The rules in the lines of `_redirects`: `from [query] to [status[!]] [conditions]`.

    /a /b 301!              → a rule, which is forced
    /a id=:id /b            → nothing: it is for URLs with a query, which pages do not have
    /a /b 301 Country=de    → no rule, but the place of the line: visitors differ
    """
    for words, origin in redirect_lines(text):
        source, target, *others = words
        if not target.startswith(("/", "http://", "https://")):
            if "=" not in target:
                yield origin
            continue
        status, *conditions = others or (str(_DEFAULT_STATUS),)
        code = re.match(r"\d+", status, re.ASCII)
        if code is None or conditions:
            yield origin
            continue
        path = own_path(source, netloc)
        yield from _read_rule(path, target, int(code[0]), origin, is_forced=status.endswith("!"))


def _read_tables(config: Mapping[str, object], text: str, netloc: str) -> Iterator[Line]:
    """The rules in netlify.toml. `origin` and `destination` are older names of `from` and `to`."""
    for source, line, rule, _ in entries(config, text, "redirects", ("from", "origin")):
        status = rule.get("status", _DEFAULT_STATUS)
        target = rule.get("to", rule.get("destination"))
        needs_query = any(rule.get(key) for key in _QUERIES)
        if not target or not isinstance(status, int) or needs_query:
            continue
        origin = Origin(CONFIG, line, f"{source} -> {target}")
        if rule.get("conditions"):
            yield origin
            continue
        is_forced = rule.get("force") is True
        path = own_path(source, netloc)
        yield from _read_rule(path, str(target), status, origin, is_forced=is_forced)


def _read_rule(
    path: str, target: str, status: int, origin: Origin, *, is_forced: bool
) -> Iterator[Line]:
    """The rule for a path of the site, nothing for "".

    The host ignores a rule whose target its own source matches, as for `/a/*` to `/a/b/:splat`,
    because it would redirect again and again.
    """
    if not path:
        return
    without_splat = loose_texts(target.replace(":splat", ""))
    is_endless = ":splat" in target and any(map(read_pattern(path).matches, without_splat))
    action = None if is_endless else _BY_STATUS.get(status)
    yield read_rule(read_pattern, path, action, origin, target, status=status, forced=is_forced)


def _names_error_page(rule: Rule) -> bool:
    """Whether a rule names the page for missing pages: `/* /404.html 404`."""
    return rule.status == 404 and not rule.forced


def own_path(source: str, netloc: str) -> str:
    """The path of a source: `https://example.com//a` → `/a`. "" for a URL on another host."""
    url = re.match(r"https?://(?P<host>[^/]*)/?", source)
    path = source
    if url and url["host"].lower() == netloc:
        path = "/" + source[url.end() :]
    if not path.startswith("/"):
        return ""
    return re.sub("//+", "/", path)


def read_pattern(source: str) -> Pattern:
    """The paths of a rule. Netlify compares in any letter case, and without a final slash."""
    return wildcards(source, is_loose=True)


def _read_headers(text: str, now: int) -> Iterator[Rule]:
    """The rules of `_headers`.

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
        yield from _header_rules(pattern, list(chain(*by_name.values())), now)


def _read_header_tables(config: Mapping[str, object], text: str, now: int) -> Iterator[Rule]:
    """The rules for headers in netlify.toml."""
    for pattern, line, table, _ in entries(config, text, "headers", ("for",)):
        yield from _header_rules(pattern, read_headers(table.get("values"), CONFIG, line), now)


def _header_rules(pattern: str, headers: list[Header], now: int) -> Iterator[Rule]:
    """What headers say about the paths of a pattern.

    Netlify also sends the headers of `/b.html` at `/b`, where it shows the same page.
    """
    path = own_path(pattern, "")
    if not path:
        return
    for form in dict.fromkeys((path, path.removesuffix(".html"))):
        yield from header_rules(read_pattern(form), headers, now)


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
        skipped="rules with conditions (`Country=`, `Language=`, `Role=`, `Cookie=`)",
        production="`a` and `b/` redirect; `netlify dev` serves both",
    ),
    hosting=_hosting,
)
