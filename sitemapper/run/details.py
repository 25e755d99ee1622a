"""The details of pages for `explain` and a report.

For each listed page, its values with their origins. For a batch, the data of a report.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from ..lastmod.resolve import BatchDates
from ..model import (
    NO_FACTS,
    BatchDetails,
    Excluded,
    LastMod,
    Listed,
    NoDate,
    PageFacts,
    Reason,
    Value,
)
from ..plan import Plan
from ..select.extra import Extra
from ..select.pages import BatchSelection

_DAY = 86_400
# The ages of pages in a report, each with the most days that it may have.
_AGES = {
    "within 30 days": 30, "within 3 months": 91, "within a year": 365, "within 2 years": 730,
    "within 3 years": 1096, "within 5 years": 1826, "within 10 years": 3652,
}  # fmt: skip
AGES = (*_AGES, "over 10 years", "no date")
# The kinds of pages: listed ones by the age of their last change, and excluded ones by reason.
KINDS = (*AGES, *(reason.value for reason in Reason))
_NO_DATE = len(AGES) - 1  # the last of the ages
_AGE_LIMITS = [days * _DAY for days in _AGES.values()]  # in seconds
_INDEX_BY_REASON = {reason: index for index, reason in enumerate(Reason, len(AGES))}  # in `KINDS`


def page_values(selection: BatchSelection, dates: BatchDates, plan: Plan) -> Iterator[list[Value]]:
    """Yields the values of each listed page of a batch: its URL, its date, and what sets them.

        [("loc", "https://example.com/a", "url_style clean"), ("lastmod", "2026-03-01", "git")]

    A value has a key, a text, and its origin: what sets it, such as a rule of the user. If rules
    set a `changefreq` or a `priority`, these come last.
    """
    listed = selection.listed
    facts_of_pages = selection.facts or [NO_FACTS] * len(listed)  # without any, no page was read
    locs_in_style = plan.policy.locator.locs([entry.path for entry in listed])
    pages = zip(listed, facts_of_pages, locs_in_style, strict=True)
    dates_of_pages = zip(dates.lastmods, dates.sources, dates.causes, strict=True)
    for page, date in zip(pages, dates_of_pages, strict=True):
        entry, facts, loc_in_style = page
        lastmod, source, cause = date
        rule_by_key = {key: str(rule) for key, rule in entry.origins}
        yield [
            _loc_value(entry, facts, loc_in_style, plan),
            _date_value(lastmod, rule_by_key.get("lastmod") or source, cause, plan),
            *_hints(entry, rule_by_key),
        ]


def _loc_value(entry: Listed, facts: PageFacts, loc_in_style: str, plan: Plan) -> Value:
    """Returns the URL of a page with what decides on it.

    | what decides | result |
    |---|---|
    | the page's canonical | ("loc", "https://example.com/b", `a.html: <link rel="canonical">`) |
    | the host's rules | ("loc", "https://example.com/a", "as served by Netlify") |
    | `url_style` | ("loc", "https://example.com/a", "url_style clean") |

    `loc_in_style` is the URL that the page has without a canonical.
    """
    if "canonical" in facts.metadata.signals and entry.loc != loc_in_style:
        return "loc", entry.loc, f'{entry.path}: <link rel="canonical">'
    if plan.policy.locator.forms:
        return "loc", entry.loc, f"as served by {' and '.join(plan.policy.host.names)}"
    return "loc", entry.loc, f"url_style {plan.policy.locator.style}"


def _date_value(lastmod: LastMod | None, origin: str, cause: NoDate | None, plan: Plan) -> Value:
    """Returns the date of a page with its source, or "none" with the reason why it has no date.

    | the page has | result |
    |---|---|
    | a date from git or from a rule | ("lastmod", "2026-03-01", `origin`) |
    | no date, because of a rule | ("lastmod", "none", `origin`) |
    | no date, for a known reason | ("lastmod", "none", that of `cause`) |
    | no date, because no source has one | ("lastmod", "none", "no date from git, ledger") |

    `origin` is the rule that sets the date or removes it, or else the source that has the date. ""
    if there is neither.
    """
    text = lastmod.text if lastmod else "none"
    if origin:
        return "lastmod", text, origin
    if cause:
        return "lastmod", text, cause.value
    sources = ", ".join(plan.date_policy.sources) or "any source"
    return "lastmod", text, f"no date from {sources}"


def extra_values(extra: Extra) -> list[Value]:
    """Lists the values of an extra URL, each with its key and where the user wrote it.

    An entry `[[urls]]` on line 9 → [("loc", "https://example.com/a", "sitemapper.toml:9")].
    """
    listed = extra.listed
    origin = str(extra.where)
    values = [("loc", listed.loc, origin)]
    if listed.lastmod:
        values.append(("lastmod", listed.lastmod.text, origin))
    origins = {"changefreq": origin, "priority": origin}
    return values + _hints(listed, origins)


def _hints(entry: Listed, origins: Mapping[str, str]) -> list[Value]:
    """Lists the changefreq and the priority of an entry, if it has them.

    A priority of 0.5 → [("priority", "0.5", "sitemapper.toml:12: blog/")]. The last part is where
    the value is set, which `origins` has by key.
    """
    hints = (("changefreq", entry.changefreq), ("priority", entry.priority))
    return [(key, value, origins[key]) for key, value in hints if value]


def batch_details(
    listed: Sequence[Listed],
    excluded: Iterable[Excluded],
    lastmods: Sequence[LastMod | None],
    sources: Sequence[str],
    values: Iterable[Sequence[Value]],
    now: int,
) -> BatchDetails:
    """Collects what a report shows of a batch: counts of pages, and the values of listed pages.

        number of pages, by folder and kind     {("blog/", 0): 5}
        number of dates, by source and month    {("git", "2026-03"): 5}
        values of each listed page              ("blog/a.html", "loc", "https://…", …)

    A kind is an index into `KINDS`: 0 is "within 30 days". Each listed page has its date in
    `lastmods`, the source of the date in `sources`, and its values in `values`. `now` is the time
    of the run in seconds since the epoch.
    """
    rows = []
    for entry, values_of_page in zip(listed, values, strict=True):
        # The path of the page, and then the key, the text and the origin of each value.
        rows.append((entry.path, *chain.from_iterable(values_of_page)))
    return BatchDetails(
        folders=_count_by_age(listed, lastmods, now) + _count_by_reason(excluded),
        months=_count_by_month(lastmods, sources),
        listed=rows,
    )


def _count_by_age(
    listed: Sequence[Listed], lastmods: Sequence[LastMod | None], now: int
) -> Counter[tuple[str, int]]:
    """Counts listed pages by folder and age: `{("blog/", 0): 5}`.

    The age is an index into `KINDS`, which begins with the ages: 0 is "within 30 days".
    """
    counts: Counter[tuple[str, int]] = Counter()
    for entry, lastmod in zip(listed, lastmods, strict=True):
        kind = _NO_DATE
        if lastmod:
            age = now - lastmod.seconds
            kind = bisect_left(_AGE_LIMITS, age)  # the first limit that the age does not exceed
        counts[_folder(entry.path), kind] += 1
    return counts


def _count_by_reason(excluded: Iterable[Excluded]) -> Counter[tuple[str, int]]:
    """Counts excluded pages by folder and reason: `{("blog/", 9): 5}`.

    The reason is an index into `KINDS`, as the age of a listed page is: 9 is "ignored".
    """
    return Counter(
        (_folder(page.path), _INDEX_BY_REASON[page.reason])
        for page in excluded
        if not page.is_folder  # a folder that was not walked is no page
    )


def _count_by_month(
    lastmods: Sequence[LastMod | None], sources: Sequence[str]
) -> Counter[tuple[str, str]]:
    """Counts dates by source and month: `{("git", "2026-03"): 5}`."""
    counts: Counter[tuple[str, str]] = Counter()
    for lastmod, source in zip(lastmods, sources, strict=True):
        if lastmod:
            date = lastmod.text  # 2026, 2026-03, 2026-03-05 or 2026-03-05T…
            month = date[: len("2026-03")] if "-" in date else f"{date}-01"
            # A date that a rule of the configuration sets has no source.
            counts[source or "configuration", month] += 1
    return counts


def _folder(path: str) -> str:
    """Returns the folder of a page, by which a report counts it.

    blog/a.html              → blog/
    a.html                   → "": in the site's own folder
    https://example.com/a    → "URLs that are not files/", one folder for all extra URLs
    """
    if "://" in path:
        return "URLs that are not files/"
    return path[: path.rfind("/") + 1]
