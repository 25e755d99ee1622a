"""Netlify: an existing file wins over a redirect unless the redirect is forced with `!`.

The rules are those of its parsers, @netlify/redirect-parser and @netlify/headers-parser.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from ..model import Origin, Reason
from ..syntax.settings_files import read_table
from ..syntax.urls import UrlForms
from .headers import Header, header_rules, read_headers
from .host import Hosting, HostRules, Reader, make_rules, netloc_of
from .rule import Pattern, Rule, error_page, loose_spellings, read_rule, wildcards
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
# The URL forms that both `netlify dev` and production serve. With Pretty URLs, the default,
# production redirects `a` to `a/` and `b/` to `b`, even if a folder has the name of the page.
_URL_FORMS = UrlForms(
    folder=("a/", "a/index.html"),
    page=("b.html", "b"),
    clash=UrlForms(folder=("a/index.html",), page=("b.html",)),
)


def _read_netlify_rules(texts: Mapping[str, str], base_url: str, now: int) -> HostRules:
    """Reads the rules of a site on Netlify, from the `texts` of the host's files by name.

    A site may have redirects in `_redirects` and netlify.toml, and headers in `_headers` and
    netlify.toml. In netlify.toml, both come later.
    """
    netloc = netloc_of(base_url)
    config_text = texts.get(CONFIG, "")
    config = read_table(CONFIG, config_text)
    moves = [
        *_read_lines(texts.get(REDIRECTS, ""), netloc),
        *_read_redirect_tables(config, config_text, netloc),
    ]
    headers = [
        *_read_headers(texts.get(HEADERS, ""), now),
        *_read_header_tables(config, config_text, now),
        # An error page is not listed, even if a move such as `/* /b 301` comes first. So its rule
        # is among the headers, which all count. Of the moves, only the first one counts.
        *_leave_out_error_pages(moves),
    ]
    rules = make_rules(_URL_FORMS, moves, headers, spellings_of=loose_spellings)
    # `/a /a 301`, a redirect from a page to its own URL, has no effect on Netlify.
    return rules._replace(ignores_self_redirects=True)


def _leave_out_error_pages(moves: Iterable[Rule | Origin]) -> Iterator[Rule]:
    """Yields rules by which no error page is listed: `/* /404.html 404` → a rule for `/404.html`.

    Netlify shows the target of this line at all paths without a file.
    """
    for rule in moves:
        if isinstance(rule, Origin):  # a line that is not read
            continue
        has_error_status = rule.action is Reason.CLOSED  # 404 or 410
        # `/old /404.html 404!` is forced: it takes away the page `/old`. So it does not show what
        # visitors see at missing paths.
        is_for_missing_paths = not rule.forced
        if has_error_status and is_for_missing_paths:
            yield from error_page(rule.target, rule.origin)


def _read_lines(text: str, netloc: str) -> Iterator[Rule | Origin]:
    """Reads the lines of `_redirects`: `from [query] to [status[!]] [conditions]`.

    /a /b 301!              → a rule, which is forced
    /a /b                   → a rule with the status 301
    /a id=:id /b            → nothing: it is for URLs with a query, which pages do not have
    /a /b 301 Country=de    → only the line's Origin, as not read: it depends on the visitor
    /a b, /a /b moved       → only the line's Origin, as not read: its meaning is not certain
    """
    for words, origin in redirect_lines(text):
        source, second_word, *others = words
        if not second_word.startswith(("/", "http://", "https://")):
            has_query = "=" in second_word  # `id=:id`
            if not has_query:
                yield origin
            continue
        status, *conditions = others or (str(_DEFAULT_STATUS),)
        code = re.match(r"\d+", status, re.ASCII)
        if code is None or conditions:
            yield origin
            continue
        path = own_path(source, netloc)
        if path:
            is_forced = status.endswith("!")
            yield _read_rule(path, second_word, int(code[0]), origin, is_forced=is_forced)


def _read_redirect_tables(
    config: Mapping[str, object], text: str, netloc: str
) -> Iterator[Rule | Origin]:
    """Reads the tables `[[redirects]]` of netlify.toml: `from = "/a"`, `to = "/b"`.

    A table for URLs with a query gives nothing, because pages have none. One with conditions gives
    only its Origin, as not read. `origin` and `destination` are older names of `from` and `to`.
    """
    for entry in entries(config, text, "redirects", ("from", "origin")):
        table = entry.table
        status = table.get("status", _DEFAULT_STATUS)
        target = table.get("to", table.get("destination"))
        needs_query = any(table.get(key) for key in _QUERIES)
        if not target or not isinstance(status, int) or needs_query:
            continue
        origin = Origin(CONFIG, entry.line, f"{entry.pattern} -> {target}")
        if table.get("conditions"):
            yield origin
            continue
        path = own_path(entry.pattern, netloc)
        if path:
            is_forced = table.get("force") is True
            yield _read_rule(path, str(target), status, origin, is_forced=is_forced)


def _read_rule(
    path: str, target: str, status: int, origin: Origin, *, is_forced: bool
) -> Rule | Origin:
    """Makes the Rule of a line by its status: `/a /b 301` → REDIRECT from `/a` to `/b`.

    | line                        | action of the rule                                           |
    |-----------------------------|--------------------------------------------------------------|
    | `/a/* /a/b/:splat 301`      | None: Netlify ignores it, because it would redirect forever  |
    | `/a /b 301`                 | REDIRECT                                                     |
    | `/* /404.html 404`          | CLOSED                                                       |
    | `/a /b 200`                 | DUPLICATE, because `/a` shows what is at `/b`                |
    | `/a /b 500`                 | None, because Netlify ignores this status                    |

    With the action None, pages at the path stay as they are. A forced rule, such as one with the
    status `301!`, counts for all paths. Any other rule counts only for paths without a file.
    """
    is_endless = _matches_its_target(path, target)
    action = None if is_endless else _BY_STATUS.get(status)
    return read_rule(read_pattern, path, action, origin, target, forced=is_forced)


def _matches_its_target(path: str, target: str) -> bool:
    """Says whether a redirect would also redirect its own target, again and again.

    True for `/a/* /a/b/:splat`: it leads from `/a/x` to `/a/b/x`, then to `/a/b/b/x`, and so on.
    Netlify ignores such a line.
    """
    if ":splat" not in target:
        return False
    # The shortest target is that of `/a/`, `/a/b/`. The source `/a/*` matches it, too.
    shortest_target = target.replace(":splat", "")
    pattern = read_pattern(path)
    return any(pattern.matches(spelling) for spelling in loose_spellings(shortest_target))


def own_path(source: str, netloc: str) -> str:
    """Gives the path on this site that a source names: `https://example.com//a` → `/a`.

    `netloc` is the host of the site, here `example.com`. "" for a URL on another host, and for a
    source that is no path, such as `a`.
    """
    path = source
    beginning = re.match(r"https?://(?P<host>[^/]*)/?", source)
    if beginning and beginning["host"].lower() == netloc:
        path = "/" + source[beginning.end() :]
    if not path.startswith("/"):  # such as `a`, or a URL on another host
        return ""
    return re.sub("//+", "/", path)  # Netlify takes several slashes for one


def read_pattern(source: str) -> Pattern:
    """Makes the pattern of a source: `/A/*` matches `/a/b`, `/A/` and `/a`.

    Netlify and GitLab ignore letter case and a final slash.
    """
    return wildcards(source, is_loose=True)


def _read_headers(text: str, now: int) -> Iterator[Rule]:
    """Reads the rules of `_headers`: `X-Robots-Tag: noindex` below `/a/*` → NOINDEX for `/a/*`.

    Blocks with the same pattern are merged. A header of a later block replaces the headers of the
    same name in earlier ones.
    """
    merged: dict[str, list[Header]] = {}
    for pattern, headers in header_blocks(text, "/"):
        # `! Name`, which has no value, removes a header on Cloudflare only.
        new = [header for header in headers if header.value]
        new_names = {header.name for header in new}
        kept = [header for header in merged.get(pattern, ()) if header.name not in new_names]
        merged[pattern] = kept + new
    for pattern, headers in merged.items():
        yield from _header_rules(pattern, headers, now)


def _read_header_tables(config: Mapping[str, object], text: str, now: int) -> Iterator[Rule]:
    """Reads the tables `[[headers]]` of netlify.toml: `for = "/a/*"`, and `values` with headers."""
    for entry in entries(config, text, "headers", ("for",)):
        headers = read_headers(entry.table.get("values"), CONFIG, entry.line)
        yield from _header_rules(entry.pattern, headers, now)


def _header_rules(pattern: str, headers: list[Header], now: int) -> Iterator[Rule]:
    """Yields the rules of a block of headers: `/a.html` with `X-Robots-Tag: noindex` → NOINDEX.

    There is one rule for `/a.html`, and one for `/a`: Netlify shows the same page at both, with the
    same headers. A pattern that is a URL, such as `https://example.com/a`, gives no rule.
    """
    path = own_path(pattern, netloc="")  # "" for a URL, because no host has the name ""
    if not path:
        return
    paths_of_page = dict.fromkeys((path, path.removesuffix(".html")))  # each once
    for path_of_page in paths_of_page:
        yield from header_rules(read_pattern(path_of_page), headers, now)


def _published_folders(config: Mapping[str, object]) -> tuple[Hosting, ...]:
    """Reads which folder netlify.toml publishes: `publish = "out"` → the folder `out`.

    A `publish` for production comes before a `publish` for all builds. With `base = "docs"`, there
    are two folders, `docs/out` and `out`: `publish` may be meant from `base`, or from the top of
    the project. The caller takes the first that exists.

    Without `publish`, the result is a `Hosting` without a folder: any folder may be the site.
    """
    base = text_at(config, "build.base")
    for key in ("context.production.publish", "build.publish"):
        folder = text_at(config, key)
        if folder:
            in_base = f"{base}/{folder}".strip("/")
            in_project = folder.strip("/")
            folders = dict.fromkeys((in_base, in_project))  # without `base`, they are the same
            return (Hosting(key, tuple(folders)),)
    return (Hosting(),)


READER = Reader(read=_read_netlify_rules, hosting=_published_folders)
