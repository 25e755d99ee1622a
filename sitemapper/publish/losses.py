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
from .changes import DateChanges, UrlChanges
from .published import Previous
from .publishing import Publishing

_ONCE = "if the loss is intended, run once with --max-drop 100"
# The canonicals may be those of a build for this machine, such as http://localhost:8000/.
_CORRECT_BASE = "correct base_url, or build the site again for it"
_ADVICE_BY_REASON = {
    Reason.NOINDEX: "build the site as for production; --no-respect noindex lists such pages",
    Reason.CANONICAL: (
        "correct base_url or the canonicals; --no-respect canonical ignores canonicals"
    ),
    Reason.ROBOTS: "correct robots.txt; --no-respect robots lists such pages",
    Reason.REDIRECT: "pass the folder to which they lead; --no-respect refresh lists such pages",
    Reason.NOT_FOLLOWED: "copy the pages into the site, instead of links",
}


def check_pages(tally: Tally, plan: Plan, *, allow_empty: bool) -> None:
    """Raises GuardError if a run would list no page, which is usually a mistake.

    With `allow_empty`, that is no error. The message says why pages are not listed, or that the
    folder seems to be a project and not its built site.
    """
    root = plan.site.root
    if tally.listed or allow_empty:
        return
    if plan.project_file:
        raise GuardError(
            f"{root}: this looks like a project, not like a built site: {plan.project_file}",
            "pass the folder that the generator writes, or ignore the files that are not pages",
        )
    why = _count_by_reason(tally) or describe_no_html(root)
    raise GuardError(
        f"{root}: no page to list ({why}), so nothing was published",
        f"{_advise_on_no_page(tally)}; --max-drop 100 publishes an empty sitemap",
    )


def check_losses(urls: UrlChanges, tally: Tally, plan: Plan, publishing: Publishing) -> None:
    """Raises GuardError if a run would lose too much of what was published: URLs, pages or dates.

    `urls` are the changes that the run makes. `max_drop` is how many percent may be lost. With 100,
    nothing is too much.
    """
    site = plan.site
    published = urls.previous  # the number of published URLs, None or 0 if there are none
    if published and plan.max_drop < 100:
        # `--previous` may name a live sitemap or a file in place of the output. Its URLs got the
        # host of base_url when they were read, so they do not show which host they had.
        have_published_hosts = publishing.previous.is_of_output
        if have_published_hosts:
            _check_host(site.base_url, published, urls.gone)
        _check_unreadable(site.root, tally.unreadable_folders, urls.gone)
        _check_home_page(site, urls.gone)
        _check_urls(published, urls.gone, tally, plan)
    # Compares the ledger with the pages, so it needs no published URLs.
    check_ledger(tally, plan, urls.gone)
    if not publishing.run.ignores_dates:
        _check_dates(urls.dates, tally, plan, publishing.previous)


def _check_host(base_url: str, published: int, urls: Iterable[GoneUrl]) -> None:
    """Raises GuardError if more than half of the published URLs have another host than base_url.

    If 60 of 100 published URLs have the host `old.example`, a run for `https://new.example/` stops.
    A typo in base_url would give all pages URLs on a wrong host, and the check for lost pages does
    not notice that, because their paths stay the same. `www.` and ports do not count.

    `published` is the number of published URLs, and `urls` are those that are not listed any more.
    """
    host = _host_of(base_url)
    old_hosts = Counter(_host_of(one.url) for one in urls)
    old_hosts.pop(host, None)
    for old_host, count in old_hosts.items():
        old_base = f"https://{old_host}/"
        # A site may always move away from example.com, and from the address of a preview.
        is_real_host = not is_placeholder(old_base) and not is_preview(old_host)
        if count * 2 > published and is_real_host:
            raise GuardError(
                f"the host in base_url is {host}, but {count:,} of the {published:,} published "
                f"URLs are on {old_host}, so nothing was published",
                "correct base_url. If the site moved, run once with --max-drop 100. For a second "
                "address, pass another --output or --previous none.",
            )


def _host_of(url: str) -> str:
    """Reads the host of a URL, without `www.` and port: `https://www.a.example:80/b` → `a.example`.

    So two addresses of the same site count as one host.
    """
    return (urlsplit(url).hostname or "").removeprefix("www.")


def _check_unreadable(root: str, folders: Mapping[str, Origin], urls: Iterable[GoneUrl]) -> None:
    """Raises GuardError if URLs would be removed only because their folder cannot be read.

    `folders` are the unreadable folders of the site: `{folder: the reason}`. `urls` are the
    published URLs that are gone. If none of them is below an unreadable folder, nothing is raised.
    """
    for folder, origin in folders.items():
        # `classify_gone` gives a URL in an unreadable folder the origin of this folder.
        count = sum(one.origin == origin for one in urls)
        if count:
            raise GuardError(
                f"{root}/{folder}: cannot be read ({origin.text}), and {count:,} published "
                f"{'URL is' if count == 1 else 'URLs are'} below it, so nothing was published",
                f'make it readable, or leave it out: ignore = ["/{folder}"]',
            )


def _check_home_page(site: Site, urls: Iterable[GoneUrl]) -> None:
    """Raises GuardError if the home page would be lost, even if all other pages are there.

    A home page may go if it is redirected, or withdrawn, for instance with a noindex. `urls` are
    the published URLs that are gone.
    """
    for one in urls:
        is_home = without_scheme(one.url) == without_scheme(site.base_url)
        if is_home and one.fate is Fate.LOST:
            raise GuardError(
                f"{site.root}: the home page {one.url} was listed before and is gone now, so "
                "nothing was published",
                "if it is gone on purpose, redirect it, list it in [check] gone, or run once with "
                "--max-drop 100",
            )


def _check_urls(published: int, urls: Iterable[GoneUrl], tally: Tally, plan: Plan) -> None:
    """Raises GuardError if more than `max_drop` percent of the published URLs are gone.

    With 100 published URLs and `max_drop = 10`, 10 may go, and 11 may not. Lost, moved and
    withdrawn URLs count as gone. URLs that are redirected to another page do not.

    `published` is the number of published URLs, and `urls` are those that are not listed any more.
    """
    counts = Counter(one.fate for one in urls)
    # Withdrawn URLs count as gone, because a wrong noindex on all pages would withdraw all URLs.
    count = counts.total() - counts[Fate.REDIRECTED]
    # A run without any page is stopped by `check_pages`, or allowed by --max-drop 100.
    if not tally.listed or not _is_loss(published, published - count, plan.max_drop):
        return
    # Name the first URLs, and count the others.
    gone = (one.url for one in urls if one.fate is not Fate.REDIRECTED)
    examples = ", ".join(islice(gone, EXAMPLES))
    if count > EXAMPLES:
        examples += f" and {count - EXAMPLES:,} more"
    what = "1 published URL is" if count == 1 else f"{count:,} published URLs are"
    problem = (
        f"{plan.site.root}: {what} gone: {examples}. The sitemap would lose more than "
        f"{plan.max_drop:g}% of its {published:,} URLs, so nothing was published"
    )
    excluded = _count_by_reason(tally)  # which often are the cause
    if excluded:
        problem += f" ({excluded})"
    help = _ONCE
    moved = counts[Fate.MOVED]
    if moved:
        pages = "1 page has" if moved == 1 else f"{moved:,} pages have"
        help = f"`check --max-drop 100 -v` shows where {pages} moved; {_ONCE}"
    raise GuardError(problem, help)


def check_ledger(tally: Tally, plan: Plan, urls: Iterable[GoneUrl] = ()) -> None:
    """Raises GuardError if the ledger seems to be that of another site.

    The ledger has a row for each page. It seems to be another site's if more than `max_drop`
    percent of the pages in it are not in this site. A page whose URL redirects now, such as
    `/a.html` to `/a`, counts as being in this site. `urls` are the published URLs that are gone.
    """
    # How many rows the ledger has, and how many of them are for a page of this site.
    rows, rows_of_this_site = tally.ledger_rows
    found_rows = rows_of_this_site + sum(one.fate is Fate.REDIRECTED for one in urls)
    if plan.ledger and _is_loss(rows, found_rows, plan.max_drop):
        raise GuardError(
            f"{plan.ledger.label}: {rows - found_rows:,} of its {rows:,} pages are not in this "
            "site, so nothing was published",
            "if it belongs to another site, give each site its own [ledger] path; if the pages "
            "are gone, run once with --max-drop 100",
        )


def _check_dates(dates: DateChanges, tally: Tally, plan: Plan, previous: Previous) -> None:
    """Raises GuardError if more than `max_drop` percent of the published dates would go.

    Only the dates of URLs that stay count: a date goes if its URL is listed without a date now. If
    the configuration wants no dates, nothing is raised.
    """
    if not dates.lost or plan.site.wants_no_dates:
        return
    dates_before = previous.count_dates() - dates.of_removed_urls
    if not _is_loss(dates_before, dates_before - dates.lost, plan.max_drop):
        return
    cause, step = _explain_lost_dates(tally, plan)
    raise GuardError(
        f"{plan.site.root}: {dates.lost:,} of {dates_before:,} published dates would be lost, such "
        f"as that of {dates.first_lost}, so nothing was published: {cause}",
        f"{step}; {_ONCE}" if step else _ONCE,
    )


def _explain_lost_dates(tally: Tally, plan: Plan) -> tuple[str, str]:
    """Explains why pages have lost their dates, and what to do about it: `(cause, step)`.

    By the first of these that applies:

    1. No source of dates was asked for.
    2. The clone is shallow, so git does not know the commits that changed the pages.
    3. Git failed.
    4. The run has noted why pages have no date.
    5. The dates came from another source before.

    The step is "" if none is known.
    """
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
    step = "if they came from another source, set it in `lastmod` again"
    return f"no date from {', '.join(site.date_sources)}", step


def _is_loss(before: int, after: int, max_drop: float) -> bool:
    """Whether a number drops by more than `max_drop` percent, from `before` to `after`.

    With `max_drop = 10`, from 100 to 89 → True, and from 100 to 90 → False. The caller raises an
    error if it does.
    """
    return (before - after) * 100 > max_drop * before


def _count_by_reason(tally: Tally) -> str:
    """Counts the pages that are not listed by reason, in words. "" if all are listed.

    For a message: `excluded: 3 noindex, 1 ignored folder not searched; --dry-run --excluded - lists
    them`
    """
    parts = [f"{count:,} {reason.value}" for reason, count in tally.excluded.items()]
    if tally.pruned:
        folders = "folder" if tally.pruned == 1 else "folders"
        parts.append(f"{tally.pruned:,} ignored {folders} not searched")
    if not parts:
        return ""
    return f"excluded: {', '.join(parts)}; --dry-run --excluded - lists them"


def _advise_on_no_page(tally: Tally) -> str:
    """Says what to change if no page is listed, by the reason that excludes most pages.

    3 pages with noindex, 1 ignored → "build the site as for production; …"

    most pages with a canonical elsewhere → "correct base_url, or build the site again for it:
    canonicals name http://localhost:8000"
    """
    pages_by_reason = tally.excluded
    main_reason = max(pages_by_reason, key=pages_by_reason.__getitem__, default=Reason.IGNORED)
    if main_reason is Reason.CANONICAL:
        # A warning of the run may say which base URL or host the canonicals have.
        first_subjects = {message.kind: message.subjects[0] for message in tally.warnings}
        if Kind.BASE_URL in first_subjects:
            return f"{_CORRECT_BASE}: {first_subjects[Kind.BASE_URL]}"
        if Kind.OTHER_ORIGIN in first_subjects:
            return f"{_CORRECT_BASE}: canonicals name {first_subjects[Kind.OTHER_ORIGIN]}"
    return _ADVICE_BY_REASON.get(main_reason, "check the folder, `include` and `ignore`")
