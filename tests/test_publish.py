"""Publishing never leaves less than there was: locks, full disks, folders that cannot be written."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import BASE, POSIX, Site, build, write_site

from sitemapper import SitemapperError
from sitemapper.output.lock import locked


def snapshot(root: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(root.iterdir()) if "html" not in p.name and p.is_file()}


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_failed_write_keeps_what_was_there(
    site: Site, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    root = site({f"{n}.html": "" for n in range(6)})
    build(root, sitemap={"max_urls": 2})
    before = snapshot(root)
    write_site(root, {"00.html": "", "7.html": ""})

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(root))

    with monkeypatch.context() as patch:
        patch.setattr(os, failing, full)
        with pytest.raises(
            SitemapperError, match="No space left on device; what was published before is still whole"
        ):
            build(root, sitemap={"max_urls": 2})
    assert snapshot(root) == before
    build(root, sitemap={"max_urls": 2})
    assert [n for n in os.listdir(root) if n.endswith(".tmp")] == []


@POSIX
def test_a_disk_that_fills_up_is_an_error_and_leaves_no_temporary(site: Site) -> None:
    root = site({f"{'x' * 200}{n}.html": "" for n in range(60)})
    write_site(root, {"sitemap.xml": ""})
    (root / "sitemap.xml").unlink()
    code = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); from sitemapper.__main__ import main; sys.exit(main(sys.argv[1:]))"  # fmt: skip
    command = [sys.executable, "-c", code, "build", str(root), "--base-url", BASE]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "File too large" in run.stderr and "Traceback" not in run.stderr
    assert snapshot(root) == {}


@POSIX
def test_leftovers_of_a_killed_run_are_removed(site: Site) -> None:
    root = site({"a.html": ""})
    for name in (
        ".sitemap.xml.999.new.tmp",
        ".sitemap-blog-2.xml.gz.1.old.tmp",
        ".robots.txt.7.new.tmp",
        ".mine.tmp",
    ):
        (root / name).write_text("half")
    build(root)
    assert sorted(n for n in os.listdir(root) if n.endswith(".tmp")) == [".mine.tmp"]


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_a_name_that_is_no_file_is_an_error(site: Site, kind: str, tmp_path: Path) -> None:
    root = site({"a.html": ""})
    if kind == "folder":
        (root / "sitemap.xml").mkdir()
    else:
        (tmp_path / "elsewhere.xml").write_text("theirs")
        (root / "sitemap.xml").symlink_to(tmp_path / "elsewhere.xml")
    with pytest.raises(SitemapperError, match=r"sitemap\.xml: is not a regular file"):
        build(root)
    assert not (root / "robots.txt").exists()


@POSIX
def test_a_second_run_waits_and_then_says_so(site: Site) -> None:
    root = site({"a.html": ""})
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with locked(str(root)):
            inside.set()
            leave.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    inside.wait(10)
    try:
        with pytest.raises(SitemapperError, match="another run of sitemapper publishes here"), locked(str(root), wait=0.2):  # fmt: skip
            raise AssertionError("two runs hold one lock")
        timer = threading.Timer(0.3, leave.set)
        begun = time.monotonic()
        timer.start()
        build(root)
        assert time.monotonic() - begun > 0.2
    finally:
        leave.set()
        holder.join()


@POSIX
def test_many_runs_at_once_leave_one_whole_set(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(9)})
    command = [
        sys.executable,
        "-m",
        "sitemapper",
        "build",
        str(root),
        "--base-url",
        BASE,
        "--max-urls",
        "4",
        "--quiet",
    ]
    runs = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(6)]
    assert [run.wait(60) for run in runs] == [0] * 6
    assert sorted(snapshot(root)) == [
        "robots.txt",
        "sitemap-1.xml",
        "sitemap-2.xml",
        "sitemap-3.xml",
        "sitemap.xml",
    ]


@POSIX
def test_a_folder_that_cannot_be_written_is_fine_while_nothing_changes(closed_to_us: Path) -> None:
    root = write_site(closed_to_us, {"a.html": ""})
    build(root)
    root.chmod(0o555)
    try:
        build(root)
        os.utime(root / "a.html", (5, 5))
        with pytest.raises(SitemapperError, match="Permission denied"):
            build(root)
    finally:
        root.chmod(0o755)
