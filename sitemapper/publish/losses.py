"""What stops a run: an output that would replace a good sitemap with one that looks wrong."""

from ..errors import GuardError
from ..model import Reason, WarningKind
from ..pipeline.plan import Plan
from ..pipeline.stats import RunStats
from ..settled import Site

_ADVICE = {
    Reason.NOINDEX: "build the site as for production; --no-respect noindex lists such pages",
    Reason.CANONICAL: (
        "correct base_url or the canonicals; --no-respect canonical ignores canonicals"
    ),
    Reason.ROBOTS: "correct robots.txt; --no-respect robots lists such pages",
    Reason.REDIRECT: "name the folder to which they lead; --no-respect refresh lists such pages",
    Reason.NOT_FOLLOWED: "copy the pages into the site, instead of links",
}


def check_losses(
    stats: RunStats,
    plan: Plan,
    previous: int,
    project: str,
    *,
    allow_empty: bool,
    max_drop: float,
) -> None:
    """Raises GuardError if the output would lose all pages, or more than `max_drop` percent.

    `previous` is the number of published URLs. `project` is evidence that the site is a project, ""
    if there is none.
    """
    root = plan.site.root
    is_refused = not stats.listed and not allow_empty
    if is_refused and project:
        problem = f"{root}: {WarningKind.PROJECT.value}: {project}"
        raise GuardError(problem, WarningKind.PROJECT.help)
    _check_origins(stats, plan.site)
    if is_refused:
        why = _left_out(stats) or "there is no HTML here"
        raise GuardError(
            f"{root}: no page to list ({why}), so nothing was published",
            f"{_how_to_list_pages(stats)}; --allow-empty publishes an empty sitemap",
        )
    if stats.listed and _loses(previous, stats.listed, max_drop):
        raise GuardError(
            f"{root}: {stats.listed:,} to list, but {previous:,} are published. The sitemap would "
            f"lose more than {max_drop:g} %, so nothing was published "
            f"({_left_out(stats) or 'none excluded'})",
            "if this is intended, run once with --max-drop 100",
        )
    if plan.ledger:
        _check_ledger(stats, plan.ledger.label, max_drop)


def _check_origins(stats: RunStats, site: Site) -> None:
    """Detects the most common mistake: a preview build, with canonicals on another origin."""
    for kind, count, origins in stats.warnings:
        if kind is WarningKind.OTHER_ORIGIN and count > stats.listed:
            raise GuardError(
                f"{site.root}: {count:,} pages name {', '.join(origins)} in their canonicals, "
                f"not {site.base_url}, so nothing was published",
                f"correct base_url, or build the site for {site.base_url} again; "
                "--no-respect canonical ignores canonicals",
            )


def _check_ledger(stats: RunStats, label: str, max_drop: float) -> None:
    """Detects the ledger of another site: most of its pages are not in this one."""
    rows, own = stats.ledger_rows
    if _loses(rows, own, max_drop):
        raise GuardError(
            f"{label}: {rows - own:,} of its {rows:,} pages are not in this site, so nothing was "
            "published",
            "if it belongs to another site, give each site its own [ledger] path; if the pages "
            "are gone, run once with --max-drop 100",
        )


def _loses(before: int, after: int, max_drop: float) -> bool:
    return (before - after) * 100 > max_drop * before


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
