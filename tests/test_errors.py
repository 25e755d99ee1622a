"""Errors that a user can cause say what is wrong and what to do."""

from __future__ import annotations

import errno
import os
import pickle

import pytest

from sitemapper.errors import ConfigError, SitemapperError, WorkerError, with_help, write_advice


def test_what_to_do_stands_on_a_line_of_its_own() -> None:
    assert str(SitemapperError("a: is wrong", "write b")) == "a: is wrong\nhelp: write b"
    assert str(SitemapperError("a: is wrong")) == with_help("a: is wrong", "") == "a: is wrong"


def test_an_error_comes_back_whole_from_another_process() -> None:
    config = pickle.loads(pickle.dumps(ConfigError(("site.toml:1: a", "site.toml:2: b"))))
    assert (str(config), config.problems) == (
        "site.toml:1: a\nsite.toml:2: b",
        ("site.toml:1: a", "site.toml:2: b"),
    )
    assert (
        str(pickle.loads(pickle.dumps(WorkerError("gone", "try again")))) == "gone\nhelp: try again"
    )


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "free disk space"),
        (errno.EFBIG, "raise the limit on the size of files (ulimit -f)"),
        (errno.EACCES, "fix the permissions of the file and its folder"),
        (errno.EROFS, "choose a folder that can be written"),
        (errno.EIO, "check the path, the disk and the permissions"),
    ],
)
def test_what_to_do_fits_what_happened(number: int, advice: str) -> None:
    assert write_advice(OSError(number, os.strerror(number))) == advice
