"""One run at a time publishes into a folder, and keeps a ledger."""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from support import BASE, POSIX, Run, Site, build, write_site
from support.ledger import pages

from sitemapper import SitemapperError
from sitemapper.messages import Kind, Message
from sitemapper.publish.write import locked


def test_two_runs_may_not_keep_one_ledger_at_once(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site(pages("a"))
    monkeypatch.setattr("sitemapper.publish.write.locked", partial(locked, wait=0.1))
    with locked(str(root.parent)), pytest.raises(SitemapperError, match="another run"):
        build(root, lastmod=["ledger", "mtime"])
    build(root, lastmod=["ledger", "mtime"])
    ledger = root.parent / "sitemapper.ledger"
    held = locked(str(root.parent / "other"), [str(ledger)])
    with held, pytest.raises(SitemapperError, match=f"{ledger}: another run of sitemapper"):
        build(root, lastmod=["ledger", "mtime"])


@POSIX
def test_two_sites_with_ledgers_in_one_folder_do_not_wait_for_each_other(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first site is built all the while that the second one is."""
    monkeypatch.setattr("sitemapper.publish.write.locked", partial(locked, wait=0))

    def build(name: str) -> int:
        root = write_site(tmp_path / name, {"a.html": "<p>a"})
        ledger = ("--ledger", tmp_path / f"{name}.ledger")
        return run("build", root, "--base-url", BASE, *ledger)

    assert build("one") == build("two") == 0
    left = tmp_path / ".sitemap.xml.1.new.tmp"  # perhaps of a site whose output this folder is
    left.write_text("")
    with locked(str(tmp_path / "one"), [str(tmp_path / "one.ledger")]):
        assert build("one") == 2
        assert build("two") == 0
    assert left.exists()


@POSIX
def test_a_ledger_that_was_replaced_while_it_was_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = tmp_path / "ledger"
    ledger.write_text("old")
    other = ExitStack()
    other.enter_context(locked(str(tmp_path / "out"), [str(ledger)]))

    def then_the_other_ends(_: float) -> None:
        (tmp_path / "new").write_text("new")
        os.replace(tmp_path / "new", ledger)
        other.close()

    monkeypatch.setattr("sitemapper.publish.write.time.sleep", then_the_other_ends)
    with locked(str(tmp_path / "out"), [str(ledger)]) as locks:
        assert os.stat(ledger).st_ino in [os.fstat(d).st_ino for d in locks.descriptors]


@POSIX
def test_a_second_run_waits_and_then_says_so(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site({"a.html": ""})
    other = ExitStack()
    other.enter_context(locked(str(root)))
    with pytest.raises(SitemapperError, match="another run of sitemapper uses it"), locked(str(root), wait=0):  # fmt: skip
        raise AssertionError("two runs hold one lock")
    waited: list[float] = []

    def then_the_other_ends(seconds: float) -> None:
        waited.append(seconds)
        other.close()

    monkeypatch.setattr("sitemapper.publish.write.time.sleep", then_the_other_ends)
    assert build(root).listed == 1
    assert len(waited) == 1


@POSIX
def test_a_file_system_without_locks_is_a_warning(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    root = site({"a.html": ""})
    monkeypatch.setattr("fcntl.flock", refuse)
    (warning,) = build(root).warnings
    assert warning == Message(Kind.UNLOCKED, (str(root),))
    assert (root / "sitemap.xml").exists()
