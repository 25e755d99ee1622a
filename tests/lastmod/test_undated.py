"""The note on pages without a date: how many, why, and what to do."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from support import BASE

from sitemapper.cli.words import message_text
from sitemapper.config.settings import Sitemap
from sitemapper.lastmod.repository import GitError
from sitemapper.lastmod.undated import note_undated
from sitemapper.messages import Message
from sitemapper.model import NoDate
from sitemapper.site import Output, Site

SITE = Site("", BASE, Output("", BASE, "sitemap.xml", Sitemap()))
IN_GIT = SITE._replace(date_sources=("git", "mtime"))


def _first(
    omitted: Mapping[NoDate, int], site: Site = SITE, no_git: GitError | None = None
) -> Message:
    """The first note on pages without a date, such as a.html."""
    return next(note_undated(omitted, "a.html", site, no_git))


@pytest.mark.parametrize(
    ("omitted", "said"),
    [
        ({NoDate.EXCEEDED: 1}, "1 page has no date (such as a.html): the page shows more than its source"),
        ({NoDate.UNKNOWN: 2000}, "2,000 pages have no date (such as a.html): no source is known"),
        (
            {NoDate.SHALLOW: 1, NoDate.AMBIGUOUS: 1241, NoDate.LIST: 25},
            "1,242 pages have no date (such as a.html): 1,241: two sources fit; "
            "1: this is a shallow clone, without the commit that changed the page",
        ),
        ({NoDate.LIST: 25}, "25 home or list pages have no date, as is usual"),
    ],
)  # fmt: skip
def test_each_cause_has_one_sentence(omitted: Mapping[NoDate, int], said: str) -> None:
    assert message_text(_first(omitted)).partition("\n")[0] == said


def test_lists_alone_need_no_help() -> None:
    assert "help" not in message_text(_first({NoDate.LIST: 2}))


LEDGER = "--ledger sitemapper.ledger records changes from now on"
COMMITS = "--lastmod git takes the dates of all commits, also of those over nearly all pages"
FETCH = "fetch the history: git fetch --unshallow (in GitHub Actions, fetch-depth: 0 for actions/checkout)"
MAP = "name the sources of the pages with [[git.map]]"
PLUGIN = "to date pages by their sources, set a = b"


@pytest.mark.parametrize(
    ("cause", "site", "no_git", "steps"),
    [
        (NoDate.WRITTEN, IN_GIT, None, [LEDGER, COMMITS]),
        (NoDate.WRITTEN, SITE, None, [LEDGER]),
        (NoDate.UNKNOWN, IN_GIT, None, [LEDGER, MAP]),
        (NoDate.UNKNOWN, IN_GIT._replace(plugin="a = b"), None, [LEDGER, PLUGIN]),
        (NoDate.UNKNOWN, IN_GIT, GitError("no", "go"), [LEDGER, "no; go"]),
        (NoDate.SHALLOW, IN_GIT, None, [FETCH, LEDGER]),
        (
            NoDate.WRITTEN,
            SITE._replace(is_auto_dated=True),
            None,
            [LEDGER, "in a git repository, commits date pages"],
        ),
        (
            NoDate.WRITTEN,
            SITE._replace(date_sources=("ledger", "mtime")),
            None,
            ["the ledger dates each page when it changes"],
        ),
    ],
)
def test_the_steps_come_in_the_order_in_which_to_try_them(
    cause: NoDate, site: Site, no_git: GitError | None, steps: list[str]
) -> None:
    assert _first({cause: 2}, site, no_git).help == "; ".join(steps)
