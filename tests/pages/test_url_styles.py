"""The URL of a page: the style that the site shows, and the one owner where two files have the same URL."""

from __future__ import annotations

from typing import Any

import pytest
from support import Site, build, paths
from support.cost import few_seconds_of_cpu
from support.heads import canonical


@pytest.mark.parametrize(
    ("files", "values", "expected"),
    [
        ({"a.html": canonical("/a"), "b.html": canonical("/b"), "c.html": ""}, {}, ["a", "b", "c"]),
        ({"a.html": canonical("/a/"), "b/index.html": canonical("/b/"), "c.html": ""}, {}, ["a/", "b/", "c/"]),
        ({"a/index.html": canonical("/a/index.html"), "b/index.html": ""}, {}, ["a/index.html", "b/index.html"]),
        ({"a/index.html": canonical("/a/"), "b.html": ""}, {}, ["a/", "b.html"]),
        ({"a.html": ""}, {"host": "cloudflare"}, ["a"]),
        ({"a.html": "", "_headers": "/x\n  X-Robots-Tag: noindex"}, {"host": "cloudflare"}, ["a"]),
        ({"a.html": ""}, {}, ["a.html"]),
    ],
)  # fmt: skip
def test_auto_style_follows_the_evidence(
    site: Site, files: dict[str, str], values: dict[str, Any], expected: list[str]
) -> None:
    root = site(files)
    summary = build(root, url_style="auto", **values)
    assert paths(root) == expected
    assert any(note.startswith("url_style auto: ") for note in summary.notes)


def test_twins_by_the_thousand_take_no_square_of_time(site: Site) -> None:
    root = site({})
    for n in range(2000):
        (root / f"p{n}.html").write_text("")
        (root / f"p{n}").mkdir()
        (root / f"p{n}" / "index.html").write_text("")
    with few_seconds_of_cpu():
        assert build(root, url_style="slash").listed == 2000


def test_a_folder_called_index_html_owns_no_url(site: Site) -> None:
    root = site({"f.html": "", "f/index.html/x.html": ""})
    build(root, url_style="slash")
    assert paths(root) == ["f/", "f/index.html/x/"]
