"""The note on pages without a date: how many, why, and what to do."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from support import BASE

from sitemapper.config.settings import Sitemap
from sitemapper.lastmod.deploys import Deploy
from sitemapper.lastmod.undated import (
    NoGit,
    describe_causes,
    describe_fault,
    describe_undated,
)
from sitemapper.model import TimeFault
from sitemapper.settled import Output, Site

SITE = Site("", BASE, Output("", BASE, "sitemap.xml", Sitemap()), generator="Hugo")
IN_GIT = SITE._replace(date_sources=("git", "mtime"))
REWRITE = Deploy(9, 20 * "ab", is_rewrite=True)
UNKNOWN = NoGit()  # nothing is known
BURST, COMMITTED, LIST = TimeFault.BURST, TimeFault.COMMITTED, TimeFault.LIST


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (TimeFault.GENERATED, "Hugo wrote the file"),
        (COMMITTED, "git finds the file unchanged, so its time is that of a checkout"),
        (BURST, "the file was written within seconds of others, as by a copy or a build"),
    ],
)
def test_why_the_time_of_a_file_does_not_count(fault: TimeFault, text: str) -> None:
    assert describe_fault(fault, "Hugo") == text


@pytest.mark.parametrize(
    ("omitted", "no_git", "cause"),
    [
        ({BURST: 1}, NoGit("this clone is shallow"), ["this clone is shallow"]),
        ({BURST: 1}, NoGit(), ["no source is known"]),
        ({BURST: 2}, NoGit(), ["no sources are known"]),
        ({BURST: 1, COMMITTED: 1}, NoGit(), []),
        ({TimeFault.STUB: 1}, NoGit(), []),
    ],
)
def test_why_git_dates_no_page(
    omitted: Mapping[TimeFault, int], no_git: NoGit, cause: list[str]
) -> None:
    causes = describe_causes(omitted, IN_GIT, no_git)
    assert [text for text in causes if "wrote" not in text and "unchanged" not in text] == cause


@pytest.mark.parametrize(
    ("count", "start"),
    [(1, "1 page has no date (a.html): "), (2, "2 pages have no date (such as a.html): ")],
)
def test_one_of_the_pages_is_named(count: int, start: str) -> None:
    note = describe_undated({BURST: count, LIST: 1}, SITE, NoGit(), "", example="a.html")
    assert note.startswith(start)


@pytest.mark.parametrize(
    ("omitted", "deploy", "step"),
    [
        ({COMMITTED: 2}, REWRITE, "--lastmod git takes the dates of commits as they are"),
        ({COMMITTED: 2}, None, "--lastmod mtime takes the times as they are"),
        ({BURST: 2}, REWRITE, "--lastmod mtime takes the times as they are"),
    ],
)
def test_a_commit_of_the_whole_site_is_the_cause_where_nothing_has_changed_since(
    omitted: Mapping[TimeFault, int], deploy: Deploy | None, step: str
) -> None:
    note = describe_undated(omitted, IN_GIT, NoGit(deploy=deploy), "")
    cause = "commit abababababab rewrote nine of ten pages, as a build does, and their files have"
    is_cause = COMMITTED in omitted and deploy is not None
    assert (cause in note) is is_cause
    assert (".git-blame-ignore-revs" in note) is is_cause
    assert note.split("\n")[1].startswith(f"help: {step}; ")


def test_a_commit_that_made_the_whole_site_cannot_be_ignored() -> None:
    no_git = NoGit(deploy=REWRITE._replace(is_rewrite=False))
    note = describe_undated({COMMITTED: 2}, IN_GIT, no_git, "")
    assert "commit abababababab made nine of ten pages" in note
    assert ".git-blame-ignore-revs" not in note


CHECKOUTS = "git finds their files unchanged, so their times are those of a checkout"
EXCEEDED, GENERATED, UNTITLED = TimeFault.EXCEEDED, TimeFault.GENERATED, TimeFault.UNTITLED


@pytest.mark.parametrize(
    ("omitted", "note"),
    [
        ({LIST: 1}, "1 list has no date by design"),
        ({LIST: 2}, "2 lists have no date by design"),
        ({BURST: 1}, "1 page has no date: a copy or a build wrote its file"),
        ({BURST: 2}, "2 pages have no date: a copy or a build wrote their files"),
        ({GENERATED: 1}, "1 page has no date: Hugo wrote its file"),
        ({GENERATED: 2}, "2 pages have no date: Hugo wrote their files"),
        (
            {COMMITTED: 1},
            "1 page has no date: git finds its file unchanged, so its time is that of a checkout",
        ),
        ({COMMITTED: 2}, f"2 pages have no date: {CHECKOUTS}"),
        ({EXCEEDED: 1}, "1 page has no date: the page shows more than its source"),
        ({EXCEEDED: 2}, "2 pages have no date: each shows more than its source"),
        ({UNTITLED: 2}, "2 pages have no date: none shows the title of its source"),
        (
            {GENERATED: 1, COMMITTED: 2},
            f"3 pages have no date: 1: Hugo wrote its file; 2: {CHECKOUTS}",
        ),
        (
            {BURST: 2000, LIST: 3},
            "2,000 pages have no date: a copy or a build wrote their files. "
            "3 lists have no date by design",
        ),
        (
            {TimeFault.AMBIGUOUS: 2, LIST: 1},
            "3 pages have no date: 2: several files fit; 1 is a list",
        ),
        (
            {EXCEEDED: 1241, UNTITLED: 1, GENERATED: 1, LIST: 25},
            "1,268 pages have no date: 1,241: the page shows more than its source; "
            "1: the page does not show the title of its source; 1: Hugo wrote its file; "
            "25 are lists",
        ),
    ],
)
def test_pages_and_lists_are_counted(omitted: Mapping[TimeFault, int], note: str) -> None:
    assert describe_undated(omitted, SITE, NoGit(), "").partition("\n")[0] == note


def test_each_group_says_why_git_does_not_date_it() -> None:
    def note(*counts: int) -> str:
        omitted = dict(zip((GENERATED, BURST), counts, strict=True))
        return describe_undated(omitted, IN_GIT, NoGit(), "").partition("\n")[0]

    assert note(1, 2) == (
        "3 pages have no date: 2: a copy or a build wrote their files, and no sources are known; "
        "1: Hugo wrote its file, and no source is known"
    )


def test_the_advice_fits_the_sources_of_the_site() -> None:
    def advice(site: Site, no_git: NoGit = UNKNOWN, plugin: str = "") -> str:
        return describe_undated({BURST: 1}, site, no_git, plugin).rpartition("; ")[2]

    assert advice(SITE).endswith("--ledger sitemapper.ledger records changes from now on")
    assert advice(SITE._replace(is_auto_dated=True)) == "in a git repository, commits date pages"
    assert advice(IN_GIT) == "name the sources of the pages with [[git.map]]"
    assert advice(IN_GIT, plugin="a = b") == "to date pages by their sources, set a = b"
    assert advice(IN_GIT, NoGit("shallow", "fetch all")) == "fetch all"
