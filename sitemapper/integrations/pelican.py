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
from ..find.load import Setup
from ..model import SourceFiles
from ..syntax.gitignore import escape_path
from . import Labels, make_labels, make_setup, publish

# Our key in the settings, which all parts of a run of Pelican share.
CONTENTS = "_SITEMAPPER_CONTENTS"
LABEL = "pelicanconf.py: SITEMAPPER"
log = logging.getLogger(__name__)


def register() -> None:
    """Connects the plugin: it checks the options first, and builds when the site is finished."""
    logging.getLogger("pelican").addFilter(_without_traceback)
    signals.initialized.connect(_check_options)
    signals.all_generators_finalized.connect(_store_contents)
    signals.finalized.connect(_build_sitemaps)


def _without_traceback(record: logging.LogRecord) -> bool:
    """Removes the traceback of our errors from Pelican's log, because their message is enough.

    This is a filter of `logging`, which keeps a record if the result is True. It keeps all.
    """
    if record.exc_info and isinstance(record.exc_info[1], SitemapperError):
        record.exc_info = None
    return True


def _check_options(pelican: Pelican) -> None:
    """Raises an error for wrong options before the site is built, so that Pelican stops early."""
    if _makes_sitemap(pelican):
        _make_setup(pelican, ())


def _makes_sitemap(pelican: Pelican) -> bool:
    """Whether a sitemap is built: not for a preview, which has relative URLs or no SITEURL."""
    return bool(pelican.settings["SITEURL"]) and not pelican.settings["RELATIVE_URLS"]


def _store_contents(generators: Sequence[Generator]) -> None:
    """Stores the articles and pages in Pelican's settings, for `_build_sitemaps`.

    Pelican drops the generators, and with them the articles, before the site is finished.
    """
    any_generator = generators[0]  # all share one context and the settings
    context = any_generator.context
    # Articles and pages, then static files. Content without `save_as` is not written.
    contents = (*context["generated_content"].values(), *context["static_content"].values())
    written = [content for content in contents if content and content.save_as]
    any_generator.settings[CONTENTS] = written


def _build_sitemaps(pelican: Pelican) -> None:
    """Builds the sitemaps of the finished site, with the source file of each page."""
    if not _makes_sitemap(pelican):
        log.info("no sitemap without SITEURL or with RELATIVE_URLS")
        return
    contents = pelican.settings[CONTENTS]
    sources = {content.save_as: (content.source_path,) for content in contents}
    files = SourceFiles(pelican.path, sources)
    publish(_make_setup(pelican, contents), files, log.warning, log.info)


def _make_labels(pelican: Pelican) -> Labels:
    """Makes what messages call the settings: `pelicanconf.py: SITEMAPPER`, and `SITEURL`.

    `SITEURL` is named without a file, because any of several files may set it.
    """
    return make_labels(pelican.settings.get("SITEMAPPER", {}), LABEL, "SITEURL")


def _make_setup(pelican: Pelican, contents: Sequence[Content]) -> Setup:
    """Makes the setup of a build from the options in SITEMAPPER, SITEURL, and the output folder.

    Drafts and hidden articles among the `contents` are ignored, as Pelican lists neither.
    """
    unlisted = [content.save_as for content in contents if content.status in ("draft", "hidden")]
    return make_setup(
        pelican.settings.get("SITEMAPPER", {}),
        _make_labels(pelican),
        os.getcwd(),
        base_url=pelican.settings["SITEURL"],
        site=pelican.output_path,
        ignore=[escape_path(path) for path in sorted(unlisted)],
    )
