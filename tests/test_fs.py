"""Small files of the user are read without waiting for anything."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from support import POSIX

from sitemapper.fs import (
    Beginnings,
    OutsideError,
    files_below,
    open_inside,
    regular,
    shown_path,
    start_inside,
)


@POSIX
def test_a_pipe_is_an_error_and_nobody_waits_for_its_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "robots.txt")
    for name in ("robots.txt", "."):
        with pytest.raises(OSError, match="not a regular file"):
            regular(str(tmp_path / name))


@POSIX
def test_a_file_of_a_folder_is_read_up_to_its_limit(tmp_path: Path) -> None:
    root = str(tmp_path)
    (tmp_path / "a").write_bytes(b"abc")
    os.mkfifo(tmp_path / "pipe")
    assert open_inside(root, str(tmp_path / "a"), 3) == b"abc"
    assert start_inside(root, str(tmp_path / "a"), 2) == b"ab"
    assert open_inside(root, str(tmp_path / "none"), 2) is None
    assert open_inside(root, str(tmp_path / "a" / "b"), 2) is None
    for name in ("pipe", "."):
        with pytest.raises(OSError, match="not a regular file"):
            open_inside(root, str(tmp_path / name), 2)
    (tmp_path / "large").write_bytes(b"a" * ((1 << 20) + 1))
    with pytest.raises(OSError, match="has more than 1 MiB"):
        open_inside(root, str(tmp_path / "large"), 1 << 20)


@POSIX
def test_no_link_leads_out_of_a_folder(tmp_path: Path) -> None:
    """Neither in place of the file, nor of a folder above it. Inside, links are followed."""
    root = tmp_path / "site"
    (root / "folder").mkdir(parents=True)
    (tmp_path / "secret").write_text("TOKEN=1")
    (root / "folder/file").write_text("ours")
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "way").symlink_to(tmp_path)
    (root / "in").symlink_to("folder/file")
    (tmp_path / "site-2").mkdir()
    (tmp_path / "site-2/secret").write_text("TOKEN=2")
    assert open_inside(str(root), str(root / "in"), 9) == b"ours"
    for path in ("out", "way/secret", "../secret", "../site-2/secret"):
        with pytest.raises(OutsideError, match="a link leads out of"):
            open_inside(str(root), str(root / path), 9)
    (tmp_path / "linked").symlink_to(root)
    assert open_inside(str(tmp_path / "linked"), str(tmp_path / "linked/in"), 9) == b"ours"


def test_a_path_is_shown_as_typed_in_the_working_directory(tmp_path: Path) -> None:
    below, above = str(tmp_path / "public/a.html"), str(tmp_path.parent / "x")
    assert shown_path(below, str(tmp_path)) == os.path.join("public", "a.html")
    assert shown_path(above, str(tmp_path)) == above


@POSIX
def test_files_come_folder_by_folder_and_no_link_is_entered(tmp_path: Path) -> None:
    for name in ("b/z", "b/c/a", "a/x", ".hidden/y", "y"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "b/up").symlink_to(tmp_path)
    (tmp_path / "b/loop").symlink_to(tmp_path / "b/loop")
    (tmp_path / "b/link").symlink_to(tmp_path / "y")
    os.mkfifo(tmp_path / "b/pipe")

    def below(folder: Path, *skipped: str) -> list[str]:
        return [
            os.path.relpath(path, tmp_path) for path in files_below(str(folder), skipped=skipped)
        ]

    assert below(tmp_path, ".") == ["y", "a/x", "b/link", "b/z", "b/c/a"]
    assert below(tmp_path) == ["y", ".hidden/y", "a/x", "b/link", "b/z", "b/c/a"]
    assert below(tmp_path / "none") == []


@pytest.mark.slow
@POSIX
def test_folders_may_be_deeper_than_calls(tmp_path: Path) -> None:
    top = tmp_path / "top"
    os.makedirs(top)
    os.chdir(top)
    for _ in range(1_500):
        os.mkdir("d")
        os.chdir("d")
    Path("a").write_text("")
    os.chdir(tmp_path)
    assert len(list(files_below(str(top)))) == 1
    subprocess.run(["rm", "-rf", top], check=True)


@POSIX
def test_beginnings_of_regular_files_inside_only(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    root = tmp_path / "root"
    for folder in (outside, root / "docs"):
        folder.mkdir(parents=True)
        (folder / "a.md").write_bytes(b"abc")
    (root / "linked").symlink_to(outside)
    (root / "within").symlink_to(root / "docs")
    (root / "docs" / "link.md").symlink_to("a.md")
    os.mkfifo(root / "docs" / "pipe.md")
    beginnings = Beginnings(str(root))
    assert beginnings.read("docs/a.md", 2) == (b"ab", 3)
    assert beginnings.read("within/a.md", 9) == (b"abc", 3)
    links = ("linked/a.md", "../outside/a.md", "docs/link.md")
    for name in (*links, "docs/pipe.md", "docs", "none/a"):
        assert beginnings.read(name, 9) is None
