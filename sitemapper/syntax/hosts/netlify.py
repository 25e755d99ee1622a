"""Netlify: an existing file wins over a redirect unless the redirect is forced with `!`."""

from __future__ import annotations

from sitemapper.syntax.hosts.files import Effect, HostFiles, expression, forbids

_MOVED = (301, 302, 303, 307, 308, 404, 410)


def effect(files: HostFiles, _netloc: str, path: str) -> Effect | None:
    """What the host does to the page at a URL path."""
    for rule in files.redirects:
        if expression(rule.source, any_case=True, any_slash=True).fullmatch(path):
            if rule.forced and not rule.conditional and rule.status in _MOVED:
                return rule.effect
            if not rule.conditional:
                break  # the first rule that matches decides, and it lets the file be served
    for header in files.headers:
        if (
            header.pattern.startswith("/")
            and header.value is not None
            and expression(header.pattern, any_case=True, any_slash=True).fullmatch(path)
            and forbids(header.value)
        ):
            return header.effect
    return None
