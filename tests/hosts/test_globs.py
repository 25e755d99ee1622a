"""Globs as minimatch reads them."""

from __future__ import annotations

import re

import pytest

from sitemapper.hosts.globs import glob_expression


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("/*", "/a /a.html", "/ /.a /a/b"),
        ("/**/a", "/a /x/a /x/y/a", "/xa"),
        ("/a/**", "/a/ /a/b/c", "/a"),
        ("/{a,b}.html", "/a.html /b.html", "/c.html /ab.html"),
        ("/@(a|b)", "/a /b", "/ab"),
        ("/+(a|b)?", "/abx", "/x"),
        ("/[ab]c", "/ac /bc", "/cc"),
    ],
)
def test_what_a_glob_matches(glob: str, yes: str, no: str) -> None:
    matches = re.compile(glob_expression(glob)).fullmatch
    assert [path for path in yes.split() if not matches(path)] == []
    assert [path for path in no.split() if matches(path)] == []


def test_a_negated_group_is_not_read() -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        glob_expression("/!(a)")
