"""Small projects, each built by its generator: all have a page outside ASCII and a 404 page."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from support import write_site

from real.tools import CACHE, FRAMEWORKS, NODE_MODULES, VENV, run

BASE = "https://tea.example/"
DOCS = BASE + "docs/"
DOCUSAURUS = CACHE / "docusaurus" / "node_modules"

NOINDEX = '<meta name="robots" content="noindex">'
REFRESH = '<meta http-equiv="refresh" content="0; url=index.html">'


class Built(NamedTuple):
    """A finished site: its folder, its URL, the generator's own sitemap, and the style of its URLs."""

    out: Path
    base: str
    own: Path
    style: str


BuildSite = Callable[[str, Path], Built]


def mkdocs(root: Path, *, style: str, theme: str) -> Built:
    """MkDocs always writes a sitemap; the redirects plugin writes a page for `old.md`."""
    config = f"""
        site_name: Site
        site_url: {DOCS}
        use_directory_urls: {str(style == "directory").lower()}
        theme: {theme}
        plugins: [search, redirects: {{redirect_maps: {{old.md: guide/install.md}}}}]
    """
    pages = ("index", "guide/index", "guide/install", "über uns")
    write_site(
        root, {"mkdocs.yml": dedent(config), **{f"docs/{page}.md": "# Title\n" for page in pages}}
    )
    run(VENV / "mkdocs", "build", "--strict", "--quiet", cwd=root)
    return Built(root / "site", DOCS, root / "site/sitemap.xml", style)


def sphinx(root: Path, *, builder: str, style: str) -> Built:
    """With sphinx-sitemap."""
    config = f"""
        extensions = ["sphinx_sitemap"]
        html_baseurl = "{DOCS}"
        sitemap_url_scheme = "{{link}}"
    """
    text = "Title\n=====\n"
    pages = dict.fromkeys(("guide/index", "guide/install", "über uns"), text)
    pages["index"] = text + "\n.. toctree::\n\n   " + "\n   ".join(pages)
    pages["404"] = ":orphan:\n\n" + text
    write_site(
        root, {"conf.py": dedent(config), **{f"{name}.rst": text for name, text in pages.items()}}
    )
    run(VENV / "sphinx-build", "-W", "-q", "-b", builder, root, root / "out")
    return Built(root / "out", DOCS, root / "out/sitemap.xml", style)


def hugo(root: Path, *, ugly: bool) -> Built:
    """Seven posts make two pages of a list; the first has an alias."""
    config = f"""
        baseURL = "{DOCS}"
        paginate = 5
        uglyURLs = {str(ugly).lower()}
    """
    page = "<!doctype html><title>{{ .Title }}</title>"
    contents = {f"posts/post-{n}": f"title: Post {n}\ntags: [blue]" for n in range(1, 8)}
    contents |= {
        "posts/post-1": "title: Post 1\naliases: [/old/]",
        "about": "title: About",
        "über uns": "title: Über uns",
    }
    files = {
        "config.toml": dedent(config),
        "layouts/_default/single.html": page,
        "layouts/_default/list.html": page + "{{ range .Paginator.Pages }}{{ .Title }}{{ end }}",
        "layouts/404.html": page,
        "static/static.html": "<!doctype html><title>Title</title>",
        **{
            f"content/{name}.md": f"---\n{matter}\n---\nText.\n"
            for name, matter in contents.items()
        },
    }
    write_site(root, files)
    run("hugo", "--quiet", cwd=root)
    return Built(root / "public", DOCS, root / "public/sitemap.xml", "directory")


def eleventy(root: Path) -> Built:
    """With the sitemap plugin, which takes a host name and no path."""
    config = f"""
        const sitemap = require("@quasibit/eleventy-plugin-sitemap");
        module.exports = (config) => {{
          config.addPlugin(sitemap, {{ sitemap: {{ hostname: "{BASE}" }} }});
          config.addPassthroughCopy("CNAME");
        }};
    """
    own = """\
        ---
        permalink: /sitemap.xml
        eleventyExcludeFromCollections: true
        ---
        {% sitemap collections.all %}
    """
    pages = ("index", "guide/index", "guide/install", "über uns")
    files = {
        ".eleventy.js": dedent(config),
        "CNAME": "tea.example",
        "sitemap.njk": dedent(own),
        "404.md": "---\npermalink: 404.html\n---\n# Title\n",
        **{f"{page}.md": "# Title\n" for page in pages},
    }
    write_site(root, files)
    (root / "node_modules").symlink_to(NODE_MODULES)
    run(NODE_MODULES / ".bin/eleventy", "--quiet", cwd=root)
    return Built(root / "_site", BASE, root / "_site/sitemap.xml", "directory")


def jekyll(root: Path) -> Built:
    """With Debian's plugins: jekyll-sitemap lists all files, but for what says `sitemap: false`."""
    config = f"""
        url: {BASE.rstrip("/")}
        baseurl: /docs
        permalink: pretty
        plugins: [jekyll-sitemap, jekyll-redirect-from, jekyll-paginate]
        paginate: 5
    """
    page = "---\n{}\n---\n<!doctype html><title>Title</title>{}\n"
    files = {
        "_config.yml": dedent(config),
        "index.html": page.format("", ""),
        "404.html": page.format("permalink: /404.html", ""),
        "secret.html": page.format("", NOINDEX),
        "static.html": "<!doctype html><title>Title</title>",
        "manual.pdf": "%PDF-1.4",
        "über uns.html": page.format("redirect_from: /old/", ""),
        **{f"_posts/2026-01-0{n}-post.html": page.format("", "") for n in range(1, 8)},
    }
    write_site(root, files)
    run("jekyll", "build", "--quiet", cwd=root)
    return Built(root / "_site", DOCS, root / "_site/sitemap.xml", "directory")


def pelican(root: Path) -> Built:
    """Seven articles make two pages of a list; templates of our own are for what the theme lacks."""
    config = f"""
        SITENAME = "Site"
        SITEURL = "{DOCS.rstrip("/")}"
        TIMEZONE = "UTC"
        THEME = "simple"
        THEME_TEMPLATES_OVERRIDES = ["templates"]
        PAGE_URL = PAGE_SAVE_AS = "{{slug}}.html"
        SLUGIFY_SOURCE = "basename"
        DEFAULT_PAGINATION = 5
        PLUGINS = ["pelican.plugins.sitemap"]
    """
    head = "<html><head><title>Title</title>{}</head><body></body></html>"
    article = head.format(
        '<meta name="date" content="2026-01-01"><meta name="tags" content="blue">'
    )
    page = head.format('<meta name="save_as" content="{0}"><meta name="url" content="{0}">{1}')
    template = '<meta name="template" content="{}">'
    files = {
        "pelicanconf.py": dedent(config),
        "templates/secret.html": NOINDEX,
        "templates/forward.html": REFRESH,
        **{f"content/post-{n}.html": article for n in range(1, 8)},
        "content/pages/404.html": page.format("404.html", '<meta name="status" content="hidden">'),
        "content/pages/about.html": page.format("über uns.html", ""),
        "content/pages/old.html": page.format("old.html", template.format("forward")),
        "content/pages/secret.html": page.format("secret.html", template.format("secret")),
    }
    write_site(root, files)
    run(VENV / "pelican", "content", "--quiet", "--fatal=warnings", cwd=root)
    return Built(root / "output", DOCS, root / "output/sitemap.xml", "directory")


def vitepress(root: Path) -> Built:
    """With clean URLs, which links show; it writes a 404 page by itself."""
    config = f"""
        export default {{ cleanUrls: true, sitemap: {{ hostname: "{BASE}" }} }};
    """
    secret = "---\nhead: [[meta, {name: robots, content: noindex}]]\n---\n"
    forward = '---\nhead: [[meta, {http-equiv: refresh, content: "0; url=/guide/install"}]]\n---\n'
    files = {
        "package.json": '{"private": true, "type": "module"}',
        ".vitepress/config.js": dedent(config),
        "secret.md": secret,
        "old.md": forward,
        **{
            f"{page}.md": "# Title\n\n[Install](/guide/install)\n"
            for page in ("index", "guide/index", "guide/install", "über uns")
        },
    }
    write_site(root, files)
    (root / "node_modules").symlink_to(NODE_MODULES)
    run(NODE_MODULES / ".bin/vitepress", "build", cwd=root)
    out = root / ".vitepress/dist"
    return Built(out, BASE, out / "sitemap.xml", "clean")


def docusaurus(root: Path, *, slash: bool | None, style: str) -> Built:
    """Docs and a blog, whose eleven posts make two pages of a list; one has a tag, one is unlisted."""
    config = f"""
        module.exports = {{
          title: "Site",
          url: "{BASE.rstrip("/")}",
          baseUrl: "/docs/",
          {"" if slash is None else f"trailingSlash: {str(slash).lower()},"}
          presets: ["classic"],
          plugins: [["client-redirects", {{ redirects: [{{ from: "/old", to: "/docs/install" }}] }}]],
        }};
    """
    posts = {
        f"blog/2026-01-{n:02}-post.md": "---\ntags: [blue]\n---\n# Title\n" for n in range(1, 12)
    }
    files = {
        "docusaurus.config.js": dedent(config),
        "src/pages/index.md": "# Title\n",
        "docs/install.md": "# Title\n",
        "docs/über uns.md": "# Title\n",
        "docs/secret.md": "---\nunlisted: true\n---\n# Title\n",
        **posts,
    }
    write_site(root, files)
    (root / "node_modules").symlink_to(DOCUSAURUS)
    run(
        DOCUSAURUS / ".bin/docusaurus",
        "build",
        "--no-minify",
        cwd=root,
        env={"DOCUSAURUS_NO_UPDATE_CHECK": "1"},
    )
    return Built(root / "build", DOCS, root / "build/sitemap.xml", style)


OWN = ["", "about", "guide", "guide/install", "über"]


def next_(root: Path) -> Built:
    """No page has a canonical, and all links are without `.html`; one page forwards by script."""
    own = f"""
        export const dynamic = "force-static";
        export default () => {OWN}.map((path) => ({{ url: new URL(path, "{BASE}").href }}));
    """
    layout = """
        import Link from "next/link";
        export default ({ children }) => <html><body><Link href="/about">About</Link>{children}</body></html>;
    """
    page = "export default () => <h1>Title</h1>;\n"
    files = {
        "package.json": '{"private": true}',
        "next.config.mjs": 'export default { output: "export", turbopack: { root: "/" } };\n',
        "public/CNAME": "tea.example",
        "app/sitemap.js": dedent(own),
        "app/layout.js": dedent(layout),
        "app/old/page.js": 'import { redirect } from "next/navigation";\nexport default () => redirect("/about");\n',
        "app/secret/page.js": "export const metadata = { robots: { index: false } };\n" + page,
        **{f"app/{path}/page.js".replace("//", "/"): page for path in OWN},
    }
    write_site(root, files)
    (root / "node_modules").symlink_to(FRAMEWORKS)
    run(FRAMEWORKS / ".bin/next", "build", cwd=root, env={"NEXT_TELEMETRY_DISABLED": "1"})
    return Built(root / "out", BASE, root / "out/sitemap.xml", "clean")


def sveltekit(root: Path) -> Built:
    """With the same pages, one that only the browser renders, and a fallback for what is not a page."""
    config = f"""
        import adapter from "@sveltejs/adapter-static";
        export default {{ kit: {{
          adapter: adapter({{ fallback: "offline.html" }}),
          prerender: {{ origin: "{BASE.rstrip("/")}" }},
        }} }};
    """
    own = f"""
        const url = (path) => `<url><loc>${{new URL(path, "{BASE}").href}}</loc></url>`;
        const urls = {["app", *OWN]}.map(url).join("");
        export const GET = () => new Response(
          `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${{urls}}</urlset>`);
    """
    page = '<a href="/about">About</a><h1>Title</h1>\n'
    routes = {
        "+layout.js": "export const prerender = true;\n",
        "sitemap.xml/+server.js": "export const prerender = true;\n" + dedent(own),
        "old/+page.js": 'import { redirect } from "@sveltejs/kit";\nexport const load = () => redirect(308, "/about");\n',
        "old/+page.svelte": page,
        "app/+page.js": "export const ssr = false;\n",
        "app/+page.svelte": page,
        "secret/+page.svelte": f"<svelte:head>{NOINDEX}</svelte:head>{page}",
        **{f"{path}/+page.svelte".lstrip("/"): page for path in OWN},
    }
    files = {
        "package.json": '{"private": true, "type": "module"}',
        "svelte.config.js": dedent(config),
        "vite.config.js": 'import { sveltekit } from "@sveltejs/kit/vite";\nexport default { plugins: [sveltekit()] };\n',
        "src/app.html": "<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>\n",
        **{f"src/routes/{name}": text for name, text in routes.items()},
    }
    write_site(root, files)
    (root / "node_modules").symlink_to(FRAMEWORKS)
    run(FRAMEWORKS / ".bin/vite", "build", cwd=root)
    return Built(root / "build", BASE, root / "build/sitemap.xml", "clean")


ALL: Mapping[str, Callable[[Path], Built]] = {
    "mkdocs-directory": partial(mkdocs, style="directory", theme="material"),
    "mkdocs-file": partial(mkdocs, style="file", theme="readthedocs"),
    "sphinx-html": partial(sphinx, builder="html", style="file"),
    "sphinx-dirhtml": partial(sphinx, builder="dirhtml", style="directory"),
    "hugo": partial(hugo, ugly=False),
    "hugo-ugly": partial(hugo, ugly=True),
    "eleventy": eleventy,
    "jekyll": jekyll,
    "pelican": pelican,
    "vitepress": vitepress,
    "docusaurus": partial(docusaurus, slash=None, style="directory"),
    "docusaurus-clean": partial(docusaurus, slash=False, style="clean"),
    "next": next_,
    "sveltekit": sveltekit,
}


if __name__ == "__main__":  # `python -m real.sites FOLDER` builds them all, for `make compare`
    for name, build in ALL.items():
        folder = Path(sys.argv[1]).absolute() / name
        if not folder.exists():
            folder.mkdir(parents=True)
            build(folder)
