"""Sites of real generators: we list what the generator's own sitemap lists, but for what is explained."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support import locs

from real import sites
from real.sites import BuildSite
from real.tools import BUILD, PLAIN, run, sitemapper

pytestmark = pytest.mark.real

Explained = dict[str, dict[str, str]]

RAW = "the generator writes it raw, the protocol wants RFC 3986"
REDIRECT = "a page that only forwards, which the generator knows"
MORE = "a list's further page, which Hugo never lists"
STATIC = "copied by the generator as it is"
ERROR = "an error page, left out by default"
FILE = "no page; `include` may name it"
NAMED = "Docusaurus calls a/index.html a, unless trailingSlash is set; the page's canonical tells"
UNLISTED = "the page says noindex, which the generator knows"
NOINDEX = "the page says noindex"
INDEX = "Sphinx makes it for itself"
SHELL = "the fallback, as `fallback` of the adapter names it; `ignore` may name it"
BY_SCRIPT = "a page that forwards by script alone"
FORWARDS = "a page that only forwards, which the generator does not know"


def hugo_lists(end: str) -> dict[str, str]:
    """The further pages of Hugo's lists; for each list, page 1 forwards to the list itself."""
    first = dict.fromkeys(
        (f"+{name}page/1{end}" for name in ("", "categories/", "posts/", "tags/", "tags/blue/")),
        REDIRECT,
    )
    return first | dict.fromkeys(
        (f"+{name}page/2{end}" for name in ("", "posts/", "tags/blue/")), MORE
    )


POSTS = [f"blog/2026/01/{n:02}/post" for n in range(1, 12)]
LISTS = [
    "blog",
    "blog/archive",
    "blog/page/2",
    "blog/tags",
    "blog/tags/blue",
    "blog/tags/blue/page/2",
]
SLASHLESS = [*POSTS, *LISTS, "docs/install", "docs/%C3%BCber%20uns"]

# site: {URL below the base, after + where only we list it and - where only the generator does: why}
EXPLAINED_PLAIN: Explained = {
    "mkdocs-directory": {"+old/": REDIRECT},
    "mkdocs-file": {"+old.html": REDIRECT},
    "sphinx-html": {
        "-404.html": ERROR,
        "-genindex.html": INDEX,
        "-search.html": INDEX,
        "-über uns.html": RAW,
        "+%C3%BCber%20uns.html": RAW,
    },
    "sphinx-dirhtml": {
        "-404/": ERROR,
        "-genindex/": INDEX,
        "-search/": INDEX,
        "-über uns/": RAW,
        "+%C3%BCber%20uns/": RAW,
    },
    "hugo": {"+old/": REDIRECT, "+static.html": STATIC, **hugo_lists("/")},
    "hugo-ugly": {"+old.html": REDIRECT, "+static.html": STATIC, **hugo_lists(".html")},
    "eleventy": {"-404.html": ERROR},
    "jekyll": {"+old/": REDIRECT, "-manual.pdf": FILE},
    "pelican": {"-über uns.html": RAW, "+%C3%BCber%20uns.html": RAW},
    "vitepress": {},
    "docusaurus": {"+old/": REDIRECT, "+docs/secret/": UNLISTED}
    | {sign: NAMED for name in SLASHLESS for sign in (f"-{name}", f"+{name}/")},
    "docusaurus-clean": {"+old/": REDIRECT, "+docs/secret": UNLISTED},
    "next": {"+old": BY_SCRIPT, "+secret": UNLISTED},
    "sveltekit": {"+old": REDIRECT, "+secret": UNLISTED, "+offline": SHELL},
}


def judged(name: str, **more: str) -> dict[str, str]:
    """What is left of a site's differences once its pages are read, and what comes with that."""
    kept = {
        loc: why
        for loc, why in EXPLAINED_PLAIN[name].items()
        if why not in (REDIRECT, UNLISTED, NAMED)
    }
    return kept | {f"-{loc}": why for loc, why in more.items()}


EXPLAINED: Explained = {name: judged(name) for name in EXPLAINED_PLAIN} | {
    "jekyll": judged("jekyll", **{"secret/": NOINDEX}),
    "pelican": judged("pelican", **{"secret.html": NOINDEX, "old.html": FORWARDS}),
    "vitepress": judged("vitepress", secret=NOINDEX, old=FORWARDS),
}
MODES: dict[str, tuple[list[str], Explained]] = {
    "plain": (PLAIN, EXPLAINED_PLAIN),
    "judged": ([], EXPLAINED),
}


@pytest.mark.parametrize("name", sites.ALL)
def test_every_difference_is_explained(name: str, build_site: BuildSite, tmp_path: Path) -> None:
    out, base, own, style = build_site(name, tmp_path)
    own.rename(tmp_path / "own.xml")
    for mode, (flags, explained) in MODES.items():
        summary = sitemapper(out, base, "--url-style", style, *flags)
        ours, theirs = locs(out), locs(tmp_path, "own.xml")
        assert summary["listed"] == len(ours) == len(set(ours))
        differences = {"+": set(ours) - set(theirs), "-": set(theirs) - set(ours)}
        found = {
            sign + loc.removeprefix(base) for sign, urls in differences.items() for loc in urls
        }
        assert (mode, sorted(found)) == (mode, sorted(explained[name]))


# site: where a build finds the base URL
FROM: dict[str, str] = {
    "mkdocs-directory": "mkdocs.yml:3: site_url",
    "mkdocs-file": "mkdocs.yml:3: site_url",
    "sphinx-html": "conf.py:3: html_baseurl",
    "sphinx-dirhtml": "conf.py:3: html_baseurl",
    "hugo": "config.toml:2: baseURL",
    "hugo-ugly": "config.toml:2: baseURL",
    "eleventy": "_site/CNAME",
    "jekyll": "_config.yml:2: url",
    "pelican": "pelicanconf.py:3: SITEURL",
    "vitepress": ".vitepress/config.js:2: hostname",
    "docusaurus": "docusaurus.config.js:4: url",
    "docusaurus-clean": "docusaurus.config.js:4: url",
    "next": "out/CNAME",
    "sveltekit": "sitemap.xml",
}


@pytest.mark.parametrize("name", sites.ALL)
def test_no_configuration_is_needed(name: str, build_site: BuildSite, tmp_path: Path) -> None:
    """The generator's own sitemap is replaced, and a check agrees with the build."""
    out, base, _, _ = build_site(name, tmp_path)
    summary = json.loads(run(*BUILD, "--format=json", cwd=tmp_path))
    assert summary["sitemap"] == f"{base}sitemap.xml"
    assert summary["base_url"] == {"value": base, "origin": FROM[name]}
    assert [one for one in summary["messages"] if one["severity"] == "warning"] == []
    assert [path.name for path in out.glob("sitemap*")] == ["sitemap.xml"]
    run(*BUILD[:-1], "check", cwd=tmp_path)


# Lists, search pages and copied files have no source of their own; Hugo's slugs are not file names.
NO_SOURCE = re.compile(
    r"|static\.html|search\.html|genindex/|%C3%BCber-uns.*|(.*/)?page/?\d.*"
    r"|(posts|categories|blog)(/|\.html)?|(blog/)?(tags|archive)\b.*"
    r"|(archives|authors|index\d*|%C3%BCber%20uns)\.html|(category|tag|author)/.*"
)


# The pages of the others are made of components, of which git does not know who uses which.
@pytest.mark.parametrize("name", [name for name in sites.ALL if name not in ("next", "sveltekit")])
def test_git_dates_pages_by_their_sources(name: str, build_site: BuildSite, tmp_path: Path) -> None:
    out, base, _, _ = build_site(name, tmp_path)
    run("git", "init", "-q", cwd=tmp_path)
    (tmp_path / ".git/info/exclude").write_text(f"{out.relative_to(tmp_path)}\nnode_modules\n")
    run("git", "add", ".", cwd=tmp_path)
    run("git", "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "-m", "x", cwd=tmp_path)
    run(*BUILD, cwd=tmp_path)
    rows = re.findall(r"<loc>(.*?)</loc>(<lastmod>)?", (out / "sitemap.xml").read_text())
    dated, undated = (
        [loc.removeprefix(base) for loc, date in rows if bool(date) is d] for d in (True, False)
    )
    assert [path for path in undated if not NO_SOURCE.fullmatch(path)] == []
    assert len(dated) >= 3
