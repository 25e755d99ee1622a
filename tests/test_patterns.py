"""Each regular expression of the package takes a time that grows with its text, whatever the text repeats."""

from __future__ import annotations

import re
from functools import cache, partial

import pytest
from support.cost import seconds
from support.patterns import Attack, Usage, attacks, usages

import sitemapper

PARTS = 4
# What reads one path, name, URL or ignore pattern only, of at most 4,096 characters, and what reads
# the project's own settings and sources, of which 32 KiB count.
SHORT = (
    "sitemapper.lastmod.source", "sitemapper.syntax.patterns", "sitemapper.linter.engine:",
    "sitemapper.syntax.urls._PREVIEW", "sitemapper.find.project._COMMENTS",
    "sitemapper.syntax.source_text._LOOP",
)  # fmt: skip
# In characters. The small ones show a pattern of exponential time before it runs for years.
SIZES = (24, 48, 512, 2048, 8192)
NOISE = 0.004  # seconds that a use may take for any reason


@cache
def all_usages() -> list[Usage]:
    return usages(sitemapper)


def growth(usage: Usage, attack: Attack) -> str:
    """How the time grows out of proportion to a text; "" if it does not."""
    before, last = 0.0, 1
    for size in () if usage.place.startswith(SHORT) else SIZES:
        now = seconds(
            partial(usage.run, attack.text(size // len(attack.unit), usage.pattern.pattern))
        )
        if now > NOISE and now > before * (size / last) ** 1.5:
            return f"{last} characters {before:.4f} s, {size} {now:.4f} s"
        before, last = now, size
    return ""


def slow(usage: Usage) -> str:
    """The text that takes a pattern longest, and how long; what is slow once only is not."""
    for attack in attacks(usage.pattern):
        if all((found := growth(usage, attack)) for _ in range(4)):
            return f"{usage.place} ({usage.method}) on {attack}: {found}"
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_no_text_takes_a_pattern_long(part: int) -> None:
    assert [text for usage in all_usages()[part::PARTS] if (text := slow(usage))] == []


@pytest.mark.slow
def test_patterns_are_found_wherever_they_stand() -> None:
    places = {usage.place.partition(":")[0] for usage in all_usages()}
    expected = {
        "sitemapper.read.html._BODY",
        "sitemapper.read.content._REF",
        "sitemapper.linter.engine",
    }
    assert expected <= places
    assert len(places) > 50


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"(\d*)[\d.]*;", "fullmatch"),
        (r"<meta\s[^>]*generator[^>]*>", "search"),
        (r"(?m)^\s*(-\s*)?x", "search"),
        (r"a|/\*.*?\*/", "search"),
        (r"(?:a|\w\w?)*;", "match"),
        (r"\"((?:[^\"\\]|\\.)*)\"", "search"),
    ],
)
def test_a_slow_pattern_is_found(pattern: str, method: str) -> None:
    assert slow(Usage("here", re.compile(pattern, re.DOTALL), method))
