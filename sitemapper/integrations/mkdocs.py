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
        """Begins without settings. MkDocs calls the other methods in the order of this class."""
        self._options: dict[str, Any] = {}  # of the plugin in mkdocs.yml
        self._is_preview = False  # for `mkdocs serve`
        self._config: Config | None = None  # None if no sitemap is wanted
        self._folder = ""  # of mkdocs.yml
        self._sources: dict[str, list[str]] = {}  # the source files of each page

    def load_config(
        self, options: dict[str, Any], config_file_path: str | None = None
    ) -> tuple[ConfigErrors, ConfigWarnings]:
        """Keeps the options. They are checked in `on_config`, when site_url is known."""
        self._options = dict(options)
        return [], []  # no errors and no warnings yet

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Notes whether this is `mkdocs serve`, which gets no sitemap."""
        self._sources = {}
        self._is_preview = command == "serve"

    @event_priority(_LAST)
    def on_config(self, config: MkDocsConfig) -> None:
        """Reads the options before the site is built. Raises PluginError for what is wrong."""
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
        """Returns the text of a file that MkDocs is about to write; "" for its own sitemap.

        MkDocs writes no file that is empty.
        """
        return "" if template_name == "sitemap.xml" and self._config else output

    @event_priority(_LAST)
    def on_env(self, env: object, /, *, config: MkDocsConfig, files: Files) -> None:
        """Notes the source file of each page: {"tea/index.html": ["/project/docs/tea.md"]}.

        mkdocs-static-i18n calls this once for each language, so files are added.
        """
        for file in files:
            # A page that another plugin makes has no source file.
            self._sources[file.dest_uri] = [file.abs_src_path] if file.abs_src_path else []

    @event_priority(_LAST)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Builds the sitemaps of the finished site."""
        if self._config:
            with raised_as(PluginError):
                publish(self._config, self._folder, self._sources, log.warning, log.info)
