"""`check` as a user meets it: what it prints, and its exit codes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support import BASE, MTIME, Run, Site, write_site

GIVEN = ("--base-url", BASE)


PAGES = {"index.html": "<p>", "a.html": "<p>", "b.html": "<p>"}


@pytest.fixture
def root(site: Site, run: Run) -> Path:
    """A site that is published, with one page that has gone, one that is new and one that changed since."""
    folder = site(PAGES)
    assert run("build", folder, *GIVEN) == 0
    return folder


def change(root: Path) -> None:
    (root / "b.html").unlink()
    write_site(root, {"new.html": "<p>"}, mtime=MTIME + 86_400)
    os.utime(root / "a.html", (MTIME + 9, MTIME + 9))


def test_check_after_build_is_clean_and_writes_nothing(root: Path, run: Run) -> None:
    before = {path: path.stat().st_mtime_ns for path in root.iterdir()}
    assert run("check", root, *GIVEN) == 0
    assert run.out.splitlines()[:-1] == [
        f"{BASE}sitemap.xml",
        "  3 pages listed",
        "  3 dated by mtime",
        "  kept     sitemap.xml  3 URLs",
        "  kept     robots.txt",
    ]
    assert run.out.splitlines()[-1].startswith("  is what a build would write, ")
    assert run("check", root, *GIVEN, "--quiet") == 0
    assert run.out == run.err == ""
    assert {path: path.stat().st_mtime_ns for path in root.iterdir()} == before


def test_check_shows_what_a_build_would_change(root: Path, run: Run) -> None:
    change(root)
    (root / "robots.txt").write_text("User-agent: *\n")
    assert run("check", root, *GIVEN) == 1
    lines = run.out.splitlines()
    assert lines[:-1] == [
        f"{BASE}sitemap.xml",
        "  3 pages listed, 1 added, 1 changed, 1 removed",
        "  1 URL gone: 1 lost",
        "  3 dated by mtime",
        f"+ {BASE}new.html  2026-01-03T03:04:05+00:00",
        f"- {BASE}b.html  2026-01-02T05:04:05+00:00",
        f"~ {BASE}a.html  2026-01-02T04:04:05+00:00 -> 2026-01-02T03:04:14+00:00",
        f"lost: {BASE}b.html",
        "  would be updated sitemap.xml  3 URLs",
        f"  would be updated robots.txt with the line “Sitemap: {BASE}sitemap.xml”",
    ]
    assert lines[-1].startswith("  differs from what a build would write now, ")
    assert run("build", root, *GIVEN, "--dry-run") == 0
    assert run.out.splitlines()[:-1] == lines[:-1]
    assert run.out.splitlines()[-1].startswith("  nothing was written (--dry-run), ")
    assert run("build", root, *GIVEN) == 0
    assert run("check", root, *GIVEN) == 0


def test_check_as_json_and_as_annotations(root: Path, run: Run, tmp_path: Path) -> None:
    change(root)
    assert run("check", root, *GIVEN, "--format", "json") == 1
    told = json.loads(run.out)
    assert (told["version"], told["same"], told["listed"], told["previous"]) == (1, False, 3, 3)
    assert told["changes"]["changed"] == [
        {
            "url": f"{BASE}a.html",
            "before": "2026-01-02T04:04:05+00:00",
            "after": "2026-01-02T03:04:14+00:00",
        }
    ]
    assert run("check", root, *GIVEN, "--format", "github") == 1
    assert run.out.startswith(
        "::error file=public/sitemap.xml,line=1,title=sitemap out of date::would be updated by sitemapper build "
        "(1 added, 1 changed, 1 removed)\n"
    )
    assert "published dates would become older: 1 of 2, the first is" in run.out
    assert run("check", root, *GIVEN, "--changes", tmp_path / "changes", "--excluded", "-") == 1
    rows = (tmp_path / "changes").read_text().splitlines()
    assert [row.partition("\t")[0] for row in rows] == ["changed", "added", "removed"]


def test_long_differences_are_shortened_unless_asked_for(root: Path, run: Run) -> None:
    write_site(root, {f"new/{n}.html": "<p>" for n in range(25)})
    assert run("check", root, *GIVEN) == 1
    assert run.out.count("\n+ ") == 21
    assert "+ and 5 more added\n" in run.out
    assert run("check", root, *GIVEN, "--verbose") == 1
    assert run.out.count("\n+ ") == 25


def test_check_wants_the_required_pages(site: Site, run: Run) -> None:
    noindex = '<meta name="robots" content="noindex">'
    root = site(PAGES | {"pricing/index.html": noindex, "team/index.html": "<p>"})
    assert run("build", *GIVEN) == 0
    wanted = ["/", "a.html", "/team", "/pricing/", "/gone/", f"{BASE}b.html", "https://["]
    config = f'site = "public"\n[check]\nrequired = {json.dumps(wanted)}\n'
    (root.parent / "sitemapper.toml").write_text(config)
    assert run("check", *GIVEN) == 1
    assert [line for line in run.out.splitlines() if line.startswith("required: ")] == [
        f"required: {BASE}team: is listed as {BASE}team/",
        f"required: {BASE}pricing/: noindex (pricing/index.html: {noindex})",
        f"required: {BASE}gone/: there is no such page",
        "required: https://[: there is no such page",
    ]
    assert "\n  lacks required pages, " in run.out
    assert run("check", *GIVEN, "--format", "github") == 1
    assert f"::error title=required page::{BASE}gone/: there is no such page\n" in run.out


def test_check_cannot_tell_where_a_build_could_not_run(root: Path, run: Run) -> None:
    for path in root.glob("*.html"):
        path.unlink()
    assert run("check", root, *GIVEN) == 2
    assert run.err.startswith(f"error: a build would stop here: {root}: no page to list")
    assert run("check", root, *GIVEN, "--format", "json", "--changes", "-") == 2
    assert (
        run.err
        == "error: --changes - and --format json would both write to stdout\n  help: pass a file for one of them\n"
    )


def test_nothing_that_check_prints_moves_the_terminal(root: Path, run: Run) -> None:
    path = root / "sitemap.xml"
    path.write_bytes(path.read_bytes().replace(b"2026-01-02T04", b"\x1b]0;x\x07\xff"))
    assert run("check", root, *GIVEN, "--changes", "-") == 1
    assert run.out.replace("\n", "").replace("\t", "").isprintable()


def test_the_ledgers_annotation_names_the_ledger(root: Path, run: Run) -> None:
    assert (
        run(
            "check", root, *GIVEN, "--lastmod", "ledger", "--lastmod", "mtime", "--format", "github"
        )
        == 1
    )
    assert "::error file=sitemapper.ledger,line=1," in run.out


def test_robots_txt_that_is_a_folder_is_named(root: Path, run: Run) -> None:
    (root / "robots.txt").unlink()
    (root / "robots.txt").mkdir()
    assert run("check", root, *GIVEN) == 2
    assert run.err.startswith("error: ") and "robots.txt: not a regular file" in run.err
