"""`build` from folder to published files."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from conftest import BASE, MTIME, NOW, Run, Site, build, locs, paths, settings, write_site
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import sitemapper
from sitemapper import Change, Excluded, Listener, Reason, SitemapperError, Summary


def changes(summary: Summary) -> dict[str, str]:
    return {file.name: file.change.value for file in summary.files}


def excluded(root: Path, **values: Any) -> dict[str, tuple[Reason, str]]:
    """What a build leaves out: path to reason and origin."""

    class Ears(Listener):
        heard: dict[str, tuple[Reason, str]] = {}  # noqa: RUF012

        def excluded(self, excluded: Excluded) -> None:
            self.heard[excluded.path] = (excluded.reason, str(excluded.origin))

    ears = Ears()
    sitemapper.build(settings(root, **values), now=NOW, listener=ears)
    return ears.heard


def test_a_small_site_whole(site: Site) -> None:
    root = site(
        {"index.html": "", "blog/index.html": "", "blog/é & 'ü'.html": "", "404.html": "", "style.css": ""}
    )
    summary = build(root)
    assert (summary.listed, summary.excluded) == (3, {Reason.IGNORED: 1})
    assert changes(summary) == {"sitemap.xml": "created", "robots.txt": "created"}
    assert (root / "sitemap.xml").read_bytes() == (
        b'<?xml version="1.0" encoding="UTF-8"?>\n'
        b"<!-- sitemapper wrote this file; its next run will replace it -->\n"
        b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        b"<url><loc>https://example.com/</loc><lastmod>2026-01-02T03:04:05+00:00</lastmod></url>\n"
        b"<url><loc>https://example.com/blog/</loc><lastmod>2026-01-02T04:04:05+00:00</lastmod></url>\n"
        b"<url><loc>https://example.com/blog/%C3%A9%20&amp;%20&apos;%C3%BC&apos;.html</loc>"
        b"<lastmod>2026-01-02T05:04:05+00:00</lastmod></url>\n"
        b"</urlset>\n"
    )
    assert (root / "robots.txt").read_bytes() == b"Sitemap: https://example.com/sitemap.xml\n"


def test_an_unchanged_site_rewrites_nothing(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(25)})
    build(root, sitemap={"max_urls": 10, "gzip": "also", "text": True})
    before = {path.name: (path.stat().st_mtime_ns, path.stat().st_ino) for path in root.iterdir()}
    folder = root.stat().st_mtime_ns
    summary = build(root, sitemap={"max_urls": 10, "gzip": "also", "text": True})
    assert set(changes(summary).values()) == {"kept"}
    assert {path.name: (path.stat().st_mtime_ns, path.stat().st_ino) for path in root.iterdir()} == before
    assert root.stat().st_mtime_ns == folder


def test_walk_order_is_url_order(site: Site) -> None:
    root = site(dict.fromkeys(["b.html", "a/z.html", "a-b.html", "a.html", "a/index.html", "index.html", "a/b/c.html", "é.html", "z/index.html"], ""))  # fmt: skip
    build(root)
    assert paths(root) == [
        "",
        "a-b.html",
        "a.html",
        "a/",
        "a/b/c.html",
        "a/z.html",
        "b.html",
        "z/",
        "%C3%A9.html",
    ]


@pytest.mark.parametrize(
    ("files", "values", "expected"),
    [
        (["a.HTML", "b.Htm", "c.xhtml", "d.txt"], {}, ["a.HTML", "b.Htm", "c.xhtml"]),
        (["a/b.pdf", "c/b.pdf", "x.html"], {"include": ["/a/*.pdf"]}, ["a/b.pdf"]),
        ([".hidden.html", ".git/a.html", ".well-known/a.html", "a.html"], {}, ["a.html"]),
        ([".well-known/a.html", ".x.html"], {"ignore": ["!.well-known"]}, [".well-known/a.html"]),
        (["404.html", "de/404.html", "404/index.html", "500.html", "50x.html", "a.html"], {}, ["a.html"]),
        (["404.html"], {"ignore": ["!404.html"]}, ["404.html"]),
        (["google0123456789abcdef.html", "sub/google0123456789abcdef.html"], {}, ["sub/google0123456789abcdef.html"]),
        (["google-maps.html", "yandex_0123456789abcdef.html"], {}, ["google-maps.html"]),
        (["a.html/index.html", "b.html"], {}, ["a.html/", "b.html"]),
        (["b.html", "b/index.html"], {"url_style": "slash"}, ["b/"]),
        (["b.html", "b/c.html"], {"url_style": "slash"}, ["b/", "b/c/"]),
        (["b.html", "b/index.html"], {"url_style": "slash", "ignore": ["b/"]}, None),
        (["b.html", "b/index.html"], {"url_style": "clean"}, ["b", "b/"]),
        (["b.html", "b/index.html"], {}, ["b.html", "b/"]),
        (["b", "b.html"], {"url_style": "clean", "include": ["*"]}, ["b"]),
        (["frames.html", "menu.html", "body.html"], {}, ["body.html", "frames.html", "menu.html"]),
        (["a.html", "sitemap.xml.html"], {"include": ["*.xml", "*.html", "*.txt"], "sitemap": {"text": True}},
         ["a.html", "sitemap.xml.html"]),
    ],
)  # fmt: skip
def test_what_is_listed(
    site: Site, files: list[str], values: dict[str, Any], expected: list[str] | None
) -> None:
    root = site(dict.fromkeys(files, "<frameset><frame src=menu.html><frame src=body.html></frameset>"))
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
        'ignore = [\n"drafts/"]\n[[rules]]\nmatch = ["old.html"]\nlist = false\n'
    )
    (root / ".sitemapignore").write_text("# old\nx.html\n")
    heard = excluded(root, url_style="slash")
    assert heard.pop("drafts/") == (Reason.IGNORED, "sitemapper.toml:2: drafts/")
    assert heard.pop("x.html") == (Reason.IGNORED, f"public{os.sep}.sitemapignore:2: x.html")
    assert heard.pop("b.html") == (Reason.DUPLICATE, "b/index.html: is what https://example.com/b/ serves")
    assert heard.pop("old.html") == (Reason.RULE, "sitemapper.toml:3: old.html")
    assert [reason for reason, _ in heard.values()] == [Reason.TOO_LONG]


@pytest.mark.skipif(os.name == "nt", reason="POSIX file kinds")
def test_links_and_special_files(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": "", "sub/b.html": ""})
    (tmp_path / "secret.html").write_text("")
    (root / "inside.html").symlink_to("sub/b.html")
    (root / "outside.html").symlink_to(tmp_path / "secret.html")
    (root / "loop.html").symlink_to("loop.html")
    (root / "gone.html").symlink_to("nowhere.html")
    (root / "again").symlink_to("sub")
    (root / "up").symlink_to("..")
    os.mkfifo(root / "pipe.html")
    assert excluded(root) == {
        "again/": (Reason.NOT_FOLLOWED, "symbolic link: leads to a folder of the site"),
        "gone.html": (Reason.NOT_FOLLOWED, "symbolic link: leads nowhere or in a loop"),
        "loop.html": (Reason.NOT_FOLLOWED, "symbolic link: leads nowhere or in a loop"),
        "outside.html": (Reason.NOT_FOLLOWED, "symbolic link: leads out of the site"),
        "pipe.html": (Reason.NOT_FOLLOWED, "named pipe"),
        "up/": (Reason.NOT_FOLLOWED, "symbolic link: leads out of the site"),
    }
    assert paths(root) == ["a.html", "inside.html", "sub/b.html"]


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux")
def test_names_that_are_not_utf8_map_to_what_a_server_serves(site: Site) -> None:
    root = site({"a\udce9.html": "", "line\nbreak.html": ""})
    build(root)
    assert paths(root) == ["a%E9.html", "line%0Abreak.html"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
def test_a_folder_without_permission_is_a_warning(site: Site) -> None:
    root = site({"a.html": "", "closed/b.html": ""})
    (root / "closed").chmod(0)
    try:
        summary = build(root)
    finally:
        (root / "closed").chmod(0o755)
    assert summary.listed == 1
    assert [(kind.name, count) for kind, count, _ in summary.warnings] == [("UNREADABLE", 1)]


def test_a_file_that_vanishes_is_a_warning(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site({"a.html": "", "b.html": ""})
    real = sitemapper.site._in_order  # type: ignore[attr-defined]

    def then_remove(names: Any) -> list[str]:
        ordered: list[str] = real(names)
        (root / "b.html").unlink(missing_ok=True)
        return ordered

    monkeypatch.setattr("sitemapper.site._in_order", then_remove)
    summary = build(root)
    assert (summary.listed, summary.excluded) == (1, {Reason.UNREADABLE: 1})


def test_rules_win_key_by_key_and_invent_nothing(site: Site) -> None:
    root = site(dict.fromkeys(["blog/a.html", "blog/b.html", "c.html", "d.html"], ""))
    rules = [
        {"match": ["blog/"], "changefreq": "weekly", "priority": 0.80},
        {"match": ["blog/b.html"], "priority": 1, "lastmod": "2024-05"},
        {"match": ["*.html", "!c.html"], "changefreq": "never"},
        {"match": ["d.html"], "list": False},
        {"match": ["d.html"], "list": True},
    ]
    build(root, rules=rules)
    text = (root / "sitemap.xml").read_text()
    assert re.findall(r"com/(.*?)</loc><lastmod>(.*?)</lastmod>(.*?)</url>", text) == [
        (
            "blog/a.html",
            "2026-01-02T03:04:05+00:00",
            "<changefreq>never</changefreq><priority>0.8</priority>",
        ),
        ("blog/b.html", "2024-05", "<changefreq>never</changefreq><priority>1.0</priority>"),
        ("c.html", "2026-01-02T05:04:05+00:00", ""),
        ("d.html", "2026-01-02T06:04:05+00:00", "<changefreq>never</changefreq>"),
    ]


def dates(root: Path) -> list[str]:
    return re.findall(r"<lastmod>(.*?)</lastmod>", (root / "sitemap.xml").read_text())


def test_dates_as_configured(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site({"a.html": ""})
    build(root, dates={"date_only": True})
    assert dates(root) == ["2026-01-02"]
    build(root, dates={"timezone": "America/New_York"})
    assert dates(root) == ["2026-01-01T22:04:05-05:00"]
    build(root, lastmod=[])
    assert dates(root) == []
    epoch = sitemapper.load({"base_url": BASE, "site": str(root)}, env={"SOURCE_DATE_EPOCH": "1700000000"})
    sitemapper.build(epoch, now=NOW)
    assert dates(root) == ["2023-11-14T22:13:20+00:00"]


def test_dates_at_the_edges(site: Site) -> None:
    root = site(dict.fromkeys(["a.html", "b.html", "c.html"], ""))
    os.utime(root / "a.html", ns=(-1, -1))
    os.utime(root / "b.html", (NOW.timestamp(), NOW.timestamp()))
    os.utime(root / "c.html", (NOW.timestamp() + 1, NOW.timestamp() + 1))
    summary = build(root)
    assert dates(root) == ["1969-12-31T23:59:59+00:00", "2026-06-01T00:00:00+00:00"]
    assert [(kind.name, examples) for kind, _, examples in summary.warnings] == [("FUTURE", ("c.html",))]


@pytest.mark.parametrize(("guard", "dated"), [("warn", 30), ("omit", 0), ("error", None)])
def test_uniform_dates(site: Site, guard: str, dated: int | None) -> None:
    root = site({f"{n}.html": "" for n in range(30)})
    for path in root.iterdir():
        os.utime(path, (MTIME, MTIME))
    if dated is None:
        with pytest.raises(SitemapperError, match="100% of 30 dates lie within one minute"):
            build(root, dates={"guard": guard})
        assert not (root / "sitemap.xml").exists()
        return
    summary = build(root, dates={"guard": guard})
    assert len(dates(root)) == dated
    assert [kind.name for kind, _, _ in summary.warnings] == (["UNIFORM"] if guard == "warn" else [])
    assert any("so they were not written" in note for note in summary.notes) == (guard == "omit")


def test_dates_in_the_future_are_not_written_wherever_they_come_from(site: Site) -> None:
    root = site({"a.html": ""})
    rules = [{"match": ["a.html"], "lastmod": "2027-01-01", "priority": 1}]
    summary = build(root, rules=rules, urls=[{"loc": f"{BASE}x", "lastmod": "2027"}])
    assert dates(root) == ["2026-01-02T03:04:05+00:00"]
    assert [(k.name, count) for k, count, _ in summary.warnings] == [("FUTURE", 2)]


def test_patterns_that_leave_nothing_out_are_noted(site: Site) -> None:
    root = site({"a.html": "", "b.html": ""})
    summary = build(root, ignore=["public/b.html", "b.html", "!x.html"])
    assert "left nothing out (patterns are relative to the site): settings: public/b.html" in summary.notes


def test_a_project_folder_is_noted(site: Site) -> None:
    root = site({"a.html": "", "package.json": "{}"})
    assert any("holds package.json: is it the built site?" in note for note in build(root).notes)


def test_extra_urls_come_after_the_pages_sorted_and_once(site: Site, tmp_path: Path) -> None:
    root = site({"about.html": "", "z.html": ""})
    (tmp_path / "urls.txt").write_text(
        "# more\nhttp://example.com/b?sid=9\n\nhttps://example.com/about.html\n"
    )
    (tmp_path / "app.csv").write_text(
        "loc,lastmod,changefreq,priority\nhttps://example.com/c,May 2024,daily,.5\nhttps://example.com/b,,,\n"
    )
    urls = [{"loc": "https://example.com/a", "lastmod": datetime(2026, 1, 1, tzinfo=UTC)}]
    summary = build(root, extra=["urls.txt", "app.csv"], urls=urls)
    assert paths(root) == ["about.html", "z.html", "a", "b", "c"]
    assert (
        "<loc>https://example.com/c</loc><lastmod>2024-05</lastmod><changefreq>daily</changefreq><priority>0.5<"
        in (root / "sitemap.xml").read_text()
    )
    assert summary.excluded == {Reason.DUPLICATE: 1}


def test_faults_of_extra_lists_name_file_and_line(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": ""})
    (tmp_path / "urls.txt").write_text("https://example.com/b\nhttps://other.com/\n/c\n")
    (tmp_path / "app.csv").write_text("loc,priority\nhttps://example.com/c,2\nhttps://example.com/d,1,9\n")
    (tmp_path / "bad.csv").write_text("url,priority\n")
    with pytest.raises(SitemapperError) as caught:
        build(root, extra=["urls.txt", "app.csv", "bad.csv", "gone.txt"])
    assert [line.partition(": ")[0] for line in str(caught.value).splitlines()] == [
        "urls.txt:2", "urls.txt:3", "app.csv:2", "app.csv:3", "bad.csv:1", "gone.txt"
    ]  # fmt: skip


def index_of(root: Path, name: str = "sitemap.xml") -> list[tuple[str, str | None]]:
    space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    tree = ElementTree.parse(root / name)
    return [
        ((s.findtext(f"{space}loc") or "").removeprefix(BASE), s.findtext(f"{space}lastmod"))
        for s in tree.iter(f"{space}sitemap")
    ]


def test_an_index_names_shards_with_their_newest_date(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(5)})
    summary = build(root, sitemap={"max_urls": 2})
    assert index_of(root) == [
        ("sitemap-1.xml", "2026-01-02T04:04:05+00:00"),
        ("sitemap-2.xml", "2026-01-02T06:04:05+00:00"),
        ("sitemap-3.xml", "2026-01-02T07:04:05+00:00"),
    ]
    assert [file.urls for file in summary.files] == [2, 2, 1, None, None]
    build(root, sitemap={"max_urls": 2}, lastmod=[])
    assert index_of(root)[0] == ("sitemap-1.xml", None)


def test_fewer_pages_remove_our_stale_shards_and_nothing_else(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(5)})
    (root / "sitemap-9.xml").write_text("<urlset>somebody else's</urlset>")
    build(root, sitemap={"max_urls": 2, "gzip": "also", "text": True})
    summary = build(root)
    assert changes(summary) == {
        "sitemap.xml": "updated", "robots.txt": "kept", "sitemap-1.txt": "removed", "sitemap-1.txt.gz": "removed",
        "sitemap-1.xml": "removed", "sitemap-1.xml.gz": "removed", "sitemap-2.txt": "removed",
        "sitemap-2.txt.gz": "removed", "sitemap-2.xml": "removed", "sitemap-2.xml.gz": "removed",
        "sitemap-3.txt": "removed", "sitemap-3.txt.gz": "removed", "sitemap-3.xml": "removed",
        "sitemap-3.xml.gz": "removed", "sitemap.xml.gz": "removed",
    }  # fmt: skip
    assert {p.name for p in root.iterdir() if "sitemap" in p.name} == {"sitemap.xml", "sitemap-9.xml"}


def test_sections(site: Site) -> None:
    root = site(dict.fromkeys(["a.html", "blog/a.html", "blog/b.html", "blog/c.html", "docs/a.html"], ""))
    sections = [{"name": "blog", "match": ["blog/"]}, {"name": "rest", "match": ["docs/", "blog/"]}]
    build(root, sitemaps=sections, sitemap={"max_urls": 2, "text": True})
    names = ["sitemap-1.xml", "sitemap-blog.xml", "sitemap-blog-2.xml", "sitemap-rest.xml"]
    assert [name for name, _ in index_of(root)] == names
    assert [paths(root, name) for name in names] == [
        ["a.html"], ["blog/a.html", "blog/b.html"], ["blog/c.html"], ["docs/a.html"]
    ]  # fmt: skip
    assert (root / "sitemap-1.txt").read_text() == f"{BASE}a.html\n{BASE}blog/a.html\n"


def test_gzip_only_names_gz_shards_in_a_plain_index(site: Site) -> None:
    root = site({"a.html": "", "b.html": ""})
    build(root, sitemap={"gzip": "only", "text": True})
    assert [name for name, _ in index_of(root)] == ["sitemap-1.xml.gz"]
    packed = (root / "sitemap-1.xml.gz").read_bytes()
    assert packed[3] == 0 and packed[4:8] == b"\0\0\0\0"
    assert b"<loc>https://example.com/b.html</loc>" in gzip.decompress(packed)
    assert gzip.decompress((root / "sitemap.txt.gz").read_bytes()) == f"{BASE}a.html\n{BASE}b.html\n".encode()
    (root / "sitemap-1.xml.gz").write_bytes(gzip.compress(gzip.decompress(packed), 1))
    assert changes(build(root, sitemap={"gzip": "only", "text": True}))["sitemap-1.xml.gz"] == "kept"


def test_images_can_be_listed_as_text(site: Site) -> None:
    root = site({"a.png": "", "b/ä.PNG": "", "c.html": ""})
    (root.parent / "sitemapper.toml").write_text('include = ["*.png"]')
    build(root, sitemap={"text": True})
    assert (root / "sitemap.txt").read_text() == f"{BASE}a.png\n{BASE}b/%C3%A4.PNG\n"


def test_two_sites_of_one_host_keep_to_their_scopes(tmp_path: Path) -> None:
    main = write_site(tmp_path / "main", {"index.html": ""})
    docs = write_site(tmp_path / "docs", {"index.html": "", "guide.html": ""})
    build(main)
    summary = build(docs, base_url="https://example.com/docs/")
    assert not (docs / "robots.txt").exists()
    assert (
        "add the line “Sitemap: https://example.com/docs/sitemap.xml” to https://example.com/robots.txt"
        in (summary.notes[-1])
    )
    index = sitemapper.formats.xml.index(  # type: ignore[attr-defined]
        [("https://example.com/sitemap.xml", None), ("https://example.com/docs/sitemap.xml", None)],
        settings(main),
    )
    (main / "all.xml").write_bytes(index)
    assert [loc for name, _ in index_of(main, "all.xml") for loc in locs(tmp_path / "main" if name == "sitemap.xml" else docs)] == [
        "https://example.com/", "https://example.com/docs/", "https://example.com/docs/guide.html"
    ]  # fmt: skip


def test_an_output_below_the_site_is_refused_with_the_rule(site: Site) -> None:
    root = site({"a.html": ""})
    with pytest.raises(
        SitemapperError, match=r"served below https://example.com/maps/ and may list only URLs there"
    ):
        build(root, output=str(root / "maps"))
    assert not (root / "maps").exists()


def test_an_output_outside_the_site_is_served_at_the_base(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": "", "robots.txt": "User-agent: *\nDisallow:\n"})
    build(root, output=str(tmp_path / "new" / "out"))
    assert paths(tmp_path / "new" / "out") == ["a.html"]
    assert (
        (tmp_path / "new" / "out" / "robots.txt")
        .read_text()
        .startswith("User-agent: *\nDisallow:\nSitemap: ")
    )
    assert sorted(os.listdir(root)) == ["a.html", "robots.txt"]


def test_robots_txt_that_names_a_missing_sitemap_is_a_warning(site: Site) -> None:
    root = site({"a.html": "", "robots.txt": f"Sitemap: {BASE}old.xml\nSitemap: https://other.com/x.xml\n"})
    assert [(k.name, examples) for k, _, examples in build(root).warnings] == [
        ("STALE_ROBOTS", (f"{BASE}old.xml",))
    ]


def test_a_stale_sitemap_of_somebody_else_beside_ours_is_a_warning(site: Site) -> None:
    root = site({"a.html": "", "sitemap.xml.gz": gzip.compress(b"<urlset/>")})
    assert [(k.name, examples) for k, _, examples in build(root).warnings] == [
        ("FOREIGN", ("sitemap.xml.gz",))
    ]
    with pytest.raises(SitemapperError, match=r"sitemap\.xml\.gz: was not written by sitemapper"):
        build(root, sitemap={"gzip": "also"})


def test_an_empty_sitemap_never_replaces_a_good_one(site: Site) -> None:
    root = site({"a.html": ""})
    build(root)
    good = (root / "sitemap.xml").read_bytes()
    with pytest.raises(SitemapperError, match=r"no page to list \(left out: 1 ignored; --dry-run"):
        build(root, ignore=["*.html"])
    assert (root / "sitemap.xml").read_bytes() == good
    allowed = settings(root, ignore=["*.html"]).model_copy(update={"allow_empty": True})
    assert sitemapper.build(allowed, now=NOW).listed == 0
    assert locs(root) == []


@pytest.mark.parametrize("max_urls", [50_000, 3])
def test_too_many_lost_pages_stop_the_run(site: Site, max_urls: int) -> None:
    root = site({f"{n}.html": "" for n in range(10)})
    assert build(root, sitemap={"max_urls": max_urls}).previous is None
    for n in range(6):
        (root / f"{n}.html").unlink()
    with pytest.raises(SitemapperError, match="4 to list, 10 are published: more than 50 % would be lost"):
        build(root, sitemap={"max_urls": max_urls})
    with pytest.raises(SitemapperError, match="--max-drop"):
        build(root, dry_run=True)
    assert build(root, max_drop=60).previous == 10


def test_a_foreign_sitemap_is_never_replaced(site: Site) -> None:
    root = site({"a.html": "", "sitemap.xml": "<urlset/>"})
    with pytest.raises(SitemapperError, match=r"sitemap.xml: was not written by sitemapper"):
        build(root)
    assert (root / "sitemap.xml").read_text() == "<urlset/>"
    build(root, sitemap={"name": "sitemap-pages.xml"})
    assert paths(root, "sitemap-pages.xml") == ["a.html"]


def test_dry_run_says_the_same_and_writes_nothing(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(7)})
    options = {"sitemap": {"max_urls": 3, "gzip": "also", "text": True}}
    planned = build(root, dry_run=True, **options)
    assert [p for p in os.listdir(root) if "html" not in p] == []
    done = build(root, **options)
    assert changes(planned) == changes(done)
    assert set(changes(build(root, dry_run=True, **options)).values()) == {"kept"}
    os.utime(root / "6.html", (MTIME, MTIME))
    assert [n for n, c in changes(build(root, dry_run=True, **options)).items() if c == "updated"] == [
        "sitemap-3.xml", "sitemap-3.xml.gz", "sitemap.xml", "sitemap.xml.gz"
    ]  # fmt: skip


def test_published_files_keep_the_mode_they_had(site: Site) -> None:
    root = site({"a.html": ""})
    build(root)
    (root / "sitemap.xml").chmod(0o640)
    write_site(root, {"b.html": ""})
    build(root)
    assert (root / "sitemap.xml").stat().st_mode & 0o777 == 0o640
    assert (root / "robots.txt").stat().st_mode & 0o777 == 0o644


TREES = st.dictionaries(
    st.lists(st.sampled_from(["a", "b", "index", "é", "x y", "a-b", "404"]), min_size=1, max_size=3)
    .map("/".join).map("{}.html".format),
    st.integers(1_000_000_000, 1_700_000_000),
    min_size=1,
    max_size=15,
)  # fmt: skip


@pytest.mark.slow
@hypothesis_settings(max_examples=40, deadline=None)
@given(
    tree=TREES,
    style=st.sampled_from(["directory", "clean", "slash", "file"]),
    limit=st.integers(1, 4),
    batch=st.integers(1, 5),
)
def test_laws_of_a_build(
    tmp_path_factory: Any, tree: dict[str, int], style: str, limit: int, batch: int
) -> None:
    root: Path = tmp_path_factory.mktemp("law")
    for path, mtime in tree.items():
        write_site(root, {path: ""}, mtime)

    class Count(Listener):
        out = 0

        def excluded(self, excluded: Excluded) -> None:
            self.out += not excluded.path.endswith("/")

    count = Count()
    options = settings(root, url_style=style, sitemap={"max_urls": limit}, ignore=["b/"]).model_copy(
        update={"allow_empty": True}
    )
    summary = sitemapper.build(options, now=NOW, listener=count)
    walked = [path for path in tree if not re.match(r"(.*/)?b/", path)]
    assert summary.listed + count.out == len(walked)
    assert sum(summary.excluded.values()) == count.out
    shards = [f.name for f in summary.files if f.urls is not None]
    found = [loc for name in shards for loc in locs(root, name)]
    assert len(found) == len(set(found)) == summary.listed
    assert all(len(locs(root, name)) == limit for name in shards[:-1])
    before = {name: (root / name).read_bytes() for name in os.listdir(root) if name.startswith("sitemap")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sitemapper.pipeline.BATCH", batch)
        again = sitemapper.build(options, now=NOW)
    assert {f.change for f in again.files} == {Change.KEPT}
    assert before == {name: (root / name).read_bytes() for name in before}


def test_no_byte_depends_on_the_environment(site: Site, tmp_path: Path) -> None:
    root = site({"é/index.html": "", "b.html": "", "a b.html": "", "c/d.html": "", "404.html": ""})
    told = set()
    for n, extra in enumerate(
        [
            {"TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"},
            {
                "TZ": "America/Lima",
                "LC_ALL": "C",
                "PYTHONHASHSEED": "2",
                "PYTHONCOERCECLOCALE": "0",
                "PYTHONUTF8": "0",
            },
            {"TZ": "UTC", "LC_ALL": "POSIX", "PYTHONHASHSEED": "3", "PYTHONUTF8": "0"},
        ]
    ):
        out, cwd = tmp_path / f"out{n}", tmp_path / f"cwd{n}"
        cwd.mkdir()
        command = [sys.executable, "-m", "sitemapper", "build", str(root), "--base-url", BASE, "--output", str(out), "--excluded", "list"]  # fmt: skip
        subprocess.run(command, cwd=cwd, env=os.environ | extra, capture_output=True, check=True)
        told.add(((cwd / "list").read_bytes(), (out / "sitemap.xml").read_bytes()))
    assert len(told) == 1


def test_json_has_its_documented_shape(site: Site, run: Run) -> None:
    root = site({"a.html": "", "404.html": "", "drafts/b.html": ""})
    assert run("build", root, "--base-url", BASE, "--ignore", "drafts/", "--format", "json") == 0
    shape = json.loads(run.out)
    assert shape.pop("seconds") >= 0
    assert shape == {
        "version": 1,
        "site": str(root),
        "sitemap": f"{BASE}sitemap.xml",
        "dry_run": False,
        "listed": 1,
        "previous": None,
        "excluded": {"ignored": 1},
        "folders_not_entered": 1,
        "files": [
            {"name": "sitemap.xml", "change": "created", "urls": 1},
            {"name": "robots.txt", "change": "created", "urls": None},
        ],
        "warnings": [],
        "notes": ["the first build here: no earlier sitemap to compare the number of pages with"],
    }
