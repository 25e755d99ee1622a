"""Published dates do not go without a word: the guard counts them apart from URLs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import BASE, MTIME, Run, Site, lastmods, write_site
from support.git import Repo

from sitemapper.model import NoDate

NAMES = [f"{n:02}.html" for n in range(12)]


@pytest.fixture
def published(site: Site, run: Run) -> Path:
    """A site of twelve pages with the dates of their files."""
    root = site({name: f"<p>{name}" for name in NAMES})
    assert run("build", root, "--base-url", BASE) == 0
    assert None not in lastmods(root)
    return root


def copy(root: Path, count: int) -> None:
    """Gives the first files the time of a copy."""
    for name in NAMES[:count]:
        os.utime(root / name, (MTIME + 86_400, MTIME + 86_400))


def test_a_run_that_takes_most_dates_away_stops_and_says_why(published: Path, run: Run) -> None:
    before = (published / "sitemap.xml").read_bytes()
    copy(published, 7)
    for command in ("build", "check"):
        assert run(command, published, "--base-url", BASE) == 2
        assert (
            f"7 of 12 published dates would be lost, such as that of {BASE}00.html, so nothing was "
            f"published: {NoDate.WRITTEN.value}\n  help: --ledger sitemapper.ledger records"
        ) in run.err
        assert run.err.endswith("; if the loss is intended, run once with --max-drop 100\n")
    assert (published / "sitemap.xml").read_bytes() == before
    assert run("build", published, "--base-url", BASE, "--max-drop", "100") == 0
    assert lastmods(published).count(None) == 7


def test_no_dates_at_all_are_the_owners_word_in_the_file_only(
    published: Path, run: Run, tmp_path: Path
) -> None:
    assert run("build", published, "--base-url", BASE, "--no-lastmod") == 2
    assert (
        "no source of dates was asked for\n  help: leave out --no-lastmod; if the loss" in run.err
    )
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\nlastmod = []\n')
    assert run("build", published) == 0
    assert set(lastmods(published)) == {None}


def test_urls_that_are_gone_take_their_dates_along(published: Path, run: Run) -> None:
    for name in NAMES[:5]:
        (published / name).unlink()
    assert run("build", published, "--base-url", BASE) == 0


def test_many_older_dates_are_counted_and_the_first_is_named(published: Path, run: Run) -> None:
    os.utime(published / NAMES[0], (MTIME - 86_400, MTIME - 86_400))
    assert run("build", published, "--base-url", BASE) == 0
    assert "older" not in run.err
    for name in NAMES[1:3]:
        os.utime(published / name, (MTIME - 86_400 * int(name[:2]),) * 2)
    assert run("build", published, "--base-url", BASE, "--dry-run") == 0
    assert (
        f"warning: published dates would become older: 2 of 12, the first is {BASE}01.html: "
        "2026-01-02T04:04:05+00:00 -> 2026-01-01T03:04:05+00:00\n" in run.err
    )


@pytest.mark.slow
def test_a_shallow_clone_with_the_earlier_sitemap_stops_with_the_remedy(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repo(tmp_path / "repo")
    for number, name in enumerate(NAMES, 1):
        repo.commit(number, {f"content/{name[:2]}.md": f"text {name}"})
    config = (
        f'base_url = "{BASE}"\nsite = "public"\n[[git.map]]\n'
        'page = "{path}.html"\nsource = ["content/{path}.md"]\n'
    )
    repo.commit(13, {"sitemapper.toml": config, ".gitignore": "public/\n"})
    write_site(repo.root / "public", {name: f"<p>{name}" for name in NAMES})
    monkeypatch.chdir(repo.root)
    assert run("build") == 0
    assert None not in lastmods(repo.root / "public")
    clone = repo.clone("--depth=1").root
    (repo.root / "public").rename(clone / "public")
    for path in (clone / "public").glob("*.html"):
        os.utime(path, (MTIME, MTIME))
    monkeypatch.chdir(clone)
    before = Path("public/sitemap.xml").read_bytes()
    assert run("build") == 2
    assert "12 of 12 published dates would be lost" in run.err
    assert "git: this is a shallow clone, without the commits that changed 12 pages" in run.err
    assert "git fetch --unshallow" in run.err
    assert Path("public/sitemap.xml").read_bytes() == before
