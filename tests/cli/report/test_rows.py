"""The lists of a report: rows in bounded memory."""

from __future__ import annotations

import gzip
import random
from base64 import b64decode
from typing import Any

import pytest

from sitemapper.cli.report import bounded
from sitemapper.cli.report.bounded import Lists


def lines(packed: dict[str, Any]) -> list[str]:
    """The lines of a list."""
    return gzip.decompress(b64decode(packed["rows"])).decode().splitlines()


def test_short_lists_are_kept_whole_and_in_order() -> None:
    lists = Lists(1_000)
    lists.add("noindex", "a.html", "a.html:3")
    lists.add("redirect", "b.html", "_redirects:1")
    lists.add("noindex", "c.html", "c.html:3")
    packed = lists.packed()
    assert {kind: (one["count"], one["kept"]) for kind, one in packed.items()} == {
        "noindex": (2, 2),
        "redirect": (1, 1),
    }
    assert lines(packed["noindex"]) == ["a.html\ta.html:3", "c.html\tc.html:3"]


def test_a_long_list_leaves_room_for_the_others() -> None:
    rng = random.Random(1)
    lists = Lists(100_000)
    for kind in ("noindex", "redirect"):
        for _ in range(5_000):
            lists.add(kind, rng.randbytes(100).hex())
    packed = lists.packed()
    for kind in ("noindex", "redirect"):
        assert packed[kind]["count"] == 5_000
        assert len(lines(packed[kind])) == packed[kind]["kept"] > 100
        assert len(str(packed[kind]["rows"])) < 100_000


def test_no_list_has_more_rows_than_a_browser_searches_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounded, "_MAX_ROWS", 3)
    lists = Lists(1_000, parts=1)
    for n in range(5):
        lists.add("listed", f"{n}.html")
    packed = lists.packed()["listed"]
    assert (packed["count"], lines(packed)) == (5, ["0.html", "1.html", "2.html"])


def test_names_are_short_and_on_one_line() -> None:
    lists = Lists(1_000)
    lists.add("noindex", "x" * 1_000, "a\nb\tc\x1b[31m")
    (row,) = lines(lists.packed()["noindex"])
    long, name = row.split("\t")
    assert (long, "\x1b" in name) == ("x" * 300 + "…", False)
