"""What a project says of its site: a table of projects, and what is taken from where."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from support import Run, locs, write_site
from support.git import Repo

from sitemapper.find.base_url import with_base_url
from sitemapper.find.detect import detect
from sitemapper.find.first_look import FirstLook, sample_pages

SIGNED = '<head><meta name="generator" content="{}"></head>'
PACKAGE = '{{"devDependencies": {{"{}": "1"}}}}'
LOCAL = "baseURL = 'http://localhost:1313/'\n"


def told(root: Path, site: str | None = None, cwd: str = ".") -> dict[str, tuple[object, str]]:
    """The settings that are taken from the project, each with its origin."""
    first_look = FirstLook(str(root / cwd))
    found = detect(first_look, site)
    project = with_base_url(
        found, {}, first_look, sample_pages(found.site or "", (), (), first_look)
    )
    return {
        key: (os.path.relpath(str(value), root) if key == "site" else value, str(origin))
        for key, value, origin in project.settings
    }


# project files (an index page is added to the site), site, base URL, origin
BASE_URLS: dict[str, tuple[dict[str, str], str, str, str]] = {
    "Hugo, in YAML": ({"hugo.yaml": "baseURL: https://tea.dev/tea"}, "public", "https://tea.dev/tea/", "hugo.yaml:1: baseURL"),
    "Hugo, in JSON": ({"hugo.json": '{"baseurl": "https://tea.dev/"}'}, "public", "https://tea.dev/", "hugo.json:1: baseURL"),
    "Hugo, with config/_default": ({"config/_default/hugo.toml": "baseURL = 'https://tea.dev/'"}, "public", "https://tea.dev/", "config/_default/hugo.toml:1: baseURL"),
    "Hugo, for production": ({"hugo.toml": LOCAL, "config/production/hugo.toml": "baseURL = 'https://tea.dev/'"}, "public", "https://tea.dev/", "config/production/hugo.toml:1: baseURL"),
    "Hugo, into another folder": ({"hugo.toml": "publishDir = 'docs'\nbaseURL = 'https://tea.dev/'"}, "docs", "https://tea.dev/", "hugo.toml:2: baseURL"),
    "Zola": ({"config.toml": "base_url = 'https://tea.dev'"}, "public", "https://tea.dev/", "config.toml:1: base_url"),
    "MkDocs, below docs": ({"docs/mkdocs.yml": "site_url: https://tea.dev/"}, "docs/site", "https://tea.dev/", "docs/mkdocs.yml:1: site_url"),
    "MkDocs, inherited": ({"docs/mkdocs.yml": "INHERIT: ../base.yml", "base.yml": "site_name: x\nsite_url: https://tea.dev/"}, "docs/site", "https://tea.dev/", "base.yml:2: site_url"),
    "MkDocs, inherited in a circle": ({"mkdocs.yml": "INHERIT: ./base.yml", "base.yml": "INHERIT: mkdocs.yml\nsite_url: https://tea.dev/"}, "site", "https://tea.dev/", "base.yml:2: site_url"),
    "MkDocs, with more than it inherits": ({"mkdocs.yml": "INHERIT: base.yml\nsite_url: https://tea.dev/", "base.yml": "site_url: https://base.example.dev/"}, "site", "https://tea.dev/", "mkdocs.yml:2: site_url"),
    "Sphinx, with source and build apart": ({"source/conf.py": "html_baseurl = 'https://tea.dev/'"}, "build/html", "https://tea.dev/", "source/conf.py:1: html_baseurl"),
    "Docusaurus": ({"website/docusaurus.config.ts": "const config: Config = {\n  url: 'https://tea.dev',\n  baseUrl: '/tea/',\n}\nexport default config"}, "website/build", "https://tea.dev/tea/", "website/docusaurus.config.ts:2: url"),
    "Hugo, with a parameter": ({"hugo.toml": "baseURL = 'https://tea.dev'\n[params]\nbaseURL = 'https://cdn.dev/'"}, "public", "https://tea.dev/", "hugo.toml:1: baseURL"),
    "Jekyll, with the page of an author": ({"_config.yml": "author:\n  url: https://ann.dev/me\nurl: https://tea.dev"}, "_site", "https://tea.dev/", "_config.yml:3: url"),
    "Lektor": ({"tea.lektorproject": "[project]\nname = Tea\nurl = https://tea.dev"}, "build", "https://tea.dev/", "tea.lektorproject:3: url"),
    "Next, with a wrapper": ({"next.config.mjs": "const nextConfig = { output: 'export', basePath: '/tea' };\nexport default withMDX(nextConfig);", "CNAME": "tea.dev"}, "out", "https://tea.dev/tea/", "CNAME"),
    "SvelteKit, with a path": ({"svelte.config.js": "const config = { kit: {\n  adapter: adapter(), paths: { base: '/tea' },\n  prerender: { origin: 'https://tea.dev' } } };\nexport default config;"}, "build", "https://tea.dev/tea/", "svelte.config.js:3: origin"),
    "VitePress, by a folder of settings": ({"docs/.vitepress/config/index.ts": "export default { sitemap: { hostname: 'https://tea.dev' } }"}, "docs/.vitepress/dist", "https://tea.dev/", "docs/.vitepress/config/index.ts:1: hostname"),
    "VitePress": ({"docs/.vitepress/config.mts": "export default { sitemap: { hostname: 'https://tea.dev' } }"}, "docs/.vitepress/dist", "https://tea.dev/", "docs/.vitepress/config.mts:1: hostname"),
    "Eleventy, by its package": ({"package.json": PACKAGE.format("@11ty/eleventy"), "_data/site.json": '{"url": "https://tea.dev"}'}, "_site", "https://tea.dev/", "_data/site.json:1: url"),
    "Eleventy, with a path": ({".eleventy.js": "module.exports = c => ({ pathPrefix: '/tea/' })", "_data/site.json": '{"url": "https://tea.dev"}'}, "_site", "https://tea.dev/tea/", "_data/site.json:1: url"),
    "Pelican, by the settings that the published ones import": ({"publishconf.py": "from pelicanconf import *\nRELATIVE_URLS = False", "pelicanconf.py": "SITEURL = 'https://tea.dev'"}, "output", "https://tea.dev/", "pelicanconf.py:1: SITEURL"),
    "Eleventy, with data that only code can tell": ({".eleventy.js": "module.exports = (c) => { c.setServerOptions({}) }", "_data/site.js": "module.exports = load()", "_data/metadata.json": '{"url": "https://tea.dev"}'}, "_site", "https://tea.dev/", "_data/metadata.json:1: url"),
    "Pelican, published": ({"pelicanconf.py": "SITEURL = ''", "publishconf.py": "from pelicanconf import *\nSITEURL = 'https://tea.dev'"}, "output", "https://tea.dev/", "publishconf.py:2: SITEURL"),
    "Quarto": ({"_quarto.yml": "project:\n  type: website\nwebsite:\n  site-url: https://tea.dev/"}, "_site", "https://tea.dev/", "_quarto.yml:4: website.site-url"),
    "pkgdown": ({"_pkgdown.yml": "url: https://tea.dev/"}, "docs", "https://tea.dev/", "_pkgdown.yml:1: url"),
    "docfx": ({"docfx.json": '{"build": {"dest": "out", "sitemap": {"baseUrl": "https://tea.dev/"}}}'}, "out", "https://tea.dev/", "docfx.json:1: build.sitemap.baseUrl"),
    "mdBook, with a CNAME and a path": ({"book.toml": "[output.html]\nsite-url = '/tea/'", "book/CNAME": "tea.dev\n"}, "book", "https://tea.dev/tea/", "book/CNAME"),
    "Middleman, with a CNAME": ({"Gemfile": 'gem "middleman"', "build/CNAME": "tea.dev"}, "build", "https://tea.dev/", "build/CNAME"),
    "Create React App": ({"package.json": '{\n"homepage": "https://tea.dev/tea",\n"dependencies": {"react-scripts": "5"}}'}, "build", "https://tea.dev/tea/", "package.json:2: homepage"),
    "Angular": ({"package.json": PACKAGE.format("@angular/cli"), "CNAME": "tea.dev"}, "dist/tea/browser", "https://tea.dev/", "CNAME"),
    "Vite": ({"package.json": PACKAGE.format("vite"), "index.html": "", "CNAME": "tea.dev"}, "dist", "https://tea.dev/", "CNAME"),
    "no generator": ({"docs/CNAME": "tea.dev"}, "docs", "https://tea.dev/", "docs/CNAME"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "site", "url", "origin"), BASE_URLS.values(), ids=BASE_URLS)
def test_the_site_and_the_base_url(
    tmp_path: Path, files: dict[str, str], site: str, url: str, origin: str
) -> None:
    write_site(tmp_path, {f"{site}/index.html": "<p>", **files})
    by_itself, by_name = told(tmp_path), told(tmp_path, site)
    assert by_itself["base_url"] == by_name["base_url"] == (url, origin)
    if "Vite" not in str(detect(FirstLook(str(tmp_path)), site).generator):
        assert by_itself["site"][0] == site


@pytest.mark.parametrize(("name", "path"), [("www", ""), ("www/a", "a/"), ("public/a", "a/")])
def test_a_link_to_the_built_site_has_its_base_url(tmp_path: Path, name: str, path: str) -> None:
    files = {"hugo.toml": "baseURL = 'https://tea.dev/blog/'"}
    write_site(tmp_path, files | dict.fromkeys(["public/index.html", "public/a/index.html"], "<p>"))
    (tmp_path / "www").symlink_to("public")
    assert told(tmp_path, name)["base_url"] == (
        f"https://tea.dev/blog/{path}",
        "hugo.toml:1: baseURL",
    )


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"hugo.toml": "baseURL = 'https://example.org/'"}, "hugo.toml:1: baseURL: https://example.org/ is an example"),
        ({"hugo.toml": "baseURL = '/tea/'"}, "hugo.toml:1: baseURL: '/tea/' is not an absolute URL"),
        ({"astro.config.mjs": "export default {\n  site: here(), social: { site: 'https://x.dev' } }"}, "site is set more than once in astro.config.mjs"),
        ({"docusaurus.config.js": "module.exports = load()"}, "docusaurus.config.js does not set url"),
        ({"docusaurus.config.js": "module.exports = { url: 'https://' + host }"}, "url is not a literal at docusaurus.config.js:1"),
        ({"mkdocs.yml": "site_url: !ENV [SITE_URL]"}, "site_url is not a literal at mkdocs.yml:1"),
        ({"pelicanconf.py": "SITEURL = ''"}, "pelicanconf.py does not set SITEURL"),
        ({"config.toml": "[params]\nbaseURL = 'https://cdn.dev/'"}, "config.toml does not set baseURL"),
        ({"package.json": '{"homepage": "https://github.com/ann/tea#readme", "dependencies": {"react-scripts": "1"}}'}, "Create React App has no setting for the address of a site"),
    ],
)  # fmt: skip
def test_what_only_code_tells_and_what_is_no_address_is_not_taken(
    tmp_path: Path, run: Run, files: dict[str, str], why: str
) -> None:
    sites = ("public", "dist", "build", "site", "output")
    write_site(tmp_path, {**files, **{f"{site}/index.html": "<p>" for site in sites}})
    assert run("build") == 2
    assert run.err.startswith(f"error: no base URL: {why}; ")


CLEAN: dict[str, tuple[dict[str, str], str | None]] = {
    "Hexo": ({"_config.yml": "# Hexo\npretty_urls:\n  trailing_html: false\n"}, "_config.yml:3: pretty_urls.trailing_html"),
    "Antora": ({"antora-playbook.yml": "urls:\n  html_extension_style: drop"}, "antora-playbook.yml:2: urls.html_extension_style"),
    "Jekyll": ({"_config.yml": "permalink: /:title"}, "_config.yml:1: permalink"),
    "Jekyll, pretty": ({"_config.yml": "permalink: pretty"}, None),
    "Jekyll, with a slash": ({"_config.yml": "permalink: /:title/"}, None),
    "Jekyll, with an ending": ({"_config.yml": "permalink: /:title:output_ext"}, None),
    "Next": ({"next.config.js": ""}, "next.config.js"),
    "Hugo": ({"hugo.toml": "uglyURLs = true"}, None),
    "MkDocs": ({"mkdocs.yml": "use_directory_urls: false"}, None),
}  # fmt: skip


@pytest.mark.parametrize(("files", "origin"), CLEAN.values(), ids=CLEAN)
def test_clean_urls_where_the_generators_settings_decide(
    tmp_path: Path, files: dict[str, str], origin: str | None
) -> None:
    sites = (".vitepress/dist", "build", "public", "build/site", "_site", "out", "site")
    write_site(tmp_path, files)
    outputs = detect(FirstLook(str(tmp_path)), None).mistake[0]
    site = next(site for site in sites if f"no index.html in {site}," in outputs)
    write_site(tmp_path, {f"{site}/index.html": "<p>"})
    assert told(tmp_path).get("url_style") == (("clean", origin) if origin else None)


HUGO = {"hugo.toml": "baseURL = 'https://tea.dev/'", "content/a.md": "", "public/index.html": "<p>"}
MKDOCS = {"mkdocs.yml": "site_url: https://tea.dev/docs/", "site/index.html": "<p>"}


def test_the_project_is_found_from_the_folders_below_it(tmp_path: Path) -> None:
    write_site(tmp_path, {**HUGO, ".git/HEAD": ""})
    for cwd in (".", "content", "public"):
        assert told(tmp_path, cwd=cwd)["site"][0] == "public"
        assert told(tmp_path, cwd=cwd)["base_url"][0] == "https://tea.dev/"


def test_the_nearest_project_wins(tmp_path: Path) -> None:
    docs = {f"docs/{name}": text for name, text in MKDOCS.items()}
    write_site(tmp_path, {**HUGO, **docs})
    assert told(tmp_path)["base_url"][0] == "https://tea.dev/"
    assert told(tmp_path, "docs/site")["base_url"][0] == "https://tea.dev/docs/"


@pytest.mark.parametrize("page", ["", SIGNED.format("Jekyll v4")])
def test_a_folder_that_the_generator_does_not_write_takes_its_own_cname_only(
    tmp_path: Path, page: str
) -> None:
    write_site(tmp_path, {**HUGO, "other/index.html": page})
    assert told(tmp_path, "other") == {}
    write_site(tmp_path, {"other/CNAME": "pot.dev"})
    assert told(tmp_path, "other") == {"base_url": ("https://pot.dev/", "other/CNAME")}


def test_a_folder_that_the_generator_has_signed_is_its_output(tmp_path: Path) -> None:
    write_site(tmp_path, {**HUGO, "other/index.html": SIGNED.format("Hugo 0.111")})
    assert told(tmp_path, "other")["base_url"] == ("https://tea.dev/", "hugo.toml:1: baseURL")
    write_site(
        tmp_path,
        {
            "conf.py": "html_baseurl = 'https://pot.dev/'",
            "out/index.html": "",
            "out/.buildinfo": "",
        },
    )
    assert told(tmp_path, "out")["base_url"] == ("https://pot.dev/", "conf.py:1: html_baseurl")


def test_two_generators_of_one_folder_are_named_and_none_is_chosen(tmp_path: Path) -> None:
    gatsby = "module.exports = { siteMetadata: { siteUrl: 'https://pot.dev' } }"
    write_site(tmp_path, {**HUGO, "gatsby-config.js": gatsby, "public/CNAME": "cup.dev"})
    project = detect(FirstLook(str(tmp_path)), "public")
    assert (
        project.no_setting_reason
        == "both hugo.toml (Hugo) and gatsby-config.js (Gatsby) may have written this site"
    )
    assert list(told(tmp_path)) == ["site"]


MISTAKES: dict[str, tuple[dict[str, str], str | None, tuple[str, str]]] = {
    "not built": ({"hugo.toml": ""}, None, ("no built site was found: there is no index.html in public, which Hugo (hugo.toml) writes", "run hugo first, or pass the folder of the built site")),
    "not built, with a computed folder": ({"mkdocs.yml": "site_name: x\nsite_dir: !ENV DIR"}, None, ("no built site was found: there is no index.html in site, which MkDocs (mkdocs.yml) writes; site_dir is not a literal at mkdocs.yml:2", "run mkdocs build first, and set site in sitemapper.toml")),
    "a project, built": (HUGO, ".", (".: is the project of Hugo (hugo.toml), not the built site", "pass the folder that Hugo writes: public")),
    "Eleventy": ({"package.json": PACKAGE.format("@11ty/eleventy"), "index.html": ""}, ".", (".: is the project of Eleventy (package.json), not the built site", "run npx eleventy, then pass the folder that Eleventy writes: _site")),
    "two built sites": ({**HUGO, **MKDOCS}, None, ("found several sites: MkDocs (mkdocs.yml) writes site and Hugo (hugo.toml) writes public", "pass the folder of the built site")),
}  # fmt: skip


@pytest.mark.parametrize(("files", "site", "error"), MISTAKES.values(), ids=MISTAKES)
def test_a_project_in_place_of_a_site(
    tmp_path: Path, run: Run, files: dict[str, str], site: str | None, error: tuple[str, str]
) -> None:
    write_site(tmp_path, files)
    assert run("build", *([site] if site else []), "--base-url", "https://tea.dev/") == 2
    assert run.err == f"error: {error[0]}\n  help: {error[1]}\n"


ASTRO = "export default { site: 'https://tea.dev' }"
WORKSPACE: dict[str, str] = {
    "package.json": '{"workspaces": ["packages/*"]}',
    "packages/docs/astro.config.mjs": ASTRO,
    "packages/docs/dist/index.html": "<p>",
    "packages/tea/src/index.js": "",
    "packages/examples/astro.config.mjs": ASTRO,
    "packages/examples/dist/index.html": "<p>",
    "packages/node_modules/astro.config.mjs": ASTRO,
    "packages/node_modules/dist/index.html": "<p>",
}


def test_the_built_site_of_a_monorepo_is_found(tmp_path: Path, run: Run) -> None:
    write_site(tmp_path, WORKSPACE)
    assert run("build") == 0, run.err
    assert locs(tmp_path / "packages/docs/dist") == ["https://tea.dev/"]


@pytest.mark.parametrize("arguments", [[], ["docs/build/html"]])
def test_a_manual_in_a_folder_of_the_documentation_is_found(
    tmp_path: Path, run: Run, arguments: list[str]
) -> None:
    """As pip has it: docs/html/conf.py beside docs/man/, and the site in docs/build/html/."""
    files = {
        "docs/html/conf.py": 'project = "Tea"\nhtml_baseurl = "https://tea.dev/"\n',
        "docs/html/index.rst": "Tea\n===\n",
        "docs/man/tea.rst": "Tea\n===\n",
        "docs/build/html/index.html": "<p>",
        "docs/build/html/.buildinfo": "",
    }
    write_site(tmp_path, files)
    assert run("build", *arguments) == 0, run.err
    assert "  base_url https://tea.dev/ (docs/html/conf.py:2)\n" in run.out
    assert locs(tmp_path / "docs/build/html") == ["https://tea.dev/"]


@pytest.mark.parametrize(
    "folder", ["packages/docs", "apps/docs", "docs/site", "websites/a", "website", "documentation"]
)
@pytest.mark.parametrize("shared", ["vite", "next", "gatsby-cli"])
def test_a_site_of_a_monorepo_is_found_in_its_usual_folders(
    tmp_path: Path, run: Run, folder: str, shared: str
) -> None:
    """A tool that all packages share is among the dependencies of the root."""
    package = f'{{"private": true, "devDependencies": {{"{shared}": "1"}}}}'
    files = {"astro.config.mjs": ASTRO, "dist/index.html": "<p>"}
    site = {f"{folder}/{name}": text for name, text in files.items()}
    write_site(tmp_path, {"package.json": package, "packages/core/index.js": "", **site})
    assert run("build") == 0, run.err
    assert locs(tmp_path / folder / "dist") == ["https://tea.dev/"]


@pytest.mark.parametrize("output", ["out/index.html", "other/a.txt"])
def test_a_damaged_package_file_is_named_where_it_decides(
    tmp_path: Path, run: Run, output: str
) -> None:
    write_site(tmp_path, {"package.json": '{"dependencies": {"next": "14",}}}\n', output: ""})
    assert run("build") == 2
    assert "package.json:1: is not valid JSON" in run.err


def test_two_built_sites_of_a_monorepo_are_named(tmp_path: Path, run: Run) -> None:
    more = {"apps/web/hugo.toml": "", "apps/web/public/index.html": "<p>"}
    write_site(tmp_path, WORKSPACE | more)
    assert run("build") == 2
    assert run.err.startswith(
        "error: found several sites: Astro (packages/docs/astro.config.mjs) writes "
        "packages/docs/dist and Hugo (apps/web/hugo.toml) writes apps/web/public\n"
    )


def test_the_unbuilt_site_of_a_monorepo_is_named(tmp_path: Path, run: Run) -> None:
    write_site(tmp_path, {"packages/docs/astro.config.mjs": ASTRO, "packages/tea/a.js": ""})
    assert run("build") == 2
    assert run.err.startswith(
        "error: no built site was found: there is no index.html in packages/docs/dist, which Astro "
        "(packages/docs/astro.config.mjs) writes\n"
    )


@pytest.mark.parametrize(
    "folder",
    ["example", "examples/a", "fixtures/x", "test", "tests/a", "demo", "templates/a", "playground", "e2e/a"],
)  # fmt: skip
def test_examples_are_not_offered_as_sites(tmp_path: Path, run: Run, folder: str) -> None:
    write_site(tmp_path, {f"{folder}/index.html": "<p>", "a.js": ""})
    assert run("build") == 2
    assert "the site may be" not in run.err


PELICAN = {
    "pelicanconf.py": "SITEURL = 'https://tea.dev'\n",
    "content/a.md": "Title: A\n",
    "index.html": '<!doctype html><html><p><a href="https://tea.dev/doc/">Tea',
    "doc/index.html": "<!doctype html><html><p>Doc",
}


@pytest.mark.parametrize("arguments", [[], ["."], ["../here"]])
def test_a_site_among_the_files_of_its_project_has_the_settings(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    """As `pelican -o .` writes it. Three attempts were needed."""
    write_site(tmp_path / "here", PELICAN)
    monkeypatch.chdir(tmp_path / "here")
    assert run("build", *arguments) == 0, run.err
    assert locs(tmp_path / "here") == ["https://tea.dev/", "https://tea.dev/doc/"]
    assert "looks like a project" not in run.err


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"index.html": "<!doctype html><html><p>an example of a theme"}, "Pelican"),
        ({"index.html": '<p><a href="https://tea.dev/doc/">a part of a page'}, "Pelican"),
        (
            {"_config.yml": "url: https://tea.dev\n", "_posts/2026-01-01-a.md": "", "pelicanconf.py": "x = 1"},
            "Jekyll",
        ),
    ],
)  # fmt: skip
def test_a_page_beside_the_sources_does_not_make_the_project_a_site(
    tmp_path: Path, run: Run, files: dict[str, str], name: str
) -> None:
    write_site(tmp_path, PELICAN | files)
    assert run("build") == 2
    assert "no built site was found" in run.err and name in run.err


@pytest.mark.parametrize(
    "files",
    [
        {"index.html": "", "docs/mkdocs.yml": "", "docs/site/index.html": ""},
        {"index.html": "", "package.json": PACKAGE.format("gulp")},
    ],
)
def test_a_plain_folder_is_its_own_site(tmp_path: Path, files: dict[str, str]) -> None:
    write_site(tmp_path, files)
    assert detect(FirstLook(str(tmp_path)), None).site == str(tmp_path)


@pytest.mark.parametrize(
    ("files", "why", "help"),
    [
        ({"notes/a.html": "<p>"}, "nor in dist, build, out", "build the site first, then pass its folder"),
        ({"a.html": "<p>", "web/index.html": "<p>"}, "here; the site may be web", "pass the folder of the built site"),
        ({"a/index.html": "<p>", "b/index.html": "<p>"}, "here; the site may be a or b", "pass the folder"),
        ({"apps/a/web/x.html": "", "apps/a/index.html": "<p>"}, "here; the site may be apps/a", "pass the folder"),
    ],
)  # fmt: skip
def test_a_folder_without_an_index_page_is_no_site(
    tmp_path: Path, run: Run, files: dict[str, str], why: str, help: str
) -> None:
    """A home folder or the root of a monorepo was published, with exit code 0."""
    write_site(tmp_path, files)
    assert run("build", "--base-url", "https://tea.dev/") == 2
    assert run.err.startswith("error: no built site was found: there is no index.html here")
    assert why in run.err and f"\n  help: {help}" in run.err
    assert not (tmp_path / "sitemap.xml").exists()
    assert run("build", ".", "--base-url", "https://tea.dev/") == 0, run.err


def test_the_folder_that_a_host_publishes_is_named_until_it_is_built(
    tmp_path: Path, run: Run
) -> None:
    """In a monorepo, nothing else names it. Settings of two hosts that disagree are an error."""
    write_site(
        tmp_path,
        {"stray.html": "<p>", "netlify.toml": '[build]\nbase = "apps/site"\npublish = "dist"\n'},
    )
    assert run("build", "--base-url", "https://tea.dev/") == 2
    assert run.err == (
        f"error: no built site was found: there is no index.html in {Path('apps/site/dist')}, which netlify.toml names\n"
        "  help: build the site first, then pass its folder: sitemapper build FOLDER\n"
    )
    write_site(tmp_path / "apps/site/dist", {"index.html": "<p>"})
    assert run("build", "-v", "--base-url", "https://tea.dev/") == 0
    assert "  site apps/site/dist (netlify.toml)\n" in run.out
    write_site(tmp_path, {"vercel.json": '{"outputDirectory": "out"}', "out/index.html": "<p>"})
    assert run("build", "--base-url", "https://tea.dev/") == 2
    assert "found several sites" in run.err


@pytest.mark.parametrize("name", ["index.html", "index.htm", "index.xhtml"])
def test_the_only_folder_with_an_index_page_is_the_site(tmp_path: Path, name: str) -> None:
    write_site(tmp_path, {"notes.txt": "", f"dist/{name}": ""})
    project = detect(FirstLook(str(tmp_path)), None)
    assert project.site == str(tmp_path / "dist")


def test_sources_with_metadata_are_no_site(tmp_path: Path, run: Run) -> None:
    """Jekyll needs no settings."""
    source = "---\nlayout: default\n---\n<p>Tea.</p>"
    write_site(tmp_path, {".git/HEAD": "", "index.html": source, "about/index.html": source})
    assert run("build") == 2
    assert "no built site was found" in run.err
    write_site(tmp_path, {"_site/CNAME": "tea.dev", "_site/index.html": "<p>Tea."})
    assert run("build") == 0
    assert locs(tmp_path / "_site") == ["https://tea.dev/"]


def test_a_site_with_copied_project_files_is_no_project(tmp_path: Path) -> None:
    write_site(tmp_path, {"_config.yml": "url: https://tea.dev", "_site/index.html": "", "_site/package.json": PACKAGE.format("next")})  # fmt: skip
    assert detect(FirstLook(str(tmp_path)), "_site").mistake is None


# project files, pages with a source of their own, and lists of other pages
LISTS: dict[str, tuple[dict[str, str], list[str], list[str]]] = {
    "Hugo": (
        {
            **HUGO,
            "content/posts/a.md": "# Tea",
            "content/posts/_index.md": "# Tea",
            "content/_index.md": "",
        },
        ["posts/a/"],
        ["", "posts/"],
    ),
    "MkDocs": (
        {**MKDOCS, "docs/index.md": "# Tea", "docs/guide/index.md": "# Tea"},
        ["docs/guide/"],
        ["docs/", "docs/blog/"],
    ),
    "Jekyll": (
        {
            "_config.yml": "url: https://tea.dev",
            "index.md": "# Tea",
            "blog.md": "# Tea\n{% for post in site.posts %}",
            "a.md": "# Tea",
            "_posts/2026-01-02-b.md": "# Tea",
        },
        ["2026/01/02/b.html", "a.html"],
        ["", "blog.html"],
    ),
}


@pytest.mark.parametrize(("files", "dated", "undated"), LISTS.values(), ids=LISTS)
def test_pages_are_dated_by_their_sources_and_list_pages_are_not(
    tmp_path: Path, run: Run, files: dict[str, str], dated: list[str], undated: list[str]
) -> None:
    site = {"hugo.toml": "public", "mkdocs.yml": "site", "_config.yml": "_site"}[next(iter(files))]
    Repo(tmp_path).commit(
        1, {name: text for name, text in files.items() if not name.startswith(f"{site}/")}
    )
    pages = [path.removeprefix("docs/") for path in (*dated, *undated)]
    names = [f"{path}index.html" if path[-1:] in ("", "/") else path for path in pages]
    write_site(tmp_path / site, dict.fromkeys(names, "<h1>Tea</h1>"))
    assert run("build", "--lastmod", "git") == 0
    rows = re.findall(
        r"<loc>https://tea.dev/(.*?)</loc>(<lastmod>)?",
        (tmp_path / site / "sitemap.xml").read_text(),
    )
    assert sorted(path for path, date in rows if date) == dated
    assert sorted(path for path, date in rows if not date) == undated


def test_a_build_needs_no_file_and_no_flag_and_says_what_it_took(tmp_path: Path, run: Run) -> None:
    write_site(tmp_path, HUGO)
    assert run("build") == 0
    assert run.out.startswith(
        "https://tea.dev/sitemap.xml\n  base_url https://tea.dev/ (hugo.toml:1)\n  1 page listed\n"
    )
    assert run("build", "-v") == 0
    assert "  site public (hugo.toml)\n" in run.out
    assert run("check") == 0
    assert run("explain", "index.html") == 0
    assert "  base_url    https://tea.dev/  (hugo.toml:1: baseURL)\n" in run.out
    assert run("build", "--format", "json") == 0
    detected = json.loads(run.out)["detected"]
    assert detected["base_url"] == {"value": "https://tea.dev/", "origin": "hugo.toml:1: baseURL"}


def test_keys_of_the_configuration_win_and_others_come_from_the_project(
    tmp_path: Path, run: Run
) -> None:
    write_site(tmp_path, {**HUGO, "sitemapper.toml": "base_url = 'https://pot.dev/'\n"})
    assert run("build", "-v") == 0
    assert run.out.startswith("https://pot.dev/sitemap.xml\n  site public (hugo.toml)\n")
    assert "base_url" not in run.out
    assert run("build", "--base-url", "https://cup.dev/", "--dry-run", "--previous", "none") == 0
    assert run.out.startswith("https://cup.dev/sitemap.xml\n")


def test_a_configuration_in_another_folder_takes_nothing_of_this_project(
    tmp_path: Path, run: Run
) -> None:
    write_site(
        tmp_path, {**HUGO, "pot/sitemapper.toml": "site = 'web'", "pot/web/index.html": "<p>"}
    )
    assert run("build", "--config", "pot/sitemapper.toml") == 2
    assert "error: no base URL" in run.err


def test_the_configuration_beside_the_project_is_found_from_above(tmp_path: Path, run: Run) -> None:
    docs = {f"docs/{name}": text for name, text in MKDOCS.items()}
    write_site(tmp_path, {**docs, "docs/sitemapper.toml": "[sitemap]\ntext = true\n"})
    assert run("build") == 0
    assert (tmp_path / "docs/site/sitemap.txt").read_text() == "https://tea.dev/docs/\n"


def test_patterns_of_the_generator_are_no_idle_settings(tmp_path: Path, run: Run) -> None:
    write_site(
        tmp_path,
        {
            "pelicanconf.py": "SITEURL = 'https://tea.dev'",
            "output/index.html": "",
            "output/drafts/a.html": "",
        },
    )
    assert run("build", "--strict", "--no-lastmod", "--excluded", "-", "--quiet") == 0
    assert run.out == "drafts/\tignored\tbuilt-in default for Pelican: drafts/\n"


@pytest.mark.parametrize("file", ["book.json", "package.json", "_config.yml"])
def test_a_built_site_may_hold_project_files(tmp_path: Path, run: Run, file: str) -> None:
    """Branches for GitHub Pages do, and a page may show the code of templates."""
    home = "<!doctype html><html><head><title>x</title></head><body><code>{{ page.title }}</code>"
    write_site(
        tmp_path,
        {file: PACKAGE.format("honkit") if file == "package.json" else "", "index.html": home},
    )
    assert run("build", ".", "--base-url", "https://tea.dev/") == 0


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("pipe", "not a regular file"),
        ("link", "a link leads out of "),
        ("large text", "has more than 1 MiB"),
    ],
)
def test_settings_that_are_not_read_are_said_to_be(
    tmp_path: Path, run: Run, kind: str, why: str
) -> None:
    """They are not read for a cause of their own, and that of no literal would be wrong."""
    config = tmp_path / "mkdocs.yml"
    text = "site_url: https://tea.dev"
    write_site(tmp_path, {".git/HEAD": "", "site/index.html": "<p>"})
    if kind == "pipe":
        os.mkfifo(config)
    elif kind == "link":
        other = tmp_path.parent / f"{tmp_path.name}.yml"
        other.write_text(text)
        config.symlink_to(other)
    else:
        config.write_text(f"{text} # {'x' * (1 << 20)}")
    assert run("build") == 2
    assert run.err.startswith(f"error: no base URL: mkdocs.yml: {why}")
    (tmp_path / "site/index.html").unlink()
    assert run("build") == 2
    assert f"which MkDocs (mkdocs.yml) writes; mkdocs.yml: {why}" in run.err
