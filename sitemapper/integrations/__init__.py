"""Plugins for generators: the generator names its site and the sources of pages, and we build the
sitemap.

This module has the shared parts. Each plugin has its own file, which only its generator imports.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from ..cli.request import cache_folder
from ..cli.text import amounts
from ..cli.words import listed_and_excluded, message_text
from ..commands.build import build
from ..errors import ConfigError, SitemapperError, with_help
from ..find.load import load
from ..find.plugins import make_record
from ..find.settle import Setup
from ..fs import ancestors
from ..model import SourceFiles
from ..observer import Observer
from ..read.cache import keep

# What folders of versions are called: 1.0, v2, 3.x, latest.
_VERSION = re.compile(
    r"v?\d+([._-][^\W_]+)*|latest|stable|main|master|dev|devel|develop|nightly", re.I
)


class Labels(NamedTuple):
    """How messages and records name what a project sets: our options, and the base URL.

    They begin with the file, such as `conf.py: sitemapper_options` and `conf.py: html_baseurl`.
    """

    options: str
    base_url: str


class _Counting(Observer):
    """Plugins print how many pages are listed, and not which of them are new."""

    wants_changes = False


def labels_of(options: object, label: str, base_url: str) -> Labels:
    """The labels of a project, whose options may set the base URL in place of the generator."""
    if isinstance(options, Mapping) and "base_url" in options:
        return Labels(label, label)
    return Labels(label, base_url)


def settings_of(
    options: object,
    labels: Labels,
    project: str,
    *,
    base_url: str,
    site: str,
    ignore: Sequence[str] = (),
    canonical: bool = True,
) -> Setup:
    """The settings of a project. Its options have the keys of sitemapper.toml, or name such a file.

    `ignore` are pages that the generator makes for itself. `canonical` says whether its canonicals
    are right. Raises ConfigError.
    """
    if not isinstance(options, Mapping):
        problem = f"{labels.options}: must be a dictionary, not {options!r}"
        raise ConfigError((with_help(problem, 'write for example {"ignore": ["drafts/"]}'),))
    values = {"base_url": base_url, "site": site, **options}
    config = values.pop("config", os.devnull)  # without it, no file is looked for
    if not isinstance(config, str):
        raise ConfigError((f"{labels.options}: config: must be a path, not {config!r}",))
    top = ancestors(project)[-1]
    is_in_git = os.path.exists(os.path.join(top, ".git"))
    sources = ["page", "git"] if is_in_git else ["page"]
    defaults = {"ignore": ignore, "lastmod": sources, "respect": {"canonical": canonical}}
    flags = {}
    if labels.base_url != labels.options:
        flags["base_url"] = labels.base_url
    setup = load(
        values,
        label=labels.options,
        defaults=defaults,
        config=config,
        env=os.environ,
        cwd=project,
        flags=flags,
    )
    # A generator may have threads, which a fork would lose.
    return setup._replace(run=setup.run._replace(jobs=1))


def publish(
    setup: Setup,
    labels: Labels,
    files: SourceFiles,
    warn: Callable[[str], None],
    tell: Callable[[str], None],
) -> None:
    """Builds the sitemaps of a finished site, and leaves a record of it for the command line.

    Raises SitemapperError; with `strict` also for warnings.
    """
    setup = setup._replace(site=setup.site._replace(source_files=files))
    summary = build(setup, now=datetime.now(UTC), observer=_Counting())
    folder = cache_folder()
    if folder:
        with suppress(OSError):
            read_from = [path for path, _ in setup.run.read_from]
            name, text = make_record(setup.settings, setup.site, setup.run.cwd, read_from, labels)
            keep(folder, name, text)
    warnings = list(map(message_text, summary.warnings))
    if setup.settings.strict and warnings:
        raise SitemapperError("\n".join(warnings))
    for warning in warnings:
        warn(warning)
    dates = amounts((f"by {source}", count) for source, count in summary.dated.items())
    tell(f"{summary.sitemap}: {listed_and_excluded(summary)}; dated: {dates or 'none'}")
    for note in summary.notes:
        tell(f"note: {message_text(note)}")


def other_version(setup: Setup, env: Mapping[str, str]) -> str:
    """The version that is built if the base URL is that of another one, else "".

    Its sitemap would list pages of a folder that it is not in. Read the Docs names the version in a
    variable (docs.readthedocs.com/platform/stable/reference/environment-variables.html). Elsewhere
    the site's folder may be called like one.
    """
    named = os.path.basename(urlsplit(setup.site.base_url).path.rstrip("/"))
    built = env.get("READTHEDOCS_VERSION", "")
    if not built:
        folder = os.path.basename(setup.site.root)
        built = folder if _VERSION.fullmatch(folder) else named
    if built == named or not _VERSION.fullmatch(named):
        return ""
    return built


def no_sitemap_of(version: str, base_url: str) -> str:
    """Says why a version of a documentation has no sitemap."""
    return f"no sitemap of {version}: canonical elsewhere ({base_url})"


@contextmanager
def raised_as(kind: type[Exception]) -> Iterator[None]:
    """Raises our errors as the generator's own, which it shows without a traceback."""
    try:
        yield
    except SitemapperError as error:
        raise kind(str(error)) from None
