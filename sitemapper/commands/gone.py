"""What became of one URL that was published before, for `explain`."""

from datetime import datetime

from ..errors import PreviousError, SitemapperError
from ..find.settle import Setup
from ..lastmod.live_ledger import local_ledger
from ..model import GoneUrl
from ..publish.previous import find_previous
from ..read.sitemap import parse_row
from ..syntax.urls import resolve
from .build import build


def find_gone(setup: Setup, target: str, now: datetime) -> GoneUrl | None:
    """What became of a URL that was published and is not listed now. None for other URLs.

    This depends on the whole site, because the content may be on any other page. Raises
    SitemapperError if the earlier sitemap or the site cannot be read.
    """
    url = resolve(target.lstrip("/"), setup.site.base_url)
    if not _was_published(setup, url):
        return None
    # Nothing that would stop a build matters here.
    settings = setup.settings.model_copy(update={"max_drop": 100.0})
    run = setup.run._replace(allow_empty=True, ignores_dates=True)
    summary = build(setup._replace(settings=settings, run=run), now=now, dry_run=True)
    return next((one for one in summary.gone if one.url == url), None)


def _was_published(setup: Setup, url: str | None) -> bool:
    """Whether the earlier sitemap lists a URL or, without one, whether a ledger may."""
    site, run = setup.site, setup.run
    ledger = local_ledger(site, run)
    opening = find_previous(setup.settings.previous, site, run, ledger.path if ledger else None)
    try:
        with opening as (previous, _):
            if previous.has_main:
                return any(parse_row(row)[0] == url for row in previous.all_rows())
            return any(previous.ledger_rows())
    except PreviousError as error:
        raise SitemapperError(error.problem, error.help) from None
