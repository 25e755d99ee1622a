"""How files are written: locks, killed runs, broken disks, and sitemaps on the live site."""

from __future__ import annotations

import fcntl
import os
import stat
import sys
import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from support.rooms import BASE, changes, page, publish, write
from support.web import Web

from sitemapper.messages import SitemapperError
from sitemapper.model import File, Run
from sitemapper.publish import write as write_plan
from sitemapper.publish.write import lock
from sitemapper.read.sitemap import read_sitemap

pytestmark = pytest.mark.slow

PAGES = "index.html a.html b/index.html c.html"
ALL: dict[str, object] = {"max_drop": 100.0}
# Two states between which a site goes back and forth, so that all kinds of files come and go.
STATES: list[dict[str, Any]] = [
    {"max_urls": 1, "text": True},
    {"gzip": "only", "text": True, "index": "always"},
    {},
    {"max_urls": 2, "strategy": "stable", "gzip": "also"},
]


def contents(root: Path) -> dict[str, bytes]:
    return {name: (root / name).read_bytes() for name in sorted(os.listdir(root)) if "." in name}


def reachable(root: Path) -> list[str]:
    """The URLs that a crawler finds from the main sitemap. Fails if a sitemap is not whole."""
    urls: list[str] = []
    for entry in read_sitemap((root / "sitemap.xml").read_bytes()):
        if entry.is_sitemap:
            part = (root / entry.loc.removeprefix(BASE)).read_bytes()
            urls += [one.loc for one in read_sitemap(part)]
        else:
            urls.append(entry.loc)
    return urls


# --- Killed runs


def killed_at(step: int, root: Path, sitemap: dict[str, Any]) -> bool:
    """Whether a build, in a process of its own, is killed at its n-th rename or removal."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] != 0
    calls = count(1)

    def counted(call: Callable[..., None]) -> Callable[..., None]:
        def made(*arguments: Any, **options: Any) -> None:
            if next(calls) == step:
                os._exit(9)
            call(*arguments, **options)

        return made

    os.replace, os.unlink = counted(os.replace), counted(os.unlink)  # type: ignore[assignment]
    publish(root, sitemap=sitemap)
    os._exit(0)


@pytest.mark.parametrize(("before", "after"), [(0, 1), (1, 0), (0, 2), (2, 3), (3, 0)])
def test_killed_at_any_moment_what_the_index_names_is_there_and_whole(
    tmp_path: Path, before: int, after: int
) -> None:
    root = write(tmp_path, PAGES)
    publish(root, sitemap=STATES[after])
    expected = contents(root)
    for step in range(1, 99):
        publish(root, sitemap=STATES[before])
        assert len(reachable(root)) == 4
        is_killed = killed_at(step, root, STATES[after])
        assert len(reachable(root)) == 4
        if not is_killed:
            break
        # The next run mends all, and leaves nothing behind.
        publish(root, sitemap=STATES[after])
        assert contents(root) == expected
    assert step > 4


# --- Files that cannot be written


def test_a_full_disk_changes_nothing_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path, PAGES)
    publish(root)
    before = contents(root)
    calls = 0

    def fsync(_: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(SitemapperError) as raised:
        publish(root, sitemap={"max_urls": 1})
    assert raised.value.text == (
        "sitemap-3.xml: cannot be written: No space left on device; nothing was published"
    )
    assert contents(root) == before


def test_a_failure_in_the_burst_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(tmp_path, PAGES)
    publish(root)
    replace = os.replace

    def fail(source: str, target: str) -> None:
        if target.endswith("sitemap-2.xml"):
            raise OSError(5, "Input/output error")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(SitemapperError, match=r"sitemap-2\.xml: cannot .* not all of it is new"):
        publish(root, sitemap={"max_urls": 1})
    assert len(reachable(root)) == 4
    assert not [name for name in os.listdir(root) if name.endswith(".tmp")]
    monkeypatch.undo()
    publish(root, sitemap={"max_urls": 1})
    assert len(reachable(root)) == 4


@pytest.mark.parametrize("name", ["sitemap.xml", "robots.txt"])
def test_nothing_is_written_through_a_link_that_leads_out(tmp_path: Path, name: str) -> None:
    site = write(tmp_path / "site", "a.html")
    write(tmp_path, {"out": "somebody's"})
    (site / name).symlink_to(tmp_path / "out")
    with pytest.raises(SitemapperError, match=rf"{name}: "):
        publish(tmp_path, "site")
    assert (tmp_path / "out").read_text() == "somebody's"
    assert not (site / "sitemap.xml").exists() or name == "sitemap.xml"


def test_a_folder_in_place_of_a_file_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, "a.html sitemap.xml/x.txt")
    with pytest.raises(SitemapperError, match=r"sitemap\.xml: another tool wrote it"):
        publish(tmp_path)


def test_files_keep_their_mode_and_new_ones_follow_the_umask(tmp_path: Path) -> None:
    root = write(tmp_path, "a.html")
    mask = os.umask(0o027)
    try:
        publish(root)
        assert stat.S_IMODE((root / "sitemap.xml").stat().st_mode) == 0o640
        (root / "sitemap.xml").chmod(0o604)
        write(root, {"b.html": page()})
        publish(root)
        assert stat.S_IMODE((root / "sitemap.xml").stat().st_mode) == 0o604
    finally:
        os.umask(mask)


def test_robots_txt_is_read_again_at_the_moment_of_writing(tmp_path: Path) -> None:
    root = write(tmp_path, "a.html")
    plan = publish(root, is_dry=True).plan
    write(root, {"robots.txt": "User-agent: *\n"})
    write_plan(plan, Run(str(root), {}))
    assert (root / "robots.txt").read_text() == f"User-agent: *\nSitemap: {BASE}sitemap.xml\n"


def test_lists_come_first_and_in_the_same_burst(tmp_path: Path) -> None:
    root = write(tmp_path / "site", "a.html")
    plan = publish(tmp_path, "site", is_dry=True).plan
    file = File(str(tmp_path / "list"), "updated", b"added\n")
    write_plan(plan._replace(files=(file, *plan.files)), Run(str(tmp_path), {}))
    assert (tmp_path / "list").read_text() == "added\n"
    assert (root / "sitemap.xml").exists()


def test_a_second_run_touches_no_file_and_not_the_folder(tmp_path: Path) -> None:
    root = write(tmp_path, PAGES)
    times = []
    for _ in range(2):
        publish(root, sitemap={"max_urls": 2, "gzip": "also", "text": True})
        times.append({path: path.stat().st_mtime_ns for path in (root, *root.iterdir())})
    assert times[0] == times[1]


# --- Locks


def test_a_dry_run_writes_nothing_and_says_the_same(tmp_path: Path) -> None:
    write(tmp_path / "site", "a.html")
    dry = publish(tmp_path, "site", output="out", is_dry=True)
    assert os.listdir(tmp_path) == ["site"]
    assert changes(dry) == changes(publish(tmp_path, "site", output="out"))


def test_a_run_waits_for_another_and_then_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path, "a.html")
    descriptor = os.open(root, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    threading.Timer(0.2, lambda: fcntl.flock(descriptor, fcntl.LOCK_UN)).start()
    publish(root)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    monkeypatch.setattr(sys.modules["sitemapper.publish.write"], "_TRIES", 2)
    begun = time.monotonic()
    with pytest.raises(SitemapperError, match="another run of sitemapper uses it"):
        publish(root)
    assert time.monotonic() - begun < 5
    os.close(descriptor)
    assert not publish(root).plan.is_changed


def test_a_worker_that_lives_on_holds_no_lock(tmp_path: Path) -> None:
    with lock(str(tmp_path), Run(str(tmp_path), {})):
        child = os.fork()
        if child == 0:
            time.sleep(9)
            os._exit(0)
    with lock(str(tmp_path), Run(str(tmp_path), {})):
        os.kill(child, 9)
    os.waitpid(child, 0)


# --- The live site

ROW = b"a.html\t2026-03-01\t1a2b-0123456789abcdef\n"


def on_host(root: Path, live: Web, **values: Any) -> Any:
    for name in ("sitemap.xml", "robots.txt"):
        (root / name).unlink(missing_ok=True)
    return publish(root, base_url=live.url, previous="live", **values)


def test_the_second_build_on_a_machine_without_memory_knows_the_first(
    tmp_path: Path, live: Web
) -> None:
    root = write(tmp_path, PAGES)
    first = on_host(root, live)  # 404
    assert first.plan.previous is None
    live.pages["/sitemap.xml"] = (root / "sitemap.xml").read_bytes()
    second = on_host(root, live)
    assert (second.plan.previous, second.plan.changes) == (4, ())
    assert second.plan.compared_with == f"{live.url}sitemap.xml"
    os.rename(root / "c.html", root / "d.html")
    kinds = [(one.kind, one.url) for one in on_host(root, live).plan.changes]
    assert kinds == [("added", f"{live.url}d.html"), ("removed", f"{live.url}c.html")]
    for name in ("index", "a", "d"):
        (root / f"{name}.html").unlink()
    with pytest.raises(SitemapperError, match="so nothing was published"):
        on_host(root, live)


def test_a_url_that_somebody_wrote_must_be_there(tmp_path: Path, live: Web) -> None:
    root = write(tmp_path, PAGES)
    with pytest.raises(SitemapperError, match=rf"{live.url}sitmap\.xml: does not exist"):
        publish(root, base_url=live.url, previous=f"{live.url}sitmap.xml")
    assert not (root / "sitemap.xml").exists()


def test_a_live_index_is_read_with_its_parts(tmp_path: Path, live: Web) -> None:
    root = write(tmp_path, PAGES)
    on_host(root, live, sitemap={"max_urls": 2, "gzip": "only"})
    for name in os.listdir(root):
        if name.startswith("sitemap"):
            live.pages[f"/{name}"] = (root / name).read_bytes()
    plan = on_host(root, live, sitemap={"max_urls": 2, "gzip": "only"}).plan
    assert (plan.previous, plan.changes) == (4, ())


def test_a_ledger_in_the_output_is_read_from_the_live_site(tmp_path: Path, live: Web) -> None:
    """One that is there wins, unless it is empty. One elsewhere is nowhere on the live site."""
    root = write(tmp_path, PAGES)
    live.pages["/x.ledger"] = ROW
    for here in (None, b"", ROW.replace(b"a.html", b"c.html")):
        if here is not None:
            (root / "x.ledger").write_bytes(here)
        before = on_host(root, live, ledger={"path": "x.ledger"}).before
        assert list(before.rows or {}) == (["c.html"] if here else ["a.html"])
        (root / "x.ledger").unlink()
    before = on_host(root, live, ledger={"path": str(tmp_path.parent / "x.ledger")}).before
    assert before.rows == {}


@pytest.mark.parametrize(
    ("answer", "help"),
    [
        (500, "use --ledger FILE with a copy"),
        (204, "use --ledger FILE with a copy"),
        (b"<!doctype html><p>Log in", "restore the file"),
        (ROW.replace(b"\t2", b"\tx"), "restore the file"),
    ],
)
def test_a_published_ledger_that_cannot_be_read_stops_the_build(
    tmp_path: Path, live: Web, answer: Any, help: str
) -> None:
    """All dates would be lost. A copy of the ledger is a way out."""
    root = write(tmp_path / "site", PAGES)
    live.pages["/x.ledger"] = answer
    with pytest.raises(SitemapperError, match=rf"/x\.ledger[:].*\nhelp: {help}"):
        on_host(root, live, ledger={"path": "x.ledger"})
    assert not (root / "sitemap.xml").exists()
    write(tmp_path, {"kept.ledger": ROW})
    before = on_host(root, live, ledger={"path": str(tmp_path / "kept.ledger")}).before
    assert list(before.rows or {}) == ["a.html"]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (500, "answers 500"),
        (403, "answers 403"),
        (b"<!doctype html><p>Log in", r"sitemap\.xml:1: "),
        ((302, {"Location": "https://b.example/"}, b""), "redirects to https://b.example/, which is not followed"),
        ((302, {"Location": "/sitemap.xml"}, b""), r"redirects to http://127\S+/sitemap\.xml, which"),
        (b"<sitemapindex><sitemap><loc>https://b.example/s.xml</loc></sitemap></sitemapindex>", r"127\S+/s\.xml: does not exist"),
    ],
)  # fmt: skip
def test_what_the_host_answers_otherwise_stops_the_build(
    tmp_path: Path, live: Web, answer: Any, error: str
) -> None:
    root = write(tmp_path, PAGES)
    live.pages["/sitemap.xml"] = answer
    with pytest.raises(SitemapperError, match=error):
        on_host(root, live)
    assert not (root / "sitemap.xml").exists()


def test_no_server_and_no_name_stop_the_build(tmp_path: Path) -> None:
    root = write(tmp_path, PAGES)
    hosts = (
        ("http://127.0.0.1:9/", "nothing answers at 127.0.0.1:9"),
        ("http://a.invalid/", "there is no DNS record for a.invalid"),
    )
    for url, error in hosts:
        with pytest.raises(SitemapperError, match=error) as raised:
            publish(root, base_url=url, previous="live")
        assert "--previous none" in raised.value.help


def test_a_redirect_on_the_host_is_followed(tmp_path: Path, live: Web) -> None:
    root = write(tmp_path, PAGES)
    on_host(root, live)
    live.pages["/sitemap.xml"] = (301, {"Location": "/b.xml"}, b"")
    live.pages["/b.xml"] = (root / "sitemap.xml").read_bytes()
    assert on_host(root, live).plan.previous == 4
