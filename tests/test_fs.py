"""Small files of the user are read without waiting for anything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import POSIX

from sitemapper.fs import open_inside, regular, relative


def test_a_missing_file_is_none_and_an_empty_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    assert regular(str(tmp_path / "empty")) == b""
    assert regular(str(tmp_path / "none")) is None
    assert regular(str(tmp_path / "empty" / "robots.txt")) is None


def test_only_the_beginning_is_read_if_that_is_enough(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc\r\n")
    assert regular(str(tmp_path / "a"), 2) == b"ab"
    assert regular(str(tmp_path / "a")) == b"abc\r\n"


@POSIX
def test_a_pipe_is_an_error_and_nobody_waits_for_its_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "robots.txt")
    for name in ("robots.txt", "."):
        with pytest.raises(OSError, match="not a regular file"):
            regular(str(tmp_path / name))


@POSIX
def test_a_file_of_a_folder_is_read_as_any_other(tmp_path: Path) -> None:
    root = str(tmp_path)
    (tmp_path / "a").write_bytes(b"abc")
    os.mkfifo(tmp_path / "pipe")
    assert open_inside(root, str(tmp_path / "a"), 2) == b"ab"
    assert open_inside(root, str(tmp_path / "none"), 2) is None
    assert open_inside(root, str(tmp_path / "a" / "b"), 2) is None
    for name in ("pipe", "."):
        with pytest.raises(OSError, match="not a regular file"):
            open_inside(root, str(tmp_path / name), 2)


def test_a_path_as_seen_from_a_folder(tmp_path: Path) -> None:
    assert relative(str(tmp_path / "a" / "b"), str(tmp_path)) == os.path.join("a", "b")
    assert relative(str(tmp_path), str(tmp_path / "a")) == ".."
