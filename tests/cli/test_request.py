"""What a command line asks for, and what it cannot ask for at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, Run, Site


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ("--excluded out --changes out", "--changes: out is the file of --excluded"),
        ("--excluded out --report ./out", "--report: ./out is the file of --excluded"),
        ("--changes public/sitemap.xml", "--changes: public/sitemap.xml is the sitemap"),
        ("--excluded public/robots.txt", "--excluded: public/robots.txt is robots.txt"),
        ("--changes l --ledger l", "--changes: l is the ledger"),
        ("--excluded sitemapper.toml", "--excluded: sitemapper.toml is part of the configuration"),
        ("--changes public/a.html", "--changes: public/a.html is a page of the site"),
    ],
)
def test_a_list_replaces_no_file_of_another_use(
    site: Site, run: Run, tmp_path: Path, argv: str, said: str
) -> None:
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\nsite = "public"\n')
    root = site({"a.html": "<p>a"})
    assert run("build", *argv.split()) == 2
    assert run.err == f"error: {said}\n  help: name another file\n"
    assert (root / "a.html").read_text() == "<p>a"
    assert not (root / "sitemap.xml").exists()


def test_a_list_is_written_again_wherever_it_is(site: Site, run: Run) -> None:
    root = site({"a.html": "", "404.html": ""})
    flags = ("--excluded", root / "excluded.html", "--changes", root / "changes.html")
    for _ in range(3):
        assert run("build", root, "--base-url", BASE, *flags) == 0
    assert "404.html\tignored" in (root / "excluded.html").read_text()


@pytest.mark.parametrize(
    ("argv", "pair"),
    [
        ("build --no-lastmod --lastmod page", "--no-lastmod and --lastmod"),
        ("build --no-lastmod --ledger l", "--no-lastmod and --ledger"),
        ("build --cache c --no-cache", "--cache and --no-cache"),
        ("build -q -v", "--quiet and --verbose"),
        ("validate . -q -v", "--quiet and --verbose"),
        ("check --against s.xml --max-urls 5", "--against and --max-urls"),
        ("check --against s.xml --gzip also", "--against and --gzip"),
        ("check --against s.xml --changes c", "--against and --changes"),
    ],
)
def test_flags_that_contradict_each_other(run: Run, argv: str, pair: str) -> None:
    assert run(*argv.split()) == 2
    other = pair.rpartition(" ")[2]
    assert run.err == f"error: {pair} exclude each other\n  help: leave out {other}\n"
