"""Text that most pages of a folder share is not the own text of one of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import write_site

from sitemapper.model import Batch, Listed, PageFacts, PageRow, PossibleSource
from sitemapper.read import server, walk
from sitemapper.read.shared_text import empty_shared_texts, without_shared_text

SHARED = "<div><p>" + "This paragraph is the same. " * 9 + "</p><p>Short.</p></div>"
OWN = "Text that only one of the pages has. " * 8
SOURCE = PossibleSource("a.md", 9, "", has_own_title=False)


def own_size(folder: Path, name: str, size: int, source: PossibleSource = SOURCE) -> int:
    """The size of the own text of a page whose main text has this size."""
    root = walk.make_site_root(str(folder), (), ("*",))
    page = server.find_page(root, name)
    assert page
    batch = Batch([page], [], {}, [PageRow(sources=[source])])
    facts = PageFacts(shown=((), size, True))
    [own] = without_shared_text(batch, [Listed(name, name)], [facts], root, empty_shared_texts())
    assert own.shown
    return own.shown[1]


@pytest.mark.parametrize("form", ["docs/{}/index.html", "docs/{}.html"])
def test_only_text_that_is_not_shared_counts(tmp_path: Path, form: str) -> None:
    names = [form.format(name) for name in "abcd"]
    write_site(tmp_path, {name: f"<main><p>{name} {OWN}{SHARED}" for name in names})
    assert own_size(tmp_path, names[0], 1000) == 1000 - len(
        "This paragraph is the same. " * 9 + "Short. "
    )
    assert own_size(tmp_path, names[0], 500) == 500  # which its source explains


def test_single_words_are_the_same_by_chance(tmp_path: Path) -> None:
    pages = {f"{name}.html": f"<h2>Usage</h2><p>{name} {OWN}<h2>Links</h2>" for name in "abcd"}
    write_site(tmp_path, pages)
    assert own_size(tmp_path, "a.html", 1000) == 1000


def test_few_pages_share_nothing(tmp_path: Path) -> None:
    write_site(tmp_path, {f"{name}.html": SHARED for name in "abc"})
    assert own_size(tmp_path, "a.html", 1000) == 1000
