"""Which files of a folder are pages, in which order, and why others are left out."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from support import POSIX, Site, build, paths, write_site
from support.heard import heard

from sitemapper import Reason, SitemapperError


def test_walk_order_is_url_order(site: Site) -> None:
    root = site(dict.fromkeys(["b.html", "a/z.html", "a-b.html", "a.html", "a/index.html", "index.html", "a/b/c.html", "é.html", "z/index.html"], ""))  # fmt: skip
    build(root)
    in_a = ["a-b.html", "a.html", "a/", "a/b/c.html", "a/z.html"]
    assert paths(root) == ["", *in_a, "b.html", "z/", "%C3%A9.html"]


@pytest.mark.parametrize(
    ("files", "values", "expected"),
    [
        (["a.HTML", "b.Htm", "c.xhtml", "d.txt"], {}, ["a.HTML", "b.Htm", "c.xhtml"]),
        (["a/b.pdf", "c/b.pdf", "x.html"], {"include": ["/a/*.pdf"]}, ["a/b.pdf", "x.html"]),
        ([".hidden.html", ".git/a.html", ".well-known/a.html", "a.html"], {}, ["a.html"]),
        ([".well-known/a.html", ".x.html"], {"ignore": ["!.well-known"]}, [".well-known/a.html"]),
        (["listings/__pycache__/index.html", "_gatsby/a.html", "a/_gatsby/a.html", "200.html", "a/200.html"], {}, ["a/200.html", "a/_gatsby/a.html"]),
        (["x.html", "node_modules/x/index.html", "a/node_modules/b.html"], {}, ["x.html"]),
        (["x.html", "bower_components/x/demo.html", "a/Pots.docset/Contents/b.html"], {}, ["x.html"]),
        (["listings/__pycache__/index.html"], {"ignore": ["!__pycache__/"]}, ["listings/__pycache__/"]),
        (["404.html", "de/404.html", "404/index.html", "401.htm", "en/403.HTML", "ab/410.xhtml", "500.html", "502.html", "503/index.html", "504.html", "50X.html", "a.html"], {}, ["a.html"]),
        (["404.html"], {"ignore": ["!404.html"]}, ["404.html"]),
        (["#a.html", "b.html"], {"ignore": ["\\#a.html"]}, ["b.html"]),
        (["__404error.html", "api/__404error.html", "a.html"], {}, ["a.html"]),
        (["404-ways.html", "a/405.html", "1404.html", "not-found.html"], {}, ["1404.html", "404-ways.html", "a/405.html", "not-found.html"]),
        (["page/404/index.html", "docs/500/index.html", "de/docs/404.html", "d/404.html", "my-app/404.html"], {}, ["d/404.html", "de/docs/404.html", "docs/500/", "my-app/404.html", "page/404/"]),
        (["pt-br/404/index.html", "zh_Hans/404.html", "es-419/410.html", "DE/50x.htm", "de/404.html", "a.html"], {}, ["a.html"]),
        (["1.0/404.html", "2.x/404.html", "v3/404.html", "latest/404.html", "2024/404.html", "1.0/404/index.html"], {}, ["1.0/404/", "2024/404.html"]),
        (["google0123456789abcdef.html", "sub/google0123456789abcdef.html"], {}, ["sub/google0123456789abcdef.html"]),
        (["google-maps.html", "yandex_0123456789abcdef.html"], {}, ["google-maps.html"]),
        (["a.html/index.html", "b.html"], {}, ["a.html/", "b.html"]),
        (["b.html", "b/index.html"], {"url_style": "slash", "ignore": ["b/"]}, None),
        (["b.html", "b/index.html"], {"url_style": "clean"}, ["b", "b/"]),
        (["b.html", "b/index.html"], {"url_style": "bare"}, ["b"]),
        (["b.html", "b/index.html"], {"url_style": "bare", "ignore": ["b.html"]}, None),
        (["b", "b.html"], {"url_style": "clean", "include": ["*"]}, ["b"]),
        (["frames.html", "menu.html", "body.html"], {}, ["body.html", "frames.html", "menu.html"]),
        (["a.html", "sitemap.xml.html"], {"include": ["*.xml", "*.html", "*.txt"], "sitemap": {"text": True}},
         ["a.html", "sitemap.xml.html"]),
    ],
)  # fmt: skip
def test_what_is_listed(
    site: Site, files: list[str], values: dict[str, Any], expected: list[str] | None
) -> None:
    root = site(
        dict.fromkeys(files, "<frameset><frame src=menu.html><frame src=body.html></frameset>")
    )
    if expected is None:
        with pytest.raises(SitemapperError, match="no page to list"):
            build(root, **values)
        return
    build(root, **values)
    assert paths(root) == expected
    build(root, **values)
    assert paths(root) == expected


def test_every_exclusion_names_its_origin(site: Site, tmp_path: Path) -> None:
    root = site(dict.fromkeys(["drafts/a.html", "x.html", "b.html", "b/index.html", "old.html", "n" * 180 + "/" + "é" * 100 + "/" + "é" * 100 + "/" + "é" * 100 + "/" + "é" * 90 + ".html"], ""))  # fmt: skip
    (tmp_path / "sitemapper.toml").write_text(
        'ignore = [\n"drafts/",\n"x.html"]\n[[rules]]\nmatch = ["old.html"]\nlist = false\n'
    )
    found = heard(root, url_style="slash").excluded
    assert found.pop("drafts/") == (Reason.IGNORED, "sitemapper.toml:2: drafts/")
    assert found.pop("x.html") == (Reason.IGNORED, "sitemapper.toml:3: x.html")
    assert found.pop("b.html") == (
        Reason.DUPLICATE,
        "b/index.html: is what https://example.com/b/ serves",
    )
    assert found.pop("old.html") == (Reason.RULE, "sitemapper.toml:4: old.html")
    assert [reason for reason, _ in found.values()] == [Reason.TOO_LONG]


@POSIX
def test_links_and_special_files(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": "", "sub/b.html": ""})
    (tmp_path / "secret.html").write_text("")
    (root / "inside.html").symlink_to("sub/b.html")
    (root / "outside.html").symlink_to(tmp_path / "secret.html")
    (root / "loop.html").symlink_to("loop.html")
    (root / "gone.html").symlink_to("nowhere.html")
    (root / "again").symlink_to("sub")
    (root / "up").symlink_to("..")
    (root / "sub/loop").symlink_to("loop")  # which is no page
    os.mkfifo(root / "pipe.html")
    assert heard(root).excluded == {
        "again/": (Reason.NOT_FOLLOWED, "symbolic link: leads to a folder of the site"),
        "gone.html": (Reason.NOT_FOLLOWED, "symbolic link: leads nowhere or in a loop"),
        "inside.html": (Reason.DUPLICATE, "sub/b.html: is what this symbolic link leads to"),
        "loop.html": (Reason.NOT_FOLLOWED, "symbolic link: leads nowhere or in a loop"),
        "outside.html": (Reason.NOT_FOLLOWED, "symbolic link: leads out of the site"),
        "pipe.html": (Reason.NOT_FOLLOWED, "named pipe"),
        "up/": (Reason.NOT_FOLLOWED, "symbolic link: leads out of the site"),
    }
    assert paths(root) == ["a.html", "sub/b.html"]


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux")
def test_names_that_are_not_utf8_map_to_what_a_server_serves(site: Site) -> None:
    root = site({"a\udce9.html": "", "line\nbreak.html": ""})
    build(root)
    assert paths(root) == ["a%E9.html", "line%0Abreak.html"]


@POSIX
def test_what_permissions_close_is_a_warning(closed_to_us: Path) -> None:
    root = write_site(closed_to_us, {"a.html": "", "closed/b.html": "", "c.html": "<p>"})
    (root / "closed").chmod(0)
    (root / "c.html").chmod(0)
    try:
        summary = build(root)
    finally:
        (root / "closed").chmod(0o755)
    assert (summary.listed, summary.pruned, summary.excluded) == (1, 1, {Reason.UNREADABLE: 1})
    assert [(kind.name, count) for kind, _, count, _ in summary.warnings] == [("UNREADABLE", 2)]
