"""Projects that are built again and again: their themes have a header, navigation, neighbours and a footer.

The time of the build is on every page; the name of the site, Kettle, is in no title.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from support import BASE, write_site

from real.tools import FRAMEWORKS, NODE_MODULES, VENV, run

Files = dict[str, str]

TEXT = """\
{title} with care.

- ninety degrees
- three minutes

Then wait.
"""
MARKDOWN = f"# {{title}}\n\n{TEXT}\n## More\n\n[Home](index.md), ![A cup](cup.svg)\n\n```sh\nbrew --hot\n```\n"
FRONT_MATTER = (
    f"---\ntitle: {{title}}\ndescription: About {{title}}\n---\n{TEXT}\n## More\n\n[Home](/)\n"
)
RST = f"{{title}}\n=======\n\n{TEXT}\nMore\n----\n\n:doc:`index`\n\n.. code-block:: sh\n\n   brew --hot\n"


class Project(NamedTuple):
    """Configuration and layout, the name and the text of a page, how it is built, and where its pages are.

    `lists` are the URLs of pages whose main part names all pages, `modules` the packages of Node.
    """

    files: Files
    page: str
    text: str
    command: tuple[str | Path, ...]
    out: str
    built: str = "{}/index.html"
    lists: tuple[str, ...] = ()
    modules: Path | None = None

    def sources(self, *names: str) -> Files:
        return self.files | {self.page.format(n): self.text.format(title=n.title()) for n in names}

    def url(self, name: str) -> str:
        return self.built.format(name).removesuffix("index.html")

    def build(self, root: Path, files: Files, when: int) -> Path:
        write_site(root, files)
        if self.modules:
            (root / "node_modules").symlink_to(self.modules)
        run(
            *self.command,
            cwd=root,
            env={"SOURCE_DATE_EPOCH": str(when), "NEXT_TELEMETRY_DISABLED": "1"},
        )
        out = root / self.out
        for own in out.glob("sitemap.xml*"):
            own.unlink()
        return out


def mkdocs(theme: str) -> Project:
    config = f"""
        site_name: Kettle
        site_url: {BASE}
        copyright: Ann
        repo_url: https://example.org/ann/tea
        edit_uri: edit/main/docs/
        theme:
          name: {theme}
          custom_dir: theme
          features: [navigation.footer, navigation.tabs, content.action.edit]
        extra_css: ["one.css"]
        extra_javascript: ["one.js"]
        markdown_extensions: [{{toc: {{permalink: true}}}}]
    """
    layout = """
        {% extends "base.html" %}
        {% block htmltitle %}<title>{{ page.title }}</title>{% endblock %}
        {% block extrahead %}<meta name="generator" content="7.2.1">{% endblock %}
        {% block footer %}{{ super() }}<p>Built {{ build_date_utc }}</p>{% endblock %}
    """
    files = {
        "mkdocs.yml": dedent(config),
        "theme/main.html": dedent(layout),
        "docs/index.md": "# Tea\n",
        "docs/cup.svg": "<svg/>",
    }
    return Project(files, "docs/{}.md", MARKDOWN, (VENV / "mkdocs", "build", "--quiet"), "site")


def sphinx(theme: str, **options: object) -> Project:
    """`sphinx_version` is what Sphinx says of itself."""
    config = f"""
        project = "Kettle"
        copyright = "Ann"
        html_title = "Tea"
        html_baseurl = "{BASE}"
        html_theme = "{theme}"
        html_theme_options = {options}
        html_last_updated_fmt = "%c"
        html_context = {{"sphinx_version": "7.2.1"}}
        html_css_files = ["one.css"]
        html_js_files = ["one.js"]
        templates_path = ["theme"]
    """
    layout = """
        {% extends "!page.html" %}
        {% block footer %}{{ super() }}
        <p>Built {{ last_updated }} with {{ sphinx_version }} for {{ project }}</p>{% endblock %}
    """
    files = {
        "conf.py": dedent(config),
        "theme/page.html": dedent(layout),
        "index.rst": "Tea\n===\n\n.. toctree::\n   :glob:\n\n   *\n",
    }
    command = (VENV / "sphinx-build", "-q", "-b", "html", ".", "out")
    return Project(files, "{}.rst", RST, command, "out", "{}.html", lists=("index.html",))


def hugo() -> Project:
    config = f"""
        baseURL = "{BASE}"
        copyright = "Ann"
        disableKinds = ["sitemap", "taxonomy", "term", "RSS"]
        [params]
        header = "Kettle"
        css = ["one.css"]
        js = ["one.js"]
    """
    layout = """
        <!doctype html><title>{{ .Title }}</title>{{ hugo.Generator }}<meta name="version" content="7.2.1">
        {{ range site.Params.css }}<link rel="stylesheet" href="/{{ . }}?v={{ now.UnixNano }}">{{ end }}
        {{ range site.Params.js }}<script src="/{{ . }}"></script>{{ end }}
        <header>{{ site.Params.header }}</header>
        <nav>{{ range site.RegularPages }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}</nav>
        <main>{{ block "main" . }}{{ end }}</main>
        <footer>{{ site.Copyright }}, built {{ now.UnixNano }}</footer>
    """
    single = """
        {{ define "main" }}<article><h1>{{ .Title }}</h1>{{ .Content }}</article>
        <nav>{{ with site.RegularPages.Next . }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}
        {{ with site.RegularPages.Prev . }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}</nav>{{ end }}
    """
    listed = """
        {{ define "main" }}{{ range site.RegularPages }}<h2>{{ .Title }}</h2>{{ .Description }}{{ end }}{{ end }}
    """
    files = {
        "config.toml": dedent(config),
        "layouts/_default/baseof.html": dedent(layout),
        "layouts/_default/single.html": dedent(single),
        "layouts/index.html": dedent(listed),
        "content/_index.md": "---\ntitle: Tea\n---\n",
    }
    return Project(files, "content/{}.md", FRONT_MATTER, ("hugo", "--quiet"), "public", lists=("",))


def eleventy() -> Project:
    """No part is marked as the main one."""
    data = '{"header": "Kettle", "copyright": "Ann", "css": ["one.css"], "js": ["one.js"]}'
    layout = """
        <!doctype html><title>{{ title }}</title><meta name="generator" content="{{ eleventy.generator }}, 7.2.1">
        {% for name in site.css %}<link rel="stylesheet" href="/{{ name }}">{% endfor %}
        {% for name in site.js %}<script src="/{{ name }}"></script>{% endfor %}
        {% set pages = collections.all | sort(false, false, "data.title") %}
        <div id="header">{{ site.header }}</div>
        <div class="sidebar">{% for p in pages %}<a href="{{ p.url }}">{{ p.data.title }}</a>{% endfor %}</div>
        <div class="content"><h1>{{ title }}</h1>{{ content | safe }}
        {% set before = pages | getPreviousCollectionItem %}{% set after = pages | getNextCollectionItem %}
        {% if before %}<a rel="prev" href="{{ before.url }}">{{ before.data.title }}</a>{% endif %}
        {% if after %}<a rel="next" href="{{ after.url }}">{{ after.data.title }}</a>{% endif %}</div>
        <div class="footer">{{ site.copyright }}, built {% now %}</div>
    """
    config = "module.exports = (c) => { c.addNunjucksShortcode('now', () => process.hrtime.bigint()); };\n"
    listed = "{% for p in collections.all | sort(false, false, 'data.title') %}<h2>{{ p.data.title }}</h2>{{ p.data.description }}{% endfor %}\n"
    files = {
        ".eleventy.js": config,
        "_data/site.json": data,
        "_includes/base.njk": dedent(layout),
        "index.njk": "---\ntitle: Tea\nlayout: base.njk\n---\n" + listed,
    }
    text = FRONT_MATTER.replace("---\n", "---\nlayout: base.njk\n", 1)
    command = (NODE_MODULES / ".bin/eleventy", "--quiet")
    return Project(files, "{}.md", text, command, "_site", lists=("",))


ARTICLE = """\
<article><h1>{title}</h1><p>{title} with care.</p>
<ul><li>ninety degrees</li><li>three minutes</li></ul>
<p>Then wait. <a href="/">Home</a> <img src="/cup.svg" alt="A cup" /></p></article>
"""


def next_() -> Project:
    """Every page holds the number of its build and, as React's data, all that is on it."""
    layout = """
        import { readdirSync } from "node:fs";
        const css = ["one.css"], js = ["one.js"];
        export default function Layout({ children }) {
          const names = readdirSync("app", { withFileTypes: true }).filter((e) => e.isDirectory()).map((e) => e.name);
          return <html lang="en"><head>
            <meta name="generator" content="7.2.1" />
            {css.map((name) => <link key={name} rel="stylesheet" href={`/${name}`} />)}
            {js.map((name) => <script key={name} src={`/${name}`} async />)}
          </head><body>
            <header>Kettle</header>
            <nav>{names.sort().map((n) => <a key={n} href={`/${n}`}>{n[0].toUpperCase() + n.slice(1)}</a>)}</nav>
            <main>{children}</main>
            <footer>Ann, built {Date.now()}</footer>
          </body></html>;
        }
    """
    page = (
        'export const metadata = {{ title: "{title}" }};\nexport default () => <>'
        + ARTICLE
        + "</>;\n"
    )
    files = {
        "package.json": '{"private": true}',
        "next.config.mjs": 'export default { output: "export", turbopack: { root: "/" } };\n',
        "app/layout.js": dedent(layout),
        "app/page.js": page.format(title="Tea"),
        "public/cup.svg": "<svg/>",
    }
    command = (FRAMEWORKS / ".bin/next", "build")
    return Project(files, "app/{}/page.js", page, command, "out", "{}.html", modules=FRAMEWORKS)


def sveltekit() -> Project:
    """Every page imports scripts whose names change with each build."""
    layout = """
        <script>
          let { children, data } = $props();
          const css = ["one.css"], js = ["one.js"];
          const names = Object.keys(import.meta.glob("./*/+page.svelte")).map((path) => path.split("/")[1]);
        </script>
        <svelte:head>
          <meta name="generator" content="7.2.1">
          {#each css as name}<link rel="stylesheet" href="/{name}">{/each}
          {#each js as name}<script src="/{name}"></script>{/each}
        </svelte:head>
        <header>Kettle</header>
        <nav>{#each names as n}<a href="/{n}">{n[0].toUpperCase() + n.slice(1)}</a>{/each}</nav>
        <main>{@render children()}</main>
        <footer>Ann, built {data.built}</footer>
    """
    config = """
        import adapter from "@sveltejs/adapter-static";
        export default { kit: { adapter: adapter({ fallback: "200.html" }), prerender: { handleHttpError: "ignore" } } };
    """
    page = "<svelte:head><title>{title}</title></svelte:head>\n" + ARTICLE
    files = {
        "package.json": '{"private": true, "type": "module"}',
        "svelte.config.js": dedent(config),
        "vite.config.js": 'import { sveltekit } from "@sveltejs/kit/vite";\nexport default { plugins: [sveltekit()] };\n',
        "src/app.html": "<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>\n",
        "src/routes/+layout.server.js": "export const prerender = true;\nexport const load = () => ({ built: Date.now() });\n",
        "src/routes/+layout.svelte": dedent(layout),
        "src/routes/+page.svelte": page.format(title="Tea"),
        "static/cup.svg": "<svg/>",
    }
    command = (FRAMEWORKS / ".bin/vite", "build")
    return Project(
        files, "src/routes/{}/+page.svelte", page, command, "build", "{}.html", modules=FRAMEWORKS
    )


ALL: Mapping[str, Project] = {
    "mkdocs": mkdocs("mkdocs"),
    "mkdocs-readthedocs": mkdocs("readthedocs"),
    "mkdocs-material": mkdocs("material"),
    "sphinx-alabaster": sphinx("alabaster", show_relbars=True),
    "sphinx-rtd": sphinx("sphinx_rtd_theme", prev_next_buttons_location="both"),
    "sphinx-furo": sphinx("furo"),
    "hugo": hugo(),
    "eleventy": eleventy(),
    "next": next_(),
    "sveltekit": sveltekit(),
}
