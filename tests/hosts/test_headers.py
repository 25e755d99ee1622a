"""The effects of the headers that one rule sets."""

from __future__ import annotations

import pytest

from sitemapper.hosts.headers import Header, header_effects, read_headers
from sitemapper.model import Origin, Reason

NOW = 1_780_272_000  # 2026-06-01


@pytest.mark.parametrize(
    ("name", "value", "replaces", "expected"),
    [
        ("x-robots-tag", "noindex", False, [Reason.NOINDEX]),
        ("x-robots-tag", "all", False, []),
        ("x-robots-tag", "all", True, [None]),
        ("x-robots-tag", None, False, [None]),
        ("link", '<https://example.com/c>; rel="canonical"', False, [Reason.CANONICAL]),
        ("link", "</:splat>; rel=canonical", False, []),
        ("basic-auth", "me:secret", False, [Reason.CLOSED]),
        ("x-frame-options", "DENY", True, []),
    ],
)
def test_effects(
    name: str, value: str | None, replaces: bool, expected: list[Reason | None]
) -> None:
    header = Header(name, value, Origin("_headers", 2, ""))
    effects = header_effects([header], NOW, replaces=replaces)
    assert [effect and effect.reason for effect in effects] == expected


@pytest.mark.parametrize(
    "values",
    [{"X-Robots-Tag": ["none", "all"]}, [{"key": "X-Robots-Tag", "value": "none, all"}]],
)
def test_headers_in_a_table_and_in_a_list(values: object) -> None:
    origin = Origin("f", 3, "X-Robots-Tag: none, all")
    assert read_headers(values, "f", 3) == [("x-robots-tag", "none, all", origin)]
