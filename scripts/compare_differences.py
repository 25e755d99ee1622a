"""Differences of two texts, with what makes two of them the same for a reader."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import NamedTuple


class Difference(NamedTuple):
    """A difference of a case. Those with the same kind and `sign` have the same explanation."""

    kind: str
    sign: str  # the text without names and numbers
    text: str


def blank(text: str) -> str:
    """Replaces names of files, URLs, numbers and dates, which differ from case to case."""
    return re.sub(r"""(?<!<)[^\s<>"'`(]*[\d/.][^\s<>"'`)]*""", "…", text)


def common(one: str, other: str) -> int:
    """Counts the characters with which both texts begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


def hunks(kind: str, old: str, new: str, name: str = "") -> Iterator[Difference]:
    """Yields a difference for each place where two texts differ."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)
    hunk: list[str] = []
    for line in [*list(lines)[2:], "@@"]:
        if not line.startswith("@@"):
            hunk.append(line)
        elif hunk:
            start = 0
            if len(hunk) == 2:  # of a long line, the part that differs, with some words before it
                old_line, new_line = (one[1:] for one in hunk)
                end = common(old_line, new_line)
                if end > 60:
                    start = max(old_line.find(" ", end - 30, end), end - 30)
            shown = [one[0] + one[1 + start : start + 240] for one in hunk]
            sign = "\n".join(dict.fromkeys(blank(one) for one in shown))
            yield Difference(kind, sign[:2_000], "\n".join([*filter(None, [name]), *shown[:30]]))
            hunk = []
