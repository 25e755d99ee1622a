"""A sitemap on a live host: which files are requested, and how often."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

import pytest
from support import Site, settings
from support.web import Web, web

from sitemapper.errors import SitemapperError
from sitemapper.publish.live_sitemap import LiveSitemap, check_parts
from sitemapper.site import Run
from sitemapper.syntax.urls import without_www


@pytest.fixture
def host() -> Iterator[Web]:
    with web() as server:
        yield server


@pytest.fixture
def calm(site: Site) -> Run:
    return settings(site({"index.html": "<p>"})).run


def refuse(name: str, what: str, may_be_opened: bool) -> SitemapperError:
    return SitemapperError(f"{name}: {what}", "a header" if may_be_opened else "")


def test_each_part_is_requested_once_on_the_host_of_the_index(host: Web, calm: Run) -> None:
    host.pages |= {"/map.xml": b"index", "/a.xml": b"a", "/b.xml": b"b"}
    read: list[tuple[str, bytes]] = []
    # The index names its parts by another scheme, and one of them twice.
    parts = [f"https://{host.authority}/{name}.xml" for name in "aba"]

    def add(file: IO[bytes], name: str) -> list[str]:
        read.append((name, file.read()))
        return parts if name.endswith("map.xml") else []

    assert LiveSitemap(f"{host.url}map.xml", calm, refuse).read(add)
    assert read == [(f"{host.url}map.xml", b"index"), (parts[0], b"a"), (parts[1], b"b")]
    assert host.asked == ["GET /map.xml", "GET /a.xml", "GET /b.xml"]


def test_what_is_not_there_is_not_read(host: Web, calm: Run) -> None:
    assert not LiveSitemap(f"{host.url}map.xml", calm, refuse).read(lambda file, name: [])


@pytest.mark.parametrize(
    ("answer", "may_be_opened"),
    [
        ((401, {}, b""), True),
        ((403, {}, b""), True),
        ((302, {"Location": "https://login.test/"}, b""), True),
        ((500, {}, b""), False),
    ],
)
def test_a_header_is_proposed_only_where_a_host_asks_who_is_there(
    answer: tuple[int, dict[str, str], bytes], may_be_opened: bool, host: Web, calm: Run
) -> None:
    host.pages["/map.xml"] = answer
    with pytest.raises(SitemapperError) as error:
        LiveSitemap(f"{host.url}map.xml", calm, refuse).read(lambda file, name: [])
    assert str(error.value).endswith("a header") is may_be_opened


def test_a_header_opens_no_host_that_cannot_be_reached(calm: Run) -> None:
    with pytest.raises(
        SitemapperError, match=r"^http://localhost:1/map.xml: cannot be read: [^\n]+$"
    ):
        LiveSitemap("http://localhost:1/map.xml", calm, refuse).read(lambda file, name: [])


def test_an_index_with_too_many_parts_is_refused() -> None:
    with pytest.raises(SitemapperError, match=r"map: names 50,001 sitemaps, more than 50,000"):
        check_parts([str(number) for number in range(50_001)], "map", refuse)


def test_scheme_and_www_make_no_difference() -> None:
    urls = ("http://a.test/b", "https://a.test/b", "https://www.a.test/b")
    assert {without_www(url) for url in urls} == {"a.test/b"}
