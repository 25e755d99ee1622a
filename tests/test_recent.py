"""Pages that name each other's language versions are parsed once."""

from __future__ import annotations

import pickle

import pytest
from support import Site, build
from support.heads import alternates

from sitemapper.model import PageFacts
from sitemapper.read.facts import ReadOptions, extract_facts
from sitemapper.recent import Recent, Spill


def test_each_language_version_is_parsed_once(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    languages = ("de", "en", "fr", "it")
    links = alternates(*((language, f"/{language}/") for language in languages))
    root = site({f"{language}/index.html": links for language in languages})
    parsed: list[str] = []

    def extract(path: str, data: bytes, options: ReadOptions) -> PageFacts:
        parsed.append(path)
        return extract_facts(path, data, options)

    monkeypatch.setattr("sitemapper.read.page.extract_facts", extract)
    assert build(root, hreflang=True).warnings == ()
    assert len(parsed) == len(languages)


def test_what_was_not_used_for_the_longest_time_is_forgotten() -> None:
    items: Recent[int, str] = Recent(2)
    for number in range(4):
        items.put(number, str(number))
        assert items.get(0) == "0"
    assert [items.get(number) for number in range(4)] == ["0", None, "2", "3"]
    assert pickle.loads(pickle.dumps(items)).get(0) is None


def test_what_a_batch_read_is_kept_in_a_file_until_its_page_comes() -> None:
    spill = Spill()
    spill.put({"a.html": b"1", "\udcff.html": b"2"})
    spill.put({"a.html": b"3"})
    assert spill.get(["a.html", "b.html", "\udcff.html"]) == {"a.html": b"3", "\udcff.html": b"2"}
    spill.close()
    spill.put({"c.html": b"4"})  # as on a full disk: nothing is remembered
    assert spill.get(["a.html"]) == {}
