"""`check`: whether a build would change the published files."""

from datetime import datetime
from typing import NamedTuple

from ..errors import GuardError, PreviousError, SitemapperError
from ..find.load import Setup
from ..lastmod.ledger import is_first_run
from ..messages import Kind, Message
from ..model import Change, Summary
from ..observer import Observer
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


def check(
    setup: Setup, *, now: datetime, observer: Observer | None = None, cache: str | None = None
) -> Checked:
    """Compares the published files with what `build` would write, by a dry run of `build`.

    `observer` is called for each event, and `cache` is a folder for facts of pages. Raises
    SitemapperError for whatever would stop a build.
    """
    site = setup.site
    # A check goes online only if the sitemap to compare with is there.
    previous = setup.settings.previous
    is_online = previous == "live" or "://" in previous
    no_live = setup.run.no_live or not is_online
    # Without a ledger on this machine, a build takes dates from that of the live site. If the check
    # does not read it, it has other dates than a build, so dates are not compared.
    build_reads_live = site.has_live_ledger and is_first_run(site.ledger)
    ignores_dates = no_live and build_reads_live
    run = setup.run._replace(no_live=no_live, ignores_dates=ignores_dates, is_check=True)
    setup = setup._replace(run=run)
    try:
        summary = build(setup, now=now, dry_run=True, observer=observer, cache=cache)
    except PreviousError as error:
        raise SitemapperError(error.problem, error.help) from None
    except GuardError as error:
        raise GuardError(f"a build would stop here: {error}") from None
    if ignores_dates:
        summary = summary._replace(notes=(*summary.notes, Message(Kind.DATES_NOT_COMPARED)))
    return Checked(summary, tuple(list_missing(setup, now)))
