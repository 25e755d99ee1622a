"""Pelican: `PLUGINS = ["sitemapper.integrations.pelican"]`, with options in `SITEMAPPER`."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence

from pelican import Pelican, signals
from pelican.contents import Content
from pelican.generators import Generator

from ..config.settings import Settings
from ..model import SourceFiles
from ..syntax.gitignore import escape_path
from . import publish, settings_of

CONTENTS = "_SITEMAPPER_CONTENTS"  # what we keep in the settings, which all parts of one run of Pelican share
LABEL = "pelicanconf.py: SITEMAPPER"
log = logging.getLogger(__name__)


def register() -> None:
    """Connects the plugin."""
    signals.all_generators_finalized.connect(_keep)
    signals.finalized.connect(_finish)


def _keep(generators: Sequence[Generator]) -> None:
    """Keeps what the generators made, which is forgotten when they have finished."""
    context, settings = generators[0].context, generators[0].settings
    contents = (*context["generated_content"].values(), *context["static_content"].values())
    settings[CONTENTS] = [content for content in contents if content and content.save_as]


def _finish(pelican: Pelican) -> None:
    """Builds the sitemaps, but for a preview: one has relative URLs or none."""
    if pelican.settings["RELATIVE_URLS"] or not pelican.settings["SITEURL"]:
        log.info("no sitemap without SITEURL or with RELATIVE_URLS")
        return
    contents = pelican.settings[CONTENTS]
    made = {content.save_as: (content.source_path,) for content in contents}
    publish(_settings(pelican, contents), LABEL, SourceFiles(pelican.path, made), log.warning, log.info)


def _settings(pelican: Pelican, contents: Sequence[Content]) -> Settings:
    unlisted = (content.save_as for content in contents if content.status in ("draft", "hidden"))
    return settings_of(
        pelican.settings.get("SITEMAPPER", {}),
        LABEL,
        os.getcwd(),
        base_url=pelican.settings["SITEURL"],
        site=pelican.output_path,
        ignore=[escape_path(path) for path in sorted(unlisted)],
    )
