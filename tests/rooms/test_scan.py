"""The walk: which files are pages, in which order, and what is left out."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import POSIX

from sitemapper.messages import SitemapperError
from sitemapper.model import Found, Line, Origin, Scanned
from sitemapper.scan import path_key, scan

NO_CONFIG: Any = None  # the walk needs none


def lines(*texts: str) -> tuple[Line, ...]:
    return tuple(Line(text, Origin("test", n, text)) for n, text in enumerate(texts, 1))


def walk(root: Path, ignore: Sequence[str] = (), include: Sequence[str] = ()) -> Scanned:
    folder = os.path.realpath(root)
    found = Found(
        NO_CONFIG, folder, folder, None, lines(*ignore), lines(*include), None, Origin("")
    )
    return scan(found)


def tree(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<p>")
    return root


def paths(scanned: Scanned) -> list[str]:
    return [page.path for page in scanned.pages]


def left_out(scanned: Scanned) -> list[str]:
    return [f"{one.path}: {one.reason.value} ({one.origin})" for one in scanned.excluded]


# Files, ignore, include, and the pages in order.
TREES: list[tuple[str, str, str, str]] = [
    ("b.html index.html a/index.html a/x.html", "", "", "index.html a/index.html a/x.html b.html"),
    ("a.html a/b.html a-b.html", "", "", "a-b.html a.html a/b.html"),
    ("A.HTML b.Htm c.xhtml d.txt e", "", "", "A.HTML b.Htm c.xhtml"),
    ("a.pdf b.html LICENSE docs/LICENSE", "", "*.pdf LICENSE", "LICENSE a.pdf b.html docs/LICENSE"),
    ("a.pdf b.html", "", "!*.html *.pdf", "a.pdf"),
    ("drafts/a.html b.html", "drafts/", "", "b.html"),
    ("drafts/a.html drafts/open.html", "drafts/* !drafts/open.html", "", "drafts/open.html"),
    ("drafts/a.html drafts/open.html", "drafts/ !drafts/open.html", "", ""),
    ("v1.html/a.html v1.html/index.html", "", "", "v1.html/index.html v1.html/a.html"),
    ("index.htm index.html", "", "", "index.html index.htm"),
]


@pytest.mark.parametrize(("files", "ignore", "include", "pages"), TREES)
def test_pages_in_order(files: str, ignore: str, include: str, pages: str, tmp_path: Path) -> None:
    scanned = walk(tree(tmp_path, *files.split()), ignore.split(), include.split())
    assert paths(scanned) == pages.split()


def test_what_is_left_out_says_why(tmp_path: Path) -> None:
    tree(tmp_path, "a.html", "drafts/b.html", "x/c.html", "x/c.txt")
    scanned = walk(tmp_path, ["drafts/", "c.*"])
    assert left_out(scanned) == [
        "drafts/: ignored (test:1: drafts/)",
        "x/c.html: ignored (test:2: c.*)",
    ]


def test_a_page_has_its_time(tmp_path: Path) -> None:
    os.utime(tree(tmp_path, "a.html") / "a.html", ns=(1, 1_767_323_045_000_000_007))
    (page,) = walk(tmp_path).pages
    assert page == ("a.html", 1_767_323_045_000_000_007)


@POSIX
def test_a_link_to_a_folder_of_the_site_is_entered_once(tmp_path: Path) -> None:
    tree(tmp_path, "2.1/a.html", "2.1/b/c.html", "1.0/a.html")
    (tmp_path / "latest").symlink_to("2.1")
    (tmp_path / "2.1/b/again").symlink_to("../../1.0")
    scanned = walk(tmp_path)
    assert paths(scanned) == [
        "1.0/a.html",
        "2.1/a.html",
        "2.1/b/again/a.html",
        "2.1/b/c.html",
        "latest/a.html",
        "latest/b/c.html",
    ]
    assert scanned.links == {"2.1/b/again": "1.0", "latest": "2.1"}
    assert left_out(scanned) == ["latest/b/again/: not followed (a link below another link)"]


@POSIX
def test_no_other_link_is_followed(tmp_path: Path) -> None:
    site = tree(tmp_path / "site", "a/b.html", "tea.txt")
    tree(tmp_path, "out/x.html")
    for name, target in {
        "a/circle": "..",
        "a/here": ".",
        "away": "../out",
        "away.html": "../out/x.html",
        "b.html": "a/b.html",
        "loop.html": "loop.html",
        "nowhere.html": "missing",
        "tea.html": "tea.txt",
        "drafts": "a",
    }.items():
        (site / name).symlink_to(target)
    os.mkfifo(site / "pipe.html")
    scanned = walk(site, ["drafts/"])
    assert paths(scanned) == ["a/b.html", "b.html", "tea.html"]
    assert left_out(scanned) == [
        "a/circle/: not followed (a link to a folder above it)",
        "a/here/: not followed (a link to a folder above it)",
        "away.html: not followed (a link out of the site)",
        "away/: not followed (a link out of the site)",
        "drafts/: ignored (test:1: drafts/)",
        "loop.html: not followed (Too many levels of symbolic links)",
        "nowhere.html: not followed (No such file or directory)",
        "pipe.html: not followed (a pipe, a socket or a device)",
    ]


@POSIX
def test_a_folder_that_cannot_be_listed_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, "a/b.html")
    scandir = os.scandir

    def refuse(place: Any) -> Any:  # root may list every folder
        if os.fsdecode(place).endswith("/a/"):
            raise PermissionError(13, "Permission denied")
        return scandir(place)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(SitemapperError) as error:
        walk(tmp_path)
    assert str(error.value) == (
        f"{os.path.realpath(tmp_path)}/a/: cannot be listed: Permission denied\n"
        'help: correct its permissions, or ignore it: ignore = ["/a/"]'
    )


@POSIX
def test_names_are_bytes(tmp_path: Path) -> None:
    for name in (b"\xff.html", b"a\nb.html", "é.html".encode()):
        (tmp_path / os.fsdecode(name)).write_text("<p>")
    assert paths(walk(tmp_path)) == ["a\nb.html", "é.html", "\udcff.html"]


NAMES = st.sampled_from(["a", "b.html", "index.html", "c.pdf", "d-e.html", "é.html", "Z.HTM"])
PATHS = st.sets(st.lists(NAMES, min_size=1, max_size=3).map("/".join), max_size=12)
IGNORES = st.lists(
    st.sampled_from(["a/", "*.html", "!b.html", "/a/b.html", "é*", "**/a/*"]), max_size=3
)


@settings(deadline=None)
@given(PATHS, IGNORES, st.randoms(use_true_random=False))
def test_every_page_is_listed_or_left_out_once_in_any_order(
    tmp_path_factory: pytest.TempPathFactory,
    names: set[str],
    ignore: list[str],
    chance: random.Random,
) -> None:
    root = tmp_path_factory.mktemp("walk")
    files = {name for name in names if not any(other.startswith(f"{name}/") for other in names)}
    tree(root, *sorted(files))
    scanned = walk(root, ignore)
    assert paths(scanned) == sorted(paths(scanned), key=path_key)
    seen = {*paths(scanned), *(one.path for one in scanned.excluded)}
    assert len(seen) == len(scanned.pages) + len(scanned.excluded)
    named_like_pages = {f for f in files if f.lower().endswith((".html", ".htm", ".xhtml"))}
    for file in named_like_pages:
        above = {file[: n + 1] for n, char in enumerate(file) if char == "/"}
        assert len({file, *above} & seen) == 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "scandir", _shuffled(os.scandir, chance))
        assert walk(root, ignore) == scanned


def _shuffled(scandir: Callable[[Any], Any], chance: random.Random) -> Any:
    class Shuffled:
        def __init__(self, place: Any) -> None:
            with scandir(place) as entries:
                self.entries = list(entries)
            chance.shuffle(self.entries)

        def __enter__(self) -> Any:
            return iter(self.entries)

        def __exit__(self, *_: object) -> None:
            pass

    return Shuffled
