"""Of the places that name a base URL, one is wrong: no build publishes what the pages contradict.

A sitemap of another host that lies there is replaced, as a person says with --replace.
"""

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

PLACES = ("setting", "CNAME", "canonicals", "og:url", "sitemap")
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
    """A project of Hugo with its built site, where each place names its base URL.

    A place without a base URL is missing. `fallen` is a page with a canonical on another site.
    """
    files = _files_of(bases, paths)
    for path in paths:
        name = f"{path}index.html" if path.endswith("/") or not path else path
        head = '<!-- <link rel="canonical" href="https://old.dev/"> -->'
        if name == fallen:
            head += f'<link rel="canonical" href="https://paper.dev/{path}">'
        elif "canonicals" in bases:
            head += f'<link rel="canonical" href="{bases["canonicals"]}{path}">'
        if "og:url" in bases:
            head += f'<meta property="og:url" content="{bases["og:url"]}{path}">'
        files[f"public/{name}"] = (
            f"<!doctype html><html><head><title>x</title>{head}</head><body><p>{name}"
        )
    return files


def _files_of(bases: dict[str, str], paths: list[str]) -> dict[str, str]:
    """The files of such a project beside its pages."""
    files = {"hugo.toml": "# baseURL = 'https://old.dev/'\n"}
    if "setting" in bases:
        files["hugo.toml"] += f"baseURL = '{bases['setting']}'\n"
    if "CNAME" in bases:
        files["public/CNAME"] = urlsplit(bases["CNAME"]).netloc
    if "sitemap" in bases:
        entries = "".join(f"<url><loc>{bases['sitemap']}{path}</loc></url>" for path in paths)
        root = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        files["public/sitemap.xml"] = f"{root}{entries}</urlset>"
    return files


def build_in(root: Path) -> tuple[int, str]:
    """The exit code of `sitemapper build` in a folder, and what it says on stderr."""
    said = io.StringIO()
    with (
        contextlib.chdir(root),
        contextlib.redirect_stderr(said),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        return main(["build", "--replace"]), said.getvalue()


@FEW
@given(
    base=BASES,
    false_base=FALSE_BASES,
    names=NAMES,
    present=st.sets(st.sampled_from(PLACES), min_size=1),
    data=st.data(),
)
def test_the_first_place_counts_and_the_pages_are_the_first(
    tmp_path_factory: pytest.TempPathFactory,
    base: str,
    false_base: str,
    names: list[str],
    present: set[str],
    data: st.DataObject,
) -> None:
    falsified = data.draw(st.sampled_from(sorted(present)))
    bases = dict.fromkeys(present, base) | {falsified: false_base}
    paths = ["", *(name.removesuffix("index.html") for name in names)]
    root = tmp_path_factory.mktemp("project")
    write_site(root, project_of(bases, paths))
    code, said = build_in(root)
    assert code == 0, said
    # The pages win over what is found elsewhere, with a warning.
    order = ("canonicals", "setting", "CNAME", "og:url", "sitemap")
    place, *others = (place for place in order if place in present)
    named = bases[place]
    if place == "CNAME":
        named = f"https://{urlsplit(named).netloc}/"  # it names a host
    assert set(locs(root / "public")) == {named + path for path in paths}
    stated = next((bases[other] for other in others if other in ("setting", "CNAME")), named)
    if place == "canonicals" and urlsplit(stated).netloc != urlsplit(named).netloc:
        assert f"the canonicals name {named} ({len(paths)} of {len(paths)}), so the base" in said


@pytest.mark.slow
@FEW
@given(base=BASES, names=NAMES, data=st.data())
def test_comments_and_single_cross_posts_stop_nothing(
    tmp_path_factory: pytest.TempPathFactory, base: str, names: list[str], data: st.DataObject
) -> None:
    """A page whose canonical names another site is left out, and the others are published."""
    fallen = data.draw(st.sampled_from(["", *names]))
    paths = ["", *(name.removesuffix("index.html") for name in names)]
    root = tmp_path_factory.mktemp("project")
    write_site(root, project_of(dict.fromkeys(PLACES, base), paths, fallen))
    code, said = build_in(root)
    assert code == 0, said
    gone = {base + fallen.removesuffix("index.html")} if fallen else set()
    assert set(locs(root / "public")) == {base + path for path in paths} - gone
