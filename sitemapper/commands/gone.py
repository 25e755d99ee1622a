"""The fate of one URL that was published and is gone, for `explain`."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from ..errors import PreviousError, SitemapperError
from ..find.plan import make_plan
from ..find.settle import Setup
from ..lastmod.live_ledger import local_ledger
from ..model import Fate, GoneUrl
from ..publish.gone import classify_gone
from ..publish.previous import Previous, find_previous
from ..read.sitemap import parse_row
from ..syntax.gitignore import Patterns
from ..syntax.urls import resolve
from .build import build


def find_gone(setup: Setup, target: str, now: datetime) -> GoneUrl | None:
    """The fate of a URL that was published and has no file now. None for other URLs.

    It depends on the whole site, because the content may be on any other page. Raises
    SitemapperError if the earlier sitemap or the site cannot be read.
    """
    url = resolve(target.lstrip("/"), setup.site.base_url)
    with _earlier(setup) as previous:
        if not _may_list(previous, url):
            return None
    # Nothing that would stop a build matters here.
    settings = setup.settings.model_copy(update={"max_drop": 100.0})
    run = setup.run._replace(allow_empty=True, ignores_dates=True)
    summary = build(setup._replace(settings=settings, run=run), now=now, dry_run=True)
    for gone in summary.gone:
        if gone.url == url:
            return gone
    return None


def find_unlisted(setup: Setup, target: str, now: datetime) -> GoneUrl | None:
    """The fate of a URL that was published, and whose file is not listed now. None for other URLs.

    Raises SitemapperError if the earlier sitemap cannot be read.
    """
    url = resolve(target, setup.site.base_url)
    with _earlier(setup) as previous:
        if url is None or not previous.has_main or not _may_list(previous, url):
            return None
    plan = make_plan(setup, now, local_ledger(setup.site, setup.run))
    fates = classify_gone([url], plan, Patterns(()), lambda urls: {})
    return fates[0]


def describe(gone: GoneUrl) -> tuple[str, str]:
    """What has become of a URL whose file is not listed, and where it leads, "" for nowhere."""
    if gone.target and gone.fate is Fate.REDIRECTED:
        return f"before, and {gone.fate.value} now", f"to {gone.target}"
    return f"before, and {gone.fate.value} now", ""


@contextmanager
def _earlier(setup: Setup) -> Iterator[Previous]:
    """What was published before."""
    site, run = setup.site, setup.run
    ledger = local_ledger(site, run)
    ledger_path = ledger.path if ledger else None
    try:
        with find_previous(setup.settings.previous, site, run, ledger_path) as found:
            yield found.previous
    except PreviousError as error:
        raise SitemapperError(error.problem, error.help) from None


def _may_list(previous: Previous, url: str | None) -> bool:
    """Whether the earlier sitemap lists a URL or, without one, whether a ledger may."""
    if previous.has_main:
        return any(parse_row(row)[0] == url for row in previous.all_rows())
    return any(previous.ledger_rows())
