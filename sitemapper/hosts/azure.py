"""Azure Static Web Apps: the first route of staticwebapp.config.json that matches decides.

The rules are those of learn.microsoft.com/azure/static-web-apps/configuration.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..model import Origin, Reason
from ..syntax.linear import LinearRegex
from ..syntax.settings_files import read_table
from ..syntax.urls import UrlForms, encode_path
from .headers import header_rules, read_headers
from .host import HostRules, Manual, Reader, make_rules
from .rule import Pattern, Rule, error_page
from .tables import Entry, entries, line_of, text_at

CONFIG = "staticwebapp.config.json"
# Production serves b.html at `b` too. Its emulator `swa` does not.
FORMS = {"": UrlForms(folder=("a/", "a/index.html"), page=("b.html",), unlisted="b")}
_CLOSED = (401, 403, 404, 410)
# What may follow a star: `.png` or `.{png,gif}`, with encoded braces.
_ENDING = re.compile(r"\.(?:(?P<one>\w+)|%7B(?P<several>\w+(?:,\w+)*)%7D)")


def _read_azure_rules(texts: Mapping[str, str], _base_url: str, now: int) -> HostRules:
    """Reads the rules of staticwebapp.config.json: its routes, global headers and 404 page.

    `{"route": "/a", "redirect": "/b"}` → a redirect from `/a` to `/b`. Azure takes only the first
    route that matches a path, so later routes do not change `/a`.
    """
    text = texts.get(CONFIG, "")
    config = read_table(CONFIG, text)
    # 1. One rule for each route. Only the first that matches a path counts.
    moves: list[Rule | Origin] = []
    # 2. Rules that all count. Headers of a route come later, because they replace global ones.
    headers: list[Rule | Origin] = list(_read_global_headers(config, text, now))
    for entry in _routes_for_pages(config, text):
        try:
            source = _read_pattern(entry.pattern)
        except ValueError:  # the path cannot be read: only the place of the route, for a note
            moves.append(Origin(CONFIG, entry.line, entry.pattern))
            continue
        route = _read_route(entry, source)
        headers_of_route = read_headers(entry.table.get("headers"), CONFIG, entry.line)
        rules_of_headers = list(header_rules(source, headers_of_route, now, replaces=True))
        # The first effect on a page decides: the redirect of the route, or else a noindex among its
        # headers. Even a route without any keeps later routes from the path.
        effects = [rule for rule in (route, *rules_of_headers) if rule.action]
        moves.append(effects[0] if effects else route)
        # `X-Robots-Tag: all` has no action. It cancels the noindex of a global header.
        headers += [rule for rule in rules_of_headers if rule.action is None]
    headers += _read_error_page(config, text)
    rules = make_rules(FORMS[""], moves, headers, spellings_of=_spellings_of)
    # A redirect from a page to its own URL has no effect.
    return rules._replace(ignores_self_redirects=True)


def _routes_for_pages(config: Mapping[str, Any], text: str) -> Iterator[Entry]:
    """Yields the routes for GET requests. A route without `methods` is for all requests."""
    for entry in entries(config, text, "routes", ("route",)):
        methods = entry.table.get("methods")
        if not isinstance(methods, list) or "GET" in methods:
            yield entry


def _read_global_headers(config: Mapping[str, Any], text: str, now: int) -> Iterator[Rule]:
    """Reads `globalHeaders`, the headers for all paths.

    `"globalHeaders": {"X-Robots-Tag": "noindex"}` → a rule with the action NOINDEX for `/*`.
    """
    headers = read_headers(config.get("globalHeaders"), CONFIG, line_of("globalHeaders", text))
    yield from header_rules(_read_pattern("/*"), headers, now, replaces=True)


def _read_error_page(config: Mapping[str, Any], text: str) -> Iterator[Rule]:
    """Yields rules that leave the host's 404 page out of the sitemap, if the settings name one.

    `"responseOverrides": {"404": {"rewrite": "/lost.html"}}` → a rule for `/lost.html`.
    """
    target = text_at(config, "responseOverrides.404.rewrite")
    line = line_of("responseOverrides", text)
    return error_page(target, Origin(CONFIG, line, f"404 -> {target}"))


def _read_route(entry: Entry, source: Pattern) -> Rule:
    """Makes a rule of a route, without its headers. It has no action if pages stay as they are.

    {"route": "/a", "redirect": "/b"}               → REDIRECT
    {"route": "/a", "statusCode": 404}              → CLOSED
    {"route": "/a", "allowedRoles": ["reader"]}     → CLOSED: visitors must log in
    {"route": "/a", "rewrite": "/b.html"}           → DUPLICATE: /a shows this page
    """
    table = entry.table
    roles = table.get("allowedRoles")
    rewrite = table.get("rewrite")
    action: Reason | None = None
    effect = ""  # what messages say of the route: `/a -> /b`, `/a 404`
    target = ""
    if table.get("redirect"):
        action = Reason.REDIRECT
        target = str(table["redirect"])
        effect = f"-> {target}"
    elif table.get("statusCode") in _CLOSED:
        action = Reason.CLOSED
        effect = str(table["statusCode"])
    elif isinstance(roles, list) and roles and "anonymous" not in roles:
        action = Reason.CLOSED
        effect = f"for {', '.join(map(str, roles))}"
    elif isinstance(rewrite, str):
        action = Reason.DUPLICATE
        target = rewrite
        effect = f"-> {target}"
    origin = Origin(CONFIG, entry.line, f"{entry.pattern} {effect}")
    return Rule(source, action, origin, target)


def _read_pattern(route: str) -> Pattern:
    """Translates the path of a route to a pattern: `/a`, `/a/*` or `/a/*.{html,htm}`.

    `/a/*.{html,htm}` → paths that begin with `/a/`, and `^.*\\.(?:html|htm)$` for the rest. Raises
    ValueError for a star in another place.
    """
    start, star, ending = encode_path(route).partition("*")
    if not star:
        return Pattern(start)
    if not ending:
        return Pattern(start, LinearRegex(".*"))
    names = _ENDING.fullmatch(ending)
    if names is None:
        raise ValueError(f"{route!r}: a star stands at the end or before an ending")
    endings = (names["one"] or names["several"]).replace(",", "|")
    return Pattern(start, LinearRegex(rf"^.*\.(?:{endings})$"))


def _spellings_of(path: str) -> Sequence[str]:
    """Gives the paths that routes may have for a page: at the URL `/a/`, `/a/` and `/a/index.html`.

    At `/a.html`, only this path: with a dot, it is the path of a file.
    """
    if "." in path:
        return (path,)
    return (path, path.removesuffix("/") + "/index.html")


READER = Reader(
    read=_read_azure_rules,
    forms=FORMS,
    manual=Manual(
        meaning="`staticwebapp.config.json`",
        order="The first matching route is applied. Its headers replace `globalHeaders`.",
        production="`a/index.html` is also served at `a`, and `b.html` at `b`. The emulator `swa` "
        "redirects `a`, and answers 404 for `b`",
    ),
)
