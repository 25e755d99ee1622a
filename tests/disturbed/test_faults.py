"""Runs that are starved or disturbed: what is published stays whole, and the next run repairs the rest."""

from __future__ import annotations

import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from support import BASE, MTIME, POSIX, Run, build, unmeasured, write_site
from support.trial import KILLS, Trial

pytestmark = [
    POSIX,
    pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for names of open files"),
]


@pytest.mark.slow
def test_a_disk_full_at_any_size_keeps_the_old_set(trial: Trial) -> None:
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


# A name of ours, and what stands there. The ledger that a person names may be a link.
ODD = [
    ("sitemap.xml", "folder"), ("sitemap-1.xml", "folder"), ("sitemap-2.xml.gz", "pipe"), ("sitemap-3.txt", "folder"),
    ("sitemap.xml", "link out"), ("sitemap-1.xml", "dangling link"), ("sitemap-3.txt", "link to itself"),
    ("robots.txt", "folder"), ("robots.txt", "link out"), ("robots.txt", "pipe"), ("kept/site.ledger", "folder"),
    ("kept/site.ledger", "link to itself"), ("kept/site.ledger", "pipe"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kind"), ODD)
def test_a_name_of_ours_that_is_no_file(tmp_path: Path, run: Run, name: str, kind: str) -> None:
    root = write_site(tmp_path / "public", {f"{n}.html": "<main>x</main>" for n in range(5)})
    theirs, ledger = tmp_path / "theirs", tmp_path / "kept/site.ledger"
    theirs.write_text("")
    ledger.parent.mkdir()
    path = (tmp_path if "/" in name else root) / name
    targets = {"link out": theirs, "dangling link": tmp_path / "nowhere", "link to itself": path}
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case _:
            path.symlink_to(targets[kind])
    before = sorted(os.walk(root))
    config = "sitemap = { max_urls = 2, text = true }"
    flags = ("--config", config, "--gzip", "also", "--base-url", BASE, "--ledger", ledger)
    for command in ("build", "check"):
        assert run(command, root, *flags) == 2
        assert run.err.startswith("error: ") and run.err.count("error: ") == 1
        assert os.path.basename(name) in run.err
    assert sorted(os.walk(root)) == before
    assert theirs.read_text() == "" and not (tmp_path / "nowhere").exists()
    assert os.listdir(ledger.parent) == (["site.ledger"] if "/" in name else [])


@pytest.fixture
def in_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of ours alone to work in, and a user for whom permissions hold: nobody in place of root."""
    import_module("xml.parsers.expat")
    for _ in range(2):  # what is imported late may be closed to nobody
        build(write_site(tmp_path / "early", {"a.html": "<p>"}), lastmod=["ledger"])
    root = Path(tempfile.mkdtemp())
    monkeypatch.chdir(root)
    if os.getuid() == 0:
        os.chown(root, 65534, 65534)
        os.seteuid(65534)
    write_site(root, {f"public/{n}.html": f"<main>{n}</main>" for n in range(5)})
    for folder in ("out", "kept"):
        (root / folder).mkdir()
    yield root
    if os.getuid() == 0:
        os.seteuid(0)
    shutil.rmtree(root)


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


@pytest.mark.slow
def test_pages_that_come_and_go_all_the_time_are_no_error(trial: Trial) -> None:
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
    shutil.rmtree(folder)
    trial.mended()


NOBODY_ELSE = "64321"  # a user without processes, because the limit counts all of a user


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["-v 200000", "-v 300000", "-v 400000", "-u 2", "-u 4"])
def test_a_starved_run_ends(limit: str, tmp_path: Path) -> None:
    pages = {f"{n:04}.html": f"<title>{n}</title>{'<p>word ' * 2_000}" for n in range(1_500)}
    site = write_site(tmp_path / "public", {**pages, "z.html": "<p>" + "word " * 3_000_000})
    flags = f"--base-url {BASE} --quiet --ledger {tmp_path / 'ledger'}"
    user = ""
    if os.geteuid() == 0 and limit.startswith("-u"):
        user = f"setpriv --reuid={NOBODY_ELSE} --clear-groups "
        os.chmod(tmp_path, 0o777)
        subprocess.run(["chown", "-R", NOBODY_ELSE, str(site)], check=True)
    command = f"ulimit {limit}; exec {user}{sys.executable} -m sitemapper build {site} {flags}"
    # Coverage could not write, and Python would leave half of a compiled module to all others.
    environment = unmeasured() | {"PYTHONDONTWRITEBYTECODE": "1"}
    shell = ["bash", "-c", command]
    done = subprocess.run(
        shell, cwd="/", env=environment, timeout=300, capture_output=True, text=True
    )
    assert done.returncode in (0, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 0 or done.stderr.startswith("error: ")
    assert not list(site.glob(".*"))


def test_a_start_in_a_folder_that_was_removed(tmp_path: Path) -> None:
    gone = shlex.quote(str(tmp_path / "gone"))
    command = f"mkdir {gone} && cd {gone} && rmdir {gone} && {sys.executable} -m sitemapper build"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    said = "error: working directory: No such file or directory\n"
    assert (done.returncode, done.stderr) == (2, said)
