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
    """Refuses a sitemap without pages, unless --max-drop 100 is on the command line.

    In the configuration, `max_drop = 100` is not enough: it would allow an empty sitemap at each
    build. The error says why most pages were left out.
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

    Most likely, the base URL is wrong. `_check_urls` does not see it, because the pages are still
    there, and so count as listed in another form.
    """
    site_hosts = [_host(plan.site.base_url), _host(plan.site.former_base_url)]
    earlier_hosts = Counter(_host(loss.url) for loss in plan.gone)
    for host, number in earlier_hosts.items():
        if host not in site_hosts and number * 2 > (plan.previous or 0):
            raise SitemapperError(
                f"the base URL is on {host_of(plan.site.base_url)}, but {number:,} of "
                f"{plan.previous:,} earlier URLs are on {host}, so nothing was published",
                "correct base_url; if the site moved, run once with --max-drop 100; for a second "
                "address, choose another --output",
            )


def _host(url: str) -> str:
    return host_of(url).removeprefix("www.")


def _check_home_page(plan: Plan) -> None:
    """Refuses a sitemap without the home page, if the earlier one listed it."""
    home = without_www(plan.site.base_url).rstrip("/")
    for loss in plan.gone:
        is_home = without_www(loss.url).rstrip("/") == home
        if is_home and loss.fate in _GONE:
            what = f"the home page {loss.url} was listed before and is {loss.fate}"
            help = f"list it again, or redirect it; {_ALLOW}"
            raise SitemapperError(f"{what}, so nothing was published", help)


def _check_urls(plan: Plan, max_drop: float) -> None:
    """Refuses to lose more than `max_drop` percent of the earlier URLs, and says why they go.

    A URL that is redirected or listed in another form is not lost.
    """
    losses = [loss for loss in plan.gone if loss.fate in _GONE]
    previous = plan.previous or 0
    if len(losses) * 100 <= max_drop * previous:
        return
    causes = Counter(loss.reason.value if loss.reason else loss.fate for loss in losses)
    why = joined([f"{number:,} {cause}" for cause, number in causes.most_common()], "and")
    urls = listing([loss.url for loss in losses])
    raise SitemapperError(
        f"{count(len(losses), 'earlier URL')} would go ({why}): {urls}; that is more than "
        f"{max_drop:g} % of {previous:,}, so nothing was published",
        f"`sitemapper check --max-drop 100 -v` shows what became of them; {_ALLOW}",
    )


def _check_dates(plan: Plan, max_drop: float) -> None:
    """Refuses to lose more than `max_drop` percent of the earlier dates, and says why they go.

    Only the URLs that stay count. The reason is that of most pages whose date is lost.
    """
    stayed = [change for change in plan.changes if change.kind == "changed"]
    lost = [change.url for change in stayed if change.before and not change.after]
    if len(lost) * 100 <= max_drop * plan.previous_dates:
        return
    text = (
        f"{len(lost):,} of {plan.previous_dates:,} dates would be lost, such as that of {lost[0]}, "
        "so nothing was published"
    )
    help = _ALLOW
    without_date = set(lost)
    # An entry without a date has the cause as its source.
    causes = Counter(entry.source for entry in plan.entries if entry.loc in without_date)
    most_common, _ = causes.most_common(1)[0]
    cause = CAUSES.get(most_common)
    if cause:
        text = f"{text}: {cause.text}"
        if cause.help:
            help = f"{cause.help}; {_ALLOW}"
    raise SitemapperError(text, help)
