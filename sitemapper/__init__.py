"""Build and check the sitemaps of a static site.

The public API: `load` makes a Setup, `build` publishes, `check` compares, `explain` says why a page
is listed or not, and `validate` checks any sitemaps. The modules are loaded when they are used, so
that `import sitemapper` is fast. A run without a time uses the current time.
"""

from __future__ import annotations

__version__ = "1.0.0rc1"

from .messages import QUIET, Observer, SitemapperError

TYPE_CHECKING = False  # as in `typing`, without its import
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from .commands.build import Summary
    from .commands.explain import Explanation
    from .linter import Finding
    from .model import Setup

__all__ = ["Observer", "SitemapperError", "build", "check", "explain", "load", "validate"]


def load(
    values: Mapping[str, Any] | None = None,
    *,
    config: Sequence[str] = (),
    cwd: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Setup:
    """Reads the settings of a run from a configuration file, and adds `values` in its shape.

    `load({"base_url": "https://tea.example", "site": "public"})`. The file is the nearest one from
    the folder `cwd` upwards, or the one that `config` names, in which lines of TOML may stand, too.
    `environment` has the variables to read; without it, none are read.

    Raises SitemapperError with all faults.
    """
    import os

    from .config import load as load_config
    from .model import Run, Setup

    run = Run(os.path.realpath(cwd or os.curdir), environment or {})
    return Setup(load_config({}, run.cwd, run.environment, config, values, "settings"), run)


def build(
    setup: Setup,
    *,
    now: datetime | None = None,
    dry_run: bool = False,
    observer: Observer = QUIET,
) -> Summary:
    """Builds and publishes the sitemaps of a site, and says what changed.

    With `dry_run`, nothing is written. Raises SitemapperError for what a user can fix.
    """
    from .commands.build import build as run

    return run(setup.config, setup.run._replace(is_dry=dry_run), now or _clock(), observer)


def check(setup: Setup, *, now: datetime | None = None, observer: Observer = QUIET) -> Summary:
    """Compares the published files with what `build` would write now. Writes nothing itself.

    `problem` in the result is the error for which a build would stop. Raises SitemapperError for
    what a user can fix.
    """
    return build(setup, now=now, dry_run=True, observer=observer)


def explain(setup: Setup, target: str, *, now: datetime | None = None) -> Explanation:
    """Explains why a page is listed or not. `target` is its path in the site, or its URL.

    Raises SitemapperError if there is no such page.
    """
    from .commands.explain import explain as run

    return run(setup.config, setup.run, target, now or _clock())


def validate(paths: Sequence[str], *, now: datetime | None = None) -> Iterator[Finding]:
    """Yields what is wrong with sitemaps of any tool: files, or folders with them.

    Raises SitemapperError for what cannot be read.
    """
    from .linter import validate as run

    return run(paths, now=int((now or _clock()).timestamp()))


def _clock() -> datetime:
    from datetime import UTC, datetime

    return datetime.now(UTC)
