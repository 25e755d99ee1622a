"""`explain` and `build` never disagree."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import NOW, asking, settings, write_site
from support.heads import NOINDEX
from support.laws import FEW

import sitemapper
from sitemapper import Excluded, Observer

CONTENTS = st.sampled_from(
    [
        "",
        NOINDEX,
        '<html><head><link rel="canonical" href="/b.html"></head><body>',
        '<html><head><link rel="canonical" href="/a/"></head><body>',
        '<html><head><meta http-equiv=refresh content="0;url=/a.html"></head><body>',
    ]
)


TREES = st.dictionaries(
    st.lists(st.sampled_from(["a", "b", "index", "404", ".x"]), min_size=1, max_size=3).map("/".join).map("{}.html".format),
    CONTENTS,
    min_size=1,
    max_size=8,
)  # fmt: skip


@pytest.mark.slow
@FEW
@given(tree=TREES, style=st.sampled_from(["directory", "clean", "slash", "bare"]))
def test_explain_equals_build(tmp_path_factory: Any, tree: dict[str, str], style: str) -> None:
    root: Path = tmp_path_factory.mktemp("law")
    write_site(root, {**tree, "robots.txt": "User-agent: *\nDisallow: /b/a\n"})

    class RunObserver(Observer):
        def __init__(self) -> None:
            self.out: dict[str, Excluded] = {}

        def excluded(self, excluded: Excluded) -> None:
            self.out[excluded.path] = excluded

    ears = RunObserver()
    options = asking(settings(root, url_style=style, ignore=["b/b/"]), allow_empty=True)
    sitemapper.build(options, now=NOW, observer=ears)
    entries = set(
        re.findall(r"<loc>(.*?)</loc><lastmod>(.*?)<", (root / "sitemap.xml").read_text())
    )
    os_errors_as_publish_error = set()
    for path in tree:
        found = sitemapper.explain(options, path, now=NOW)
        if isinstance(found.verdict, Excluded):
            assert ears.out[found.verdict.path] == found.verdict
        else:
            assert path not in ears.out
            assert found.verdict.lastmod
            os_errors_as_publish_error.add((found.verdict.loc, found.verdict.lastmod.text))
    assert os_errors_as_publish_error == entries
