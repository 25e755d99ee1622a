"""What a Caddyfile does with a page at a URL path.

The rules are those of caddyserver.com/docs/caddyfile/directives: `redir`, `respond`, `basic_auth`,
`header` and `handle_errors`.
"""

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from ...model import Origin, Reason
from ..headers import Header, header_effects
from ..host import FindKind, HostEffect
from ..moves import Move
from ..nginx_text import named
from ..rules import Rule, error_page
from .matchers import matchers_of
from .steps import PATH, PLACEHOLDER, SiteBlock, Step, headers_of, steps

_STATUS = re.compile(r"\d{3}")
_CODE = ("{err.status_code}", "{http.error.status_code}")


def _run(site: SiteBlock, path: str, look: FindKind) -> Iterator[Step]:
    """The directives of the site that run for a URL path."""
    return steps(site, site.directives, matchers_of(site.directives), unquote(path), look)


def moves(site: SiteBlock, path: str, look: FindKind) -> Sequence[HostEffect | None]:
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


def _redirect(
    site: SiteBlock, arguments: Sequence[str], path: str, origin: Origin
) -> HostEffect | None:
    """The effect of a redirect; None if its target is not known."""
    target = arguments[0] if arguments else ""
    is_of_request = False
    for placeholder in PATH:
        is_of_request = is_of_request or placeholder in target
        target = target.replace(placeholder, path)
    target = re.sub(r"^https?://\{(?:http\.request\.)?host\}", f"https://{site.netloc}", target)
    if not target or PLACEHOLDER.search(target):
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


def tags(site: SiteBlock, path: str, look: FindKind) -> Sequence[HostEffect | None]:
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
        of_directive = headers_of(site, directive, arguments)
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


def _error_pages(site: SiteBlock) -> Iterator[Rule]:
    """The pages that the site shows for errors."""
    for errors in named(site.directives, "handle_errors"):
        for directive in errors.block or []:
            if directive.name not in ("rewrite", "try_files") or not directive.arguments:
                continue
            target = directive.arguments[-1 if directive.name == "rewrite" else 0]
            for placeholder in _CODE:
                target = target.replace(placeholder, "404")
            if not PLACEHOLDER.search(target):
                yield from error_page(target, site.origin(directive))
