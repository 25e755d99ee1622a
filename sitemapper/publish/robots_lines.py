"""The Sitemap: lines of robots.txt: ours, those that are out of date, and those whose file is missing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
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
    obsolete = list(_obsolete_lines(plan.robots[1], stats, spool, settings))
    gone = {settings.base_url + name for name in rebuilt if name != settings.sitemap.name}
    obsolete += [url for url in robots.sitemap_lines(plan.robots[1]) if unquote(url) in gone]
    return robots.with_sitemap(plan.robots[1], settings.base_url + settings.sitemap.name, obsolete)


def _obsolete_lines(text: bytes, stats: RunStats, spool: Spool, settings: Settings) -> Iterator[str]:
    """What robots.txt names of earlier runs: this sitemap under another base URL or under another name."""
    name, base, first = settings.sitemap.name, settings.base_url, published.first_loc(settings)
    lines = robots.sitemap_lines(text)
    renamed = set(published.list_foreign_candidates(settings)) if lines and not first else ()
    for url in lines:
        old = url.removeprefix(base)
        moved = url.endswith(f"/{name}") and first.startswith(url.removesuffix(name))
        if (moved and not first.startswith(base)) or (
            old in renamed and changes.is_renamed(old, stats.shards, spool, settings)
        ):
            yield url


def dead_lines(text: bytes, files: Iterable[OutputFile], settings: Settings) -> list[str]:
    """The sitemaps below our base that robots.txt names and that do not exist."""
    ours = [url for url in robots.sitemap_lines(text) if url.startswith(settings.base_url)]
    written = {file.name for file in files}
    folders = (settings.output_dir, settings.site)

    def exists(path: str) -> bool:
        return path in written or any(os.path.exists(os.path.join(folder, path)) for folder in folders)

    return [url for url in ours if not exists(unquote(url.removeprefix(settings.base_url)))]
