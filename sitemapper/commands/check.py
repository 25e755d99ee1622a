"""`check`: whether a build would change the published files."""

from datetime import datetime
from typing import NamedTuple

from ..errors import GuardError, PreviousError, SitemapperError
from ..find.load import Setup
from ..lastmod.ledger import is_first_run
from ..messages import Kind, Message
from ..model import Change, Summary
from ..observer import Observer
from ..site import Run
from .build import build
from .explain import list_missing


class Checked(NamedTuple):
    """What a build would change, and a sentence for each URL of `[check] required` not listed."""

    summary: Summary
    missing: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Whether a build would write nothing, and all required URLs are listed.

        If `previous` names a sitemap from elsewhere, the files in the output folder do not count.
        Then the sitemap from elsewhere has to have the same URLs and dates.
        """
        if self.missing:
            return False
        if self.summary.compared_with:
            return not any(self.summary.changes.values())
        return all(file.change is Change.KEPT for file in self.summary.files)


def check(setup: Setup, *, now: datetime, observer: Observer | None = None) -> Checked:
    """Compares the published files with what `build` would write, by a dry run of `build`.

    `observer` is called for each event. Raises SitemapperError for whatever would stop a build.
    """
    run = _run_of_check(setup)
    setup = setup._replace(run=run)
    try:
        summary = build(setup, now=now, dry_run=True, observer=observer)
    except PreviousError as error:
        raise SitemapperError(error.problem, error.help) from None
    except GuardError as error:
        raise GuardError(f"a build would stop here: {error}") from None
    if run.ignores_dates:
        summary = summary._replace(notes=(*summary.notes, Message(Kind.DATES_NOT_COMPARED)))
    return Checked(summary, tuple(list_missing(setup, now)))


def _run_of_check(setup: Setup) -> Run:
    """Returns how to run a check: as a build, but offline and without dates if need be."""
    # A check goes online only if the sitemap to compare with is on the live site.
    previous = setup.settings.previous
    is_online = previous == "live" or "://" in previous
    no_live = setup.run.no_live or not is_online
    # A ledger file has the dates of pages. If there is none on this machine, a build downloads the
    # one of the live site. An offline check cannot, and would find other dates than a build. So it
    # does not compare dates.
    site = setup.site
    build_downloads_ledger = site.has_live_ledger and is_first_run(site.ledger)
    ignores_dates = no_live and build_downloads_ledger
    return setup.run._replace(no_live=no_live, ignores_dates=ignores_dates, is_check=True)
