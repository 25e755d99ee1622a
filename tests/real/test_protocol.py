"""What others read in our sitemaps: the protocol's constraints by xmllint, the URLs by three parsers."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from support import Site
from support.web import Web

from real.sites import BASE
from real.tools import HERE, NODE, VENV, findings, run, sitemapper

pytestmark = pytest.mark.real

# A site whose names a reader of its sitemap must decode; file: its URL below the base
PAGES = {
    "index.html": "",
    "über uns.html": "%C3%BCber%20uns.html",
    "日本/index.html": "%E6%97%A5%E6%9C%AC/",
    "😀.html": "%F0%9F%98%80.html",
    "\udcff.html": "%FF.html",  # the byte FF, which is not UTF-8
    "a&b.html": "a&b.html",
    "it's.html": "it's.html",
    'a"b.html': "a%22b.html",
    "a<b>c.html": "a%3Cb%3Ec.html",
    "100%.html": "100%25.html",
    "%41.html": "%2541.html",
    "a#b.html": "a%23b.html",
    "what?.html": "what%3F.html",
    "a+b.html": "a+b.html",
    "a;b=c,d.html": "a;b=c,d.html",
    "a\\b.html": "a%5Cb.html",
    "a\tb\nc.html": "a%09b%0Ac.html",
    "[a]{b}|^`.html": "%5Ba%5D%7Bb%7D%7C%5E%60.html",
    "sub/~!$(a)*@:.html": "sub/~!$(a)*@:.html",
}
SHARDED = "--config=sitemap.max_urls = 7"
# reader: its command; what it reads beside sitemaps, since only some follow robots.txt or know text
READERS: dict[str, tuple[tuple[str | Path, ...], tuple[str, ...]]] = {
    "usp": ((VENV / "python", HERE / "readers/read_usp.py"), ("robots.txt", "sitemap-*.txt", "sitemap-*.txt.gz")),
    "advertools": ((VENV / "python", HERE / "readers/read_advertools.py"), ("robots.txt",)),
    "sitemap.js": (("node", HERE / "readers/read_sitemap_js.cjs"), ()),
}  # fmt: skip


@pytest.fixture
def root(site: Site) -> Path:
    return site(dict.fromkeys(PAGES, "<title>Page</title>"))


@pytest.mark.parametrize("reader", READERS)
def test_others_read_the_urls_we_mean(reader: str, root: Path, live: Web) -> None:
    command, more = READERS[reader]
    env = {"NODE_PATH": str(NODE), "NO_PROXY": "127.0.0.1"}
    also = ("sitemap.xml", "sitemap.xml.gz", "sitemap-*.xml", *more)
    for packing, patterns in (("also", also), ("only", ("sitemap.xml",))):
        sitemapper(root, live.url, SHARDED, "--config=sitemap.text = true", "--gzip", packing)
        live.pages = {
            f"/{path.name}": path.read_bytes() for path in root.iterdir() if path.is_file()
        }
        urls = sorted(f"{live.url}{url}" for url in PAGES.values())
        for pattern in patterns:
            addresses = [f"{live.url}{path.name}" for path in root.glob(pattern)]
            found = json.loads(run(*command, *addresses, env=env))
            assert (packing, pattern, sorted(found)) == (packing, pattern, urls)


def check(path: Path, code: int = 0) -> None:
    """Fails the test unless xmllint ends so with the schema of the file's root element."""
    kind = "siteindex" if "<sitemapindex" in path.read_text(encoding="utf-8") else "sitemap"
    run("xmllint", "--noout", "--nonet", "--schema", HERE / f"schema/{kind}.xsd", path, code=code)


RULES = """
base_url = "https://tea.example/"
[[rules]]
match = ["*"]
changefreq = "weekly"
priority = 0.8
[[urls]]
loc = "https://tea.example/app?a=[b]&c=d"
lastmod = 2026-01-01
[[sitemaps]]
name = "part"
match = ["sub/"]
"""


@pytest.mark.parametrize(
    "keys",
    [
        'sitemap = { max_urls = 7, gzip = "also", text = true }',
        'sitemap = { max_urls = 7, gzip = "only", schema_location = true }',
        'sitemap = { strategy = "stable" }\nhreflang = true\ndates.date_only = true\nurl_style = "clean"',
    ],
)
def test_every_file_is_valid_for_the_schema_and_for_us(
    keys: str, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "sitemapper.toml").write_text(RULES)
    sitemapper(root, BASE, f"--config={keys}")
    for packed in root.glob("*.xml.gz"):
        plain = tmp_path / packed.stem
        plain.write_bytes(gzip.decompress(packed.read_bytes()))
        check(plain)
    for path in root.glob("*.xml"):
        check(path)
    assert [finding for finding in findings(root) if finding["code"] != "SM207"] == []


def test_the_schema_refuses_what_is_wrong(root: Path) -> None:
    sitemapper(root, BASE)
    path = root / "sitemap.xml"
    path.write_text(path.read_text().replace("-01-02T", "-13-02T", 1))
    check(path, code=3)
