"""Reads a Caddyfile into rules, and names the directives that are not understood."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ...model import Origin
from ..host import NOT_UNDERSTOOD, HostRules, Unknown
from ..nginx_text import Directive, named
from ..reader import Manual, Reader, netloc_of
from ..server_files import only_file
from .forms import forms_of
from .matchers import Matchers, is_understood, matchers_of, token_of
from .order import in_order, kind_of
from .sites import choose_site
from .steps import GROUPS, READ, SiteBlock
from .text import read_blocks
from .verdict import moves, tags

# Directives after which a page is the same one, or no page.
_HARMLESS = frozenset(
    (
        *("encode", "tls", "log", "log_skip", "log_name", "log_append", "skip_log", "tracing"),
        *("bind", "push", "request_body", "request_header", "vars", "metrics", "handle_errors"),
        "file_server",
    )
)
_UNREAD_OPTIONS = ("hide", "root", "fs")


def _read(texts: Mapping[str, str], base_url: str, now: int) -> HostRules:
    """The rules of the only file among the texts."""
    file = only_file(texts)
    if file is None:
        return HostRules(None, None)
    netloc = netloc_of(base_url)
    directives = choose_site(texts[file], netloc)
    if directives is None:
        return HostRules(None, None)
    site = SiteBlock(file, netloc, in_order(directives, {}), now)
    skipped = [*_changed_order(file, texts[file]), *_unknown(site, directives)]
    if skipped and skipped[0].origin.text.startswith("order "):
        return HostRules(None, None, None, tuple(skipped[:1]))
    forms = forms_of(directives)
    return HostRules(partial(moves, site), partial(tags, site), forms, tuple(skipped))


def _changed_order(file: str, text: str) -> Iterator[Unknown]:
    """The global option that moves a directive which is read."""
    for options in named(read_blocks(text), ""):
        for order in named(options.block or [], "order"):
            if READ.intersection(order.arguments[:1]):
                origin = Origin(file, order.line, order.text)
                yield Unknown(origin, "changes the order of directives")


def _unknown(
    site: SiteBlock, directives: Sequence[Directive], outer: Matchers | None = None
) -> Iterator[Unknown]:
    """The directives that are not read, and why."""
    matchers = matchers_of(directives, outer)
    for directive in directives:
        if directive.name == "file_server":
            for option in directive.block or []:
                if option.name in _UNREAD_OPTIONS:
                    yield Unknown(site.origin(option), NOT_UNDERSTOOD)
        if directive.name.startswith("@") or directive.name in _HARMLESS:
            continue
        why = _why_unknown(directive, matchers)
        if why:
            yield Unknown(site.origin(directive), why)
        elif kind_of(directive) in GROUPS:
            yield from _unknown(site, directive.block or [], matchers)


def _why_unknown(directive: Directive, matchers: Matchers) -> str:
    """Why a directive is not read, "" if it is."""
    kind = kind_of(directive)
    token, _ = token_of(directive)
    if kind == "import":
        return "an imported file is not read"
    is_root_of_some = kind == "root" and token
    if kind not in READ or is_root_of_some:
        return NOT_UNDERSTOOD
    if not is_understood(token, matchers):
        return "depends on the request"
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
