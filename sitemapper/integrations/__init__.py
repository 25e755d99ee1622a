"""Plugins for generators: a generator passes its site and the sources of pages, and we build the
sitemap.

This module has the shared parts. Each plugin has its own file, which only its generator imports.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from ..cli.text import amounts
from ..cli.words import listed_and_excluded, message_text
from ..commands.build import build
from ..errors import ConfigError, SitemapperError
from ..find.load import Setup, load
from ..fs import ancestors
from ..model import SourceFiles
from ..observer import Observer

# The names of folders with versions of a documentation: 1.0, v2, 3.x, latest.
_VERSION = re.compile(
    r"v?\d+([._-][^\W_]+)*|latest|stable|main|master|dev|devel|develop|nightly", re.I
)


class _Counting(Observer):
    """An observer that needs no changes: plugins print how many pages are listed, not which."""

    wants_changes = False


class Labels(NamedTuple):
    """Where a project sets our options, and where it sets the base URL, for messages.

    In Sphinx: `conf.py: sitemapper_options` and `conf.py: html_baseurl`.
    """

    options: str
    base_url: str


def make_labels(options: object, options_label: str, base_url_label: str) -> Labels:
    """Says where a project sets our options, and where it sets its base URL, for messages.

    In Sphinx: our options at `conf.py: sitemapper_options`, and the base URL at `conf.py:
    html_baseurl`. If our options have the key `base_url`, that one counts, so the base URL is at
    `conf.py: sitemapper_options`, too.
    """
    is_base_url_option = isinstance(options, Mapping) and "base_url" in options
    if is_base_url_option:
        return Labels(options=options_label, base_url=options_label)
    return Labels(options=options_label, base_url=base_url_label)


def make_setup(
    options: object,
    labels: Labels,
    project: str,
    *,
    base_url: str,
    site: str,
    ignore: Sequence[str] = (),
    canonical: bool = True,
) -> Setup:
    """Loads the settings and the site of a build, from the generator's settings and our options.

    - `options` is a dictionary with the keys of sitemapper.toml: `{"ignore": ["drafts/"]}`. It may
      have the key `config`, with the path of such a file
    - `project` is the folder with the generator's settings
    - `base_url` and `site` are those of the generator, which our options may override
    - `ignore` has patterns for pages that the generator makes for itself
    - `canonical` is False if its canonicals are wrong, so that they have no effect

    Raises ConfigError for wrong options.
    """
    if not isinstance(options, Mapping):
        problem = f"{labels.options}: must be a dictionary, not {options!r}"
        raise ConfigError(problem, 'for example: {"ignore": ["drafts/"]}')
    # Our options override the values of the generator.
    values = {"base_url": base_url, "site": site, **options}
    config = values.pop("config", os.devnull)  # the null device: no file is searched for
    if not isinstance(config, str):
        raise ConfigError(f"{labels.options}: config: must be a path, not {config!r}")
    # The last of the ancestors is the root of the repository, if the project is in one.
    top = ancestors(project)[-1]
    is_in_git = os.path.exists(os.path.join(top, ".git"))
    # In a repository, git dates the sources of each page.
    sources = ["page", "git"] if is_in_git else ["page"]
    defaults = {"ignore": ignore, "lastmod": sources, "respect": {"canonical": canonical}}
    # Messages name the place of each value. All are in our options, except perhaps the base URL.
    labels_of_keys = {}
    if labels.base_url != labels.options:
        labels_of_keys["base_url"] = labels.base_url
    setup = load(
        values,
        label=labels.options,
        defaults=defaults,
        config=config,
        env=os.environ,
        cwd=project,
        flags=labels_of_keys,
    )
    # One process, because a generator may have threads. A process that is forked from it would lack
    # these, and could wait for them for ever.
    return setup._replace(run=setup.run._replace(jobs=1))


def publish(
    setup: Setup,
    files: SourceFiles,
    warn: Callable[[str], None],
    inform: Callable[[str], None],
) -> None:
    """Builds the sitemaps of a finished site, and writes the result to the generator's log.

    `files` are the source files of pages. `warn` and `inform` write to the log.

    Raises SitemapperError for whatever stops a build. With the setting `strict`, warnings raise it
    too, but the sitemaps are published by then.
    """
    setup = setup._replace(site=setup.site._replace(source_files=files))
    summary = build(setup, now=datetime.now(UTC), observer=_Counting())
    warnings = list(map(message_text, summary.warnings))
    if setup.settings.strict and warnings:
        raise SitemapperError("\n".join(warnings))
    for warning in warnings:
        warn(warning)
    dates = amounts((f"by {source}", count) for source, count in summary.dated.items())
    inform(f"{summary.sitemap}: {listed_and_excluded(summary)}; dated: {dates or 'none'}")
    for note in summary.notes:
        inform(f"note: {message_text(note)}")


def find_mismatched_version(setup: Setup, env: Mapping[str, str]) -> str:
    """Returns the version that is built, if the base URL is that of another version, else "".

    The base URL https://a.example/latest/ and a build of `1.0` → `1.0`. The caller writes no
    sitemap then, because it would list the pages of `latest`.

    Read the Docs sets a variable to the version that it builds
    (docs.readthedocs.com/platform/stable/reference/environment-variables.html). Elsewhere, the
    site's folder may have the name of a version: `public/1.0`.
    """
    version_in_url = os.path.basename(urlsplit(setup.site.base_url).path.rstrip("/"))
    if not _VERSION.fullmatch(version_in_url):
        return ""  # a base URL without a version is right for any of them
    built_version = env.get("READTHEDOCS_VERSION", "")
    if not built_version:
        folder = os.path.basename(setup.site.root)
        if not _VERSION.fullmatch(folder):
            return ""  # nothing tells which version is built
        built_version = folder
    return built_version if built_version != version_in_url else ""


def describe_missing_sitemap(version: str, canonical_base: str) -> str:
    """Says that a version of a documentation has no sitemap, because its canonicals name another.

    `no sitemap of 1.0: canonical elsewhere (https://a.example/latest/)`
    """
    return f"no sitemap of {version}: canonical elsewhere ({canonical_base})"


@contextmanager
def raised_as(kind: type[Exception]) -> Iterator[None]:
    """Raises our errors as `kind`, an error of the generator, which it shows without a traceback.

    `with raised_as(PluginError): …` for MkDocs.
    """
    try:
        yield
    except SitemapperError as error:
        raise kind(str(error)) from None
