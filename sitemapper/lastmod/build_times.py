"""Detects file times that come from a build, not from changes of pages."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ..errors import with_help
from ..histogram import MIN_DATES, Histogram
from ..model import Diagnostic, Page, WarningKind
from ..settled import Site
from .ledger import LedgerState

_MIN_FILES = 2  # a build or a checkout writes all files at once


class FileTimePolicy(NamedTuple):
    """How file times are judged: by the site, `[dates] guard`, and whether a ledger is new."""

    site: Site
    guard: str
    is_first_run: bool


def seconds_of(pages: Sequence[Page], states: Sequence[LedgerState]) -> list[int]:
    """The file times that may come from a build, in seconds.

    With a ledger, only those of changed pages.
    """
    if states:
        pages = [page for page, state in zip(pages, states, strict=True) if not state.is_unchanged]
    return [mtime // 1_000_000_000 for _, _, mtime, *_ in pages]


def are_expected(policy: FileTimePolicy, first: Callable[[], Sequence[Page]], now: int) -> bool:
    """Whether the first pages of a site have the file times of a build; `now` in seconds.

    If the whole site shows otherwise, the run goes through it once more.
    """
    is_first = policy.is_first_run
    if "mtime" not in policy.site.date_sources or not (policy.guard == "omit" or is_first):
        return False
    if "ledger" in policy.site.date_sources and not is_first:
        return False  # the ledger dates most pages
    dates = Histogram()
    dates.add(seconds_of(first(), ()))
    return are_found(dates, 0, policy, now)


def are_found(dates: Histogram, listed: int, policy: FileTimePolicy, now: int) -> bool:
    """Whether file times come from a build and must not be written.

    With a ledger, a few changed pages are normal. The first run with a ledger never uses the times
    of a build, whatever `[dates] guard` is, because the ledger would keep them.
    """
    is_first = policy.is_first_run
    if not (_are_uniform(dates, 0 if is_first else listed, policy) or _is_generated(dates, policy)):
        return False
    is_young = dates.total >= MIN_DATES or dates.newest > now - 86_400
    return policy.guard == "omit" or (is_first and is_young)


def _are_uniform(dates: Histogram, listed: int, policy: FileTimePolicy) -> bool:
    """Whether nearly all file times are within a minute; with a ledger, nearly all `listed` pages'
    times.
    """
    return dates.is_uniform(_MIN_FILES, of=listed if "ledger" in policy.site.date_sources else 0)


def _is_generated(dates: Histogram, policy: FileTimePolicy) -> bool:
    """Whether a known generator has just written most of the files.

    A ledger knows better which pages changed. Sources that the user chose are not overridden.
    """
    is_open = policy.site.is_auto_dated and "ledger" not in policy.site.date_sources
    return bool(policy.site.generator) and (is_open or policy.is_first_run) and dates.is_burst()


def _burst(policy: FileTimePolicy) -> str:
    return f"{policy.site.generator} wrote most files within three minutes"


def note(
    dates: Histogram, omitted: int, policy: FileTimePolicy, no_git: tuple[str, str], plugin: str
) -> str:
    """A note on pages that have only the time of a build: how many, why git gives no dates, and
    what to do.

    `no_git` is the reason why git failed, and what to do. `plugin` is the line that activates our
    plugin.
    """
    cause, step = no_git
    if not cause and "git" in policy.site.date_sources:
        cause, step = "no sources are known", "name the sources of the pages with [[git.map]]"
        if plugin and not policy.site.source_files:
            step = f"to date pages by their sources, set {plugin}"
    elif not cause and policy.site.is_auto_dated:
        cause, step = "this is not a git repository", "run the build in a git repository"
    later = "to date changes from now on, add --ledger sitemapper.ledger"
    if "ledger" in policy.site.date_sources:
        step, later = "the ledger dates each page when it changes", ""
    count = f"{omitted:,} pages have" if omitted > 1 else "1 page has"
    share = f"{dates.share():.0%} of the files" if dates.share() < 1 else "all files"
    is_uniform = dates.is_uniform(_MIN_FILES)
    why = f"the last build wrote {share} within a minute" if is_uniform else _burst(policy)
    step = ". Or, ".join(filter(None, (step, later)))
    what = f"{count} no date: {why}, so their times are not usable{cause and f', and {cause}'}"
    return with_help(what, step)


def warnings(
    dated: Iterable[tuple[str, Histogram]], listed: int, policy: FileTimePolicy
) -> Iterator[Diagnostic]:
    """The sources whose dates are all close together. Commits of an import do not count."""
    for source, dates in dated:
        is_file_time = source == "mtime"
        is_uniform = _are_uniform(dates, listed, policy) if is_file_time else dates.is_uniform()
        if is_uniform and not (source == "git" and policy.site.is_auto_dated):
            share = f"{source}: {dates.share():.0%} of {dates.total:,} dates are within one minute"
            yield Diagnostic(WarningKind.UNIFORM, share)
        elif is_file_time and _is_generated(dates, policy):
            yield Diagnostic(WarningKind.UNIFORM, f"mtime: {_burst(policy)}")
