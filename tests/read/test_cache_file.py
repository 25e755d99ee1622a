"""The cache's files: shared, unwritable, left behind, and swept."""

from __future__ import annotations

import marshal
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import POSIX, Run, Site, notes_of, write_site
from support.cached import NOW, PAGES, cached, records

from sitemapper.model import Page, PageFacts
from sitemapper.read.cache import PageCache, file_of, make_record, stat_of, unpack

NANO = int(NOW.timestamp() * 1e9)


def learnt(cache: PageCache, pages: list[Page]) -> None:
    if pages:
        said = {
            page.path: make_record(stat_of(page, NANO), b"hash", PageFacts(digest=page.path))
            for page in pages
        }
        cache.store(pages, marshal.dumps(said))


def known(cache: PageCache, pages: list[Page]) -> set[str]:
    return {page.path for page in pages} & unpack(cache.records_of(pages).blocks).keys()


def test_runs_that_share_a_cache_do_not_disturb_each_other(tmp_path: Path) -> None:
    file = file_of(str(tmp_path), "site")
    pages = [Page(f"{n:03}.html", 1, 1, n) for n in range(50)]
    with PageCache(file, b"x", NANO) as first, PageCache(file, b"x", NANO) as second:
        learnt(first, pages[:25])
        learnt(second, pages)
        learnt(first, pages[25:])
    with PageCache(file, b"x", NANO) as third:
        assert known(third, pages[:7]) | known(third, pages[7:]) == {page.path for page in pages}
        with PageCache(file, b"x", NANO) as fourth:
            learnt(fourth, [])
        assert known(third, []) == set()
    assert len(list(tmp_path.iterdir())) == 1


@given(
    st.lists(st.integers(0, 40), unique=True).map(sorted),
    st.lists(st.integers(0, 40), unique=True).map(sorted),
    st.integers(1, 9),
    st.integers(1, 9),
)
def test_records_join_their_pages_wherever_batches_end(
    tmp_path_factory: pytest.TempPathFactory,
    before: list[int],
    after: list[int],
    first: int,
    second: int,
) -> None:
    file = file_of(str(tmp_path_factory.getbasetemp() / "join"), "site")
    pages = {n: Page(f"{n:03}.html", 1, 1, n) for n in range(41)}
    with PageCache(file, b"x", NANO) as cache:
        for start in range(0, len(before), first):
            learnt(cache, [pages[n] for n in before[start : start + first]])
    found: set[str] = set()
    with PageCache(file, b"x", NANO) as cache:
        for start in range(0, len(after), second):
            found |= known(cache, [pages[n] for n in after[start : start + second]])
    assert sorted(found) == [pages[n].path for n in after if n in before]


@POSIX
def test_a_cache_that_cannot_be_written_is_a_note(site: Site, run: Run, tmp_path: Path) -> None:
    root = site(PAGES)
    (tmp_path / "cache").write_text("")
    assert run("build", root, "--base-url", "https://example.com") == 0
    assert "note: the cache cannot be written: " in run.err
    assert "help: to build without it, pass --no-cache" in run.err


def test_records_of_sites_that_are_gone_are_swept(site: Site) -> None:
    root = site(PAGES)
    cached(root)
    now = NOW.timestamp()
    files = {f"{0:024}.pages": now - 91 * 86_400, f"{1:024}.pages": now, "thesis.tex": 0}
    for name, time in files.items():
        shutil.copy(records(root)[0], root.parent / "cache" / name)
        os.utime(root.parent / "cache" / name, (time, time))
    write_site(root, {"new.html": "<p>"})
    cached(root)
    left = [name for name in files if (root.parent / "cache" / name).exists()]
    assert left == [f"{1:024}.pages", "thesis.tex"]


@POSIX
def test_what_killed_runs_left_is_swept_and_what_a_live_run_writes_is_not(site: Site) -> None:
    root = site(PAGES)
    cached(root)
    folder = root.parent / "cache"
    left, held = (folder / f".{n:024}.pages.{n}.new.tmp" for n in (1, 2))
    left.write_text("half")
    held.write_text("half")
    os.utime(left, (NOW.timestamp() - 3601, NOW.timestamp() - 3601))
    os.utime(held, (NOW.timestamp() - 3599, NOW.timestamp() - 3599))
    write_site(root, {"new.html": "<p>"})
    cached(root)
    assert (left.exists(), held.exists()) == (False, True)


def test_a_cache_on_a_full_disk_is_a_note(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(new: str, target: str, real: Any = os.replace) -> None:
        if target.endswith(".pages"):
            raise OSError(28, "No space left on device")
        real(new, target)

    root = site({"a.html": "<p>"})
    monkeypatch.setattr("os.replace", full_disk)
    summary = cached(root)
    assert (root / "sitemap.xml").exists()
    assert any(note.startswith("the cache cannot be written") for note in notes_of(summary))
    assert list((root.parent / "cache").iterdir()) == []


def test_no_home_no_cache(site: Site, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(*_: object, **__: object) -> str:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("platformdirs.user_cache_dir", homeless)
    assert run("build", site({"a.html": "<p>"}), "--base-url", "https://example.com") == 0


@POSIX
def test_a_pipe_in_place_of_the_records_holds_no_run(tmp_path: Path) -> None:
    file = file_of(str(tmp_path), "site")
    os.mkfifo(file)
    pages = [Page("a.html", 1, 1, 1)]
    with PageCache(file, b"x", NANO) as cache:
        assert known(cache, pages) == set()
        learnt(cache, pages)
    with PageCache(file, b"x", NANO) as cache:
        assert known(cache, pages) == {"a.html"}


@pytest.mark.parametrize(
    "block",
    [b"", b"nonsense", b"\xdb\x05\x00\x00\x00", marshal.dumps(5), marshal.dumps([]), marshal.dumps({"a.html": 5}),
     marshal.dumps({"a.html": ()}), marshal.dumps({"a.html": (None, b"", 5, *[None] * len(PageFacts._fields[1:]))})],
    ids=str,
)  # fmt: skip
def test_a_block_that_holds_no_records_is_ignored(block: bytes) -> None:
    assert unpack([block, marshal.dumps({})]) == {}
