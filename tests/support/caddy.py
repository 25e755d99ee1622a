"""A Caddyfile, and what its rules do with a page of a small site."""

from __future__ import annotations

from sitemapper.hosts.caddy import READER
from sitemapper.hosts.host import HostRules
from sitemapper.model import Reason
from support import BASE

NOW = 1_780_272_000  # 2026-06-01
FILE = "Caddyfile"
SITE = {"/a/": "d", **dict.fromkeys(["/index.html", "/a/index.html", "/b.html"], "f")}


def caddyfile(text: str, name: str = "example.com") -> str:
    """A file with one site that serves files."""
    return f"{name} {{\nroot * /srv\n{text}\nfile_server\n}}\n"


def read(text: str) -> HostRules:
    """The rules of a file with one site and these directives."""
    return READER.read({FILE: caddyfile(text)}, BASE, NOW)


def reason(path: str, text: str) -> Reason | None:
    """Why a page at a URL path is left out by these directives, None if it is not."""
    effect = read(text).effect(path, lambda seen: SITE.get(seen, ""))
    return effect and effect.reason
