"""A meta refresh to another page leaves a page out. One of the page itself does not."""

from __future__ import annotations

import pytest
from support import BASE, Site, build, locs
from support.heads import head, refresh
from support.verdicts import Case, assert_verdicts, each

from sitemapper import Reason

OF_ITSELF = {
    "a.html": refresh("30"),
    "b.html": refresh("30; url=b.html"),
    "c.html": refresh("9; url=/c?x"),
    "d/index.html": refresh("9;url=./"),
}
CASES = [
    Case("to another page", {"a.html": refresh("0; url=/b.html"), "b.html": ""}, ["b.html"], {"a.html": Reason.REDIRECT}),
    Case("to another site", {"a.html": refresh("5; url=https://other.com/")}, [], {"a.html": Reason.REDIRECT}),
    Case("of itself", OF_ITSELF, ["a.html", "b.html", "c.html", "d/"]),
    Case("of news, after five minutes", {"a.html": refresh("300; url=/b.html"), "b.html": ""}, ["a.html", "b.html"]),
    Case("not respected", {"a.html": refresh("0;url=/b")}, ["a.html"], values={"respect": {"refresh": False}}),
]  # fmt: skip


@each(CASES)
def test_verdicts(site: Site, case: Case) -> None:
    assert_verdicts(site, case)


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("https://example.com", BASE),
        (".", BASE),
        ("https://example.com/docs", f"{BASE}docs/"),
        ("/docs", f"{BASE}docs/"),
    ],
)
def test_a_home_page_that_refreshes_or_names_itself_stays(site: Site, url: str, base: str) -> None:
    tags = f'<meta http-equiv=refresh content="300;url={url}"><link rel=canonical href="{url}">'
    root = site({"index.html": head(tags)})
    build(root, base_url=base)
    assert locs(root) == [base]
