"""The note on pages without a date: how many, why, and what to do."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from support import BASE

from sitemapper.cli.words import message_text
from sitemapper.config.settings import Sitemap
from sitemapper.lastmod.repository import GitError
from sitemapper.lastmod.undated import describe_undated
from sitemapper.model import NoDate
from sitemapper.site import Output, Site

SITE = Site("", BASE, Output("", BASE, "sitemap.xml", Sitemap()))
IN_GIT = SITE._replace(date_sources=("git", "mtime"))


@pytest.mark.parametrize(
    ("omitted", "note"),
    [
        ({NoDate.EXCEEDED: 1}, "1 page has no date: the page shows more than its source"),
        ({NoDate.UNKNOWN: 2000}, "2,000 pages have no date: no source is known"),
        (
            {NoDate.SHALLOW: 1, NoDate.AMBIGUOUS: 1241, NoDate.LIST: 25},
            "1,242 pages have no date: 1,241: two sources fit; "
            "1: this is a shallow clone, without the commit that changed the page; "
            "25 lists of other pages have none by design",
        ),
    ],
)
def test_each_cause_has_one_sentence(omitted: Mapping[NoDate, int], note: str) -> None:
    assert message_text(describe_undated(omitted, "", SITE, None, "")).partition("\n")[0] == note


def test_one_of_the_pages_is_named() -> None:
    note = message_text(describe_undated({NoDate.WRITTEN: 2}, "a.html", SITE, None, ""))
    assert note.startswith("2 pages have no date (such as a.html): ")


def test_lists_alone_need_no_help() -> None:
    assert "help" not in message_text(describe_undated({NoDate.LIST: 2}, "", SITE, None, ""))


@pytest.mark.parametrize(
    ("cause", "site", "step"),
    [
        (NoDate.WRITTEN, IN_GIT, "--lastmod git takes the dates of commits as they are"),
        (NoDate.WRITTEN, SITE, "--lastmod mtime takes the times as they are"),
        (NoDate.UNKNOWN, IN_GIT, "--lastmod mtime takes the times as they are"),
        (NoDate.SHALLOW, IN_GIT, "fetch the history: git fetch --unshallow"),
    ],
)
def test_the_first_step_fits_the_cause(cause: NoDate, site: Site, step: str) -> None:
    note = message_text(describe_undated({cause: 2}, "", site, None, ""))
    assert note.split("\n")[1].strip().startswith(f"help: {step}")


def test_the_last_step_fits_the_sources_of_the_site() -> None:
    def last_step(site: Site, no_git: GitError | None = None, plugin: str = "") -> str:
        return message_text(
            describe_undated({NoDate.UNKNOWN: 1}, "", site, no_git, plugin)
        ).rpartition("from now on; ")[2]

    assert last_step(SITE._replace(is_auto_dated=True)) == "in a git repository, commits date pages"
    assert last_step(IN_GIT) == "name the sources of the pages with [[git.map]]"
    assert last_step(IN_GIT, plugin="a = b") == "to date pages by their sources, set a = b"
    assert last_step(IN_GIT, GitError("no git", "install it")) == "no git; install it"
