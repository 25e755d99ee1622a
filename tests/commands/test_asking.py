"""Which URLs are asked of the live host."""

from __future__ import annotations

import pytest
from support import BASE

from sitemapper.commands.asking import Request, is_of_local_build, sample_of


@pytest.mark.parametrize("sample", [1, 2, 3, 20, 999])
def test_a_sample_is_never_larger(sample: int) -> None:
    """Also of a site whose pages each have a top folder of their own."""
    entries = [Request(f"{BASE}post-{n}/", "", n) for n in range(1000)]
    assert len(sample_of(entries, sample)) == sample


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
