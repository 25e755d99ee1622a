"""Runs a batch of pages through every stage: which are listed, their dates, their bytes.

Pure except for reading pages.
"""

from bisect import bisect_right
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
from ..read import walk
from ..read.shared_text import without_shared_text
from ..select.pages import BatchSelection, select_batch
from ..syntax.html import GOOGLEBOT_LIMIT
from ..syntax.urls import comparison_key, is_html
from .details import batch_details, page_values


def process(batch: Batch, plan: Plan) -> BatchResult:
    """Selects, dates and renders the pages of a batch, in this process or in a worker.

    A page that changed since the last build may get the time of this build as its date. But if
    nearly all pages of the site changed, only the theme is new, and no page gets this time. One
    batch does not show which case it is, so both are prepared: the result has the dates of the
    usual case, and `after_new_theme` is a second result with those of the other case.

    The caller adds up `first_pages` and `changed_first_pages` of the first batches, which show
    whether nearly all pages changed. Then it takes one result of each batch.
    """
    selection, dates = decide(batch, plan)
    result = _build_result(batch, selection, dates, plan)
    if not plan.date_policy.dates_changes_by_build:  # no page may get the time of the build
        return result
    first_pages = _count_first_pages(selection.listed, plan)
    after_new_theme = None
    other_dates = date_after_new_theme(batch, selection, dates, plan)
    if other_dates is not None:  # None if the dates are the same
        after_new_theme = _build_result(batch, selection, other_dates, plan)
    return result._replace(
        first_pages=first_pages,
        changed_first_pages=sum(dates.changed[:first_pages]),
        after_new_theme=after_new_theme,
    )


def date_after_new_theme(
    batch: Batch, selection: BatchSelection, dates: BatchDates, plan: Plan
) -> BatchDates | None:
    """Dates the listed pages of a batch for the case that a new theme changed nearly all pages.

    Nobody edited these pages. So a changed page does not get the time of the build as its date, as
    it may in the usual case. `dates` are the dates in the usual case. None if they are the same in
    both cases.
    """
    if not any(dates.changed):  # an unchanged page has the same date in both cases
        return None
    policy = plan.date_policy._replace(is_nearly_all_changed=True)
    other_dates = _date_listed_pages(batch, selection, policy)
    return None if other_dates == dates else other_dates


def _count_first_pages(listed: Sequence[Listed], plan: Plan) -> int:
    """Counts the listed pages of a batch that are among the first thousand pages of the site."""
    # Pages are listed in walk order, in which the plan has the key of the thousandth page.
    return bisect_right(
        listed, plan.key_of_thousandth_page, key=lambda entry: walk.path_key(entry.path)
    )


def _build_result(
    batch: Batch, selection: BatchSelection, dates: BatchDates, plan: Plan
) -> BatchResult:
    """Makes the result of a batch: its lines of the sitemaps, and counts that the run adds up.

    `selection` says which pages are listed, at which URLs, and `dates` when they last changed.
    """
    excluded = sorted([*batch.excluded, *selection.excluded], key=walk.sort_key)
    causes_of_no_date = [cause for cause in dates.causes if cause]  # None for a page with a date
    details = None
    if plan.wants_details:
        details = batch_details(
            listed=selection.listed,
            excluded=excluded,
            lastmods=dates.lastmods,
            sources=dates.sources,
            values=page_values(selection, dates, plan),
            now=plan.date_policy.now,
        )
    return BatchResult(
        entries=list(render_entries(selection.listed, dates.lastmods, plan)),
        listed=len(selection.listed),
        excluded=excluded,
        # So that no URL of `[[urls]]` is listed a second time:
        extra_owners=_extra_owners(selection.listed, plan.extra),
        # For the summary, and the note on pages without a date, with one of them as an example:
        dated=dates.counts,
        omitted=Counter(causes_of_no_date),
        undated=_first_undated_path(selection.listed, dates),
        # For warnings about dates that one import or build may have set at once:
        times_of_builds=dates.times_of_builds,
        dates_perhaps_of_an_import=dates.dates_perhaps_of_an_import,
        # For all other messages:
        diagnostics=[*dates.warnings, *selection.warnings],
        large=_find_large_pages(batch, selection.listed, plan),
        effective=_effective_origins(batch, selection, plan),
        # For the ledger, and for the batches in which other language versions of these pages come:
        ledger=dates.ledger,
        versions=selection.versions,
        # For a report:
        details=details,
        # For the choice between one process and several:
        parsed=selection.parsed,
    )


def _find_large_pages(batch: Batch, listed: Sequence[Listed], plan: Plan) -> list[Page]:
    """Finds the listed HTML pages that are so large that Googlebot reads only their beginning.

    Empty if this run reads no pages.
    """
    large = [page for page in batch.pages if page.size > GOOGLEBOT_LIMIT and is_html(page.path)]
    if not large or not plan.read_options.reads:
        return []
    paths = {entry.path for entry in listed}
    return [page for page in large if page.path in paths]


def _first_undated_path(listed: Sequence[Listed], dates: BatchDates) -> str:
    """Returns the path of the first page without a date, as an example for the note on such pages.

    "" if there is none. These pages are no examples:

    - a page of which no date was expected: with `lastmod = ["page"]`, no cause is given
    - a home page or a list of pages, which rarely has a source, and has a note of its own
    """
    for entry, cause in zip(listed, dates.causes, strict=True):
        if cause is not None and cause is not NoDate.LIST:
            return entry.path
    return ""


def _extra_owners(listed: Iterable[Listed], extra: Container[str]) -> list[tuple[str, str]]:
    """Lists the extra URLs that are also the URL of a listed page, each with the page's path.

    Extra URLs are those that the user lists in `[[urls]]`. If `https://example.com/a` is one, and
    also the URL of a.html → [(its comparison key, `a.html`)]. `extra` contains these keys.
    """
    if not extra:
        return []
    owners = []
    for entry in listed:
        key = comparison_key(entry.loc)
        if key in extra:
            owners.append((key, entry.path))
    return owners


def _effective_origins(batch: Batch, selection: BatchSelection, plan: Plan) -> Set[Origin]:
    """Finds the lines of the configuration that had an effect on a batch: `sitemapper.toml:8`.

    These are the places of

    - rules that applied to a page
    - patterns of `include` by which a file became a page
    - selectors of `[ledger] drop` that removed a part of a page

    At the end, the run reports the lines that had no effect on any batch.
    """
    effective = {*selection.rules, *plan.root.patterns_used_by(page.path for page in batch.pages)}
    places_of_selectors = plan.origins.drop
    if places_of_selectors:
        for facts in selection.facts:
            for number in facts.dropped:  # of a selector that removed something
                effective.add(places_of_selectors[number])
    return effective


def decide(batch: Batch, plan: Plan) -> tuple[BatchSelection, BatchDates]:
    """Decides which pages of a batch are listed, and dates these pages.

    The other pages get no date, so they are not counted as undated, and cause no warnings.
    """
    locs = plan.policy.locator.locs([page.path for page in batch.pages])
    selection = select_batch(batch, locs, plan.policy, plan.read_options, plan.root)
    if batch.sources:
        # The dates depend on which source file a page was made from. If a page shows much more text
        # than a file has, it was not made from this file. But a menu, which all pages of a folder
        # share, is in no source file. So shared text is taken out of the size of each page first.
        facts = without_shared_text(
            batch, selection.listed, selection.facts, plan.root, plan.shared_texts
        )
        selection = selection._replace(facts=facts)
    return selection, _date_listed_pages(batch, selection, plan.date_policy)


def _date_listed_pages(batch: Batch, selection: BatchSelection, policy: DatePolicy) -> BatchDates:
    """Dates the listed pages of a batch by the sources of the `policy`, such as git.

    If somebody saved a page after the run had listed its folder, the page is dated by its new file
    time: the text that was read is the new one.
    """
    saved = selection.saved  # such pages with their new sizes and times, by path
    if saved:
        pages = [saved.get(page.path, page) for page in batch.pages]
        rows = [
            _row_after_save(row, page, saved[page.path]) if page.path in saved else row
            for page, row in batch.page_rows()
        ]
        batch = batch._replace(pages=pages, rows=rows)
    return date_batch(batch, selection.listed, selection.facts, policy)


def _row_after_save(row: PageRow, page: Page, saved_page: Page) -> PageRow:
    """Updates what is known of a page because somebody saved its file during the run.

    If git tracks tea.html, the save is an edit that is not committed, and its time dates the page.
    `page` has the file time before the save, and `saved_page` the time of the save.
    """
    git = row.git
    # Before the save, a tracked file was as in its last commit, or it had been edited. The time of
    # such an edit is the time of the edited file. With another time, a source was edited.
    file_time_before_save = page.mtime // 1_000_000_000
    had_edit = git.edit == file_time_before_save
    is_tracked = row.is_committed or had_edit
    if is_tracked:
        git = GitDates(edit=saved_page.mtime // 1_000_000_000)
    # The file differs from the last commit now, and no copy or build wrote it.
    return row._replace(git=git, is_committed=False, is_in_burst=False)


def render_entries(
    listed: Sequence[Listed], dates: Sequence[LastMod | None], plan: Plan
) -> Iterator[RenderedEntries]:
    """Renders the listed pages with their dates as bytes, for each format and section.

    With the section `blog`, and XML and text as formats, it yields three results:

        format   section   pages
        XML      `blog`    those in the section
        XML      ""        those in no section
        text     ""        all

    Only formats that a sitemap index can name, such as XML, are divided into sections. A section
    without pages has no result. In each result, `ends` are the offsets in `data` at which the
    entries end.
    """
    if not listed:
        return
    all_entries = {"": (listed, dates)}
    by_section = _split_by_section(listed, dates) if plan.policy.sections else all_entries
    is_stable = plan.site.output.options.strategy == "stable"
    for sitemap_format in formats.enabled(plan.site.output):
        sections = by_section if sitemap_format.indexed else all_entries
        for section, (entries, lastmods) in sections.items():
            rows = sitemap_format.render(entries, lastmods)
            locs: Sequence[str] = ()
            if is_stable and sitemap_format.indexed:  # stable shards are cut by the URL
                locs = [entry.loc for entry in entries]
            yield RenderedEntries(
                series=ShardSeries(sitemap_format.extension, section),
                data="".join(rows).encode("ascii"),
                ends=list(accumulate(map(len, rows))),
                dates=lastmods,
                locs=locs,
            )


def _split_by_section(
    listed: Sequence[Listed], dates: Sequence[LastMod | None]
) -> Mapping[str, tuple[Sequence[Listed], Sequence[LastMod | None]]]:
    """Splits entries and their dates by section: {section: its entries and their dates}.

    The sections are in the order of their first entries.
    """
    by_section: dict[str, tuple[list[Listed], list[LastMod | None]]] = {}
    for entry, date in zip(listed, dates, strict=True):
        entries, dates_of_entries = by_section.setdefault(entry.section, ([], []))
        entries.append(entry)
        dates_of_entries.append(date)
    return by_section
