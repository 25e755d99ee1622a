"""Files of other tools in the output folder: named, replaced only with a flag, never removed."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from support import BASE, Run, Site, build, paths, write_site

from sitemapper import SitemapperError


def test_a_stale_sitemap_of_somebody_else_beside_ours_is_a_warning(site: Site) -> None:
    root = site({"a.html": "", "sitemap.xml.gz": gzip.compress(b"<urlset/>")})
    assert [(k.name, examples) for k, _, examples in build(root).warnings] == [
        ("FOREIGN", ("sitemap.xml.gz",))
    ]
    with pytest.raises(
        SitemapperError, match=r"sitemap\.xml\.gz: not replaced, because sitemapper did not write it"
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


def test_the_setting_that_turns_the_generators_own_sitemap_off_is_named(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = f"<urlset><url><loc>{BASE}old</loc></url></urlset>"
    write_site(
        tmp_path,
        {"hugo.toml": f'baseURL = "{BASE}"', "public/index.html": "<p>a", "public/sitemap.xml": theirs},
    )
    monkeypatch.chdir(tmp_path)
    for command in ("build", "check"):
        assert run(command, "--base-url", BASE) == 2
        assert run.err.splitlines()[-1] == (
            '  help: pass --replace to take it over, and put disableKinds = ["sitemap"] at the top of Hugo\'s '
            'configuration; or choose another name: [sitemap] name = "sitemap-pages.xml"'
        )


def test_replace_takes_over_the_sitemap_of_a_generator(site: Site, run: Run) -> None:
    theirs = f"<urlset><url><loc>{BASE}old</loc></url></urlset>"
    root = site({"a.html": "", "sitemap.xml": theirs, "sitemap.xml.gz": gzip.compress(theirs.encode())})
    command = ("build", root, "--base-url", BASE, "--replace", "--strict")
    told = "note: replaces what another tool wrote: sitemap.xml (1 <loc>), sitemap.xml.gz (1 <loc>)\n"
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
