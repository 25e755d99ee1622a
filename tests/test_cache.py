"""The cache: an unchanged page is not read again, an unchanged site ends after the walk, and no run
gives another result than it would without."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cached import ACTS, LEDGER, NOW, PAGES, cached, ends_after_the_walk
from conftest import FEW, MTIME, POSIX, Run, Site, settings, write_site
from hypothesis import given
from hypothesis import strategies as st

import sitemapper
from sitemapper.model import Page
from sitemapper.pages.cache import PageCache, Place, _host, temporary


@pytest.mark.parametrize("values", [{}, LEDGER, {"lastmod": ["page"]}])
def test_only_what_changed_is_read(site: Site, reads: list[str], values: dict[str, Any]) -> None:
    root = site(PAGES)
    cached(root, **values)
    assert reads == ["a.html", "b/index.html", "c.html"]
    write_site(root, {"c.html": "<p>new"}, mtime=MTIME + 99)
    reads.clear()
    summary = cached(root, **values)
    assert reads == ["c.html"]
    assert (summary.listed, sum(summary.excluded.values())) == (2, 1)


def test_another_version_of_the_program_reads_all_again(
    site: Site, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site(PAGES)
    cached(root)
    reads.clear()
    for module in ("pipeline.fingerprint", "pipeline.known"):
        monkeypatch.setattr(f"sitemapper.{module}.code_stamp", lambda: b"other")
    cached(root)
    assert len(reads) == 3


@pytest.mark.parametrize("mtime", [NOW.timestamp() - 0.05, int(NOW.timestamp()) - 1], ids=["tick", "second"])
def test_a_page_that_was_just_written_is_read_again(
    site: Site, reads: list[str], monkeypatch: pytest.MonkeyPatch, mtime: float
) -> None:
    root = site(PAGES)
    os.utime(root / "a.html", (mtime, mtime))
    cached(root)
    reads.clear()
    assert not ends_after_the_walk(root, monkeypatch)
    assert reads == ["a.html"]


def records(root: Path) -> list[Path]:
    return sorted((root.parent / "cache").iterdir(), key=lambda path: path.suffix)


DAMAGES = st.lists(st.sampled_from(["flip", "cut", "foreign", "more", "hole", "zeros", "twice"]), max_size=3)


def damaged(old: bytes, how: str, data: st.DataObject) -> bytes:
    place = data.draw(st.integers(0, 9999)) % (len(old) + 1)  # how long a record is depends on chance
    match how:
        case "flip" if place < len(old):
            return old[:place] + bytes([old[place] ^ data.draw(st.integers(1, 255))]) + old[place + 1 :]
        case "cut":
            return old[:place]
        case "foreign":
            return data.draw(st.binary(max_size=60))
        case "more":
            return old + data.draw(st.binary(max_size=60))
        case "hole":
            return old[:place] + old[place + data.draw(st.integers(1, 99)) :]
        case "zeros":
            return old[:place] + bytes(len(old) - place)
        case "twice":
            return old[:place] + old
    return old


@FEW
@given(data=st.data())
def test_damaged_records_are_no_records(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    root = tmp_path_factory.mktemp("site") / "public"
    root.mkdir()
    write_site(root, PAGES)
    expected = cached(root, **LEDGER)
    edited = data.draw(st.booleans())
    if edited:  # then the pages' records are asked, too
        write_site(root, {"c.html": "<p>new"}, mtime=MTIME + 99)
    for path in records(root):
        for how in data.draw(DAMAGES):
            path.write_bytes(damaged(path.read_bytes(), how, data))
    other = Path(shutil.copytree(root.parent, tmp_path_factory.mktemp("other") / "copy")) / "public"
    found = cached(root, **LEDGER)
    assert (found.listed, found.excluded) == (expected.listed, expected.excluded)
    assert edited or {file.change.value for file in found.files} == {"kept"}
    sitemapper.build(settings(other, **LEDGER), now=NOW)
    for name in ("sitemap.xml", "robots.txt", "../sitemapper.ledger"):
        assert (root / name).read_bytes() == (other / name).read_bytes()


STEPS = st.lists(st.sampled_from(sorted(ACTS)), max_size=6)


@pytest.mark.slow
@FEW
@given(STEPS)
def test_a_run_with_a_cache_is_a_run_without(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    top = tmp_path_factory.mktemp("site")
    for name in ("with", "without"):
        (top / name / "public").mkdir(parents=True)
        write_site(top / name / "public", PAGES)
    for step in ["", *steps]:
        results = []
        for name in ("with", "without"):
            root = top / name / "public"
            try:
                if step:
                    ACTS[step](root)
            except FileNotFoundError:
                pass
            given_values = settings(root, **LEDGER, max_drop=100)
            cache = str(top / "cache") if name == "with" else None
            try:
                summary = sitemapper.build(given_values, now=NOW, cache=cache)
                results.append(repr(summary).replace(name, ""))
            except sitemapper.SitemapperError as error:
                results.append(str(error).replace(f"/{name}/", "/"))
            outputs = ("sitemap.xml", "robots.txt", "../sitemapper.ledger")
            results[-1] += repr([(root / o).read_bytes() for o in outputs if (root / o).exists()])
        assert results[0] == results[1], step


def test_runs_that_share_a_cache_do_not_disturb_each_other(tmp_path: Path) -> None:
    place = Place(str(tmp_path), "/site")
    pages = [Page(f"{n:03}.html", 1, 1, n) for n in range(50)]
    said = {page.path: sitemapper.model.Seen(digest=page.path) for page in pages}
    with PageCache(place, b"x", NANO) as first, PageCache(place, b"x", NANO) as second:
        first.learn(pages[:25], said)
        second.learn(pages, said)
        first.learn(pages[25:], said)
    with PageCache(place, b"x", NANO) as third:
        assert {**third.seen(pages[:7]), **third.seen(pages[7:])} == said
        with PageCache(place, b"x", NANO) as fourth:
            fourth.learn([], {})
        assert third.seen([]) == {}
    assert len(list(tmp_path.iterdir())) == 1


NANO = int(NOW.timestamp() * 1e9)


@given(
    st.lists(st.integers(0, 40), unique=True).map(sorted),
    st.lists(st.integers(0, 40), unique=True).map(sorted),
    st.integers(1, 9),
    st.integers(1, 9),
)
def test_records_join_their_pages_wherever_batches_end(
    tmp_path_factory: pytest.TempPathFactory, before: list[int], after: list[int], first: int, second: int
) -> None:
    place = Place(str(tmp_path_factory.getbasetemp() / "join"), "/site")
    pages = {n: Page(f"{n:03}.html", 1, 1, n) for n in range(41)}
    said = {page.path: sitemapper.model.Seen(digest=page.path) for page in pages.values()}
    with PageCache(place, b"x", NANO) as cache:
        for start in range(0, len(before), first):
            cache.learn([pages[n] for n in before[start : start + first]], said)
    found = {}
    with PageCache(place, b"x", NANO) as cache:
        for start in range(0, len(after), second):
            found |= cache.seen([pages[n] for n in after[start : start + second]])
    assert sorted(found) == [pages[n].path for n in after if n in before]


def test_the_command_line_has_one_and_can_do_without(site: Site, run: Run, tmp_path: Path) -> None:
    root = site(PAGES)
    command = ("build", root, "--base-url", "https://example.com")
    assert run(*command, "--no-cache") == 0
    assert not (tmp_path / "cache").exists()
    assert run(*command) == 0
    assert run(*command) == 0
    assert "  nothing to do, " in run.out
    assert "  2 pages listed\n  1 excluded (1 noindex)\n" in run.out
    assert (tmp_path / "cache/sitemapper").is_dir()
    assert run(*command, "--excluded", "-") == 0
    assert run.out.startswith("b/index.html\tnoindex\t")


@POSIX
def test_a_cache_that_cannot_be_written_is_a_note(site: Site, run: Run, tmp_path: Path) -> None:
    root = site(PAGES)
    (tmp_path / "cache").write_text("")
    assert run("build", root, "--base-url", "https://example.com") == 0
    assert "note: the cache cannot be written: " in run.err
    assert "--no-cache does without" in run.err


def test_records_of_sites_that_are_gone_are_swept(site: Site) -> None:
    root = site(PAGES)
    cached(root)
    old = root.parent / "cache" / f"{0:024}.pages"
    shutil.copy(records(root)[0], old)
    shutil.copy(old, old.with_name(f"{1:024}.pages"))
    os.utime(old, (NOW.timestamp() - 91 * 86_400, NOW.timestamp() - 91 * 86_400))
    os.utime(old.with_name(f"{1:024}.pages"), (NOW.timestamp(), NOW.timestamp()))
    mine = old.with_name("thesis.tex")
    shutil.copy(old, mine)
    os.utime(mine, (0, 0))
    write_site(root, {"new.html": "<p>"})
    cached(root)
    assert mine.exists()
    assert not old.exists()
    assert old.with_name(f"{1:024}.pages").exists()


@POSIX
def test_what_killed_runs_left_is_swept_and_what_a_live_run_writes_is_not(site: Site) -> None:
    root = site(PAGES)
    cached(root)
    folder = root.parent / "cache"
    (folder / f"sitemapper-{_host()}-999999999-left").write_text("half")  # no system has so many processes
    with temporary(str(folder)) as held:
        write_site(root, {"new.html": "<p>"})
        cached(root, now=datetime.now(UTC))  # too soon for a record of the run, which would sweep as well
        names = {path.name for path in folder.iterdir() if path.suffix not in (".run", ".pages")}
        assert names == {os.path.basename(held.name)}
