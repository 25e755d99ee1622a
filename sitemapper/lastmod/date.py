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
    """Finds the date of each listed page, and returns the entries of the sitemap with their dates.

    The setting `lastmod` names the sources of dates, such as `git`, and the first one that has a
    date decides. No date lies after `now`. The result also has the rows (lines) of the ledger to
    write, or None without a ledger, and messages, such as a note on the pages without a date.
    """
    # The evidence is what is known of a page. A verdict is its date with the source, or else the
    # cause for which it has none, such as "not committed".
    grounds = collect_grounds(site, selected, before, run, now)
    policy, history, evidence = grounds
    verdicts = [date_page(page, policy) for page in evidence]

    # Lists of other pages, such as `blog/page/2/`, are only looked for if they may lack a date.
    lists: set[str] = set()
    if policy.sources and any(verdict.lastmod is None for verdict in verdicts):
        lists = find_lists([page.file.path for page in evidence])

    entries: list[Entry] = []
    undated: list[tuple[str, str]] = []  # the paths of pages without a date, with the causes
    # `zip_longest`, because entries of `[[urls]]` (URLs that the configuration adds) come last and
    # have neither evidence nor verdict: both are None for them.
    for listed, page, verdict in zip_longest(selected.listed, evidence, verdicts):
        lastmod, source = verdict or _NO_VERDICT
        # A date that a person states in the configuration comes before all sources.
        if listed.values.lastmod is not None:
            lastmod, source = _read_stated(listed.values.lastmod, policy)

        # Without a date, `source` is the cause. It is empty if nobody wants a date.
        path = listed.page.path if listed.page else listed.url
        if lastmod is None and path in lists:
            source = "list"  # it has no source of its own, so nobody misses its date
        elif lastmod is None and source and _needs_action(page, source):
            undated.append((path, source))

        text = intern(lastmod.text) if lastmod else None  # many pages share their dates
        values = (listed.values, listed.alternates, listed.images)
        entries.append(Entry(listed.page, listed.url, text, source, *values))

    # Only git and file times can date any page. If neither can be used, pages without dates are
    # normal, and a note on them would not help.
    messages = [*history.messages, *_warnings(site, before, grounds)]
    if "mtime" in policy.sources or ("git" in policy.sources and history.repositories):
        messages += _note_undated(undated)

    # The new rows of the ledger, if there is one.
    rows = before.rows
    if rows is not None:
        rows = _rows(site, rows, evidence, entries)
    return Dated(entries, rows, tuple(messages))


def _needs_action(page: Evidence | None, cause: str) -> bool:
    """Returns whether a person has to do something so that a page without a date gets one.

    `page` is what is known of the page, None for an entry of `[[urls]]`. `cause` is why it has no
    date, such as "no source". Nothing is to be done for a page with a row (a line in the ledger):
    the ledger dates it when its content changes. But that does not correct a wrong date or a clone
    without its history, so these causes always need a person.
    """
    has_row = page is not None and page.row is not None
    return cause in _WRONG_WITH_LEDGER or not has_row


def collect_grounds(
    site: Site, selected: Selected, before: Before, run: Run, now: datetime
) -> Grounds:
    """Collects all that can date the pages: git, the ledger, and the times of the files.

    Returns the policy, which holds for all pages (such as the order of the sources), what git says,
    and the evidence: what is known of each page. `before` has the rows of the ledger, a line for
    each page. Dates are not decided here.
    """
    # The sources of dates in their order, such as ("ledger", "git", "mtime").
    settings = site.found.config.settings
    sources: tuple[str, ...] = AUTO if settings.lastmod == ("auto",) else settings.lastmod
    if "ledger" in sources and "mtime" in sources:
        # With a ledger, file times ("mtime") date a page only in the run that finds it changed. A
        # source behind them would give it another date in the next run, so they are put last.
        others = [source for source in sources if source != "mtime"]
        sources = (*others, "mtime")

    # What git says. It is only asked if a source needs it.
    history = History()
    if not {"published", "front_matter", "git"}.isdisjoint(sources):
        # A commit over nearly all files, such as a reformatting, does not date them. But if git is
        # the only source, it does, because nothing else would.
        history = read_history(site, selected, before, run, skips=sources != ("git",))

    # File times of uncommitted edits that many sources share: a formatter, or a checkout that
    # changes the ends of lines, has written them at once. `maxsize` stands for the number of pages,
    # so that the rule for small sites is off: a person may well edit two sources within seconds.
    of_pages = [told.files for told in history.told.values() if not told.is_own]
    edits = map(history.edits.get, set(chain(*of_pages)))
    rewritten = find_bursts(filter(None, edits), maxsize)

    # The evidence of each page.
    rows = before.rows
    evidence: list[Evidence] = []
    for one in selected.listed:
        if one.page is None:  # the entries of `[[urls]]` come last, and have no file to look at
            break

        # The ledger shows by a digest of the content whether the page has changed.
        row = None
        is_unchanged = False
        if rows is not None and one.facts.digest:
            row, is_unchanged = compare_content(rows.get(one.page.path), one.facts.digest)

        # What git tells of the page, without an edit that only rewrote many files at once.
        told = history.told.get(one.page.path, _UNKNOWN)
        if told.edit in rewritten:
            told = told._replace(edit=None)
        evidence.append(Evidence(one, one.page, told, row, is_unchanged))

    # What holds for all pages. The files of committed pages have the time of the checkout, so only
    # the others can show when a copy or a build wrote many files in one burst.
    times = [page.second for page in evidence if not page.told.is_committed]
    changed = sum(page.is_changed for page in evidence)
    zone = settings.dates.timezone
    epoch = run.environment.get("SOURCE_DATE_EPOCH", "")
    policy = Policy(
        sources=sources,
        writer=Writer(UTC if zone == "UTC" else ZoneInfo(zone), date_only=settings.dates.date_only),
        now=int(now.timestamp()),
        # The environment may set an upper bound of file times. `maxsize`: there is no bound.
        epoch=int(epoch) if re.fullmatch(r"\d{1,18}", epoch) else maxsize,
        bursts=find_bursts(times, len(evidence)),
        # A generator, such as Hugo, writes all pages in each build.
        is_generated=site.found.project is not None,
        # If nearly all pages changed, at least two of them, a new theme is the likely reason.
        is_new_theme=changed >= max(_MIN_CHANGED, _NEARLY_ALL * len(evidence)),
    )
    return Grounds(policy, history, evidence)


def _read_stated(text: str, policy: Policy) -> Verdict:
    """Reads the date that a rule or an entry of `[[urls]]` in the configuration states.

    `"2026-03-01"` gives this date with the source "rule". A date in the future or before the web
    gives no date, with the cause "implausible".
    """
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
    """Makes the rows (lines) of the ledger to write, in URL order, by the paths of the pages.

    The page `tea.html` has a row with its date, such as 2026-03-01, and the digest of its content.
    A page that is not listed any more keeps its `old` row as long as its file is there. After the
    pages come the entries of `[[urls]]`, URLs that the configuration adds.
    """
    # The listed pages. `strict=False`: `entries` is longer, because those of `[[urls]]` follow.
    rows: dict[str, Row] = {}
    for page, entry in zip(evidence, entries, strict=False):
        row = page.row
        if row is None:  # the page has no digest of its content
            continue
        if entry.lastmod:  # without a new date, the row keeps what it says, such as `>2026-03-01`
            row = Row(entry.lastmod, row.digest)

        # The place says where a page is listed if that is not its usual URL, such as `/f` for
        # `f.html` on a site whose URLs end in `.html`. Else it is empty.
        path = page.file.path
        url_path = page.one.url.removeprefix(site.base_url)
        place = "" if url_path == usual_path(path, site.forms) else f"/{url_path}"
        rows[path] = row._replace(place=place)

    # Pages that are not listed in this run. They keep their dates in case they are listed again.
    unlisted = {
        path: row._replace(place=UNLISTED)
        for path, row in old.items()
        if path not in rows and os.path.lexists(site_file(site.found.folder, path))
    }
    if unlisted:
        rows |= unlisted
        # The listed pages are in URL order already, and these have to be put between them.
        rows = {path: rows[path] for path in sorted(rows, key=path_key)}

    # The entries of `[[urls]]`, which follow those of the pages. `-` stands for no date, and they
    # have no content to compare.
    for entry in entries[len(evidence) :]:
        rows[entry.loc] = Row(entry.lastmod or "-", NO_DIGEST)
    return rows


def _warnings(site: Site, before: Before, grounds: Grounds) -> list[Message]:
    """Warns about a source of dates that cannot be relied on, by what all pages are dated by.

    The three problems: the settings name git, and git has no dates; the clone is too shallow to
    check the dates of the earlier sitemap; or most file times are those of a copy or a build.
    """
    policy, history, evidence = grounds
    messages: list[Message] = []

    # No warning for "auto", where git may be missing.
    if "git" in site.found.config.settings.lastmod and not history.repositories:
        messages.append(
            Message(
                "warning",
                "git",
                "git has no dates: there is no repository with a commit around the site, or no git",
                "build in a clone of the repository, or take git out of `lastmod`",
            )
        )

    # `history.sitemap` has the last commit of the earlier sitemap. It is not certain if the clone
    # was cut off at it: then it seems to have added all files.
    if history.sitemap and not history.sitemap[1].is_certain and "published" in policy.sources:
        messages.append(
            Message(
                "warning",
                "shallow",
                f"in this shallow clone, nothing shows whether the dates of {before.label} are old",
                CAUSES["shallow clone"].help,
            )
        )

    # Only if file times are the only source are those of a burst (many files that a copy or a build
    # wrote together) used as dates.
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
    """Finds the home page and the lists of other pages, by the paths of all pages.

    A page is a list if other pages lie below it, or if its path looks like that of a list, such as
    `blog/page/2/index.html`. Lists have no source of their own, so a missing date is normal.
    """
    return pages_above(paths) | {path for path in paths if _LIST.search(path)}


def _note_undated(causes: Iterable[tuple[str, str]]) -> list[Message]:
    """Writes one note on all pages without a date, or none if there is no such page.

    The pages are given as pairs of path and cause, such as ("tea.html", "not committed"). The note
    reads like `1 page has no date: the last edit is not committed (tea.html)`, with what helps.
    """
    # Lists of other pages have no date of their own, so they do not count.
    undated = [(path, cause) for path, cause in causes if cause != "list"]
    if not undated:
        return []

    # CAUSES has the causes in the order of their urgency. The help is that for the first of them.
    counts = Counter(cause for _, cause in undated)
    by_urgency = [cause for cause in CAUSES if cause in counts]
    most_urgent = CAUSES[by_urgency[0]]

    # Several causes are named with the number of their pages; a single one needs no number.
    why = most_urgent.text
    if len(by_urgency) > 1:
        why = "; ".join(f"{counts[cause]:,}: {CAUSES[cause].text}" for cause in by_urgency)

    # A few of the paths show which pages are meant.
    examples = listing(path for path, _ in undated)
    pages = count(len(undated), "page has", "pages have")
    text = f"{pages} no date: {why} ({examples})"
    return [Message("note", "no-date", text, most_urgent.help)]
