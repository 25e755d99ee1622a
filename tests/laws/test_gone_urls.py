"""Every URL that was published and is not listed now has exactly one fate, however the site changed."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import BASE, NOW, build, paths, settings, write_site
from support.heads import NOINDEX, canonical, refresh
from support.laws import FEW
from support.ledger import WITH, page

import sitemapper

NAMES = ("a", "b", "c/d", "c/e", "f")
NAME = st.sampled_from(NAMES)
# What a file becomes: nothing, the content of a page, or something that leads elsewhere.
CONTENT = st.one_of(
    st.none(),
    NAME.map(lambda name: page("tea", f"All about {name}. " * 20)),
    st.just(NOINDEX),
    NAME.map(lambda name: refresh(f"0; url=/{name}.html")),
    NAME.map(lambda name: canonical(f"/{name}.html")),
)
BEFORE = {f"{name}.html": page("tea", f"All about {name}. " * 20) for name in NAMES}
AFTER = st.dictionaries(st.sampled_from((*NAMES, "g", "c/h")), CONTENT)
REDIRECT = st.tuples(NAME, NAME, st.sampled_from((301, 302, 200, 404, 410)))


@pytest.mark.slow
@FEW
@given(AFTER, st.lists(REDIRECT, max_size=4), st.booleans())
def test_every_gone_url_has_one_fate(
    after: dict[str, str | None], redirects: list[tuple[str, str, int]], changes_style: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "public"
        root.mkdir()
        given = {"lastmod": WITH, "host": "netlify", "max_drop": 100.0}
        write_site(root, {"stays.html": page("stays"), **BEFORE})
        build(root, url_style="directory", **given)
        before = set(paths(root))
        for name, content in after.items():
            (root / f"{name}.html").unlink(missing_ok=True)
            if content is not None:
                write_site(root, {f"{name}.html": content})
        lines = [f"/{old}.html /{new}.html {status}" for old, new, status in redirects]
        (root / "_redirects").write_text("\n".join(lines))
        style = "clean" if changes_style else "directory"
        setup = settings(root, url_style=style, **given)
        dry = sitemapper.build(setup, now=NOW, dry_run=True)
        summary = sitemapper.build(setup, now=NOW)
        assert dry.plan.gone == summary.plan.gone
        now = set(paths(root))
        # Each URL that went has one fate, and no other URL has any.
        urls = [gone.url.removeprefix(BASE) for gone in summary.plan.gone]
        assert len(urls) == len(set(urls))
        assert set(urls) == before - now
        for gone in summary.plan.gone:
            target = gone.target.removeprefix(BASE)
            if gone.fate == "moved":
                assert target in now - before
            if gone.fate == "form":
                assert target in now
        new_urls = [gone.target for gone in summary.plan.gone if gone.fate == "moved"]
        assert len(new_urls) == len(set(new_urls))
        # What is in place now is gone from nowhere.
        assert sitemapper.build(setup, now=NOW).plan.gone == ()
