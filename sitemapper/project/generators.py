"""What is known of the generators that people use: a table, and their files in a project."""

from __future__ import annotations

import os
from itertools import product
from typing import NamedTuple

from ..fs import regular

LIMIT = 1 << 20  # bytes of a project file, or of a page, that are looked at
Maps = tuple[tuple[str, str], ...]


class Generator(NamedTuple):
    """Project files, output, signature and habits. Names of a list have spaces between them.

    `files` are project files, some with a word behind a colon that they must hold. `output` are the
    folders it writes by default, `folder` the key in a project file that names another; `address` the
    keys of the base URL, `path` that of a path to append. Pages carry `mark` in their generator tag, by
    default its name, or `trace` anywhere. `maps` tell which sources make which pages, `versions` do where
    there is a versions.json. `clean` says in a project file that pages are served without `.html`.
    `own_sitemap` is how to turn off the generator's own one.
    """

    name: str
    files: str = ""
    output: str = ""
    address: str = ""
    path: str = ""
    folder: str = ""
    mark: str = ""
    trace: bytes = b""
    maps: Maps = ()
    versions: Maps = ()
    ignore: str = ""
    drop: tuple[str, ...] = ()
    clean: str = r"(?!)"
    own_sitemap: str = "turn off the generator's own sitemap"


def _in(folders: str, name: str, endings: str) -> str:
    return " ".join(folder + name + end for folder, end in product(folders.split(","), endings.split(",")))


def _pretty(folders: str, endings: str, *others: str) -> Maps:
    """`a/index.html` comes from `a.md`, `a/index.md` and the like; so do pages that keep their names.

    `others` are names that stand for `index` too.
    """
    own = _in(folders, "{path}", endings)
    below = [_in(folders, "{path}/" + index, endings) for index in ("index", *others)]
    home = [("index.html", " ".join(_in(folders, index, endings) for index in others))] if others else []
    return (("{path}/index.html", " ".join([own, *below])), ("{path}.html", own), *home)


def _both(*maps: tuple[str, str]) -> Maps:
    """Pages `a/index.html` and `a.html` have the same sources."""
    return tuple((page + end, sources) for page, sources in maps for end in ("/index.html", ".html"))


_JS = "js,mjs,cjs,ts,mts"
_MDX = ".md,.mdx,/index.md,/README.md"
_MARKDOWN = ".md,.markdown,.html"
_OF_DOCUSAURUS = (
    *_pretty("src/pages/", ".js,.jsx,.tsx,.md,.mdx"),
    *_both(("blog/{y}/{m}/{d}/{slug}", _in("blog/", "{y}-{m}-{d}-{slug}", ".md,.mdx,/index.md"))),
)
_OF_SPHINX = "genindex*.html search.html _modules/ _sources/ _static/"

ALL = (
    Generator(
        "MkDocs", "mkdocs.yml mkdocs.yaml", "site", "site_url", folder="site_dir",
        maps=_pretty("docs/", ".md", "README"), own_sitemap="do so after each run of mkdocs"),
    Generator(
        "Zensical", "zensical.toml mkdocs.yml", "site", "project.site_url site_url",
        folder="project.site_dir", maps=_pretty("docs/", ".md", "README"),
        own_sitemap="do so after each run of zensical"),
    Generator(
        "Hugo", f"{_in('hugo.', '', 'toml,yaml,json')} {_in('config.', '', 'toml:baseurl,yaml:baseurl')}",
        "public", "baseURL baseurl", folder="publishDir", maps=_pretty("content/", ".md,.html", "_index"),
        own_sitemap='put disableKinds = ["sitemap"] at the top of Hugo\'s configuration'),
    Generator(
        "Docusaurus", _in("docusaurus.config.", "", _JS), "build", "url", "baseUrl",
        maps=(*_OF_DOCUSAURUS,
              *_both(*((page, _in("docs/", "{path}", _MDX)) for page in ("docs/{path}", "{path}")))),
        # Not of the newest version, which has no number in its path: each release makes it another.
        versions=(*_OF_DOCUSAURUS,
                  *_both(("docs/next/{path}", _in("docs/", "{path}", _MDX)),
                         ("docs/{path}", _in("versioned_docs/version-", "{path}", _MDX)))),
        drop=(".theme-doc-version-banner", ".theme-doc-version-badge"),
        own_sitemap="set sitemap: false in the options of preset-classic"),
    Generator(
        "VitePress", _in(",docs/", ".vitepress/config.", _JS), ".vitepress/dist", "hostname", "base",
        maps=(("{path}.html", "{path}.md"),), clean=r"cleanUrls:\s*true",
        own_sitemap="remove sitemap from the configuration"),
    Generator(
        "VuePress", _in(",docs/,src/", ".vuepress/config.", _JS), ".vuepress/dist", "hostname", "base",
        maps=_pretty("", ".md", "README")),
    Generator(
        "Astro", _in("astro.config.", "", _JS), "dist", "site", "base", folder="outDir",
        maps=_pretty("src/pages/,src/content/,src/content/docs/", ".astro,.md,.mdx"),
        own_sitemap="remove @astrojs/sitemap from the integrations"),
    Generator(
        "Next", f'{_in("next.config.", "", _JS)} package.json:"next"', "out", folder="distDir",
        trace=b"/_next/static/", ignore="_not-found.html _not-found/"),
    Generator(
        "Nuxt", f'{_in("nuxt.config.", "", _JS)} package.json:"nuxt"', ".output/public dist", "siteUrl url",
        trace=b"__NUXT_", ignore="200.html"),
    Generator(
        "SvelteKit", 'svelte.config.js:kit package.json:"@sveltejs/kit"', "build", "origin",
        trace=b"__sveltekit_", ignore="200.html"),
    Generator(
        "React Router", f'{_in("react-router.config.", "", _JS)} package.json:"@react-router/dev"',
        "build/client", trace=b"__reactRouterContext", ignore="__spa-fallback.html"),
    Generator("Gatsby", _in("gatsby-config.", "", _JS), "public", "siteUrl", "pathPrefix", ignore="_gatsby/"),
    Generator(
        "Eleventy", f".eleventy.js {_in('eleventy.config.', '', _JS)}", "_site", "hostname url siteUrl",
        maps=_pretty(",src/,content/", ".md,.njk,.liquid,.html"), own_sitemap="remove the template"),
    Generator(
        "Hexo", 'package.json:"hexo" _config.yml:hexo', "public", "url", folder="public_dir",
        maps=(*_pretty("source/", ".md"), ("{y}/{m}/{d}/{slug}/index.html", "source/_posts/{slug}.md")),
        own_sitemap="remove hexo-generator-sitemap"),
    Generator(
        "Jupyter Book", f"{_in(',book/,docs/', '', '_toc.yml,myst.yml')} _config.yml:jupyter", "_build/html",
        "html.baseurl", mark="sphinx|docutils", maps=_pretty("", ".md,.ipynb,.rst"), ignore=_OF_SPHINX),
    Generator(
        "Jekyll", "_config.yml _config.yaml", "_site", "url", "baseurl", folder="destination",
        maps=(*_pretty("", _MARKDOWN),
              *_both(*((category + "{y}/{m}/{d}/{slug}", _in("_posts/", "{y}-{m}-{d}-{slug}", _MARKDOWN))
                       for category in ("", "{category}/")))),
        own_sitemap="remove jekyll-sitemap from the plugins"),
    Generator(
        "Pelican", "publishconf.py pelicanconf.py", "output", "SITEURL", folder="OUTPUT_PATH",
        maps=(("{slug}.html", _in("content/,content/pages/", "{slug}", ".md,.rst,.html")),
              ("pages/{slug}.html", _in("content/pages/", "{slug}", ".md,.rst,.html"))),
        ignore="drafts/", own_sitemap="remove the sitemap plugin"),
    Generator(
        "Nikola", "conf.py:nikola", "output", "SITE_URL", folder="OUTPUT_FOLDER",
        maps=_pretty("", ".rst,.md,.ipynb"), own_sitemap='add "sitemap" to DISABLED_PLUGINS in conf.py'),
    Generator(
        "Sphinx", _in(",docs/,doc/,source/,docs/source/,doc/source/", "conf.py", ":sphinx"),
        "_build/html build/html _build/dirhtml build/dirhtml", "html_baseurl", mark="sphinx|docutils",
        maps=_pretty("", ".rst,.md,.ipynb"), ignore=_OF_SPHINX, own_sitemap="remove sphinx_sitemap"),
    Generator(
        "Antora", "antora-playbook.yml playbook.yml:antora site.yml:antora", "build/site", "site.url",
        folder="output.dir", own_sitemap="do so after each run of antora"),
    Generator(
        "Doxygen", "Doxyfile docs/Doxyfile doc/Doxyfile", "html docs/html doc/html build/html", "SITEMAP_URL",
        folder="HTML_OUTPUT", ignore="search/", own_sitemap="empty SITEMAP_URL in the Doxyfile"),
)  # fmt: skip
# What else may hold a built site, those last that are more often a source folder.
UNKNOWN = Generator("", output="dist build out _site site output public html")


def project_file(generator: Generator, folder: str) -> str | None:
    """The first project file that is there and holds the word that it has to hold."""
    for name, _, word in (entry.partition(":") for entry in generator.files.split()):
        if os.path.isfile(os.path.join(folder, name)) and word in text_of(folder, name).lower():
            return name
    return None


def text_of(folder: str, name: str) -> str:
    """The beginning of a file, "" if there is none."""
    return start_of(os.path.join(folder, name), LIMIT).decode("utf-8", "replace")


def start_of(path: str, limit: int = 1024) -> bytes:
    """The first bytes of a file, none if it cannot be read."""
    try:
        return (regular(path) or b"")[:limit]
    except OSError:
        return b""
