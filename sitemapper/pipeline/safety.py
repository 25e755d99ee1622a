"""What keeps a run from doing harm: dates that all tell when the site was built, and pages that vanish."""

from __future__ import annotations

from collections.abc import Iterator

from ..config.settings import Settings
from ..errors import GuardError
from ..model import WarningKind
from .stats import RunStats


def uniform_sources(
    tally: RunStats, settings: Settings, *, now: int, adopts: bool
) -> tuple[dict[str, str], dict[str, str]]:
    """The sources whose dates lie together, each with a sentence: those to omit, those to warn about.

    A run that `adopts` a ledger must not claim that everything changed today: the ledger would remember
    it.
    """
    found = tally.uniform()
    omitted = found if settings.dates.guard == "omit" else {}
    if adopts:
        omitted = omitted | {s: said for s, said in tally.uniform(today=now).items() if s == "mtime"}
    left = {source: said for source, said in found.items() if source not in omitted}
    return omitted, left


def check_losses(found: RunStats, previous: int | None, settings: Settings) -> None:
    """Raises GuardError where publishing would replace a good sitemap by one that looks wrong.

    `previous` counts the URLs that are published now, None if nothing is.
    """
    _check_origins(found, settings)
    left_out = ", ".join(_left_out(found))
    why = f"left out: {left_out}; --dry-run --excluded - names them" if left_out else "none left out"
    if found.listed == 0 and not settings.allow_empty:
        raise GuardError(
            f"{settings.site}: no page to list ({why}), so nothing was published",
            "check the folder, `include` and `ignore`; --allow-empty publishes an empty sitemap",
        )
    if _loses(previous or 0, found.listed, settings) and found.listed:
        raise GuardError(
            f"{settings.site}: {found.listed:,} to list, {previous:,} are published: more than "
            f"{settings.max_drop:g} % would be lost, so nothing was published ({why})",
            "if this is intended, run once with --max-drop 100",
        )
    rows, own = found.ledger_rows
    if _loses(rows, own, settings):
        raise GuardError(
            f"{settings.display_path(settings.ledger_to_read or '')}: {rows - own:,} of its {rows:,} pages "
            "are not in this site, so nothing was published",
            "if it belongs to another site, give each site its own [ledger] path; if the pages are gone, "
            "run once with --max-drop 100",
        )


def _loses(before: int, after: int, settings: Settings) -> bool:
    return (before - after) * 100 > settings.max_drop * before


def _check_origins(found: RunStats, settings: Settings) -> None:
    """The commonest mistake: a preview build, whose canonicals name another origin."""
    for caution, count, origins in found.warnings:
        if caution is WarningKind.OTHER_ORIGIN and count > found.listed:
            raise GuardError(
                f"{settings.site}: {count:,} pages name {', '.join(origins)} in their canonicals, not "
                f"{settings.base_url}, so nothing was published",
                f"correct base_url, or build the site for {settings.base_url} again; "
                "--no-respect canonical ignores canonicals",
            )


def _left_out(found: RunStats) -> Iterator[str]:
    yield from (f"{n:,} {reason.value}" for reason, n in found.excluded.items())
    if found.pruned:
        yield f"{found.pruned:,} folder{'s' * (found.pruned > 1)} not entered"
