"""Which file a static server shows at a path."""

from __future__ import annotations

import pytest
from support import POSIX, Site

from sitemapper.site import walk
from sitemapper.site.server import file_for_url_path, find_page, is_same_file

FILES = dict.fromkeys(["index.html", "a.html", "b/index.html", "b.html", "c/index.html", "d/e.txt"], "")


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("", "index.html"),
        ("index.html", "index.html"),
        ("a.html", "a.html"),
        ("a", "a.html"),
        ("a/", "a.html"),
        ("b", "b.html"),
        ("b/", "b/index.html"),
        ("c", "c/index.html"),
        ("d/e.txt", "d/e.txt"),
        ("d/", None),
        ("none", None),
        ("../public/a.html", None),
        ("b/../a.html", None),
        ("b//index.html", None),
        ("./a.html", None),
        ("a\0.html", None),
    ],
)
def test_the_file_at_a_path(path: str, file: str | None, site: Site) -> None:
    root = walk.folder(str(site(FILES)), (), ("*.html",))
    assert file_for_url_path(root, path) == file


@POSIX
def test_a_link_shows_the_file_it_leads_to_if_that_is_in_the_site(site: Site) -> None:
    folder = site({"a.html": "<p>"})
    (folder.parent / "secret.html").write_text("")
    (folder / "link.html").symlink_to("a.html")
    (folder / "out.html").symlink_to("../secret.html")
    root = walk.folder(str(folder), (), ("*.html",))
    assert is_same_file(root, "link.html", "a.html")
    assert not is_same_file(root, "out.html", "a.html")
    page = find_page(root, "link.html")
    assert page is not None
    assert (page.path, page.size) == ("link.html", 3)
    assert [find_page(root, name) for name in ("out.html", "none.html")] == [None, None]
