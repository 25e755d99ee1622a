"""What holds for every build of every site, and that `explain` never disagrees with it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import NOW, asking, locs, settings, write_site
from support.heads import NOINDEX, canonical, refresh
from support.laws import FEW

import sitemapper
from sitemapper import Change, Excluded, Observer

CONTENTS = st.sampled_from(
    ["", NOINDEX, canonical("/b.html"), canonical("/a/"), refresh("0;url=/a.html")]
)
# Pages with the times of their files.
TREES = st.dictionaries(
    st.lists(st.sampled_from(["a", "b", "index", "é", "x y", "a-b", "404", ".x"]), min_size=1, max_size=3)
    .map("/".join).map("{}.html".format),
    st.tuples(CONTENTS, st.integers(1_000_000_000, 1_700_000_000)),
    min_size=1,
    max_size=15,
)  # fmt: skip
ROBOTS = "User-agent: *\nDisallow: /a-b\n"
ENTRY = re.compile(r"<loc>(.*?)</loc>(?:<lastmod>(.*?)</lastmod>)?")


class Left(Observer):
    """What a build leaves out."""

    def __init__(self) -> None:
        self.out: dict[str, Excluded] = {}

    def excluded(self, excluded: Excluded) -> None:
        self.out[excluded.path] = excluded


@pytest.mark.slow
@FEW
@given(
    tree=TREES,
    style=st.sampled_from(["directory", "clean", "slash", "bare", "file"]),
    limit=st.integers(1, 4),
    batch=st.integers(1, 5),
)
def test_laws_of_a_build(
    tmp_path_factory: pytest.TempPathFactory,
    tree: dict[str, tuple[str, int]],
    style: str,
    limit: int,
    batch: int,
) -> None:
    root: Path = write_site(tmp_path_factory.mktemp("law"), {"robots.txt": ROBOTS})
    for path, (content, mtime) in tree.items():
        write_site(root, {path: content}, mtime)
    left = Left()
    options = settings(root, url_style=style, sitemap={"max_urls": limit}, ignore=["b/"])
    options = asking(options, allow_empty=True)
    summary = sitemapper.build(options, now=NOW, observer=left)
    # Listed and excluded pages are those that were walked.
    pages = [path for path in left.out if not path.endswith("/")]
    walked = [path for path in tree if not re.match(r"(.*/)?(b|\.x)/", path)]
    assert summary.listed + len(pages) == len(walked)
    assert sum(summary.excluded.values()) == len(pages)
    # No URL is there twice, and all shards but the last are full.
    shards = [f.name for f in summary.files if f.urls is not None]
    found = [loc for name in shards for loc in locs(root, name)]
    assert len(found) == len(set(found)) == summary.listed
    assert all(len(locs(root, name)) == limit for name in shards[:-1])
    # `explain` says of each page what the build did.
    explained = {}
    for path in tree:
        verdict = sitemapper.explain(options, path, now=NOW).verdict
        if isinstance(verdict, Excluded):
            assert left.out[verdict.path] == verdict
        else:
            assert path not in left.out
            explained[verdict.loc] = verdict.lastmod.text if verdict.lastmod else ""
    entries = [pair for name in shards for pair in ENTRY.findall((root / name).read_text())]
    assert explained == dict(entries)
    # A second build keeps every file, whatever its batches.
    names = [name for name in os.listdir(root) if name.startswith("sitemap")]
    before = {name: (root / name).read_bytes() for name in names}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sitemapper.read.walk.BATCH", batch)
        again = sitemapper.build(options, now=NOW)
    assert {f.change for f in again.files} == {Change.KEPT}
    assert before == {name: (root / name).read_bytes() for name in before}
