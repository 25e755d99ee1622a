"""What the first pages say about URLs: their canonicals and links, as paths of the site."""

from pathlib import Path

from support import BASE, Site
from support.heads import canonical

from sitemapper.find.first_look import FirstLook
from sitemapper.find.first_pages import FirstPages
from sitemapper.read.walk import begin, folder


def reader_of(root: Path, **values: bool) -> FirstPages:
    return FirstPages(folder(str(root), (), ()), BASE, FirstLook(str(root)), **values)


def test_a_canonical_counts_if_it_names_the_page_itself(site: Site) -> None:
    root = site({"a.html": canonical("/a"), "b.html": canonical("/a"), "c.html": "<p>"})
    reader = reader_of(root)
    pages = begin(reader.root).pages
    assert list(reader.own_canonicals(pages)) == [("a.html", "a")]
    assert list(reader_of(root, follows_canonicals=False).own_canonicals(pages)) == []


def test_links_are_paths_of_the_site_once_a_page(site: Site) -> None:
    links = '<a href="/b">x</a><a href="b#top">x</a><a href="https://other.example/b">x</a>'
    root = site({"a.html": f"<p>{links}", "b.html": "<p>"})
    reader = reader_of(root)
    assert list(reader.links(begin(reader.root).pages)) == [("b.html", "b")]


def test_a_link_to_a_folder_without_its_slash_tells_nothing(site: Site) -> None:
    links = '<a href="/f">x</a><a href="/b">x</a><a href="/g/">x</a>'
    root = site({"a.html": f"<p>{links}", "b.html": "", "f/index.html": "", "g/index.html": ""})
    reader = reader_of(root)
    pages = begin(reader.root).pages
    assert list(reader.links(pages)) == [
        ("f/index.html", "f"),
        ("b.html", "b"),
        ("g/index.html", "g/"),
    ]
    assert list(reader.telling_links(pages, 10)) == [("b.html", "b"), ("g/index.html", "g/")]
