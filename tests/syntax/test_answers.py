"""A key has an answer of its own, or that of a table above it which only code can tell."""

from __future__ import annotations

import pytest

from sitemapper.syntax.answers import Answer, answer_for

CODE = Answer(None, 7)  # only running the file would tell
HERE = Answer("/b", 2)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"site.base": HERE}, HERE),
        ({}, None),
        ({"site": Answer("x", 1)}, None),
        ({"site": CODE}, CODE),
        ({"site.*": CODE}, CODE),
        ({"*": CODE}, CODE),
        ({"base": CODE, "site.url": CODE, "sit": CODE}, None),
    ],
    ids=["the key", "nothing", "a text above", "code above", "an open table", "an open file", "other keys"],
)  # fmt: skip
def test_the_answer_for_a_key(answers: dict[str, Answer], expected: Answer | None) -> None:
    assert answer_for(answers, "site.base") == expected


def test_a_key_that_stands_there_counts_before_an_open_table() -> None:
    assert answer_for({"*": CODE, "site.*": CODE, "site.base": HERE}, "site.base") == HERE


def test_the_nearest_table_counts() -> None:
    far = Answer(None, 1)
    assert answer_for({"*": far, "site": far, "site.at.*": CODE}, "site.at.base") == CODE


def test_an_empty_text_is_known() -> None:
    assert not Answer("").is_unknown
    assert Answer(None).is_unknown
