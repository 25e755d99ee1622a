"""Which file a static server shows at a path."""

from __future__ import annotations

import pytest
from support import BASE, POSIX, Site, build, paths, write_site
from support.heads import canonical, links, refresh
from support.heard import heard

from sitemapper.read import walk
from sitemapper.read.server import file_for_url_path, find_page

FILES = [
    *("index.html", "a.html", "b/index.html", "b.html", "c/index.html", "d/e.txt", "index.htm"),
    *("e/index.xhtml", "f/index.htm", "f/index.xhtml", "g/index.html", "g/index.htm"),
]


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
        ("e/", "e/index.xhtml"),
        ("f/", "f/index.htm"),
        ("g/", "g/index.html"),
        ("g/index.htm", "g/index.htm"),
        ("none", None),
        ("../public/a.html", None),
        ("b/../a.html", None),
        ("b//index.html", None),
        ("./a.html", None),
        ("a\0.html", None),
    ],
)
def test_the_file_at_a_path(path: str, file: str | None, site: Site) -> None:
    root = walk.make_site_root(str(site(dict.fromkeys(FILES, ""))), (), ("*.html",))
    assert file_for_url_path(root, path) == file


@POSIX
def test_a_link_shows_the_file_it_leads_to_if_that_is_in_the_site(site: Site) -> None:
    folder = site({"a.html": "<p>"})
    (folder.parent / "secret.html").write_text("")
    (folder / "link.html").symlink_to("a.html")
    (folder / "out.html").symlink_to("../secret.html")
    root = walk.make_site_root(str(folder), (), ("*.html",))
    page = find_page(root, "link.html")
    assert page is not None
    assert (page.path, page.size) == ("link.html", 3)
    assert [find_page(root, name) for name in ("out.html", "none.html")] == [None, None]


@POSIX
def test_a_folder_that_is_a_link_is_followed_inside_the_site_only(site: Site) -> None:
    folder = site({"a/b/c.html": "<p>"})
    write_site(folder.parent / "outside", {"b/c.html": "<p>"})
    (folder / "in").symlink_to("a")
    (folder / "out").symlink_to("../outside")
    (folder / "a" / "up").symlink_to("../../outside/b")
    root = walk.make_site_root(str(folder), (), ("*.html",))
    targets = ["a/b/c.html", "in/b/c.html", "out/b/c.html", "a/up/c.html", "a/b", "a/b/none/c.html"]
    assert [path for path in targets if find_page(root, path)] == targets[:2]


@pytest.mark.parametrize("name", ["index.htm", "index.xhtml"])
@pytest.mark.parametrize(
    ("pages", "style", "expected"),
    [
        ({"a/I": "", "I": ""}, "directory", ["I", "a/I"]),  # most servers show nothing at a/
        ({"a/I": "", "b.html": ""}, "clean", ["a/I", "b"]),
        ({"a/I": "", "I": ""}, "bare", ["I", "a/I"]),
        ({"a/I": "", "I": ""}, "file", ["I", "a/I"]),
        # A folder has one page; the others have their full URLs only.
        ({"a/I": "", "a/index.html": ""}, "directory", ["a/", "a/I"]),
        ({"a/I": "", "a/index.html": ""}, "bare", ["a", "a/I"]),
        ({"a/I": refresh("0; url=/a/"), "a/index.html": ""}, "directory", ["a/"]),
        ({"a/I": canonical("/a/"), "a/index.html": ""}, "directory", ["a/"]),
        ({"a.html": "", "a/I": canonical("/a/I")}, "slash", ["a/", "a/I"]),
        # Canonicals decide, then links.
        ({"a/I": canonical("/a/"), "b/I": ""}, "directory", ["a/", "b/"]),
        ({"a/I": canonical("/a/I") + links("/b/"), "b/I": ""}, "directory", ["a/I", "b/I"]),
        ({"I": links("a/I"), "a/I": links("../I")}, "directory", ["I", "a/I"]),
        ({"I": links("a/"), "a/I": links("/")}, "directory", ["", "a/"]),
        ({"I": links("a/", "a/I"), "a/I": links("../I")}, "directory", ["I", "a/I"]),
        (
            {"index.html": links("a/", "b", "gone"), "a/I": "", "b.html": ""},
            "auto",
            ["", "a/", "b"],
        ),
    ],
)
def test_the_page_of_a_folder_may_have_another_ending(
    site: Site, name: str, pages: dict[str, str], style: str, expected: list[str]
) -> None:
    root = site({path.replace("I", name): text.replace("I", name) for path, text in pages.items()})
    assert build(root, url_style=style).warnings == ()
    assert sorted(paths(root)) == sorted(path.replace("I", name) for path in expected)


def test_the_first_index_page_is_shown(site: Site) -> None:
    root = site({"a/index.xhtml": canonical("/a/"), "a/index.htm": ""})
    reason, origin = heard(root).excluded["a/index.xhtml"]
    assert (reason.value, origin) == ("duplicate URL", f"a/index.htm: is what {BASE}a/ serves")
    assert paths(root) == ["a/index.htm"]


def test_an_index_page_that_nobody_lists_is_shown_all_the_same(site: Site) -> None:
    root = site({"a/index.html": "", "a/index.htm": ""})
    build(root, ignore=["index.html"])
    assert paths(root) == ["a/index.htm"]


def test_a_redirect_to_the_page_of_the_folder_of_its_name_is_one(site: Site) -> None:
    root = site({"a.html": refresh("0; url=a/"), "a/index.html": ""})
    build(root)
    assert paths(root) == ["a/"]
