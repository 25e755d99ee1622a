"""`build` from folder to published files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import BASE, NOW, Run, Site, asking, build, changed, paths, settings

import sitemapper
from sitemapper import Reason, SitemapperError
from sitemapper.cli.words import SENTENCES
from sitemapper.messages import Kind, Message


def test_a_small_site_whole(site: Site) -> None:
    root = site(
        {
            "index.html": "",
            "blog/index.html": "",
            "blog/é & 'ü'.html": "",
            "404.html": "",
            "style.css": "",
        }
    )
    summary = build(root)
    assert (summary.listed, summary.excluded) == (3, {Reason.IGNORED: 1})
    assert changed(summary) == {"sitemap.xml": "created", "robots.txt": "created"}
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
    assert set(changed(summary).values()) == {"kept"}
    assert {
        path.name: (path.stat().st_mtime_ns, path.stat().st_ino) for path in root.iterdir()
    } == before
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


def test_a_selector_that_matches_nothing_is_a_warning_of_each_run(
    site: Site, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site({"a.html": "<main>a<i class=time>3 min</i></main>"})
    settings = f'base_url = "{BASE}"\nsite = "public"\nlastmod = "ledger"\n[ledger]\n'
    (tmp_path / "sitemapper.toml").write_text(f'{settings}drop = [".tiem", ".time"]\n')
    for command in ("build", "build", "check"):
        assert run(command, "--strict") == 1
        assert f"{SENTENCES[Kind.SELECTOR][0]}: sitemapper.toml:5: .tiem\n" in run.err
    monkeypatch.setenv("SITEMAPPER_LEDGER_DROP", ".x")
    assert run("build") == 0
    assert f"{SENTENCES[Kind.SELECTOR][0]}: settings: .x\n" in run.err


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"ignore": ["drats/"]}, "settings: drats/"),
        ({"ignore": ["a.html", "!x.html", "404.html"]}, None),
        ({"rules": [{"match": ["x/"], "list": False}]}, "settings: x/"),
        ({"rules": [{"match": ["a.html"], "priority": 1}, {"match": ["*"], "priority": 0}]}, None),
        ({"sitemaps": [{"name": "x", "match": ["x/"]}]}, "settings: x/"),
        ({"sitemaps": [{"name": "x", "match": ["b/"]}]}, None),
        ({"lastmod": ["ledger"], "ledger": {"drop": ["i", ".x"]}}, "settings: .x"),
        ({"lastmod": ["mtime"], "ledger": {"drop": [".x"]}}, None),
    ],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_what_has_no_effect(
    site: Site, values: dict[str, Any], said: str | None, jobs: int
) -> None:
    root = site({"a.html": "", "b/c.html": "<main>c<i>d", "404.html": ""})
    found = sitemapper.build(asking(settings(root, **values), jobs=jobs), now=NOW)
    if values.get("ledger"):
        assert found.warnings == ((Message(Kind.SELECTOR, (said,)),) if said else ())
    else:
        assert (found.warnings, found.unmatched) == ((), (said,) if said else ())


@pytest.mark.slow
def test_no_byte_depends_on_the_environment(site: Site, tmp_path: Path) -> None:
    root = site({"é/index.html": "", "b.html": "", "a b.html": "", "c/d.html": "", "404.html": ""})
    told = set()
    far = {"TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"}
    plain = {"TZ": "America/Lima", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    for n, extra in enumerate([far, plain | {"PYTHONHASHSEED": "2"}]):
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
        "detected": {},
        "dry_run": False,
        "listed": 1,
        "previous": None,
        "dated": {"mtime": 1},
        "changes": {"added": [f"{BASE}a.html"], "changed": [], "removed": []},
        "gone": {"redirected": 0, "form": 0, "moved": 0, "withdrawn": 0, "lost": 0},
        "gone_urls": [],
        "excluded": {"ignored": 1},
        "folders_not_entered": 1,
        "files": [
            {"name": "sitemap.xml", "change": "created", "urls": 1},
            {"name": "robots.txt", "change": "created", "urls": None},
        ],
        "warnings": [],
        "notes": [
            "there is no earlier sitemap, so every page counts as added\nhelp: if your generator empties its "
            "folder, compare with the live sitemap: --previous live"
        ],
        "note_kinds": ["changes_of_first_run"],
    }


def test_a_folder_that_does_not_exist_leaves_no_output_behind(tmp_path: Path) -> None:
    with pytest.raises(SitemapperError, match="does not exist"):
        build(tmp_path / "gone", output=str(tmp_path / "new"))
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("base_url", "said"),
    [
        ("http://localhost:8000/", "is this machine"),
        ("https://127.0.0.1", "is this machine"),
        ("http://blog.localhost/", "is this machine"),
        ("http://[::1]:8000/", "is this machine"),
        ("https://localhost.example.com/", None),
        ("https://example.com/v1.2/", None),
        ("https://example.com/page.html/docs/", None),
    ],
)
def test_a_base_url_that_may_be_wrong_is_a_warning(
    site: Site, base_url: str, said: str | None
) -> None:
    found = build(site({"a.html": ""}), base_url=base_url).warnings
    shown = base_url if base_url.endswith("/") else f"{base_url}/"
    assert found == ((Message(Kind.BASE_URL, (f"{shown} {said}",)),) if said else ())


def test_a_base_url_that_is_a_file_is_an_error(site: Site) -> None:
    folder = "https://example.com/a/"
    with pytest.raises(
        SitemapperError, match=f"is the URL of a file\nhelp: did you mean {folder}\\?"
    ):
        build(site({"a.html": ""}), base_url=f"{folder}index.PHP/")


def test_installed_packages_are_never_entered(site: Site) -> None:
    root = site({"a.html": "", "node_modules/x/a.html": "", "b/node_modules/x.html": ""})
    summary = build(root)
    assert (paths(root), summary.pruned, summary.warnings) == (["a.html"], 2, ())
