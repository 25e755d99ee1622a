"""A robots meta with noindex leaves a page out, whatever its encoding claims."""

from __future__ import annotations

import pytest
from support import Site, build, paths
from support.heads import NOINDEX, head
from support.heard import heard
from support.verdicts import Case, assert_verdicts, each

from sitemapper import Reason

CASES = [
    Case("noindex", {"a.html": NOINDEX, "b.html": ""}, ["b.html"], {"a.html": Reason.NOINDEX}),
    Case("not respected", {"a.html": NOINDEX}, ["a.html"], values={"respect": {"noindex": False}}),
    Case("none means noindex, nofollow", {"a.html": head('<meta name="robots" content="none">')}, [], {"a.html": Reason.NOINDEX}),
    Case("other directives", {"a.html": head('<meta name="robots" content="index, nofollow, noarchive">')}, ["a.html"]),
    Case("for Googlebot alone", {"a.html": head('<meta name="GoogleBot" content="noindex">')}, [], {"a.html": Reason.NOINDEX}),
    Case("for another crawler", {"a.html": head('<meta name="bingbot" content="noindex">')}, ["a.html"]),
    Case("in the body", {"a.html": '<title>a</title><p>text<meta name="robots" content="noindex">'}, [], {"a.html": Reason.NOINDEX}),
    Case("in a comment", {"a.html": head('<!-- <meta name="robots" content="noindex"> -->')}, ["a.html"]),
    Case("a file that is no HTML is not read", {"a.pdf": NOINDEX}, ["a.pdf"], values={"include": ["*.pdf"]}),
]  # fmt: skip


@each(CASES)
def test_verdicts(site: Site, case: Case) -> None:
    assert_verdicts(site, case)


def test_the_origin_is_the_first_meta_that_forbids_indexing(site: Site) -> None:
    metas = '<meta name=robots content="index"><meta name=Googlebot content="NoIndex, follow">'
    root = site({"a.html": head(metas), "b.html": ""})
    assert heard(root).excluded == {
        "a.html": (Reason.NOINDEX, 'a.html: <meta name="Googlebot" content="NoIndex, follow">')
    }


@pytest.mark.parametrize("charset", ["utf-32", "cp037", "utf-7", "unicode_escape", "base64"])
def test_no_charset_hides_a_noindex(site: Site, charset: str) -> None:
    meta = f'<meta charset="{charset}"><meta name="robots" content="noindex" data-x="é">'
    ascii_only = head(meta).replace("é", "") + "<meta>"
    root = site({"a.html": head(meta), "b.html": head(f"<!-- {meta} -->"), "c.html": ascii_only})
    build(root)
    assert paths(root) == ["b.html"]
