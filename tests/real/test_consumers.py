"""What others read in our sitemaps: the protocol's constraints by xmllint, the URLs by three parsers."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from support import BASE, Site

from real.pages import PAGES, RULES
from real.tools import HERE, NODE_MODULES, PLAIN, VENV, run, sitemapper

pytestmark = pytest.mark.real

SHARDED = ("--config=sitemap.max_urls = 7", *PLAIN)
READERS: dict[str, tuple[str | Path, ...]] = {
    "usp": (VENV / "python", HERE / "readers/read_usp.py"),
    "advertools": (VENV / "python", HERE / "readers/read_advertools.py"),
    "sitemap.js": ("node", HERE / "readers/read_sitemap_js.cjs"),
}
# --gzip, what is read, and by whom: only some follow robots.txt or know the text form
READINGS = [
    ("no", "robots.txt", ("usp", "advertools")),
    ("no", "sitemap.xml", READERS),
    ("no", "sitemap-*.xml", READERS),
    ("no", "sitemap-*.txt", ("usp",)),
    ("also", "sitemap.xml.gz", READERS),
    ("also", "sitemap-*.xml.gz", READERS),
    ("also", "sitemap-*.txt.gz", ("usp",)),
    ("only", "robots.txt", ("usp", "advertools")),
    ("only", "sitemap.xml", READERS),
]


@pytest.fixture
def root(site: Site) -> Path:
    return site(dict.fromkeys(PAGES, "<title>Page</title>"))


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def base(root: Path) -> Iterator[str]:
    """Serves the site; its URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=root)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("packing", "pattern", "reader"),
    [(packing, pattern, reader) for packing, pattern, readers in READINGS for reader in readers],
)
def test_others_read_the_urls_we_mean(
    packing: str, pattern: str, reader: str, root: Path, base: str
) -> None:
    sitemapper(root, base, *SHARDED, "--config=sitemap.text = true", "--gzip", packing)
    env = {"NODE_PATH": str(NODE_MODULES), "NO_PROXY": "127.0.0.1"}
    names = [path.name for path in root.glob(pattern)]
    found = json.loads(run(*READERS[reader], *(base + name for name in names), env=env))
    assert sorted(found) == sorted(base + url for url in PAGES.values())


def valid(path: Path) -> None:
    """Fails the test unless the file obeys the schema of its root element."""
    kind = "siteindex" if "<sitemapindex" in path.read_text(encoding="utf-8") else "sitemap"
    run("xmllint", "--noout", "--nonet", "--schema", HERE / f"schema/{kind}.xsd", path)


@pytest.mark.parametrize("location", ["true", "false"])
@pytest.mark.parametrize("packing", ["no", "also", "only"])
def test_every_file_is_valid(packing: str, location: str, root: Path, tmp_path: Path) -> None:
    (tmp_path / "sitemapper.toml").write_text(RULES)
    schema = f"--config=sitemap.schema_location = {location}"
    sitemapper(root, BASE, *SHARDED, schema, "--gzip", packing)
    for packed in root.glob("*.xml.gz"):
        plain = tmp_path / packed.stem
        plain.write_bytes(gzip.decompress(packed.read_bytes()))
        valid(plain)
    for path in root.glob("*.xml"):
        valid(path)


@pytest.mark.parametrize(
    ("sound", "unsound"),
    [
        ("https://", "ftp://"),
        ("<lastmod>20", "<lastmod>20x"),
        ("<lastmod>2026-01-02T", "<lastmod>2026-13-02T"),
        ("weekly", "often"),
        ("0.8", "1.1"),
        ("</loc>", "x" * 2048 + "</loc>"),
        ("</url>", "<loc>https://example.com/</loc></url>"),
        ("sitemap/0.9", "sitemap/0.8"),
    ],
)
def test_the_schema_refuses(sound: str, unsound: str, root: Path, tmp_path: Path) -> None:
    (tmp_path / "sitemapper.toml").write_text(RULES)
    sitemapper(root, BASE, *PLAIN)
    path = root / "sitemap.xml"
    valid(path)
    text = path.read_text()
    assert sound in text
    path.write_text(text.replace(sound, unsound, 1))
    with pytest.raises(AssertionError, match="exit code 3"):
        valid(path)
