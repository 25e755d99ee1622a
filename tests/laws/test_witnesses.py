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

WITNESSES = ("setting", "CNAME", "canonicals", "og:url", "sitemap", "robots", "feed", "links")
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

    A witness without a base URL is missing. `fallen` is a page with a canonical on another site.
    """
    links = ""
    if "links" in bases:
        base_of_links = urlsplit(bases["links"]).path
        links = "".join(f'<a href="{base_of_links}{path}">x</a>' for path in paths)
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
            f"<!doctype html><html><head><title>x</title>{head}</head><body>{links}<p>{name}"
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
    if "robots" in bases:
        files["public/robots.txt"] = f"Sitemap: {bases['robots']}sitemap.xml\n"
    if "feed" in bases:
        items = "".join(f"<item><link>{bases['feed']}{path}</link></item>" for path in paths)
        files["public/index.xml"] = f'<rss version="2.0"><channel>{items}</channel></rss>'
    return files


def build_in(root: Path) -> tuple[int, str]:
    """The exit code of `sitemapper build --no-cache` in a folder, and what it says on stderr."""
    said = io.StringIO()
    with (
        contextlib.chdir(root),
        contextlib.redirect_stderr(said),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        return main(["build", "--no-cache"]), said.getvalue()


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


def contradicts(witness: str, named: str, base: str) -> bool:
    """Whether a witness that names one base URL speaks against another one."""
    named_parts, parts = urlsplit(named), urlsplit(base)
    if witness == "CNAME":
        return named_parts.netloc != parts.netloc
    if witness == "links":
        return named_parts.path != parts.path
    return named != base


@FEW
@given(
    base=BASES,
    false_base=FALSE_BASES,
    names=NAMES,
    present=st.sets(st.sampled_from(WITNESSES), min_size=2),
    data=st.data(),
)
def test_of_any_witnesses_a_false_one_publishes_nothing_that_the_others_contradict(
    tmp_path_factory: pytest.TempPathFactory,
    base: str,
    false_base: str,
    names: list[str],
    present: set[str],
    data: st.DataObject,
) -> None:
    present.add("setting")
    falsified = data.draw(st.sampled_from(sorted(present)))
    paths = ["", *(name.removesuffix("index.html") for name in names)]
    root = tmp_path_factory.mktemp("project")
    bases = dict.fromkeys(present, base)
    write_site(root, project_of({**bases, falsified: false_base}, paths))
    code, said = build_in(root)
    if code != 0:
        assert code == 2 and "error: " in said
        return
    [published, *_] = locs(root / "public")
    assert set(locs(root / "public")) == {published + path for path in paths}
    others = present - {falsified}
    assert not any(contradicts(witness, base, published) for witness in others), said


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
