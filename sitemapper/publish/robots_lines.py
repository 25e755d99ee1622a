"""The Sitemap: lines of robots.txt: ours, those that are out of date, and those whose file is missing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from urllib.parse import unquote

from ..config.settings import Settings
from ..output import changes, published
from ..output.shards import OutputFile
from ..output.spool import Spool
from ..pipeline.plan import Plan
from ..pipeline.stats import RunStats
from ..syntax import robots


def robots_text(plan: Plan, stats: RunStats, spool: Spool, rebuilt: Sequence[str] = ()) -> bytes | None:
    """The robots.txt to publish, without what ours replaces; None if it is not ours to write."""
    settings = plan.settings
    if plan.robots is None or not settings.robots.write:
        return None
    outdated = list(_outdated_lines(plan.robots[1], stats, spool, settings))
    gone = {settings.base_url + name for name in rebuilt if name != settings.sitemap.name}
    outdated += [url for url in robots.sitemap_lines(plan.robots[1]) if unquote(url) in gone]
    return robots.with_sitemap(plan.robots[1], settings.base_url + settings.sitemap.name, outdated)


def _outdated_lines(text: bytes, stats: RunStats, spool: Spool, settings: Settings) -> Iterator[str]:
    """Lines of ours for a URL at which this sitemap is no more: with another base URL or another name.

    A line is ours if the file of its name is, and begins with a page below the line's folder. Of another name
    it may be another configuration's, unless there is none of this name yet, and most pages are the same.
    """
    here, name = settings.base_url, settings.sitemap.name
    is_new = not published.first_loc(settings)
    for url in robots.sitemap_lines(text):
        folder, _, old = url.rpartition("/")
        was = settings.model_copy(update={"sitemap": settings.sitemap.model_copy(update={"name": old})})
        first = ""
        with suppress(OSError):  # what cannot be read is not ours
            first = published.first_loc(was) if old == name or is_new else ""
        if not first.startswith(f"{folder}/") or (old == name and first.startswith(here)):
            continue
        if old == name or changes.is_renamed(was, stats.shards, spool):
            yield url


def dead_lines(text: bytes, files: Iterable[OutputFile], settings: Settings) -> list[str]:
    """The sitemaps below our base that robots.txt names and that do not exist."""
    ours = [url for url in robots.sitemap_lines(text) if url.startswith(settings.base_url)]
    written = {file.name for file in files}
    folders = (settings.output_dir, settings.site)

    def exists(path: str) -> bool:
        return path in written or any(os.path.exists(os.path.join(folder, path)) for folder in folders)

    return [url for url in ours if not exists(unquote(url.removeprefix(settings.base_url)))]
