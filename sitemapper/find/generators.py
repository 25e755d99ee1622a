"""The generators of sites: one table, a row for each."""

from collections.abc import Iterable

from .generator import ALWAYS_CLEAN, CleanSetting, Generator, SitemapFeature


def _scripts(
    *stems: str, endings: tuple[str, ...] = ("js", "mjs", "cjs", "ts", "mts")
) -> tuple[str, ...]:
    """Lists the names that a settings script may have.

    `next.config` → `next.config.js`, `next.config.mjs`, `next.config.cjs` and so on.
    """
    return tuple(f"{stem}.{ending}" for stem in stems for ending in endings)


# A permalink template of Jekyll that ends in the name of a page, without `.html`. With a slash at
# its end, it makes folders (jekyllrb.com/docs/permalinks).
_CLEAN_PERMALINK = r"^/.*(?<!/)(?<!\.html)(?<!:output_ext)$"
_BY_SPHINX = b'src="_static/documentation_options.js'
# Pages that Sphinx generates for itself, as files and, by dirhtml, as folders. A folder search/ may
# hold documents, too, so its page is recognized by what is in it.
GENERATED_BY_SPHINX = (
    "/search.html", "genindex.html", "genindex-*.html", "*-modindex.html",
    "/genindex/", "/genindex-*/", "/*-modindex/", "_modules/", "_sources/", "_static/",
)  # fmt: skip
_HUGO_FILES = (
    *_scripts("hugo", endings=("toml", "yaml", "yml", "json")),
    *_scripts("config/production/hugo", "config/production/config", endings=("toml", "yaml")),
    *_scripts("config/_default/hugo", "config/_default/config", endings=("toml", "yaml")),
    "config.toml: baseurl",
    "config.yaml: baseurl",
    "config.yml: baseurl",
    "config.json: baseurl",
)
_DATA_FILES = (
    "_data/site.json", "_data/metadata.js", "_data/metadata.json", "_data/site.js",
    "src/_data/site.json", "src/_data/metadata.json", "src/_data/site.js", "src/_data/metadata.js",
)  # fmt: skip
# The templates of starters for Eleventy and Astro.
_SITEMAP_TEMPLATES = (
    "sitemap.njk", "sitemap.xml.njk", "sitemap.liquid", "sitemap.xml.liquid", "sitemap.hbs",
    "sitemap.11ty.js", "sitemap.11ty.cjs", "sitemap.11ty.mjs", "sitemap.xml.11ty.js",
    "sitemap.xml.js", "sitemap.xml.ts",
)  # fmt: skip

# Generators that are only recognised in package.json: name, outputs, packages.
_IN_PACKAGES = (
    ("Analog", "dist/analog/public", "@analogjs/platform"),
    ("Assemble", "dist", "assemble"),
    ("Elder.js", "public", "@elderjs/elderjs"),
    ("elm-pages", "dist", "elm-pages"),
    ("Ember", "dist", "ember-cli ember-source"),
    ("HonKit", "_book", "honkit gitbook-cli"),
    ("Hydrogen", "dist/client", "@shopify/hydrogen"),
    ("Metalsmith", "build", "metalsmith"),
    ("Quasar", "dist/spa", "@quasar/app @quasar/app-vite quasar-cli"),
    ("Qwik", "dist", "@builder.io/qwik @qwik.dev/core"),
    ("React Static", "dist", "react-static"),
    ("RedwoodJS", "web/dist", "@redwoodjs/core"),
    ("Remix", "build/client", "@remix-run/dev"),
    ("Rspress", "doc_build", "rspress @rspress/core"),
    ("Scully", "dist/static", "@scullyio/init"),
    ("SolidStart", ".output/public dist/public", "@solidjs/start solid-start"),
    ("Stencil", "www", "@stencil/core"),
    ("TanStack Start", "dist/client .output/public", "@tanstack/react-start @tanstack/solid-start"),
    ("Umi", "dist", "umi dumi"),
    ("Vike", "dist/client", "vike"),
    ("Waku", "dist/public", "waku"),
)
# Tools for many kinds of projects. If one of them writes no site, the folder may still be one.
_WEAK = (
    ("Angular", "dist/*/browser dist/* dist", "@angular/cli"),
    ("Create React App", "build", "react-scripts"),
    ("Dojo", "output/dist", "@dojo/framework"),
    ("Expo", "dist", "expo"),
    ("Ionic", "www", "@ionic/angular"),
    ("Nitro", ".output/public", "nitropack nitro"),
    ("Preact CLI", "build", "preact-cli"),
    ("Vue CLI", "dist", "@vue/cli-service"),
    ("Brunch", "public", "brunch"),
    ("Vite", "dist", "vite"),
    ("Parcel", "dist", "parcel parcel-bundler"),
    ("Gulp", "dist build", "gulp"),
    ("Grunt", "dist", "grunt"),
    ("Solid", "dist", "solid-js"),
    ("Svelte", "public", "svelte"),
)


def _in_packages(rows: Iterable[tuple[str, str, str]], *, is_general_tool: bool) -> list[Generator]:
    """Makes a generator of each row, for those that only a dependency in package.json shows.

    The row `("Parcel", "dist", "parcel parcel-bundler")` → the generator Parcel, which writes
    `dist`. A project uses it if its package.json depends on `parcel` or on `parcel-bundler`. With
    `is_general_tool`, the generators make many kinds of projects, not only sites.
    """
    generators = []
    for name, spaced_outputs, spaced_packages in rows:
        outputs = tuple(spaced_outputs.split())
        packages = tuple(spaced_packages.split())
        generators.append(
            Generator(name, output=outputs, package=packages, is_general_tool=is_general_tool)
        )
    return generators


ALL = (
    Generator(
        "Zensical",
        files=("zensical.toml", "mkdocs.yml: zensical"),
        output=("site",),
        address=("project.site_url", "site_url"),
        folder=("project.site_dir",),
        run="zensical build",
        content=("docs",),
        sitemap=SitemapFeature(("sitemap.xml", "sitemap.xml.gz")),
        turn_off_sitemap="do so after each run of zensical",
    ),
    Generator(
        "MkDocs",
        files=("mkdocs.yml", "mkdocs.yaml"),
        output=("site",),
        address=("site_url",),
        folder=("site_dir",),
        run="mkdocs build",
        trace=b"MkDocs version : ",
        content=("docs",),
        ignore=("/search.html",),  # of the theme readthedocs
        sitemap=SitemapFeature(("sitemap.xml", "sitemap.xml.gz")),
        turn_off_sitemap="do so after each run of mkdocs",
        plugin="plugins: [search, sitemapper] in mkdocs.yml",
    ),
    Generator(
        "Hugo",
        files=_HUGO_FILES,
        output=("public",),
        address=("baseURL",),
        folder=("publishDir",),
        run="hugo",
        content=("content",),
        content_key="contentDir",
        sitemap=SitemapFeature(
            off=(("disableKinds", "sitemap"), ("sitemap.disable", "true")),
            filename="sitemap.filename",
        ),
        turn_off_sitemap='put disableKinds = ["sitemap"] at the top of Hugo\'s configuration',
    ),
    Generator(
        "Zola",
        files=("zola.toml", "config.toml: base_url"),
        output=("public",),
        address=("base_url",),
        folder=("output_dir",),
        run="zola build",
        content=("content",),
        sitemap=SitemapFeature(off=(("generate_sitemap", "false"),)),
        turn_off_sitemap="set generate_sitemap = false in its configuration",
    ),
    Generator(
        "Docusaurus",
        files=_scripts("docusaurus.config"),
        output=("build",),
        address=("url",),
        path=("baseUrl",),
        run="npx docusaurus build",
        content=(".", "docs", "src/pages"),
        drop=(".theme-doc-version-banner", ".theme-doc-version-badge"),
        sitemap=SitemapFeature(
            # Settings may call the preset by its short name.
            plugins=("preset-classic", "classic", "plugin-sitemap"),
            is_automatic=True,
        ),
        turn_off_sitemap="set sitemap: false in the options of preset-classic",
    ),
    Generator(
        "VitePress",
        files=_scripts(".vitepress/config", ".vitepress/config/index"),
        output=(".vitepress/dist",),
        address=("sitemap.hostname",),
        path=("base",),
        run="npx vitepress build",
        content=(".",),
        sitemap=SitemapFeature(on="sitemap.hostname"),
        turn_off_sitemap="remove sitemap from the configuration",
    ),
    Generator(
        "VuePress",
        files=_scripts(".vuepress/config", ".vuepress/config/index"),
        output=(".vuepress/dist",),
        address=("hostname",),
        needs_plugin=True,
        path=("base",),
        run="npx vuepress build",
        content=(".",),
        sitemap=SitemapFeature(
            plugins=("sitemap", "plugin-sitemap", "plugin-sitemap2"),
        ),
    ),
    Generator(
        "Astro",
        files=_scripts("astro.config"),
        output=("dist",),
        address=("site",),
        path=("base",),
        run="npx astro build",
        content=("src/pages", "src/content", "src/content/docs"),
        sitemap=SitemapFeature(
            ("sitemap-index.xml", "sitemap-0.xml"),
            plugins=("@astrojs/sitemap", "@astrojs/starlight"),
        ),
        turn_off_sitemap="remove @astrojs/sitemap from the integrations",
    ),
    Generator(
        "Next",
        files=_scripts("next.config"),
        output=("out",),
        instead_of_address=": basePath is only its path",
        path=("basePath",),
        package=("next",),
        clean=ALWAYS_CLEAN,
        trace=b"/_next/static/",
        ignore=("_not-found.html", "_not-found/"),
        sitemap=SitemapFeature(
            ("sitemap.xml", "sitemap-0.xml"),
            plugins=("next-sitemap",),
            is_automatic=True,
            templates=("sitemap.ts", "sitemap.js"),
        ),
    ),
    Generator(
        "Nuxt",
        files=_scripts("nuxt.config"),
        output=(".output/public", "dist"),
        run="npx nuxt generate",
        package=("nuxt", "nuxt3", "nuxt-edge"),
        trace=b"__NUXT_",
        ignore=("200.html",),
        sitemap=SitemapFeature(plugins=("@nuxtjs/sitemap", "@nuxtjs/seo")),
    ),
    Generator(
        "SvelteKit",
        files=("svelte.config.js: kit",),
        output=("build",),
        address=("kit.prerender.origin",),
        path=("kit.paths.base",),
        package=("@sveltejs/kit",),
        clean=ALWAYS_CLEAN,
        trace=b"__sveltekit_",
        ignore=("200.html",),
    ),
    Generator(
        "React Router",
        files=_scripts("react-router.config"),
        output=("build/client",),
        instead_of_address=": basename is only its path",
        path=("basename",),
        package=("@react-router/dev",),
        trace=b"__reactRouterContext",
        ignore=("__spa-fallback.html",),
    ),
    Generator(
        "Gatsby",
        files=_scripts("gatsby-config"),
        output=("public",),
        address=("siteMetadata.siteUrl",),
        path=("pathPrefix",),
        run="npx gatsby build",
        ignore=("_gatsby/",),
        sitemap=SitemapFeature(
            ("sitemap-index.xml", "sitemap-0.xml"), plugins=("gatsby-plugin-sitemap",)
        ),
    ),
    Generator(
        "Gridsome",
        files=("gridsome.config.js",),
        output=("dist",),
        address=("siteUrl",),
        path=("pathPrefix",),
        run="npx gridsome build",
        sitemap=SitemapFeature(plugins=("plugin-sitemap",)),
    ),
    Generator(
        "Eleventy",
        files=(".eleventy.js", *_scripts("eleventy.config")),
        output=("_site",),
        address=("url", "siteUrl"),
        needs_plugin=True,
        instead_of_address=", and no _data/site.json or _data/metadata.js sets url",
        path=("pathPrefix",),
        run="npx eleventy",
        package=("@11ty/eleventy",),
        data_files=_DATA_FILES,
        content=(".", "src", "content"),
        sitemap=SitemapFeature(plugins=("plugin-sitemap",), templates=_SITEMAP_TEMPLATES),
        turn_off_sitemap="remove the template",
    ),
    Generator(
        "Hexo",
        files=("_config.yml: hexo",),
        output=("public",),
        address=("url",),
        folder=("public_dir",),
        run="npx hexo generate",
        package=("hexo",),
        clean=CleanSetting("pretty_urls.trailing_html", "false"),
        content=("source", "source/_posts"),
        sitemap=SitemapFeature(
            plugins=("hexo-generator-sitemap", "hexo-generator-seo-friendly-sitemap"),
            is_automatic=True,
        ),
        turn_off_sitemap="remove hexo-generator-sitemap",
    ),
    Generator(
        "Jupyter Book",
        files=(
            "_toc.yml",
            "myst.yml",
            "_config.yml: jupyter",
        ),
        output=("_build/html",),
        address=("html.baseurl",),
        address_file="_config.yml",
        run="jupyter-book build .",
        marks=("sphinx", "docutils"),
        trace=_BY_SPHINX,
        content=(".",),
        ignore=GENERATED_BY_SPHINX,
        sitemap=SitemapFeature(plugins=("sphinx_sitemap",)),
    ),
    Generator(
        "Bridgetown",
        files=(
            "bridgetown.config.yml",
            "config/initializers.rb: bridgetown",
        ),
        output=("output",),
        address=("url",),
        path=("base_path",),
        folder=("destination",),
        run="bin/bridgetown build",
        sitemap=SitemapFeature(plugins=("bridgetown-sitemap",), is_automatic=True),
    ),
    Generator(
        "Middleman",
        files=("Gemfile: middleman", "config.rb: activate"),
        output=("build",),
        run="bundle exec middleman build",
        content=("source",),
    ),
    Generator(
        "Nanoc",
        files=("nanoc.yaml",),
        output=("output",),
        address=("base_url",),
        folder=("output_dir",),
        run="nanoc",
    ),
    Generator(
        "Jekyll",
        files=("_config.yml", "_config.yaml"),
        output=("_site",),
        address=("url",),
        path=("baseurl",),
        folder=("destination",),
        run="jekyll build",
        clean=CleanSetting("permalink", _CLEAN_PERMALINK),
        content=(".", "_posts"),
        sitemap=SitemapFeature(plugins=("jekyll-sitemap",), is_automatic=True),
        turn_off_sitemap="remove jekyll-sitemap from the plugins",
    ),
    Generator(
        "Pelican",
        files=("publishconf.py", "pelicanconf.py"),
        output=("output",),
        address=("SITEURL",),
        run="pelican content -s publishconf.py",
        content=("content", "content/pages"),
        ignore=("drafts/",),
        sitemap=SitemapFeature(plugins=("sitemap",)),
        turn_off_sitemap="remove the sitemap plugin",
        plugin='PLUGINS = ["sitemapper.integrations.pelican"] in pelicanconf.py',
    ),
    Generator(
        "Nikola",
        files=("conf.py: nikola",),
        output=("output",),
        address=("SITE_URL",),
        run="nikola build",
        content=(".",),
        sitemap=SitemapFeature(("sitemap.xml", "sitemapindex.xml")),
        turn_off_sitemap='add "sitemap" to DISABLED_PLUGINS in conf.py',
    ),
    Generator(
        "Sphinx",
        files=("conf.py: sphinx", "conf.py: html_"),
        output=(
            "_build/html",
            "_build/dirhtml",
            "_build",
            "../build/html",
            "../build/dirhtml",
            "../_build/html",
            "build/html",
        ),
        address=("html_baseurl",),
        run="make html",
        marks=("sphinx", "docutils"),
        trace=_BY_SPHINX,
        left=".buildinfo",
        content=(".",),
        ignore=GENERATED_BY_SPHINX,
        sitemap=SitemapFeature(plugins=("sphinx_sitemap",)),
        turn_off_sitemap="remove sphinx_sitemap",
        plugin='extensions = ["sitemapper.integrations.sphinx"] in conf.py',
    ),
    Generator(
        "Antora",
        files=(
            "antora-playbook.yml",
            "playbook.yml: antora",
            "site.yml: antora",
        ),
        output=("build/site",),
        address=("site.url",),
        folder=("output.dir",),
        run="npx antora antora-playbook.yml",
        clean=CleanSetting("urls.html_extension_style", "drop"),
        sitemap=SitemapFeature(on="site.url"),
        turn_off_sitemap="do so after each run of antora",
    ),
    Generator(
        "Doxygen",
        files=("Doxyfile",),
        output=("html", "docs/html", "doc/html", "build/html"),
        address=("SITEMAP_URL",),
        folder=("HTML_OUTPUT",),
        run="doxygen",
        ignore=("search/",),
        sitemap=SitemapFeature(on="SITEMAP_URL"),
        turn_off_sitemap="empty SITEMAP_URL in the Doxyfile",
    ),
    Generator(
        "mdBook",
        files=("book.toml",),
        output=("book",),
        instead_of_address=": output.html.site-url is only its path",
        path=("output.html.site-url",),
        folder=("build.build-dir",),
        run="mdbook build",
        trace=b"using mdBook",
        content=("src",),
        ignore=("print.html", "toc.html"),
    ),
    Generator(
        "Quarto",
        files=("_quarto.yml", "_quarto.yaml"),
        output=("_site", "_book"),
        address=("website.site-url", "book.site-url"),
        folder=("project.output-dir",),
        run="quarto render",
        content=(".",),
        sitemap=SitemapFeature(),
    ),
    Generator(
        "pkgdown",
        files=("_pkgdown.yml", "pkgdown/_pkgdown.yml"),
        output=("docs",),
        address=("url",),
        folder=("destination",),
        run="Rscript -e 'pkgdown::build_site()'",
        trace=b"Generated by pkgdown",
        sitemap=SitemapFeature(),
    ),
    Generator(
        "Cecil",
        files=("cecil.yml", "config.yml: cecil"),
        output=("_site",),
        address=("baseurl",),
        folder=("output.dir",),
        run="cecil build",
    ),
    Generator(
        "Lektor",
        files=("*.lektorproject",),
        output=("build",),
        address=("url",),
        run="lektor build",
    ),
    Generator(
        "Docfx",
        files=("docfx.json",),
        output=("_site",),
        address=("build.sitemap.baseUrl",),
        folder=("build.dest",),
        run="docfx",
        sitemap=SitemapFeature(on="build.sitemap.baseUrl"),
    ),
    Generator(
        "Retype",
        files=("retype.yml",),
        output=(".retype",),
        address=("url",),
        folder=("output",),
        run="retype build",
        sitemap=SitemapFeature(),
    ),
    Generator(
        "Observable Framework",
        files=_scripts("observablehq.config", endings=("js", "ts")),
        output=("dist",),
        instead_of_address=": base is only its path",
        path=("base",),
        package=("@observablehq/framework",),
    ),
    Generator(
        "Jigsaw",
        files=("composer.json: tightenco/jigsaw",),
        output=("build_production",),
        run="vendor/bin/jigsaw build production",
    ),
    Generator(
        "Franklin",
        files=("config.md: website_url",),
        output=("__site",),
        run="julia -e 'using Franklin; optimize()'",
    ),
    Generator(
        "Documenter",
        files=("make.jl: documenter",),
        output=("build",),
        run="julia docs/make.jl",
    ),
    *_in_packages(_IN_PACKAGES, is_general_tool=False),
    *_in_packages(_WEAK, is_general_tool=True),
)
# Other folders that may contain a built site. Folders that often contain sources come last.
UNKNOWN = Generator(
    "",
    output=(
        "dist", "build", "out", "_site", "site", "output", "storybook-static", "htmlcov",
        "doc_build", "public", "html", "docs", "doc",
    ),
)  # fmt: skip
