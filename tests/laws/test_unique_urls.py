"""No sitemap holds a URL twice, whatever the files, the host and the settings are."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import BASE, build, locs, write_site

import sitemapper

NAMES = (
    "index.html", "index.htm", "b", "b.html", "b.htm", "b/index.html", "b/index.htm", "b/index.xhtml",
    "c.html", "c/index.html", "c/b.html", "c/b/index.html", "c/index/index.html",
)  # fmt: skip
FORMS = ("", "b", "b/", "b.html", "b/index.html", "index.html", "c", "c/", "c/b", "c/b/")
STYLES = ("auto", "directory", "clean", "slash", "bare", "file")
HOSTS = ("none", "netlify", "cloudflare", "vercel", "firebase")
SITES = st.dictionaries(st.sampled_from(NAMES), st.none() | st.sampled_from(FORMS), min_size=2)


def page(name: str, canonical: str | None) -> str:
    link = "" if canonical is None else f'<link rel="canonical" href="{BASE}{canonical}">'
    return f"<title>{name}</title>{link}<p>{name}"


def make_link(root: Path, name: str) -> None:
    """Makes a link to an ignored page, or to its folder."""
    target = root / "hidden"
    if name.endswith(".html"):
        target /= "a.html"
    link = root / name
    if os.name == "posix" and link.parent.is_dir() and not link.exists():
        link.symlink_to(target)


LINKS = st.sets(st.sampled_from(("a.html", "b", "c", "c/d.html", "z.html")))


@pytest.mark.slow
@pytest.mark.hypothesis
@given(
    SITES,
    st.sampled_from(STYLES),
    st.sampled_from(HOSTS),
    st.none() | st.sampled_from(FORMS),
    LINKS,
    st.sampled_from(["hidden/a.html", "z.html", "b/a.html"]),
)
def test_no_url_is_listed_twice(
    names: dict[str, str | None],
    style: str,
    host: str,
    extra: str | None,
    links: set[str],
    canonical: str,
) -> None:
    folders = {name.rpartition("/")[0] for name in names}
    files = {name: page(name, form) for name, form in names.items() if name not in folders}
    urls = [] if extra is None else [{"loc": BASE + extra}]
    with tempfile.TemporaryDirectory() as folder:
        write_site(Path(folder), {**files, "hidden/a.html": page("a", canonical)})
        for link in links - set(files):
            make_link(Path(folder), link)
        try:
            build(
                Path(folder),
                url_style=style,
                host=host,
                include=["b"],
                ignore=["hidden/"],
                urls=urls,
            )
        except sitemapper.SitemapperError as error:
            assert "no page to list" in str(error) or "nothing" in str(error)
            return
        listed = Counter(locs(Path(folder)))
    assert [url for url, count in listed.items() if count > 1] == []
