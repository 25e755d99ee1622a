"""Files of other tools in the output folder: named, replaced only with a flag, never removed."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from support import BASE, Run, Site, build, paths, write_site
from support.git import Repo

from sitemapper import SitemapperError


def test_a_stale_sitemap_of_somebody_else_beside_ours_is_a_warning(site: Site) -> None:
    root = site({"a.html": "", "sitemap.xml.gz": gzip.compress(b"<urlset/>")})
    assert [(k.name, examples) for k, _, examples in build(root).warnings] == [
        ("FOREIGN", ("sitemap.xml.gz",))
    ]
    with pytest.raises(
        SitemapperError,
        match=r"sitemap\.xml\.gz: not replaced, because sitemapper did not write it",
    ):
        build(root, sitemap={"gzip": "also"})


def test_a_foreign_sitemap_is_never_replaced(site: Site) -> None:
    root = site({"a.html": "", "sitemap.xml": "<urlset/>"})
    with pytest.raises(
        SitemapperError, match=r"sitemap.xml: not replaced, because sitemapper did not write it"
    ):
        build(root)
    assert (root / "sitemap.xml").read_text() == "<urlset/>"
    build(root, sitemap={"name": "sitemap-pages.xml"})
    assert paths(root, "sitemap-pages.xml") == ["a.html"]


HUGO = {"hugo.toml": f'baseURL = "{BASE}"', ".gitignore": "public\n", "content/a.md": "A"}
PAGES = {"public/index.html": "<p>a", "public/de/index.html": "<p>b"}


def sitemap(*names: str, root: str = "urlset") -> str:
    tag = "url" if root == "urlset" else "sitemap"
    return (
        f"<{root}>{''.join(f'<{tag}><loc>{BASE}{name}</loc></{tag}>' for name in names)}</{root}>"
    )


def test_a_sitemap_that_each_build_writes_anew_is_replaced_with_its_parts(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What its index names goes too, if it is a sitemap; feeds and files that are tracked stay."""
    repo = Repo(tmp_path)
    repo.commit(1, {**HUGO, "static/kept.xml": sitemap("kept")})
    write_site(
        tmp_path,
        {
            **PAGES,
            "public/sitemap.xml": sitemap(
                "de/sitemap.xml", "feed.xml", "kept.xml", "gone.xml", root="sitemapindex"
            ),
            "public/de/sitemap.xml": sitemap("de/", "old/"),
            "public/feed.xml": "<rss/>",
            "public/kept.xml": sitemap("kept"),
            "public/robots.txt": f"Sitemap: {BASE}de/sitemap.xml\n",
        },
    )
    (tmp_path / "public/sitemap.xml.gz").write_bytes(gzip.compress(sitemap("old").encode()))
    monkeypatch.chdir(tmp_path)
    assert run("build", "--base-url", BASE, "--strict", "--max-drop", "0") == 0
    assert (
        "note: replaces the sitemap of Hugo: sitemap.xml, de/sitemap.xml, sitemap.xml.gz (3 URLs, 1 of them listed)\n"
        in run.err
    )
    assert paths(tmp_path / "public") == ["", "de/"]
    left = {path.name for path in (tmp_path / "public").rglob("*.xml*")}
    assert left == {"sitemap.xml", "feed.xml", "kept.xml"}
    assert (tmp_path / "public/robots.txt").read_text() == f"Sitemap: {BASE}sitemap.xml\n"
    assert run("check", "--base-url", BASE) == 0


@pytest.mark.parametrize("tracked", ["public/sitemap.xml", "static/sitemap.xml"])
def test_a_sitemap_that_git_tracks_is_somebodys_own(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, tracked: str
) -> None:
    Repo(tmp_path).commit(1, {**HUGO, ".gitignore": "", tracked: sitemap("old")})
    write_site(tmp_path, {**PAGES, "public/sitemap.xml": sitemap("old")})
    monkeypatch.chdir(tmp_path)
    for command in ("build", "check"):
        assert run(command, "--base-url", BASE) == 2
        assert run.err.splitlines()[-1] == (
            '  help: pass --replace and put disableKinds = ["sitemap"] at the top of Hugo\'s '
            'configuration, or choose another name: [sitemap] name = "sitemap-pages.xml"'
        )
    assert (tmp_path / "public/sitemap.xml").read_text() == sitemap("old")


@pytest.mark.parametrize(
    ("template", "text", "is_replaced"),
    [
        ("src/sitemap.xml.njk", "", True),
        ("app/sitemap.ts", "", True),
        ("sitemap.xml", "---\nlayout: null\n---\n", True),
        ("docs/sitemap.md", "", False),
        ("static/sitemap.xml", "<urlset/>", False),
        ("sitemap-notes.txt", "", False),
    ],
)
def test_a_tracked_template_counts_as_a_writer(
    tmp_path: Path,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    template: str,
    text: str,
    is_replaced: bool,
) -> None:
    Repo(tmp_path).commit(1, {".eleventy.js": "", ".gitignore": "_site\n", template: text})
    write_site(tmp_path, {"_site/index.html": "<p>", "_site/sitemap.xml": sitemap("")})
    monkeypatch.chdir(tmp_path)
    assert run("build", "--base-url", BASE) == (0 if is_replaced else 2)


def test_without_a_repository_the_plugin_decides(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_site(tmp_path, {"_site/index.html": "<p>", "_site/sitemap.xml": sitemap("")})
    for plugins, code in (("", 2), ("plugins: [jekyll-sitemap]\n", 0)):
        write_site(tmp_path, {"_config.yml": f"url: {BASE}\n{plugins}"})
        assert run("build", "--base-url", BASE) == code


def test_replace_takes_over_the_sitemap_of_a_generator(site: Site, run: Run) -> None:
    image = (
        f"<image:image><image:loc>{BASE}a.png</image:loc></image:image>"  # which is no listed URL
    )
    theirs = f"<urlset><url><loc>{BASE}old</loc>{image}</url></urlset>"
    root = site(
        {"a.html": "", "sitemap.xml": theirs, "sitemap.xml.gz": gzip.compress(theirs.encode())}
    )
    command = ("build", root, "--base-url", BASE, "--replace", "--strict")
    told = "note: replaces the sitemap of another tool: sitemap.xml, sitemap.xml.gz (1 URL, 0 of them listed)\n"
    assert run(*command, "--dry-run") == 0
    assert (root / "sitemap.xml").read_text() == theirs
    assert told in run.err
    assert run(*command) == 0
    assert told in run.err
    assert "  removed  sitemap.xml.gz\n" in run.out
    assert paths(root) == ["a.html"]
    assert not (root / "sitemap.xml.gz").exists()
    assert run(*command) == 0
    assert "replaces" not in run.err and "nothing to do" in run.out


def test_replace_takes_over_nothing_but_sitemaps(site: Site, run: Run) -> None:
    root = site({"a.html": "", "sitemap-extra.xml": "<urlset/>", "sitemap-2.xml": "<urlset/>"})
    (root / "sitemap.xml").mkdir()
    assert run("build", root, "--base-url", BASE, "--replace") == 2
    assert "not a regular file" in run.err
    (root / "sitemap.xml").rmdir()
    assert run("build", root, "--base-url", BASE, "--replace") == 0
    assert {"sitemap-extra.xml", "sitemap-2.xml"} <= set(os.listdir(root))
