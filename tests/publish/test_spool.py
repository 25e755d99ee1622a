"""The bytes of a run, kept until they are compared and published."""

from __future__ import annotations

from pathlib import Path

from sitemapper.model import Shard, ShardSeries
from sitemapper.publish.shards import Spool

XML, TXT = ShardSeries("xml", ""), ShardSeries("txt", "")


def test_a_shard_is_a_range_of_its_series(tmp_path: Path) -> None:
    with Spool(str(tmp_path)) as spool:
        spool.append(XML, b"a\nb\n")
        spool.append(TXT, b"other\n")
        spool.append(XML, b"c\n")
        shards = [Shard(XML, 1, 2, 0, 4), Shard(XML, 2, 1, 4, 2)]
        assert [b"".join(spool.blocks(shard)) for shard in shards] == [b"a\nb\n", b"c\n"]
        assert [list(spool.rows(shard)) for shard in shards] == [[b"a", b"b"], [b"c"]]
        assert list(spool.rows(Shard(TXT, 1, 1, 0, 6))) == [b"other"]


def test_rows_are_whole_wherever_blocks_end() -> None:
    rows = [b"%d" % n * 1_000 for n in range(3_000)]
    with Spool() as spool:
        for row in rows:
            spool.append(XML, row + b"\n")
        size = sum(len(row) + 1 for row in rows)
        assert list(spool.rows(Shard(XML, 1, len(rows), 0, size))) == rows


def test_nothing_of_it_stays_in_the_folder(tmp_path: Path) -> None:
    with Spool(str(tmp_path)) as spool:
        spool.append(XML, b"x" * (5 << 20))
    assert list(tmp_path.iterdir()) == []
