"""nginx: a configuration file in the repository, read for what is plain.

The rules are those of nginx.org/en/docs/http/ngx_http_core_module.html (`location`, `try_files`),
ngx_http_rewrite_module.html and ngx_http_headers_module.html. All else is unknown.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import NamedTuple
from urllib.parse import unquote

from ..model import Origin, Reason
from ..syntax.urls import UrlForms
from .headers import Header, header_effects
from .host import NOT_UNDERSTOOD, FindKind, HostEffect, HostRules, Unknown
from .matchers import Matcher, linear_matcher
from .moves import Move
from .nginx_text import Directive, named, read_directives
from .reader import Manual, Reader, netloc_of
from .rules import Rule, error_page
from .server_files import only_file

_CLEAN = "`try_files` with `$uri.html`"
FORMS = {
    "": UrlForms(("a/", "a/index.html"), ("b.html",)),
    _CLEAN: UrlForms(("a/", "a/index.html"), ("b.html", "b")),
}
_FOLDER_FIRST = UrlForms(
    ("a/", "a/index.html"), ("b.html", "b"), clash=("b.html", "a/ a/index.html")
)
_MOVED = ("301", "302", "303", "307", "308")
_REFUSED = ("401", "403", "404", "410", "444")
_VARIABLE = re.compile(r"\$[A-Za-z{]")
# Directives that change which file a location shows, or may hold any others.
_UNREAD = ("alias", "root", "proxy_pass", "fastcgi_pass", "include", "if", "location")
# Included files that have no rules.
_HARMLESS = ("mime.types", "fastcgi_params", "proxy_params", "uwsgi_params")


class Location(NamedTuple):
    """A location: how its pattern is compared (`=`, `^~`, `~`, `~*`, ""), and its directives."""

    kind: str
    pattern: str
    directives: Sequence[Directive]

    @property
    def is_read(self) -> bool:
        """Whether all that decides about pages is plain."""
        return not any(directive.name in _UNREAD for directive in self.directives)


class Server(NamedTuple):
    """The server block of a site in a file, with its locations and the time of the run."""

    file: str
    directives: Sequence[Directive]
    locations: Sequence[Location]
    now: int

    def origin(self, directive: Directive) -> Origin:
        """Where a directive stands."""
        return Origin(self.file, directive.line, directive.text)


def choose_server(text: str, netloc: str) -> list[Directive] | None:
    """The directives of the server block for a host name, or of the only block with a root.

    None if there is none, or more than one. Raises ValueError for a text that nginx refuses.
    """
    top = read_directives(text)
    http = [inner for one in named(top, "http") for inner in one.block or []]
    blocks = [one.block or [] for one in (*named(top, "server"), *named(http, "server"))]
    with_root = [block for block in blocks if named(block, "root") or _has_root(block)]
    name = netloc.partition(":")[0].lower()
    for_name = [block for block in with_root if name in _names(block)]
    for candidates in (for_name, with_root):
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            return None
    return None


def _has_root(block: Sequence[Directive]) -> bool:
    """Whether the location `/` of a block has a root."""
    locations = [one for one in named(block, "location") if one.arguments == ("/",)]
    return any(named(one.block or [], "root") for one in locations)


def _names(block: Sequence[Directive]) -> list[str]:
    """The names of a server block."""
    return [name.lower() for one in named(block, "server_name") for name in one.arguments]


def _read(texts: Mapping[str, str], base_url: str, now: int) -> HostRules:
    """The rules of the only file among the texts."""
    file = only_file(texts)
    if file is None:
        return HostRules(None, None)
    netloc = netloc_of(base_url)
    directives = choose_server(texts[file], netloc)
    if directives is None:
        return HostRules(None, None)
    locations = []
    for one in named(directives, "location"):
        kind = one.arguments[0] if len(one.arguments) == 2 else ""
        inner = [
            directive
            for directive in one.block or []
            # The root of `/` is that of the site.
            if not (directive.name == "root" and one.arguments == ("/",))
        ]
        locations.append(Location(kind, one.arguments[-1] if one.arguments else "", inner))
    server = Server(file, directives, locations, now)
    skipped = tuple(_unknown(server))
    return HostRules(partial(_moves, server), partial(_tags, server), _forms(server), skipped)


def _unknown(server: Server) -> Iterator[Unknown]:
    """The directives that are not read, and why."""
    for directive in server.directives:
        if directive.name == "if":
            yield Unknown(server.origin(directive), "depends on the request")
        elif directive.name == "include" and not directive.text.endswith(_HARMLESS):
            yield Unknown(server.origin(directive), "an included file is not read")
        elif directive.name == "return":
            yield Unknown(server.origin(directive), "is for the whole server")
        elif directive.name == "location":
            yield from _unknown_in_location(server, directive)
        elif directive.name == "rewrite" and not _is_redirect(directive):
            yield Unknown(server.origin(directive), "not a redirect")


def _unknown_in_location(server: Server, location: Directive) -> Iterator[Unknown]:
    """The location, if it cannot be read."""
    pattern = Location("", "", location.block or [])
    is_root = location.arguments == ("/",)
    unread = [one for one in pattern.directives if one.name in _UNREAD]
    unread = [one for one in unread if not (is_root and one.name == "root")]
    unread += [one for one in named(pattern.directives, "return") if _VARIABLE.search(one.text)]
    if unread:
        yield Unknown(server.origin(unread[0]), NOT_UNDERSTOOD)
    elif location.arguments[:1] in (("~",), ("~*",)) and _matcher(location.arguments) is None:
        yield Unknown(server.origin(location), NOT_UNDERSTOOD)


def _forms(server: Server) -> UrlForms | None:
    """The forms of URLs by the `try_files` of `/`, or of the server; None if they are not plain."""
    scopes = [server.directives]
    scopes += [one.directives for one in server.locations if one.pattern == "/" and not one.kind]
    tried = [one for scope in scopes for one in named(scope, "try_files")]
    index = [name for scope in scopes for one in named(scope, "index") for name in one.arguments]
    if index and index[0] != "index.html":
        return None
    if not tried:
        return FORMS[""]
    *files, _ = tried[-1].arguments or ("",)
    if files in (["$uri", "$uri/"], ["$uri/", "$uri"]):
        return FORMS[""]
    if "$uri/" not in files or not set(files) <= {"$uri", "$uri/", "$uri.html"}:
        return None
    is_page_first = files.index("$uri.html") < files.index("$uri/")
    return FORMS[_CLEAN] if is_page_first else _FOLDER_FIRST


def _location(server: Server, uri: str) -> Location | None:
    """The location of a URI, None if it is not known. Without one, an empty location."""
    best = Location("", "", ())
    for location in server.locations:
        if location.kind == "=" and location.pattern == uri:
            return location
        is_prefix = location.kind in ("", "^~") and uri.startswith(location.pattern)
        if is_prefix and len(location.pattern) >= len(best.pattern):
            best = location
    if best.kind == "^~":
        return best
    for location in server.locations:
        if location.kind not in ("~", "~*"):
            continue
        matches = _matcher((location.kind, location.pattern))
        if matches is None:
            return None  # this or a later one may be for the URI
        if matches(uri):
            return location
    return best


@lru_cache(maxsize=256)
def _matcher(arguments: tuple[str, ...]) -> Matcher | None:
    """A matcher for the expression of a location, None if the engine refuses it."""
    kind, pattern = arguments[0], arguments[-1]
    with suppress(ValueError):
        return linear_matcher(f"(?i){pattern}" if kind == "~*" else pattern)
    return None


def _is_redirect(rewrite: Directive) -> bool:
    """Whether a `rewrite` redirects."""
    is_flagged = rewrite.arguments[2:] in (("permanent",), ("redirect",))
    target = "".join(rewrite.arguments[1:2])
    return is_flagged or target.startswith(("http://", "https://", "$scheme"))


def _moves(server: Server, path: str, look: FindKind) -> Sequence[HostEffect | None]:
    """What rewrites, `return` and refusals do with a page at a URL path, the first one alone."""
    uri = unquote(path)
    effects = list(_rewrites(server, server.directives, uri))
    if effects:
        return effects[:1]
    for seen in _internal_paths(uri, look):
        location = _location(server, seen)
        if location is None or not location.is_read:
            return ()
        effects = list(_effects_of_location(server, location, seen))
        if effects:
            return effects[:1]
    return ()


def _internal_paths(uri: str, look: FindKind) -> list[str]:
    """The paths at which nginx looks for the page: a folder leads to its index page."""
    index = f"{uri}index.html"
    if uri.endswith("/") and look(index):
        return [uri, index]
    return [uri]


def _rewrites(
    server: Server, directives: Sequence[Directive], uri: str
) -> Iterator[HostEffect | None]:
    """The effects of `rewrite` and `return` in a block; None if what follows is not known."""
    for directive in directives:
        if directive.name == "if" and named(directive.block or [], "break"):
            yield None
        if directive.name != "rewrite" or len(directive.arguments) < 2:
            continue
        matches = _matcher(directive.arguments[:1])
        if matches is None:
            if not _is_redirect(directive):
                yield None
        elif matches(uri):
            if not _is_redirect(directive):
                yield None
            else:
                move = Move(f"regex:{directive.arguments[0]}", directive.arguments[1])
                yield HostEffect(Reason.REDIRECT, server.origin(directive), move=move)


def _effects_of_location(
    server: Server, location: Location, uri: str
) -> Iterator[HostEffect | None]:
    """The effects of a location on a page at a URI."""
    yield from _rewrites(server, location.directives, uri)
    for directive in named(location.directives, "return"):
        code, *targets = directive.arguments or ("",)
        target = targets[0] if targets else ""
        if code in _MOVED and target and not _VARIABLE.search(target):
            move = Move(location.pattern, target, is_literal=True)
            yield HostEffect(Reason.REDIRECT, server.origin(directive), target, move)
        elif code in _REFUSED:
            yield HostEffect(Reason.CLOSED, server.origin(directive))
        else:
            yield None
    yield from _refusal(server, location)
    for directive in named(location.directives, "try_files"):
        if uri.endswith("/") and _misses_folders(directive):
            yield HostEffect(Reason.CLOSED, server.origin(directive))


def _misses_folders(tried: Directive) -> bool:
    """Whether `try_files` tries only files for a folder's path, and ends in an error."""
    *files, last = tried.arguments or ("",)
    return set(files) <= {"$uri", "$uri.html"} and last.startswith("=")


def _refusal(server: Server, location: Location) -> Iterator[HostEffect]:
    """The refusal of all visitors, by `internal`, `deny all` or a password."""
    for directive in named(location.directives, "internal"):
        yield HostEffect(Reason.CLOSED, server.origin(directive))
    for name in ("allow deny", "auth_basic"):
        scopes = (location.directives, server.directives)
        own = [[one for one in scope if one.name in name.split()] for scope in scopes]
        decisive = next(filter(None, own), [])  # those of the location replace those of the server
        for directive in decisive:
            value = directive.arguments[0] if directive.arguments else ""
            is_open = directive.name == "allow" and value == "all"
            if is_open or value == "off" or _VARIABLE.search(value):
                break
            if directive.text == "deny all" or directive.name == "auth_basic":
                yield HostEffect(Reason.CLOSED, server.origin(directive))
                break


def _tags(server: Server, path: str, look: FindKind) -> Sequence[HostEffect | None]:
    """What the headers say about a page, and that an error page is none."""
    uri = unquote(path)
    effects: list[HostEffect | None] = []
    for rule_path, effect in _error_pages(server):
        if rule_path == path:
            effects.append(effect)
    shown = _internal_paths(uri, look)[-1]
    location = _location(server, shown)
    if location is None or not location.is_read:
        return effects
    # Headers are inherited only if the location has none of its own.
    added = named(location.directives, "add_header") or named(server.directives, "add_header")
    headers = []
    for directive in added:
        if len(directive.arguments) >= 2 and not _VARIABLE.search(directive.arguments[1]):
            name, value = directive.arguments[:2]
            headers.append(Header(name.lower(), value, server.origin(directive)))
    return [*effects, *header_effects(headers, server.now)]


def _error_pages(server: Server) -> Iterator[Rule]:
    """The pages that the server shows for errors."""
    for directive in named(server.directives, "error_page"):
        if "404" in directive.arguments[:-1]:
            yield from error_page(directive.arguments[-1], server.origin(directive))


READER = Reader(
    read=_read,
    forms={},
    manual=Manual(
        meaning="an nginx.conf in the repository",
        order="Its only file in the repository counts if nothing else names the host. "
        "`try_files` with `$uri.html` serves `b.html` at `b` too.",
        skipped="variables, `if`, `include`",
    ),
)
