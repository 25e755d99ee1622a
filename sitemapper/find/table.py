"""The generators of sites: one table, a row for each."""

from typing import NamedTuple


class Generator(NamedTuple):
    """What shows that a project is of a generator, and what its settings say.

    Values in JavaScript and Python are read only for `address` and `path`, and only where the key
    stands once in the file, with a plain literal. Where a text has several items, blanks stand
    between them.
    """

    name: str
    files: str  # that show it: a path, with `*`, or with a word that the file has
    outputs: str
    output_key: str = ""  # dotted, in any letters, as all keys
    address: str = ""  # keys of the base URL
    path: str = ""  # the key of a path to add to it
    sources: str = ""  # folders
    source_key: str = ""  # of more such folders
    ignore: str = ""
    sitemaps: str = "sitemap.xml"  # that it writes


_SPHINX_OUTPUTS = """
    _build/html _build/dirhtml _build build/html build/dirhtml
    ../build/html ../build/dirhtml ../_build/html ../_build/dirhtml
    html out public
"""
# Pages that Sphinx generates for itself, as files and, by dirhtml, as folders.
_BY_SPHINX = """
    /search.html /search/ genindex.html genindex-*.html *-modindex.html
    /genindex/ /genindex-*/ /*-modindex/ _modules/ _sources/ _static/
"""


# Where two fit one file, the more particular one stands first.
GENERATORS = (
    Generator("Zensical", "zensical.toml mkdocs.y*ml:zensical", "site", "project.site_dir",
              "project.site_url site_url", sources="docs", source_key="project.docs_dir",
              ignore="/search.html", sitemaps="sitemap.xml sitemap.xml.gz"),
    Generator("MkDocs", "mkdocs.y*ml", "site", "site_dir", "site_url", sources="docs",
              source_key="docs_dir", ignore="/search.html", sitemaps="sitemap.xml sitemap.xml.gz"),
    Generator("Hexo", "_config.yml:hexo", "public", "public_dir", "url",
              sources="source source/_posts", source_key="source_dir"),
    Generator("Hugo", "hugo.toml hugo.y*ml hugo.json config/_default/hugo.* "
              "config/_default/config.* config.toml:baseurl config.y*ml:baseurl "
              "config.json:baseurl", "public", "publishDir", "baseURL", sources="content",
              source_key="contentDir"),
    Generator("Zola", "zola.toml config.toml:base_url", "public", "output_dir", "base_url",
              sources="content"),
    Generator("Docusaurus", "docusaurus.config.*", "build", "", "url", "baseUrl",
              ". docs blog src/pages ../docs"),
    Generator("VitePress", ".vitepress/config.* .vitepress/config/index.*", ".vitepress/dist", "",
              "hostname", "base", "."),
    Generator("VuePress", ".vuepress/config.* .vuepress/config/index.*", ".vuepress/dist", "",
              "hostname", "base", "."),
    Generator("Astro", "astro.config.*", "dist dist/client", "", "site", "base",
              "src/pages src/content src/content/docs", sitemaps="sitemap-index.xml sitemap-0.xml"),
    Generator("Next", 'next.config.* package.json:"next"', "out", sources="content pages",
              ignore="_not-found.html _not-found/", sitemaps="sitemap.xml sitemap-0.xml"),
    Generator("Nuxt", 'nuxt.config.* package.json:"nuxt"', ".output/public dist",
              sources="content pages", ignore="200.html"),
    Generator("SvelteKit", 'package.json:"@sveltejs/kit" svelte.config.*:kit:', "build",
              sources="src/routes", ignore="200.html"),
    Generator("React Router", "react-router.config.*", "build/client"),
    Generator("Gatsby", "gatsby-config.*", "public", "", "siteUrl", "pathPrefix",
              "content src/pages", sitemaps="sitemap-index.xml sitemap-0.xml"),
    Generator("Gridsome", "gridsome.config.*", "dist", "", "siteUrl", "pathPrefix",
              "content src/pages"),
    Generator("Eleventy", '.eleventy.js eleventy.config.* package.json:"@11ty/eleventy"', "_site",
              sources=". src content"),
    Generator("Jupyter Book", "_config.yml:jupyter myst.yml _toc.yml", "_build/html", "",
              "html.baseurl", sources=".", ignore=_BY_SPHINX),
    Generator("Bridgetown", "bridgetown.config.yml config/initializers.rb:bridgetown", "output",
              "destination", "url", "base_path", "src"),
    Generator("Middleman", "Gemfile:middleman config.rb:activate", "build", sources="source"),
    Generator("Nanoc", "nanoc.yaml", "output", "output_dir", "base_url", sources="content"),
    Generator("Cecil", "cecil.yml config.yml:cecil", "_site", "output.dir", "baseurl",
              sources="pages"),
    Generator("Jekyll", "_config.y*ml", "_site", "destination", "url", "baseurl", ". _posts",
              "source"),
    Generator("Pelican", "publishconf.py pelicanconf.py", "output", "", "SITEURL",
              sources="content content/pages", ignore="drafts/"),
    Generator("Nikola", "conf.py:nikola", "output", "", "SITE_URL", sources=".",
              sitemaps="sitemap.xml sitemapindex.xml"),
    Generator("Sphinx", "conf.py:html_ conf.py:sphinx .buildinfo", _SPHINX_OUTPUTS, "",
              "html_baseurl", sources=".", ignore=_BY_SPHINX),
    Generator("Antora", "antora-playbook.y*ml *playbook*.y*ml:antora site.yml:antora", "build/site",
              "output.dir", "site.url"),
    Generator("Doxygen", "Doxyfile", "html docs/html doc/html build/html", ignore="search/"),
    Generator("mdBook", "book.toml", "book", "build.build-dir", sources="src",
              source_key="book.src", ignore="print.html toc.html"),
    Generator("Quarto", "_quarto.y*ml", "_site _book", "project.output-dir",
              "website.site-url book.site-url", sources="."),
    Generator("pkgdown", "_pkgdown.y*ml pkgdown/_pkgdown.y*ml", "docs", "destination", "url",
              sources="vignettes"),
    Generator("Lektor", "*.lektorproject", "build", "", "url"),
    Generator("Docfx", "docfx.json", "_site", "build.dest", "build.sitemap.baseUrl"),
    Generator("Retype", "retype.yml", ".retype", "output", "url", sources="."),
    Generator("Create React App", 'package.json:"react-scripts"', "build", "", "homepage"),
    Generator("Vue CLI", 'package.json:"@vue/cli-service"', "dist", "", "homepage"),
    Generator("Angular", "angular.json", "dist/*/browser dist/* dist"),
    Generator("Vite", 'vite.config.* package.json:"vite"', "dist", "", "homepage"),
)  # fmt: skip
# Other folders that often have a built site.
USUAL_OUTPUTS = (
    "dist", "build", "out", "_site", "site", "output", ".output/public", "storybook-static",
    "htmlcov", "doc_build", "public", "html", "docs", "doc",
)  # fmt: skip
