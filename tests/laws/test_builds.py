"""What holds for every build of every site."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import NOW, asking, locs, settings, write_site
from support.laws import FEW

import sitemapper
from sitemapper import Change, Excluded, Observer

TREES = st.dictionaries(
    st.lists(st.sampled_from(["a", "b", "index", "é", "x y", "a-b", "404"]), min_size=1, max_size=3)
    .map("/".join).map("{}.html".format),
    st.integers(1_000_000_000, 1_700_000_000),
    min_size=1,
    max_size=15,
)  # fmt: skip


@pytest.mark.slow
@FEW
@given(
    tree=TREES,
    style=st.sampled_from(["directory", "clean", "slash", "bare", "file"]),
    limit=st.integers(1, 4),
    batch=st.integers(1, 5),
)
def test_laws_of_a_build(
    tmp_path_factory: Any, tree: dict[str, int], style: str, limit: int, batch: int
) -> None:
    root: Path = tmp_path_factory.mktemp("law")
    for path, mtime in tree.items():
        write_site(root, {path: ""}, mtime)

    class Count(Observer):
        out = 0

        def excluded(self, excluded: Excluded) -> None:
            self.out += not excluded.path.endswith("/")

    count = Count()
    options = asking(
        settings(root, url_style=style, sitemap={"max_urls": limit}, ignore=["b/"]),
        allow_empty=True,
    )
    summary = sitemapper.build(options, now=NOW, observer=count)
    walked = [path for path in tree if not re.match(r"(.*/)?b/", path)]
    assert summary.listed + count.out == len(walked)
    assert sum(summary.excluded.values()) == count.out
    shards = [f.name for f in summary.files if f.urls is not None]
    found = [loc for name in shards for loc in locs(root, name)]
    assert len(found) == len(set(found)) == summary.listed
    assert all(len(locs(root, name)) == limit for name in shards[:-1])
    before = {
        name: (root / name).read_bytes() for name in os.listdir(root) if name.startswith("sitemap")
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sitemapper.read.walk.BATCH", batch)
        again = sitemapper.build(options, now=NOW)
    assert {f.change for f in again.files} == {Change.KEPT}
    assert before == {name: (root / name).read_bytes() for name in before}
