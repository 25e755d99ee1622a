"""A run with a damaged cache gives what a run without one gives."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import MTIME, settings, write_site
from support.cached import LEDGER, NOW, PAGES, cached, records
from support.laws import FEW

import sitemapper

DAMAGES = st.lists(
    st.sampled_from(["flip", "cut", "foreign", "more", "hole", "zeros", "twice"]), max_size=3
)


def damaged(old: bytes, how: str, data: st.DataObject) -> bytes:
    place = data.draw(st.integers(0, 9999)) % (
        len(old) + 1
    )  # how long a record is depends on chance
    match how:
        case "flip" if place < len(old):
            return (
                old[:place]
                + bytes([old[place] ^ data.draw(st.integers(1, 255))])
                + old[place + 1 :]
            )
        case "cut":
            return old[:place]
        case "foreign":
            return data.draw(st.binary(max_size=60))
        case "more":
            return old + data.draw(st.binary(max_size=60))
        case "hole":
            return old[:place] + old[place + data.draw(st.integers(1, 99)) :]
        case "zeros":
            return old[:place] + bytes(len(old) - place)
        case "twice":
            return old[:place] + old
    return old


@pytest.mark.slow
@FEW
@given(data=st.data())
def test_damaged_records_are_no_records(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    root = tmp_path_factory.mktemp("site") / "public"
    root.mkdir()
    write_site(root, PAGES)
    expected = cached(root, **LEDGER)
    edited = data.draw(st.booleans())
    if edited:  # then the pages' records are asked, too
        write_site(root, {"c.html": "<p>new"}, mtime=MTIME + 99)
    for path in records(root):
        for how in data.draw(DAMAGES):
            path.write_bytes(damaged(path.read_bytes(), how, data))
    other = Path(shutil.copytree(root.parent, tmp_path_factory.mktemp("other") / "copy")) / "public"
    found = cached(root, **LEDGER)
    assert (found.listed, found.excluded) == (expected.listed, expected.excluded)
    assert edited or {file.change.value for file in found.files} == {"kept"}
    sitemapper.build(settings(other, **LEDGER), now=NOW)
    for name in ("sitemap.xml", "robots.txt", "../sitemapper.ledger"):
        assert (root / name).read_bytes() == (other / name).read_bytes()
