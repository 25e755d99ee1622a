"""Sitemaps of other tools on the same host, which the index is to name."""

from __future__ import annotations

import os

from ..config.settings import Settings
from ..errors import ConfigError, with_help
from ..model import LastMod
from ..output.xml import DatedSitemap
from ..protocol import SITEMAPINDEX
from ..syntax.dates import moment
from ..syntax.urls import relative_path, resolve

_BUILD_IT = "build it first, or name it by its URL if it is published from elsewhere"
_BELOW = "build that sitemap for this host, or name it in robots.txt and not in `others` under [sitemap]"


def read_others(settings: Settings) -> list[DatedSitemap]:
    """The sitemaps of other tools that the index is to name, with the dates of those in the output.

    An index is replaced by the sitemaps that it names, because crawlers follow one level only. Raises
    ConfigError where one is missing or outside the output.
    """
    found: dict[str, LastMod | None] = {}
    for other in settings.sitemap.others:
        url = resolve(other, settings.base_url) or ""
        path = relative_path(url.partition("?")[0], settings.base_url) or ""
        file = os.path.join(settings.output_dir, *path.split("/"))
        if os.path.isfile(file):
            found |= _dates(url, file, settings)
        elif "://" in other:
            found[url] = None  # its file may be on another machine
        else:
            what = with_help(
                f"{settings.display_path(file)}: no such file, see `others` under [sitemap]", _BUILD_IT
            )
            raise ConfigError((what,))
    return list(found.items())


def _dates(url: str, file: str, settings: Settings) -> dict[str, LastMod | None]:
    """A sitemap with its newest date, or the sitemaps that an index names with theirs."""
    # Imported here: few sites have such sitemaps.
    from ..linter.elements import FileError
    from ..linter.files import open_blocks
    from ..linter.reader import elements

    newest: dict[str, LastMod | None] = {}
    label, base = settings.display_path(file), settings.base_url
    with open_blocks(file) as blocks:
        for fact in elements(blocks):
            if isinstance(fact, FileError):
                if not newest:
                    raise ConfigError((with_help(f"{label}:{fact.line}: {fact.text}", _BUILD_IT),))
                continue
            root, node = fact
            texts = {child.name: child.text for child in node.children}
            loc = texts.get("loc", "") if root == SITEMAPINDEX else url
            named = resolve(loc, url) if loc else None
            if named is None or not named.startswith(base):
                what = f"{label}:{node.line}: {loc!r} is not below {base}"
                raise ConfigError((with_help(what, _BELOW),))
            seconds = moment(texts.get("lastmod", ""))
            date = None if seconds is None else LastMod(seconds, texts["lastmod"])
            newest[named] = max(filter(None, (newest.get(named), date)), default=None)
    return newest or {url: None}
