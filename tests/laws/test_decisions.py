"""Laws of the decisions about pages: which are listed, at which URLs, and why not the others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.rooms import BASE, canonical, decide, page, write

TEXTS = st.sampled_from(
    [
        page(), "", "{}", page('<meta name="robots" content="noindex">'), page('<meta http-equiv="refresh" content="0; url=/a/">'),
        *map(canonical, ("/a/", f"{BASE}a", "https://other.example/", "http://tea.example/b.html")),
        page('<link rel="alternate" hreflang="de" href="/de/">'),
    ]
)  # fmt: skip
NAMES = st.sampled_from([*"index.html a/index.html a.html b.html b/index.html de/index.html 404.html drafts/c.html X.HTM _x.html".split(), "ü ö/50%.html"])  # fmt: skip
FILES = st.sampled_from(
    [
        {},
        {"robots.txt": "User-agent: *\nDisallow: /a"},
        {"_redirects": "/a/ /b.html 301!\n/* /404.html 404"},
        {"_headers": "/b.html\n  X-Robots-Tag: noindex"},
        {"vercel.json": '{"cleanUrls": true, "trailingSlash": true}'},
        {"netlify.toml": "[[redirects]]\nfrom = '/b.html'\nto = '/a/'\nforce = true"},
        {"CNAME": "tea.example"},
    ]
)
STYLES = st.sampled_from(["auto", "directory", "clean", "slash", "bare", "file"])


@settings(deadline=None)
@given(st.dictionaries(NAMES, TEXTS, min_size=1, max_size=8), FILES, STYLES)
def test_each_page_is_listed_once_or_left_out_with_a_reason(
    tmp_path_factory: pytest.TempPathFactory,
    pages: dict[str, str],
    files: dict[str, str],
    style: str,
) -> None:
    root = write(tmp_path_factory.mktemp("site"), {**files, **pages})
    decided = decide(root, base_url=BASE, url_style=style, ignore=["drafts/"])
    listed = [one.page.path for one in decided.selected.listed if one.page]
    out = [one.path for one in decided.selected.excluded]
    walked = {"drafts/" if path.startswith("drafts/") else path for path in pages}
    assert sorted(listed + out) == sorted(walked)
    assert len(set(decided.urls)) == len(decided.urls)
    assert all(url.isascii() and url.startswith(BASE) for url in decided.urls)


GARBAGE = ("robots.txt", "_redirects", "_headers", "netlify.toml", "vercel.json", "firebase.json",
           "wrangler.toml", "CNAME", "sitemap.xml", "package.json")  # fmt: skip


@settings(deadline=None)
@given(st.sampled_from(GARBAGE), st.binary(max_size=60))
def test_garbage_beside_the_pages_takes_none_away(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: bytes
) -> None:
    root = write(tmp_path_factory.mktemp("site"), {"a/index.html": page(), "b.html": page()})
    (root / name).write_bytes(data)
    assert decide(root, base_url=BASE).paths == "a/ b.html"


SCRIPT = """
import sys
from pathlib import Path
from support.rooms import publish
root, out = Path(sys.argv[1]), sys.argv[2]
summary = publish(root, "site", output=out, lastmod=["mtime"], sitemap={"max_urls": 3, "gzip": "also"})
print(summary.selected.excluded, [(one.code, one.text) for one in summary.messages])
print([path.read_bytes() for path in sorted((root / out).iterdir())])
"""


@pytest.mark.slow
def test_the_same_bytes_in_any_environment(tmp_path: Path) -> None:
    pages = [f"site/{folder}/{name}.html" for folder in "aüz" for name in ("index", "é", "b")]
    elsewhere = page('<link rel=canonical href="/gone/">')
    write(tmp_path, dict.fromkeys(pages, page()) | {"site/c.html": elsewhere})
    tests = Path(__file__).parents[1]
    packages = os.pathsep.join(map(str, (tests.parent, tests)))
    said = set()
    for number, more in enumerate(
        ({}, {"TZ": "Pacific/Auckland"}, {"LC_ALL": "C"}, {"PYTHONUTF8": "0", "LC_ALL": "POSIX"})
    ):
        same = {"PYTHONHASHSEED": str(number), "PYTHONPATH": packages, "PYTHONIOENCODING": "utf-8"}
        argv = [sys.executable, "-c", SCRIPT, str(tmp_path), f"out{number}"]
        done = subprocess.run(argv, env=os.environ | same | more, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        said.add(done.stdout)
    assert len(said) == 1 and "lastmod" in said.pop()
