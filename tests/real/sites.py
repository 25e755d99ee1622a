"""Small projects of generators: all have a page outside ASCII and a 404 page, and most have a sitemap of their own."""

from __future__ import annotations

from collections.abc import Mapping

from real.tools import ASTRO, DOCUSAURUS, FRAMEWORKS, NODE, VENV, Project

BASE = "https://tea.example/"
DOCS = BASE + "docs/"
NOINDEX = '<meta name="robots" content="noindex">'
REFRESH = '<meta http-equiv="refresh" content="0; url=index.html">'
MODULE = '{"private": true, "type": "module"}'
PAGES = ("index", "guide/index", "guide/install", "über uns")


def mkdocs(urls: str, theme: str) -> Project:
    """MkDocs always writes a sitemap; the redirects plugin writes a page for `old.md`."""
    config = f"""\
site_name: Site
site_url: {DOCS}
use_directory_urls: {urls}
theme: {theme}
plugins: [search, redirects: {{redirect_maps: {{old.md: guide/install.md}}}}]
"""
    files = {"mkdocs.yml": config, **{f"docs/{page}.md": "# Title\n" for page in PAGES}}
    return Project(files, (VENV / "mkdocs", "build", "--strict", "--quiet"), "site")


def sphinx() -> Project:
    """With sphinx-sitemap."""
    config = f"""\
extensions = ["sphinx_sitemap"]
html_baseurl = "{DOCS}"
sitemap_url_scheme = "{{link}}"
"""
    text = "Title\n=====\n"
    files = {"conf.py": config, **{f"{page}.rst": text for page in PAGES}}
    files["index.rst"] += "\n.. toctree::\n\n   " + "\n   ".join(PAGES[1:])
    files["404.rst"] = ":orphan:\n\n" + text
    return Project(files, (VENV / "sphinx-build", "-W", "-q", "-b", "html", ".", "out"), "out")


def hugo(ugly: str) -> Project:
    """Seven posts make two pages of a list; the first has an alias."""
    page = "<!doctype html><title>{{ .Title }}</title>"
    contents = {f"posts/post-{n}": f"title: Post {n}\ntags: [blue]" for n in range(1, 8)}
    contents["posts/post-1"] = "title: Post 1\naliases: [/old/]"
    contents |= {"about": "title: About", "über uns": "title: Über uns"}
    files = {
        "config.toml": f'baseURL = "{DOCS}"\npaginate = 5\nuglyURLs = {ugly}\n',
        "layouts/_default/single.html": page,
        "layouts/_default/list.html": page + "{{ range .Paginator.Pages }}{{ .Title }}{{ end }}",
        "layouts/404.html": page,
        "static/static.html": "<!doctype html><title>Title</title>",
        **{f"content/{name}.md": f"---\n{head}\n---\nText.\n" for name, head in contents.items()},
    }
    return Project(files, ("hugo", "--quiet"), "public")


def eleventy() -> Project:
    """With the sitemap plugin, which takes a host name and no path."""
    config = f"""\
const sitemap = require("@quasibit/eleventy-plugin-sitemap");
module.exports = (config) => {{
  config.addPlugin(sitemap, {{ sitemap: {{ hostname: "{BASE}" }} }});
  config.addPassthroughCopy("CNAME");
}};
"""
    own = "---\npermalink: /sitemap.xml\neleventyExcludeFromCollections: true\n---\n{% sitemap collections.all %}"
    files = {
        ".eleventy.js": config,
        "CNAME": "tea.example",
        "sitemap.njk": own,
        "404.md": "---\npermalink: 404.html\n---\n# Title\n",
        **{f"{page}.md": "# Title\n" for page in PAGES},
    }
    return Project(files, (NODE / ".bin/eleventy", "--quiet"), "_site", NODE)


def jekyll() -> Project:
    """With Debian's plugins: jekyll-sitemap lists all files, but for what says `sitemap: false`."""
    config = f"""\
url: {BASE.rstrip("/")}
baseurl: /docs
permalink: pretty
plugins: [jekyll-sitemap, jekyll-redirect-from, jekyll-paginate]
paginate: 5
"""
    page = "---\n{}\n---\n<!doctype html><title>Title</title>{}\n"
    files = {
        "_config.yml": config,
        "index.html": page.format("", ""),
        "404.html": page.format("permalink: /404.html", ""),
        "secret.html": page.format("", NOINDEX),
        "static.html": "<!doctype html><title>Title</title>",
        "manual.pdf": "%PDF-1.4",
        "über uns.html": page.format("redirect_from: /old/", ""),
        **{f"_posts/2026-01-0{n}-post.html": page.format("", "") for n in range(1, 8)},
    }
    return Project(files, ("jekyll", "build", "--quiet"), "_site")


def pelican() -> Project:
    """Seven articles make two pages of a list; templates of our own are for what the theme lacks."""
    config = f"""\
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
    html = "<html><head><title>Title</title>{}</head><body></body></html>"
    article = html.format(
        '<meta name="date" content="2026-01-01"><meta name="tags" content="blue">'
    )
    page = html.format('<meta name="save_as" content="{0}"><meta name="url" content="{0}">{1}')
    template = '<meta name="template" content="{}">'
    files = {
        "pelicanconf.py": config,
        "templates/secret.html": NOINDEX,
        "templates/forward.html": REFRESH,
        **{f"content/post-{n}.html": article for n in range(1, 8)},
        "content/pages/404.html": page.format("404.html", '<meta name="status" content="hidden">'),
        "content/pages/about.html": page.format("über uns.html", ""),
        "content/pages/old.html": page.format("old.html", template.format("forward")),
        "content/pages/secret.html": page.format("secret.html", template.format("secret")),
    }
    command = (VENV / "pelican", "content", "--quiet", "--fatal=warnings")
    return Project(files, command, "output")


def vitepress() -> Project:
    """With clean URLs, which links show; it writes a 404 page by itself."""
    forward = '{http-equiv: refresh, content: "0; url=/guide/install"}'
    files = {
        "package.json": MODULE,
        ".vitepress/config.js": f'export default {{ cleanUrls: true, sitemap: {{ hostname: "{BASE}" }} }};\n',
        "secret.md": "---\nhead: [[meta, {name: robots, content: noindex}]]\n---\n",
        "old.md": f"---\nhead: [[meta, {forward}]]\n---\n",
        **{f"{page}.md": "# Title\n\n[Install](/guide/install)\n" for page in PAGES},
    }
    return Project(files, (NODE / ".bin/vitepress", "build"), ".vitepress/dist", NODE)


def docusaurus() -> Project:
    """Docs and a blog, whose eleven posts make two pages of a list; one has a tag, one is unlisted."""
    config = f"""\
module.exports = {{
  title: "Site",
  url: "{BASE.rstrip("/")}",
  baseUrl: "/docs/",
  presets: ["classic"],
  plugins: [["client-redirects", {{ redirects: [{{ from: "/old", to: "/docs/install" }}] }}]],
}};
"""
    post = "---\ntags: [blue]\n---\n# Title\n"
    files = {
        "docusaurus.config.js": config,
        "src/pages/index.md": "# Title\n",
        "docs/install.md": "# Title\n",
        "docs/über uns.md": "# Title\n",
        "docs/secret.md": "---\nunlisted: true\n---\n# Title\n",
        **{f"blog/2026-01-{n:02}-post.md": post for n in range(1, 12)},
    }
    command = (DOCUSAURUS / ".bin/docusaurus", "build", "--no-minify")
    return Project(files, command, "build", DOCUSAURUS)


def astro() -> Project:
    """Without a sitemap of its own."""
    files = {
        "astro.config.mjs": f'export default {{ site: "{BASE}" }};\n',
        "src/pages/404.md": "# Title\n",
        **{f"src/pages/{page}.md": "# Title\n" for page in PAGES},
    }
    return Project(files, (ASTRO / ".bin/astro", "build"), "dist", ASTRO)


OWN = ("", "about", "guide", "guide/install", "über")


def next_() -> Project:
    """No page has a canonical, and all links are without `.html`; one page forwards by script."""
    own = f"""\
export const dynamic = "force-static";
export default () => {list(OWN)}.map((path) => ({{ url: new URL(path, "{BASE}").href }}));
"""
    layout = """\
import Link from "next/link";
export default ({ children }) => <html><body><Link href="/about">About</Link>{children}</body></html>;
"""
    page = "export default () => <h1>Title</h1>;\n"
    files = {
        "package.json": '{"private": true}',
        "next.config.mjs": 'export default { output: "export", turbopack: { root: "/" } };\n',
        "public/CNAME": "tea.example",
        "app/sitemap.js": own,
        "app/layout.js": layout,
        "app/old/page.js": 'import { redirect } from "next/navigation";\nexport default () => redirect("/about");\n',
        "app/secret/page.js": "export const metadata = { robots: { index: false } };\n" + page,
        **{f"app/{path}/page.js".replace("//", "/"): page for path in OWN},
    }
    return Project(files, (FRAMEWORKS / ".bin/next", "build"), "out", FRAMEWORKS)


def sveltekit() -> Project:
    """With the same pages, one that only the browser renders, and a fallback for what is not a page."""
    config = f"""\
import adapter from "@sveltejs/adapter-static";
export default {{ kit: {{
  adapter: adapter({{ fallback: "offline.html" }}),
  prerender: {{ origin: "{BASE.rstrip("/")}" }},
}} }};
"""
    own = f"""\
export const prerender = true;
const url = (path) => `<url><loc>${{new URL(path, "{BASE}").href}}</loc></url>`;
const urls = {["app", *OWN]}.map(url).join("");
export const GET = () => new Response(
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${{urls}}</urlset>`);
"""
    page = '<a href="/about">About</a><h1>Title</h1>\n'
    routes = {
        "+layout.js": "export const prerender = true;\n",
        "sitemap.xml/+server.js": own,
        "old/+page.js": 'import { redirect } from "@sveltejs/kit";\nexport const load = () => redirect(308, "/about");\n',
        "old/+page.svelte": page,
        "app/+page.js": "export const ssr = false;\n",
        "app/+page.svelte": page,
        "secret/+page.svelte": f"<svelte:head>{NOINDEX}</svelte:head>{page}",
        **{f"{path}/+page.svelte".lstrip("/"): page for path in OWN},
    }
    files = {
        "package.json": MODULE,
        "svelte.config.js": config,
        "vite.config.js": 'import { sveltekit } from "@sveltejs/kit/vite";\nexport default { plugins: [sveltekit()] };\n',
        "src/app.html": "<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>\n",
        **{f"src/routes/{name}": text for name, text in routes.items()},
    }
    return Project(files, (FRAMEWORKS / ".bin/vite", "build"), "build", FRAMEWORKS)


ALL: Mapping[str, Project] = {
    "mkdocs-directory": mkdocs("true", "material"),
    "mkdocs-file": mkdocs("false", "readthedocs"),
    "sphinx": sphinx(),
    "hugo": hugo("false"),
    "hugo-ugly": hugo("true"),
    "eleventy": eleventy(),
    "jekyll": jekyll(),
    "pelican": pelican(),
    "vitepress": vitepress(),
    "docusaurus": docusaurus(),
    "astro": astro(),
    "next": next_(),
    "sveltekit": sveltekit(),
}
