"""Caddy: a Caddyfile in the repository, read for what is plain.

The rules are those of caddyserver.com/docs/caddyfile/directives, above all the order in which the
directives run, and caddyserver.com/docs/caddyfile/matchers. All else is unknown.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote

from ..model import Origin, Reason
from ..syntax.urls import UrlForms
from .caddy_matchers import Matchers, is_understood, matched, path_of_matcher, token_of
from .caddy_sites import choose_site
from .caddy_text import read_blocks
from .headers import Header, header_effects
from .host import NOT_UNDERSTOOD, HostEffect, HostRules, Look, Unknown
from .moves import Move
from .nginx_text import Directive, named
from .provider import SITE
from .reader import Manual, Reader, netloc_of
from .rules import Rule, error_page

_FOLDER = ("a/", "a/index.html")
_FORMS = UrlForms(_FOLDER, ("b.html",))
# The directives in the order in which Caddy runs them, without those that do nothing for pages.
_ORDER = (
    *("root", "header", "redir", "method", "rewrite", "uri", "try_files", "basic_auth"),
    *("forward_auth", "intercept", "invoke", "handle", "route", "abort", "error", "respond"),
    *("reverse_proxy", "php_fastcgi", "file_server"),
)
_SAME = {"basicauth": "basic_auth", "handle_path": "handle"}
_READ = frozenset(
    (
        *("root", "header", "redir", "try_files", "basic_auth"),
        *("handle", "route", "error", "respond"),
    )
)
# Directives after which a page is the same one, or no page.
_HARMLESS = frozenset(
    (
        *("encode", "tls", "log", "log_skip", "log_name", "log_append", "skip_log", "tracing"),
        *("bind", "push", "request_body", "request_header", "vars", "metrics", "handle_errors"),
        "file_server",
    )
)
_STATUS = re.compile(r"\d{3}")
_PLACEHOLDER = re.compile(r"\{[^{}]*+\}")
_PATH = ("{path}", "{http.request.uri.path}", "{uri}", "{http.request.uri}")
_CODE = ("{err.status_code}", "{http.error.status_code}")


class Site(NamedTuple):
    """The block of a site in a file, its directives in order, and the time of the run."""

    file: str
    netloc: str
    directives: Sequence[Directive]
    now: int

    def origin(self, directive: Directive) -> Origin:
        """Where a directive stands."""
        return Origin(self.file, directive.line, directive.text)


class _Step(NamedTuple):
    """A directive that runs for a path, and its arguments behind the matcher.

    `directive` is None if it is not known what happens from here.
    """

    directive: Directive | None
    arguments: Sequence[str] = ()


_UNKNOWN = _Step(None)


def _read(texts: Mapping[str, str], base_url: str, now: int) -> HostRules:
    """The rules of the only file among the texts."""
    netloc = netloc_of(base_url)
    files = [name for name in texts if name != SITE]
    if len(files) != 1:
        return HostRules(None, None)
    [file] = files
    directives = choose_site(texts[file], netloc)
    if directives is None:
        return HostRules(None, None)
    site = Site(file, netloc, _sorted(directives, {}), now)
    skipped = [*_changed_order(file, texts[file]), *_unknown(site, directives)]
    if skipped and skipped[0].origin.text.startswith("order "):
        return HostRules(None, None, None, tuple(skipped[:1]))
    forms = _forms(directives)
    return HostRules(partial(_moves, site), partial(_tags, site), forms, tuple(skipped))


def _changed_order(file: str, text: str) -> Iterator[Unknown]:
    """The global option that moves a directive which is read."""
    for options in named(read_blocks(text), ""):
        for order in named(options.block or [], "order"):
            if _READ.intersection(order.arguments[:1]):
                origin = Origin(file, order.line, order.text)
                yield Unknown(origin, "changes the order of directives")


def _unknown(
    site: Site, directives: Sequence[Directive], outer: Matchers | None = None
) -> Iterator[Unknown]:
    """The directives that are not read, and why."""
    matchers = _matchers(directives, outer)
    for directive in directives:
        name = _SAME.get(directive.name, directive.name)
        token, _ = token_of(directive)
        if name == "file_server":
            unread = [one for one in directive.block or [] if one.name in ("hide", "root", "fs")]
            yield from (Unknown(site.origin(one), NOT_UNDERSTOOD) for one in unread)
        if name.startswith("@") or name in _HARMLESS:
            continue
        if name == "import":
            yield Unknown(site.origin(directive), "an imported file is not read")
        elif name not in _READ or (name == "root" and token):
            yield Unknown(site.origin(directive), NOT_UNDERSTOOD)
        elif not is_understood(token, matchers):
            yield Unknown(site.origin(directive), "depends on the request")
        elif name in ("handle", "route"):
            yield from _unknown(site, directive.block or [], matchers)


def _matchers(directives: Sequence[Directive], outer: Matchers | None = None) -> Matchers:
    """The named matchers of a block, with those around it."""
    own = {one.name: one for one in directives if one.name.startswith("@")}
    return {**(outer or {}), **own}


class _Key(NamedTuple):
    """What decides about the place of a directive: its name's rank, and its matcher."""

    rank: int
    path: str
    has_matcher: bool

    def is_before(self, other: "_Key") -> bool:
        """Whether Caddy runs a directive before another one that stands before it.

        Of two with the same name, the one with the longer path is first, or else the one with a
        matcher.
        """
        if self.rank != other.rank:
            return self.rank < other.rank
        if self.path and other.path:
            if self.path.removesuffix("*") == other.path.removesuffix("*"):
                return len(self.path) < len(other.path)
            return len(self.path) > len(other.path)
        return self.has_matcher and not other.has_matcher


def _sorted(directives: Sequence[Directive], outer: Matchers) -> list[Directive]:
    """The directives of a block, and of the blocks in it, in the order in which Caddy runs them.

    As in Caddy, this is an insertion sort, because the rule is no total order.
    """
    matchers = _matchers(directives, outer)
    keys: list[_Key] = []
    result: list[Directive] = []
    for directive in directives:
        token, _ = token_of(directive)
        key = _Key(_rank(directive), path_of_matcher(token, matchers), bool(token))
        place = len(result)
        while place and key.is_before(keys[place - 1]):
            place -= 1
        if directive.block and directive.name in ("handle", "handle_path"):
            directive = directive._replace(block=_sorted(directive.block, matchers))
        elif directive.block and directive.name == "route":
            block = [_sorted([one], matchers)[0] for one in directive.block]
            directive = directive._replace(block=block)
        keys.insert(place, key)
        result.insert(place, directive)
    return result


def _rank(directive: Directive) -> int:
    """The place of a directive in the order. What has none is not run for pages."""
    name = _SAME.get(directive.name, directive.name)
    return _ORDER.index(name) if name in _ORDER else -1


def _steps(
    site: Site, directives: Sequence[Directive], matchers: Matchers, path: str, look: Look
) -> Iterator[_Step]:
    """The directives that run for a path, in order."""
    is_handled = False  # only the first `handle` of a block runs
    for directive in directives:
        name = _SAME.get(directive.name, directive.name)
        if name == "import":
            yield _UNKNOWN
            return
        if name not in _ORDER or (name == "handle" and is_handled):
            continue
        token, arguments = token_of(directive)
        applies = matched(token, matchers, path, site.netloc)
        if applies is False or (name == "root" and not token):
            continue
        if name == "header":
            if applies:
                yield _Step(directive, arguments)
            elif _allows_indexing(site, directive, arguments):
                yield _Step(directive, ("-x-robots-tag",))
            continue
        if applies is None or name not in (*_READ, "file_server") or name == "root":
            yield _UNKNOWN
            return
        if name == "try_files":
            if _is_refused(directive, path, look):
                yield _Step(directive)
                return
            rewritten = _rewritten(directive, path, look)
            if rewritten is None:
                yield _UNKNOWN
                return
            path = rewritten
        elif name in ("handle", "route"):
            is_handled = is_handled or name == "handle"
            inner = path
            if directive.name == "handle_path":
                inner = f"/{path.removeprefix(token.rstrip('*')).lstrip('/')}"
            block = directive.block or []
            own = _matchers(block, matchers)
            for step in _steps(site, block, own, inner, look):
                yield step
                if step.directive is None or step.directive.name == "file_server":
                    return
        else:
            yield _Step(directive, arguments)


def _allows_indexing(site: Site, directive: Directive, arguments: Sequence[str]) -> bool:
    """Whether a directive `header` may take a noindex away."""
    headers = _headers(site, directive, arguments)
    effects = header_effects([one for one, _ in headers], site.now, replaces=True)
    return any(effect is None for effect in effects)


def _rewritten(directive: Directive, path: str, look: Look) -> str | None:
    """The path of the file that `try_files` finds, the path itself if none; None if not known."""
    if directive.block:
        return None
    for candidate in directive.arguments:
        shown = candidate
        for placeholder in _PATH:
            shown = shown.replace(placeholder, path)
        if shown == candidate or _PLACEHOLDER.search(shown):
            return None  # another page, an error, or a text that is not known here
        is_folder = candidate.endswith("/")
        shown = re.sub("/{2,}", "/", shown).rstrip("/") or "/"
        if is_folder and look(f"{shown.rstrip('/')}/") == "d":
            return f"{shown.rstrip('/')}/"
        if not is_folder and look(shown) == "f":
            return shown
    return path


def _is_refused(directive: Directive, path: str, look: Look) -> bool:
    """Whether `try_files` ends in an error for a folder, whose index page it does not try."""
    files = [_short(candidate) for candidate in directive.arguments]
    ends_in_error = "".join(directive.arguments[-1:]).startswith("=")
    has_others = not set(files[:-1]) <= {"=", ".html"}
    is_folder = path.endswith("/") and look(f"{path}index.html") == "f"
    return is_folder and ends_in_error and not has_others


def _run(site: Site, path: str, look: Look) -> Iterator[_Step]:
    """The directives of the site that run for a URL path."""
    return _steps(site, site.directives, _matchers(site.directives), unquote(path), look)


def _moves(site: Site, path: str, look: Look) -> Sequence[HostEffect | None]:
    """What happens to a page at a URL path: the first redirect, password or error."""
    for directive, arguments in _run(site, path, look):
        if directive is None or directive.name == "file_server":
            return ()
        origin = site.origin(directive)
        if directive.name == "redir":
            effect = _redirect(site, arguments, path, origin)
            return () if effect is None else [effect]
        if directive.name in ("basic_auth", "basicauth", "try_files"):
            return [HostEffect(Reason.CLOSED, origin)]
        if directive.name in ("respond", "error"):
            is_error = _status(directive.name, arguments) >= 400
            return [HostEffect(Reason.CLOSED, origin)] if is_error else ()
    return ()


def _redirect(site: Site, arguments: Sequence[str], path: str, origin: Origin) -> HostEffect | None:
    """The effect of a redirect; None if its target is not known."""
    target = arguments[0] if arguments else ""
    is_of_request = False
    for placeholder in _PATH:
        is_of_request = is_of_request or placeholder in target
        target = target.replace(placeholder, path)
    target = re.sub(r"^https?://\{(?:http\.request\.)?host\}", f"https://{site.netloc}", target)
    if not target or _PLACEHOLDER.search(target):
        return None
    if is_of_request:
        own = re.sub(rf"^https?://{re.escape(site.netloc)}(?=/)", "", target)
        return HostEffect(Reason.REDIRECT, origin, own, Move(path, target))
    return HostEffect(Reason.REDIRECT, origin, target, Move("", target))


def _status(name: str, arguments: Sequence[str]) -> int:
    """The status of `respond` or `error`, 0 if it is not known."""
    default = 500 if name == "error" else 200
    if not arguments:
        return default
    if _STATUS.fullmatch(arguments[-1]):
        return int(arguments[-1])
    return default if len(arguments) == 1 else 0


def _tags(site: Site, path: str, look: Look) -> Sequence[HostEffect | None]:
    """What the headers say about a page, and that an error page is none."""
    effects: list[HostEffect | None] = []
    for rule_path, effect in _error_pages(site):
        if rule_path == path:
            effects.append(effect)
    headers: list[Header] = []
    deferred: list[Header] = []
    for directive, arguments in _run(site, path, look):
        if directive is None or directive.name != "header":
            continue
        of_directive = _headers(site, directive, arguments)
        is_late = any(late for _, late in of_directive)
        if is_late:  # set when the answer is written, the last directive first
            deferred = [*(header for header, _ in of_directive), *deferred]
        else:
            headers += [header for header, _ in of_directive]
    for header in (*headers, *deferred):
        is_addition = header.name.startswith("+")
        header = header._replace(name=header.name.lstrip("+"))
        effects += header_effects([header], site.now, replaces=not is_addition)
    return effects


def _headers(
    site: Site, directive: Directive, arguments: Sequence[str]
) -> list[tuple[Header, bool]]:
    """The headers of a directive `header`, and whether each makes the directive wait."""
    rows = [(arguments, directive)] if arguments else []
    rows += [((one.name, *one.arguments), one) for one in directive.block or []]
    found: list[tuple[Header, bool]] = []
    is_deferred = any(row[:1] == ("defer",) for row, _ in rows)
    for row, line in rows:
        field, *values = row
        name = field.lower().lstrip(">")
        value = values[0] if values else ""
        is_default = name.startswith("?")
        is_deletion = name.startswith("-")
        is_late = is_deferred or is_default or is_deletion or field.startswith(">")
        is_replacement = len(values) > 1
        if is_default or is_replacement or _PLACEHOLDER.search(value):
            continue
        text = None if is_deletion else value
        header = Header(name.removeprefix("-"), text, site.origin(line))
        found.append((header, is_late))
    return found


def _error_pages(site: Site) -> Iterator[Rule]:
    """The pages that the site shows for errors."""
    for errors in named(site.directives, "handle_errors"):
        for directive in errors.block or []:
            if directive.name not in ("rewrite", "try_files") or not directive.arguments:
                continue
            target = directive.arguments[-1 if directive.name == "rewrite" else 0]
            for placeholder in _CODE:
                target = target.replace(placeholder, "404")
            if not _PLACEHOLDER.search(target):
                yield from error_page(target, site.origin(directive))


def _forms(directives: Sequence[Directive]) -> UrlForms | None:
    """The forms of URLs by the only `try_files`; None if they are not plain."""
    flat = list(_flattened(directives))
    unread = [one for one in flat if one.name in ("rewrite", "uri", "import", "handle_path")]
    if unread or any(_has_index(one) for one in named(flat, "file_server")):
        return None
    tried = named(flat, "try_files")
    if not tried:
        return _FORMS
    files = [_short(candidate) for candidate in tried[0].arguments]
    is_fallback = files[-1:] == [""]
    if is_fallback:
        files = files[:-1]
    has_folder = "/" in files or "/index.html" in files
    is_plain = set(files) <= {"=", "/", "/index.html", ".html"} and not tried[0].block
    if len(tried) > 1 or not is_plain or (is_fallback and not has_folder):
        return None
    folder: tuple[str, ...] = _FOLDER
    if "/index.html" in files and "/" not in files[: files.index("/index.html")]:
        folder = ("a/", "a", "a/index.html")
    if ".html" not in files:
        return UrlForms(folder, ("b.html",))
    page = ("b.html", "b")
    before = files[: files.index(".html")]
    if "/" in before or "/index.html" in before:
        return UrlForms(folder, page, clash=("b.html", " ".join(folder)))
    return UrlForms(folder, page, clash=("b.html b", " ".join(_FOLDER)))


def _flattened(directives: Sequence[Directive]) -> Iterator[Directive]:
    """The directives of a block and of its groups."""
    for directive in directives:
        if directive.name == "handle_errors":
            continue
        yield directive
        if directive.name in ("handle", "handle_path", "route"):
            yield from _flattened(directive.block or [])


def _has_index(file_server: Directive) -> bool:
    """Whether a file server names its index pages."""
    return bool(named(file_server.block or [], "index"))


def _short(candidate: str) -> str:
    """A file to try, behind the path: `{path}.html` → `.html`, `{path}` → `=`, others → ``."""
    for placeholder in _PATH:
        if candidate == placeholder:
            return "="
        if candidate.startswith(placeholder):
            return candidate.removeprefix(placeholder)
    return ""


READER = Reader(
    read=_read,
    forms={},
    manual=Manual(
        meaning="a Caddyfile in the repository",
        order="As nginx.",
        skipped="`rewrite`, conditions beyond paths",
    ),
)
