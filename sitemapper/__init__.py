"""Build and check the sitemaps of a static site.

The public API: `load` makes a Setup, `build` publishes, `check` compares, `explain` says why a page
is listed or not, and `validate` checks any sitemaps. Names are loaded when they are used, so that
`import sitemapper` is fast. A run without a time uses the current time.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, without its import
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from ._version import __version__ as __version__
    from .commands.build import Summary
    from .commands.explain import Explanation
    from .config import Config
    from .errors import SitemapperError
    from .linter import Finding, Severity, validate
    from .messages import Message
    from .model import Change, Entry, Excluded, File, Gone, Listed, Origin, Plan, Reason, Run, Setup
    from .observer import Observer

_HOMES = {
    "Summary": "commands.build", "Explanation": "commands.explain", "Config": "config",
    "SitemapperError": "errors", "Message": "messages", "Change": "model", "Entry": "model",
    "Excluded": "model", "File": "model", "Gone": "model", "Listed": "model", "Origin": "model",
    "Plan": "model", "Reason": "model", "Run": "model", "Setup": "model", "Observer": "observer",
    "Finding": "linter", "Severity": "linter", "validate": "linter",
    "__version__": "_version",
}  # fmt: skip
__all__ = [
    "Change", "Config", "Entry", "Excluded", "Explanation", "File", "Finding", "Gone", "Listed",
    "Message", "Observer", "Origin", "Plan", "Reason", "Run", "Setup", "Severity",
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


def load(
    values: Mapping[str, Any] | None = None,
    *,
    config: Sequence[str] = (),
    cwd: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Setup:
    """Reads the settings of a run: `values` in the shape of the configuration file, and that file.

    The file is the nearest one from `cwd` upwards, or the one that `config` names, which may also
    have lines of TOML. `environment` has the variables to read; without it, none are read.

    Raises SitemapperError with all faults.
    """
    import os

    from .config import load as load_config
    from .model import Run, Setup

    environment = environment or {}
    folder = os.path.realpath(cwd or os.curdir)
    return Setup(
        load_config({}, folder, environment, config, values, "settings"), Run(folder, environment)
    )


def build(
    setup: Setup,
    *,
    now: datetime | None = None,
    dry_run: bool = False,
    observer: Observer | None = None,
) -> Summary:
    """Builds and publishes the sitemaps of a site, and says what changed.

    With `dry_run`, nothing is written. Raises SitemapperError for what a user can fix.
    """
    from .commands.build import build as run
    from .observer import QUIET

    way = setup.run._replace(is_dry=dry_run)
    return run(setup.config, way, now or _clock(), observer or QUIET)


def check(
    setup: Setup, *, now: datetime | None = None, observer: Observer | None = None
) -> Summary:
    """Compares the published files with what `build` would write now. Writes nothing itself.

    Raises SitemapperError for whatever would stop a build.
    """
    from .commands.check import check as run
    from .observer import QUIET

    return run(setup.config, setup.run, now or _clock(), observer or QUIET)


def explain(setup: Setup, target: str, *, now: datetime | None = None) -> Explanation:
    """Explains why a page is listed or not. `target` is its path in the site, or its URL.

    Raises SitemapperError if there is no such page.
    """
    from .commands.explain import explain as run

    return run(setup.config, setup.run, target, now or _clock())


def _clock() -> datetime:
    from datetime import UTC, datetime

    return datetime.now(UTC)
