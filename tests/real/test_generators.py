"""Sites of real generators, without a word of configuration, as README has it.

We list what the generator's own sitemap lists, but for what is explained.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest
from support import locs
from support.git import Repo

from real import sites
from real.sites import BASE, DOCS
from real.tools import SITEMAPPER, findings, run

pytestmark = pytest.mark.real

RAW = "the generator writes it raw, the protocol wants RFC 3986"
MORE = "a list's further page, which Hugo never lists"
STATIC = "copied by the generator as it is"
ERROR = "an error page, left out by default"
FILE = "no page; `include` may name it"
NOINDEX = "the page says noindex"
FORWARDS = "a page that only forwards, which the generator does not know"
INDEX = "Sphinx makes it for itself"
SHELL = "the fallback, as `fallback` of the adapter names it; `ignore` may name it"
BY_SCRIPT = "a page that forwards by script alone"
NO_OWN = "Astro writes no sitemap by itself"


class Expected(NamedTuple):
    """Where a build finds the base URL, the base URL, and how the two sitemaps differ.

    Before a URL below the base, + stands where only we list it, - where only the generator does.
    """

    origin: str
    base: str = DOCS
    differences: Mapping[str, str] = MappingProxyType({})


EXPECTED = {
    "mkdocs-directory": Expected("mkdocs.yml:2: site_url"),
    "mkdocs-file": Expected("mkdocs.yml:2: site_url"),
    "sphinx": Expected("conf.py:2: html_baseurl", DOCS, {
        "-404.html": ERROR, "-genindex.html": INDEX, "-search.html": INDEX,
        "-über uns.html": RAW, "+%C3%BCber%20uns.html": RAW,
    }),
    "hugo": Expected("config.toml:1: baseURL", DOCS, {
        "+static.html": STATIC, "+page/2/": MORE, "+posts/page/2/": MORE, "+tags/blue/page/2/": MORE,
    }),
    "hugo-ugly": Expected("config.toml:1: baseURL", DOCS, {
        "+static.html": STATIC, "+page/2.html": MORE, "+posts/page/2.html": MORE, "+tags/blue/page/2.html": MORE,
    }),
    "eleventy": Expected("_site/CNAME", BASE, {"-404.html": ERROR}),
    "jekyll": Expected("_config.yml:1: url", DOCS, {"-manual.pdf": FILE, "-secret/": NOINDEX}),
    "pelican": Expected("pelicanconf.py:2: SITEURL", DOCS, {
        "-secret.html": NOINDEX, "-old.html": FORWARDS, "-über uns.html": RAW, "+%C3%BCber%20uns.html": RAW,
    }),
    "vitepress": Expected(".vitepress/config.js:1: hostname", BASE, {"-secret": NOINDEX, "-old": FORWARDS}),
    "docusaurus": Expected("docusaurus.config.js:3: url"),
    "astro": Expected("astro.config.mjs:1: site", BASE, dict.fromkeys(
        ("+", "+guide/", "+guide/install/", "+%C3%BCber%20uns/"), NO_OWN
    )),
    "next": Expected("out/CNAME", BASE, {"+old": BY_SCRIPT}),
    "sveltekit": Expected("sitemap.xml", BASE, {"+offline": SHELL}),
}  # fmt: skip
# Lists, search pages and copied files have no source of their own; Hugo's slugs are not file names.
NO_SOURCE = re.compile(
    r"|static\.html|search\.html|genindex/|%C3%BCber-uns.*|(.*/)?page/?\d.*"
    r"|(posts|categories|blog)(/|\.html)?|(blog/)?(tags|archive)\b.*"
    r"|(archives|authors|index\d*|%C3%BCber%20uns)\.html|(category|tag|author)/.*"
)


@pytest.mark.parametrize("name", sites.ALL)
def test_a_build_after_the_generator(name: str, tmp_path: Path) -> None:
    project, (origin, base, differences) = sites.ALL[name], EXPECTED[name]
    repo = Repo(tmp_path / "project")
    repo.commit(1, {**project.files, ".gitignore": f"/{project.out}/\nnode_modules\n"})
    out = project.build(repo.root)
    theirs: list[str] = []
    if (out / "sitemap.xml").exists():
        theirs = locs(out)
        raw = ["SM303"] if RAW in differences.values() else []
        assert [one["code"] for one in findings(out / "sitemap.xml", code=len(raw))] == raw

    told = json.loads(run(*SITEMAPPER, "build", "--format=json", cwd=repo.root))
    assert told["base_url"] == {"value": base, "origin": origin}
    assert [one for one in told["messages"] if one["severity"] == "warning"] == []
    assert [path.name for path in out.glob("sitemap*")] == ["sitemap.xml"]

    ours = locs(out)
    assert told["listed"] == len(ours) == len(set(ours))
    found = {f"+{loc.removeprefix(base)}" for loc in set(ours) - set(theirs)}
    found |= {f"-{loc.removeprefix(base)}" for loc in set(theirs) - set(ours)}
    assert sorted(found) == sorted(differences)

    rows = re.findall(r"<loc>(.*?)</loc>(<lastmod>)?", (out / "sitemap.xml").read_text())
    dated = {loc.removeprefix(base) for loc, date in rows if date}
    undated = {loc.removeprefix(base) for loc, date in rows if not date}
    # The pages of the others are made of components, of which git does not know who uses which.
    if name not in ("next", "sveltekit"):
        assert [path for path in undated if not NO_SOURCE.fullmatch(path)] == []
        assert len(dated) >= 3
    run(*SITEMAPPER, "check", cwd=repo.root)
