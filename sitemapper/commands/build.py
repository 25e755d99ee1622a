"""`build`: find, scan, read, settle, select, date; then publish."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from ..config import Config
from ..errors import SitemapperError
from ..find import find
from ..lastmod import date
from ..messages import Message
from ..model import Before, Dated, Facts, Found, Plan, Run, Scanned, Site
from ..observer import QUIET, Observer
from ..publish import compare, guard, load, lock, write
from ..read import read
from ..scan import scan
from ..select import Selected, select
from ..settle import settle
from ..syntax.urls import resolve
from .changes import changes_of, waiting_list


class Summary(NamedTuple):
    """What a run found, decided and changed."""

    site: Site
    scanned: Scanned
    facts: Sequence[Facts]  # of `scanned.pages`
    before: Before
    selected: Selected
    dated: Dated
    plan: Plan
    missing: tuple[str, ...]  # URLs of `[check] required` that are not listed, each with the reason
    messages: tuple[Message, ...]  # of all stages, in their order


class Stopped(SitemapperError):
    """A build publishes nothing, since it would lose too much. `summary` says what."""

    def __init__(self, error: SitemapperError, summary: Summary, before: str = "") -> None:
        super().__init__(before + error.text, error.help)
        self.summary = summary


def build(config: Config, run: Run, now: datetime, observer: Observer = QUIET) -> Summary:
    """Builds and publishes the sitemaps of a site, and says what changed.

    A dry run writes nothing. Raises SitemapperError for what a user can mend; what was published
    then stays as it was.
    """
    found = find(config, run)
    with lock(found.output, run):
        summary = plan(found, run, now, observer)
        try:
            guard(summary.plan, config.settings)
            if summary.missing:
                raise SitemapperError(
                    f"[check] required: {'; '.join(summary.missing)}, so nothing was published",
                    "list the page again, or take its URL out of `required`",
                )
        except SitemapperError as error:
            raise Stopped(error, summary) from None
        if not run.is_dry:
            files = summary.plan.files
            if run.changes:  # in the same burst, so that a killed run loses no change
                changes = changes_of(summary.plan, summary.dated.entries)
                files = (waiting_list(run.changes, changes, summary.plan), *files)
            write(summary.plan._replace(files=files), run)
    return summary


def plan(found: Found, run: Run, now: datetime, observer: Observer) -> Summary:
    """Goes through all stages of a build up to the files that it would write.

    Raises SitemapperError for what a user can mend.
    """
    scanned = scan(found)
    pages, read_messages = read(scanned.pages, found, run, observer)
    site = settle(found, scanned, pages, run)
    before = load(site, run)
    selected = select(site, scanned, pages, now)
    observer.begins("dating", None)
    dated = date(site, selected, before, run, now)
    observer.begins("comparing", None)
    planned = compare(site, selected, dated, before, run)
    return Summary(
        site=site,
        scanned=scanned,
        facts=pages,
        before=before,
        selected=selected,
        dated=dated,
        plan=planned,
        missing=tuple(missing_urls(site, selected)),
        messages=(
            *read_messages,
            *site.messages,
            *before.messages,
            *selected.messages,
            *dated.messages,
            *planned.messages,
        ),
    )


def missing_urls(site: Site, selected: Selected) -> Iterator[str]:
    """Yields a sentence for each URL of `[check] required` that is not listed, with the reason."""
    required = site.found.config.settings.check.required
    if not required:
        return
    listed = {one.url for one in selected.listed}
    reasons = {one.url: one for one in selected.excluded}
    for text in required:
        url = resolve(text.removeprefix("/"), site.base_url) or text
        if url in listed:
            continue
        excluded = reasons.get(url)
        why = f"{excluded.reason.value} ({excluded.origin})" if excluded else "no page has this URL"
        yield f"{text} is not listed: {why}"
