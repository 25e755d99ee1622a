"""The cache: an unchanged page is not read again, and a changed one always is."""

from __future__ import annotations

import os
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from support import MTIME, POSIX, Run, Site, settings, write_site
from support.cached import LEDGER, NOW, PAGES, cached
from support.heads import NOINDEX, alternates
from support.ledger import pages

import sitemapper
from sitemapper.model import PageFacts, Reason
from sitemapper.read import page as reader
from sitemapper.read import server as reading
from sitemapper.read import walk as walking
from sitemapper.read.facts import ReadOptions


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The pages that are parsed."""
    parsed: list[bytes] = []
    extract = reader.extract_facts

    def record(path: str, data: bytes, options: ReadOptions) -> PageFacts:
        parsed.append(data)
        return extract(path, data, options)

    monkeypatch.setattr(reader, "extract_facts", record)
    return parsed


@pytest.mark.parametrize("values", [{}, LEDGER, {"lastmod": ["page"]}])
def test_only_what_changed_is_read(site: Site, reads: list[str], values: dict[str, Any]) -> None:
    root = site(PAGES)
    cached(root, **values)
    assert reads == ["a.html", "b/index.html", "c.html"]
    write_site(root, {"c.html": "new"}, mtime=MTIME + 99)
    reads.clear()
    summary = cached(root, **values)
    assert reads == ["c.html"]
    assert (summary.listed, sum(summary.excluded.values())) == (2, 1)


def test_no_unchanged_page_is_read_for_another_language(
    site: Site, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The versions of a page lie in another folder, so they are in another batch."""
    monkeypatch.setattr(walking, "BATCH", 8)
    languages, names = ("de", "en"), [f"{n}.html" for n in range(5)]
    links = {name: alternates(*((x, f"/{x}/{name}") for x in languages)) for name in names}
    root = site({f"{x}/{name}": links[name] for x in languages for name in names})
    assert cached(root, hreflang=True).warnings == ()
    assert sorted(reads) == sorted(f"{x}/{name}" for x in languages for name in names)
    reads.clear()
    assert cached(root, hreflang=True).warnings == ()
    assert reads == []
    write_site(root, {"en/3.html": "<title>no links</title>"}, mtime=MTIME + 99)
    warnings = cached(root, hreflang=True).warnings
    about = "https://example.com/en/3.html does not list https://example.com/de/3.html"
    assert [message.subjects for message in warnings] == [(about,)]
    assert reads == ["en/3.html"]


@pytest.mark.parametrize("values", [{}, LEDGER, {"lastmod": ["page"]}])
def test_an_empty_page_is_remembered_too(
    site: Site, parses: list[bytes], values: dict[str, Any]
) -> None:
    root = site(PAGES | {"empty.html": b""})
    for expected in (4, 0):
        assert cached(root, **values).excluded[Reason.NOT_A_PAGE] == 1
        assert len(parses) == expected
        parses.clear()


def test_another_version_of_the_program_reads_all_again(
    site: Site, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site(PAGES)
    cached(root)
    reads.clear()
    monkeypatch.setattr("sitemapper.read.cache.__version__", "other")
    cached(root)
    assert len(reads) == 3


@pytest.mark.parametrize(
    "mtime", [NOW.timestamp() - 0.05, int(NOW.timestamp()) - 1], ids=["tick", "second"]
)
def test_a_page_that_was_just_written_is_read_again(
    site: Site, reads: list[str], mtime: float
) -> None:
    root = site(PAGES)
    os.utime(root / "a.html", (mtime, mtime))
    cached(root)
    reads.clear()
    cached(root)
    assert reads == ["a.html"]


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


def test_what_depends_on_the_day_is_asked_each_time(site: Site) -> None:
    after = f'<html><head><meta name="robots" content="unavailable_after: {NOW + timedelta(days=1):%Y-%m-%d}"></head><body>'
    root = site({"a.html": after, "b.html": "<p>", "c.html": "<p>"})
    os.utime(root / "c.html", (NOW.timestamp() + 99, NOW.timestamp() + 99))
    assert [w.kind.name for w in cached(root).warnings] == ["IMPLAUSIBLE"]
    later = cached(root, now=NOW + timedelta(days=3))
    assert (later.listed, later.warnings) == (2, ())
    assert [w.kind.name for w in cached(root, max_drop=100).warnings] == ["IMPLAUSIBLE"]


@POSIX
def test_a_page_that_is_closed_to_us_now_is_tried_again_later(closed_to_us: Path) -> None:
    root = closed_to_us / "public"
    root.mkdir()
    write_site(root, pages("a", "b"))
    assert cached(root).listed == 2
    os.chmod(root / "a.html", 0)
    for _ in range(2):
        closed = cached(root)
        assert (closed.listed, [w.kind.name for w in closed.warnings]) == (1, ["UNREADABLE"])
    os.chmod(root / "a.html", 0o644)
    again = cached(root)
    assert (again.listed, again.warnings) == (2, ())


def test_a_page_that_is_written_again_with_size_and_times_as_they_were(site: Site) -> None:
    root = site(pages("a", "b"))
    cached(root, **LEDGER)
    for name, text in pages("a", "b", a="t3xt").items():
        os.unlink(root / name)
        (root / name).write_text(text)
        n = "ab".index(name[0])
        os.utime(root / name, (MTIME + 3600 * n, MTIME + 3600 * n))
    summary = cached(root, **LEDGER)
    assert [file.change.value for file in summary.files if file.name == "sitemapper.ledger"] == [
        "updated"
    ]


OUTSIDE = {
    "an extra URL's file": ({"a.html": "<p>", "dr/app.html": "<p>"}, {"urls": [{"loc": "https://example.com/dr/app.html"}]}, "dr/app.html", NOINDEX),
    "a canonical's file": ({"a.html": '<html><head><link rel="canonical" href="/dr/b.html"></head><body>', "b.html": "<p>", "dr/b.html": "<p>"}, {}, "dr/b.html", None),
    "a sitemap that robots.txt names": ({"a.html": "<p>", "dr/sitemap.xml": "x", "robots.txt": "Sitemap: https://example.com/dr/sitemap.xml\n"}, {}, "dr/sitemap.xml", None),
}  # fmt: skip


@pytest.mark.parametrize(("files", "values", "name", "text"), OUTSIDE.values(), ids=OUTSIDE)
def test_files_outside_the_walk_are_asked_each_time(
    site: Site, files: dict[str, str], values: dict[str, object], name: str, text: str | None
) -> None:
    root = site(files)
    values = {**values, "ignore": ["dr/"]}
    cached(root, **values)
    before = cached(root, **values)
    os.unlink(root / name)
    if text:
        (root / name).write_text(text)
    after = cached(root, **values)
    assert (after.listed, after.warnings) != (before.listed, before.warnings)
    assert after.warnings == sitemapper.build(settings(root, **values), now=NOW).warnings


def test_a_site_that_was_generated_again_is_read_and_not_parsed(
    site: Site, reads: list[str], parses: list[bytes]
) -> None:
    root = site(PAGES)
    cached(root, **LEDGER)
    write_site(root, PAGES | {"c.html": "new"}, mtime=MTIME + 99)
    reads.clear()
    parses.clear()
    cached(root, **LEDGER)
    assert reads == ["a.html", "b/index.html", "c.html"]
    assert parses == [b"<title></title><p>new"]


def test_a_cache_that_was_restored_elsewhere_spares_the_parsing(
    tmp_path: Path, parses: list[bytes]
) -> None:
    for machine in ("one", "two"):
        (tmp_path / machine / "project/public").mkdir(parents=True)
        write_site(tmp_path / machine / "project/public", PAGES)
        if machine == "two":
            shutil.copytree(tmp_path / "one/project/cache", tmp_path / "two/project/cache")
        parses.clear()
        cached(tmp_path / machine / "project/public", **LEDGER)
        assert len(parses) == (3 if machine == "one" else 0)


def test_the_cache_lies_where_a_flag_or_the_environment_says(
    site: Site, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("build", site(PAGES), "--base-url", "https://example.com")
    monkeypatch.setenv("SITEMAPPER_CACHE", str(tmp_path / "named"))
    assert run(*command) == 0
    assert run(*command, "--cache", "flagged") == 0
    assert {
        path.suffix for folder in ("named", "flagged") for path in (tmp_path / folder).iterdir()
    } == {".pages"}
    assert not (tmp_path / "cache").exists()


def test_a_page_of_another_device_is_read(
    site: Site, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where two images are mounted in turn, in which a file has the same times and number."""
    root = site(PAGES)
    real = walking._new_page
    opened = walking.page_of
    for device, expected in ((1, 3), (1, 0), (2, 3)):
        reads.clear()
        with monkeypatch.context() as patch:
            patch.setattr(walking, "_new_page", lambda facts, d=device: real((*facts[:5], d)))
            patch.setattr(reading, "_is_file_of_site", lambda *_: True)
            patch.setattr(
                reading, "page_of", lambda *file, d=device: opened(*file)._replace(device=d)
            )
            cached(root)
        assert len(reads) == expected
