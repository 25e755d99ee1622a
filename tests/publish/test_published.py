"""Which files of the output folder are ours: only those are replaced, and removed where they are stale."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from support import BASE, POSIX, Run, Site, build, changed


@pytest.mark.parametrize("name", ["sitemap-2.xml", "sitemap-2.xml.gz"])
@pytest.mark.parametrize("call", ["os.lstat", "os.path.isfile"])
def test_check_survives_a_build_that_removes_a_sitemap(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch, name: str, call: str
) -> None:
    """`check` locks nothing; a file may go right after it was seen."""
    root = site({f"{n}.html": "" for n in range(4)})
    flags = [root, "--base-url", BASE, "--max-urls", "2", "--gzip", "also"]
    assert run("build", *flags) == 0
    see = attrgetter(call.removeprefix("os."))(os)

    def seen(path: Any, **more: Any) -> object:
        answer = see(path, **more)
        if str(path).endswith(f"/{name}"):
            (root / name).unlink(missing_ok=True)
        return answer

    monkeypatch.setattr(call, seen)
    assert run("check", *flags) in (0, 1), run.err
    assert run.err == ""


def test_a_new_base_url_does_not_make_our_text_foreign(site: Site) -> None:
    root = site({"a.html": ""})
    build(root, sitemap={"text": True}, base_url="http://example.com")
    assert changed(build(root, sitemap={"text": True}))["sitemap.txt"] == "updated"


@POSIX
def test_a_link_to_our_sitemap_stays(site: Site) -> None:
    root = site({"a.html": ""})
    build(root)
    (root / "sitemap-1.xml").symlink_to("sitemap.xml")
    build(root)
    assert (root / "sitemap-1.xml").is_symlink()


def test_sections_that_are_configured_no_more_are_removed(site: Site) -> None:
    root = site({"a.html": "", "old/b.html": ""})
    build(root, sitemaps=[{"name": "old", "match": ["old/"]}])
    assert changed(build(root))["sitemap-old.xml"] == "removed"


@POSIX
def test_a_site_reached_through_a_link_ignores_its_outputs_too(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": ""})
    link = tmp_path / "link"
    link.symlink_to(root)
    for _ in range(2):
        summary = build(link, output=str(root), include=["*.html", "*.xml", "*.txt"])
    assert set(changed(summary).values()) == {"kept"}


def test_fewer_pages_remove_our_stale_shards_and_nothing_else(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(5)})
    (root / "sitemap-9.xml").write_text("<urlset>somebody else's</urlset>")
    build(root, sitemap={"max_urls": 2, "gzip": "also", "text": True})
    shards = {f"sitemap-{n}.{ending}" for n in (1, 2, 3) for ending in ("xml", "txt")}
    packed = {f"{name}.gz" for name in (*shards, "sitemap.xml")}
    became = changed(build(root))
    assert {name for name, change in became.items() if change == "removed"} == shards | packed
    assert (became["sitemap.xml"], became["robots.txt"]) == ("updated", "kept")
    left = {path.name for path in root.iterdir() if "sitemap" in path.name}
    assert left == {"sitemap.xml", "sitemap-9.xml"}


@pytest.mark.parametrize("gzip", ["no", "also", "only"])
@pytest.mark.parametrize("max_urls", [1, 5], ids=["index", "one file"])
def test_text_sitemaps_of_others_stay(site: Site, max_urls: int, gzip: str) -> None:
    """The mark names our own files: what else lies beside them was written by somebody else."""
    stems = ("sitemap", "sitemap-1", "sitemap-2", "sitemap-3", "sitemap-7", "sitemap-extra")
    names = {f"{stem}.txt{gz}" for stem in stems for gz in ("", ".gz")}
    root = site({"a.html": "", "b.html": ""})
    options = {"gzip": gzip, "max_urls": max_urls}
    build(root, sitemap={**options, "text": True})
    theirs = {name for name in names if not (root / name).exists()}
    for name in theirs:
        (root / name).write_text("theirs")
    (root / "b.html").rename(root / "c.html")
    build(root, sitemap={**options, "text": True})
    build(root, sitemap=options)
    assert {name for name in names if (root / name).exists()} == theirs
    assert all((root / name).read_text() == "theirs" for name in theirs)


@pytest.mark.parametrize(
    ("name", "pack"), [("sitemap.xml", bytes), ("sitemap.xml.gz", gzip.compress)]
)
def test_a_published_file_is_compared_to_its_last_byte(
    site: Site, name: str, pack: Callable[[bytes], bytes]
) -> None:
    root = site({"a.html": ""})
    build(root, sitemap={"gzip": "also"})
    whole = (root / "sitemap.xml").read_bytes()
    for data in (whole, whole + b"\n", whole[:-1], whole[:-1] + b" "):
        (root / name).write_bytes(pack(data))
        became = changed(build(root, sitemap={"gzip": "also"}))[name]
        assert became == ("kept" if data == whole else "updated")


def test_a_build_and_a_dry_run_agree_on_text_without_a_mark(site: Site, run: Run) -> None:
    root = site({"a.html": ""})
    (root.parent / "sitemapper.toml").write_text(f'base_url = "{BASE}"\n[sitemap]\ntext = true\n')
    assert run("build", root) == 0
    (root / "sitemap.xml").unlink()
    assert run("check", root) == 1
    assert run("build", root, "--dry-run") == 0
    assert "warning" not in run.err  # text that equals ours needs no mark
    (root / "b.html").write_text("<p>")
    assert run("build", root, "--dry-run") == 0
    assert "so a build neither replaces nor removes it: sitemap.txt" in run.err
    for command in ("check", "build"):
        assert run(command, root) == 2
        assert "sitemap.txt: was not written by sitemapper, so it is not replaced" in run.err
