"""`validate`, held against the schema and against what real generators write."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support import MTIME, Site, mutants

from real import sites
from real.pages import PAGES, RULES
from real.sites import BASE, BuildSite
from real.tools import BUILD, HERE, run, sitemapper

pytestmark = pytest.mark.real
LINT = (*BUILD[:-1], "validate", "--format=json")
SCHEMAS = {"urlset": "sitemap.xsd", "sitemapindex": "siteindex.xsd"}
PAGE = f'<urlset xmlns="{mutants.SPACE}"><url><loc>{BASE}</loc></url></urlset>'


def findings(*paths: str | Path, code: int = 0) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run(*LINT, *paths, code=code))["findings"]
    return found


def refused(root: str, files: list[str]) -> list[str]:
    """Which files xmllint does not find valid."""
    program = shutil.which("xmllint")
    assert program, "xmllint is missing: run tests/real/install.sh"
    schema = HERE / "schema" / SCHEMAS[root]
    done = subprocess.run(
        [program, "--noout", "--nonet", "--schema", schema, *files],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    said = set(done.stderr.splitlines())
    return [file for file in files if f"{file} validates" not in said]


@pytest.mark.parametrize(
    "entry",
    [
        f"<loc>{BASE}</loc><lastmod>2026-01-01T00:00Z</lastmod>",  # W3C Datetime needs no seconds
        "<loc>HTTPS://example.com/</loc>",  # a scheme has any case
        "<loc>http://t.co</loc>",  # the schema wants twelve characters
        f"<![CDATA[ ]]><loc>{BASE}</loc>",  # is white space, but xmllint looks at how it is written
    ],
)
def test_where_the_protocol_allows_more_than_xmllint(entry: str, tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_text(PAGE.replace(f"<loc>{BASE}</loc>", entry))
    assert refused("urlset", [str(path)])
    assert findings(path) == []


TWINS = "".join(
    f'<link rel="alternate" hreflang="{lang}" href="{href}">'
    for lang, href in [("en", "/en/"), ("de", "/de/")]
)
EXTRA = """
[[urls]]
loc = "https://tea.example/app?a=[b]&c=d"
lastmod = 2026-01-01
[[urls]]
loc = "https://tea.example/[a]/ü"
[[sitemaps]]
name = "part"
match = ["sub/"]
"""


@pytest.mark.parametrize(
    "keys",
    [
        "",
        "sitemap = { max_urls = 7 }",
        'sitemap = { max_urls = 7, gzip = "also", text = true }',
        'sitemap = { gzip = "only" }',
        'url_style = "clean"',
    ],
)
@pytest.mark.parametrize(
    "more",
    [
        "",
        'sitemap.schema_location = true\nsitemap.strategy = "stable"',
        "hreflang = true\ndates.date_only = true",
    ],
)
def test_our_own_files_have_no_finding(keys: str, more: str, site: Site, tmp_path: Path) -> None:
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\n{RULES}{EXTRA}')
    twins = dict.fromkeys(("en/index.html", "de/index.html"), TWINS)
    root = site(dict.fromkeys(PAGES, "<title>Page</title>") | twins)
    sitemapper(root, BASE, f"--config={keys}", f"--config={more}")
    assert [finding for finding in findings(root) if finding["code"] != "SM207"] == []


def test_our_own_files_have_no_finding_where_a_build_wrote_all_pages(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(30)})
    for path in root.iterdir():
        os.utime(path, (MTIME, MTIME))
    sitemapper(root, BASE)
    assert findings(root) == []


# The sites whose generator writes raw names into its own sitemap, which `validate` finds.
RAW = ("sphinx-html", "sphinx-dirhtml", "pelican")


@pytest.mark.parametrize("name", sites.ALL)
def test_what_is_found_in_generators_own_sitemaps(
    name: str, build_site: BuildSite, tmp_path: Path
) -> None:
    out, _, own, _ = build_site(name, tmp_path)
    code = int(name in RAW)
    found = findings(own, code=code)
    assert [finding["code"] for finding in found] == ["SM303"] * code
    assert all("must be percent-encoded" in finding["message"] for finding in found)
    bare = [finding for finding in findings(out, code=code) if not finding["file"].endswith(".gz")]
    assert [finding["code"] for finding in bare] == [finding["code"] for finding in found]
