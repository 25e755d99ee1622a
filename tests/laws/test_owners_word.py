"""A redirect away from the listed URL of a page takes the page away, at each of its URLs."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import locs, write_site
from support.heard import heard
from support.laws import FEW

from sitemapper.model import Reason

PAGE = "<!doctype html><title>x</title><p>x"
AWAY = "https://example.org/gone"
NAMES = st.lists(
    st.sampled_from(["a.html", "a/index.html", "b/c.html", "b/index.html", "v1.0/index.html", "d.html", "e/f/index.html"]),
    min_size=1, max_size=5, unique=True,
)  # fmt: skip
HOSTS = ("netlify", "cloudflare", "vercel", "vercel clean")


def rules_of(host: str, redirect: str) -> dict[str, str]:
    """The files of a host with at most one redirect, from the path `redirect`."""
    name, _, clean = host.partition(" ")
    if name == "netlify":
        line = f"{redirect} {AWAY} 301!" if redirect else ""
        return {"netlify.toml": "[build]\npublish = '.'\n", "_redirects": line}
    if name == "cloudflare":
        line = f"{redirect} {AWAY} 301" if redirect else ""
        return {"wrangler.toml": "pages_build_output_dir = '.'\n", "_redirects": line}
    rule = {"source": redirect, "destination": AWAY}
    config: dict[str, object] = {"cleanUrls": bool(clean), "redirects": [rule] if redirect else []}
    return {"vercel.json": json.dumps(config)}


@pytest.mark.parametrize("host", HOSTS)
@FEW
@given(names=NAMES)
def test_no_other_url_of_a_redirected_page_is_listed(
    tmp_path_factory: pytest.TempPathFactory, host: str, names: list[str]
) -> None:
    root = tmp_path_factory.mktemp("site") / "public"
    pages = {"index.html": PAGE, **dict.fromkeys(names, PAGE)}
    write_site(root, {**pages, **rules_of(host, "")})
    before = heard(root)
    listed = locs(root)
    redirect = listed[-1].removeprefix("https://example.com")
    if redirect == "/":
        return
    write_site(root, rules_of(host, redirect))
    after = heard(root)
    gone = after.excluded.keys() - before.excluded.keys()
    assert {after.excluded[name][0] for name in gone} == {Reason.REDIRECT}
    assert len(locs(root)) == len(listed) - len(gone)
    assert listed[-1] not in locs(root)
