"""Pages by what stands in their heads."""

from __future__ import annotations


def head(inside: str) -> str:
    return f"<!doctype html><html><head>{inside}</head><body></body></html>"


def canonical(href: str) -> str:
    return head(f'<link rel="canonical" href="{href}">')


def refresh(content: str) -> str:
    return head(f'<meta http-equiv="refresh" content="{content}">')


NOINDEX = head('<meta name="robots" content="noindex">')
