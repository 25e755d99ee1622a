"""Sitemaps that search engines can trust, from a built static site.

The public API: `load` makes Settings, `build` publishes, `check` compares, `explain` answers for one
page, `validate` looks at anyone's sitemaps. Names are loaded when they are used, so
that `import sitemapper` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .building import build
    from .checking import Checked, check
    from .config import load
    from .errors import SitemapperError
    from .explanation import Explanation, explain
    from .linter import Finding, Severity, validate
    from .listener import Listener
    from .model import Caution, Change, Excluded, FileChange, Origin, Reason, Summary
    from .settings import Settings

__version__ = "0.1.0"

_HOMES = {
    "load": "config",
    "build": "building",
    "explain": "explanation",
    **dict.fromkeys(("check", "Checked"), "checking"),
    **dict.fromkeys(("validate", "Finding", "Severity"), "linter"),
    "Explanation": "explanation",
    "Settings": "settings",
    "SitemapperError": "errors",
    "Listener": "listener",
    **dict.fromkeys(("Caution", "Change", "Excluded", "FileChange", "Origin", "Reason", "Summary"), "model"),
}
__all__ = [
    "Caution",
    "Change",
    "Checked",
    "Excluded",
    "Explanation",
    "FileChange",
    "Finding",
    "Listener",
    "Origin",
    "Reason",
    "Settings",
    "Severity",
    "SitemapperError",
    "Summary",
    "build",
    "check",
    "explain",
    "load",
    "validate",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
