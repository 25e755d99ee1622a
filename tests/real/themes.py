"""Projects that are built again: their themes have a header, navigation, neighbours and a footer.

The time of the build is on every page; the name of the site, Kettle, is in no title.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from support import BASE

from real.tools import FRAMEWORKS, VENV, Project

TEXT = """\
{title} with care.

- ninety degrees
- three minutes

Then wait.
"""
MARKDOWN = f"# {{title}}\n\n{TEXT}\n## More\n\n[Home](index.md), ![A cup](cup.svg)\n\n```sh\nbrew --hot\n```\n"
RST = f"{{title}}\n=======\n\n{TEXT}\nMore\n----\n\n:doc:`index`\n\n.. code-block:: sh\n\n   brew --hot\n"


class Theme(NamedTuple):
    """A project without its pages; the name and the text of a page, and where it is built.

    `lists` are the URLs of pages whose main part names all pages.
    """

    project: Project
    page: str
    text: str
    built: str = "{}/index.html"
    lists: tuple[str, ...] = ()

    def sources(self, *names: str) -> dict[str, str]:
        pages = {self.page.format(n): self.text.format(title=n.title()) for n in names}
        return {**self.project.files, **pages}

    def url(self, name: str) -> str:
        return self.built.format(name).removesuffix("index.html")

    def build(self, root: Path, files: Mapping[str, str], when: int) -> Path:
        """Builds the project with these files, and leaves out its own sitemap."""
        out = self.project._replace(files=files).build(root, SOURCE_DATE_EPOCH=str(when))
        for own in out.glob("sitemap.xml*"):
            own.unlink()
        return out


def mkdocs(name: str) -> Theme:
    config = f"""\
site_name: Kettle
site_url: {BASE}
copyright: Ann
repo_url: https://example.org/ann/tea
edit_uri: edit/main/docs/
theme:
  name: {name}
  custom_dir: theme
  features: [navigation.footer, navigation.tabs, content.action.edit]
extra_css: ["one.css"]
extra_javascript: ["one.js"]
markdown_extensions: [{{toc: {{permalink: true}}}}]
"""
    layout = """\
{% extends "base.html" %}
{% block htmltitle %}<title>{{ page.title }}</title>{% endblock %}
{% block extrahead %}<meta name="generator" content="7.2.1">{% endblock %}
{% block footer %}{{ super() }}<p>Built {{ build_date_utc }}</p>{% endblock %}
"""
    files = {
        "mkdocs.yml": config,
        "theme/main.html": layout,
        "docs/index.md": "# Tea\n",
        "docs/cup.svg": "<svg/>",
    }
    project = Project(files, (VENV / "mkdocs", "build", "--quiet"), "site")
    return Theme(project, "docs/{}.md", MARKDOWN)


def sphinx(name: str) -> Theme:
    """`sphinx_version` is what Sphinx says of itself."""
    config = f"""\
project = "Kettle"
copyright = "Ann"
html_title = "Tea"
html_baseurl = "{BASE}"
html_theme = "{name}"
html_last_updated_fmt = "%c"
html_context = {{"sphinx_version": "7.2.1"}}
html_css_files = ["one.css"]
html_js_files = ["one.js"]
templates_path = ["theme"]
"""
    layout = """\
{% extends "!page.html" %}
{% block footer %}{{ super() }}
<p>Built {{ last_updated }} with {{ sphinx_version }} for {{ project }}</p>{% endblock %}
"""
    index = "Tea\n===\n\n.. toctree::\n   :glob:\n\n   *\n"
    files = {"conf.py": config, "theme/page.html": layout, "index.rst": index}
    command = (VENV / "sphinx-build", "-q", "-b", "html", ".", "out")
    return Theme(Project(files, command, "out"), "{}.rst", RST, "{}.html", ("index.html",))


def next_() -> Theme:
    """Every page holds the number of its build and, as React's data, all that is on it."""
    layout = """\
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
    page = """\
export const metadata = {{ title: "{title}" }};
export default () => <article><h1>{title}</h1><p>{title} with care.</p>
<ul><li>ninety degrees</li><li>three minutes</li></ul>
<p>Then wait. <a href="/">Home</a> <img src="/cup.svg" alt="A cup" /></p></article>;
"""
    files = {
        "package.json": '{"private": true}',
        "next.config.mjs": 'export default { output: "export", turbopack: { root: "/" } };\n',
        "app/layout.js": layout,
        "app/page.js": page.format(title="Tea"),
    }
    project = Project(files, (FRAMEWORKS / ".bin/next", "build"), "out", FRAMEWORKS)
    return Theme(project, "app/{}/page.js", page, "{}.html")


ALL: Mapping[str, Theme] = {
    "mkdocs-readthedocs": mkdocs("readthedocs"),
    "mkdocs-material": mkdocs("material"),
    "sphinx-rtd": sphinx("sphinx_rtd_theme"),
    "sphinx-furo": sphinx("furo"),
    "next": next_(),
}
