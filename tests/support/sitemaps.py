"""Builders of sitemaps that tests share."""

from __future__ import annotations

SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


LOC = "<loc>https://example.com/</loc>"


def urlset(*entries: str, spaces: str = "", root: str = "urlset") -> str:
    """A sitemap with the children of each entry."""
    name = "url" if root == "urlset" else "sitemap"
    rows = "\n".join(f"<{name}>{entry}</{name}>" for entry in entries)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{SPACE}" {spaces}>\n{rows}\n</{root}>\n'


def index(*entries: str) -> str:
    return urlset(*entries, root="sitemapindex")


def locs(*urls: str) -> str:
    return urlset(*(f"<loc>{url}</loc>" for url in urls))
