"""Sitemaps that search engines can trust, from a built static site.

The public API: `load` makes Settings, `build` publishes, `check` compares, `explain` answers for one
page, `validate` looks at anyone's sitemaps. Names are loaded when they are used, so
that `import sitemapper` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .commands.build import build
    from .commands.check import Checked, check
    from .commands.explain import Explanation, explain
    from .config.load import load
    from .config.settings import Settings
    from .errors import SitemapperError
    from .linter import Finding, Severity, validate
    from .model import Caution, Change, Excluded, FileChange, Origin, Reason, Summary
    from .pipeline.listener import Listener

__version__ = "0.1.0"

_HOMES = {
    "load": "config.load",
    "build": "commands.build",
    "explain": "commands.explain",
    **dict.fromkeys(("check", "Checked"), "commands.check"),
    **dict.fromkeys(("validate", "Finding", "Severity"), "linter"),
    "Explanation": "commands.explain",
    "Settings": "config.settings",
    "SitemapperError": "errors",
    "Listener": "pipeline.listener",
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
