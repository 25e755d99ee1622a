"""Cloudflare Pages: redirects come first, even where a file exists; all matching headers apply."""

from __future__ import annotations

from sitemapper.syntax.hosts.files import Effect, Header, HostFiles, expression, forbids

_REDIRECTS = (301, 302, 303, 307, 308)
MAX_REDIRECTS, MAX_HEADERS = 2_100, 100  # rules that the host reads; later ones have no effect


def effect(files: HostFiles, netloc: str, path: str) -> Effect | None:
    """What the host does to the page at a URL path."""
    for rule in files.redirects[:MAX_REDIRECTS]:
        # `301!` is Netlify's; here it is no status, and the line is no rule.
        if not (rule.conditional or rule.forced) and expression(rule.source).fullmatch(path):
            if (rule.status or 302) in _REDIRECTS:
                return rule.effect
            break  # 200 is a proxy: what it serves is not this page, but nothing says that it moved
    applied: list[Header] = []
    for header in files.headers[:MAX_HEADERS]:
        if _applies(header.pattern, netloc, path):
            applied = [*applied, header] if header.value is not None else []
    return next((h.effect for h in applied if h.value and forbids(h.value)), None)


def _applies(pattern: str, netloc: str, path: str) -> bool:
    """Absolute patterns (`https://:project.pages.dev/*`) speak about one host only."""
    scheme, separator, rest = pattern.partition("://")
    if separator:
        host, _, tail = rest.partition("/")
        if scheme != "https" or not expression(host, any_case=True).fullmatch(netloc):
            return False
        pattern = "/" + tail
    return expression(pattern).fullmatch(path) is not None
