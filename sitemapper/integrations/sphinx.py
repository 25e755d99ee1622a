"""The extension of Sphinx: `extensions = ["sitemapper.integrations.sphinx"]`.

It writes a sitemap for the builders html and dirhtml.
"""

import os
from functools import partial
from typing import TYPE_CHECKING

from sphinx import version_info
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.errors import ConfigError, ExtensionError
from sphinx.util.logging import getLogger

from ..config import Config
from . import publish, raised_as, read_options

if TYPE_CHECKING:
    from sphinx.util.typing import ExtensionMetadata

_LATE = 900  # the priority that runs after other extensions
log = getLogger(__name__)
_warn = partial(log.warning, type="sitemapper")  # for suppress_warnings


def setup(app: Sphinx) -> "ExtensionMetadata":
    """Connects the extension. It changes no data, so Sphinx may read and write in parallel."""
    app.add_config_value("sitemapper_options", {}, "", [dict])
    app.connect("builder-inited", _begin)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _begin(app: Sphinx) -> None:
    """Reads the options before the site is built. Raises ConfigError for what is wrong."""
    if app.builder.name not in ("html", "dirhtml"):  # others, such as latex, make no site
        return
    base_url = app.config.html_baseurl
    if not base_url:
        _warn("no sitemap: html_baseurl is not set in conf.py")
        return
    values: dict[str, object] = {"base_url": base_url, "site": str(app.outdir)}
    # Before Sphinx 8.1, dirhtml writes the canonicals of html: tea.html for tea/.
    if app.builder.name == "dirhtml" and version_info < (8, 1):
        values["respect"] = {"canonical": False}
    with raised_as(ConfigError):
        options = app.config.sitemapper_options
        config = read_options(options, "conf.py", str(app.confdir), values)
    app.connect("build-finished", partial(_finish, config), priority=_LATE)


def _finish(config: Config, app: Sphinx, exception: Exception | None) -> None:
    """Builds the sitemaps of the finished site. Each page is dated by its source files."""
    if exception:  # the build of the site has failed
        return
    builder = app.builder
    assert isinstance(builder, StandaloneHTMLBuilder)  # as `_begin` has made sure
    # A page is made from its document, and from the files that it includes, shows or documents.
    sources: dict[str, list[str]] = {}
    for name in app.env.found_docs:
        page = os.path.relpath(builder.get_outfilename(name), app.outdir).replace(os.sep, "/")
        files = (app.env.doc2path(name), *app.env.dependencies.get(name, ()))
        sources[page] = sorted(os.path.join(app.srcdir, file) for file in files)
    with raised_as(ExtensionError):
        publish(config, str(app.confdir), sources, _warn, log.info)
