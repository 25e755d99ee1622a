"""What is known of the generators that people use: a table for `init`."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple


class Generator(NamedTuple):
    """Project files, mark in pages, output and habits.

    `address` holds the keys of its base URL and of a path to append; `maps` which sources make which
    pages, relative to the project file, with spaces between, as `output` may hold several folders;
    `clean` says in its project file that pages are served without `.html`; `says` is a word that the
    project file has to hold.
    """

    name: str
    files: tuple[str, ...]
    mark: str
    output: str
    address: tuple[tuple[str, ...], str]
    own_sitemap: str
    maps: tuple[tuple[str, str], ...]
    ignore: tuple[str, ...] = ()
    clean: str = r"(?!)"
    says: str = ""


UNKNOWN = Generator("", (), "", "", ((), ""), "", ())
_DELETE = "and delete the file once"
_ELEVENTY = (".eleventy.js", "eleventy.config.js", "eleventy.config.mjs", "eleventy.config.cjs")
_VITEPRESS = tuple(f"{d}.vitepress/config.{e}" for d in ("", "docs/") for e in ("mts", "ts", "mjs", "js"))


def _in(folders: str, name: str, endings: str) -> str:
    return " ".join(folder + name + end for folder, end in product(folders.split(","), endings.split(",")))


def _pretty(folders: str, endings: str, *others: str) -> tuple[tuple[str, str], ...]:
    """`a/index.html` comes from `a.md`, `a/index.md` and the like; so do pages that keep their names.

    `others` are names that stand for `index` too.
    """
    own = _in(folders, "{path}", endings)
    below = [_in(folders, "{path}/" + index, endings) for index in ("index", *others)]
    home = [("index.html", " ".join(_in(folders, index, endings) for index in others))] if others else []
    return (("{path}/index.html", " ".join([own, *below])), ("{path}.html", own), *home)


ALL = (
    Generator("MkDocs", ("mkdocs.yml", "mkdocs.yaml"), "mkdocs", "site", (("site_url",), ""),
              "MkDocs always writes its own; delete site/sitemap.xml* between mkdocs and sitemapper",
              _pretty("docs/", ".md", "README")),
    Generator("Hugo", ("hugo.toml", "hugo.yaml", "hugo.json", "config.toml", "config.yaml"), "hugo", "public",
              (("baseURL", "baseurl"), ""),
              f'put disableKinds = ["sitemap"] at the top of Hugo\'s configuration {_DELETE}',
              _pretty("content/", ".md,.html", "_index")),
    Generator("Docusaurus", ("docusaurus.config.js", "docusaurus.config.ts"), "docusaurus", "build",
              (("url",), "baseUrl"), f"set sitemap: false in the options of preset-classic {_DELETE}",
              (*_pretty("src/pages/", ".js,.jsx,.tsx,.md,.mdx"),
               ("docs/{path}/index.html", _in("docs/", "{path}", ".md,.mdx,/index.md,/README.md")),
               ("docs/{path}.html", _in("docs/", "{path}", ".md,.mdx")),
               ("{path}/index.html", _in("docs/", "{path}", ".md,.mdx")),
               *(("blog/{y}/{m}/{d}/{slug}" + end, _in("blog/", "{y}-{m}-{d}-{slug}", ".md,.mdx,/index.md"))
                 for end in ("/index.html", ".html")))),
    Generator("VitePress", _VITEPRESS, "vitepress", ".vitepress/dist", (("hostname",), "base"),
              f"remove sitemap from the configuration {_DELETE}", (("{path}.html", "{path}.md"),),
              clean=r"cleanUrls:\s*true"),
    Generator("Astro", ("astro.config.mjs", "astro.config.js", "astro.config.ts"), "astro", "dist",
              (("site",), "base"), "remove @astrojs/sitemap from the integrations and delete its files once",
              _pretty("src/pages/,src/content/,src/content/docs/", ".astro,.md,.mdx")),
    Generator("Eleventy", _ELEVENTY, "eleventy", "_site", (("hostname", "url", "siteUrl"), ""),
              f"remove the sitemap template or plugin {_DELETE}",
              _pretty(",src/,content/", ".md,.njk,.liquid,.html")),
    Generator("Jekyll", ("_config.yml", "_config.yaml"), "jekyll", "_site", (("url",), "baseurl"),
              f"remove jekyll-sitemap from the plugins {_DELETE}",
              (*_pretty("", ".md,.markdown,.html"),
               *((before + "{y}/{m}/{d}/{slug}" + end,
                  _in("_posts/", "{y}-{m}-{d}-{slug}", ".md,.markdown,.html"))
                 for before in ("", "{category}/") for end in (".html", "/index.html")))),
    Generator("Pelican", ("publishconf.py", "pelicanconf.py"), "pelican", "output", (("SITEURL",), ""),
              f"remove the sitemap plugin {_DELETE}",
              (("{slug}.html", _in("content/,content/pages/", "{slug}", ".md,.rst,.html")),
               ("pages/{slug}.html", _in("content/pages/", "{slug}", ".md,.rst,.html")))),
    Generator("Sphinx", ("conf.py", "docs/conf.py", "source/conf.py", "docs/source/conf.py"),
              "sphinx|docutils", "_build/html build/html", (("html_baseurl",), ""),
              f"remove sphinx_sitemap from the extensions {_DELETE}", _pretty("", ".rst,.md,.ipynb"),
              ("genindex*.html", "_modules/", "_sources/", "_static/"), says="sphinx"),
)  # fmt: skip
