"""The names of our files, and which files may be ours by their names."""

from __future__ import annotations

import pytest

from sitemapper.config import filenames
from sitemapper.model import Shard, ShardSeries


@pytest.mark.parametrize(
    ("shard", "numbered", "name"),
    [
        (Shard(ShardSeries("xml", ""), 1), False, "sitemap.xml"),
        (Shard(ShardSeries("xml", ""), 2), True, "sitemap-2.xml"),
        (Shard(ShardSeries("xml", "blog"), 1), True, "sitemap-blog.xml"),
        (Shard(ShardSeries("xml", "blog"), 2), True, "sitemap-blog-2.xml"),
        (Shard(ShardSeries("txt", ""), 1), True, "sitemap-1.txt"),
        (Shard(ShardSeries("xml", ""), 1, key="0123456789ab"), True, "sitemap-0123456789ab.xml"),
    ],
)
def test_a_name_of_ours_is_known_again(shard: Shard, numbered: bool, name: str) -> None:
    assert filenames.shard_name(shard, "sitemap", numbered=numbered) == name
    assert filenames.is_own_name(name, "sitemap", ["blog"])
    assert filenames.is_own_name(f"{name}.gz", "sitemap", ["blog"])
    assert not filenames.is_own_name(name, "pages", ["blog"])


@pytest.mark.parametrize(
    "name",
    ["sitemap-pages.xml", "sitemap.html", "sitemap.xml.bak", "my-sitemap.xml", "sitemap-.xml"],
)
def test_other_names_are_not_ours(name: str) -> None:
    assert not filenames.is_own_name(name, "sitemap", ["blog"])


def test_a_temporary_file_tells_what_it_becomes() -> None:
    name = filenames.temporary_name("sitemap-1.xml", 77, "new")
    assert filenames.final_path(f"/out/{name}") == "/out/sitemap-1.xml"
    assert filenames.is_temporary(name, "sitemap", [])
    assert not filenames.is_temporary(name, "pages", [])
    assert not filenames.is_temporary("sitemap-1.xml", "sitemap", [])
