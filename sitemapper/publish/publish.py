"""The front door: renders the files, and compares them, and their URLs, with what is there."""

from collections import Counter
from collections.abc import Iterable, Iterator

from ..files import is_inside
from ..lastmod.ledger import UNLISTED, render_rows
from ..messages import Message, listing
from ..model import Before, Dated, Entry, File, Plan, Run, Site
from ..read.sitemap import SitemapEntry
from ..select import Selected
from ..syntax.robots import sitemap_lines
from ..syntax.urls import is_placeholder, is_preview, origin_of
from .earlier import may_be_replaced, read_others, removable_parts
from .losses import (
    compare_urls,
    edits_without_date,
    explain_gone,
    losses_of_foreign,
    messages_on_gone,
)
from .robots import is_at_root, read_robots, with_sitemap
from .sitemaps import names_of, sitemap_files
from .write import compare_file

_MAX_OLDER = 10  # percent of the dates that may become older without a warning


def compare(site: Site, selected: Selected, dated: Dated, before: Before, run: Run) -> Plan:
    """Plans a run: which files it writes and removes, and what that changes in the sitemap.

    Without an earlier sitemap, `changes` is empty: all URLs are added. Raises SitemapperError for
    an earlier sitemap, a sitemap in `others` or a robots.txt that cannot be read.
    """
    settings = site.found.config.settings
    sitemaps = list(_render_sitemaps(site, dated, before, run))
    names = [file.name for file in sitemaps]

    # Files of other tools, which ours replace. The guard stops the run at one that is unproven:
    # nothing shows that it may be replaced.
    updated = [file.name for file in sitemaps if file.change == "updated"]
    replaced = [name for name in updated if name not in before.files]
    unproven = [name for name in replaced if not run.replace and not may_be_replaced(site, name)]
    # If the other tool's file is an index, the sitemaps that it names go with it.
    parts = removable_parts(site, before) if before.name in replaced else []
    removed = [File(name, "removed") for name in (*before.files, *parts) if name not in names]

    # Comparing the URLs needs to know whether a file changes, so the plan has these files first.
    plan = Plan(
        site,
        site.base_url + before.name,
        (*sitemaps, *removed),
        dated.entries,
        compared_with="" if settings.previous == "output" else before.label,
        left_out=Counter(page.reason for page in selected.excluded),
        unproven=unproven,
    )
    if before.label:
        plan = _with_changes(plan, selected, dated, before)

    # `write` keeps this order, and may be killed after each file.
    # 1. Old text sitemaps go while the old main sitemap still says that they are ours.
    # 2. New sitemaps are written. `sitemap_files` puts them before the index that names them.
    # 3. Old XML sitemaps go last, when no index names them any more.
    old_xmls = [file for file in removed if file.name.removesuffix(".gz").endswith(".xml")]
    old_texts = [file for file in removed if file not in old_xmls]
    files = (*old_texts, *sitemaps, *_files_beside(plan, dated), *old_xmls)
    return plan._replace(files=files, messages=(*plan.messages, *_messages_on_robots(plan)))


def _render_sitemaps(site: Site, dated: Dated, before: Before, run: Run) -> Iterator[File]:
    """Yields the sitemaps under all their names, each compared with the file that is there."""
    settings = site.found.config.settings
    others = read_others(site, run)
    for sitemap in sitemap_files(dated.entries, settings, before.name, site.base_url, others):
        urls = None if sitemap.entries is None else len(sitemap.entries)
        for name in names_of(sitemap.name, settings.sitemap.gzip, is_index=urls is None):
            yield compare_file(site.found.output, name, sitemap.data, urls)


def _with_changes(plan: Plan, selected: Selected, dated: Dated, before: Before) -> Plan:
    """Compares the URLs with the earlier sitemap, and adds the differences to the plan.

    These are the changes, what became of each URL that is removed, and messages about both. If
    another tool wrote the earlier sitemap, only messages are added: nothing is counted as lost.
    """
    earlier: Iterable[SitemapEntry | Entry] = before.entries()
    is_in_output = not plan.compared_with and before.name in before.files
    if is_in_output and not plan.is_changed:  # the same files list the same, so none is parsed
        earlier = dated.entries
    if not before.is_ours:
        earlier = list(earlier)  # `losses_of_foreign` reads it again
    compared = compare_urls(dated.entries, earlier, plan.site.base_url)
    gone = explain_gone(plan.site, compared.changes, selected, dated, before)
    messages = messages_on_gone(gone, before)
    if not before.is_ours:
        return plan._replace(messages=(*messages, *losses_of_foreign(plan.site, before, earlier)))
    edits = edits_without_date(before, dated, compared.changes)
    plan = plan._replace(
        changes=(*compared.changes, *edits),
        gone=tuple(gone),
        previous=compared.urls,
        previous_dates=compared.dates,
    )
    return plan._replace(messages=(*_older_dates(plan), *messages))


def _older_dates(plan: Plan) -> Iterator[Message]:
    """Warns if many dates become older, which happens when they come from another source."""
    older = [
        f"{change.url}: {change.before} → {change.after}"
        for change in plan.changes
        if change.after and change.after[:10] < change.before[:10]  # days: `date_only` may be new
    ]
    if len(older) * 100 > _MAX_OLDER * plan.previous_dates:
        text = f"{len(older):,} of {plan.previous_dates:,} dates become older: {listing(older)}"
        help = "if they come from another source than before, set `lastmod`"
        yield Message("warning", "older-dates", text, help)


def _files_beside(plan: Plan, dated: Dated) -> Iterator[File]:
    """Yields what is written beside the sitemaps, each compared with the file that is there.

    These are robots.txt with the line for the sitemap, the key of IndexNow (`0123abcd.txt`) and the
    ledger, as far as the settings ask for them.
    """
    found, settings = plan.site.found, plan.site.found.config.settings
    if settings.robots.write and is_at_root(plan.site):
        yield compare_file(found.output, "robots.txt", with_sitemap(read_robots(plan.site), plan))
    key = settings.submit.key
    if key:
        yield compare_file(found.output, f"{key}.txt", key.encode())
    if found.ledger and dated.rows is not None:
        rows = dated.rows
        # In the output, visitors can read the ledger, and pages that are not listed may be secret.
        if is_inside(found.ledger, found.output):
            rows = {path: row for path, row in rows.items() if row.place != UNLISTED}
        yield compare_file("", found.ledger, render_rows(rows))


def _messages_on_robots(plan: Plan) -> Iterator[Message]:
    """Warns if robots.txt names a sitemap at a preview or this machine, `http://localhost:8000/`.

    A site below the root of its host, such as `https://a.example/docs/`, has no robots.txt of its
    own. For such a site, says which line to add at the root.
    """
    site = plan.site
    if not site.found.config.settings.robots.write:
        return
    if is_at_root(site):
        urls = [url for url in sitemap_lines(read_robots(site)) if url != plan.sitemap]
        unreachable = [url for url in urls if is_placeholder(url) or is_preview(url)]
        if unreachable:
            text = f"robots.txt names a sitemap that visitors cannot reach: {listing(unreachable)}"
            help = "remove the line, or correct its address"
            yield Message("warning", "robots-line", text, help)
    elif plan.previous is None:  # only at the first build
        place = f"{origin_of(site.base_url)}/robots.txt"
        text = f"crawlers read only {place}, which this site does not write"
        yield Message("note", "robots", text, f"add the line there: Sitemap: {plan.sitemap}")
