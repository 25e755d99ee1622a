"""Surge withholds what `.surgeignore` names, and follows no rules of other hosts."""

from __future__ import annotations

from support import BASE

from sitemapper.hosts.surge import FILE, READER

NOW = 1_780_272_000  # 2026-06-01


def test_a_withheld_file_has_the_line_that_withholds_it() -> None:
    rules = READER.read({FILE: "# ours\ndrafts/\n!keep.html\n"}, BASE, NOW)
    assert rules.withhold
    assert str(rules.withhold("drafts/a.html")) == ".surgeignore:2: drafts/"
    assert rules.withhold("keep.html") is None


def test_without_the_file_all_is_uploaded() -> None:
    assert READER.read({}, BASE, NOW).withhold is None
    assert READER.read({".gitignore": "*\n"}, BASE, NOW).withhold is None


def test_a_line_that_cannot_be_read_withholds_nothing_and_is_named() -> None:
    rules = READER.read({FILE: "a\\\n"}, BASE, NOW)
    assert rules.withhold is None
    assert [str(line) for line in rules.skipped] == [".surgeignore:1: a\\ (not understood)"]


def test_the_redirects_of_other_hosts_do_nothing() -> None:
    rules = READER.read({"_redirects": "/a.html / 301!\n"}, BASE, NOW)
    assert rules.effect("/a.html") is None
