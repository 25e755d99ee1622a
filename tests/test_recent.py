"""Pages that name each other's language versions are parsed once."""

from __future__ import annotations

from sitemapper.recent import TemporaryStore


def test_what_a_batch_read_is_kept_in_a_file_until_its_page_comes() -> None:
    store = TemporaryStore()
    store.put({"a.html": b"1", "\udcff.html": b"2"})
    store.put({"a.html": b"3"})
    assert store.get(["a.html", "b.html", "\udcff.html"]) == {"a.html": b"3", "\udcff.html": b"2"}
    store.close()
    store.put({"c.html": b"4"})  # as on a full disk: nothing is remembered
    assert store.get(["a.html"]) == {}
