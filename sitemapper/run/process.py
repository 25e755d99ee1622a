"""Runs a batch of pages through every stage: which are listed, their dates, their bytes.

Pure except for reading pages.
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from itertools import accumulate

from ..lastmod.resolve import BatchDates, date_batch
from ..lastmod.sources import DatePolicy
from ..model import (
    Batch,
    BatchResult,
    GitDates,
    LastMod,
    Listed,
    NoDate,
    Origin,
    Page,
    PageRow,
    RenderedEntries,
    ShardSeries,
)
from ..plan import Plan
from ..publish import formats
from ..publish.formats import Format
from ..read import walk
from ..read.shared_text import without_shared_text
from ..select.pages import BatchSelection, select_batch
from ..syntax.html import GOOGLEBOT_LIMIT
from ..syntax.urls import comparison_key, is_html
from .details import batch_details, page_values

Places = Mapping[str, Sequence[int]]  # of entries, by section


def process(batch: Batch, plan: Plan) -> BatchResult:
    """The result of one batch after every stage. Runs on any executor.

    It contains another result for the case that nearly all pages of the site changed, if that makes
    a difference: see `batch_results` in stream.py.
    """
    selection, dates = decide(batch, plan)
    result = _make_result(batch, selection, dates, plan)
    if not plan.date_policy.dates_changes_by_build:
        return result
    result = result._replace(compared=_compare_first_pages(selection.listed, dates, plan))
    others = date_if_all_changed(batch, selection, dates, plan)
    if others:
        other_result = _make_result(batch, selection, others, plan)
        result = result._replace(if_all_changed=other_result)
    return result


def date_if_all_changed(
    batch: Batch, selection: BatchSelection, dates: BatchDates, plan: Plan
) -> BatchDates | None:
    """The dates of listed pages if nearly all pages of the site are new or changed.

    `dates` are those if they are not. None if the dates are the same in both cases.
    """
    if not any(dates.changed):
        return None
    policy = plan.date_policy._replace(is_nearly_all_changed=True)
    others = _date_as_read(batch, selection, policy)
    return None if others == dates else others


def _compare_first_pages(
    listed: Sequence[Listed], dates: BatchDates, plan: Plan
) -> tuple[int, int]:
    """How many of the first thousand pages are listed here, and how many of them changed."""
    first = 0
    for entry in listed:
        if walk.path_key(entry.path) > plan.last_compared:
            break
        first += 1
    return first, sum(dates.changed[:first])


def _make_result(
    batch: Batch, selection: BatchSelection, dates: BatchDates, plan: Plan
) -> BatchResult:
    """The result of a batch with these dates."""
    excluded = sorted([*batch.excluded, *selection.excluded], key=walk.sort_key)
    omitted = Counter(filter(None, dates.causes))
    details = None
    if plan.wants_details:
        values = page_values(selection, dates, plan)
        details = batch_details(selection.listed, excluded, dates, values, plan.date_policy.now)
    return BatchResult(
        entries=list(render_entries(selection.listed, dates.lastmods, plan)),
        listed=len(selection.listed),
        excluded=excluded,
        diagnostics=[*dates.warnings, *selection.warnings],
        extra_owners=_extra_owners(selection.listed, plan.extra),
        seconds=dates.seconds,
        records=selection.records,
        versions=selection.versions,
        large=_list_large(batch, selection.listed, plan),
        ledger=dates.ledger,
        dated=dates.counts,
        omitted=omitted,
        undated=_first_undated(selection.listed, dates),
        times_of_bursts=dates.times_of_builds,
        parsed=selection.parsed,
        effective=_effective_origins(batch, selection, plan),
        details=details,
    )


def _list_large(batch: Batch, listed: Sequence[Listed], plan: Plan) -> list[Page]:
    """The listed HTML pages of which Googlebot reads only the beginning. None if none is read."""
    large = [page for page in batch.pages if page.size > GOOGLEBOT_LIMIT and is_html(page.path)]
    if not large or not plan.read_options.reads:
        return []
    paths = {entry.path for entry in listed}
    return [page for page in large if page.path in paths]


def _first_undated(listed: Sequence[Listed], dates: BatchDates) -> str:
    """The path of the first page without a date that is no list, "" for none."""
    for entry, cause in zip(listed, dates.causes, strict=True):
        if cause and cause is not NoDate.LIST:
            return entry.path
    return ""


def _extra_owners(listed: Iterable[Listed], extra: Container[str]) -> list[tuple[str, str]]:
    """The extra URLs that pages have, by their keys, and the paths of these pages."""
    if not extra:
        return []
    owners = []
    for entry in listed:
        key = comparison_key(entry.loc)
        if key in extra:
            owners.append((key, entry.path))
    return owners


def _effective_origins(batch: Batch, selection: BatchSelection, plan: Plan) -> Set[Origin]:
    """The user's entries that had an effect on the batch: rules, selectors, endings of pages."""
    effective = set(selection.rules)
    effective |= plan.root.listed_beside_html(page.path for page in batch.pages)
    drop = plan.origins.drop
    if drop:
        for facts in selection.facts:
            for number in facts.dropped:
                effective.add(drop[number])
    return effective


def decide(batch: Batch, plan: Plan) -> tuple[BatchSelection, BatchDates]:
    """Which pages of a batch are listed, and their dates: the stages that `explain` shows.

    Only listed pages are dated, so that others are not counted and cause no warnings.
    """
    locs = plan.policy.locator.locs([page.path for page in batch.pages])
    selection = select_batch(batch, locs, plan.policy, plan.read_options, plan.root)
    if batch.sources:
        facts = without_shared_text(
            batch, selection.listed, selection.facts, plan.root, plan.shared_texts
        )
        selection = selection._replace(facts=facts)
    return selection, _date_as_read(batch, selection, plan.date_policy)


def _date_as_read(batch: Batch, selection: BatchSelection, policy: DatePolicy) -> BatchDates:
    """The dates of listed pages. A page that was saved since the walk has the time of that save.

    Otherwise, the ledger would keep the new digest with the old time for good.
    """
    if selection.saved:
        page_rows = [_as_saved(page, row, selection.saved) for page, row in batch.page_rows()]
        pages, rows = zip(*page_rows, strict=True)
        batch = batch._replace(pages=pages, rows=rows)
    return date_batch(batch, selection.listed, selection.facts, policy)


def _as_saved(page: Page, row: PageRow, saved: Mapping[str, Page]) -> tuple[Page, PageRow]:
    """A page and its row, with the new time of its file if it was saved since the walk.

    The time is neither that of a checkout nor that of a copy.
    """
    opened = saved.get(page.path)
    if opened is None:
        return page, row
    git = row.git
    was_edited = git.edit == page.mtime // 1_000_000_000
    if row.is_committed or was_edited:  # git's answer was about the file before it was saved
        git = GitDates(edit=opened.mtime // 1_000_000_000)
    return opened, row._replace(git=git, is_committed=False, is_copy=False)


def render_entries(
    listed: Sequence[Listed], dates: Sequence[LastMod | None], plan: Plan
) -> Iterator[RenderedEntries]:
    """The entries with their dates as bytes, for each format and section that has entries.

    Only formats that the index names have sections, because other files have one series.
    """
    if not listed:
        return
    is_stable = plan.site.output.options.strategy == "stable"
    without_sections: Places = {"": range(len(listed))}
    by_section = without_sections
    if plan.policy.sections.values:
        by_section = _places_by_section(listed)
    for sitemap_format in formats.enabled(plan.site.output):
        needs_locs = is_stable and sitemap_format.indexed
        places_by_section = by_section if sitemap_format.indexed else without_sections
        for section, places in places_by_section.items():
            entries = listed
            lastmods = dates
            if len(places) < len(listed):
                entries = [listed[place] for place in places]
                lastmods = [dates[place] for place in places]
            yield _render(sitemap_format, section, entries, lastmods, needs_locs=needs_locs)


def _places_by_section(listed: Iterable[Listed]) -> Places:
    """The places of the entries of each section, in the order of their first entries.

    Entries of `blog`, none and `blog` → `{"blog": [0, 2], "": [1]}`.
    """
    places: dict[str, list[int]] = {}
    for place, entry in enumerate(listed):
        places.setdefault(entry.section, []).append(place)
    return places


def _render(
    sitemap_format: Format,
    section: str,
    entries: Sequence[Listed],
    dates: Sequence[LastMod | None],
    *,
    needs_locs: bool,
) -> RenderedEntries:
    """The entries of a section in a format. With `needs_locs`, URLs tell where shards are cut."""
    rows = sitemap_format.render(entries, dates)
    return RenderedEntries(
        series=ShardSeries(sitemap_format.extension, section),
        data="".join(rows).encode("ascii"),
        ends=list(accumulate(map(len, rows))),
        dates=dates,
        locs=[entry.loc for entry in entries] if needs_locs else (),
    )
