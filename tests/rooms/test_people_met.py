"""What people met: small sites that came out wrong, and what is right for each.

Each row is a site with what its first command must find: the base URL, the listed URLs, why pages
are left out, and all messages. Where no base URL is right, the row has the error and its help.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.rooms import BASE, canonical, commit, decide, git, page, write

from sitemapper.messages import SitemapperError
from sitemapper.protocol import MARK


class Met(NamedTuple):
    """A site that somebody met, and its right outcome."""

    name: str
    files: Mapping[str, str] | str
    base_url: str = BASE  # "" for a run that must stop
    listed: str = ""  # below the base URL; the home page is `.`
    left_out: Mapping[str, str] = {}  # by path, how the reason and its origin begin
    messages: tuple[str, ...] = ()  # how each one begins; of an error, the text and the help
    site: str = "."
    values: Mapping[str, Any] = {}
    remote: str = ""  # of a repository in which all files are committed
    wrong: str = ""  # why the outcome is not right yet


def linked(href: str, link: str = "") -> str:
    """A page with a canonical and a link."""
    return page(f'<link rel="canonical" href="{href}">', f'<a href="{link or href}">x</a>')


def stub(target: str) -> str:
    """A page that redirects, with the canonical of its target."""
    refresh = f'<meta http-equiv="refresh" content="0; url={target}">'
    return page(f'{refresh}<link rel="canonical" href="{target}">')


def versions(names: str, more: str = "") -> str:
    """A page with links to its language versions."""
    links = [f'<link rel="alternate" hreflang="{name}" href="/{name}/">' for name in names.split()]
    return page("".join(links) + more)


def sitemap(*urls: str, more: str = "") -> str:
    entries = "".join(f"<url><loc>{url}</loc>{more}</url>" for url in urls)
    return (
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        f'xmlns:xhtml="http://www.w3.org/1999/xhtml">{entries}</urlset>'
    )


OURS = MARK.decode()
LANGUAGES = "en de fr it es"
GERMAN = f'<xhtml:link rel="alternate" hreflang="de" href="{BASE}de/"/>'
LAYOUT = {f"tea/{number}/index.html": linked(BASE, f"/tea/{number}/") for number in range(10)}
WORKFLOW = {".github/workflows/pages.yml": "steps:\n- uses: actions/deploy-pages@v4\n"}
REMOTE = "https://github.com/ann/tea.git"
DOCS_LINKS = page(body='<a href="/docs/a.html">a</a><a href="/docs/">b</a>')
VITEPRESS = {
    ".vitepress/dist/index.html": DOCS_LINKS,
    ".vitepress/dist/a.html": DOCS_LINKS,
    ".vitepress/dist/sitemap.xml": sitemap(BASE, f"{BASE}a.html"),
}
CRONS = '{"crons": [{"path": "/api", "schedule": "5 5 * * *"}]}'

# By the numbers of the issue "What people met", then the traps of DESIGN §7.
MET: list[Met] = [
    Met("2: canonicals without a slash, and CNAME in the repository",
        {"CNAME": "tea.example", "public/index.html": linked(BASE),
         "public/mugs/index.html": linked(f"{BASE}mugs", "/pots"),
         "public/pots/index.html": linked(f"{BASE}pots", "/mugs"), "public/new/index.html": page()},
        listed=". mugs new pots", site="public",
        messages=("the canonicals have the form a, but github (CNAME) serves a/",)),
    Met("3: only the generator's sitemap has alternates",
        {"index.html": canonical(BASE), "de/index.html": canonical(f"{BASE}de/"),
         "sitemap.xml": sitemap(BASE, f"{BASE}de/", more=GERMAN)},
        listed=". de/", values={"hreflang": True},
        messages=("hreflang is set, but no page has hreflang links",)),
    Met("4: the layout's canonical is said before all else",
        {**LAYOUT, "index.html": canonical(BASE), "about/index.html": canonical(f"{BASE}about/"),
         "netlify.toml": "", "_redirects": "/* /404.html 404!"},
        listed=". about/",
        left_out={name: f'canonical elsewhere: {name}: <link rel="canonical" href="{BASE}">'
                  for name in LAYOUT},
        messages=(f"10 pages name {BASE} as their canonical", "_redirects:1: /* /404.html 404! is")),
    Met("5: alternates that this run leaves out",
        {"index.html": canonical(BASE), "en/index.html": versions(LANGUAGES),
         "de/index.html": versions(LANGUAGES, '<meta name="robots" content="noindex">'),
         "es/index.html": versions(LANGUAGES), "fr/index.html": stub(f"{BASE}en/"),
         "it/index.html": canonical(f"{BASE}en/")},
        listed=". en/", values={"hreflang": True, "ignore": ["/es/"]},
        left_out={"de/index.html": "noindex", "es/": "ignored", "fr/index.html": "redirect",
                  "it/index.html": "canonical elsewhere"},
        messages=(f"4 alternates left out, because the pages are not listed: {BASE}en/ names "
                  f"{BASE}de/",)),
    Met("6: robots.txt and sitemap were written for this machine",
        {"index.html": page(), "robots.txt": "Sitemap: http://localhost:3000/sitemap.xml",
         "sitemap.xml": sitemap("http://localhost:3000/")},
        base_url="",
        messages=("no base URL was found: no canonical names one, and no setting, CNAME or sitemap; "
                  "sitemap.xml names http://localhost:3000/, which is no address of a site; "
                  "robots.txt names http://localhost:3000/, which is", "write base_url = ")),
    Met("6: robots.txt was written for a preview, and the pages were not",
        {"index.html": canonical(BASE), "sitemap.xml": sitemap(BASE),
         "robots.txt": "Sitemap: https://deploy-preview-7--tea.netlify.app/sitemap.xml"},
        listed="."),
    Met("7: GitHub Pages from a branch",
        {"index.html": canonical(BASE), "_old/a.html": page(), "_x.html": page(), "a_b.html": page()},
        listed=". a_b.html", remote=REMOTE,
        left_out={"_old/": "ignored: GitHub Pages without a file .nojekyll: _*",
                  "_x.html": "ignored: GitHub Pages without a file .nojekyll: _*"}),
    Met("7: by a workflow",
        {"index.html": canonical(BASE), "_x.html": page(), **WORKFLOW},
        listed=". _x.html", remote=REMOTE),
    Met("7: a built site that git does not track",
        {".gitignore": "public/", "public/index.html": canonical(BASE), "public/_x.html": page()},
        listed=". _x.html", site="public", remote=REMOTE),
    Met("12: // in canonicals",
        {"index.html": canonical("https://tea.example//"),
         "a/index.html": canonical("https://tea.example//a/")},
        listed=". a/"),
    Met("12: VitePress writes its sitemap without its base",
        {".vitepress/config.mts": f"export default {{ base: '/docs/', sitemap: {{ hostname: '{BASE}' }} }}",
         **VITEPRESS},
        base_url=f"{BASE}docs/", listed=". a.html", site="auto"),
    Met("12: VitePress with a base in code",
        {".vitepress/config.mts": "export default { base: process.env.DOCS, sitemap: map }",
         **VITEPRESS},
        base_url="", site="auto",
        messages=("the base URL is not certain: sitemap.xml names https://tea.example/, but",
                  'write base_url = "https://tea.example/docs/"')),
    Met("12: VitePress with a literal host and a base in code",
        {".vitepress/config.mts":
         f"export default {{ base: process.env.DOCS, sitemap: {{ hostname: '{BASE}' }} }}",
         **VITEPRESS},
        base_url="", site="auto",
        messages=("the base URL is not certain: ", 'write base_url = "https://tea.example/docs/"'),
        wrong="links are compared with the generator's sitemap, and not with its settings"),
    Met("12: a second build of VitePress",
        {".vitepress/config.mts": "export default { base: process.env.DOCS }", **VITEPRESS,
         ".vitepress/dist/sitemap.xml": OURS + sitemap(f"{BASE}docs/", f"{BASE}docs/a.html")},
        base_url=f"{BASE}docs/", listed=". a.html", site="auto"),
    Met("12: a second build, whose first one wrote an index",
        {"index.html": page(), "a/index.html": page(),
         "sitemap.xml": f"{OURS}<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
                        f"<sitemap><loc>{BASE}sitemap-1.xml</loc></sitemap></sitemapindex>",
         "sitemap-1.xml": OURS + sitemap(BASE, f"{BASE}a/")},
        listed=". a/"),
    Met("12: all pages have canonicals, which disagree",
        {"index.html": stub("en/"), "a.html": canonical(f"{BASE}a.html"),
         "b.html": canonical("https://mugs.example/b.html")},
        base_url="",
        messages=("no base URL was found: the canonicals do not agree", "write base_url = ")),
    Met("13: mdBook with two outputs",
        {"book.toml": '[build]\nbuild-dir = "out"\n[output.html]\n[output.markdown]\n',
         "src/a.md": "# A", "out/markdown/a.md": "# A", "out/html/CNAME": "tea.example",
         "out/html/index.html": page(), "out/html/a.html": page(), "out/html/print.html": page()},
        listed=". a.html", site="auto",
        left_out={"print.html": "ignored: built-in default for mdBook: print.html"}),
    Met("14: nothing to say of migration guides, lists and fallback pages",
        {"index.html": canonical(BASE), **{f"{name}/index.html": canonical(f"{BASE}{name}/")
         for name in ("migrate/1.0", "migrate/2.0", "migrate/3.0", "page/2", "tags/tea")},
         "404.html": page(), "en/404.html": page()},
        listed=". migrate/1.0/ migrate/2.0/ migrate/3.0/ page/2/ tags/tea/",
        left_out={"404.html": "ignored: built-in default", "en/404.html": "ignored: built-in default"}),
    Met("14: rules on some host",
        {"index.html": canonical(BASE), "a.html": page(),
         "_redirects": "/a.html /b 301!\n/* /404.html 404\n/* /new/:splat 301"},
        listed=". a.html"),
    Met("15: site_url is set, to an example",
        {"mkdocs.yml": "site_url: https://example.com/", "site/index.html": page()},
        base_url="", site="auto",
        messages=("no base URL was found: no canonical names one, and no setting, CNAME or sitemap; "
                  "mkdocs.yml:1: site_url names https://example.com/,", "write base_url = ")),
    # Traps: hosts.
    Met("a strict host: /blog/* is not /blog",
        {"index.html": canonical(BASE), "blog.html": page(), "blog/index.html": page(),
         "blog/a.html": page(), "_redirects": "/blog/* /news/:splat 301"},
        listed=". blog", values={"host": "cloudflare"},
        left_out={"blog/index.html": "redirect: _redirects:1", "blog/a.html": "redirect: _redirects:1"}),
    Met("a wrangler.toml of an API", {"index.html": canonical(BASE), "a.html": page(),
                                      "wrangler.toml": 'main = "src/index.ts"',
                                      "_redirects": "/a /b 301"}, listed=". a.html"),
    Met("a vercel.json with only crons, a netlify.toml of another folder",
        {"index.html": canonical(BASE), "a.html": page(), "vercel.json": CRONS,
         "netlify.toml": '[build]\npublish = "other"', "_redirects": "/a.html /b 301!"},
        listed=". a.html"),
    # Traps: the base URL.
    Met("more stubs of a move than pages",
        {"docs/a/index.html": canonical(f"{BASE}docs/a/"), "docs/b/index.html": canonical(f"{BASE}docs/b/"),
         **{f"{name}/index.html": stub(f"{BASE}docs/{name}/") for name in "abcde"}},
        listed="docs/a/ docs/b/",
        left_out={f"{name}/index.html": "redirect: " for name in "abcde"}),
    Met("later pages of a list name the first, posts name their first home",
        {"index.html": canonical(BASE), "blog/index.html": canonical(f"{BASE}blog/"),
         **{f"blog/page/{number}/index.html": canonical(f"{BASE}blog/") for number in range(2, 8)},
         "post/index.html": canonical("https://first.example/2024/my-tea/")},
        listed=". blog/",
        left_out={"post/index.html": "canonical elsewhere", **{
            f"blog/page/{number}/index.html": "canonical elsewhere" for number in range(2, 8)}}),
    Met("a stub whose target another build writes",
        {"index.html": canonical(BASE), "old/index.html": stub(f"{BASE}app/")},
        listed=".", left_out={"old/index.html": "redirect: "}),
    # Traps: URLs.
    Met("/a.html never shows a/index.html",
        {"index.html": canonical(BASE), "a/index.html": canonical(f"{BASE}a.html")},
        listed=".", left_out={"a/index.html": "canonical elsewhere"},
        messages=("not listed, because the canonical names a page that is not there (1 page: a/index",)),
]  # fmt: skip


def check(met: Met, root: Path) -> None:
    """Runs the front doors on a site, and compares all that they decide."""
    write(root, met.files)
    if met.remote:
        commit(root)
        git(root, "remote", "add", "origin", met.remote)
    try:
        decided = decide(root, met.site, **met.values)
    except SitemapperError as error:
        assert not met.base_url, error
        said = [error.text, error.help]
    else:
        assert decided.site.base_url == met.base_url
        assert decided.paths == met.listed
        begun = {
            path: reason[: len(met.left_out.get(path, ""))]
            for path, reason in decided.reasons.items()
            if not path.startswith(".")  # of git
        }
        assert begun == met.left_out
        said = decided.messages
    assert len(said) == len(met.messages), said
    for text, beginning in zip(said, met.messages, strict=True):
        assert text.startswith(beginning)


@pytest.mark.parametrize(
    "met",
    [
        pytest.param(
            met,
            id=met.name,
            marks=[pytest.mark.xfail(strict=True, reason=met.wrong)] if met.wrong else [],
        )
        for met in MET
    ],
)
def test_what_people_met(met: Met, tmp_path: Path) -> None:
    check(met, tmp_path)
