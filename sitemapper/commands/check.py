"""`check`: whether a build would change the published files."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from ..errors import GuardError, SiteError
from ..find.settle import Setup
from ..lastmod.ledger import is_first_run
from ..messages import Kind, Message
from ..model import Change, Excluded, Listed, Summary
from ..observer import Observer
from ..publish.foreign import foreign_error
from ..syntax.urls import resolve
from .build import build
from .explain import explain_page


class Checked(NamedTuple):
    """The result of a build, and a sentence for each URL of `[check] required` not listed."""

    summary: Summary
    missing: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Whether a build would write nothing, and all required URLs are listed.

        Compared with a sitemap from elsewhere, whether it has the same URLs and dates.
        """
        if self.missing:
            return False
        if self.summary.compared_with:
            return not any(self.summary.changes.values())
        return all(file.change is Change.KEPT for file in self.summary.files)


def check(
    setup: Setup, *, now: datetime, observer: Observer | None = None, cache: str | None = None
) -> Checked:
    """Compares the published files with what `build` would write; writes nothing itself.

    The live ledger is read only if the live sitemap is. Without a local one, the dates are not
    compared otherwise. Raises SitemapperError for whatever would stop a build.
    """
    site = setup.site
    previous = setup.settings.previous
    is_online = previous == "live" or "://" in previous
    no_live = setup.run.no_live or not is_online
    ignores_dates = no_live and site.has_live_ledger and is_first_run(site.ledger)
    setup = setup._replace(run=setup.run._replace(no_live=no_live, ignores_dates=ignores_dates))
    try:
        summary = build(setup, now=now, dry_run=True, observer=observer, cache=cache)
    except GuardError as error:
        raise GuardError(f"a build would stop here: {error}") from None
    _check_foreign(summary, setup)
    if ignores_dates:
        summary = summary._replace(notes=(*summary.notes, Message(Kind.DATES_NOT_COMPARED)))
    return Checked(summary, tuple(_list_missing(setup, now)))


def _check_foreign(summary: Summary, setup: Setup) -> None:
    """Raises PublishError if a build would have to replace a sitemap of another tool."""
    updated = {file.name for file in summary.files if file.change is Change.UPDATED}
    for message in summary.warnings:
        name = message.subjects[0]
        if message.kind is Kind.FOREIGN and name in updated:
            raise foreign_error(name, setup.site)


def _list_missing(setup: Setup, now: datetime) -> Iterator[str]:
    """A sentence for each URL of `[check] required` that is not listed."""
    # Dates do not decide whether a page is listed, and git's history takes long to read.
    site = setup.site._replace(date_sources=(), ledger=None)
    undated = setup._replace(site=site)
    for required in setup.settings.check.required:
        url = resolve(required.lstrip("/"), site.base_url) or required
        try:
            verdict = explain_page(undated, url, now=now).verdict
        except SiteError:
            yield f"{url}: there is no such page"
            continue
        if isinstance(verdict, Excluded):
            yield f"{url}: {verdict.reason.value} ({verdict.origin})"
        elif isinstance(verdict, Listed) and verdict.loc != url:
            yield f"{url}: is listed as {verdict.loc}"
