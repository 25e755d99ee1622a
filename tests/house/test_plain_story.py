"""The plain story, to the letter: what people do who have not read the documentation."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from support import BASE, POSIX, Run, Site, locs, paths

ROOT = Path(__file__).parents[2]


def test_a_copy_of_the_example_gives_what_no_file_gives(
    site: Site, run: Run, tmp_path: Path
) -> None:
    root = site({"index.html": "a", "blog/a.html": "b", "404.html": "c"})
    assert run("build", "--base-url", BASE) == 0
    without_file = {path.name: path.read_bytes() for path in root.iterdir() if path.is_file()}
    (root / "sitemap.xml").unlink()
    (root / "robots.txt").unlink()
    example = (ROOT / "sitemapper.toml.example").read_text()
    (tmp_path / "sitemapper.toml").write_text(example)
    assert run("build") == 2
    assert "no base URL was found: " in run.err
    written = example.replace('#base_url = "https://tea.example/"', f'base_url = "{BASE}"')
    (tmp_path / "sitemapper.toml").write_text(written)
    assert run("build") == 0
    assert {path.name: path.read_bytes() for path in root.iterdir() if path.is_file()} == without_file  # fmt: skip


def test_after_init_a_build_needs_no_argument(site: Site, run: Run) -> None:
    root = site({"index.html": "a", "blog/a.html": "b"})
    url = "https://a.test/"
    assert run("build", root, "--base-url", url) == 0
    assert run("init") == 0
    (root / "sitemap.xml").unlink()  # as a generator does that empties its output
    assert run("build") == 0
    assert locs(root) == [url, f"{url}blog/a.html"]


@POSIX
def test_the_first_step_of_the_docs_builds_the_sitemap(site: Site, tmp_path: Path) -> None:
    root = site({"index.html": "a"})
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\nsite = "public"\n')
    step = re.search(r"(?ms)^```sh\n(hugo &&.*?)^```$", (ROOT / "docs/start.md").read_text())
    assert step
    hugo = tmp_path / "bin/hugo"
    hugo.parent.mkdir()
    hugo.write_text("#!/bin/sh\necho '<title>b</title>' > public/b.html\n")
    hugo.chmod(0o755)
    folders = [str(hugo.parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {**os.environ, "PATH": os.pathsep.join(folders)}
    command = ["sh", "-ec", step[1]]
    said = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
    assert set(paths(root)) == {"", "b.html"}
