"""The pages are read aloud: no sentence is long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = sorted((ROOT / "docs").glob("*.md"))
TOP = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
PAGES = {page.name: page for page in (*TOP, *DOCS)}
MOST_WORDS_OF_A_SENTENCE = 30

FENCE = re.compile(r"^( *)(```+).*?^\1\2$", re.S | re.M)
COMMENT = re.compile(r"<!--.*?-->", re.S)
CODE = re.compile(r"`[^`]+`")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s+")
END = re.compile(r"(?<=[.!?])[)\"”*_]*\s+")
WORD = re.compile(r"\w[\w'’.,/%-]*")


def is_row(line: str) -> bool:
    return line.startswith("|") or " | " in line


def blocks(text: str) -> Iterator[str]:
    """The headings, paragraphs, list items and table cells of a page, without blocks of code."""
    paragraph: list[str] = []
    for line in COMMENT.sub("", FENCE.sub("", text)).splitlines():
        is_heading = line.startswith("#")
        if is_heading or is_row(line) or ITEM.match(line) or not line.strip():
            yield " ".join(paragraph)
            paragraph = []
        if is_heading:
            yield line
        elif is_row(line):
            yield from line.strip("|").split(" | ")
        else:
            paragraph.append(ITEM.sub("", line).strip())
    yield " ".join(paragraph)


def sentences(text: str) -> Iterator[str]:
    """Each sentence. A span of code counts as one word, and the address of a link as none."""
    for block in blocks(text):
        spoken = LINK.sub(r"\1", CODE.sub("code", block))
        yield from END.split(spoken)


def count_words(sentence: str) -> int:
    return len(WORD.findall(sentence))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two (three). Four", ["One.", "Two (three).", "Four"]),
        ("At least 1,000. On S3. Four", ["At least 1,000.", "On S3.", "Four"]),
        ("One\ntwo.\nThree", ["One two.", "Three"]),
        ("# One\nTwo\n- Three\n  three\n2. Four", ["# One", "Two", "Three three", "Four"]),
        ("| One. Two | Three |\n|---|---|\n", ["One.", "Two", "Three"]),
        ("[One](two.md#three) `four. five` six", ["One code six"]),
        ("One\n\n```sh\nTwo. Three\n```\n<!-- four -->\nFive", ["One", "Five"]),
        ("**One.** Two. (Three.) Four", ["**One.", "Two.", "(Three.", "Four"]),
    ],
)
def test_a_text_is_split_into_sentences(text: str, expected: list[str]) -> None:
    found = [sentence.strip() for sentence in sentences(text) if WORD.search(sentence)]
    assert found == expected


@pytest.mark.parametrize("page", PAGES)
def test_no_sentence_is_too_long_to_read_aloud(page: str) -> None:
    long = [
        f"{count_words(sentence)} words: {sentence}"
        for sentence in sentences(PAGES[page].read_text())
        if count_words(sentence) > MOST_WORDS_OF_A_SENTENCE
    ]
    assert long == []
