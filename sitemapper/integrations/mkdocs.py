"""The plugin for MkDocs, and for ProperDocs, which loads it too:

`plugins: [search, sitemapper]`.
"""

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
from ..find.settle import Setup
from ..model import SourceFiles
from . import Labels, labels_of, no_sitemap_of, other_version, publish, raised_as, settings_of

LAST = -100  # the priority that runs after other plugins
OWN = "sitemap.xml"  # the template of MkDocs itself
log = logging.getLogger("mkdocs.plugins.sitemapper")


class SitemapperPlugin(BasePlugin[LegacyConfig]):
    """Builds the sitemaps of a finished site, instead of the one that MkDocs writes."""

    def __init__(self) -> None:
        self._options: dict[str, Any] = {}
        self._is_preview = False
        self._settings: Setup | None = None  # None if no sitemap is wanted
        self._labels = Labels("", "")
        self._files = SourceFiles("", {})

    def load_config(
        self, options: dict[str, Any], config_file_path: str | None = None
    ) -> tuple[ConfigErrors, ConfigWarnings]:
        """Stores the options. `on_config`, which also has site_url, checks them."""
        self._options = dict(options)
        return [], []

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Forgets earlier runs. Does nothing in `mkdocs serve`."""
        self._files = SourceFiles("", {})
        self._is_preview = command == "serve"

    @event_priority(LAST)
    def on_config(self, config: MkDocsConfig) -> None:
        """Reports errors in the options before the site is built."""
        self._settings = None  # MkDocs may keep this object for another build
        if self._is_preview:
            return
        folder, file = os.path.split(os.path.abspath(config.config_file_path or "mkdocs.yml"))
        self._labels = labels_of(self._options, f"{file}: sitemapper", f"{file}: site_url")
        ignore = []
        if "search.html" in config.theme.static_templates:
            ignore.append("/search.html")  # the page of the search plugin
        with raised_as(PluginError):
            if not config.site_url:
                raise SitemapperError(f"{file}: site_url is not set", f"set site_url in {file}")
            self._settings = settings_of(
                self._options,
                self._labels,
                folder,
                base_url=config.site_url,
                site=config.site_dir,
                ignore=ignore,
            )

    def on_post_template(self, output: str, /, *, template_name: str, config: MkDocsConfig) -> str:
        """Empties MkDocs' own sitemap, so that MkDocs does not write it or its .gz."""
        if template_name == OWN and self._settings:
            return ""
        return output

    @event_priority(LAST)
    def on_env(self, env: object, /, *, config: MkDocsConfig, files: Files) -> None:
        """Stores the source file of each page.

        mkdocs-static-i18n builds the site once for each language. The pages of all builds count.
        """
        sources = dict(self._files.of)  # of each page; a page that a plugin makes has none
        for file in files:
            if file.abs_src_path:
                sources[file.dest_uri] = (file.abs_src_path,)
        self._files = SourceFiles(config.docs_dir, sources, may_be_stubs=True)

    @event_priority(LAST)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Builds the sitemaps."""
        if not self._settings:
            return
        version = _other_version(self._settings, config.site_url or "")
        if version:
            log.info("sitemapper: %s", no_sitemap_of(version, config.site_url or ""))
            return
        with raised_as(PluginError):
            publish(self._settings, self._labels, self._files, log.warning, log.info)


def _other_version(settings: Setup, site_url: str) -> str:
    """The version that is built if the canonicals name another one, else "".

    mike builds one version of the documentation, such as 2.0, and names it in a variable. If
    site_url does not end with it, the canonicals name another version.
    """
    version = os.environ.get("MIKE_DOCS_VERSION")
    if version is None:
        return other_version(settings, os.environ)
    if not site_url or os.path.basename(site_url.rstrip("/")) == version:
        return ""
    return version
