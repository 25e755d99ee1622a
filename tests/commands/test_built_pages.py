"""A live page beside its built file: what is told apart before texts are compared."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, settings, write_site

from sitemapper.commands.asking import Request
from sitemapper.commands.built_pages import BuiltPages, built_files
from sitemapper.linter.rules.live import LiveAnswer, LivePage
from sitemapper.read.content import make_rule

LOGIN = b"<title>Members</title><form><input name=p type='password'></form>"
PAGES = {
    f"{BASE}tea": b"<title>Tea</title><h1>Tea</h1><p>Twelve teas by the river.",
    f"{BASE}cups": b"<title>Cups</title><h1>Cups</h1><p>Cups of clay and of glass.",
    f"{BASE}members": LOGIN,
}


def built_pages(pages: dict[str, bytes] = PAGES) -> BuiltPages:
    readers = {url: (lambda body=body: body) for url, body in pages.items()}
    return BuiltPages(readers, make_rule(()))


def live_page(path: str) -> LivePage:
    return LivePage(BASE + path, LiveAnswer(200))


@pytest.mark.parametrize(
    ("path", "live", "shows"),
    [
        ("tea", LOGIN, "a login form"),
        ("members", LOGIN.replace(b"name=p", b"name=q"), ""),
        ("tea", PAGES[f"{BASE}cups"], f"the page of {BASE}cups"),
        ("tea", b"<title>Index of /tea</title><pre>a.txt</pre>", "a list of files"),
        ("tea", PAGES[f"{BASE}tea"], ""),
    ],
)
def test_what_is_shown_instead_of_a_page(path: str, live: bytes, shows: str) -> None:
    page = live_page(path)
    assert built_pages().compare(page, live) == page._replace(shows=shows)


def test_a_url_without_a_built_file_is_not_compared() -> None:
    pages = built_pages()
    page = live_page("new")
    assert pages.compare(page, b"<title>New</title>") == page
    assert pages.compared == 0
    pages.compare(live_page("tea"), b"")
    assert pages.compared == 1


def test_a_built_file_that_cannot_be_read_says_nothing() -> None:
    def fail() -> bytes:
        raise OSError

    pages = BuiltPages({f"{BASE}tea": fail}, make_rule(()))
    page = live_page("tea")
    assert pages.compare(page, b"<title>Something else</title>") == page
    assert pages.compared == 0


def test_the_built_files_of_the_urls_that_are_asked(tmp_path: Path) -> None:
    root = write_site(tmp_path / "public", {"index.html": "home", "a/index.html": "a"})
    urls = [BASE, f"{BASE}a/", f"{BASE}gone/", "https://elsewhere.example/a/"]
    chosen = [Request(url, f"{BASE}sitemap.xml", 1) for url in urls]
    found = {url: read_page() for url, read_page in built_files(chosen, settings(root).site)}
    assert found == {BASE: b"<title></title><p>home", f"{BASE}a/": b"<title></title><p>a"}
