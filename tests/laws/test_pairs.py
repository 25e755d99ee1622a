"""Keys and flags in random combinations on one site: what must hold for each build."""

from __future__ import annotations

import gzip
import json
import random
import tomllib
from pathlib import Path

import pytest
from support import BASE, Run, write_site
from support.heads import NOINDEX, canonical, head, refresh

import sitemapper

Row = dict[str, str]

PAGES = {
    "index.html": head('<meta name="date" content="2024-05-06"><title>home</title>'),
    "a.html": head(
        '<meta name="date" content="2024-05"><link rel="alternate" hreflang="de" href="/blog/1.html">'
    ),
    "b/index.html": '<html><head></head><body><a href="/a.html">a</a><img src="/i.png"></body></html>',
    "blog/1.html": head('<link rel="alternate" hreflang="en" href="/a.html">'),
    "blog/2.html": canonical("/blog/1.html"),
    "blog/über.html": head(""),
    "closed/x.html": head(""),
    "draft.html": head(""),
    "gone.html": refresh("0;url=/a.html"),
    "hidden.html": NOINDEX,
    "404.html": head("<title>404</title>"),
    "moved.html": head(""),
    "i.png": "",
    "_redirects": "/moved.html /a.html 301!\n",
    "robots.txt": "User-agent: *\nDisallow: /closed/\n\nUser-agent: Bingbot\nDisallow: /draft\n",
}
# A line of a table of the configuration ("table|line"), or flags (--), or nothing.
KEYS: dict[str, tuple[str, ...]] = {
    "url_style": tuple(f'|url_style = "{style}"' for style in ("auto", "directory", "clean", "slash", "bare", "file")),
    "lastmod": tuple(f"|lastmod = {value}" for value in ('"auto"', "[]", '["page", "mtime"]', '["ledger", "mtime"]')),
    "host": ("", '|host = "none"', '|host = "netlify"'),
    "hreflang": ("", "|hreflang = true"),
    "images": ("", "|images = true"),
    "ignore": ("", '|ignore = ["draft.html"]'),
    "include": ("", '|include = ["*.png"]'),
    "strict": ("", "--strict"),
    "jobs": ("", "--jobs 2"),
    "output": ("", "--output out"),
    "name": ("", 'sitemap|name = "pages.xml"'),
    "text": ("", "sitemap|text = true"),
    "gzip": ("", 'sitemap|gzip = "also"', 'sitemap|gzip = "only"'),
    "index": ("", 'sitemap|index = "always"'),
    "strategy": ("", 'sitemap|strategy = "stable"'),
    "max_urls": ("", "sitemap|max_urls = 2"),
    "schema": ("", "sitemap|schema_location = true"),
    "write": ("", "robots|write = false"),
    "timezone": ("", 'dates|timezone = "Asia/Kolkata"'),
    "date_only": ("", "dates|date_only = true"),
    **{f"respect.{signal}": ("", f"respect|{signal} = false") for signal in ("noindex", "canonical", "refresh", "robots")},
    "key": ("", 'submit|key = "0123456789abcdef"'),
    "sections": ("", '[sitemaps]|name = "blog"\nmatch = ["blog/"]'),
    "rules": ("", '[rules]|match = ["blog/"]\npriority = 0.8\nlastmod = 2024-01-02'),
    "urls": ("", f'[urls]|loc = "{BASE}app"\nlastmod = 2024-02-03'),
}  # fmt: skip


chance = random.Random(1)
ROWS = [{key: chance.choice(values) for key, values in KEYS.items()} for _ in range(40)]


def config_of(row: Row) -> str:
    tables: dict[str, list[str]] = {"": [f'base_url = "{BASE}"', 'site = "public"']}
    for value in row.values():
        table, bar, line = value.partition("|")
        if bar:
            tables.setdefault(table, []).append(line)
    parts = []
    for table, lines in tables.items():
        parts += [f"[{table}]"] if table else []
        parts += lines
    return "\n".join(parts)


def assert_explained(root: Path, row: Row, listed: int, sitemaps: str) -> None:
    """`explain` lists as many pages as the build, each by a URL that is published."""
    values = {**tomllib.loads(config_of(row)), "site": str(root)}
    setup = sitemapper.load(values, cwd=str(root.parent))
    verdicts = [sitemapper.explain(setup, path) for path in PAGES if is_page(path, row)]
    listed_pages = (
        dict(one[:2] for one in verdict.rows) for verdict in verdicts if not verdict.reason
    )
    locs = [rows["url"] for rows in listed_pages]
    assert len(locs) + bool(row["urls"]) == listed
    assert all(f"<loc>{loc}</loc>" in sitemaps for loc in locs)


def is_page(path: str, row: Row) -> bool:
    return path.endswith(".html") or (path.endswith(".png") and bool(row["include"]))


def text_of(sitemap: Path) -> str:
    data = sitemap.read_bytes()
    return (gzip.decompress(data) if sitemap.suffix == ".gz" else data).decode()


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_what_holds_for_all_settings(
    row: Row, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_site(tmp_path / "public", PAGES)
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sitemapper.toml").write_text(config_of(row))
    flags = [flag for value in row.values() if value.startswith("--") for flag in value.split()]
    given = [flag for flag in flags if flag != "--strict"]
    code = run("build", *flags, "--format", "json")
    assert code in ((0, 1) if "--strict" in flags else (0,)), run.err
    summary = json.loads(run.out)
    pages = sum(is_page(path, row) for path in PAGES)
    assert summary["listed"] + sum(summary["excluded"].values()) == pages + bool(row["urls"])
    published = files_in(tmp_path)
    output = tmp_path / "out" if row["output"] else root
    assert run("validate", output) == 0, run.out
    assert run("check", *given) == 0, run.out + run.err
    assert run("build", *given, "--quiet") == 0
    assert files_in(tmp_path) == published
    sitemaps = "".join(map(text_of, output.glob("*.xml*")))
    assert_explained(root, row, summary["listed"], sitemaps)
