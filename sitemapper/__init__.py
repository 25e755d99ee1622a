"""Sitemaps that search engines can trust, from a built static site.

The public API: `load` makes Settings, `build` publishes. Names are loaded when they are used, so
that `import sitemapper` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .building import build
    from .config import load
    from .errors import SitemapperError
    from .explanation import Explanation, explain
    from .listening import Listener
    from .model import Caution, Change, Excluded, FileChange, Origin, Reason, Summary
    from .settings import Settings

__version__ = "0.1.0"

_HOMES = {
    "load": "config",
    "build": "building",
    "explain": "explanation",
    "Explanation": "explanation",
    "Settings": "settings",
    "SitemapperError": "errors",
    "Listener": "listening",
    **dict.fromkeys(("Caution", "Change", "Excluded", "FileChange", "Origin", "Reason", "Summary"), "model"),
}
__all__ = [
    "Caution",
    "Change",
    "Excluded",
    "Explanation",
    "FileChange",
    "Listener",
    "Origin",
    "Reason",
    "Settings",
    "SitemapperError",
    "Summary",
    "build",
    "explain",
    "load",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
