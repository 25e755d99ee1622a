"""The lists and the folders of a report, in bounded memory."""

from __future__ import annotations

import gzip
import random
from base64 import b64decode
from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapper.cli.report import bounded
from sitemapper.cli.report.bounded import Lists, Tree, TreeRow


def lines(packed: dict[str, Any]) -> list[str]:
    """The lines of a list."""
    return gzip.decompress(b64decode(packed["rows"])).decode().splitlines()


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
    lists = Lists(1_000, has_one_kind=True)
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


PATHS = ["/".join(names) for depth in range(1, 5) for names in product("ab-.", repeat=depth)]


def grown(batches: Sequence[Sequence[str]]) -> list[TreeRow]:
    tree = Tree()
    for batch in batches:
        for folder, pages in sorted(Counter(path.rpartition("/")[0] for path in batch).items()):
            tree.add(f"{folder}/" if folder else "", 0, pages)
    return list(tree.rows())


@given(st.sets(st.sampled_from(PATHS)), st.integers(0, 20))
def test_no_batch_is_seen_in_the_tree(paths: set[str], cut: int) -> None:
    ordered = sorted(f"{path}.html" for path in paths)
    assert grown([ordered[:cut], ordered[cut:]]) == grown([ordered])


def test_small_folders_are_counted_in_the_one_above(monkeypatch: pytest.MonkeyPatch) -> None:
    assert grown([["a/index.html", "b/index.html", "c/1.html", "c/2.html"]]) == [
        (0, "", 2, [0, 2]),
        (1, "c", 0, [0, 2]),
    ]
    deep = "/".join("x" * 100)
    assert [row.pages for row in grown([[f"{deep}/1.html", f"{deep}/2.html"]])][-1] == [0, 2]
    monkeypatch.setattr(bounded, "MAX_FOLDERS", 4)
    many = [f"{n}/{m}.html" for n in range(1, 9) for m in range(8 if n == 5 else 2)]
    assert [row[:3] for row in grown([many])] == [(0, "", 5), (1, "5", 0), (1, "7", 0), (1, "8", 0)]
