"""Says why the times of files date no pages, and what to do."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..errors import with_help
from ..model import Burst, TimeFault
from ..settled import Site

_TAKE = "--lastmod mtime takes the times as they are"
_RECORD = "--ledger sitemapper.ledger records changes from now on"
_COMMIT = "in a git repository, commits date pages"


class NoGit(NamedTuple):
    """Why git dates no page, and what to do, each "" if that is not known."""

    cause: str = ""
    step: str = ""


def describe_fault(fault: TimeFault, burst: Burst | None, generator: str) -> str:
    """Why the time of one file does not count."""
    if fault is TimeFault.GENERATED:
        return f"{generator} wrote the file"
    if burst is None:
        return "git finds the file unchanged, so its time is that of a checkout"
    return f"the file's time is one of {burst.files:,} within {_seconds(burst)}: a copy or a build"


def _seconds(burst: Burst) -> str:
    """How long it took to write the files of a burst."""
    seconds = burst.last - burst.first
    if seconds <= 1:
        return "a second"
    return f"{seconds:,} seconds"


def describe_undated(
    omitted: Mapping[TimeFault, int],
    bursts: Sequence[Burst],
    site: Site,
    no_git: NoGit,
    plugin: str,
) -> str:
    """A note on pages that have only a file time that does not count: how many, why, what to do.

    If the sources of some are known and refused, the pages are grouped by their own causes.

    `plugin` is the line that activates our plugin for the site's generator.
    """
    lists = omitted.get(TimeFault.LIST, 0)
    about_lists = f"{lists:,} lists have" if lists > 1 else "1 list has"
    about_lists += " no date by design"
    count = sum(omitted.values()) - lists
    if not count:
        return about_lists
    groups = describe_refusals(omitted)
    refused = sum(count for fault, count in omitted.items() if fault.is_of_source)
    causes = ", and ".join(describe_causes(omitted, bursts, site, no_git))
    if refused and count > refused:
        groups.append(f"{count - refused:,}: {causes}")
    elif not refused:
        groups = [causes]
    if refused and lists:
        groups.append(f"{lists:,} are lists" if lists > 1 else "1 is a list")
        count += lists
    pages = f"{count:,} pages have" if count > 1 else "1 page has"
    steps = [_TAKE]
    if "ledger" in site.date_sources:
        steps.append("the ledger dates each page when it changes")
    else:
        steps.append(_RECORD)
    git_step = _git_step(site, no_git, plugin)
    if git_step:
        steps.append(git_step)
    what = f"{pages} no date: {'; '.join(groups)}"
    if lists and not refused:
        what += f". {about_lists}"
    return with_help(what, "; ".join(steps))


def describe_refusals(omitted: Mapping[TimeFault, int]) -> list[str]:
    """Why sources that are known do not date pages: `52: the page shows more than its source`."""
    faults = (fault for fault in TimeFault if fault.is_of_source)
    return [f"{omitted[fault]:,}: {fault.value}" for fault in faults if omitted.get(fault)]


def describe_causes(
    omitted: Mapping[TimeFault, int], bursts: Sequence[Burst], site: Site, no_git: NoGit
) -> list[str]:
    """Why file times, and why git, do not date pages."""
    causes = [
        _describe_cause(fault, bursts, site.generator)
        for fault in TimeFault
        if omitted.get(fault) and not fault.is_of_source and fault is not TimeFault.LIST
    ]
    if no_git.cause:
        causes.append(no_git.cause)
    elif "git" in site.date_sources and causes and TimeFault.COMMITTED not in omitted:
        causes.append("no sources are known")
    return causes


def _describe_cause(fault: TimeFault, bursts: Sequence[Burst], generator: str) -> str:
    """Why the times of some files do not count."""
    if fault is TimeFault.GENERATED:
        return f"{generator} wrote their files"
    if fault is TimeFault.COMMITTED:
        return "git finds their files unchanged, so their times are those of a checkout"
    largest = max(bursts, key=_files, default=None)
    if largest is None:
        return "a copy or a build wrote their files"
    return f"a copy or a build wrote {largest.files:,} files within {_seconds(largest)}"


def _files(burst: Burst) -> int:
    return burst.files


def _git_step(site: Site, no_git: NoGit, plugin: str) -> str:
    """How git can date the pages, "" if somebody chose other sources."""
    if no_git.step:
        return no_git.step
    if "git" not in site.date_sources:
        return _COMMIT if site.is_auto_dated else ""
    if plugin and not site.source_files:
        return f"to date pages by their sources, set {plugin}"
    return "name the sources of the pages with [[git.map]]"
