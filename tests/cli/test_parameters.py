"""How options are typed, explained in the help, and named in errors."""

from __future__ import annotations

import json
import re

import pytest
from support import BASE, Run, Site

from sitemapper.cli.app import COMMANDS
from sitemapper.cli.options import MAIN


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--max-drop", "150"], "error: --max-drop: must be less than or equal to 100, not 150\n"),
        (
            ["--lastmod", "ledger,mtimes"],
            "error: --lastmod: must be one of auto, page, published, front_matter, git, ledger, mtime, not 'mt",
        ),
        (["--ledger", ""], "error: --ledger: must not be empty\n"),
        (
            ["--no-respect", "robots,host"],
            "error: --no-respect: must be one of noindex, canonical, refresh, robots",
        ),
    ],
)
def test_an_error_names_the_flag_as_it_was_typed(
    site: Site, run: Run, argv: list[str], message: str
) -> None:
    assert run("build", site({"a.html": ""}), "--base-url", BASE, *argv) == 2
    assert run.err.startswith(message)


def test_lists_of_words_may_have_commas(site: Site, run: Run) -> None:
    root = site(
        {
            "a.html": '<meta http-equiv="refresh" content="0; url=/c.html">',
            "b.html": '<meta name="robots" content="noindex">',
            "c.html": '<meta name="last-modified" content="2024-05-01">',
        }
    )
    lists = ("--no-respect", "noindex,refresh", "--lastmod", "page,mtime")
    assert run("build", root, "--base-url", BASE, *lists, "--format", "json") == 0
    summary = json.loads(run.out)
    assert summary["listed"] == 3
    assert summary["dated"] == {"page": 1, "mtime": 2}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_begins_with_what_most_people_use(command: str, run: Run) -> None:
    assert run(command, "--help") == 0
    assert f"\n\n  {COMMANDS[command]}\n\n" in run.out
    main, rest = run.out.partition(f"\n{MAIN}:\n")[2].split("\n\n", 1)
    flags = re.findall(r"^  (?:-\w, )?(--[\w-]+)", main, re.M)
    assert len(flags) <= 11 and flags[-1] == "--help"
    assert re.search(rf"^Examples:\n  sitemapper {command}\b", rest, re.M)
