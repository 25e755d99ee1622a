"""The files that flags name: what no flag may replace."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, Run, Site, paths


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ("--excluded out --changes out", "--changes: out is the file of --excluded"),
        ("--excluded out --report ./out", "--report: ./out is the file of --excluded"),
        ("--changes public/sitemap.xml", "--changes: public/sitemap.xml is the sitemap"),
        ("--excluded public/robots.txt", "--excluded: public/robots.txt is robots.txt"),
        ("--changes l --ledger l", "--changes: l is the ledger"),
        ("--excluded sitemapper.toml", "--excluded: sitemapper.toml is part of the configuration"),
        (
            "--changes public/a.html",
            "--changes: public/a.html: was not written by sitemapper, so it is not replaced",
        ),
        ("--changes public", "--changes: public: is a folder"),
        ("--excluded no/where", "--excluded: no/where: no such folder"),
    ],
)
def test_a_list_replaces_no_file_of_another_use(
    site: Site, run: Run, tmp_path: Path, argv: str, said: str
) -> None:
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\nsite = "public"\n')
    root = site({"a.html": "<p>a"})
    assert run("build", *argv.split()) == 2
    assert run.err == f"error: {said}\n  help: choose another file name\n"
    assert (root / "a.html").read_text() == "<p>a"
    assert not (root / "sitemap.xml").exists()


def test_a_list_is_written_again_wherever_it_is(site: Site, run: Run) -> None:
    root = site({"a.html": "", "404.html": ""})
    flags = ("--excluded", root / "excluded.html", "--changes", root / "changes.html")
    for _ in range(3):
        assert run("build", root, "--base-url", BASE, *flags) == 0
    assert "404.html\tignored" in (root / "excluded.html").read_text()
    assert paths(root) == ["a.html"]
