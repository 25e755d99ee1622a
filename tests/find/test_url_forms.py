"""The URL of a page: the style that the site shows, and the one owner where two files have the same URL."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from support import BASE, Run, Site, build, locs, notes_of, paths, write_site
from support.cost import assert_linear
from support.heads import alternates, canonical, links, refresh
from support.heard import heard


@pytest.mark.parametrize(
    ("files", "values", "expected"),
    [
        ({"a.html": canonical("/a"), "b.html": canonical("/b"), "c.html": ""}, {}, ["a", "b", "c"]),
        ({"a.html": canonical("/a/"), "b/index.html": canonical("/b/"), "c.html": ""}, {}, ["a/", "b/", "c/"]),
        ({"a/index.html": canonical("/a/index.html"), "b/index.html": ""}, {}, ["a/index.html", "b/"]),
        ({"a/index.html": canonical("/a/"), "b.html": ""}, {}, ["a/", "b.html"]),
        ({"a.html": ""}, {}, ["a.html"]),
        ({"a/index.html": canonical("/a"), "b.html": canonical("/b"), "index.html": ""}, {}, ["", "a", "b"]),
        ({"a.html": links("/b"), "b.html": links("/a", "./a", "#top", "/b?x")}, {}, ["a", "b"]),
        ({"a.html": links("b/"), "b.html": links("https://example.com/a/#top")}, {}, ["a/", "b/"]),
        ({"a/index.html": links("/b/"), "b/index.html": links("/a/")}, {}, ["a/", "b/"]),
        # Most servers redirect /a to /a/, so a link to /a proves nothing.
        ({"a/index.html": links("/b", "#x", "#y"), "b/index.html": links("/a", "#x")}, {}, ["a/", "b/"]),
        ({"a/index.html": links("/b.html", "/c", "/c#x"), "b.html": links("/a"), "c.html": ""}, {}, ["a/", "b.html", "c.html"]),
        # One page has ten votes.
        ({"a.html": links(*(f"/p{n}.html" for n in range(20))), **{f"p{n}.html": links("/a") for n in range(20)}}, {}, ["a", *sorted(f"p{n}" for n in range(20))]),
        ({"a.html": links("/b.html"), "b.html": links("/a.html")}, {}, ["a.html", "b.html"]),
        ({"a.html": canonical("/a") + links("/b.html"), "b.html": links("/a.html")}, {}, ["a", "b.html"]),
        ({"a.html": canonical("/a") + links("/b.html"), "b.html": canonical("/b") + links("/a.html"), "c.html": ""}, {}, ["a", "b", "c"]),
        ({"a.html": links("/b.html"), "b.html": ""}, {"host": "cloudflare"}, ["a", "b"]),
        ({"index.html": links("index.html", "a/index.html"), "a/index.html": "", "b.html": ""}, {}, ["", "a/", "b.html"]),
    ],
)  # fmt: skip
def test_auto_style_follows_the_evidence(
    site: Site, files: dict[str, str], values: dict[str, Any], expected: list[str]
) -> None:
    root = site(files)
    summary = build(root, url_style="auto", **values)
    assert paths(root) == expected
    assert any(note.startswith("url_style auto: ") for note in notes_of(summary))


def test_auto_names_the_links_that_it_follows(site: Site) -> None:
    pages = {
        f"p{n}.html": links(*(f"/p{m}" for m in range(20)), "/p.pdf", "/gone", "/")
        for n in range(20)
    }
    root = site({**pages, "p.pdf": "", "index.html": ""})
    notes = notes_of(build(root))
    assert paths(root)[:2] == ["", "p0"]
    assert (
        notes[0]
        == "url_style auto: clean, because 200 of 200 internal links that were read have this form"
    )


@pytest.mark.parametrize("base_url", ["https://ann.example/", "https://ann.github.io/"])
def test_the_usual_style_needs_no_note(site: Site, base_url: str) -> None:
    root = site({"index.html": links("a/", "b.html"), "a/index.html": "", "b.html": ""})
    notes = notes_of(build(root, base_url=base_url))
    assert not [note for note in notes if note.startswith("url_style")]


@pytest.mark.parametrize(
    ("base_url", "expected"),
    [
        ("https://ann.github.io/", ["", "b"]),  # GitHub Pages shows b.html at /b, too
        ("https://ann.example/", ["", "b"]),  # an unknown host
    ],
)
def test_the_style_of_the_generator_counts_if_the_host_may_serve_it(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch, base_url: str, expected: list[str]
) -> None:
    root = site({"next.config.mjs": ""})
    out = write_site(root / "out", {"index.html": "<p>", "b.html": "<p>"})
    monkeypatch.chdir(root)
    assert run("build", "--base-url", base_url) == 0
    assert [loc.removeprefix(base_url) for loc in locs(out)] == expected


def test_links_that_name_every_index_page_are_no_finding(site: Site) -> None:
    root = site({"index.html": links("a/index.html"), "a/index.html": links("../index.html")})
    notes = notes_of(build(root, url_style="auto"))
    assert notes[0] == "url_style auto: directory, because no canonical or link has another form"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"index.html": "", "a/index.html": "", "a/b.html": "", "a/b.htm": ""}, ["", "a", "a/b.htm", "a/b"]),
        ({"b.html": "", "b/index.html": ""}, ["b"]),
        ({"b.html": canonical("/b/"), "b/index.html": canonical("/b/")}, ["b/"]),
        ({"b.html": "", "b/index.html": canonical("/b/")}, ["b/", "b"]),
        ({"a/index.html": canonical("/a"), "c/index.html": canonical("/a")}, ["a"]),
        ({"a/index.html": canonical("/a/"), "c/index.html": ""}, ["a/", "c"]),
        ({"a/index.html": refresh("0; url=/a/")}, ["a"]),
    ],
)  # fmt: skip
def test_bare_ends_no_url_with_a_slash(
    site: Site, files: dict[str, str], expected: list[str]
) -> None:
    root = site(files)
    build(root, url_style="bare")
    assert sorted(paths(root)) == sorted(expected)


def test_of_a_file_and_an_index_bare_lists_what_the_server_shows(site: Site) -> None:
    root = site({"b.html": "", "b/index.html": ""})
    reason, origin = heard(root, url_style="bare").excluded["b/index.html"]
    assert (reason.value, origin) == ("duplicate URL", f"b.html: is what {BASE}b serves")


def test_a_file_that_nobody_lists_has_its_bare_url_all_the_same(site: Site) -> None:
    root = site({"a.html": "", "b.html": "", "b/index.html": ""})
    unread = dict.fromkeys(("noindex", "canonical", "refresh"), False)
    build(root, url_style="bare", ignore=["b.html"], respect=unread)
    assert paths(root) == ["a"]


def test_hreflang_is_bare_too(site: Site) -> None:
    both = (("de", "/de/"), ("fr", "/fr"))
    root = site({"de/index.html": alternates(*both), "fr/index.html": alternates(*both)})
    assert build(root, url_style="bare", hreflang=True).warnings == ()
    assert (root / "sitemap.xml").read_text().count(
        'hreflang="de" href="https://example.com/de"'
    ) == 2


@pytest.mark.slow
def test_clashes_by_the_thousand_take_no_square_of_time(site: Site) -> None:
    root = site({})

    def prepare(n: int) -> Callable[[], object]:
        write_site(
            root,
            dict.fromkeys((f"p{i}{end}" for i in range(n) for end in (".html", "/index.html")), ""),
        )
        return partial(attempt, n)

    def attempt(n: int) -> None:
        for style in ("slash", "bare"):
            assert build(root, url_style=style).listed == n

    assert_linear(prepare, 1_600)


def test_a_folder_called_index_html_owns_no_url(site: Site) -> None:
    root = site({"f.html": "", "f/index.html/x.html": ""})
    build(root, url_style="slash")
    assert paths(root) == ["f/", "f/index.html/x/"]
