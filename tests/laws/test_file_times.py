"""The times of files that are saved or left out while builds run."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from support import MTIME, NOW, settings, write_site
from support.git import Repo
from support.ledger import dates

import sitemapper
from sitemapper.model import Batch
from sitemapper.read import walk
from sitemapper.run import process

DAY = 86_400


@pytest.mark.parametrize("is_in_git", [False, True])
@pytest.mark.parametrize("text", ["longer, " * 9, "new", ""])
def test_a_page_saved_while_a_build_runs_has_the_time_of_that_save(
    tmp_path: Path, text: str, is_in_git: bool
) -> None:
    root = write_site(tmp_path / "site", {f"{name}.html": f"<p>text {name}" for name in "abcd"})
    if is_in_git:
        Repo(tmp_path).commit(1, {})
    saved_at = MTIME + 20 * DAY
    evaluate = process.select_batch

    def save_first(batch: Batch, *others: Any) -> Any:
        write_site(root, {"b.html": f"<title>b</title><p>{text}"}, mtime=saved_at)
        return evaluate(batch, *others)

    setup = settings(root, lastmod=["ledger", "git", "mtime"], ledger={"path": "ledger"})
    with patch.object(process, "select_batch", save_first):
        sitemapper.build(setup, now=NOW)
    while_saved = dates(root)
    assert while_saved["b.html"] == f"{datetime.fromtimestamp(saved_at, UTC):%FT%T+00:00}"
    sitemapper.build(setup, now=NOW)
    assert dates(root) == while_saved


@pytest.mark.parametrize("batch", [1, 2, 1000])
def test_pages_that_one_build_did_not_walk_keep_their_dates(tmp_path: Path, batch: int) -> None:
    """The folder of some pages is ignored for one build. Deleted folders leave the ledger."""
    names = ["a/1", "a/b/index", "a/b/2", "a/b/c/3", "b", "d/4", "d/index", "z/5"]
    files = {f"{name}.html": f"<p>text of {name}" for name in names}
    root = write_site(tmp_path / "site", files)
    ledger = tmp_path / "ledger"

    def build(*ignore: str) -> str:
        values = {"ledger": {"path": "ledger"}, "ignore": ignore, "max_drop": 100}
        sitemapper.build(settings(root, lastmod=["ledger", "mtime"], **values), now=NOW)
        return ledger.read_text()

    with patch.object(walk, "BATCH", 4 * batch):
        before = build()
        for ignored in (["a/"], ["a/b/"], ["a/b/2.html"], ["d/"], ["z/"], ["d/index.html", "z/"]):
            without = build(*ignored)
            assert "unlisted" in without
            assert without.replace("\tunlisted", "") == before
            write_site(root, files, mtime=MTIME + 20 * DAY)  # another build of the same content
            assert build() == before
        shutil.rmtree(root / "a/b")
        after = build("a/b/", "z/")
    assert "a/b/" not in after
    assert "z/5.html" in after
