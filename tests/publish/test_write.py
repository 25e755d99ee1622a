"""Publishing never leaves less than there was: full disks, killed runs, folders that cannot be written."""

from __future__ import annotations

import errno
import itertools
import os
import signal
import stat
import subprocess
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support import BASE, MTIME, POSIX, SITEMAPPER, Run, Site, build, for_starved, locs, write_site

from sitemapper import SitemapperError
from sitemapper.replace import create, replacing


def snapshot(root: Path) -> dict[str, bytes]:
    return {
        p.name: p.read_bytes()
        for p in sorted(root.iterdir())
        if "html" not in p.name and p.is_file()
    }


def failing(
    error: BaseException,
    *,
    calls: Container[int] = range(1, 999),
    name: str = "",
    done: bool = False,
) -> Callable[..., None]:
    """A function that fails in these calls for files of this name, perhaps after its work is done."""
    counter = itertools.count(1)

    def fail(real: Any, *args: Any) -> None:
        is_now = next(counter) in calls and any(str(arg).endswith(name) for arg in args)
        if done or not is_now:
            real(*args)
        if is_now:
            raise error

    return fail


@contextmanager
def system(**functions: Callable[..., None]) -> Iterator[None]:
    """Replaces functions of the system by some that get the real ones first."""
    with pytest.MonkeyPatch.context() as patch:
        for name, function in functions.items():
            patch.setattr(os, name, partial(function, getattr(os, name)))
        yield


REFUSED = PermissionError(1, "Operation not permitted", "x")
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "x")
# What happens to a build that would change each file.
FAULTS: dict[str, Callable[[], dict[str, Callable[..., None]]]] = {
    "a disk too full to flush": lambda: {"fsync": failing(FULL)},
    "a disk too full to rename": lambda: {"replace": failing(FULL, name=".new.tmp")},
    "the second rename is refused": lambda: {"replace": failing(REFUSED, calls=[2])},
    "robots.txt may not even be put back": lambda: {"replace": failing(REFUSED, name="robots.txt")},
    "the file system has no links": lambda: {
        "link": failing(REFUSED),
        "replace": failing(REFUSED, calls=[1], done=True),
    },
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_failed_write_keeps_what_was_there(
    site: Site, fault: Callable[[], dict[str, Callable[..., None]]]
) -> None:
    root = site({f"{n}.html": "" for n in range(6)})
    build(root, sitemap={"max_urls": 2, "text": True})
    before = snapshot(root)
    assert {"sitemap-2.txt", "sitemap-3.xml"} <= before.keys()
    write_site(root, {"00.html": "", "7.html": ""})
    values: dict[str, Any] = {"base_url": "https://b.example/", "sitemap": {"max_urls": 3}}
    said = "(No space left on device|Operation not permitted); the files published before are compl"
    with system(**fault()), pytest.raises(SitemapperError, match=said):
        build(root, **values)
    assert snapshot(root) == before and not list(root.glob(".*"))
    build(root, **values)
    assert not list(root.glob(".*")) and not list(root.glob("sitemap*.txt"))


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


@POSIX
def test_a_folder_that_cannot_be_written_is_fine_while_nothing_changes(closed_to_us: Path) -> None:
    root = write_site(closed_to_us, {"a.html": ""})
    build(root)
    root.chmod(0o555)
    try:
        build(root)
        os.utime(root / "a.html", (MTIME + 9, MTIME + 9))
        with pytest.raises(
            SitemapperError, match=r"sitemap\.xml: Permission denied; .*\n.* --output"
        ):
            build(root)
    finally:
        root.chmod(0o755)


class Killed(BaseException):
    pass


@pytest.mark.parametrize("stop", range(1, 6))
def test_killed_between_two_renames_all_that_the_index_names_is_there(
    site: Site, stop: int
) -> None:
    root = site({f"{n}.html": "" for n in range(4)})
    build(root, sitemap={"max_urls": 2})
    write_site(root, {"00.html": "", "5.html": "", "6.html": ""})
    with system(replace=failing(Killed(), calls=[stop])), pytest.raises(Killed):
        build(root, sitemap={"max_urls": 2})
    for loc in locs(root):
        assert locs(root, loc.rpartition("/")[2])
    build(root, sitemap={"max_urls": 2})
    assert not list(root.glob(".*"))


@POSIX
@pytest.mark.parametrize("has_links", [True, False])
def test_a_new_file_is_whole_and_replaces_nothing(tmp_path: Path, has_links: bool) -> None:
    os.symlink("nowhere", tmp_path / "b.toml")
    with system(**({} if has_links else {"link": failing(REFUSED)})):
        create(str(tmp_path / "a.toml"), "é")
        for name in ("a.toml", "b.toml"):
            with pytest.raises(FileExistsError):
                create(str(tmp_path / name), "other")
    assert (tmp_path / "a.toml").read_text(encoding="utf-8") == "é"
    assert sorted(os.listdir(tmp_path)) == ["a.toml", "b.toml"]


@pytest.mark.parametrize("refused", ["temporaries", "old sitemaps"])
def test_a_file_that_cannot_be_removed_hides_nothing(site: Site, refused: str) -> None:
    root = site({f"{n}.html": "" for n in range(9)})
    build(root, sitemap={"max_urls": 2})
    (root / "8.html").unlink()
    (root / "7.html").unlink()

    def unlink(real: Any, path: str) -> None:
        if path.endswith(".tmp") == (refused == "temporaries"):
            raise PermissionError(1, "Operation not permitted", path)
        real(path)

    with system(unlink=unlink):
        if refused == "temporaries":
            build(root, sitemap={"max_urls": 2})
        else:
            said = r"sitemap-5.xml: Operation not permitted; the new sitemaps are published, but this old"
            with pytest.raises(SitemapperError, match=said):
                build(root, sitemap={"max_urls": 2})
            assert not list(root.glob(".*"))
    assert len(locs(root)) == 4
    build(root, sitemap={"max_urls": 2})
    assert not list(root.glob(".*")) and not (root / "sitemap-5.xml").exists()


@POSIX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("nth", [1, 2, 5])
def test_a_signal_behind_the_renames_leaves_no_temporary(site: Site, number: int, nth: int) -> None:
    root = site({f"{n}.html": "" for n in range(6)})
    build(root, sitemap={"max_urls": 2})
    write_site(root, {f"{n}.html": "" for n in range(20, 30)})
    count = 0

    def unlink(real: Any, path: str) -> None:
        nonlocal count
        count += path.endswith(".tmp")
        if count == nth and path.endswith(".tmp"):
            signal.raise_signal(number)  # to this thread, not to one of pytest's
        real(path)

    def ended(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(number, ended)
    try:
        with system(unlink=unlink), pytest.raises(KeyboardInterrupt):
            build(root, sitemap={"max_urls": 2})
    finally:
        signal.signal(number, before)
    assert [name for name in os.listdir(root) if name.endswith(".tmp")] == []


@pytest.mark.parametrize("error", [errno.EINTR, errno.ENOMEM])
def test_an_unlink_that_fails_once_is_tried_again(site: Site, error: int) -> None:
    root = site({"a.html": ""})
    build(root)
    write_site(root, {"b.html": ""}, mtime=MTIME + 86_400)
    refused: set[str] = set()

    def unlink(real: Any, path: str) -> None:
        if path not in refused:
            refused.add(path)
            raise OSError(error, os.strerror(error), path)
        real(path)

    with system(unlink=unlink):
        build(root)
    assert [name for name in os.listdir(root) if name.endswith(".tmp")] == []


def test_temporaries_of_a_list_are_swept_and_never_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a container each run may be process 1."""
    old, young = tmp_path / ".r.html.1.new.tmp", tmp_path / ".r.html.2.new.tmp"
    others = tmp_path / ".other.html.1.new.tmp"
    for path in (old, young, others, tmp_path / f".r.html.{os.getpid()}.new.tmp"):
        path.write_text("half")
        os.utime(path, (5, 5))
    os.utime(young)
    with replacing(str(tmp_path / "r.html")) as file:
        file.write(b"whole")
    assert {path.name for path in tmp_path.iterdir()} == {"r.html", young.name, others.name}
    (tmp_path / f".sitemapper.toml.{os.getpid()}.new.tmp").write_text("half")
    create(str(tmp_path / "sitemapper.toml"), "whole")
    assert (tmp_path / "sitemapper.toml").read_text() == "whole"


LISTS = {"--changes": "changes.tsv", "--excluded": "excluded.tsv", "--report": "report.html"}


@pytest.fixture
def listed(tmp_path: Path, run: Run) -> tuple[Path, list[str]]:
    """A published site with one page more since, and the flags of a build that lists it; the lists are old."""
    root = write_site(tmp_path / "public", {f"{n}.html": "" for n in range(3)})
    flags = [str(root), "--base-url", BASE, "--max-urls", "2"]
    for flag, name in LISTS.items():
        flags += [flag, str(tmp_path / name)]
    assert run("build", *flags) == 0
    write_site(root, {"0/new.html": "", "noindex.html": '<meta name="robots" content="noindex">'})
    return tmp_path, flags


def lists_in(folder: Path) -> dict[str, str]:
    return {
        name: (folder / name).read_text() for name in LISTS.values() if (folder / name).exists()
    }


@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize("refused", ["sitemap-2.xml", "sitemap.xml"])
def test_a_build_that_cannot_publish_leaves_the_lists_as_they_were(
    listed: tuple[Path, list[str]], run: Run, refused: str, exists: bool
) -> None:
    folder, flags = listed
    if not exists:
        for name in LISTS.values():
            (folder / name).unlink()
    before = lists_in(folder)

    def refuse(real: Any, source: str, target: str) -> None:
        if os.path.basename(target) == refused and source.endswith(".new.tmp"):
            raise PermissionError(1, "Operation not permitted", target)
        real(source, target)

    with system(replace=refuse):
        assert run("build", *flags) == 2
    assert lists_in(folder) == before
    assert not list(folder.rglob(".*.tmp"))
    assert run("build", *flags) == 0
    assert lists_in(folder)["changes.tsv"] == f"added\t{BASE}0/new.html\n"


def test_the_guard_leaves_the_lists_as_they_were_and_prints_one(
    listed: tuple[Path, list[str]], run: Run
) -> None:
    folder, flags = listed
    before = lists_in(folder)
    assert run("build", *flags, "--ignore", "*.html") == 2
    assert lists_in(folder) == before
    assert run("build", *flags, "--ignore", "*.html", "--excluded", "-") == 2
    assert "0.html\tignored\t" in run.out


@pytest.mark.parametrize("stop", range(1, 9))
def test_killed_between_two_renames_no_news_is_lost(
    listed: tuple[Path, list[str]], run: Run, stop: int
) -> None:
    folder, flags = listed
    write_site(folder / "public", {f"{n}.html": "" for n in range(10, 14)})
    killed = failing(Killed(), calls=range(stop, 999))  # nothing is taken back either
    with system(replace=killed, unlink=failing(Killed())), pytest.raises(Killed):
        run("build", *flags, "--max-drop", "100")
    rows = set(lists_in(folder)["changes.tsv"].splitlines())
    assert run("build", *flags, "--max-drop", "100") == 0, run.err
    rows |= set(lists_in(folder)["changes.tsv"].splitlines())
    assert {f"added\t{BASE}{name}.html" for name in ("0/new", "10", "11", "12", "13")} <= rows


@POSIX
def test_a_list_goes_to_a_pipe_too(listed: tuple[Path, list[str]]) -> None:
    flags = listed[1]
    command = [*SITEMAPPER, "build", *flags, "--changes", "/dev/stderr", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=for_starved())
    assert done.stderr == f"added\t{BASE}0/new.html\n"


def test_a_disk_that_fails_in_the_middle_of_a_burst_is_told_of(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(4)})
    build(root, sitemap={"max_urls": 2})
    calls: list[str] = []

    def fails(real: Any, source: str, target: str) -> None:
        calls.append(target)
        if len(calls) > 2:
            raise OSError(errno.EROFS, "Read-only file system", source, None, target)
        real(source, target)

    with system(replace=fails), pytest.raises(SitemapperError) as caught:
        build(root, base_url="https://b.example/", sitemap={"max_urls": 2})
    assert str(caught.value) == (
        f"{root}/sitemap.xml: Read-only file system; could not restore sitemap-2.xml, sitemap-1.xml, so these "
        "files are new\nhelp: check the free space, and the permissions of the file and its folder, then run again"
    )
    build(root, base_url="https://b.example/", sitemap={"max_urls": 2})
    assert not list(root.glob(".*"))


@POSIX
@pytest.mark.parametrize("reason", ["EINVAL", "EIO"])
def test_a_folder_that_cannot_be_flushed(site: Site, reason: str) -> None:
    def refuse(real: Any, descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(getattr(errno, reason), reason)
        real(descriptor)

    root = site({"a.html": ""})
    said = f"^{root}: {reason}; the files are published, but not flushed"
    with system(fsync=refuse), pytest.raises(SitemapperError, match=said):
        build(root)
    assert locs(root) == [f"{BASE}a.html"]
