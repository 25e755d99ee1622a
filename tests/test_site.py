"""The values that hold for a run: names of our files, and paths as users type them."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

from support import BASE, asking, settings


def test_the_names_of_our_files_follow_the_main_one(tmp_path: Path) -> None:
    output = settings(tmp_path / "public", sitemap={"name": "map.xml"}).site.output
    assert (output.stem, output.live_name, output.sitemap_url) == (
        "map",
        "map-ledger.txt",
        f"{BASE}map.xml",
    )
    assert output.path("map-1.xml") == str(tmp_path / "public" / "map-1.xml")
    assert output._replace(name="other.xml").stem == "other"


def test_a_path_is_shown_as_typed_in_the_working_directory(tmp_path: Path) -> None:
    run = asking(settings(tmp_path / "public"), cwd=str(tmp_path)).run
    assert run.display(str(tmp_path / "public" / "a.html")) == os.path.join("public", "a.html")
    assert run.display(str(tmp_path.parent / "x")) == str(tmp_path.parent / "x")


def test_what_holds_can_be_sent_to_workers(tmp_path: Path) -> None:
    site = settings(tmp_path, rules=[{"match": ["a/"], "priority": 0.5}]).site
    assert pickle.loads(pickle.dumps(site)) == site
