"""Small projects, each built by its generator: all have a page outside ASCII and a 404 page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from conftest import BASE, write_site

from .tools import NODE_MODULES, VENV, run

DOCS = BASE + "docs/"


class Built(NamedTuple):
    """A finished site: its folder, its URL, the generator's own sitemap, and the style of its URLs."""

    out: Path
    base: str
    own: Path
    style: str


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
    write_site(root, {"mkdocs.yml": dedent(config), **{f"docs/{page}.md": "# Title\n" for page in pages}})
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
    write_site(root, {"conf.py": dedent(config), **{f"{name}.rst": text for name, text in pages.items()}})
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
    contents = {f"posts/post-{n}": "tags: [blue]" for n in range(1, 8)}
    contents |= {"posts/post-1": "aliases: [/old/]", "about": "title: About", "über uns": "title: Über uns"}
    files = {
        "config.toml": dedent(config),
        "layouts/_default/single.html": page,
        "layouts/_default/list.html": page + "{{ range .Paginator.Pages }}{{ .Title }}{{ end }}",
        "layouts/404.html": page,
        "static/static.html": page,
        **{f"content/{name}.md": f"---\n{matter}\n---\n" for name, matter in contents.items()},
    }
    write_site(root, files)
    run("hugo", "--quiet", cwd=root)
    return Built(root / "public", DOCS, root / "public/sitemap.xml", "directory")


def eleventy(root: Path) -> Built:
    """With the sitemap plugin, which takes a host name and no path."""
    config = f"""
        const sitemap = require("@quasibit/eleventy-plugin-sitemap");
        module.exports = (config) => config.addPlugin(sitemap, {{ sitemap: {{ hostname: "{BASE}" }} }});
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
        "sitemap.njk": dedent(own),
        "404.md": "---\npermalink: 404.html\n---\n# Title\n",
        **{f"{page}.md": "# Title\n" for page in pages},
    }
    write_site(root, files)
    (root / "node_modules").symlink_to(NODE_MODULES)
    run(NODE_MODULES / ".bin/eleventy", "--quiet", cwd=root)
    return Built(root / "_site", BASE, root / "_site/sitemap.xml", "directory")


ALL: Mapping[str, Callable[[Path], Built]] = {
    "mkdocs-directory": partial(mkdocs, style="directory", theme="material"),
    "mkdocs-file": partial(mkdocs, style="file", theme="readthedocs"),
    "sphinx-html": partial(sphinx, builder="html", style="file"),
    "sphinx-dirhtml": partial(sphinx, builder="dirhtml", style="directory"),
    "hugo": partial(hugo, ugly=False),
    "hugo-ugly": partial(hugo, ugly=True),
    "eleventy": eleventy,
}
