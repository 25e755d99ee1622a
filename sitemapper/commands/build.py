"""`build`: an unchanged site ends after the walk, any other is published."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime

from sitemapper.config.settings import Settings
from sitemapper.model import Batch, Summary
from sitemapper.pages.cache import Place
from sitemapper.pipeline import fingerprint
from sitemapper.pipeline.listener import Listener
from sitemapper.site import walk as walking

_LARGE = 20_000  # pages that more processes list in less time, their start included


def build(
    settings: Settings,
    *,
    now: datetime,
    dry_run: bool = False,
    listener: Listener | None = None,
    cache: str | None = None,
) -> Summary:
    """Builds and publishes the sitemaps of a site; with `dry_run`, only tells what would be done.

    `cache` is a folder of this machine for what was learnt about pages, made if it is missing.
    Raises SitemapperError for what a user can mend; nothing published is lost then.
    """
    place = Place(cache, os.path.realpath(settings.site)) if cache else None
    if place and not (listener and listener.hears_pages):
        folder = walking.folder(settings)

        def batches(expected: int) -> Iterator[Batch]:
            if settings.jobs == 1 or expected < _LARGE:
                return walking.batches(walking.walk(folder), walking.BATCH)
            # Imported here: a small site needs one process.
            from sitemapper.site import parallel_walk

            return walking.batches(parallel_walk.walk(folder, settings.jobs), walking.BATCH)

        summary = fingerprint.unchanged(settings, place, batches, int(now.timestamp() * 1e9))
        if summary is not None:
            return summary
    # Imported here: an unchanged site needs none of the stages behind the walk.
    from sitemapper.output.write import publish

    return publish(settings, now=now, dry_run=dry_run, listener=listener or Listener(), place=place)
