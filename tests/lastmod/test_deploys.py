"""Which commits count as deploys: those that rewrote nearly all pages that there were."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import pytest

from sitemapper.lastmod.commits import Change, Commit
from sitemapper.lastmod.deploys import Rewrites

NAMES = [b"%02d.html" % n for n in range(20)]
NONE = b"0" * 40


def rewrites_of(names: Iterable[bytes]) -> Rewrites:
    """The rewrites in a repository with these pages, and a file that is none."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE files (path BLOB PRIMARY KEY, blob BLOB, page BLOB)")
    rows = [(name, name, name) for name in names]
    database.executemany("INSERT INTO files VALUES (?, ?, ?)", [*rows, (b"a.css", b"a", None)])
    return Rewrites(database)


def commit(seconds: int, *, is_ignored: bool = False) -> Commit:
    return Commit(b"%d" % seconds, seconds, seconds, is_certain=True, is_ignored=is_ignored)


def add(rewrites: Rewrites, made: Commit, names: Iterable[bytes], before: bytes = b"1") -> None:
    for name in names:
        rewrites.add(name, Change(name, b"2", [name], [before], made))


def deploy(rewrites: Rewrites) -> int | None:
    rewrites.finish()
    found = rewrites.newest_deploy(lambda page: not page.startswith("0"))
    return found.seconds if found else None


@pytest.mark.parametrize(
    ("rewritten", "found"),
    [
        (NAMES, 5),
        (NAMES[1:], 5),
        (NAMES[:9], None),  # fewer than half
        (NAMES[2:14], None),
        (NAMES[10:], 5),  # the others are not listed
        ([*NAMES[10:18], b"a.css", b"other.html"], None),
    ],
)
def test_nine_of_ten_listed_pages_are_rewritten(rewritten: list[bytes], found: int | None) -> None:
    rewrites = rewrites_of(NAMES)
    add(rewrites, commit(5), rewritten)
    assert deploy(rewrites) == found


def test_pages_that_were_added_later_do_not_count() -> None:
    rewrites = rewrites_of(NAMES)
    add(rewrites, commit(9), NAMES[15:], before=NONE)
    add(rewrites, commit(5), NAMES[:15])
    add(rewrites, commit(3), NAMES[:15])
    assert deploy(rewrites) == 5


def test_an_edit_of_the_only_page_is_no_deploy() -> None:
    rewrites = rewrites_of([b"index.html"])
    add(rewrites, commit(5), [b"index.html"])
    assert deploy(rewrites) is None


@pytest.mark.parametrize(
    ("is_ignored", "blob", "name"),
    [(True, b"1", b""), (False, b"2", b""), (False, b"1", b"old/")],
    ids=["ignored", "same content", "renamed"],
)
def test_what_changes_no_content_is_no_rewrite(is_ignored: bool, blob: bytes, name: bytes) -> None:
    rewrites = rewrites_of(NAMES)
    made = commit(5, is_ignored=is_ignored)
    for page in NAMES:
        rewrites.add(page, Change(page, b"2", [name + page], [blob], made))
    assert deploy(rewrites) is None
