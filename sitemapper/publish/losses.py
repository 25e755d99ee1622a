"""What stops a run: an output that would replace a good sitemap with one that looks wrong."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from ..errors import GuardError
from ..model import Fate, GoneUrl, Reason, WarningKind
from ..pipeline.plan import Plan
from ..pipeline.stats import EXAMPLES, RunStats
from ..project.owner import describe_no_html
from ..project.witnesses import canonical_of, home_page
from ..syntax.urls import resolve, suspicious_base

_ONCE = "if this is intended, run once with --max-drop 100"
_ADVICE = {
    Reason.NOINDEX: "build the site as for production; --no-respect noindex lists such pages",
    Reason.CANONICAL: (
        "correct base_url or the canonicals; --no-respect canonical ignores canonicals"
    ),
    Reason.ROBOTS: "correct robots.txt; --no-respect robots lists such pages",
    Reason.REDIRECT: "name the folder to which they lead; --no-respect refresh lists such pages",
    Reason.NOT_FOLLOWED: "copy the pages into the site, instead of links",
}


def check_pages(stats: RunStats, plan: Plan, project: str, *, allow_empty: bool) -> None:
    """Stops a run that would publish no page, or the pages of another site.

    Raises GuardError if no page is listed, or if most canonicals name another site. `project` is
    evidence that the site is a project, "" if there is none.
    """
    root = plan.site.root
    is_refused_as_empty = not stats.listed and not allow_empty
    if is_refused_as_empty and project:
        problem = f"{root}: {WarningKind.PROJECT.value}: {project}"
        raise GuardError(problem, WarningKind.PROJECT.help)
    _check_origins(stats, plan)
    if is_refused_as_empty:
        why = _left_out(stats) or describe_no_html(root)
        raise GuardError(
            f"{root}: no page to list ({why}), so nothing was published",
            f"{_how_to_list_pages(stats)}; --allow-empty publishes an empty sitemap",
        )


def check_urls(
    stats: RunStats, root: str, published: int, urls: Sequence[GoneUrl], max_drop: float
) -> None:
    """Stops a run if more than `max_drop` percent of the published URLs are gone.

    Those that lead to another page are not. `published` is their number. Raises GuardError.
    """
    gone = [one.url for one in urls if one.fate is not Fate.REDIRECTED]
    if not stats.listed or not is_loss(published, published - len(gone), max_drop):
        return
    excluded = _left_out(stats)
    why = f" ({excluded})" if excluded else ""
    raise GuardError(
        f"{root}: {_describe_gone(gone)}. The sitemap would lose more than {max_drop:g} % of its "
        f"{published:,} URLs, so nothing was published{why}",
        _how_to_lose(sum(one.fate is Fate.MOVED for one in urls)),
    )


def _how_to_lose(moved: int) -> str:
    """What to do about a loss of URLs of which some have moved."""
    if not moved:
        return _ONCE
    pages = "1 page has" if moved == 1 else f"{moved:,} pages have"
    return f"{pages} moved: `check --max-drop 100 --redirects -` prints redirects; {_ONCE}"


def _check_origins(stats: RunStats, plan: Plan) -> None:
    """Stops where most pages have canonicals on another site.

    Either the site is a preview or a copy, the most common mistake, or its articles appeared there
    first. A base URL that somebody wrote, or that the home page's canonical confirms, decides for
    the latter, if some pages can be listed.
    """
    site = plan.site
    for kind, count, origins in stats.warnings:
        if kind is not WarningKind.OTHER_ORIGIN or count <= stats.listed:
            continue
        home_host = _host_of_home(plan)
        own_host = urlsplit(site.base_url).netloc
        names_machine = any(suspicious_base(f"{origin}/") for origin in origins)
        is_copy = names_machine or home_host not in ("", own_host)
        are_articles = stats.listed > 0 and not is_copy
        is_found = any(value.key == "base_url" for value in site.found)
        if are_articles and (home_host or not is_found):
            return
        help = f"correct base_url, or build the site for {site.base_url} again"
        if are_articles:
            pages = "page is" if stats.listed == 1 else f"{stats.listed:,} pages are"
            help = (
                f"if these articles appeared there first, pass --base-url {site.base_url}, and the "
                f"other {pages} listed; if this is a preview or a copy, {help}"
            )
        raise GuardError(
            f"{site.root}: {count:,} pages name {', '.join(origins)} in their canonicals, "
            f"not {site.base_url}, so nothing was published",
            f"{help}; --no-respect canonical ignores canonicals",
        )


def _host_of_home(plan: Plan) -> str:
    """The host that the home page's canonical names, "" without one.

    In a preview or a copy, it names the other site, as the other canonicals do.
    """
    _, start = home_page(plan.site.root)
    canonical = canonical_of(start)
    url = resolve(canonical, plan.site.base_url) if canonical else None
    return urlsplit(url).netloc if url else ""


def check_ledger(
    stats: RunStats, label: str, max_drop: float, urls: Sequence[GoneUrl] = ()
) -> None:
    """Detects the ledger of another site: most of its pages are not in this one.

    Those of URLs that lead to another page, such as another form of them, were. Raises GuardError
    if more than `max_drop` percent were not.
    """
    rows, rows_of_this_site = stats.ledger_rows
    known = rows_of_this_site + sum(one.fate is Fate.REDIRECTED for one in urls)
    missing = rows - known
    if is_loss(rows, known, max_drop):
        raise GuardError(
            f"{label}: {missing:,} of its {rows:,} pages are not in this site, so nothing was "
            "published",
            "if it belongs to another site, give each site its own [ledger] path; if the pages "
            "are gone, run once with --max-drop 100",
        )


def is_loss(before: int, after: int, max_drop: float) -> bool:
    """Whether a number drops by more than `max_drop` percent."""
    return (before - after) * 100 > max_drop * before


def _describe_gone(urls: Sequence[str]) -> str:
    """How many published URLs are gone, and the first ones."""
    first = ", ".join(urls[:EXAMPLES])
    others = len(urls) - EXAMPLES
    if others > 0:
        first = f"{first} and {others:,} more"
    if len(urls) == 1:
        return f"1 published URL is gone: {first}"
    return f"{len(urls):,} published URLs are gone: {first}"


def _left_out(stats: RunStats) -> str:
    """The numbers of pages that are not listed, by reason. Empty if all are."""
    parts = [f"{count:,} {reason.value}" for reason, count in stats.excluded.items()]
    if stats.pruned:
        folders = "folder" if stats.pruned == 1 else "folders"
        parts.append(f"{stats.pruned:,} ignored {folders} not searched")
    if not parts:
        return ""
    return f"excluded: {', '.join(parts)}; --dry-run --excluded - lists them"


def _how_to_list_pages(stats: RunStats) -> str:
    """What to change, by the reason that excludes most pages."""
    excluded = stats.excluded
    commonest = max(excluded, key=excluded.__getitem__, default=Reason.IGNORED)
    if commonest is Reason.CANONICAL:
        for kind, _, about in stats.warnings:
            if kind is WarningKind.BASE_URL:
                return f"correct base_url: {about[0]}"
    return _ADVICE.get(commonest, "check the folder, `include` and `ignore`")
