"""The fate of one URL that was published and is gone, for `explain`."""

from contextlib import suppress
from datetime import datetime

from ..errors import SitemapperError
from ..model import GoneUrl
from ..output.changes import entries
from ..output.published import Previous, find_previous
from ..pipeline.evidence import local_ledger
from ..setup.settle import Setup
from ..syntax.urls import resolve
from .build import build


def find_gone(setup: Setup, target: str, now: datetime) -> GoneUrl | None:
    """The fate of a URL that was published and is not listed now. None for other URLs.

    It depends on the whole site, because the content may be on any other page.
    """
    site = setup.site
    url = resolve(target.lstrip("/"), site.base_url)
    with suppress(SitemapperError):
        ledger = local_ledger(site, setup.run)
        ledger_path = ledger.path if ledger else None
        with find_previous(setup.settings.previous, site, setup.run, ledger_path) as found:
            if not _may_list(found.previous, url):
                return None
        # Nothing that would stop a build matters here.
        settings = setup.settings.model_copy(update={"max_drop": 100.0})
        run = setup.run._replace(allow_empty=True, ignores_dates=True)
        summary = build(setup._replace(settings=settings, run=run), now=now, dry_run=True)
        for gone in summary.gone:
            if gone.url == url:
                return gone
    return None


def _may_list(previous: Previous, url: str | None) -> bool:
    """Whether the earlier sitemap lists a URL or, without one, whether a ledger may."""
    if previous.has_main:
        return any(loc == url for loc, _ in entries(previous.all_rows()))
    return any(previous.ledger_rows())
