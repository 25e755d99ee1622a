"""`build`: find, scan, read, settle, select, date; then publish."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from ..config import Config, Settings
from ..find import find
from ..lastmod import date
from ..messages import QUIET, Message, Observer, SitemapperError
from ..model import Before, Dated, Facts, Plan, Run, Scanned, Site
from ..publish import compare, guard, load, lock, write
from ..read import read
from ..scan import scan
from ..select import Selected, select
from ..settle import settle
from ..syntax.urls import resolve
from .changes import waiting_list


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
    problem: SitemapperError | None = None  # for which a build publishes nothing


def build(config: Config, run: Run, now: datetime, observer: Observer = QUIET) -> Summary:
    """Builds and publishes the sitemaps of a site, and says what changed.

    Each stage takes what the stages before it have found. Raises SitemapperError for what a user
    can mend; what was published then stays as it was. A dry run writes nothing, and its summary
    names the problem for which a build stops.
    """
    found = find(config, run)
    with lock(found.output, run):  # so that no other build writes there at the same time
        # What the files say.
        scanned = scan(found)
        facts, read_messages = read(scanned.pages, found, run, observer)
        site = settle(found, scanned, facts, run)
        before = load(site, run)

        # What belongs in the sitemap, and what that changes.
        selected = select(site, scanned, facts, now)
        observer.begins("dating", None)
        dated = date(site, selected, before, run, now)
        observer.begins("comparing", None)
        plan = compare(site, selected, dated, before, run)

        # What speaks against publishing it.
        missing = tuple(_missing_urls(site, selected))
        problem = _find_problem(plan, config.settings)
        if not run.is_dry:
            if problem:
                raise problem
            if missing:
                raise SitemapperError(
                    f"[check] required: {'; '.join(missing)}, so nothing was published",
                    "list the page again, or take its URL out of `required`",
                )
            files = plan.files
            # The list of changes is written together with the sitemaps: a run that is killed
            # between the two would lose the changes.
            if run.changes:
                files = (waiting_list(run.changes, plan), *files)
            write(plan._replace(files=files), run)
    messages = (
        *read_messages,
        *site.messages,
        *selected.messages,
        *dated.messages,
        *plan.messages,
    )
    return Summary(site, scanned, facts, before, selected, dated, plan, missing, messages, problem)


def _find_problem(plan: Plan, settings: Settings) -> SitemapperError | None:
    """The error for which a build publishes nothing, such as too many lost URLs; None without."""
    try:
        guard(plan, settings)
    except SitemapperError as error:
        return error
    return None


def _missing_urls(site: Site, selected: Selected) -> Iterator[str]:
    """Yields a sentence for each URL of `[check] required` that is not listed, with the reason.

    `/tea/ is not listed: noindex (tea/index.html)`.
    """
    required = site.found.config.settings.check.required
    if not required:
        return
    listed = {entry.url for entry in selected.listed}
    reasons = {page.url: f"{page.reason.value} ({page.origin})" for page in selected.excluded}
    for text in required:
        url = resolve(text.removeprefix("/"), site.base_url) or text
        if url not in listed:
            yield f"{text} is not listed: {reasons.get(url, 'no page has this URL')}"
