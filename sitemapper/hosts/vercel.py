"""Vercel: redirects in vercel.json come before files, and the last header with a name counts.

The rules are those of vercel.com/docs/project-configuration and @vercel/routing-utils.
"""

import re
from collections.abc import Iterator, Mapping

from ..model import Origin, Reason
from ..syntax.settings_files import read_table
from ..syntax.urls import UrlForms, encode_path
from .headers import DECIDING_HEADERS, header_rules, read_headers
from .host import Hosting, HostRules, Reader, make_rules
from .rule import SEGMENTS, Pattern, Rule, compile_regex, read_rule
from .tables import Entry, entries, forms_by_setting, tables_of, text_at

CONFIG = "vercel.json"
# A redirect without `statusCode` is a 308. 200 is a proxy, as it is commonly used.
_DEFAULT_STATUS = 308
_REDIRECTS = (301, 302, 303, 307, 308)
# The wildcards that are read: a segment, `:x`; any number of segments, `/:x*`; any text, `(.*)`.
_WILDCARD = re.compile(r"(/:\w++\*|:\w++(?![*+?(])|\(\.\*\)(?![*+?]))", re.ASCII)
# Characters that have a meaning for Vercel outside of these wildcards.
_MEANINGS = re.compile(r"[:(){}*+?\\]")
# Keys that a project without a site has, too, such as an API. Only other keys show a site.
_KEYS_WITHOUT_SITE = frozenset(("$schema", "crons", "functions", "git", "ignoreCommand", "regions"))
# Asked of `vercel build` (`make record-hosts`).
FORMS = {
    "": UrlForms(folder=("a/", "a", "a/index.html"), page=("b.html",)),
    "trailingSlash: false": UrlForms(folder=("a", "a/index.html"), page=("b.html",)),
    "trailingSlash: true": UrlForms(
        folder=("a/", "a/index.html"),
        page=("b.html",),
        dotted=UrlForms(folder=("a",), page=("b.html",)),
    ),
    "cleanUrls": UrlForms(
        folder=("a/", "a"), page=("b", "b/"), clash=UrlForms(folder=(), page=("b", "b/"))
    ),
    "cleanUrls, trailingSlash: false": UrlForms(
        folder=("a",), page=("b",), clash=UrlForms(folder=(), page=("b",))
    ),
    "cleanUrls, trailingSlash: true": UrlForms(
        folder=("a/",),
        page=("b/",),
        clash=UrlForms(folder=(), page=("b/",)),
        dotted=UrlForms(folder=("a",), page=("b",)),
    ),
}


def _read_vercel_rules(texts: Mapping[str, str], _base_url: str, now: int) -> HostRules:
    """Reads the keys `redirects`, `headers`, `cleanUrls` and `trailingSlash` of vercel.json.

    The older key `routes` is not read: a note to the user names each of its entries.
    """
    text = texts.get(CONFIG, "")
    config = read_table(CONFIG, text)
    redirects = list(_read_redirects(config, text))
    if config.get("cleanUrls") is True:
        redirects += _redirects_of_clean_urls()
    routes = entries(config, text, "routes", ("src",))
    # An Origin in place of a rule has no effect on pages. It is for the note.
    unread = [Origin(CONFIG, entry.line, entry.pattern) for entry in routes]
    return make_rules(
        forms_by_setting(config, FORMS),
        [*redirects, *unread],
        _read_header_rules(config, text, now),
    )


def _redirects_of_clean_urls() -> Iterator[Rule]:
    """Yields the redirects that `cleanUrls` adds: from /a.html and from /a/index to /a.

    With `cleanUrls`, `a.html` is listed at /a, which is not redirected. The redirects concern pages
    with unusual names (superstatic.ts of @vercel/routing-utils):

    - `x.html.html` has the URL /x.html, which leads to /x
    - `a/index/index.html` has the URL /a/index, which leads to /a
    """
    origin = Origin(CONFIG, None, "cleanUrls")
    for ending in (r"\.html", "/index"):
        # `path` stands for any number of segments, which are the same in source and target.
        source = compile_regex(f"^(?:/(?P<path>{SEGMENTS}))?{ending}/?$")
        yield Rule(Pattern("", source), Reason.REDIRECT, origin, target=r"/\g<path>")


def _read_redirects(config: Mapping[str, object], text: str) -> Iterator[Rule | Origin]:
    """Reads the list `redirects`: `{"source": "/a", "destination": "/b"}` → a rule.

    - An entry for URLs with a query gives nothing, because the URLs of pages have no query.
    - An entry with other conditions, such as a cookie, gives only its Origin, which is reported as
      not read.
    - An entry with a status such as 200 gives a rule without an action: it redirects nothing.
    """
    for entry in entries(config, text, "redirects"):
        target = str(entry.table.get("destination"))
        origin = Origin(CONFIG, entry.line, f"{entry.pattern} -> {target}")
        needs_query = any(
            condition.get("type") == "query" for condition in tables_of(entry.table.get("has"))
        )
        if needs_query:
            continue
        if _has_conditions(entry):
            yield origin
            continue
        moves = entry.table.get("statusCode", _DEFAULT_STATUS) in _REDIRECTS
        action = Reason.REDIRECT if moves else None
        yield read_rule(read_source, entry.pattern, action, origin, target)


def _has_conditions(entry: Entry) -> bool:
    """Says whether a rule depends on more than the path, such as a cookie or a query."""
    return bool(entry.table.get("has") or entry.table.get("missing"))


def _read_header_rules(
    config: Mapping[str, object], text: str, now: int
) -> Iterator[Rule | Origin]:
    """Yields the rules of the list `headers`.

    {"source": "/a", "headers": [{"key": "X-Robots-Tag", "value": "noindex"}]} → NOINDEX for `/a`

    `text` is that of the file, in which the line of each entry is found. `now` is the time of the
    run in seconds, on which `X-Robots-Tag: unavailable_after` depends.
    """
    for entry in entries(config, text, "headers"):
        headers = read_headers(entry.table.get("headers"), CONFIG, entry.line)
        try:
            source = _read_source_of_headers(entry)
        except ValueError:
            # Nobody knows for which pages the entry is. Its place is yielded for a note to the
            # user, unless its headers, such as Cache-Control, could leave no page out anyway.
            if any(header.name in DECIDING_HEADERS for header in headers):
                yield Origin(CONFIG, entry.line, entry.pattern)
            continue
        # `replaces`: Vercel sends only the last of several headers with the same name.
        yield from header_rules(source, headers, now, replaces=True)


def _read_source_of_headers(entry: Entry) -> Pattern:
    """Translates the source of a rule for headers to a pattern.

    Raises ValueError if the rule has conditions, because it is then only for some visitors.
    """
    if _has_conditions(entry):
        raise ValueError(f"{entry.pattern!r}: the rule has conditions")
    return read_source(entry.pattern)


def read_source(source: str) -> Pattern:
    """Translates the source of a rule to a pattern. Letter case and a final slash count.

    | source      | beginning  | expression for the rest                        |
    |-------------|------------|------------------------------------------------|
    | `/a`        | `/a`       | None: the path ends here                       |
    | `/a/:x/b`   | `/a/`      | `^(?P<x>[^/]+)/b$`                             |
    | `/a/:x*`    | `/a`       | `^(?:/(?P<x>[^/]+(?:/[^/]+)*))?$`              |
    | `/a/(.*)`   | `/a/`      | `^(.*)$`                                       |

    Raises ValueError for a source with anything else of the language of path-to-regexp.
    """
    texts = _WILDCARD.split(source)  # `/a/`, `:x` and `/b`
    for text in texts[::2]:
        if _MEANINGS.search(text):
            raise ValueError(f"{source!r}: cannot be read")
    # As in URLs: `/a b` is `/a%20b`.
    texts[::2] = (re.sub("[^!-~]+", lambda run: encode_path(run[0]), text) for text in texts[::2])
    if len(texts) == 1:
        return Pattern(texts[0])
    regex = ""
    for wildcard, text in zip(texts[1::2], texts[2::2], strict=True):
        regex += _regex_of_wildcard(wildcard) + re.escape(text)
    return Pattern(texts[0], compile_regex(f"^{regex}$"))


def _regex_of_wildcard(wildcard: str) -> str:
    """Translates `:x`, `/:x*` or `(.*)` to an expression with a group."""
    if wildcard == "(.*)":
        return wildcard
    name = wildcard.strip("/:*")
    if wildcard.endswith("*"):
        return f"(?:/(?P<{name}>{SEGMENTS}))?"
    return f"(?P<{name}>[^/]+)"


def _published_folders(config: Mapping[str, object]) -> tuple[Hosting, ...]:
    """Reads which folder vercel.json publishes: one `Hosting` in a tuple, or none without a site.

    | vercel.json                        | result                                             |
    |------------------------------------|----------------------------------------------------|
    | `{"outputDirectory": "out"}`       | one `Hosting`, with the folder `out`               |
    | `{"functions": …, "regions": …}`   | nothing: this is an API, as no key is for a site   |
    | `{"cleanUrls": true}`, or empty    | one without a folder: any folder may be the site   |
    """
    folder = text_at(config, "outputDirectory")
    if folder:
        return (Hosting("outputDirectory", (folder,)),)
    is_no_site = bool(config) and config.keys() <= _KEYS_WITHOUT_SITE
    if is_no_site:
        return ()
    return (Hosting(),)


READER = Reader(read=_read_vercel_rules, hosting=_published_folders)
