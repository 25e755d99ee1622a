"""Pages that name each other's language versions are parsed once."""

from __future__ import annotations

from sitemapper.recent import Spill


def test_what_a_batch_read_is_kept_in_a_file_until_its_page_comes() -> None:
    spill = Spill()
    spill.put({"a.html": b"1", "\udcff.html": b"2"})
    spill.put({"a.html": b"3"})
    assert spill.get(["a.html", "b.html", "\udcff.html"]) == {"a.html": b"3", "\udcff.html": b"2"}
    spill.close()
    spill.put({"c.html": b"4"})  # as on a full disk: nothing is remembered
    assert spill.get(["a.html"]) == {}
