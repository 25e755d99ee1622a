"""The note on pages without a date: how many, why, and what to do."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from support import BASE

from sitemapper.config.settings import Sitemap
from sitemapper.lastmod.undated import NoGit, describe_causes, describe_fault, describe_undated
from sitemapper.model import Burst, TimeFault
from sitemapper.settled import Output, Site

SITE = Site("", BASE, Output("", BASE, "sitemap.xml", Sitemap()), generator="Hugo")
IN_GIT = SITE._replace(date_sources=("git", "mtime"))
UNKNOWN = NoGit()  # nothing is known
BURST, COMMITTED, LIST = TimeFault.BURST, TimeFault.COMMITTED, TimeFault.LIST


@pytest.mark.parametrize(
    ("fault", "burst", "text"),
    [
        (TimeFault.GENERATED, None, "Hugo wrote the file"),
        (COMMITTED, None, "git finds the file unchanged, so its time is that of a checkout"),
        (BURST, Burst(1, 1, 9), "the file's time is one of 9 within a second: a copy or a build"),
        (
            BURST,
            Burst(1, 1501, 1200),
            "the file's time is one of 1,200 within 1,500 seconds: a copy or a build",
        ),
    ],
)
def test_why_the_time_of_a_file_does_not_count(
    fault: TimeFault, burst: Burst | None, text: str
) -> None:
    assert describe_fault(fault, burst, "Hugo") == text


def test_the_largest_burst_is_named() -> None:
    bursts = [Burst(1, 1, 3), Burst(5, 9, 40), Burst(20, 20, 8)]
    assert describe_causes({BURST: 51}, bursts, SITE, NoGit()) == [
        "a copy or a build wrote 40 files within 4 seconds"
    ]


@pytest.mark.parametrize(
    ("omitted", "no_git", "cause"),
    [
        ({BURST: 1}, NoGit("this clone is shallow"), ["this clone is shallow"]),
        ({BURST: 1}, NoGit(), ["no sources are known"]),
        ({BURST: 1, COMMITTED: 1}, NoGit(), []),
        ({TimeFault.STUB: 1}, NoGit(), []),
    ],
)
def test_why_git_dates_no_page(
    omitted: Mapping[TimeFault, int], no_git: NoGit, cause: list[str]
) -> None:
    causes = describe_causes(omitted, (), IN_GIT, no_git)
    assert [text for text in causes if "wrote" not in text and "unchanged" not in text] == cause


@pytest.mark.parametrize(
    ("omitted", "beginning"),
    [
        ({LIST: 1}, "1 list has no date by design"),
        ({BURST: 1}, "1 page has no date: a copy or a build wrote their files"),
        (
            {BURST: 2000, LIST: 3},
            "2,000 pages have no date: a copy or a build wrote their files. "
            "3 lists have no date by design",
        ),
        (
            {TimeFault.AMBIGUOUS: 2, LIST: 1},
            "3 pages have no date: 2: several files fit; 1 is a list",
        ),
    ],
)
def test_pages_and_lists_are_counted(omitted: Mapping[TimeFault, int], beginning: str) -> None:
    assert describe_undated(omitted, (), SITE, NoGit(), "").startswith(beginning)


def test_the_advice_fits_the_sources_of_the_site() -> None:
    def advice(site: Site, no_git: NoGit = UNKNOWN, plugin: str = "") -> str:
        return describe_undated({BURST: 1}, (), site, no_git, plugin).rpartition("; ")[2]

    assert advice(SITE).endswith("--ledger sitemapper.ledger records changes from now on")
    assert advice(SITE._replace(is_auto_dated=True)) == "in a git repository, commits date pages"
    assert advice(IN_GIT) == "name the sources of the pages with [[git.map]]"
    assert advice(IN_GIT, plugin="a = b") == "to date pages by their sources, set a = b"
    assert advice(IN_GIT, NoGit("shallow", "fetch all")) == "fetch all"
