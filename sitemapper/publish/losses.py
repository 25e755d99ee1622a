"""What must not be lost: where a run would replace a good sitemap by one that looks wrong, it stops."""

from __future__ import annotations

from ..config.settings import Settings
from ..errors import GuardError
from ..model import Reason, WarningKind
from ..pipeline.stats import RunStats

_ADVICE = {
    Reason.NOINDEX: "build the site as for production; --no-respect noindex lists such pages",
    Reason.CANONICAL: "correct base_url or the canonicals; --no-respect canonical ignores canonicals",
    Reason.ROBOTS: "correct robots.txt; --no-respect robots lists such pages",
    Reason.REDIRECT: "name the folder to which they lead; --no-respect refresh lists such pages",
    Reason.NOT_FOLLOWED: "copy the pages into the site, instead of links",
}


def check_losses(stats: RunStats, previous: int | None, settings: Settings, project: str) -> None:
    """Raises GuardError where publishing would replace a good sitemap by one that looks wrong.

    `previous` counts the URLs that are published now, None if nothing is; `project` shows that the site is a
    project, "" if nothing does.
    """
    if project and not stats.listed and not settings.allow_empty:
        raise GuardError(f"{settings.site}: {WarningKind.PROJECT.value}: {project}", WarningKind.PROJECT.help)
    _check_origins(stats, settings)
    left_out = [f"{n:,} {reason.value}" for reason, n in stats.excluded.items()]
    if stats.pruned:
        left_out.append(f"{stats.pruned:,} ignored folder{'s' * (stats.pruned > 1)} not searched")
    why = f"excluded: {', '.join(left_out)}; --dry-run --excluded - lists them"
    why = why if left_out else "none excluded"
    if stats.listed == 0 and not settings.allow_empty:
        raise GuardError(
            f"{settings.site}: no page to list ({why if left_out else 'there is no HTML here'}), "
            "so nothing was published",
            f"{_why_empty(stats)}; --allow-empty publishes an empty sitemap",
        )
    if _loses(previous or 0, stats.listed, settings) and stats.listed:
        raise GuardError(
            f"{settings.site}: {stats.listed:,} to list, but {previous:,} are published. The sitemap would "
            f"lose more than {settings.max_drop:g} %, so nothing was published ({why})",
            "if this is intended, run once with --max-drop 100",
        )
    rows, own = stats.ledger_rows
    if _loses(rows, own, settings):
        raise GuardError(
            f"{settings.display_path(settings.ledger_to_read or '')}: {rows - own:,} of its {rows:,} pages "
            "are not in this site, so nothing was published",
            "if it belongs to another site, give each site its own [ledger] path; if the pages are gone, "
            "run once with --max-drop 100",
        )


def _why_empty(stats: RunStats) -> str:
    """What to do where nothing is listed."""
    commonest = max(stats.excluded, key=stats.excluded.__getitem__, default=Reason.IGNORED)
    doubts = [about[0] for kind, _, about in stats.warnings if kind is WarningKind.BASE_URL]
    if commonest is Reason.CANONICAL and doubts:
        return f"correct base_url: {doubts[0]}"
    return _ADVICE.get(commonest, "check the folder, `include` and `ignore`")


def _loses(before: int, after: int, settings: Settings) -> bool:
    return (before - after) * 100 > settings.max_drop * before


def _check_origins(stats: RunStats, settings: Settings) -> None:
    """The commonest mistake: a preview build, whose canonicals name another origin."""
    for kind, count, origins in stats.warnings:
        if kind is WarningKind.OTHER_ORIGIN and count > stats.listed:
            raise GuardError(
                f"{settings.site}: {count:,} pages name {', '.join(origins)} in their canonicals, not "
                f"{settings.base_url}, so nothing was published",
                f"correct base_url, or build the site for {settings.base_url} again; "
                "--no-respect canonical ignores canonicals",
            )
