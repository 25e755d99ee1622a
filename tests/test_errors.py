"""Errors that a user can cause say what is wrong and what to do."""

from __future__ import annotations

import errno
import os
import pickle

import pytest

from sitemapper.errors import ConfigError, SitemapperError, WorkerError, to_write, with_help


def test_what_to_do_stands_on_a_line_of_its_own() -> None:
    assert str(SitemapperError("a: is wrong", "write b")) == "a: is wrong\nhelp: write b"
    assert str(SitemapperError("a: is wrong")) == with_help("a: is wrong", "") == "a: is wrong"


def test_an_error_comes_back_whole_from_another_process() -> None:
    config = pickle.loads(pickle.dumps(ConfigError(("site.toml:1: a", "site.toml:2: b"))))
    assert (str(config), config.problems) == (
        "site.toml:1: a\nsite.toml:2: b",
        ("site.toml:1: a", "site.toml:2: b"),
    )
    assert str(pickle.loads(pickle.dumps(WorkerError("gone", "try again")))) == "gone\nhelp: try again"


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (errno.ENOSPC, "disk space"),
        (errno.EFBIG, "disk space"),
        (errno.EACCES, "permissions"),
        (errno.EROFS, "permissions"),
        (errno.EIO, "disk"),
    ],
)
def test_what_to_do_is_about_what_happened(number: int, word: str) -> None:
    said = to_write(OSError(number, os.strerror(number)))
    assert word in said
    assert ("permissions" in said, "space" in said) != (True, True)
