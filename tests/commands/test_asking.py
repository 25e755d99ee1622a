"""Which URLs are asked of the live host: all of them, a sample or the changes, and where."""

from __future__ import annotations

import pytest
from support import BASE as ROOT

from sitemapper.commands.asking import (
    Request,
    Scope,
    is_of_local_build,
    sample_of,
)

BASE = f"{ROOT}docs/"
SCOPE = Scope(f"{BASE}sitemap.xml", BASE, BASE)


def entries(*paths: str) -> list[Request]:
    return [Request(BASE + path, SCOPE.sitemap, n) for n, path in enumerate(paths)]


def test_a_sample_has_the_ends_and_shares_the_rest_by_size() -> None:
    many = [
        Request(f"https://example.com/{path}", "", 0)
        for path in [*(f"blog/{n}" for n in range(1000)), "x/a", "x/b", "y"]
    ]
    chosen = [entry.url.removeprefix("https://example.com/") for entry in sample_of(many, 6)]
    assert chosen == ["blog/0", "blog/1", "blog/500", "x/a", "x/b", "y"]


@pytest.mark.parametrize("sample", [1, 2, 3, 20, 999])
@pytest.mark.parametrize(
    "paths", [[f"post-{n}/" for n in range(1000)], [f"a/{n}" for n in range(1000)]]
)
def test_a_sample_is_never_larger(paths: list[str], sample: int) -> None:
    """A site whose pages each have a top folder of their own was asked whole."""
    assert len(sample_of(entries(*paths), sample)) == sample


@pytest.mark.parametrize(
    ("url", "at", "expected"),
    [
        ("http://localhost:1313/a", BASE, True),
        ("http://127.0.0.1/a", BASE, True),
        ("http://localhost:1313/a", "http://127.0.0.1:1313/", False),
        ("http://localhost:1313/a", "http://localhost:8000/", True),
        (f"{BASE}a", "http://localhost:8000/", False),
    ],
)
def test_urls_of_a_local_build(url: str, at: str, expected: bool) -> None:
    assert is_of_local_build(url, at) is expected
