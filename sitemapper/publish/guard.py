"""What stops a run: a sitemap that would lose too much of what was published."""

from collections import Counter

from ..config import Settings
from ..lastmod import CAUSES
from ..messages import SitemapperError, count, joined, listing
from ..model import Plan, Reason
from ..syntax.urls import host_of, without_www

_GONE = ("excluded", "moved", "lost")  # fates of URLs that visitors do not find any more
_ALLOW = "if that is intended, run once with --max-drop 100"
_ADVICE = {
    Reason.NOINDEX: "build the site as for production, or write respect = { noindex = false }",
    Reason.CANONICAL: "correct base_url, or build the site again for it",
    Reason.ROBOTS: "correct robots.txt, or write respect = { robots = false }",
    Reason.REDIRECT: "pass the folder to which the pages lead",
    Reason.NOT_FOLLOWED: "copy the pages into the site, in place of links",
}


def guard(plan: Plan, settings: Settings) -> None:
    """Raises SitemapperError if the run would lose too much of what was published.

    The error names the first limit that is exceeded, and the flag that allows it.
    """
    _check_empty(plan, settings)
    if plan.unproven:
        raise SitemapperError(
            f"{plan.unproven[0]}: another tool wrote it, and nothing shows that it may be replaced",
            "pass --replace, or choose another name: --config 'sitemap.name = \"pages.xml\"'",
        )
    if settings.max_drop < 100:
        _check_host(plan)
        _check_home_page(plan)
        _check_urls(plan, settings.max_drop)
        if settings.lastmod:  # somebody who wants no dates gets none
            _check_dates(plan, settings.max_drop)


def _check_empty(plan: Plan, settings: Settings) -> None:
    """Refuses an empty sitemap, unless --max-drop 100 is on the command line.

    In the configuration, it would allow an empty sitemap at each build.
    """
    origin = plan.site.found.config.origin("max_drop")
    is_flag = origin is not None and origin.source == "--max-drop"
    if plan.listed or (is_flag and settings.max_drop == 100):
        return
    reasons = Counter(plan.left_out).most_common()
    why = ", ".join(f"{number:,} {reason.value}" for reason, number in reasons)
    what = f"no page to list ({why or 'it has no HTML files'})"
    help = "check the folder, `include` and `ignore`"
    if reasons:
        help = _ADVICE.get(reasons[0][0], help)
    raise SitemapperError(
        f"{plan.site.found.folder}: {what}, so nothing was published",
        f"{help}; --max-drop 100 publishes an empty sitemap",
    )


def _check_host(plan: Plan) -> None:
    """Refuses a sitemap whose URLs are on another host than most of the earlier ones.

    That is a wrong base URL. `_check_urls` would not see it: all paths are still there.
    """
    own = [_host(plan.site.base_url), _host(plan.site.former_base_url)]
    hosts = Counter(_host(one.url) for one in plan.gone)
    for host, number in hosts.items():
        if host not in own and number * 2 > (plan.previous or 0):
            raise SitemapperError(
                f"the base URL is on {host_of(plan.site.base_url)}, but {number:,} of "
                f"{plan.previous:,} earlier URLs are on {host}, so nothing was published",
                "correct base_url; if the site moved, run once with --max-drop 100; for a second "
                "address, choose another --output",
            )


def _host(url: str) -> str:
    return host_of(url).removeprefix("www.")


def _check_home_page(plan: Plan) -> None:
    """Refuses to lose the home page."""
    home = without_www(plan.site.base_url).rstrip("/")
    for one in plan.gone:
        is_home = without_www(one.url).rstrip("/") == home
        if is_home and one.fate in _GONE:
            what = f"the home page {one.url} was listed before and is {one.fate}"
            help = f"list it again, or redirect it; {_ALLOW}"
            raise SitemapperError(f"{what}, so nothing was published", help)


def _check_urls(plan: Plan, max_drop: float) -> None:
    """Refuses to lose more than `max_drop` percent of the earlier URLs."""
    gone = [one for one in plan.gone if one.fate in _GONE]
    previous = plan.previous or 0
    if len(gone) * 100 <= max_drop * previous:
        return
    fates = Counter(one.reason.value if one.reason else one.fate for one in gone)
    why = joined([f"{number:,} {fate}" for fate, number in fates.most_common()], "and")
    urls = listing([one.url for one in gone])
    raise SitemapperError(
        f"{count(len(gone), 'earlier URL')} would go ({why}): {urls}; that is more than "
        f"{max_drop:g} % of {previous:,}, so nothing was published",
        f"`sitemapper check --max-drop 100 -v` shows what became of them; {_ALLOW}",
    )


def _check_dates(plan: Plan, max_drop: float) -> None:
    """Refuses to lose more than `max_drop` percent of the earlier dates, and says why they go."""
    lost = [
        one.url for one in plan.changes if one.kind == "changed" and one.before and not one.after
    ]
    if len(lost) * 100 <= max_drop * plan.previous_dates:
        return
    text = (
        f"{len(lost):,} of {plan.previous_dates:,} dates would be lost, such as that of {lost[0]}, "
        "so nothing was published"
    )
    help = _ALLOW
    without_date = set(lost)
    sources = Counter(one.source for one in plan.entries if one.loc in without_date)
    cause = CAUSES.get(sources.most_common(1)[0][0])
    if cause:
        text = f"{text}: {cause.text}"
        if cause.help:
            help = f"{cause.help}; {_ALLOW}"
    raise SitemapperError(text, help)
