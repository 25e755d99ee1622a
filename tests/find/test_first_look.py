"""What a build opens before its first page: each file once, and nothing that a person has written."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from support import unmeasured, write_site
from support.git import Repo
from support.heads import canonical

# Runs the command line and writes the names of all files that it opens.
OPENED = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(args[0]) if event == "open" else None)
from sitemapper.__main__ import main
code = main(sys.argv[1:])
print(*(str(path) for path in opened if not isinstance(path, int)), sep="\\n", file=sys.stderr)
sys.exit(code)
"""


def opened(root: Path, *argv: str) -> Counter[str]:
    """How often each file below a folder is opened by a command, which must succeed."""
    done = subprocess.run(
        [sys.executable, "-c", OPENED, *argv],
        cwd=root,
        env=unmeasured(),
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [Path(row) for row in done.stderr.splitlines() if row.startswith(str(root))]
    return Counter(path.relative_to(root).as_posix() for path in paths if path.is_file())


PROJECT = {
    "hugo.toml": "baseURL = 'https://tea.example'\n",
    "package.json": "{}",
    "CNAME": "tea.example",
    "netlify.toml": "[build]\npublish = 'public'\n",
    "vercel.json": "{}",
    "firebase.json": "{}",
    "wrangler.toml": "",
    "public/_redirects": "/old /a\n",
    "public/index.html": "<h1>Tea",
    "public/a/index.html": "<h1>A",
}
SETTINGS = set(PROJECT) - {"public/index.html", "public/a/index.html"}
WRITTEN = """
site = "public"
base_url = "https://tea.example/"
host = "netlify"
url_style = "directory"
lastmod = {}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lastmod", "expected"),
    [
        ('["page", "ledger"]', set()),
        ("[]", set()),
        # Which generator it is stands in its own file or in package.json.
        ('"auto"', {"hugo.toml", "package.json"}),
        ('["git"]', {"hugo.toml", "package.json"}),
    ],
)
def test_what_is_written_is_not_detected(tmp_path: Path, lastmod: str, expected: set[str]) -> None:
    Repo(tmp_path).commit(3, {"content/a.md": "# A"})
    write_site(tmp_path, {**PROJECT, "sitemapper.toml": WRITTEN.format(lastmod)})
    found = opened(tmp_path, "build").keys() & SETTINGS
    assert found == expected | {"netlify.toml", "public/_redirects"}


@pytest.mark.slow
def test_the_generator_is_looked_for_where_its_sitemap_is_in_the_way(tmp_path: Path) -> None:
    foreign = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>'
    written = WRITTEN.format('["mtime"]')
    files = {**PROJECT, "sitemapper.toml": written, "public/sitemap.xml": foreign}
    Repo(tmp_path).commit(3, {"content/a.md": "# A"})
    write_site(tmp_path, files)
    assert "hugo.toml" in opened(tmp_path, "build")
    assert b"<loc>https://tea.example/a/</loc>" in (tmp_path / "public/sitemap.xml").read_bytes()


@pytest.mark.slow
def test_a_page_is_opened_once_before_the_run(tmp_path: Path) -> None:
    """Its canonical, its links and its generator's mark are found in the same bytes."""
    names = ["index.html", *(f"{n:03}.html" for n in range(300))]
    pages = {name: canonical(f"https://tea.example/{name}") for name in names}
    write_site(tmp_path, {f"public/{name}": text for name, text in pages.items()})
    counts = opened(tmp_path, "build", "public")
    of_pages = Counter({name: count for name, count in counts.items() if name.endswith(".html")})
    assert set(of_pages.values()) <= {1, 2}
    assert sum(of_pages.values()) <= len(names) + 201
