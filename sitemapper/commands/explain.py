"""`explain`: why one page is listed or not. Runs the stages of a build on this page alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ..errors import PreviousError, SiteError, SitemapperError
from ..find.load import Setup
from ..find.plan import make_plan
from ..fs import files_below
from ..lastmod.ledger import LedgerFile, local_ledger, open_ledger
from ..lastmod.resolve import BatchDates, date_batch
from ..lastmod.source_choice import Choice
from ..messages import Message
from ..model import (
    NO_FACTS,
    Batch,
    Excluded,
    Fate,
    GoneUrl,
    LedgerEntry,
    Listed,
    NoDate,
    Origin,
    Value,
)
from ..plan import Plan, with_ledger
from ..publish import formats, published
from ..publish.published import find_previous
from ..read import walk
from ..read.sitemap import parse_row
from ..run import stream
from ..run.details import extra_values, page_values
from ..run.process import date_after_new_theme, decide
from ..run.rows import Rows, open_rows
from ..select.extra import Extra, select_extra
from ..select.pages import BatchSelection
from ..site import Output
from ..syntax.ledger_rows import shows_edit
from ..syntax.urls import comparison_key, folder_of, is_page_name, resolve
from .build import build
from .target import find_file, find_pruned_folder, suggest, walk_to

if TYPE_CHECKING:
    from ..lastmod.git import History


class Explanation(NamedTuple):
    """Whether one page is listed, and why. For a listed page, also each value with its origin.

    For a URL that was published and has no page any more, what became of it.
    """

    path: str
    decision: Listed | Excluded | GoneUrl
    values: tuple[Value, ...] = ()
    warned: tuple[Message, ...] = ()


def explain(setup: Setup, target: str, *, now: datetime) -> Explanation:
    """Says why a page is listed or not. `target` is its path or its URL, as a person types it.

    If the page does not exist any more, but its URL was published, this says what became of the
    URL, such as a redirect. Raises SiteError, with similar names, for any other text.
    """
    try:
        explanation = explain_page(setup, target, now=now)
    except SiteError as no_page:
        return _explain_gone(setup, target, now, no_page)
    is_url = "://" in target
    is_listed = isinstance(explanation.decision, Listed)
    if is_url and not is_listed:  # an earlier sitemap may have listed the URL
        return explanation._replace(values=_values_of_gone(setup, target, now))
    return explanation


def _explain_gone(setup: Setup, target: str, now: datetime, no_page: SiteError) -> Explanation:
    """Says what became of a published URL that has no page any more, such as a redirect.

    Raises `no_page`, the error that there is no such page, for a URL that was never published.
    """
    try:
        gone = _find_gone(setup, target, now)
    except SitemapperError as failure:  # the earlier sitemap cannot be read, for example
        problem = f"{_first_line(no_page)}; what became of it is not known: {failure}"
        raise SiteError(problem) from None
    if gone is None:
        raise no_page
    return Explanation(gone.url, gone)


def _values_of_gone(setup: Setup, url: str, now: datetime) -> tuple[Value, ...]:
    """Makes a line that says what became of a published URL: its key, its text and a detail.

    `("published", "before, and redirected now", "to https://a.example/new")`. No line for a URL
    that was never published.
    """
    try:
        gone = _find_gone(setup, url, now)
    except SitemapperError as error:  # the earlier sitemap cannot be read, for example
        return (("published", f"not known: {_first_line(error)}", ""),)
    if gone is None:
        return ()
    is_redirected = gone.fate is Fate.REDIRECTED and gone.target
    where = f"to {gone.target}" if is_redirected else ""
    return (("published", f"before, and {gone.fate.value} now", where),)


def _find_gone(setup: Setup, target: str, now: datetime) -> GoneUrl | None:
    """Finds what became of a URL that was published and is not listed now. None for other URLs.

    Runs a build of the whole site that writes nothing, because the content may be on any other page
    now. The summary of the build has the answer. `target` is the URL or its path. Raises
    SitemapperError if the earlier sitemap or the site cannot be read.
    """
    url = resolve(target.lstrip("/"), setup.site.base_url)
    # A build takes long, and most URLs that a person types were never published.
    if not _may_be_published(url, setup):
        return None
    # The checks that stop a build, such as for too many lost URLs, must not stop an explanation.
    settings = setup.settings.model_copy(update={"max_drop": 100.0})
    run = setup.run._replace(allow_empty=True, ignores_dates=True)
    summary = build(setup._replace(settings=settings, run=run), now=now, dry_run=True)
    return next((one for one in summary.gone if one.url == url), None)


def _may_be_published(url: str | None, setup: Setup) -> bool:
    """Whether a URL may have been published before. The caller then runs a build to find out more.

    True if the earlier sitemap lists the URL. Without an earlier sitemap, True if the ledger has
    any page: it has paths and no URLs, so only a build can tell. `url` is None for a text that is
    no URL. Raises SitemapperError if the earlier sitemap cannot be read.
    """
    site, run = setup.site, setup.run
    ledger = local_ledger(site, run)
    opening = find_previous(setup.settings.previous, site, run, ledger.path if ledger else None)
    try:
        with opening as previous:
            if previous.has_sitemap:
                return any(parse_row(row)[0] == url for row in previous.all_rows())
            return any(previous.ledger_rows())
    except PreviousError as error:
        raise SitemapperError(error.problem, error.help) from None


def list_missing(setup: Setup, now: datetime) -> Iterator[str]:
    """Yields a sentence for each URL of `[check] required` that is not listed, with the reason.

    `https://a.example/tea: noindex (…)`, or `…: there is no such page`. `check` reports them.
    """
    # Dates do not decide whether a page is listed, and git's history takes long to read.
    site = setup.site._replace(date_sources=(), ledger=None)
    undated = setup._replace(site=site)
    for required in setup.settings.check.required:
        url = resolve(required.lstrip("/"), site.base_url) or required
        try:
            result = explain_page(undated, url, now=now).decision
        except SiteError:
            yield f"{url}: there is no such page"
            continue
        if isinstance(result, Excluded):
            yield f"{url}: {result.reason.value} ({result.origin})"
        elif isinstance(result, Listed) and result.loc != url:
            yield f"{url}: is listed as {result.loc}"


def _first_line(error: SitemapperError) -> str:
    """Takes the first line of an error: what is wrong, without its help."""
    return str(error).partition("\n")[0]


def explain_page(setup: Setup, target: str, *, now: datetime) -> Explanation:
    """Says why a page is listed or not. `target` is its path or its URL, as a person types it.

    `target` may also be a folder that a build does not enter, or a URL that the configuration adds
    (`[[urls]]`). Raises SiteError, with similar names, for any other text.
    """
    plan = make_plan(setup, now, local_ledger(setup.site, setup.run))
    url = resolve(target, setup.site.base_url)
    extra = plan.extra.get(comparison_key(url)) if url else None  # a URL of the configuration
    if extra and "?" in target:  # no file has a URL with a query
        return _explain_extra(extra, plan)
    path = find_file(target, plan, setup.run.cwd)
    if path is None:
        folder = find_pruned_folder(target, plan)  # one that `ignore` names, for example
        if folder:
            return Explanation(folder.path, folder)
        if extra:
            return _explain_extra(extra, plan)
        raise _make_no_page_error(target, plan)
    explanation = _explain_file(path, setup, plan)
    # The sitemap may list two URLs of a page: `a.html` is listed at /a, and the configuration adds
    # /a.html. If a person types the URL /a.html, this one is explained.
    page = explanation.decision
    is_url = "://" in target
    if is_url and extra and isinstance(page, Listed) and page.loc != extra.listed.loc:
        return _explain_extra(extra, plan)
    return explanation


def _explain_file(path: str, setup: Setup, plan: Plan) -> Explanation:
    """Says why the page in a file is listed or not: as ignored, or as a build decides."""
    walked = walk_to(plan.root, path)
    if isinstance(walked, Excluded):  # `ignore` names it, for example, so a build does not read it
        return Explanation(path, walked)
    # The ledger may have the date of the page.
    with open_ledger(setup.site, setup.run) as (ledger, _):
        return _explain_walked(walked, with_ledger(plan, ledger))


def _make_no_page_error(target: str, plan: Plan) -> SiteError:
    """Makes the error that no page has the name or URL that a person typed, with similar names."""
    base_url = plan.site.base_url
    help = suggest(target, plan)
    url = resolve(target, base_url) if "://" in target else None
    if url and url.startswith(base_url):  # it may have been published before
        how_to_know = "to explain an old URL, pass a sitemap that lists it: --previous FILE"
        help = f"{help} Or, {how_to_know}" if help else how_to_know
    return SiteError(f"{target}: no page of {plan.site.root} has this name or URL", help)


def _explain_walked(walked: Batch, plan: Plan) -> Explanation:
    """Says why a page is listed or not, by the steps of a build. `walked` has only this page."""
    path = walked.pages[0].path
    with open_rows(plan) as rows:
        batch = rows.attach(walked)  # adds what git, the ledger and the earlier sitemap say of it
        selection, dates = _decide_page(batch, plan, rows)
        warned = (*rows.diagnostics, *dates.warnings, *selection.warnings)
        if selection.excluded:
            return Explanation(path, selection.excluded[0], warned=warned)
        values = tuple(_list_values(batch, selection, dates, plan, rows))
    listed = selection.listed[0]._replace(lastmod=dates.lastmods[0])
    return Explanation(path, listed, values, warned)


def _list_values(
    batch: Batch, selection: BatchSelection, dates: BatchDates, plan: Plan, rows: Rows
) -> Iterator[Value]:
    """Yields the values of a listed page, each with its origin: `("lastmod", "2026-03-01", "git")`.

    The page is the only one in `batch`. `selection` and `dates` are what a build decides about it.
    """
    [(page, row)] = batch.page_rows()  # `row`: what git and the ledger know of the page
    [listed] = selection.listed
    [facts] = selection.facts or [NO_FACTS]  # a page that did not have to be read has no facts
    choice_of_source = dates.pages[0].choice if dates.pages else None
    # /blog/ lists the pages below it. Such a page usually has no source file by which git could
    # date it, and this explains a missing date.
    lacks_source = bool(rows.git) and not row.sources
    is_list = lacks_source and _has_pages_below(page.path, plan.root)
    # The URL and the date.
    [url_and_date] = page_values(selection, _describe_date(dates, rows, is_list=is_list), plan)
    yield from url_and_date
    # The source file, and whether the content has changed.
    if rows.git:
        yield from _source_values(
            page.path, choice_of_source, rows.git, has_git_date=row.git.has_date, is_list=is_list
        )
    if plan.ledger and facts.digest is not None:
        yield _content_value(row.ledger, facts.digest, plan.ledger)
    for number, url in enumerate(listed.images, 1):
        yield f"image {number}", url, f"{page.path}: <img>"
    # The settings that were found in the project, such as the base URL of its generator.
    for setting in plan.site.found:
        yield setting.key, setting.text, str(setting.origin)
    yield _published_value(listed.loc, plan.site.output)


def _describe_date(dates: BatchDates, rows: Rows, *, is_list: bool) -> BatchDates:
    """Says more exactly where the date of a page comes from, or why it has none.

    A build only says `front_matter`. For `explain`, that becomes `front_matter: content/tea.md:3`.
    `dates` are those of the only page.
    """
    [where_from] = dates.sources
    [why_none] = dates.causes
    # `front_matter`: the date is in the source file that was chosen for the page.
    if where_from == "front_matter":
        choice = dates.pages[0].choice
        assert choice and choice.source and choice.source.change  # or it would have no such date
        dated_line = choice.source.change
        where_from = f"front_matter: {Origin(dated_line.file, dated_line.line)}"
    # `published` → `in the committed sitemap; unchanged since commit 3f0c…`
    elif where_from == "published":
        where_from = rows.describe_published()
    # No date, for no known reason. A page such as /blog/ has none because it lists others.
    elif why_none is NoDate.UNKNOWN and is_list:
        why_none = NoDate.LIST
    return dates._replace(sources=[where_from], causes=[why_none])


def _decide_page(batch: Batch, plan: Plan, rows: Rows) -> tuple[BatchSelection, BatchDates]:
    """Decides whether the only page of a batch is listed, and dates it as a whole build would.

    In two cases, the date depends on the other pages of the site. To look at these takes long, so
    it is done only if the page may get another date by it.
    """
    selection, dates = decide(batch, plan)
    # A copy such as `cp -r` wrote many files within seconds, so their times are no dates. A file
    # that is as in its last commit is none of them: `git clone` gives all files one time, too.
    [(page, row)] = batch.page_rows()
    may_be_in_burst = plan.date_policy.needs_bursts and not row.is_committed
    is_dated_by_file = "mtime" in dates.sources
    is_undated = None in dates.lastmods  # the copy may be why
    if may_be_in_burst and (is_dated_by_file or is_undated) and rows.is_in_burst(page.path):
        batch = batch._replace(rows=[row._replace(is_in_burst=True)])
        dates = date_batch(batch, selection.listed, selection.facts, plan.date_policy)
    # Almost all pages changed since the last build, so only the theme of the site is new. Then no
    # page gets the time of this build as its date.
    if plan.date_policy.dates_changes_by_build:
        dates_with_new_theme = date_after_new_theme(batch, selection, dates, plan)
        # None if the page would have the same date.
        if dates_with_new_theme and stream.has_new_theme(plan):
            return selection, dates_with_new_theme
    return selection, dates


def _explain_extra(extra: Extra, plan: Plan) -> Explanation:
    """Says why a URL of the configuration (`[[urls]]`) is listed or not.

    `extra.listed` is how the sitemap would list the URL. If a rule excludes the URL, such as
    robots.txt, the reason is given. Otherwise, each value of the entry is given with its origin.
    """
    entry = extra.listed
    result = select_extra(extra, plan.policy, plan.read_options, plan.root)
    if isinstance(result, Excluded):
        return Explanation(entry.loc, result)
    values = (*extra_values(extra), _published_value(entry.loc, plan.site.output))
    return Explanation(entry.loc, entry, values)


def _source_values(
    path: str, choice: Choice | None, git: History, *, has_git_date: bool, is_list: bool
) -> Iterator[Value]:
    """Yields the `source` lines of a page: the files whose commits date it, or why there are none.

    `("source", "content/tea.md", "path and title; commit 0123456789ab")`. `choice` is the choice
    among files that may be the source, None if there are none.
    """
    chosen_file = choice.source if choice else None
    # None of the files was chosen, because two of them fit, for example.
    if choice and not chosen_file:
        yield "source", "none", choice.reason
        return
    # A file was chosen, by its path or title. It may include others.
    if choice and chosen_file:
        commit = git.describe_commit(chosen_file.name)
        yield "source", chosen_file.name, f"{choice.reason}; {commit}"
        for part in chosen_file.parts:
            yield "source", part, f"included; {git.describe_commit(part)}"
        return
    # The settings name files, or git dates the page's own file.
    if git.named_paths(path) or has_git_date:
        yield from _values_of_named_or_own_files(path, git)
        return
    # No file dates the page. A page such as /blog/, which lists others, has none to look for.
    why_none = NoDate.LIST.value if is_list else _why_no_source(path, git)
    yield "source", "none", why_none


def _values_of_named_or_own_files(path: str, git: History) -> Iterator[Value]:
    """Yields a `source` line for each file that settings name as a source of a page.

    `("source", "content/tea.md", "commit 0123456789ab")`. Named files that do not exist are left
    out. If none of them exists, each has the line `no such file`. If no file is named, there is one
    line, for the page's own file.
    """
    names, are_there = git.files_for_message(path)
    for name in names:
        yield "source", name, git.describe_commit(name) if are_there else "no such file"


def _has_pages_below(path: str, root: walk.SiteRoot) -> bool:
    """Whether a page is the index of a folder with other pages, also in deeper folders.

    True for `blog/index.html` if there is a `blog/tea/index.html`. The page is then explained as a
    list of pages.
    """
    folder = folder_of(path)
    if folder is None:
        return False
    own_file = root.file(path)
    files = files_below(os.path.dirname(own_file))
    return any(is_page_name(file) and file != own_file for file in files)


def _why_no_source(path: str, git: History) -> str:
    """Says why git dates a page neither by a source file nor by its own file.

    `no source fits, and public/tea.html is not committed`. Only for a page without named sources.
    """
    [own_file], _ = git.files_for_message(path)  # only the page's own, because none is named
    why_undated = git.why_undated(own_file)
    rejected_file = git.similar_by_chance.get(path)
    if not rejected_file:
        return f"no source fits, and {why_undated}"
    # Such a file would count if three pages showed the titles of files in its folder.
    return (
        f"{rejected_file} has a similar path, but the generator is not known to read its folder; "
        f"{why_undated}"
    )


def _content_value(row: LedgerEntry | None, digest: str, ledger: LedgerFile) -> Value:
    """Makes the line that says whether a page's content has changed since the last build.

    `content   unchanged since 2026-03-01  (digest 2623cc6a…)`

    `row` is the page's record of the last build in the ledger, None for a new page. `digest` is the
    digest of the content today.
    """
    digest_now = f"digest {_shorten(digest)}"
    if row is None:
        return "content", f"new: not in {ledger.label}", digest_now
    if shows_edit(row.digest, digest):
        digests = f"the digest was {_shorten(row.digest)}, and is {_shorten(digest)}"
        return "content", f"changed: {digests}", ""
    if row.lastmod:
        return "content", f"unchanged since {row.lastmod.text}", digest_now
    return "content", "unchanged since the last build, and without a date", digest_now


def _shorten(digest: str) -> str:
    """Shortens a digest to 8 digits: `3f0c-2623cc6a91b04d5e` → `2623cc6a…`.

    The text up to the dash names the rule by which the digest was computed, and is left out.
    """
    return f"{digest[5:13]}…"


def _published_value(loc: str, output: Output) -> Value:
    """Makes the line that names the first published file with a URL.

    `published   in sitemap-1.xml`, or `published   not yet` if no file lists it.
    """
    element = f"<loc>{formats.escape(loc)}</loc>".encode()
    for name in published.list_own_files(output):
        if any(element in row for row in published.rows(name, output)):
            return "published", f"in {name}", ""
    return "published", "not yet", ""
