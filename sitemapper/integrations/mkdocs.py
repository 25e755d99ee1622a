"""The plugin for MkDocs and ProperDocs, which loads it too: `plugins: [search, sitemapper]`."""

from __future__ import annotations

import logging
import os
from typing import Any

from mkdocs.config.base import ConfigErrors, ConfigWarnings, LegacyConfig
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import Files

from ..errors import SitemapperError
from ..find.load import Setup
from ..model import SourceFiles
from . import (
    describe_missing_sitemap,
    find_mismatched_version,
    make_labels,
    make_setup,
    publish,
    raised_as,
)

LAST = -100  # the priority that runs after other plugins
OWN = "sitemap.xml"  # the template of MkDocs itself
log = logging.getLogger("mkdocs.plugins.sitemapper")


class SitemapperPlugin(BasePlugin[LegacyConfig]):
    """Builds the sitemaps of a finished site, instead of the one that MkDocs writes."""

    def __init__(self) -> None:
        self._options: dict[str, Any] = {}  # set by `load_config`
        self._is_preview = False  # set by `on_startup`: whether this is `mkdocs serve`

        # Set by `on_config`.
        self._setup: Setup | None = None  # None if no sitemap is wanted

        self._files = SourceFiles("", {})  # filled by `on_env`: the source file of each page

    def load_config(
        self, options: dict[str, Any], config_file_path: str | None = None
    ) -> tuple[ConfigErrors, ConfigWarnings]:
        """Keeps the options without a check: `on_config` checks them together with site_url."""
        self._options = dict(options)
        return [], []

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Forgets the pages of an earlier run, and notes whether this one is `mkdocs serve`.

        For such a preview, no sitemap is built.
        """
        self._files = SourceFiles("", {})
        self._is_preview = command == "serve"

    @event_priority(LAST)
    def on_config(self, config: MkDocsConfig) -> None:
        """Reads the settings before the site is built, so that faults stop MkDocs early.

        Raises PluginError for faults in the options, or without site_url.
        """
        self._setup = None  # MkDocs may keep this object for another build
        if self._is_preview:
            return
        folder, file = os.path.split(os.path.abspath(config.config_file_path or "mkdocs.yml"))
        labels = make_labels(self._options, f"{file}: sitemapper", f"{file}: site_url")
        ignore = []
        if "search.html" in config.theme.static_templates:
            ignore.append("/search.html")  # the page of the search plugin
        with raised_as(PluginError):
            if not config.site_url:
                raise SitemapperError(f"{file}: site_url is not set", f"set site_url in {file}")
            self._setup = make_setup(
                self._options,
                labels,
                folder,
                base_url=config.site_url,
                site=config.site_dir,
                ignore=ignore,
            )

    def on_post_template(self, output: str, /, *, template_name: str, config: MkDocsConfig) -> str:
        """Returns "" for MkDocs' own sitemap, so that MkDocs writes neither it nor its .gz.

        Any other template is returned as it is. So is the sitemap if this plugin builds none.
        """
        if template_name == OWN and self._setup:
            return ""
        return output

    @event_priority(LAST)
    def on_env(self, env: object, /, *, config: MkDocsConfig, files: Files) -> None:
        """Adds the source file of each page: `blog/a/index.html` from `docs/blog/a.md`.

        mkdocs-static-i18n builds the site once for each language. So the pages of this build are
        added to those of earlier ones.
        """
        sources_by_page = dict(self._files.of)
        for file in files:
            if file.abs_src_path:  # a page that a plugin makes has no source file
                sources_by_page[file.dest_uri] = (file.abs_src_path,)
        # `may_be_stubs`: a file may have only the line `::: package.module`, for which mkdocstrings
        # writes the text of the page.
        self._files = SourceFiles(config.docs_dir, sources_by_page, may_be_stubs=True)

    @event_priority(LAST)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Builds the sitemaps of the finished site. MkDocs calls this after each build.

        A site may have several versions side by side, /1.0/ and /latest/. If `1.0` is built with
        the site_url https://a.example/latest/, its canonicals name the pages of `latest`. Then
        `1.0` gets no sitemap, and the log says why.
        """
        if not self._setup:
            return
        site_url = config.site_url or ""  # `on_config` has raised an error if it is missing
        version = _find_version_at_other_url(self._setup, site_url)
        if version:
            why = describe_missing_sitemap(version, site_url)
            log.info("sitemapper: %s", why)
            return
        with raised_as(PluginError):
            publish(self._setup, self._files, log.warning, log.info)


def _find_version_at_other_url(setup: Setup, site_url: str) -> str:
    """Returns the version that is built, if `site_url` is the URL of another version. Else "".

    mike builds `2.0`, and `site_url` is `https://a.example/latest/` → `2.0`. A sitemap would list
    the pages of `latest`, so none is written.
    """
    version = os.environ.get("MIKE_DOCS_VERSION")
    if version is None:  # mike does not build it, so other signs have to show the version
        return find_mismatched_version(setup, os.environ)
    version_in_url = os.path.basename(site_url.rstrip("/"))
    is_at_other_url = version_in_url != version
    return version if is_at_other_url else ""
