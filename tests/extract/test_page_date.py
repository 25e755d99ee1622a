"""Dates that pages give themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.facts import page_date


def linked(json: str) -> str:
    return f'<script type="application/ld+json">{json}</script>'


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ('<meta property="article:modified_time" content="2024-03-01T10:00:00Z">', "2024-03-01T10:00:00Z"),
        ("<META CONTENT=2024-03-01 NAME=Last-Modified>", "2024-03-01"),
        ('<meta name="dcterms.modified" content="2024-03">', "2024-03"),
        ('<meta name="date" content="March 1, 2024">', "March 1, 2024"),
        (linked('{"dateModified": "2024-03-01"}'), "2024-03-01"),
        (linked('[{"@type": "X"}, {"dateModified": "2024-03-01"}]'), "2024-03-01"),
        (linked('{"@graph": [{"@type": "WebSite"}, {"dateModified": "2024-03-01"}]}'), "2024-03-01"),
        (linked('{"author": {"dateModified": "2024-03-01"}}'), None),
        (linked('{"dateModified": '), None),
        (linked('{"dateModified": 20240301}'), None),
        (linked("[" * 5000 + '"dateModified"'), None),
        ('<body><time itemprop="dateModified" datetime="2024-03-01">yesterday</time>', "2024-03-01"),
        ("<body><time itemprop='datePublished dateModified'>2024-03-01</time>", "2024-03-01"),
        ('<meta property="article:published_time" content="2024-03-01">', None),
        ('<!-- <meta name="date" content="2024-03-01"> -->', None),
        ('<meta name="date" content="">', None),
        ('<meta name="date" content="2023-01-01"><meta property="article:modified_time" content="2024-03-01">', "2024-03-01"),
        ('<meta name="date" content="soon"><time itemprop="dateModified" datetime="2024-03-01">', "2024-03-01"),
        ('<meta name="date" content="soon">', "soon"),
        ("<p>modified</p>", None),
        ("", None),
    ],
)  # fmt: skip
def test_dates_that_pages_give_themselves(inside: str, expected: str | None) -> None:
    assert page_date(f"<!doctype html><html><head>{inside}".encode()) == expected


@given(st.binary(max_size=80) | st.text(max_size=80).map(lambda t: linked('{"dateModified": "' + t).encode()))
def test_no_page_raises(data: bytes) -> None:
    page_date(data + b" modified")
