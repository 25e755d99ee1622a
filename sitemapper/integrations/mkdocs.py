"""The plugin of MkDocs, and of ProperDocs: `plugins: [search, sitemapper]`."""

import logging
import os
from typing import Any

from mkdocs.config.base import ConfigErrors, ConfigWarnings, LegacyConfig
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import Files

from ..config import Config
from ..messages import SitemapperError
from . import publish, raised_as, read_options

_LAST = -100  # the priority that runs after other plugins
log = logging.getLogger("mkdocs.plugins.sitemapper")


class SitemapperPlugin(BasePlugin[LegacyConfig]):
    """Writes our sitemap instead of the one of MkDocs, but not for `mkdocs serve`."""

    def __init__(self) -> None:
        self._options: dict[str, Any] = {}
        self._is_preview = False
        self._config: Config | None = None  # None if no sitemap is wanted
        self._folder = ""
        self._sources: dict[str, list[str]] = {}  # the files of each page

    def load_config(
        self, options: dict[str, Any], config_file_path: str | None = None
    ) -> tuple[ConfigErrors, ConfigWarnings]:
        """Keeps the options, which `on_config` checks together with site_url."""
        self._options = dict(options)
        return [], []

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Notes whether this is `mkdocs serve`."""
        self._sources = {}
        self._is_preview = command == "serve"

    @event_priority(_LAST)
    def on_config(self, config: MkDocsConfig) -> None:
        """Reads the options. Raises PluginError for what is wrong, before the site is built."""
        self._config = None
        if self._is_preview:
            return
        path = os.path.abspath(config.config_file_path or "mkdocs.yml")
        self._folder, file = os.path.split(path)
        with raised_as(PluginError):
            if not config.site_url:
                raise SitemapperError(f"{file}: site_url is not set", f"set site_url in {file}")
            values = {"base_url": config.site_url, "site": config.site_dir}
            self._config = read_options(self._options, file, self._folder, values)

    def on_post_template(self, output: str, /, *, template_name: str, config: MkDocsConfig) -> str:
        """Returns "" for MkDocs' own sitemap, which it then does not write."""
        return "" if template_name == "sitemap.xml" and self._config else output

    @event_priority(_LAST)
    def on_env(self, env: object, /, *, config: MkDocsConfig, files: Files) -> None:
        """Adds the source files: mkdocs-static-i18n builds the site once for each language."""
        for file in files:
            # A page that a plugin makes has no file.
            self._sources[file.dest_uri] = [file.abs_src_path] if file.abs_src_path else []

    @event_priority(_LAST)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Builds the sitemaps of the finished site."""
        if self._config:
            with raised_as(PluginError):
                publish(self._config, self._folder, self._sources, log.warning, log.info)
