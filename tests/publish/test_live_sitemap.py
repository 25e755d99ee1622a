"""A sitemap on a live host: which files are requested, and how often."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

import pytest
from support import Site, settings
from support.web import Web, web

from sitemapper.publish.live_sitemap import (
    LiveSitemap,
    UnreadableSitemap,
    read_with_parts,
)
from sitemapper.site import Run


@pytest.fixture
def host() -> Iterator[Web]:
    with web() as server:
        yield server


@pytest.fixture
def calm(site: Site) -> Run:
    return settings(site({"index.html": "<p>"})).run


def nothing(name: str, file: IO[bytes]) -> list[str]:
    return []


def test_each_part_is_requested_once_on_the_host_of_the_index(host: Web, calm: Run) -> None:
    host.pages |= {"/map.xml": b"index", "/a.xml": b"a", "/b.xml": b"b"}
    read: list[tuple[str, bytes]] = []
    # The index names its parts by another scheme, and one of them twice.
    parts = [f"https://{host.authority}/{name}.xml" for name in "aba"]

    def add(name: str, file: IO[bytes]) -> list[str]:
        read.append((name, file.read()))
        return parts if name.endswith("map.xml") else []

    main = f"{host.url}map.xml"
    read_with_parts(main, LiveSitemap(main, calm).open, add)
    assert read == [(f"{host.url}map.xml", b"index"), (parts[0], b"a"), (parts[1], b"b")]
    assert host.asked == ["GET /map.xml", "GET /a.xml", "GET /b.xml"]


def test_an_index_with_too_many_parts_is_refused(host: Web, calm: Run) -> None:
    host.pages["/map.xml"] = b"index"
    main = f"{host.url}map.xml"
    parts = [str(number) for number in range(50_001)]
    with pytest.raises(UnreadableSitemap) as error:
        read_with_parts(main, LiveSitemap(main, calm).open, lambda name, file: parts)
    assert error.value.problem == "names 50,001 sitemaps, more than 50,000"
