"""A first sitemapper.toml: only what a build does not find anyway, and what it names works."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from support.rooms import Command, canonical, commit, git, page, write

from sitemapper import config
from sitemapper.commands.build import build
from sitemapper.commands.init import Start, init
from sitemapper.errors import SitemapperError
from sitemapper.model import Run

NOW = datetime(2099, 1, 1, tzinfo=UTC)  # after all commits
TEA = canonical("https://tea.example/")
LEDGER = {"ledger": {"path": "sitemapper.ledger"}}


def begun(
    root: Path,
    files: Mapping[str, str],
    site: str | None = None,
    base_url: str | None = None,
    **more: Any,
) -> tuple[Start, dict[str, Any]]:
    """What `init` finds and writes; the build that it names works."""
    cwd = os.path.realpath(root)
    write(root, files)
    start = init(site, base_url, Run(cwd, {}, jobs=1), NOW, **more)
    path = root / "sitemapper.toml"
    written = tomllib.loads(path.read_text()) if path.exists() else {}
    assert bool(start.lines) == bool(written)
    if start.summary.problem is None:
        summary = build(config.load({}, cwd, {}), Run(cwd, {}, is_dry=True, jobs=1), NOW)
        assert summary.site.base_url == start.summary.site.base_url
        assert summary.site.found.folder == start.summary.site.found.folder
    return start, written


# What is there, what is typed, and what is written.
STARTS: dict[str, tuple[dict[str, str], dict[str, str], dict[str, Any]]] = {
    "all is found": ({"public/index.html": TEA}, {}, LEDGER),
    "the site is named, and found anyway": ({"public/index.html": TEA}, {"site": "public"}, LEDGER),
    "the site is not found": ({"a/b/index.html": TEA}, {"site": "a/b"}, {"site": "a/b", **LEDGER}),
    "one of two": ({"public/index.html": TEA, "dist/index.html": TEA}, {"site": "dist"}, {"site": "dist", **LEDGER}),
    "here": ({"index.html": TEA}, {"site": "."}, LEDGER),
    "a name with quotes": ({'a"b\\c/index.html': TEA}, {"site": 'a"b\\c'}, {"site": 'a"b\\c', **LEDGER}),
    "a name in UTF-8": ({"é🍵/index.html": TEA}, {"site": "é🍵"}, {"site": "é🍵", **LEDGER}),
    "the base URL is named": ({"public/index.html": page()}, {"base_url": "https://Tea.example/b"}, {"base_url": "https://tea.example/b/", **LEDGER}),
    "the base URL is found anyway": ({"public/index.html": TEA}, {"base_url": "https://tea.example"}, LEDGER),
    "another than the pages name": ({"public/index.html": TEA}, {"base_url": "https://b.example"}, {"base_url": "https://b.example/", **LEDGER}),
    "both": ({"out/x/index.html": page()}, {"site": "out/x", "base_url": "https://b.example"}, {"base_url": "https://b.example/", "site": "out/x", **LEDGER}),
}  # fmt: skip


@pytest.mark.parametrize(("files", "typed", "lines"), STARTS.values(), ids=STARTS)
def test_only_what_is_not_found_is_written(
    tmp_path: Path, files: dict[str, str], typed: dict[str, str], lines: dict[str, Any]
) -> None:
    _, written = begun(tmp_path, files, **typed)
    assert written == lines


@pytest.mark.parametrize("typed", [{}, {"base_url": "https://tea.example"}])
def test_a_base_url_that_only_our_sitemap_names_is_written(
    tmp_path: Path, typed: dict[str, str]
) -> None:
    """The generator may empty its output before the next build."""
    write(tmp_path, {"public/index.html": page()})
    cwd = os.path.realpath(tmp_path)
    build(config.load({"base_url": "https://tea.example/"}, cwd, {}), Run(cwd, {}, jobs=1), NOW)
    _, written = begun(tmp_path, {}, **typed)
    assert written == {"base_url": "https://tea.example/", **LEDGER}


SOURCES = {
    "mkdocs.yml": "site_url: https://tea.example/",
    "docs/index.md": "# Tea",
    "docs/a.md": "# A",
    ".gitignore": "site/",
}
BUILT = {"site/index.html": "<h1>Tea</h1><p>", "site/a/index.html": "<h1>A</h1><p>"}


def test_a_ledger_only_where_git_dates_no_page(tmp_path: Path) -> None:
    write(tmp_path, SOURCES)
    commit(tmp_path)
    start, written = begun(tmp_path, BUILT)
    assert {entry.source for entry in start.summary.dated.entries} >= {"git"}
    assert (written, start.lines) == ({}, ()), "all is found, so there is no file"
    git(tmp_path, "rm", "-rqf", "docs")
    git(tmp_path, "commit", "-qm", "Gone")
    assert begun(tmp_path, {})[1] == LEDGER


def test_in_a_folder_of_the_repository(tmp_path: Path) -> None:
    """The file is written where the command is typed, and works from there."""
    write(tmp_path, {"website/mkdocs.yml": "site_url: https://tea.example/"})
    commit(tmp_path)
    _, written = begun(tmp_path / "website", {"out/index.html": TEA}, "out")
    assert written == {"site": "out", **LEDGER}
    assert not (tmp_path / "sitemapper.toml").exists()


def test_a_key_is_32_hex_digits_and_never_the_same(tmp_path: Path) -> None:
    keys = set()
    for _ in range(2):
        _, written = begun(tmp_path, {"public/index.html": TEA}, has_key=True)
        keys.add(written["submit"]["key"])
        (tmp_path / "sitemapper.toml").unlink()
    assert len(keys) == 2 and all(re.fullmatch("[0-9a-f]{32}", key) for key in keys)


def refused(root: Path, files: Mapping[str, str], **typed: Any) -> SitemapperError:
    before = sorted(os.listdir(write(root, files)))
    with pytest.raises(SitemapperError) as raised:
        begun(root, {}, **typed)
    assert sorted(os.listdir(root)) == before
    return raised.value


# What is there and typed, what is wrong, and what to do.
REFUSED: dict[str, tuple[dict[str, str], dict[str, Any], str, str]] = {
    "a file": ({"sitemapper.toml": "strict = true", "public/index.html": TEA}, {}, "sitemapper.toml: is there already", "edit it"),
    "a table": ({"pyproject.toml": "[tool.sitemapper]\nstrict = true", "public/index.html": TEA}, {}, "pyproject.toml: is there already", "edit it"),
    "a file that lacks what is wanted": ({"sitemapper.toml": "strict = true", "public/index.html": TEA}, {"has_key": True}, "sitemapper.toml: is there already", 'add to it, below [submit]: key = "'),
    "no site": ({}, {}, "no built site was found", "folder"),
    "no folder": ({}, {"site": "gone"}, "gone: there is no such folder", "build the site first"),
    "no base URL": ({"public/index.html": page()}, {}, "base URL", "pass --base-url"),
    "no URL": ({"public/index.html": page()}, {"base_url": "tea"}, "--base-url", ""),
    "a development server": ({"public/index.html": canonical("http://localhost:1313/")}, {}, "localhost:1313", "build the site again with its address"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "typed", "text", "help"), REFUSED.values(), ids=REFUSED)
def test_what_stops_init(
    tmp_path: Path, files: dict[str, str], typed: dict[str, Any], text: str, help: str
) -> None:
    error = refused(tmp_path, files, **typed)
    assert text in error.text and help in error.help


def test_a_folder_whose_name_is_not_utf8(tmp_path: Path) -> None:
    """TOML cannot contain it."""
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)
    Path(os.fsdecode(folder), "index.html").write_text(TEA)
    assert "SITE: " in refused(tmp_path, {}, site=os.fsdecode(b"caf\xe9")).text


def test_a_build_that_stops_all_the_same_is_said(tmp_path: Path) -> None:
    """Somebody's own sitemap is replaced only with --replace."""
    theirs = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://b.example/</loc></url></urlset>'
    files = {"public/index.html": TEA, "public/sitemap.xml": theirs}
    start, written = begun(tmp_path, files)
    assert start.summary.problem and "--replace" in start.summary.problem.help
    assert written == LEDGER


def test_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"public/index.html": page(), "hugo.toml": ""})
    monkeypatch.chdir(tmp_path)
    run = Command(capsys)
    assert run("init", "--base-url", "https://tea.example", "--indexnow") == 0
    assert run.out == (
        "generator: Hugo (hugo.toml)\n"
        "site: public (hugo.toml: Hugo)\n"
        "base URL: https://tea.example/ (--base-url)\n"
        "wrote sitemapper.toml; review what a build writes: sitemapper build --dry-run\n"
    )
    assert run("build", "--dry-run") == 0
    assert run("init") == 2
    assert run.err == (
        "error: sitemapper.toml: is there already, and is not replaced\n  help: edit it\n"
    )
