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
SHELL = "an app shell, which the generator knows"
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
    "next": {"+old": REDIRECT, "+secret": UNLISTED},
    "sveltekit": {"+old": REDIRECT, "+secret": UNLISTED, "+offline": SHELL},
}


def judged(name: str, **more: str) -> dict[str, str]:
    """What is left of a site's differences once its pages are read, and what comes with that."""
    kept = {
        loc: why
        for loc, why in EXPLAINED_PLAIN[name].items()
        if why not in (REDIRECT, UNLISTED, NAMED, SHELL)
    }
    return kept | {f"-{loc}": why for loc, why in more.items()}


EXPLAINED: Explained = {name: judged(name) for name in EXPLAINED_PLAIN} | {
    "sphinx-dirhtml": judged("sphinx-dirhtml", **{"search/": INDEX}),
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


# site: what init says about its generator, and where it finds the base URL
MARK = " and its mark in index.html)"
SPHINX = (
    f"Sphinx, certain (conf.py{MARK}",
    "conf.py:3: html_baseurl",
)  # by .buildinfo: Sphinx 9 signs no page
HUGO = (
    "Hugo, likely (config.toml)",
    "config.toml:2: baseURL",
)  # signs the home page's head; ours has none
DOCUSAURUS = (f"Docusaurus, certain (docusaurus.config.js{MARK}", "docusaurus.config.js:4: url")
INIT: dict[str, tuple[str, str]] = {
    "mkdocs-directory": (f"MkDocs, certain (mkdocs.yml{MARK}", "mkdocs.yml:3: site_url"),
    "mkdocs-file": (f"MkDocs, certain (mkdocs.yml{MARK}", "mkdocs.yml:3: site_url"),
    "sphinx-html": SPHINX,
    "sphinx-dirhtml": SPHINX,
    "hugo": HUGO,
    "hugo-ugly": HUGO,
    "eleventy": ("Eleventy, likely (.eleventy.js)", "_site/CNAME"),
    "jekyll": ("Jekyll, likely (_config.yml)", "_config.yml:2: url"),
    "pelican": (f"Pelican, certain (pelicanconf.py{MARK}", "pelicanconf.py:3: SITEURL"),
    "vitepress": (
        f"VitePress, certain (.vitepress/config.js{MARK}",
        ".vitepress/config.js:2: hostname",
    ),
    "docusaurus": DOCUSAURUS,
    "docusaurus-clean": DOCUSAURUS,
    "next": (f"Next, certain (next.config.mjs{MARK}", "out/CNAME"),
    "sveltekit": (f"SvelteKit, certain (svelte.config.js{MARK}", "svelte.config.js:5: origin"),
}


@pytest.mark.parametrize("name", sites.ALL)
def test_no_configuration_is_needed(name: str, build_site: BuildSite, tmp_path: Path) -> None:
    out, base, own, _ = build_site(name, tmp_path)
    own.unlink()
    own.with_suffix(".xml.gz").unlink(missing_ok=True)
    summary = json.loads(run(*BUILD, out.relative_to(tmp_path), "--format=json", cwd=tmp_path))
    assert (summary["sitemap"], summary["detected"]["base_url"]["origin"]) == (
        f"{base}sitemap.xml",
        INIT[name][1],
    )
    is_always_clean = name in ("next", "sveltekit")
    assert ("url_style" in summary["detected"]) is is_always_clean
    run(*BUILD[:-1], "check", out.relative_to(tmp_path), cwd=tmp_path)


@pytest.mark.parametrize("name", sites.ALL)
def test_init_writes_a_configuration_that_builds(
    name: str, build_site: BuildSite, tmp_path: Path
) -> None:
    out, base, own, _ = build_site(name, tmp_path)
    generator, source = INIT[name]
    said = run(*BUILD[:-1], "init", out.relative_to(tmp_path), cwd=tmp_path).splitlines()
    assert f"generator: {generator}" in said[:2]
    assert f"base_url: {base}, from {source}" in said[2:4]
    own.rename(tmp_path / "own.xml")
    own.with_suffix(".xml.gz").unlink(missing_ok=True)  # MkDocs writes it too
    summary = json.loads(run(*BUILD, "--dry-run", "--format=json", cwd=tmp_path))
    # No row of the table knows what writes their sitemaps, so ours gets another name.
    is_of_others = name in ("next", "sveltekit")
    own_name = "sitemap-pages.xml" if is_of_others else "sitemap.xml"
    assert (summary["sitemap"], summary["warnings"]) == (f"{base}{own_name}", [])
    assert summary["listed"] > 3
    assert not own.exists()


# Lists, search pages and copied files have no source of their own; Hugo's slugs are not file names.
NO_SOURCE = re.compile(
    r"|static\.html|search\.html|genindex/|%C3%BCber-uns.*|(.*/)?page/?\d.*"
    r"|(posts|categories|blog)(/|\.html)?|(blog/)?(tags|archive)\b.*"
    r"|(archives|authors|index\d*|%C3%BCber%20uns)\.html|(category|tag|author)/.*"
)


# The pages of the others are made of components, of which git does not know who uses which.
@pytest.mark.parametrize("name", [name for name in sites.ALL if name not in ("next", "sveltekit")])
def test_init_in_git_proposes_templates_that_find_the_sources(
    name: str, build_site: BuildSite, tmp_path: Path
) -> None:
    out, base, own, _ = build_site(name, tmp_path)
    run("git", "init", "-q", cwd=tmp_path)
    (tmp_path / ".git/info/exclude").write_text(f"{out.relative_to(tmp_path)}\nnode_modules\n")
    run("git", "add", ".", cwd=tmp_path)
    run("git", "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "-m", "x", cwd=tmp_path)
    run(*BUILD[:-1], "init", out.relative_to(tmp_path), cwd=tmp_path)
    own.unlink()
    own.with_suffix(".xml.gz").unlink(missing_ok=True)
    run(*BUILD, cwd=tmp_path)
    rows = re.findall(r"<loc>(.*?)</loc>(<lastmod>)?", (out / "sitemap.xml").read_text())
    dated, undated = (
        [loc.removeprefix(base) for loc, date in rows if bool(date) is d] for d in (True, False)
    )
    assert [path for path in undated if not NO_SOURCE.fullmatch(path)] == []
    assert len(dated) >= 3


def test_the_generators_own_sitemap_is_replaced_unless_git_tracks_it(
    build_site: BuildSite, tmp_path: Path
) -> None:
    out, base, own, _ = build_site("mkdocs-directory", tmp_path)
    before = own.read_bytes()
    run("git", "init", "-q", cwd=tmp_path)
    run("git", "add", "-f", own, cwd=tmp_path)
    run(*BUILD, out, "--base-url", base, code=2)
    assert own.read_bytes() == before
    run("git", "rm", "-q", "--cached", own, cwd=tmp_path)
    run(*BUILD, out, "--base-url", base)
    assert own.read_bytes() != before
