"""What keeps a run from doing harm: dates that all tell when the site was built, and pages that vanish."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..config.settings import Settings
from ..errors import GuardError
from ..model import Diagnostic, Page, Reason, WarningKind
from ..syntax.uniform import MIN_PAGES, Histogram
from .evidence import is_first_ledger_run
from .stats import RunStats

_ADVICE = {
    Reason.NOINDEX: "build the site as for production; --no-respect noindex lists such pages",
    Reason.CANONICAL: "correct base_url or the canonicals; --no-respect canonical ignores canonicals",
    Reason.ROBOTS: "correct robots.txt; --no-respect robots lists such pages",
    Reason.REDIRECT: "name the folder to which they lead; --no-respect refresh lists such pages",
    Reason.NOT_FOLLOWED: "copy the pages into the site, in place of links",
}


def expects_build_times(settings: Settings, first: Callable[[], Sequence[Page]], now: int) -> bool:
    """Whether the first pages of a site say that a build wrote its file times; `now` in seconds.

    A run that decides otherwise in the end goes through the site once more.
    """
    if "mtime" not in settings.date_sources or not (
        settings.dates.guard == "omit" or is_first_ledger_run(settings)
    ):
        return False
    if "ledger" in settings.date_sources and not is_first_ledger_run(settings):
        return False  # most pages are dated by the ledger
    dates = Histogram()
    dates.add([page.mtime // 1_000_000_000 for page in first()])
    return has_build_times(dates, 0, settings, now)


def has_build_times(dates: Histogram, listed: int, settings: Settings, now: int) -> bool:
    """Whether file times are of a build and not to be written.

    With a ledger, a few pages of many are news. Its first run must not claim that everything changed today,
    whatever `[dates] guard` says: the ledger would remember it.
    """
    is_first = is_first_ledger_run(settings)
    has_ledger = "ledger" in settings.date_sources and not is_first
    if not (dates.is_uniform("mtime", of=listed if has_ledger else 0) or _is_generated(dates, settings)):
        return False
    is_young = dates.total >= MIN_PAGES or dates.newest > now - 86_400
    return settings.dates.guard == "omit" or (is_first and is_young)


def _is_generated(dates: Histogram, settings: Settings) -> bool:
    """Whether a known generator has just written most of the files.

    A ledger knows better which pages changed. Without one, sources that the user chose are left alone.
    """
    is_first = is_first_ledger_run(settings)
    is_open = is_first or (settings.is_auto_dated and "ledger" not in settings.date_sources)
    return bool(settings.generator) and is_open and dates.is_burst()


def _burst(settings: Settings) -> str:
    return f"{settings.generator} wrote most files within three minutes"


def build_time_note(stats: RunStats, settings: Settings) -> str:
    """Which pages have no date because their file times are of a build, and the one step that gives dates."""
    step = "keep a ledger between builds: --ledger sitemapper.ledger"
    if "ledger" in settings.date_sources:
        step = "the ledger dates a page when it changes"
    count = f"{stats.omitted:,} pages have" if stats.omitted > 1 else "1 page has"
    dates = stats.histogram("mtime")
    why = f"a build wrote the files ({dates.share():.0%} within one minute)"
    if not dates.is_uniform("mtime"):
        why = _burst(settings)
    return f"{count} no date, because {why}; {step}"


def uniform_warnings(stats: RunStats, settings: Settings) -> Iterator[Diagnostic]:
    """The sources whose written dates lie together. The commits of an import are no sign of a build."""
    for source in stats.dated:
        dates = stats.histogram(source)
        of = stats.listed if source == "mtime" and "ledger" in settings.date_sources else 0
        if dates.is_uniform(source, of=of) and not (source == "git" and settings.is_auto_dated):
            share = f"{source}: {dates.share():.0%} of {dates.total:,} dates lie within one minute"
            yield Diagnostic(WarningKind.UNIFORM, share)
        elif source == "mtime" and _is_generated(dates, settings):
            yield Diagnostic(WarningKind.UNIFORM, f"mtime: {_burst(settings)}")


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
            f"{_why_empty(stats)}; --allow-empty publishes an empty sitemap",
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


def _left_out(stats: RunStats) -> Iterator[str]:
    yield from (f"{n:,} {reason.value}" for reason, n in stats.excluded.items())
    if stats.pruned:
        yield f"{stats.pruned:,} folder{'s' * (stats.pruned > 1)} not entered"
