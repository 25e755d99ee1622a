"""What keeps a run from doing harm: dates that all tell when the site was built, and pages that vanish."""

from __future__ import annotations

from collections.abc import Iterator

from ..config.settings import Settings
from ..errors import GuardError
from ..model import WarningKind
from .stats import RunStats


def uniform_sources(
    stats: RunStats, settings: Settings, *, now: int, is_first_ledger_run: bool
) -> tuple[dict[str, str], dict[str, str]]:
    """The sources whose dates lie together, each with a sentence: those to omit, those to warn about.

    The first run with a ledger must not claim that everything changed today: the ledger would remember it.
    """
    uniform = stats.uniform()
    omitted = uniform if settings.dates.guard == "omit" else {}
    if is_first_ledger_run:
        young = stats.uniform(today=now)
        omitted = omitted | {source: young[source] for source in young if source == "mtime"}
    doubtful = {source: sentence for source, sentence in uniform.items() if source not in omitted}
    return omitted, doubtful


def check_losses(stats: RunStats, previous: int | None, settings: Settings) -> None:
    """Raises GuardError where publishing would replace a good sitemap by one that looks wrong.

    `previous` counts the URLs that are published now, None if nothing is.
    """
    _check_origins(stats, settings)
    left_out = ", ".join(_left_out(stats))
    why = f"left out: {left_out}; --dry-run --excluded - names them" if left_out else "none left out"
    if stats.listed == 0 and not settings.allow_empty:
        raise GuardError(
            f"{settings.site}: no page to list ({why}), so nothing was published",
            "check the folder, `include` and `ignore`; --allow-empty publishes an empty sitemap",
        )
    if _loses(previous or 0, stats.listed, settings) and stats.listed:
        raise GuardError(
            f"{settings.site}: {stats.listed:,} to list, {previous:,} are published: more than "
            f"{settings.max_drop:g} % would be lost, so nothing was published ({why})",
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


def _left_out(stats: RunStats) -> Iterator[str]:
    yield from (f"{n:,} {reason.value}" for reason, n in stats.excluded.items())
    if stats.pruned:
        yield f"{stats.pruned:,} folder{'s' * (stats.pruned > 1)} not entered"
