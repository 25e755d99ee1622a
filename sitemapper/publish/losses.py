"""What stops a run: an output that would replace a good sitemap with one that looks wrong."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from urllib.parse import urlsplit

from ..errors import GuardError
from ..lastmod.undated import FETCH_HISTORY, describe_causes, how_to_date
from ..messages import Kind
from ..model import Fate, GoneUrl, Origin, Reason
from ..plan import Plan
from ..read.walk import describe_no_html
from ..site import Site
from ..syntax.urls import is_placeholder, is_preview, without_scheme
from ..tally import EXAMPLES, Tally
from .previous import Previous
from .publishing import Publishing
from .url_changes import DateChanges, UrlChanges

_ONCE = "if this is intended, run once with --max-drop 100"
# The canonicals may be those of a build for this machine, such as http://localhost:8000/.
_CORRECT_BASE = "correct base_url, or build the site again for it"
_ADVICE = {
    Reason.NOINDEX: "build the site as for production; --no-respect noindex lists such pages",
    Reason.CANONICAL: (
        "correct base_url or the canonicals; --no-respect canonical ignores canonicals"
    ),
    Reason.ROBOTS: "correct robots.txt; --no-respect robots lists such pages",
    Reason.REDIRECT: "name the folder to which they lead; --no-respect refresh lists such pages",
    Reason.NOT_FOLLOWED: "copy the pages into the site, instead of links",
}


def check_pages(tally: Tally, plan: Plan, *, allow_empty: bool) -> None:
    """Stops a run that would publish no page.

    Raises GuardError.
    """
    root = plan.site.root
    if tally.listed or allow_empty:
        return
    if plan.project_file:
        raise GuardError(
            f"{root}: this looks like a project, not like a built site: {plan.project_file}",
            "name the folder that the generator writes, or ignore the files that are not pages",
        )
    why = _left_out(tally) or describe_no_html(root)
    raise GuardError(
        f"{root}: no page to list ({why}), so nothing was published",
        f"{_how_to_list_pages(tally)}; --allow-empty publishes an empty sitemap",
    )


def check_losses(urls: UrlChanges, tally: Tally, plan: Plan, publishing: Publishing) -> None:
    """Stops a run that would lose too much of what was published. Raises GuardError.

    With `max_drop = 100`, all URLs may go.
    """
    site = plan.site
    if urls.previous and plan.max_drop < 100:
        if publishing.previous.is_of_output:
            _check_host(site.base_url, urls.previous, urls.gone)
        _check_unreadable(site.root, tally.unreadable_folders, urls.gone)
        _check_home_page(site, urls.gone)
        _check_urls(urls.previous, urls.gone, tally, plan)
    check_ledger(tally, plan, urls.gone)
    if not publishing.run.ignores_dates:
        _check_dates(urls.dates, tally, plan, publishing.previous)


def _check_host(base_url: str, published: int, urls: Iterable[GoneUrl]) -> None:
    """Stops a run whose base URL has another host than most of the `published` URLs.

    A typo in base_url would otherwise move every page: its path is the same, so no page seems lost.
    Hosts that differ only by `www.` or a port are the same. Raises GuardError.
    """
    host = _host_of(base_url)
    old_hosts = Counter(_host_of(one.url) for one in urls)
    old_hosts.pop(host, None)
    for old_host, count in old_hosts.items():
        old_base = f"https://{old_host}/"
        is_site = not is_placeholder(old_base) and not is_preview(old_host)
        if count * 2 > published and is_site:
            raise GuardError(
                f"base_url has the host {host}, but {count:,} of the {published:,} published URLs "
                f"have {old_host}, so nothing was published",
                "correct base_url; if the site moved, run once with --max-drop 100; for a second "
                "address of the site, use another --output or --previous none",
            )


def _host_of(url: str) -> str:
    """The host of a URL without `www.` and port."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def _check_unreadable(root: str, folders: Mapping[str, Origin], urls: Iterable[GoneUrl]) -> None:
    """Stops a run that would remove URLs only because their folder cannot be read.

    `folders` are the unreadable folders of the site. Raises GuardError.
    """
    for folder, origin in folders.items():
        count = sum(one.origin == origin for one in urls)
        if count:
            raise GuardError(
                f"{root}/{folder}: cannot be read ({origin.text}), and {count:,} published "
                f"{'URL is' if count == 1 else 'URLs are'} below it, so nothing was published",
                f'make it readable, or leave it out: ignore = ["/{folder}"]',
            )


def _check_home_page(site: Site, urls: Iterable[GoneUrl]) -> None:
    """Stops a run that would lose the home page, even if all other pages are there.

    Raises GuardError.
    """
    for one in urls:
        is_home = without_scheme(one.url) == without_scheme(site.base_url)
        if is_home and one.fate is Fate.LOST:
            raise GuardError(
                f"{site.root}: the home page {one.url} was published, and is not there any more, "
                "so nothing was published",
                "if that is right, redirect it, name it in [check] gone, or run once with "
                "--max-drop 100",
            )


def _check_urls(published: int, urls: Iterable[GoneUrl], tally: Tally, plan: Plan) -> None:
    """Stops a run if more than `max_drop` percent of the published URLs are gone.

    Those that lead to another page are not. `published` is their number. Raises GuardError.
    """
    counts = Counter(one.fate for one in urls)
    count = counts.total() - counts[Fate.REDIRECTED]
    if not tally.listed or not _is_loss(published, published - count, plan.max_drop):
        return
    gone = (one.url for one in urls if one.fate is not Fate.REDIRECTED)
    first = ", ".join(islice(gone, EXAMPLES))
    if count > EXAMPLES:
        first = f"{first} and {count - EXAMPLES:,} more"
    excluded = _left_out(tally)
    why = f" ({excluded})" if excluded else ""
    what = "1 published URL is" if count == 1 else f"{count:,} published URLs are"
    raise GuardError(
        f"{plan.site.root}: {what} gone: {first}. The sitemap would lose more than "
        f"{plan.max_drop:g} % of its {published:,} URLs, so nothing was published{why}",
        _how_to_lose(counts[Fate.MOVED]),
    )


def _how_to_lose(moved: int) -> str:
    """What to do when URLs would be lost, of which some have moved."""
    if not moved:
        return _ONCE
    pages = "1 page has" if moved == 1 else f"{moved:,} pages have"
    return f"{pages} moved: `check --max-drop 100 --redirects -` prints redirects; {_ONCE}"


def check_ledger(tally: Tally, plan: Plan, urls: Iterable[GoneUrl] = ()) -> None:
    """Stops a run with the ledger of another site: most of its pages are not in this one.

    Pages whose URLs lead to another page now, such as another URL form, are in this one. Raises
    GuardError if more than `max_drop` percent are not.
    """
    rows, rows_of_this_site = tally.ledger_rows
    known = rows_of_this_site + sum(one.fate is Fate.REDIRECTED for one in urls)
    if plan.ledger and _is_loss(rows, known, plan.max_drop):
        raise GuardError(
            f"{plan.ledger.label}: {rows - known:,} of its {rows:,} pages are not in this site, so "
            "nothing was published",
            "if it belongs to another site, give each site its own [ledger] path; if the pages "
            "are gone, run once with --max-drop 100",
        )


def _check_dates(dates: DateChanges, tally: Tally, plan: Plan, previous: Previous) -> None:
    """Stops a run if more than `max_drop` percent of the published dates would go.

    Where the configuration says that no dates are wanted, none is lost. Raises GuardError.
    """
    if not dates.lost or plan.site.wants_no_dates:
        return
    published = previous.count_dates() - dates.gone_with_urls
    if not _is_loss(published, published - dates.lost, plan.max_drop):
        return
    cause, step = _explain_lost_dates(tally, plan)
    raise GuardError(
        f"{plan.site.root}: {dates.lost:,} of {published:,} published dates would go, the first of "
        f"{dates.first_lost}, so nothing was published: {cause}",
        f"{step}; {_ONCE}" if step else _ONCE,
    )


def _explain_lost_dates(tally: Tally, plan: Plan) -> tuple[str, str]:
    """Why pages have lost their dates, and what to do, "" if that is not known."""
    site = plan.site
    if not site.date_sources:
        return "no source of dates was asked for", "leave out --no-lastmod"
    for message in tally.warnings:
        if message.kind is Kind.SHALLOW:
            pages = f"{message.cases:,} pages" if message.cases > 1 else "1 page"
            cause = f"git: this is a shallow clone, without the commits that changed {pages}"
            return cause, FETCH_HISTORY
    if tally.no_git:
        return tally.no_git.cause, tally.no_git.step
    if tally.omitted:
        return describe_causes(tally.omitted), how_to_date(tally.omitted, site, tally.no_git)
    step = "if they came from another source, name it in lastmod again"
    return f"no date from {', '.join(site.date_sources)}", step


def _is_loss(before: int, after: int, max_drop: float) -> bool:
    """Whether a number drops by more than `max_drop` percent."""
    return (before - after) * 100 > max_drop * before


def _left_out(tally: Tally) -> str:
    """The numbers of pages that are not listed, by reason. Empty if all are."""
    parts = [f"{count:,} {reason.value}" for reason, count in tally.excluded.items()]
    if tally.pruned:
        folders = "folder" if tally.pruned == 1 else "folders"
        parts.append(f"{tally.pruned:,} ignored {folders} not searched")
    if not parts:
        return ""
    return f"excluded: {', '.join(parts)}; --dry-run --excluded - lists them"


def _how_to_list_pages(tally: Tally) -> str:
    """What to change, by the reason that excludes most pages."""
    excluded = tally.excluded
    commonest = max(excluded, key=excluded.__getitem__, default=Reason.IGNORED)
    if commonest is Reason.CANONICAL:
        examples = {message.kind: message.subjects[0] for message in tally.warnings}
        if Kind.BASE_URL in examples:
            return f"{_CORRECT_BASE}: {examples[Kind.BASE_URL]}"
        if Kind.OTHER_ORIGIN in examples:
            return f"{_CORRECT_BASE}: canonicals name {examples[Kind.OTHER_ORIGIN]}"
    return _ADVICE.get(commonest, "check the folder, `include` and `ignore`")
