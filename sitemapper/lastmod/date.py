"""The front door: listed pages in, entries with their dates out."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, zip_longest
from sys import intern, maxsize
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ..files import site_file
from ..messages import Message, count, listing
from ..model import Before, Dated, Entry, Row, Run, Site
from ..scan import path_key
from ..select import Selected
from ..syntax.dates import Writer, read_date
from ..syntax.urls import usual_path
from .history import History, Told, read_history
from .ledger import NO_DIGEST, UNLISTED
from .resolve import (
    Evidence,
    Policy,
    Verdict,
    compare_content,
    date_page,
    find_bursts,
    is_plausible,
)
from .source import pages_above

AUTO = ("ledger", "published", "front_matter", "git", "mtime")
_NEARLY_ALL = 0.9
_MIN_CHANGED = 2
_UNKNOWN = Told()
_NO_VERDICT = Verdict(None, "")  # of an entry of `[[urls]]`, which no source dates
_WRONG_WITH_LEDGER = ("shallow clone", "implausible")  # causes of no date


class Grounds(NamedTuple):
    """What the pages of a run are dated by."""

    policy: Policy
    history: History
    evidence: list[Evidence]  # of the listed pages; those of `[[urls]]` come after them


def date(site: Site, selected: Selected, before: Before, run: Run, now: datetime) -> Dated:
    """Dates each listed page by the sources of `lastmod`, in their order.

    No date lies after `now`. The rows are those of the ledger to write, None without a ledger.
    """
    grounds = collect_grounds(site, selected, before, run, now)
    policy, history, evidence = grounds
    verdicts = [date_page(page, policy) for page in evidence]
    lists: set[str] = set()
    if policy.sources and any(verdict.lastmod is None for verdict in verdicts):
        lists = find_lists([page.file.path for page in evidence])

    entries: list[Entry] = []
    undated: list[tuple[str, str]] = []  # the paths of pages without a date, with the causes
    # Entries of `[[urls]]` come last, and have neither evidence nor verdict.
    for listed, page, verdict in zip_longest(selected.listed, evidence, verdicts):
        lastmod, source = verdict or _NO_VERDICT
        if listed.values.lastmod is not None:
            lastmod, source = _read_stated(listed.values.lastmod, policy)
        path = listed.page.path if listed.page else listed.url
        if lastmod is None and path in lists:
            source = "list"  # it has no source of its own, so nobody misses its date
        elif lastmod is None and source and _needs_action(page, source):
            undated.append((path, source))
        text = intern(lastmod.text) if lastmod else None  # many pages share their dates
        values = (listed.values, listed.alternates, listed.images)
        entries.append(Entry(listed.page, listed.url, text, source, *values))

    messages = [*history.messages, *_warnings(site, before, grounds)]
    if "mtime" in policy.sources or ("git" in policy.sources and history.repositories):
        messages += _note_undated(undated)
    rows = before.rows
    if rows is not None:
        rows = _rows(site, rows, evidence, entries)
    return Dated(entries, rows, tuple(messages))


def _needs_action(page: Evidence | None, cause: str) -> bool:
    """Whether a person has to do something so that a page gets a date.

    A page with a row in the ledger gets one when its content changes. That does not mend a wrong
    date or a clone without its history.
    """
    has_row = page is not None and page.row is not None
    return cause in _WRONG_WITH_LEDGER or not has_row


def collect_grounds(
    site: Site, selected: Selected, before: Before, run: Run, now: datetime
) -> Grounds:
    """Collects what the pages are dated by: git, the ledger, and the times of the files."""
    settings = site.found.config.settings
    sources: tuple[str, ...] = AUTO if settings.lastmod == ("auto",) else settings.lastmod
    if "ledger" in sources and "mtime" in sources:
        # File times come last. They date a page only in the run that finds it changed, so a source
        # behind them would date it anew in the next run.
        others = [source for source in sources if source != "mtime"]
        sources = (*others, "mtime")
    history = History()
    if not {"published", "front_matter", "git"}.isdisjoint(sources):
        # Commits over nearly all files are no edits, unless git is the only source.
        history = read_history(site, selected, before, run, skips=sources != ("git",))

    # A checkout that changes the ends of lines, or a formatter, writes many sources at once.
    of_pages = [told.files for told in history.told.values() if not told.is_own]
    edits = map(history.edits.get, set(chain(*of_pages)))
    rewritten = find_bursts(filter(None, edits), maxsize)
    rows = before.rows
    evidence: list[Evidence] = []
    for one in selected.listed:
        if one.page is None:  # all that follow are entries of `[[urls]]`
            break
        row = None
        is_unchanged = False
        if rows is not None and one.facts.digest:
            row, is_unchanged = compare_content(rows.get(one.page.path), one.facts.digest)
        told = history.told.get(one.page.path, _UNKNOWN)
        if told.edit in rewritten:
            told = told._replace(edit=None)
        evidence.append(Evidence(one, one.page, told, row, is_unchanged))

    times = [page.second for page in evidence if not page.told.is_committed]
    changed = sum(page.is_changed for page in evidence)
    zone = settings.dates.timezone
    epoch = run.environment.get("SOURCE_DATE_EPOCH", "")
    policy = Policy(
        sources=sources,
        writer=Writer(UTC if zone == "UTC" else ZoneInfo(zone), date_only=settings.dates.date_only),
        now=int(now.timestamp()),
        epoch=int(epoch) if re.fullmatch(r"\d{1,18}", epoch) else maxsize,
        bursts=find_bursts(times, len(evidence)),
        is_generated=site.found.project is not None,
        is_new_theme=changed >= max(_MIN_CHANGED, _NEARLY_ALL * len(evidence)),
    )
    return Grounds(policy, history, evidence)


def _read_stated(text: str, policy: Policy) -> Verdict:
    """The date that a rule or an entry of `[[urls]]` states."""
    stated = read_date(text, policy.writer)
    if is_plausible(stated, policy):
        return Verdict(stated, "rule")
    return Verdict(None, "implausible")


def _rows(
    site: Site,
    old: Mapping[str, Row],
    evidence: Sequence[Evidence],
    entries: Sequence[Entry],
) -> dict[str, Row]:
    """The rows of the ledger to write, in URL order: one a page, then those of `[[urls]]`.

    A page that is not listed any more keeps its row as long as its file is there.
    """
    rows: dict[str, Row] = {}
    for page, entry in zip(evidence, entries, strict=False):
        row = page.row
        if row is None:
            continue
        if entry.lastmod:
            row = Row(entry.lastmod, row.digest)
        # The place is written only where the URL forms of the site do not give it.
        path = page.file.path
        url_path = page.one.url.removeprefix(site.base_url)
        place = "" if url_path == usual_path(path, site.forms) else f"/{url_path}"
        rows[path] = row._replace(place=place)

    unlisted = {
        path: row._replace(place=UNLISTED)
        for path, row in old.items()
        if path not in rows and os.path.lexists(site_file(site.found.folder, path))
    }
    if unlisted:
        rows |= unlisted
        rows = {path: rows[path] for path in sorted(rows, key=path_key)}
    for entry in entries[len(evidence) :]:  # of `[[urls]]`
        rows[entry.loc] = Row(entry.lastmod or "-", NO_DIGEST)
    return rows


def _warnings(site: Site, before: Before, grounds: Grounds) -> list[Message]:
    """Warns if git is in `lastmod` and has no dates, or is too shallow to check the old sitemap.

    Also warns if most file times are those of a copy or a build.
    """
    policy, history, evidence = grounds
    messages: list[Message] = []
    if "git" in site.found.config.settings.lastmod and not history.repositories:
        messages.append(
            Message(
                "warning",
                "git",
                "git has no dates: there is no repository with a commit around the site, or no git",
                "build in a clone of the repository, or take git out of `lastmod`",
            )
        )
    if history.sitemap and not history.sitemap[1].is_certain and "published" in policy.sources:
        messages.append(
            Message(
                "warning",
                "shallow",
                f"in this shallow clone, nothing shows whether the dates of {before.label} are old",
                CAUSES["shallow clone"].help,
            )
        )
    copied = 0
    if policy.sources == ("mtime",):
        copied = sum(page.second in policy.bursts for page in evidence)
    if 2 * copied > len(evidence):
        messages.append(
            Message(
                "warning",
                "file-times",
                f"{copied:,} of {count(len(evidence), 'page')} have the time of a copy or a build",
                'set lastmod = "auto", which leaves such times out',
            )
        )
    return messages


# --- The note on pages without a date

# The pages of a list of other pages, by their paths.
_LIST = re.compile(
    r"""(?ix)
      (?:^|/)(?:page|p)[/-]?\d+(?:/index)?\.x?html?$  # blog/page/2/index.html
    | (?:^|/)(?:tags?|categor(?:y|ies)|topics?|authors?|archives?)(?:/|\.x?html?$)
    | (?:^|/)(?:19|20)\d\d(?:/\d\d?){0,2}(?:/index)?\.x?html?$  # blog/2026/05/index.html
    """
)


class Cause(NamedTuple):
    """Why pages have no date, in a sentence about them, and what helps."""

    text: str
    help: str


_LEDGER = "--ledger sitemapper.ledger dates each page when its content changes from now on"
_MAP = "name the sources of the pages with [[git.map]]"
# In the order in which they are named: the help of the first one counts.
CAUSES = {
    "shallow clone": Cause(
        "this is a shallow clone, without the commit that changed the page",
        "fetch the history: git fetch --unshallow (in GitHub Actions, fetch-depth: 0 for "
        "actions/checkout)",
    ),
    "no source": Cause("no source is known", _MAP),
    "implausible": Cause(
        "its date is in the future or before 1991",
        "correct the date, or the clock of the machine that set it",
    ),
    "two sources": Cause("two sources fit", _MAP),
    "more text than its source": Cause("the page shows more than its source", _MAP),
    "not committed": Cause("the last edit is not committed", "commit it"),
    "git left out": Cause("only git dates it, and `lastmod` lacks git", "add git to `lastmod`"),
    "deploy": Cause("only commits over nearly all pages wrote the file", _LEDGER),
    "file time": Cause("a copy or a build wrote the file", _LEDGER),
    "list": Cause("a home page or a list of other pages, which has no source of its own", ""),
}


def find_lists(paths: Sequence[str]) -> set[str]:
    """Finds the home page and the lists of other pages.

    A page is a list if other pages are below it, or if its path is that of one: `blog/page/2/`.
    """
    return pages_above(paths) | {path for path in paths if _LIST.search(path)}


def _note_undated(causes: Iterable[tuple[str, str]]) -> list[Message]:
    """Writes one note on all pages without a date. They are given as pairs of path and cause.

    Lists of other pages do not count, because they have no date of their own.
    """
    undated = [(path, cause) for path, cause in causes if cause != "list"]
    if not undated:
        return []
    counts = Counter(cause for _, cause in undated)
    by_urgency = [cause for cause in CAUSES if cause in counts]
    most_urgent = CAUSES[by_urgency[0]]
    why = most_urgent.text
    if len(by_urgency) > 1:
        why = "; ".join(f"{counts[cause]:,}: {CAUSES[cause].text}" for cause in by_urgency)
    examples = listing(path for path, _ in undated)
    pages = count(len(undated), "page has", "pages have")
    text = f"{pages} no date: {why} ({examples})"
    return [Message("note", "no-date", text, most_urgent.help)]
