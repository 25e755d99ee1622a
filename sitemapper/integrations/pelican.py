"""The plugin of Pelican: `PLUGINS = ["sitemapper.integrations.pelican"]`."""

import logging
import os
import re
from collections.abc import Sequence

from pelican import Pelican, signals
from pelican.generators import Generator

from ..messages import SitemapperError
from ..model import Line, Origin
from . import publish, read_options

# Our keys in the settings, which all parts of a run of Pelican share.
_CONFIG = "_SITEMAPPER_CONFIG"
_CONTENTS = "_SITEMAPPER_CONTENTS"
_SPECIAL = re.compile(r"[\\*?\[ ]")  # in patterns
log = logging.getLogger(__name__)


def register() -> None:
    """Connects the plugin with what Pelican signals: begin, contents read, end."""
    logging.getLogger("pelican").addFilter(_without_traceback)
    signals.initialized.connect(_begin)
    signals.all_generators_finalized.connect(_store_contents)
    signals.finalized.connect(_finish)


def _without_traceback(record: logging.LogRecord) -> bool:
    """Removes the traceback from a log record of one of our errors, which are no bugs.

    It is a filter of Pelican's log. True means that the record is logged.
    """
    if record.exc_info and isinstance(record.exc_info[1], SitemapperError):
        record.exc_info = None
    return True


def _begin(pelican: Pelican) -> None:
    """Reads the options before the site is built. Raises SitemapperError for what is wrong."""
    settings = pelican.settings
    settings[_CONFIG] = None
    if not settings["SITEURL"] or settings["RELATIVE_URLS"]:
        log.info("no sitemap without SITEURL or with RELATIVE_URLS")
        return
    values = {"base_url": settings["SITEURL"], "site": pelican.output_path}
    options = settings.get("SITEMAPPER", {})
    settings[_CONFIG] = read_options(options, "pelicanconf.py", os.getcwd(), values)


def _store_contents(generators: Sequence[Generator]) -> None:
    """Keeps the articles, pages and files for `_finish`, because Pelican drops them before it.

    All generators of a run share their context and settings, so the first one is enough.
    """
    context = generators[0].context
    contents = [*context["generated_content"].values(), *context["static_content"].values()]
    generators[0].settings[_CONTENTS] = [
        content for content in contents if content and content.save_as
    ]


def _finish(pelican: Pelican) -> None:
    """Builds the sitemaps of the finished site.

    Drafts and hidden articles are left out: each gets a line such as a .sitemapignore has. Pages
    are dated by the files from which Pelican made them.
    """
    config = pelican.settings[_CONFIG]
    if config is None:
        return
    ignore: list[Line] = []
    sources: dict[str, list[str]] = {}
    for content in pelican.settings[_CONTENTS]:
        sources[content.save_as] = [content.source_path]
        if content.status in ("draft", "hidden"):
            # The pattern must match this file only, so special characters such as `*` are escaped.
            pattern = _SPECIAL.sub(r"\\\g<0>", f"/{content.save_as}")
            ignore.append(Line(pattern, Origin("Pelican", None, f"status: {content.status}")))
    config = config._replace(ignore=(*ignore, *config.ignore))
    publish(config, os.getcwd(), sources, log.warning, log.info)
