"""Pages by what stands in their heads."""

from __future__ import annotations


def head(inside: str) -> str:
    return f"<!doctype html><html><head>{inside}</head><body></body></html>"


def canonical(href: str) -> str:
    return head(f'<link rel="canonical" href="{href}">')


def refresh(content: str) -> str:
    return head(f'<meta http-equiv="refresh" content="{content}">')


def alternates(*pairs: tuple[str, str]) -> str:
    return head(
        "".join(f'<link rel="alternate" hreflang="{lang}" href="{href}">' for lang, href in pairs)
    )


NOINDEX = head('<meta name="robots" content="noindex">')


def links(*targets: str) -> str:
    """A page that links to these targets."""
    return "<p>Tea and pots<p>" + "".join(
        f'<a class="x" href="{target}">x</a>' for target in targets
    )
