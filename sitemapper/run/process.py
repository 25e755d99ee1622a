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
from ..read import walk
from ..read.shared_text import without_shared_text
from ..select.pages import BatchSelection, select_batch
from ..syntax.html import GOOGLEBOT_LIMIT
from ..syntax.urls import comparison_key, is_html
from .details import batch_details, page_values


def process(batch: Batch, plan: Plan) -> BatchResult:
    """Selects, dates and renders the pages of a batch, in this process or in a worker.

    A page that changed since the last build may get the time of this build as its date. But if
    nearly all pages of the site changed, that was a new theme, and no page gets this time. One
    batch does not show whether there is a new theme. So if it makes a difference, the field
    `if_all_changed` has a second result, with the dates for a new theme. The caller takes one.
    """
    selection, dates = decide(batch, plan)
    result = _build_result(batch, selection, dates, plan)
    # If no page can get the time of the build, a new theme makes no difference.
    if not plan.date_policy.dates_changes_by_build:
        return result
    result = result._replace(compared=_count_changed_of_first_pages(selection.listed, dates, plan))
    dates_if_all_changed = date_if_all_changed(batch, selection, dates, plan)
    if dates_if_all_changed:
        other_result = _build_result(batch, selection, dates_if_all_changed, plan)
        result = result._replace(if_all_changed=other_result)
    return result


def date_if_all_changed(
    batch: Batch, selection: BatchSelection, dates: BatchDates, plan: Plan
) -> BatchDates | None:
    """Dates the listed pages of a batch as if the site had a new theme, which changes all pages.

    No page then gets the time of the build as its date, because nobody edited it. `dates` are the
    usual dates. None if those for a new theme are the same.
    """
    # A page that did not change has the same date in both cases.
    if not any(dates.changed):
        return None
    policy = plan.date_policy._replace(is_nearly_all_changed=True)
    dates_if_all_changed = _date_listed_pages(batch, selection, policy)
    if dates_if_all_changed == dates:
        return None
    return dates_if_all_changed


def _count_changed_of_first_pages(
    listed: Sequence[Listed], dates: BatchDates, plan: Plan
) -> tuple[int, int]:
    """Counts the first pages of the site in a batch, and those of them whose content changed.

    `(200, 10)`: 200 listed pages of this batch are among the first thousand of the site, and 10 of
    these 200 have changed. If nearly all of the thousand changed, it was a new theme, and no edit.
    """
    first_pages = 0
    for entry in listed:  # in walk order
        is_after_the_thousandth = walk.path_key(entry.path) > plan.last_compared
        if is_after_the_thousandth:
            break
        first_pages += 1
    are_changed = dates.changed[:first_pages]  # a bool for each page
    return first_pages, sum(are_changed)


def _build_result(
    batch: Batch, selection: BatchSelection, dates: BatchDates, plan: Plan
) -> BatchResult:
    """Renders the entries of a batch, and collects what the run reports of its pages.

    `selection` says which pages are listed, at which URLs, and `dates` when they last changed. The
    fields of the result are described in `BatchResult`. A `Tally` adds them up over all batches.
    """
    excluded = sorted([*batch.excluded, *selection.excluded], key=walk.sort_key)
    # Why pages have no date. A page with a date has no cause.
    causes_of_no_date = [cause for cause in dates.causes if cause]
    details = None  # the values of each page, for a report
    if plan.wants_details:
        values = page_values(selection, dates, plan)
        details = batch_details(selection.listed, excluded, dates, values, plan.date_policy.now)
    return BatchResult(
        entries=list(render_entries(selection.listed, dates.lastmods, plan)),
        listed=len(selection.listed),
        excluded=excluded,
        diagnostics=[*dates.warnings, *selection.warnings],
        extra_owners=_extra_owners(selection.listed, plan.extra),
        dates_perhaps_of_an_import=dates.dates_perhaps_of_an_import,
        records=selection.records,
        versions=selection.versions,
        large=_find_large_pages(batch, selection.listed, plan),
        ledger=dates.ledger,
        dated=dates.counts,
        omitted=Counter(causes_of_no_date),
        undated=_first_undated_path(selection.listed, dates),
        times_of_builds=dates.times_of_builds,
        parsed=selection.parsed,
        effective=_effective_origins(batch, selection, plan),
        details=details,
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
    """Returns the path of the first page whose missing date has a cause, as an example for a note.

    A home page or a list of pages is passed over, because it rarely has a source. "" if there is no
    such page.
    """
    for entry, cause in zip(listed, dates.causes, strict=True):
        if cause and cause is not NoDate.LIST:
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

    At the end of the run, the user is told of the lines that had no effect on any batch. A line may
    have

    - a rule that applied to a page
    - a pattern of `include` by which a file became a page
    - a selector of `[ledger] drop` that removed a part of a page
    """
    effective = set(selection.rules)
    effective |= plan.root.patterns_used_by(page.path for page in batch.pages)
    drop = plan.origins.drop
    if drop:
        for facts in selection.facts:
            for number in facts.dropped:
                effective.add(drop[number])
    return effective


def decide(batch: Batch, plan: Plan) -> tuple[BatchSelection, BatchDates]:
    """Decides which pages of a batch are listed, and dates these.

    Other pages are not dated, so they are not counted and cause no warnings. `explain` calls this
    for one page.
    """
    locs = plan.policy.locator.locs([page.path for page in batch.pages])
    selection = select_batch(batch, locs, plan.policy, plan.read_options, plan.root)
    if batch.sources:
        # A page that shows much more text than a source file was not made from this file. Text that
        # most pages of a folder show, such as a menu, must not count here, so it is taken out.
        facts = without_shared_text(
            batch, selection.listed, selection.facts, plan.root, plan.shared_texts
        )
        selection = selection._replace(facts=facts)
    return selection, _date_listed_pages(batch, selection, plan.date_policy)


def _date_listed_pages(batch: Batch, selection: BatchSelection, policy: DatePolicy) -> BatchDates:
    """Dates the listed pages of a batch by the sources of the `policy`, such as git.

    `selection.saved` has the pages that were saved during the run: the walk saw an older file than
    the one that was read. They are dated by the later time, because their new text is from then.
    """
    if selection.saved:
        page_rows = [
            _with_time_of_save(page, row, selection.saved) for page, row in batch.page_rows()
        ]
        pages, rows = zip(*page_rows, strict=True)
        batch = batch._replace(pages=pages, rows=rows)
    return date_batch(batch, selection.listed, selection.facts, policy)


def _with_time_of_save(page: Page, row: PageRow, saved: Mapping[str, Page]) -> tuple[Page, PageRow]:
    """Updates a page and its row if the page was saved after the walk. Otherwise, changes nothing.

    `saved` has the pages with their new size and times, by path. If git tracks the page's own file,
    the save is an edit that is not committed. Then `git.edit` is its time, and `git` has no other
    date. If git does not track the file, `git` stays: it may have the dates of a source file. In
    both cases, the row says that the file is not as committed, and that no copy wrote it.
    """
    saved_page = saved.get(page.path)
    if saved_page is None:
        return page, row
    git = row.git
    # Git tracks a file that is as committed. It also does if `git.edit` is the time of this file:
    # that is an edit of the file itself, and not of a source file.
    has_edit_of_own_file = git.edit == page.mtime // 1_000_000_000
    is_own_file_tracked = row.is_committed or has_edit_of_own_file
    if is_own_file_tracked:
        git = GitDates(edit=saved_page.mtime // 1_000_000_000)
    return saved_page, row._replace(git=git, is_committed=False, is_copy=False)


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
    by_section = _split_by_section(listed, dates) if plan.policy.sections.values else all_entries
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
