"""Whether dates only say when the site was built."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..config.settings import Settings
from ..model import Diagnostic, Page, WarningKind
from ..syntax.uniform import MIN_PAGES, Histogram
from .evidence import is_first_ledger_run
from .stats import RunStats


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
