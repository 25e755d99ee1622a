"""Says why the times of files date no pages, and what to do."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..errors import with_help
from ..model import TimeFault
from ..settled import Site

if TYPE_CHECKING:  # only git finds deploys
    from .deploys import Deploy

_TAKE = "--lastmod mtime takes the times as they are"
_TAKE_COMMITS = "--lastmod git takes the dates of commits as they are"
_RECORD = "--ledger sitemapper.ledger records changes from now on"
_COMMIT = "in a git repository, commits date pages"
_LOOK_THROUGH = "if that commit changed no content, name it in .git-blame-ignore-revs"

# The causes of refused sources, where all of several pages have the same.
_OF_EACH = {
    TimeFault.EXCEEDED: "each shows more than its source",
    TimeFault.STUB: "all text but the headings of their sources is generated",
    TimeFault.AMBIGUOUS: "several files fit each",
    TimeFault.UNPROVED: "nothing proves the folders of the files that fit",
    TimeFault.UNTITLED: "none shows the title of its source",
}


class NoGit(NamedTuple):
    """Why git dates no page, and what to do, each "" if that is not known.

    Neither `deploy` nor an older commit dates a page by its own file.
    """

    cause: str = ""
    step: str = ""
    deploy: "Deploy | None" = None


def describe_fault(fault: TimeFault, generator: str) -> str:
    """Why the time of one file does not count."""
    if fault is TimeFault.GENERATED:
        return f"{generator} wrote the file"
    if fault is TimeFault.COMMITTED:
        return "git finds the file unchanged, so its time is that of a checkout"
    return "the file was written within seconds of others, as by a copy or a build"


def describe_undated(
    omitted: Mapping[TimeFault, int],
    site: Site,
    no_git: NoGit,
    plugin: str,
    *,
    example: str = "",
) -> str:
    """A note on pages that have only a file time that does not count: how many, why, what to do.

    If the sources of some are known and refused, the pages are grouped by their own causes.

    `plugin` is the line that activates our plugin for the site's generator. `example` is one of
    the pages.
    """
    lists = omitted.get(TimeFault.LIST, 0)
    about_lists = f"{lists:,} lists have" if lists > 1 else "1 list has"
    about_lists += " no date by design"
    count = sum(omitted.values()) - lists
    if not count:
        return about_lists
    has_refused = any(fault.is_of_source for fault in omitted)
    groups = describe_refusals(omitted)
    groups += _group_by_files(omitted, site, no_git)
    if has_refused and lists:
        groups.append(f"{lists:,} are lists" if lists > 1 else "1 is a list")
        count += lists
    if len(groups) == 1:  # its number is that of all pages
        groups = [_describe_all(groups[0], omitted)]
    pages = f"{count:,} pages have" if count > 1 else "1 page has"
    such_as = "such as " if count > 1 else ""
    named = f" ({such_as}{example})" if example else ""
    what = f"{pages} no date{named}: {'; '.join(groups)}"
    if lists and not has_refused:
        what += f". {about_lists}"
    return with_help(what, "; ".join(_list_steps(omitted, site, no_git, plugin)))


def _list_steps(
    omitted: Mapping[TimeFault, int], site: Site, no_git: NoGit, plugin: str
) -> Iterator[str]:
    """What may date the pages."""
    yield how_to_take_times(omitted, no_git)
    if "ledger" in site.date_sources:
        yield "the ledger dates each page when it changes"
    else:
        yield _RECORD
    if no_git.deploy and no_git.deploy.is_rewrite and TimeFault.COMMITTED in omitted:
        yield _LOOK_THROUGH
    git_step = _git_step(site, no_git, plugin)
    if git_step:
        yield git_step


def how_to_take_times(omitted: Mapping[TimeFault, int], no_git: NoGit) -> str:
    """The flag that takes the times of commits, or else of files, as they are."""
    is_of_commit = no_git.deploy is not None and TimeFault.COMMITTED in omitted
    return _TAKE_COMMITS if is_of_commit else _TAKE


def _describe_all(group: str, omitted: Mapping[TimeFault, int]) -> str:
    """The cause of a group that has all pages, without its number: `each shows more than …`."""
    for fault, cause in _OF_EACH.items():
        if omitted.get(fault, 0) > 1:
            return cause
    return group.partition(": ")[2]


def describe_refusals(omitted: Mapping[TimeFault, int]) -> list[str]:
    """Why sources that are known do not date pages: `52: the page shows more than its source`."""
    faults = (fault for fault in TimeFault if fault.is_of_source)
    return [f"{omitted[fault]:,}: {fault.value}" for fault in faults if omitted.get(fault)]


def describe_causes(omitted: Mapping[TimeFault, int], site: Site, no_git: NoGit) -> list[str]:
    """Why file times, and why git, do not date pages."""
    causes: list[str] = []
    count = 0
    for fault in _faults_of_files(omitted):
        causes.append(_describe_cause(fault, omitted[fault], site.generator, no_git))
        count += omitted[fault]
    git_cause = _describe_git(omitted, count, site, no_git)
    return [*causes, git_cause] if git_cause else causes


def _group_by_files(omitted: Mapping[TimeFault, int], site: Site, no_git: NoGit) -> list[str]:
    """Why files do not date pages: `3: Hugo wrote their files, and no sources are known`."""
    groups: list[str] = []
    for fault in _faults_of_files(omitted):
        count = omitted[fault]
        causes = [_describe_cause(fault, count, site.generator, no_git)]
        git_cause = _describe_git(omitted, count, site, no_git)
        if git_cause:
            causes.append(git_cause)
        groups.append(f"{count:,}: {', and '.join(causes)}")
    return groups


def _faults_of_files(omitted: Mapping[TimeFault, int]) -> list[TimeFault]:
    """The faults of pages whose sources are not known."""
    no_files = {TimeFault.LIST, *(fault for fault in TimeFault if fault.is_of_source)}
    return [fault for fault in TimeFault if omitted.get(fault) and fault not in no_files]


def _describe_git(omitted: Mapping[TimeFault, int], count: int, site: Site, no_git: NoGit) -> str:
    """Why git dates none of so many pages, "" if that is not known."""
    if no_git.cause:
        return no_git.cause
    if "git" not in site.date_sources or not count or TimeFault.COMMITTED in omitted:
        return ""
    return "no sources are known" if count > 1 else "no source is known"


def _describe_cause(fault: TimeFault, count: int, generator: str, no_git: NoGit) -> str:
    """Why the times of some files, and of their commits, do not count."""
    files = "their files" if count > 1 else "its file"
    if fault is TimeFault.GENERATED:
        return f"{generator} wrote {files}"
    if fault is TimeFault.COMMITTED and no_git.deploy and no_git.deploy.commit:
        have = "have" if count > 1 else "has"
        verb = "rewrote" if no_git.deploy.is_rewrite else "made"
        build = f"commit {no_git.deploy.commit[:12]} {verb} nine of ten pages, as a build does"
        return f"{build}, and {files} {have} not changed since"
    if fault is TimeFault.COMMITTED:
        times = "their times are those" if count > 1 else "its time is that"
        return f"git finds {files} unchanged, so {times} of a checkout"
    return f"a copy or a build wrote {files}"


def _git_step(site: Site, no_git: NoGit, plugin: str) -> str:
    """How git can date the pages, "" if somebody chose other sources."""
    if no_git.step:
        return no_git.step
    if "git" not in site.date_sources:
        return _COMMIT if site.is_auto_dated else ""
    if plugin and not site.source_files:
        return f"to date pages by their sources, set {plugin}"
    return "name the sources of the pages with [[git.map]]"
