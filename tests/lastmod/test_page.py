"""The date that a page gives itself, if it has one meaning only."""

from __future__ import annotations

import pytest

from sitemapper.lastmod.page import lastmods
from sitemapper.syntax.dates import Writer


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-03-01", "2024-03-01"),
        ("2024-03-01T12:00:00Z", "2024-03-01T12:00:00+00:00"),
        ("May 2024", "2024-05"),
        ("1 March 2024", "2024-03-01"),
        ("03/04/2024", None),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_a_text_without_a_single_meaning_is_no_date(text: str | None, date: str | None) -> None:
    (lastmod,) = lastmods([text], Writer())
    assert (lastmod and lastmod.text) == date
