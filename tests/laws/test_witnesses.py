"""With one witness of the base URL falsified, no build publishes a URL that the others contradict."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import locs, write_site
from support.laws import FEW

from sitemapper.__main__ import main

WITNESSES = ("setting", "CNAME", "canonicals", "og:url", "sitemap", "links")
BASES = st.sampled_from(["https://tea.dev/", "https://tea.dev/pot/"])
FALSE_BASES = st.sampled_from(
    ["https://cup.dev/", "https://cup.dev/pot/", "https://tea.dev/cup/", "https://cup.dev/tea/"]
)
NAMES = st.lists(
    st.sampled_from(["a.html", "b/index.html", "c/d.html", "e/index.html", "f.html", "g/h.html"]),
    min_size=3,
    unique=True,
)


def project_of(bases: dict[str, str], paths: list[str], fallen: str = "") -> dict[str, str]:
    """A project of Hugo with its built site, where each witness names its base URL.

    `fallen` is a page with a canonical on another site.
    """
    base_of_links = urlsplit(bases["links"]).path
    links = "".join(f'<a href="{base_of_links}{path}">x</a>' for path in paths)
    entries = "".join(f"<url><loc>{bases['sitemap']}{path}</loc></url>" for path in paths)
    files = {
        "hugo.toml": f"# baseURL = 'https://old.dev/'\nbaseURL = '{bases['setting']}'\n",
        "public/CNAME": urlsplit(bases["CNAME"]).netloc,
        "public/sitemap.xml": (
            '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' + entries + "</urlset>"
        ),
    }
    for path in paths:
        name = f"{path}index.html" if path.endswith("/") or not path else path
        canonical = f"{bases['canonicals']}{path}"
        if name == fallen:
            canonical = f"https://paper.dev/{path}"
        files[f"public/{name}"] = (
            "<!doctype html><html><head><title>x</title>"
            '<!-- <link rel="canonical" href="https://old.dev/"> -->'
            f'<link rel="canonical" href="{canonical}">'
            f'<meta property="og:url" content="{bases["og:url"]}{path}"></head>'
            f"<body>{links}<p>{name}"
        )
    return files


def build_in(root: Path) -> tuple[int, str]:
    """The exit code of `sitemapper build` in a folder, and what it says on stderr."""
    said = io.StringIO()
    with (
        contextlib.chdir(root),
        contextlib.redirect_stderr(said),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        return main(["build"]), said.getvalue()


@pytest.mark.parametrize("falsified", WITNESSES)
@FEW
@given(base=BASES, false_base=FALSE_BASES, names=NAMES)
def test_one_false_witness_publishes_no_wrong_url(
    tmp_path_factory: pytest.TempPathFactory,
    falsified: str,
    base: str,
    false_base: str,
    names: list[str],
) -> None:
    paths = ["", *(name.removesuffix("index.html") for name in names)]
    bases = dict.fromkeys(WITNESSES, base)
    root = tmp_path_factory.mktemp("project")
    write_site(root, project_of({**bases, falsified: false_base}, paths))
    code, said = build_in(root)
    if code == 0:
        assert set(locs(root / "public")) == {base + path for path in paths}, said
        return
    assert code == 2, said
    error = said.partition("\n  help: ")[0]
    assert "error: " in error
    own_host, false_host = urlsplit(base).netloc, urlsplit(false_base).netloc
    assert own_host in error and false_host in error, said
    assert (root / "public" / "sitemap.xml").read_text().count("<loc>") == len(paths)


@FEW
@given(base=BASES, names=NAMES, data=st.data())
def test_comments_and_single_cross_posts_stop_nothing(
    tmp_path_factory: pytest.TempPathFactory, base: str, names: list[str], data: st.DataObject
) -> None:
    """A page whose canonical names another site is left out, and the others are published."""
    fallen = data.draw(st.sampled_from(["", *names]))
    paths = ["", *(name.removesuffix("index.html") for name in names)]
    root = tmp_path_factory.mktemp("project")
    write_site(root, project_of(dict.fromkeys(WITNESSES, base), paths, fallen))
    code, said = build_in(root)
    assert code == 0, said
    gone = {base + fallen.removesuffix("index.html")} if fallen else set()
    assert set(locs(root / "public")) == {base + path for path in paths} - gone
