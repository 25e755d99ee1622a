"""The front door: renders the files, and compares them, and their URLs, with what is there."""

import gzip
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from ..errors import SitemapperError
from ..files import is_inside, read_regular
from ..lastmod.ledger import UNLISTED, render_rows
from ..messages import Message, count, listing
from ..model import Before, Dated, Entry, File, Gone, Plan, Run, Site
from ..read.sitemap import SitemapFault, unpack
from ..select import Selected
from ..syntax.dates import moment
from ..syntax.robots import sitemap_lines
from ..syntax.urls import is_placeholder, is_preview, origin_of
from .earlier import names_in, read_here, read_others
from .foreign import losses_of_foreign, may_be_replaced, removable_parts
from .losses import Fates, compare_urls, edits_without_date
from .robots import is_at_root, read_robots, with_sitemap
from .sitemaps import names_of, sitemap_files

_MAX_OLDER = 10  # percent of the dates that may become older without a warning

# Fates that need a person, what notes say of them, and what to do.
_NOTES = (
    ("lost", "lost", "redirect them, if their content is elsewhere"),
    ("moved", "moved", "make sure that the host redirects them"),
    ("form", "listed in another form now", "make sure that the host redirects them"),
)


class _Sitemaps(NamedTuple):
    """The sitemaps of a run, compared with the files in the output."""

    files: list[File]
    kept: set[str]  # the names of those of the earlier sitemap that stay as they are
    kept_entries: list[Entry]
    changed_entries: list[Entry]


def compare(site: Site, selected: Selected, dated: Dated, before: Before, run: Run) -> Plan:
    """Renders the files, and compares them, and their URLs, with what is there.

    Without an earlier sitemap, `changes` is empty: all URLs are added. Raises SitemapperError for
    a file that cannot be replaced, or that `others` names and is not there.
    """
    settings = site.found.config.settings
    sitemaps = _compare_sitemaps(site, dated.entries, before, run)
    names = [file.name for file in sitemaps.files]
    updated = [file.name for file in sitemaps.files if file.change == "updated"]
    foreign = [name for name in updated if name not in before.files]
    parts = removable_parts(site, before.name) if before.name in foreign else []
    old = [*before.files, *parts]
    removed = [File(name, "removed") for name in old if name not in names]
    unproven = [
        name
        for name in foreign
        if name not in parts and not run.replace and not may_be_replaced(site, name)
    ]
    plan = Plan(
        site,
        site.base_url + before.name,
        (*sitemaps.files, *removed),
        compared_with="" if settings.previous == "output" else before.label,
        listed=len(dated.entries),
        left_out=Counter(one.reason for one in selected.excluded),
        unproven=unproven[0] if unproven else "",
    )
    messages: list[Message] = []
    if before.is_ours:
        plan = _with_changes(plan, sitemaps, selected, dated, before)
        messages += _messages_of(plan)
    elif before.label:
        fates = Fates(site, dated.entries, selected.excluded)
        messages += losses_of_foreign(site, before, dated.entries, fates)
    messages += _messages_on_robots(plan)

    # The order of the burst, so that no moment of it loses anything: sitemaps come before the index
    # that names them. Old text sitemaps go while the main one still says that they are ours, and
    # old shards when no index names them any more.
    main = names.index(before.name)
    texts = [file for file in removed if file.name.removesuffix(".gz").endswith(".txt")]
    shards = [file for file in removed if file not in texts]
    beside = _files_beside(plan, dated)
    files = (*sitemaps.files[:main], *texts, *sitemaps.files[main:], *beside, *shards)
    return plan._replace(files=files, messages=tuple(messages))


def _compare_sitemaps(site: Site, entries: list[Entry], before: Before, run: Run) -> _Sitemaps:
    """Renders one sitemap after the other, and keeps the bytes of those that differ."""
    output, settings = site.found.output, site.found.config.settings
    earlier: list[str] = []
    if settings.previous == "output" and before.name in before.files:
        earlier = names_in(output, before.name) or [before.name]
    result = _Sitemaps([], set(), [], [])
    others = read_others(site, run)
    for one in sitemap_files(entries, settings, before.name, site.base_url, others):
        is_index = one.entries is None
        urls = None if one.entries is None else len(one.entries)
        names = names_of(one.name, settings.sitemap.gzip, is_index=is_index)
        files = [compare_file(output, name, one.data, urls) for name in names]
        result.files.extend(files)
        if one.entries is None or one.name.endswith('.txt'):
            continue
        if files[0].change == "kept" and names[0] in earlier:
            result.kept.add(names[0])
            result.kept_entries.extend(one.entries)
        else:
            result.changed_entries.extend(one.entries)
    return result


def compare_file(folder: str, name: str, data: bytes, urls: int | None = None) -> File:
    """Compares bytes with the file of a name, packed files by what is in them.

    Raises SitemapperError for a folder, or a link to something else.
    """
    path = os.path.join(folder, name)
    is_packed = name.endswith(".gz")
    with suppress(OSError, SitemapFault):
        old = read_regular(path)
        if old is not None and data == (unpack(old) if is_packed else old):
            return File(name, "kept", None, urls)
    is_there = os.path.lexists(path)
    if is_there and (os.path.islink(path) or not os.path.isfile(path)):
        what = f"{path}: is not a regular file, so it is not replaced"
        raise SitemapperError(what, "move it elsewhere")
    if is_packed:  # the bytes have no time, and name no system
        packed = gzip.compress(data, 6, mtime=0)
        data = packed[:9] + b"\xff" + packed[10:]
    return File(name, "updated" if is_there else "created", data, urls)


def _with_changes(
    plan: Plan, sitemaps: _Sitemaps, selected: Selected, dated: Dated, before: Before
) -> Plan:
    """The plan with what it changes in the earlier sitemap, and what became of URLs."""
    site, kept = plan.site, sitemaps.kept_entries
    earlier = before.entries()
    if sitemaps.kept:  # files that are kept need no reading
        earlier = read_here(site.found.output, before.name, sitemaps.kept)
    compared = compare_urls(sitemaps.changed_entries, earlier, site.base_url)
    changes = [*compared.changes, *edits_without_date(before, dated, compared.changes)]
    gone: list[Gone] = []
    removed = [change.url for change in changes if change.kind == "removed"]
    if removed:
        fates = Fates(site, dated.entries, selected.excluded)
        added = {change.url for change in changes if change.kind == "added"}
        gone = fates.with_moved([fates.of(url) for url in removed], before, dated, added)
    lost = [
        change.url
        for change in compared.changes
        if change.kind == "changed" and change.before and not change.after
    ]
    gone_dates = set(lost)
    causes = Counter(entry.source for entry in dated.entries if entry.loc in gone_dates)
    return plan._replace(
        changes=tuple(changes),
        gone=tuple(gone),
        previous=compared.urls + len(kept),
        previous_dates=compared.dates + sum(1 for entry in kept if entry.lastmod),
        lost_dates=len(lost),
        first_lost_date=lost[0] if lost else "",
        lost_cause=max(causes, key=causes.__getitem__, default=""),
    )


def _messages_of(plan: Plan) -> Iterator[Message]:
    """What a person has to do about changes."""
    older = [
        f"{one.url}: {one.before} → {one.after}"
        for one in plan.changes
        if one.before and one.after and (moment(one.after) or 0) < (moment(one.before) or 0)
    ]
    if len(older) * 100 > _MAX_OLDER * plan.previous_dates:
        text = f"{len(older):,} of {plan.previous_dates:,} dates become older: {listing(older)}"
        help = "if they come from another source than before, set `lastmod`"
        yield Message("warning", "older-dates", text, help)
    for fate, what, help in _NOTES:
        gone = [one for one in plan.gone if one.fate == fate]
        if gone:
            urls = [f"{one.url} → {one.target}" if one.target else one.url for one in gone]
            text = f"{count(len(gone), 'earlier URL')} {what}: {listing(urls)}"
            yield Message("note", fate, text, help)


def _files_beside(plan: Plan, dated: Dated) -> Iterator[File]:
    """Compares robots.txt, the key of IndexNow and the ledger."""
    found, settings = plan.site.found, plan.site.found.config.settings
    if settings.robots.write and is_at_root(plan.site):
        yield compare_file(found.output, "robots.txt", with_sitemap(read_robots(plan.site), plan))
    key = settings.submit.key
    if key:
        file = compare_file(found.output, f"{key}.txt", key.encode())
        path = os.path.join(found.output, file.name)
        if file.change == "updated" and not (read_regular(path) or b"").startswith(key.encode()):
            what = f"{path}: was not written by sitemapper, so it is not replaced"
            raise SitemapperError(what, "move it elsewhere, or choose another key")
        yield file
    if found.ledger and dated.rows is not None:
        rows = dated.rows
        if is_inside(found.ledger, found.output):  # visitors can read it
            rows = {path: row for path, row in rows.items() if row.place != UNLISTED}
        file = compare_file("", os.path.realpath(found.ledger), render_rows(rows))
        yield file._replace(name=found.ledger)


def _messages_on_robots(plan: Plan) -> Iterator[Message]:
    """Says which line to add at the host's root, and which lines name a sitemap nowhere."""
    site = plan.site
    if not site.found.config.settings.robots.write:
        return
    if is_at_root(site):
        urls = [url for url in sitemap_lines(read_robots(site)) if url != plan.sitemap]
        wrong = [url for url in urls if is_placeholder(url) or is_preview(url)]
        if wrong:
            text = f"robots.txt names a sitemap that visitors cannot reach: {listing(wrong)}"
            help = "remove the line, or correct its address"
            yield Message("warning", "robots-line", text, help)
    elif plan.previous is None:  # else somebody has read it
        place = f"{origin_of(site.base_url)}/robots.txt"
        text = f"crawlers read only {place}, which this site does not write"
        yield Message("note", "robots", text, f"add the line there: Sitemap: {plan.sitemap}")
