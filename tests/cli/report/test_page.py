"""`--report`: the data in the page, what may run in it, and how large it gets."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import tracemalloc
from base64 import b64decode, b64encode
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from support import BASE, NOW, POSIX, Run, Site

from sitemapper import Excluded, Origin, Reason
from sitemapper.cli.report.bounded import MAX_FOLDERS
from sitemapper.cli.report.page import Report
from sitemapper.model import BatchDetails, Summary, UrlChange
from sitemapper.run.details import KINDS

NOINDEX = '<meta name="robots" content="noindex">'


def told(page: str) -> dict[str, Any]:
    """The data of a report."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def counts(data: dict[str, Any]) -> dict[str, int]:
    """How many pages are listed, and how many each reason excludes."""
    kinds: Counter[str] = Counter()
    for *_, own in data["tree"]:
        for kind, pages in zip(own[::2], own[1::2], strict=True):
            kinds["listed" if kind < data["ages"] else data["kinds"][kind]] += pages
    return dict(kinds)


def lines(packed: dict[str, Any]) -> list[str]:
    """The lines of a list."""
    return gzip.decompress(b64decode(packed["rows"])).decode().splitlines()


def rows(packed: dict[str, Any]) -> list[list[str]]:
    """The rows of a list."""
    return [line.split("\t") for line in lines(packed)]


def test_it_says_what_is_listed_and_what_is_not_and_why(
    site: Site, run: Run, tmp_path: Path
) -> None:
    listed = ("index.html", "a/x.html", "a/y.html", "a/b/1.html", "a/b/2.html")
    others = {"404.html": "", "drafts/d.html": "", "robots.txt": f"Sitemap: {BASE}gone.xml\n"}
    root = site(dict.fromkeys(listed, "") | {"a/n.html": NOINDEX} | others)
    assert run("build", root, "--base-url", BASE, "--ignore", "drafts/", "--report", "r.html") == 0
    data = told((tmp_path / "r.html").read_text())
    assert counts(data) == {"listed": 5, "ignored": 1, "noindex": 1}
    year, ignored, noindex = map(KINDS.index, ("within a year", "ignored", "noindex"))
    assert data["tree"] == [
        [0, "", 0, [year, 1, ignored, 1]],
        [1, "a", 0, [year, 2, noindex, 1]],
        [2, "b", 0, [year, 2]],
    ]
    assert {
        reason: rows(packed) for reason, packed in data["pages"].items() if reason != "listed"
    } == {
        "ignored": [["404.html", "built-in default: 404.html"], ["drafts/", "--ignore: drafts/"]],
        "noindex": [["a/n.html", f"a/n.html: {NOINDEX}"]],
    }
    assert data["pruned"] == 1
    assert data["warnings"] == [
        [
            f"robots.txt lists a sitemap that does not exist: {BASE}gone.xml",
            "remove the line from robots.txt",
        ]
    ]


def test_it_lists_every_page_with_its_url_its_date_and_their_origins(
    site: Site, run: Run, tmp_path: Path
) -> None:
    root = site({"a.html": "", "b/index.html": "", "n.html": NOINDEX})
    assert run("build", root, "--base-url", BASE, "--report", "r.html") == 0
    listed = told((tmp_path / "r.html").read_text())["pages"]["listed"]
    assert (listed["count"], listed["kept"]) == (2, 2)
    date = ("lastmod", "2026-01-02T03:04:05+00:00", "mtime")
    a, b = rows(listed)
    assert a == ["a.html", "loc", f"{BASE}a.html", "url_style directory", *date]
    assert b[:3] == ["b/index.html", "loc", f"{BASE}b/"]


def test_it_shows_dates_by_month_and_source(site: Site, run: Run, tmp_path: Path) -> None:
    dated = '<meta property="article:modified_time" content="2025-0{}-03">'
    root = site(
        {f"{n}.html": dated.format(n) for n in (1, 2)}
        | {f"late/{n:02}.html": "" for n in range(20)}
    )
    flags = ("--lastmod", "page", "--lastmod", "mtime")
    assert run("build", root, "--base-url", BASE, *flags, "--report", "r.html") == 0
    data = told((tmp_path / "r.html").read_text())
    assert data["months"] == [
        ["mtime", "2026-01", 20],
        ["page", "2025-01", 1],
        ["page", "2025-02", 1],
    ]
    assert data["warnings"] == []  # an hour apart, as no build writes them


def test_it_shows_what_a_run_changes_and_the_files(site: Site, run: Run, tmp_path: Path) -> None:
    root = site({"a.html": "", "b.html": ""})
    assert run("build", root, "--base-url", BASE) == 0
    (root / "a.html").unlink()
    (root / "c.html").write_text("<p>")
    assert run("build", root, "--base-url", BASE, "--dry-run", "--report", "r.html") == 0
    data = told((tmp_path / "r.html").read_text())
    assert data["totals"] == {"added": 1, "changed": 0, "removed": 1}
    assert rows(data["changes"]["removed"]) == [[f"{BASE}a.html", "2026-01-02T03:04:05+00:00", ""]]
    assert [url for url, *_ in rows(data["changes"]["added"])] == [f"{BASE}c.html"]
    size = (root / "sitemap.xml").stat().st_size
    assert data["files"][0] == ["sitemap.xml", "updated", 2, size]
    assert not data["done"]


@POSIX
def test_nothing_from_a_page_becomes_an_element(site: Site, run: Run, tmp_path: Path) -> None:
    name = "<script>alert(1)<!--"
    noindex = "<meta name=robots content='noindex,</script><script>alert(1)</script>'>"
    root = site(
        {f"{name}/{n}.html": "" for n in (1, 2)}
        | {f"{name}.html": noindex, "b\udcff\u202e.html": NOINDEX}
    )
    assert run("build", root, "--base-url", BASE, "--report", "r.html") == 0
    page = (tmp_path / "r.html").read_text()
    assert page.count("<script") == page.count("</script>") == 2
    assert "<!--" not in page.replace("<!-- sitemapper report -->", "")
    data = told(page)
    assert [row[1] for row in data["tree"]] == ["", name]
    assert rows(data["pages"]["noindex"]) == [
        [
            f"{name}.html",
            f'{name}.html: <meta name="robots" content="noindex,</script><script>alert(1)</script>">',
        ],
        ["b\\xff\\u202e.html", f"b\\xff\\u202e.html: {NOINDEX}"],
    ]


def test_only_its_own_script_runs_and_nothing_is_loaded(
    site: Site, run: Run, tmp_path: Path
) -> None:
    root = site({"a.html": ""})
    assert run("build", root, "--base-url", BASE, "--report", "r.html") == 0
    page = (tmp_path / "r.html").read_text()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    parts = [re.search(rf"<{name}>(.*?)</{name}>", page, re.S) for name in ("style", "script")]
    style, script = (part[1] for part in parts if part)
    assert policy and policy[1].startswith("default-src 'none'; img-src data:; ")
    for name, part in (("style", style), ("script", script)):
        digest = b64encode(sha256(part.encode()).digest()).decode()
        assert f"; {name}-src 'sha256-{digest}'" in policy[1]
    assert "unsafe" not in policy[1]
    markup = page.replace(style, "").replace(script, "")
    assert re.findall(r"""\s(?:src|on\w+|style)=|href="(?!data:,)|@import|url\(""", markup) == []
    assert "url(" not in style and "innerHTML" not in script and "fetch(" not in script
    assert '<meta name="robots" content="noindex">' in page


def test_only_a_report_is_replaced(site: Site, run: Run, tmp_path: Path) -> None:
    root = site({"a.html": "<p>mine"})
    assert run("build", root, "--base-url", BASE, "--report", root / "a.html") == 2
    assert "a.html: was not written by sitemapper, so it is not replaced" in run.err
    assert run("build", root, "--base-url", BASE, "--report", "-") == 2
    assert "pass a file such as report.html" in run.err
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert run("build", root, "--base-url", BASE, "--report", "pipe") == 2
        assert "--report: pipe: is not a regular file" in run.err
    assert (root / "a.html").read_text() == "<p>mine"
    assert not (root / "sitemap.xml").exists()
    for _ in range(2):
        assert run("build", root, "--base-url", BASE, "--report", root / "r.html") == 0
    assert sorted(os.listdir(root)) == ["a.html", "r.html", "robots.txt", "sitemap.xml"]
    assert counts(told((root / "r.html").read_text())) == {"listed": 1, "not a page": 1}
    assert run("build", root, "--base-url", BASE, "--report", "no/r.html") == 2
    assert "--report: no/r.html: no such folder" in run.err


def test_the_output_is_the_same_with_a_report(site: Site, run: Run) -> None:
    root = site({"a.html": "", "404.html": ""})
    command = ("build", root, "--base-url", BASE, "--dry-run", "--format", "json")
    assert run(*command) == 0
    plain = re.sub('"seconds".*', "", run.out)
    assert run(*command, "--report", "r.html") == 0
    assert re.sub('"seconds".*', "", run.out) == plain


@pytest.mark.slow
def test_it_stays_small_in_bounded_memory() -> None:
    pages = 100_000
    rng = random.Random(1)
    report = Report()
    summary = Summary("", BASE, 0, {}, 0, (), (), (), None, {}, {})
    tracemalloc.start()
    for start in range(0, pages, 1000):
        for n in range(start, start + 1000):
            name = f"{n // 10:06}/{rng.randbytes(30).hex()}.html"
            reason = list(Reason)[n % len(Reason)]
            report.excluded(Excluded(name, reason, Origin(name, None, rng.randbytes(30).hex())))
        folders_of_batch = {(f"{n // 10:06}/", 0): 5 for n in range(start, start + 1000)}
        names = (f"{n // 10:06}/{rng.randbytes(30).hex()}.html" for n in range(start, start + 1000))
        listed = [(name, "loc", BASE + name, "url_style directory") for name in names]
        report.details(BatchDetails(folders_of_batch, {("mtime", "2026-01"): 5_000}, listed))
    for _ in range(pages):
        report.changed(UrlChange.ADDED, BASE + rng.randbytes(30).hex(), "", "2026-01-01")
    page = report.page(summary, BASE, NOW, is_done=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(page) < 4_000_000
    assert peak < 24 << 20
    data = told(page)
    for kind in ("redirect", "listed"):
        packed = data["pages"][kind]
        assert packed["count"] > packed["kept"] == len(rows(packed)) > 100
    assert 100 < len(data["tree"]) <= MAX_FOLDERS


def test_a_report_inside_the_site_is_never_listed(site: Site, run: Run) -> None:
    root = site({"index.html": "<p>"})
    flags = (root, "--base-url", BASE, "--no-respect", "noindex")
    assert run("build", *flags, "--report", root / "report.html") == 0
    assert run("build", *flags) == 0
    assert "report.html" not in (root / "sitemap.xml").read_text()
    assert run("explain", "report.html", "--site", *flags) == 0
    assert "report of sitemapper" in run.out
