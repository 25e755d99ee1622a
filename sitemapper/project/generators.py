"""The known generators: a table, and a search for their files in a project."""

import os
import re
from collections.abc import Collection
from fnmatch import filter as matching
from itertools import product

from ..fs import open_inside, regular
from ..syntax.project_files import packages
from .generator import Generator

LIMIT = 1 << 20  # bytes that are read of a project file or a page


def _in(folders: str, name: str, endings: str) -> str:
    return " ".join(
        folder + name + end for folder, end in product(folders.split(","), endings.split(","))
    )


_JS = "js,mjs,cjs,ts,mts"
_BY_SPHINX = b'src="_static/documentation_options.js'
# Pages that Sphinx generates for itself, as files and, by dirhtml, as folders. Its search/ is
# noindex.
OF_SPHINX = (
    "/search.html genindex.html genindex-*.html *-modindex.html /genindex/ /genindex-*/ "
    "/*-modindex/ "
    "_modules/ _sources/ _static/"
)
_HUGO = " ".join((
    _in("hugo.", "", "toml,yaml,yml,json"),
    _in("config/production/,config/_default/", "", "hugo.toml,hugo.yaml,config.toml,config.yaml"),
    _in("config.", "", "toml:baseurl,yaml:baseurl,yml:baseurl,json:baseurl"),
))  # fmt: skip
_DATA = _in("_data/,src/_data/", "", "site.json,metadata.json,site.js,metadata.js")
# The sources of versions. The newest has no number in its path, and each release changes what it
# is.
_VERSIONS = tuple(
    (f"docs/{folder}{{path}}{end}", _in(sources, "{path}", ".md,.mdx,/index.md,/README.md"))
    for folder, sources in (("next/", "docs/"), ("", "versioned_docs/version-"))
    for end in ("/index.html", ".html")
)

_FULL = (
    Generator("Zensical", "zensical.toml mkdocs.yml:zensical", "site", "project.site_url site_url",
              sitemap="always", folder="project.site_dir", content="docs", run="zensical build",
              own_sitemap="do so after each run of zensical"),
    Generator("MkDocs", ("mkdocs.yml "
                        "mkdocs.yaml"), "site", "site_url", sitemap="always", folder="site_dir",
              run="mkdocs build", content="docs", trace=b"MkDocs version : ",
              own_sitemap="do so after each run of mkdocs",
              plugin="plugins: [search, sitemapper] in mkdocs.yml"),
    Generator("Hugo", _HUGO, "public", "baseURL", sitemap="always", folder="publishDir", run="hugo",
              content="content",
              own_sitemap='put disableKinds = ["sitemap"] at the top of Hugo\'s configuration'),
    Generator("Zola", "zola.toml config.toml:base_url", "public", "base_url", sitemap="always",
              folder="output_dir", run="zola build", content="content",
              own_sitemap="set generate_sitemap = false in its configuration"),
    Generator("Docusaurus", _in("docusaurus.config.", "", _JS), "build", "url", "baseUrl",
              sitemap="preset-classic plugin-sitemap", run="npx docusaurus build",
              clean="trailingSlash=false", content=". docs src/pages", versions=_VERSIONS,
              drop=(".theme-doc-version-banner", ".theme-doc-version-badge"),
              own_sitemap="set sitemap: false in the options of preset-classic"),
    Generator("VitePress", _in(".vitepress/config.,.vitepress/config/index.", "", _JS), ".vitepress/dist",
              "hostname", "base", "outDir", sitemap="sitemap", content=".", clean="cleanUrls=true",
              run="npx vitepress build", own_sitemap="remove sitemap from the configuration"),
    Generator("VuePress", _in(".vuepress/config.,.vuepress/config/index.", "", _JS), ".vuepress/dist",
              "hostname", "base", "dest", sitemap="sitemap", content=".", run="npx vuepress build"),
    Generator("Astro", _in("astro.config.", "", _JS), "dist", "site", "base", "outDir",
              sitemap="@astrojs/sitemap @astrojs/starlight", run="npx astro build",
              content="src/pages src/content src/content/docs",
              own_sitemap="remove @astrojs/sitemap from the integrations"),
    Generator("Next", _in("next.config.", "", _JS), "out", sitemap="next-sitemap", path="basePath",
              folder="distDir", package="next", trace=b"/_next/static/", ignore="_not-found.html _not-found/",
              clean="always"),
    Generator("Nuxt", _in("nuxt.config.", "", _JS), ".output/public dist", "siteUrl url", "baseURL",
              sitemap="@nuxtjs/sitemap @nuxtjs/seo", package=("nuxt nuxt3 "
                                                             "nuxt-edge"), run="npx nuxt generate",
              trace=b"__NUXT_", ignore="200.html"),
    Generator("SvelteKit", "svelte.config.js:kit", "build", "origin", folder="pages", package="@sveltejs/kit",
              trace=b"__sveltekit_", ignore="200.html", clean="always"),
    Generator("React Router", _in("react-router.config.", "", _JS), "build/client", path="basename",
              package="@react-router/dev", trace=b"__reactRouterContext", ignore="__spa-fallback.html"),
    Generator("Gatsby", _in("gatsby-config.", "", _JS), "public", "siteUrl", "pathPrefix",
              sitemap="gatsby-plugin-sitemap gatsby-plugin-advanced-sitemap", ignore="_gatsby/",
              run="npx gatsby build"),
    Generator("Gridsome", "gridsome.config.js", "dist", "siteUrl", "pathPrefix", "outputDir",
              sitemap="plugin-sitemap", run="npx gridsome build"),
    Generator("Eleventy", f".eleventy.js {_in('eleventy.config.', '', _JS)}", "_site", ("hostname "
                                                                                       "url siteUrl"),
              "pathPrefix", "output", sitemap="plugin-sitemap", package="@11ty/eleventy", more=_DATA,
              run="npx eleventy", content=". src content", own_sitemap="remove the template"),
    Generator("Hexo", "_config.yml:hexo", "public", "url",
              sitemap=("hexo-generator-sitemap "
                      "hexo-generator-seo-friendly-sitemap"), folder="public_dir",
              package="hexo", clean=r"pretty_urls\.trailing_html=false", run="npx hexo generate",
              content="source source/_posts", more="_config.yml",
              own_sitemap="remove hexo-generator-sitemap"),
    Generator("Jupyter Book", ("_toc.yml myst.yml "
                              "_config.yml:jupyter"), "_build/html", "html.baseurl",
              sitemap="sphinx_sitemap", mark="sphinx|docutils", trace=_BY_SPHINX, content=".",
              ignore=OF_SPHINX, run="jupyter-book build .", more="_config.yml"),
    Generator("Bridgetown", ("bridgetown.config.yml "
                            "config/initializers.rb:bridgetown"), "output", "url",
              "base_path", "destination", sitemap="bridgetown-sitemap", run="bin/bridgetown build"),
    Generator("Middleman", "Gemfile:middleman config.rb:activate", "build", run=("bundle exec "
                                                                                "middleman build"),
              content="source"),
    Generator("Nanoc", "nanoc.yaml", "output", "base_url", folder="output_dir", run="nanoc"),
    Generator("Jekyll", "_config.yml _config.yaml", "_site", "url", "baseurl", "destination",
              sitemap="jekyll-sitemap", run="jekyll build",
              clean=r"permalink=/.*[^/](?<!\.html)(?<!:output_ext)", content=". _posts",
              own_sitemap="remove jekyll-sitemap from the plugins"),
    Generator("Pelican", "publishconf.py pelicanconf.py", "output", "SITEURL", sitemap="sitemap",
              folder="OUTPUT_PATH", content="content content/pages", ignore="drafts/",
              own_sitemap="remove the sitemap plugin", run="pelican content -s publishconf.py",
              plugin='PLUGINS = ["sitemapper.integrations.pelican"] in pelicanconf.py'),
    Generator("Nikola", "conf.py:nikola", "output", "SITE_URL", sitemap="always", folder="OUTPUT_FOLDER",
              run="nikola build", content=".", own_sitemap=('add "sitemap" to DISABLED_PLUGINS '
                                                           'in conf.py')),
    Generator("Sphinx", "conf.py:sphinx conf.py:html_",
              ("_build/html _build/dirhtml _build ../build/html ../build/dirhtml ../_build/html "
              "build/html"),
              "html_baseurl", sitemap="sphinx_sitemap", mark="sphinx|docutils", trace=_BY_SPHINX,
              left=".buildinfo", run="make html", content=".", ignore=OF_SPHINX,
              own_sitemap="remove sphinx_sitemap",
              plugin='extensions = ["sitemapper.integrations.sphinx"] in conf.py'),
    Generator("Antora", ("antora-playbook.yml playbook.yml:antora "
                        "site.yml:antora"), "build/site", "site.url",
              sitemap="always", folder="output.dir", clean=r"urls\.html_extension_style=drop",
              run="npx antora antora-playbook.yml", own_sitemap="do so after each run of antora"),
    Generator("Doxygen", "Doxyfile", "html docs/html doc/html build/html", "SITEMAP_URL",
              sitemap="SITEMAP_URL", folder="HTML_OUTPUT", ignore="search/",
              own_sitemap="empty SITEMAP_URL in the Doxyfile", run="doxygen"),
    Generator("mdBook", "book.toml", "book", path="output.html.site-url", folder="build.build-dir",
              run="mdbook build", trace=b"using mdBook", ignore=("print.html "
                                                                "toc.html"), content="src"),
    Generator("Quarto", "_quarto.yml _quarto.yaml", "_site _book", "website.site-url book.site-url",
              sitemap="always", folder="project.output-dir", run="quarto render", content="."),
    Generator("pkgdown", "_pkgdown.yml pkgdown/_pkgdown.yml", "docs", "url", sitemap="always",
              folder="destination", run="Rscript -e 'pkgdown::build_site()'", trace=(b"Generated "
                                                                                    b"by pkgdown"),
              maps=(("articles/{name}.html", _in("vignettes/", "{name}", ".Rmd,.qmd")),
                    ("reference/{name}.html", "man/{name}.Rd"), ("news/index.html", "NEWS.md"))),
    Generator("Cecil", "cecil.yml config.yml:cecil", "_site", "baseurl", folder="output.dir",
              run="cecil build"),
    Generator("Lektor", "*.lektorproject", "build", "url", run="lektor build"),
    Generator("Docfx", "docfx.json", "_site", "build.sitemap.baseUrl", sitemap="sitemap", folder="build.dest",
              run="docfx"),
    Generator("Retype", "retype.yml", ".retype", "url", sitemap="always", folder="output",
              run="retype build"),
    Generator("Observable Framework", _in("observablehq.config.", "", "js,ts"), "dist", path="base",
              folder="output", package="@observablehq/framework"),
    Generator("Jigsaw", "composer.json:tightenco/jigsaw", "build_production",
              run="vendor/bin/jigsaw build production"),
    Generator("Franklin", "config.md:website_url", "__site", run=("julia -e 'using Franklin; "
                                                                 "optimize()'")),
    Generator("Documenter", "make.jl:documenter", "build", run="julia docs/make.jl"),
)  # fmt: skip
# Generators that are only recognised in package.json, with their output.
_PACKAGES = """
    Analog=@analogjs/platform:dist/analog/public  Assemble=assemble:dist  Elder.js=@elderjs/elderjs:public
    elm-pages=elm-pages:dist  Ember=ember-cli,ember-source:dist  HonKit=honkit,gitbook-cli:_book
    Hydrogen=@shopify/hydrogen:dist/client  Metalsmith=metalsmith:build
    Quasar=@quasar/app,@quasar/app-vite,quasar-cli:dist/spa  Qwik=@builder.io/qwik,@qwik.dev/core:dist
    React_Static=react-static:dist  RedwoodJS=@redwoodjs/core:web/dist  Remix=@remix-run/dev:build/client
    Rspress=rspress,@rspress/core:doc_build  Scully=@scullyio/init:dist/static
    SolidStart=@solidjs/start,solid-start:.output/public,dist/public  Stencil=@stencil/core:www
    TanStack_Start=@tanstack/react-start,@tanstack/solid-start:dist/client,.output/public  Umi=umi,dumi:dist
    Vike=vike:dist/client  Waku=waku:dist/public
"""
# Tools for many kinds of projects. If one of them writes no site, the folder may still be one.
_TOOLS = """
    Angular=@angular/cli:dist/*/browser,dist/*,dist  Create_React_App=react-scripts:build
    Dojo=@dojo/framework:output/dist  Expo=expo:dist  Ionic=@ionic/angular:www
    Nitro=nitropack,nitro:.output/public  Preact_CLI=preact-cli:build
    Vue_CLI=@vue/cli-service:dist  Brunch=brunch:public  Vite=vite:dist
    Parcel=parcel,parcel-bundler:dist  Gulp=gulp:dist,build  Grunt=grunt:dist  Solid=solid-js:dist
    Svelte=svelte:public
"""
_BY_PACKAGE = tuple(
    Generator(name.replace("_", " "), "", output, package=package, is_weak=table is _TOOLS)
    for table in (_PACKAGES, _TOOLS)
    for name, package, output in (re.split("[=:]", row.replace(",", " ")) for row in table.split())
)
ALL = (*_FULL, *_BY_PACKAGE)
# Other folders that may contain a built site. Folders that often contain sources come last.
UNKNOWN = Generator(
    "",
    output=(
        "dist build out _site site output storybook-static htmlcov doc_build public html docs doc"
    ),
)


def generators_in(folder: str, names: Collection[str]) -> list[tuple[Generator, str]]:
    """The generators of a folder with entries of these `names`, each with the file that identifies
    it.

    A file counts only for the first generator: the _config.yml of Hexo does not indicate Jekyll.
    """
    named = packages(text_of(folder, "package.json")) if "package.json" in names else set()
    found: list[tuple[Generator, str]] = []
    claimed: set[str] = set()
    for generator in ALL:
        is_named = not named.isdisjoint(generator.package.split())
        file = _file(generator, folder, names) or ("package.json" if is_named else "")
        if file and file not in claimed and not (generator.is_weak and found):
            found.append((generator, file))
            claimed.update(set(generator.settings) - {"package.json"})
    return found


def _file(generator: Generator, folder: str, names: Collection[str]) -> str:
    """The first existing project file that contains the required word."""
    for name, _, word in (entry.partition(":") for entry in generator.files.split()):
        if "*" in name:
            name = next(iter(matching(names, name)), "")
        first, slash, _ = name.partition("/")
        is_there = first in names and (not slash or os.path.isfile(os.path.join(folder, name)))
        if is_there and word in text_of(folder, name).lower():
            return name
    return ""


def text_of(folder: str, name: str) -> str:
    """The beginning of a file of a project's folder, "" if it cannot be read."""
    try:
        start = open_inside(folder, os.path.join(folder, name), LIMIT)
    except OSError:
        return ""
    return (start or b"").decode("utf-8", "replace")


def start_of(path: str, limit: int = 1024) -> bytes:
    """The first bytes of a file, empty if it cannot be read."""
    try:
        return regular(path, limit) or b""
    except OSError:
        return b""
