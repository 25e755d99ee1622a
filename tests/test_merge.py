"""Two sources in the same order, read in step."""

from __future__ import annotations

from collections.abc import Generator

from sitemapper.merge import MergeJoin


def test_items_come_up_to_a_key_and_are_read_no_further() -> None:
    read: list[bytes] = []

    def items() -> Generator[tuple[bytes, str], None, None]:
        for key in (b"a", b"b", b"c", b"d"):
            read.append(key)
            yield key, key.decode().upper()

    join = MergeJoin(items())
    assert list(join.until(b"")) == []
    assert list(join.until(b"b")) == ["A", "B"]
    assert read == [b"a", b"b", b"c"]  # one is in memory
    assert list(join.until(None)) == ["C", "D"]
    assert list(join.until(None)) == []
