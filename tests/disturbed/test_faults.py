"""Runs that are starved or disturbed: what is published stays whole, and the next run repairs the rest."""

from __future__ import annotations

import os
import random
import shutil
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from support import BASE, MTIME, POSIX, Count, Run, build, write_site
from support.trial import KILLS, Trial

pytestmark = [
    POSIX,
    pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for names of open files"),
]


@pytest.mark.slow
def test_a_disk_full_at_any_size_keeps_the_old_set(trial: Trial, count: Count) -> None:
    largest = max(len(data) for data in trial.sets[1].values())
    sizes = [0, 1, *range(16, largest, 197), largest - 1]
    assert len(sizes) > 15
    trial.turn(1)
    before = trial.published()
    with trial.forks() as forks:
        for size in sizes:
            code, said = forks.run(fsize=size)
            assert (code, said.count("error: ")) == (2, 1), said
            assert "File too large; nothing was published" in said
            assert "Traceback" not in said
            assert trial.published() == before
            assert trial.temp_files() == []
        assert forks.run(fsize=largest)[0] == 0
    trial.mended()
    count("runs on a full disk", len(sizes))


SITEMAPS = ["sitemap.xml", "sitemap-1.xml", "sitemap-2.xml.gz", "sitemap-3.txt"]
NAMES = [*SITEMAPS, "robots.txt", "kept/site.ledger"]


KINDS = ["folder", "link out", "dangling link", "link to itself", "pipe"]
# The ledger that a person names may be a link.
CASES = [
    (name, kind) for name in NAMES for kind in KINDS if "/" not in name or kind not in KINDS[1:3]
]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_name_of_ours_that_is_no_file(tmp_path: Path, run: Run, name: str, kind: str) -> None:
    root = write_site(tmp_path / "public", {f"{n}.html": "<main>x</main>" for n in range(5)})
    (tmp_path / "kept").mkdir()
    theirs = tmp_path / "theirs"
    theirs.write_text("")
    path = (tmp_path if "/" in name else root) / name
    match kind:
        case "folder":
            path.mkdir()
        case "link out":
            path.symlink_to(theirs)
        case "dangling link":
            path.symlink_to(tmp_path / "nowhere")
        case "link to itself":
            path.symlink_to(path)
        case "pipe":
            os.mkfifo(path)
    before = sorted(os.walk(root))
    ledger = tmp_path / "kept" / "site.ledger"
    flags = [
        "--config",
        "sitemap = { max_urls = 2, text = true }",
        "--gzip",
        "also",
        "--base-url",
        BASE,
        "--ledger",
        ledger,
    ]
    for command in ("build", "check"):
        assert run(command, root, *flags) == 2
        assert run.err.startswith("error: ") and run.err.count("error: ") == 1
        assert os.path.basename(name) in run.err
    assert sorted(os.walk(root)) == before
    assert theirs.read_text() == "" and not (tmp_path / "nowhere").exists()
    assert os.listdir(tmp_path / "kept") == (["site.ledger"] if "/" in name else [])


@pytest.fixture
def warmed(tmp_path: Path) -> None:
    """What is imported late, as in `closed_to_us`; there the ledger and the parser are not."""
    import_module("xml.parsers.expat")
    build(write_site(tmp_path / "early", {"a.html": "<p>"}), lastmod=["ledger"])
    build(tmp_path / "early", lastmod=["ledger"])


@pytest.fixture
def in_closed(warmed: None, closed_to_us: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of ours alone to work in, as a user for whom permissions hold."""
    monkeypatch.chdir(closed_to_us)
    (closed_to_us / "out").mkdir()
    (closed_to_us / "kept").mkdir()
    write_site(closed_to_us / "public", {f"{n}.html": f"<main>{n}</main>" for n in range(5)})
    return closed_to_us


@pytest.mark.parametrize("closed", ["out", "kept"])
def test_a_folder_of_ours_that_is_read_only(in_closed: Path, run: Run, closed: str) -> None:
    places = ["--output", "out", "--ledger", "kept/site.ledger"]
    flags = ["--base-url", BASE, "--config", "sitemap.max_urls = 2", *places]

    def published() -> dict[str, bytes]:
        files = [*(in_closed / "out").iterdir(), *(in_closed / "kept").iterdir()]
        return {path.name: path.read_bytes() for path in files}

    def refused() -> None:
        os.chmod(closed, 0o555)
        before = published()
        try:
            assert run("build", "public", *flags) == 2
            assert "Permission denied; nothing was published" in run.err
            assert run.err.count("error: ") == 1
            assert published() == before
        finally:
            os.chmod(closed, 0o755)

    refused()
    assert run("build", "public", *flags) == 0
    new = {f"{n}.html": f"<main>new {n}</main>" for n in range(2, 9)}
    write_site(in_closed / "public", new, mtime=MTIME + 86_400)
    refused()
    assert run("build", "public", *flags) == 0
    assert not [name for name in published() if name.endswith(".tmp")]


def change(path: Path, kind: str) -> None:
    """What happens to a page between the walk and the read."""
    if kind in ("grows", "shrinks"):
        path.write_text("<p>" if kind == "shrinks" else "<p>" + "long" * 100_000)
        return
    if kind == "loses its permission":
        path.chmod(0)
        return
    path.unlink()
    match kind:
        case "becomes a folder":
            path.mkdir()
        case "becomes a link to a page":
            path.symlink_to("a.html")
        case "is replaced":
            path.write_text("<p>another")


LOST = ["vanishes", "becomes a folder", "loses its permission"]


@pytest.mark.parametrize("ledger", [False, True])
@pytest.mark.parametrize(
    "kind", [*LOST, "grows", "shrinks", "is replaced", "becomes a link to a page"]
)
def test_a_page_that_changes_while_the_site_is_read(
    in_closed: Path, run: Run, monkeypatch: pytest.MonkeyPatch, kind: str, ledger: bool
) -> None:
    page = in_closed / "site" / "b.html"
    write_site(page.parent, {f"{n}.html": f"<title>{n}</title><p>some text" for n in "abc"})
    flags = ["site", "--base-url", BASE, *(["--ledger", "kept/l"] if ledger else [])]
    with monkeypatch.context() as patch:
        module = import_module("sitemapper.read.read")
        read_pages = module.read_pages

        def changed_before(*args: Any) -> Any:
            change(page, kind)
            return read_pages(*args)

        patch.setattr(module, "read_pages", changed_before)
        assert run("build", *flags) == 0
    listed = (page.parent / "sitemap.xml").read_text()
    assert f"{BASE}a.html" in listed and f"{BASE}c.html" in listed
    assert (f"{BASE}b.html" in listed) == (kind not in LOST)
    assert ("1 page cannot be read and so is not listed: b.html" in run.err) == (kind in LOST)
    assert run("build", *flags, "--max-drop", "100") == 0


@pytest.mark.slow
def test_pages_that_come_and_go_all_the_time_are_no_error(trial: Trial, count: Count) -> None:
    folder = trial.root / "busy"
    stop = threading.Event()

    def churn() -> None:
        chance = random.Random(1)
        while not stop.is_set():
            path = folder / f"{chance.randrange(200)}" / f"{chance.randrange(9)}.html"
            if chance.random() < 0.5:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("<p>" * chance.randrange(5000))
            else:
                path.unlink(missing_ok=True)

    busy = threading.Thread(target=churn)
    busy.start()
    try:
        with trial.forks() as forks:
            ends = [forks.run() for _ in range(5 * max(1, KILLS // 24))]
    finally:
        stop.set()
        busy.join()
    assert ends == [(0, "")] * len(ends)
    count("runs while pages come and go", len(ends))
    shutil.rmtree(folder)
    trial.mended()
