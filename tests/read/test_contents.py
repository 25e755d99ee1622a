"""What may be read: pages as the walk saw them, inside the site, and small files that are regular files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from support import BASE, POSIX, SITEMAPPER, Run, Site, build

from sitemapper.read import server as reading
from sitemapper.read import walk


@POSIX
@pytest.mark.parametrize("kind", ["link out of the site", "pipe"])
def test_what_a_page_became_since_the_walk_is_not_read(
    site: Site, tmp_path: Path, kind: str
) -> None:
    root = site({"a.html": "<p>text"})
    folder = walk.make_site_root(str(root), (), ("*",))
    page = reading.find_page(folder, "a.html")
    assert page and reading.read(folder, page, 99) == (page, b"<p>text")
    (root / "a.html").unlink()
    if kind == "pipe":
        os.mkfifo(root / "a.html")
    else:
        (tmp_path / "secret.html").write_text("secret")
        (root / "a.html").symlink_to(tmp_path / "secret.html")
    with pytest.raises(OSError, match="became something else"):
        reading.read(folder, page, 99)


def test_nothing_outside_the_site_is_read_through_an_alternate(
    site: Site, tmp_path: Path, reads: list[str]
) -> None:
    (tmp_path / "secret.html").write_text("<p>secret")
    link = '<html><head><link rel="alternate" hreflang="de" href="https://example.com/link.html"></head>'
    root = site({"a.html": link})
    os.symlink(tmp_path / "secret.html", root / "link.html")
    build(root, hreflang=True)
    assert set(reads) == {"a.html"}


@POSIX
@pytest.mark.parametrize("name", ["robots.txt", "_headers"])
def test_a_named_pipe_does_not_hang_the_run(site: Site, name: str) -> None:
    root = site({"a.html": ""})
    os.mkfifo(root / name)
    command = [*SITEMAPPER, "build", str(root), "--base-url", BASE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 2
    assert "not a regular file" in done.stderr and "Traceback" not in done.stderr


@POSIX
@pytest.mark.parametrize("name", ["robots.txt", "_redirects"])
def test_a_folder_that_is_called_like_a_small_file_is_named(
    site: Site, run: Run, name: str
) -> None:
    root = site({"a.html": ""})
    (root / name).mkdir()
    assert run("build", root, "--base-url", BASE) == 2
    assert run.err == f"error: {root / name}: not a regular file\n"
