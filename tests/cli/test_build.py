"""`build` where its flags are its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import BASE, Run, Site
from support.ledger import pages


def test_the_sitemap_on_stdout(site: Site, run: Run, tmp_path: Path) -> None:
    root = site(pages("a", "b"))
    command = ("build", root, "--base-url", BASE)
    assert run(*command, "--output", "-", "--lastmod", "ledger", "--lastmod", "mtime") == 0
    printed, told = run.out, run.err.splitlines()
    assert told[:2] == [f"{BASE}sitemap.xml", "  2 pages listed"]
    assert "  created  stdout  2 URLs" in told
    assert sorted(path.name for path in root.iterdir()) == ["a.html", "b.html"]
    assert (tmp_path / "sitemapper.ledger").exists()
    (root / "sitemap.xml").write_text("<urlset/>")  # another tool's stands in nobody's way
    assert run(*command, "--output", "-", "--quiet") == 0
    assert (run.out, run.err) == (printed, "")
    (root / "sitemap.xml").unlink()
    assert run(*command) == 0
    assert (root / "sitemap.xml").read_text() == printed


def test_stdout_cannot_take_an_index_with_sitemaps_of_others(
    site: Site, run: Run, tmp_path: Path
) -> None:
    root = site(pages("a"))
    (tmp_path / "sitemapper.toml").write_text(f'[sitemap]\nothers = ["{BASE}docs/sitemap.xml"]\n')
    assert run("build", root, "--base-url", BASE, "--output", "-") == 2
    assert (
        "--output -: stdout can take only one file, and this build writes 2: sitemap-1.xml, sit"
        in run.err
    )


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["build", "--text"], "--output -: stdout can take only one file, and this build writes 2: sitemap.xml, sitemap.txt"),
        (["build", "--max-urls", "1"], "--output -: stdout can take only one file, and this build writes 3: sitemap-1.xml, sitemap-2.xml, sitemap.xml"),
        (["build", "--dry-run"], "--output - cannot be used with --dry-run"),
        (["build", "--exit-code"], "--output - cannot be used with --exit-code"),
        (["build", "--format", "json"], "--format json and --output - would both write to stdout"),
        (["build", "--format", "github"], "--output - and --format github would both write to stdout"),
        (["build", "--changes", "-"], "--changes - and --output - would both write to stdout"),
        (["check"], "--output -: only build prints the sitemap"),
        (["explain", "a.html", "--site"], "--output -: only build prints the sitemap"),
    ],
)  # fmt: skip
def test_what_stdout_cannot_take(site: Site, run: Run, argv: list[str], said: str) -> None:
    root = site(pages("a", "b"))
    before = os.listdir(root)
    assert run(*argv, root, "--base-url", BASE, "--output", "-") == 2
    assert run.out == ""
    assert run.err.splitlines()[0] == f"error: {said}"
    assert run.err.splitlines()[1].startswith("  help: ")
    assert os.listdir(root) == before
