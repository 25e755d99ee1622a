"""The plain story, to the letter: what people do who have not read the documentation."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import BASE, MTIME, POSIX, Run, Site, lastmods, locs, paths

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLE = Path(__file__).parents[2] / "sitemapper.toml.example"


def test_a_copy_of_the_example_gives_what_no_file_gives(
    site: Site, run: Run, tmp_path: Path
) -> None:
    root = site({"index.html": "a", "blog/a.html": "b", "404.html": "c"})
    assert run("build", "--base-url", BASE) == 0
    without_file = {path.name: path.read_bytes() for path in root.iterdir() if path.is_file()}
    (root / "sitemap.xml").unlink()
    (root / "robots.txt").unlink()
    copy = tmp_path / "sitemapper.toml"
    copy.write_text(EXAMPLE.read_text())
    assert run("build") == 2
    assert "no base URL was found: " in run.err
    assert not (root / "sitemap.xml").exists()
    copy.write_text(EXAMPLE.read_text().replace('#base_url = "https://tea.example/"', f'base_url = "{BASE}"'))  # fmt: skip
    assert run("build") == 0
    assert {path.name: path.read_bytes() for path in root.iterdir() if path.is_file()} == without_file  # fmt: skip
    assert sorted(path.name for path in tmp_path.iterdir()) == ["public", "sitemapper.toml"]  # fmt: skip


def test_after_init_a_build_needs_no_argument(site: Site, run: Run, tmp_path: Path) -> None:
    root = site({"index.html": "a", "blog/a.html": "b"})
    url = "https://a.test/"
    assert run("build", root, "--base-url", url) == 0
    assert run("init") == 0
    assert f'base_url = "{url}"\n' in (tmp_path / "sitemapper.toml").read_text()
    (root / "sitemap.xml").unlink()  # as a generator does that empties its output
    assert run("build") == 0
    assert locs(root) == [url, f"{url}blog/a.html"]


def block_of(page: str, start: str) -> str:
    """The first code block of a page that begins with `start`, without its first line."""
    blocks = re.findall(r"(?ms)^```(\w.*?)^```$", (DOCS / page).read_text())
    found: str = next(block for block in blocks if block.startswith(start))
    return found.partition("\n")[2]


# Each block with the command that runs it, "" for the block itself.
STEPS = [("start.md", "sh\nhugo &&", "")]


@POSIX
@pytest.mark.parametrize(("page", "start", "command"), STEPS, ids=[" ".join(s) for s in STEPS])
def test_the_step_of_the_docs_builds_the_sitemap(
    site: Site, tmp_path: Path, page: str, start: str, command: str
) -> None:
    program = command.partition(" ")[0]
    if program and not shutil.which(program):
        pytest.skip(f"there is no {program}")
    root = site({"index.html": "a"})
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\nsite = "public"\nlastmod = "mtime"\n')  # fmt: skip
    block = block_of(page, start)
    title = re.search(r'title="(.+)"', start)
    if title:
        (tmp_path / title[1]).write_text(block)
    stand_in = tmp_path / "bin/hugo"
    stand_in.parent.mkdir()
    stand_in.write_text("#!/bin/sh\necho '<title>b</title>' > public/b.html\n")
    stand_in.chmod(0o755)
    folders = [str(stand_in.parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    environment["PATH"] = os.pathsep.join(folders)
    words = ["sh", "-ec", command or block]
    said = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
    built = {"", "b.html"} if "hugo" in block or not command else {""}
    assert set(paths(root)) == built


def test_a_freshly_built_site_has_no_dates_and_a_remedy(site: Site, run: Run) -> None:
    root = site({f"{n}.html": f"<p>{n}" for n in range(9)})
    for path in root.iterdir():
        os.utime(path, (MTIME, MTIME))
    assert run("build", root, "--base-url", BASE) == 0
    assert set(lastmods(root)) == {None}
    assert "help: --ledger sitemapper.ledger dates each page when its content changes" in run.err
    assert "--lastmod mtime" not in run.err  # it would lead to the warning below
    assert run("build", root, "--base-url", BASE, "--lastmod", "mtime") == 0
    assert lastmods(root) == ["2026-01-02T03:04:05+00:00"] * 9
    assert run.err.count("warning: ") == 1
    assert "9 of 9 pages have the time of a copy or a build" in run.err
