"""The extension for Sphinx: `extensions = ["sitemapper.integrations.sphinx"]`.

It works with the builders html and dirhtml.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from sphinx import version_info
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.errors import ConfigError, ExtensionError
from sphinx.util.logging import getLogger

from .._version import __version__
from ..errors import SitemapperError
from ..find.generators import GENERATED_BY_SPHINX
from ..find.load import Setup
from ..model import SourceFiles
from . import (
    Labels,
    describe_missing_sitemap,
    find_mismatched_version,
    make_labels,
    make_setup,
    publish,
    raised_as,
)

if TYPE_CHECKING:
    from sphinx.util.typing import ExtensionMetadata

LATE = 900  # the priority that runs after other extensions
RIGHT_CANONICALS = (8, 1)  # before this version, dirhtml writes the canonicals of html
LABEL = "conf.py: sitemapper_options"
log = getLogger(__name__)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connects the extension. It keeps no data, so Sphinx may read and write in parallel."""
    app.add_config_value("sitemapper_options", {}, "", [dict])
    app.connect("builder-inited", _check_options)
    app.connect("build-finished", _build_sitemaps, priority=LATE)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}


def _check_options(app: Sphinx) -> None:
    """Raises an error for wrong options before the site is built, so that Sphinx stops early.

    Without html_baseurl, it only warns, and no sitemap is built. Beside the extension
    sphinx_sitemap, it raises an error, because both would write sitemap.xml.
    """
    if not _makes_site(app):
        return
    if not app.config.html_baseurl:
        log.warning("no sitemap: html_baseurl is not set in conf.py", type="sitemapper")
        return
    with raised_as(ConfigError):
        if "sphinx_sitemap" in app.extensions:
            remedy = 'remove "sphinx_sitemap" from extensions in conf.py'
            raise SitemapperError("sphinx_sitemap writes sitemap.xml too", remedy)
        _make_setup(app)


def _build_sitemaps(app: Sphinx, exception: Exception | None) -> None:
    """Builds the sitemaps of the finished site, with the source files of each page.

    No sitemap is built after an error of Sphinx, or for a version with the base URL of another one.
    """
    if exception or not _makes_site(app) or not app.config.html_baseurl:
        return
    builder = app.builder
    assert isinstance(builder, StandaloneHTMLBuilder)
    # The sources of a page are its document, and the files that it includes, shows or documents.
    sources = {}
    for name in app.env.found_docs:
        page = os.path.relpath(builder.get_outfilename(name), app.outdir).replace(os.sep, "/")
        dependencies = sorted(str(file) for file in app.env.dependencies.get(name, ()))
        sources[page] = [str(app.env.doc2path(name)), *dependencies]
    # autodoc adds docstrings to a page, which its document does not contain.
    files = SourceFiles(str(app.srcdir), sources, may_be_stubs=True)
    with raised_as(ExtensionError):
        setup = _make_setup(app)
        version = find_mismatched_version(setup, os.environ)
        if version:
            log.info("sitemapper: %s", describe_missing_sitemap(version, setup.site.base_url))
            return
        warn = partial(log.warning, type="sitemapper")
        publish(setup, files, warn, log.info)


def _makes_site(app: Sphinx) -> bool:
    """Whether the builder makes a site, and not for example a PDF or a single page."""
    return app.builder.name in ("html", "dirhtml")


def _make_labels(app: Sphinx) -> Labels:
    """Makes the names of settings for messages.

    They are `conf.py: sitemapper_options` and `conf.py: html_baseurl`. If the base URL is set by
    `sphinx-build -D html_baseurl=…`, the second is `sphinx-build: -D html_baseurl`.
    """
    base_url = "html_baseurl"
    if base_url in app.config.overrides:
        base_url = f"sphinx-build: -D {base_url}"
    else:
        base_url = f"conf.py: {base_url}"
    return make_labels(app.config.sitemapper_options, LABEL, base_url)


def _make_setup(app: Sphinx) -> Setup:
    """Makes the setup of a build from `sitemapper_options`, html_baseurl, and the output folder.

    Pages that Sphinx makes for itself are ignored, such as genindex.html.
    """
    # dirhtml writes the search page as search/. Before Sphinx 7.1, this page has no noindex.
    ignore = (*GENERATED_BY_SPHINX, "/search/")
    # Before RIGHT_CANONICALS, the canonicals of dirhtml are wrong: tea.html in place of tea/.
    has_right_canonicals = app.builder.name == "html" or version_info >= RIGHT_CANONICALS
    return make_setup(
        app.config.sitemapper_options,
        _make_labels(app),
        str(app.confdir),
        base_url=app.config.html_baseurl,
        site=str(app.outdir),
        ignore=ignore,
        canonical=has_right_canonicals,
    )
