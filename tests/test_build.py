"""`build` from folder to published files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import BASE, MTIME, NOW, Run, Site, build, locs, paths, settings, write_site
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import sitemapper
from sitemapper import Change, Excluded, Listener, Reason, SitemapperError, Summary


def changes(summary: Summary) -> dict[str, str]:
    return {file.name: file.change.value for file in summary.files}


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
    root = site(dict.fromkeys(["a.html", "b.html", "c.html", "d.html"], ""))
    first = 662_688_000  # 1991-01-01
    os.utime(root / "a.html", (first, first))
    os.utime(root / "b.html", (NOW.timestamp(), NOW.timestamp()))
    os.utime(root / "c.html", (NOW.timestamp() + 1, NOW.timestamp() + 1))
    os.utime(root / "d.html", ns=(first * 10**9 - 1, first * 10**9 - 1))
    summary = build(root)
    assert dates(root) == ["1991-01-01T00:00:00+00:00", "2026-06-01T00:00:00+00:00"]
    found = [(kind.name, examples) for kind, _, examples in summary.warnings]
    assert found == [("FUTURE", ("c.html",)), ("ANCIENT", ("d.html",))]


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
        patch.setattr("sitemapper.site.walk.BATCH", batch)
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
        "dated": {"mtime": 1},
        "changes": {"added": [f"{BASE}a.html"], "changed": [], "removed": []},
        "excluded": {"ignored": 1},
        "folders_not_entered": 1,
        "files": [
            {"name": "sitemap.xml", "change": "created", "urls": 1},
            {"name": "robots.txt", "change": "created", "urls": None},
        ],
        "warnings": [],
        "notes": [
            "no earlier sitemap to compare with, so every page counts as added; where your generator empties "
            "its folder, a ledger remembers"
        ],
    }
