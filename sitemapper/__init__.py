"""Build, check and submit the sitemaps of a static site.

The public API: `load` makes a Setup, `build` publishes, `check` compares, `explain` says why a page
is listed or not, and `validate` checks any sitemaps. Names are loaded when they are used, so that
`import sitemapper` is fast. A run without a time uses the current time.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, without its import
if TYPE_CHECKING:
    from datetime import datetime

    from ._version import __version__ as __version__
    from .commands.check import Checked
    from .commands.explain import Explanation
    from .config.settings import Settings
    from .errors import SitemapperError
    from .find.load import Setup, load
    from .linter import Finding, Severity, validate
    from .messages import Kind, Message
    from .model import Change, Excluded, Fate, FileChange, GoneUrl, Origin, Reason, Summary
    from .observer import Observer

_HOMES = {
    "Change": "model", "FileChange": "model", "Summary": "model", "Checked": "commands.check",
    "Explanation": "commands.explain", "Excluded": "model", "Origin": "model", "Reason": "model",
    "Kind": "messages", "Message": "messages", "Finding": "linter", "Severity": "linter",
    "validate": "linter",
    "Observer": "observer", "Settings": "config.settings", "SitemapperError": "errors",
    "load": "find.load", "Setup": "find.load", "__version__": "_version", "Fate": "model",
    "GoneUrl": "model",
}  # fmt: skip
__all__ = [
    "Change", "Checked", "Excluded", "Explanation", "Fate", "FileChange", "Finding", "GoneUrl",
    "Kind", "Message", "Observer", "Origin", "Reason", "Settings", "Setup", "Severity",
    "SitemapperError", "Summary",
    "build", "check", "explain", "load", "validate",
]  # fmt: skip


def __getattr__(name: str) -> object:
    """Imports a public name when it is first used (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def build(
    settings: Setup,
    *,
    now: datetime | None = None,
    dry_run: bool = False,
    observer: Observer | None = None,
) -> Summary:
    """Builds and publishes the sitemaps of a site. With `dry_run`, nothing is written.

    Raises SitemapperError for what a user can fix.
    """
    from .commands.build import build as run

    return run(settings, now=now or _clock(), dry_run=dry_run, observer=observer)


def check(
    settings: Setup,
    *,
    now: datetime | None = None,
    observer: Observer | None = None,
) -> Checked:
    """Compares the published files with what `build` would write now. Writes nothing itself.

    Raises SitemapperError for whatever would stop a build.
    """
    from .commands.check import check as run

    return run(settings, now=now or _clock(), observer=observer)


def explain(settings: Setup, target: str, *, now: datetime | None = None) -> Explanation:
    """Explains why a page is listed or not. `target` is its path in the site, or its URL.

    Raises SitemapperError if there is no such page.
    """
    from .commands.explain import explain as run

    return run(settings, target, now=now or _clock())


def _clock() -> datetime:
    from datetime import UTC, datetime

    return datetime.now(UTC)
