"""What a report shows of single pages: the same values as `explain`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from support import BASE, NOW, Run, Site
from support.heads import NOINDEX, canonical

import sitemapper
from sitemapper import Observer
from sitemapper.model import BatchDetails
from sitemapper.run.details import KINDS


class Details(Observer):
    """Keeps the details of a build."""

    wants_details = True

    def __init__(self) -> None:
        self.rows: list[tuple[str, ...]] = []
        self.folders: dict[tuple[str, str], int] = {}

    def details(self, details: BatchDetails) -> None:
        self.rows += details.listed
        self.folders |= {(folder, KINDS[kind]): n for (folder, kind), n in details.folders.items()}


def values(row: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    yield from zip(row[1::3], row[2::3], row[3::3], strict=True)


def test_every_listed_page_has_the_values_that_explain_says(
    site: Site, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "sitemapper.toml").write_text(
        f'base_url = "{BASE}"\nsite = "public"\nlastmod = ["page"]\nignore = ["x/", "x.html"]\n'
        '[[rules]]\nmatch = ["blog/"]\nchangefreq = "weekly"\nlastmod = 2026-03-01\n'
        f'[[urls]]\nloc = "{BASE}app%2B/"\npriority = 1\n[[urls]]\nloc = "{BASE}old/"\nlastmod = 2025-01-01\n'
    )
    dated = '<meta property="article:modified_time" content="2026-05-03">'
    site(
        {
            "index.html": dated,
            "blog/a.html": dated,
            "b.html": canonical("/b"),
            "n.html": NOINDEX,
            "x.html": "x",
            "x/a.html": "a",
        }
    )
    observer = Details()
    sitemapper.build(
        sitemapper.load(config="sitemapper.toml", cwd=str(tmp_path)),
        now=NOW,
        dry_run=True,
        observer=observer,
    )
    paths = [row[0] for row in observer.rows]
    assert paths == ["index.html", "b.html", "blog/a.html", f"{BASE}app%2B/", f"{BASE}old/"]
    for row in observer.rows:
        assert run("explain", row[0], "--format", "json") == 0
        explained = json.loads(run.out)["values"]
        del explained["published"]
        assert {
            key: {"value": value, "origin": origin} for key, value, origin in values(row)
        } == explained
    assert observer.folders == {
        ("", "within 30 days"): 1,
        ("", "no date"): 1,
        ("", "noindex"): 1,
        ("", "ignored"): 1,  # the folder x/ is not entered, and counts as no page
        ("blog/", "within a year"): 1,
        ("URLs that are not files/", "no date"): 1,
        ("URLs that are not files/", "within 2 years"): 1,
    }
