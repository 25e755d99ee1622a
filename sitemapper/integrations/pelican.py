"""The plugin for Pelican: `PLUGINS = ["sitemapper.integrations.pelican"]`.

Its options are in `SITEMAPPER`.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence

from pelican import Pelican, signals
from pelican.contents import Content
from pelican.generators import Generator

from ..errors import SitemapperError
from ..find.settle import Setup
from ..model import SourceFiles
from ..syntax.gitignore import escape_path
from . import Labels, labels_of, publish, settings_of

# Our key in the settings, which all parts of a run of Pelican share.
CONTENTS = "_SITEMAPPER_CONTENTS"
LABEL = "pelicanconf.py: SITEMAPPER"
log = logging.getLogger(__name__)


def register() -> None:
    """Connects the plugin."""
    logging.getLogger("pelican").addFilter(_without_traceback)
    signals.initialized.connect(_check)
    signals.all_generators_finalized.connect(_keep)
    signals.finalized.connect(_finish)


def _without_traceback(record: logging.LogRecord) -> bool:
    """Removes the traceback that Pelican logs for errors. The message of ours is enough."""
    if record.exc_info and isinstance(record.exc_info[1], SitemapperError):
        record.exc_info = None
    return True


def _check(pelican: Pelican) -> None:
    """Reports errors in the options before the site is built."""
    if _makes_sitemap(pelican):
        _settings(pelican, ())


def _makes_sitemap(pelican: Pelican) -> bool:
    """Whether URLs are absolute. Previews have relative URLs or no SITEURL."""
    return bool(pelican.settings["SITEURL"]) and not pelican.settings["RELATIVE_URLS"]


def _keep(generators: Sequence[Generator]) -> None:
    """Stores the generators' articles and pages in the settings, for `_finish`.

    Pelican drops them when the generators have finished.
    """
    any_generator = generators[0]  # they share their context and their settings
    context = any_generator.context
    contents = (*context["generated_content"].values(), *context["static_content"].values())
    written = [content for content in contents if content and content.save_as]
    any_generator.settings[CONTENTS] = written


def _finish(pelican: Pelican) -> None:
    """Builds the sitemaps of the finished site."""
    if not _makes_sitemap(pelican):
        log.info("no sitemap without SITEURL or with RELATIVE_URLS")
        return
    contents = pelican.settings[CONTENTS]
    sources = {content.save_as: (content.source_path,) for content in contents}
    files = SourceFiles(pelican.path, sources)
    labels = _labels(pelican)
    publish(_settings(pelican, contents), labels, files, log.warning, log.info)


def _labels(pelican: Pelican) -> Labels:
    """How messages name our options and SITEURL, which may stand in one of several files."""
    return labels_of(pelican.settings.get("SITEMAPPER", {}), LABEL, "SITEURL")


def _settings(pelican: Pelican, contents: Sequence[Content]) -> Setup:
    """What a build starts from.

    Drafts and hidden articles are ignored, as Pelican lists neither.
    """
    unlisted = [content.save_as for content in contents if content.status in ("draft", "hidden")]
    return settings_of(
        pelican.settings.get("SITEMAPPER", {}),
        _labels(pelican),
        os.getcwd(),
        base_url=pelican.settings["SITEURL"],
        site=pelican.output_path,
        ignore=[escape_path(path) for path in sorted(unlisted)],
    )
