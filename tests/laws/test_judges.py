"""The three that judge pages agree: `build`, `explain`, and `verify` on what a host answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import BASE, NOW, locs, settings, write_site
from support.heads import NOINDEX, canonical, refresh
from support.heard import heard
from support.laws import FEW

import sitemapper
from sitemapper import Excluded, Reason
from sitemapper.commands.asking import Request, Scope
from sitemapper.commands.built_pages import BuiltPages
from sitemapper.commands.live_pages import NotFoundPage, read_live_page
from sitemapper.linter.rules.live import LivePage
from sitemapper.net.client import Answer
from sitemapper.read.content import make_rule

PAGE = "<!doctype html><html><head><title>a</title></head><body>text</body></html>"
CONTENTS = st.sampled_from(
    [
        PAGE, NOINDEX, canonical("/b.html"), canonical("/a/"), canonical("https://other.example/"), canonical("#"),
        refresh("0;url=/a.html"), refresh("9"), NOINDEX.replace("robots", "googlebot"),
    ]
)  # fmt: skip
TREES = st.dictionaries(
    st.lists(st.sampled_from(["a", "b", "index", "404"]), min_size=1, max_size=3).map("/".join).map("{}.html".format),
    CONTENTS,
    min_size=1,
    max_size=8,
)  # fmt: skip


def seen_live(url: str, content: str) -> LivePage:
    answer = Answer(200, (("content-type", "text/html"),), content.encode())
    scope = Scope(f"{BASE}sitemap.xml", BASE, BASE)
    entry, nothing = Request(url, scope.sitemap, 1), NotFoundPage(BASE, b"")
    return read_live_page(
        entry, answer, scope, nothing, int(NOW.timestamp()), BuiltPages([], None, "", make_rule(()))
    )


def reason_of(page: LivePage) -> Reason | None:
    """Why a page that the host shows would not be listed."""
    if page.answer.target:
        return Reason.REDIRECT
    if page.noindex:
        return Reason.NOINDEX
    return Reason.CANONICAL if page.canonical not in ("", page.url) else None


@pytest.mark.slow
@FEW
@given(tree=TREES)
def test_build_explain_and_verify_agree(
    tmp_path_factory: pytest.TempPathFactory, tree: dict[str, str]
) -> None:
    root: Path = write_site(tmp_path_factory.mktemp("law") / "public", {"z.html": PAGE, **tree})
    options = settings(root, url_style="directory")
    excluded = heard(root, url_style="directory").excluded
    listed, left_out = set(), {}
    for path in ("z.html", *tree):
        verdict = sitemapper.explain(options, path, now=NOW).decision
        if isinstance(verdict, Excluded):
            assert excluded[path] == (verdict.reason, str(verdict.origin))
            left_out[BASE + path.removesuffix("index.html")] = (verdict.reason, tree[path])
        else:
            assert path not in excluded
            listed.add(verdict.loc)
            assert reason_of(seen_live(verdict.loc, tree.get(path, PAGE))) is None
    assert listed == set(locs(root))
    for url, (reason, content) in left_out.items():
        if reason in (Reason.REDIRECT, Reason.NOINDEX, Reason.CANONICAL):
            assert reason_of(seen_live(url, content)) is reason
