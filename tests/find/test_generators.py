"""Each generator is known by its files and its pages, and only by what is its own."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest
from support import BASE, Run, paths, write_site
from support.git import Repo

from sitemapper.find.generator import Generator
from sitemapper.find.generators import ALL

PAGE = (
    '<html><head><meta name="generator" content="{}"><link rel="canonical" href="{}"></head><body>'
)


SCRIPT = '<html><head><script src="{}"></script></head><body>'


PLUGINS = {
    "MkDocs": "MkDocs can run sitemapper itself: plugins: [search, sitemapper] in mkdocs.yml",
    "Sphinx": 'Sphinx can run sitemapper itself: extensions = ["sitemapper.integrations.sphinx"] in conf.py',
}
HOME = {"VuePress": "docs"}  # where the file is written: beside the generator's configuration


@pytest.mark.parametrize(
    ("name", "files", "base_url", "source"),
    [
        ("MkDocs", {"mkdocs.yml": "site_name: x\nsite_url: https://a.example/docs\n", "site/index.html": PAGE.format("mkdocs-1.6.1", "")}, "https://a.example/docs/", "mkdocs.yml:2: site_url"),
        ("Hugo", {"hugo.toml": "title = 'x'\nbaseURL = 'https://a.example/'\n", "public/index.html": PAGE.format("Hugo 0.111.3", "")}, "https://a.example/", "hugo.toml:2: baseURL"),
        ("Jekyll", {"_config.yml": 'url: "https://a.example"\nbaseurl: "/blog" # sub\n', "_site/index.html": PAGE.format("Jekyll v4.3", "")}, "https://a.example/blog/", "_config.yml:1: url"),
        ("Sphinx", {"conf.py": "extensions = ['sphinx.ext.autodoc']\nimport os; os.abort()\nhtml_baseurl = 'https://a.example/en/'\n", "_build/html/index.html": PAGE.format("Docutils 0.21: https://docutils.sourceforge.io/", "")}, "https://a.example/en/", "conf.py:3: html_baseurl"),
        ("Eleventy", {"eleventy.config.js": "export default {}", "CNAME": "a.example\n", "_site/index.html": PAGE.format("Eleventy v2.0.1", "")}, "https://a.example/", "CNAME"),
        ("Astro", {"astro.config.mjs": "export default defineConfig({\n  site: 'https://a.example',\n})", "dist/index.html": PAGE.format("Astro v5.1", "")}, "https://a.example/", "astro.config.mjs:2: site"),
        ("Docusaurus", {"docusaurus.config.js": "module.exports = {\n  url: 'https://a.example',\n  baseUrl: '/d/',\n}", "build/index.html": PAGE.format("Docusaurus v3.6.3", "")}, "https://a.example/d/", "docusaurus.config.js:2: url"),
        ("Zensical", {"zensical.toml": "[project]\nsite_url = 'https://a.example/'", "site/index.html": PAGE.format("zensical-0.0.73", "")}, "https://a.example/", "zensical.toml:2: project.site_url"),
        ("Zensical", {"mkdocs.yml": "site_url: https://a.example/", "site/index.html": PAGE.format("zensical-0.0.73", "")}, "https://a.example/", "mkdocs.yml:1: site_url"),
        ("Next", {"next.config.mjs": "export default { output: 'export' }", "CNAME": "a.example", "out/index.html": SCRIPT.format("/_next/static/chunks/1pcw6gskne7pf.js")}, "https://a.example/", "CNAME"),
        ("SvelteKit", {"svelte.config.js": "export default { kit: { prerender: { origin: 'https://a.example' } } }", "build/index.html": "<title>x</title><script>__sveltekit_qpvi7l = {}</script>"}, "https://a.example/", "svelte.config.js:1: origin"),
        ("React Router", {"react-router.config.ts": "export default { ssr: false }", "CNAME": "a.example", "build/client/index.html": "<title>x</title><script>window.__reactRouterContext = {}</script>"}, "https://a.example/", "CNAME"),
        ("Gatsby", {"gatsby-config.js": "module.exports = { pathPrefix: '/g', siteMetadata: { siteUrl: 'https://a.example' } }", "public/index.html": PAGE.format("Gatsby 5.16.1", "")}, "https://a.example/g/", "gatsby-config.js:1: siteUrl"),
        ("Hexo", {"_config.yml": "# Hexo Configuration\nurl: https://a.example/h\nroot: /h/\n", "public/index.html": PAGE.format("Hexo 7.3.0", "")}, "https://a.example/h/", "_config.yml:2: url"),
        ("VuePress", {"docs/.vuepress/config.js": "export default { base: '/v/', plugins: [['sitemap', { hostname: 'https://a.example/v/' }]] }", "docs/.vuepress/dist/index.html": PAGE.format("VuePress 2.0.0", "")}, "https://a.example/v/", "docs/.vuepress/config.js:1: hostname"),
        ("Nikola", {"conf.py": "# Nikola\nSITE_URL = 'https://a.example/'", "output/index.html": PAGE.format("Nikola (getnikola.com)", "")}, "https://a.example/", "conf.py:2: SITE_URL"),
        ("Jupyter Book", {"_toc.yml": "root: intro", "_config.yml": "html:\n  extra: x\n  baseurl: https://a.example/", "_build/html/index.html": PAGE.format("Docutils 0.21", "")}, "https://a.example/", "_config.yml:3: html.baseurl"),
        ("Antora", {"antora-playbook.yml": "site:\n  title: x\n  url: https://a.example\n  keys:\n    url: x", "build/site/index.html": PAGE.format("Antora 3.1.10", "")}, "https://a.example/", "antora-playbook.yml:3: site.url"),
        ("Doxygen", {"Doxyfile": "PROJECT_NAME = x\nSITEMAP_URL            = https://a.example/\n", "html/index.html": PAGE.format("Doxygen 1.9.4", "")}, "https://a.example/", "Doxyfile:2: SITEMAP_URL"),
    ],
)  # fmt: skip
def test_generators(
    tmp_path: Path, run: Run, name: str, files: dict[str, str], base_url: str, source: str
) -> None:
    write_site(tmp_path, files)
    folder = next(path for path in files if path.endswith("index.html")).removesuffix("/index.html")
    assert run("init") == 0
    plugin, *lines = run.out.splitlines() if name in PLUGINS else ["", *run.out.splitlines()]
    assert plugin == PLUGINS.get(name, "")
    assert lines[0].startswith(f"generator: {name}, certain (")
    assert lines[1:3] == [f"site: {folder}", f"base_url: {base_url}, from {source}"]
    place = tmp_path / HOME.get(name, "")
    written = tomllib.loads((place / "sitemapper.toml").read_text())
    assert (written["base_url"], place / written["site"]) == (base_url, tmp_path / folder)
    assert run("build", "--dry-run") == 0


@pytest.mark.parametrize("generator", ALL, ids=lambda generator: generator.name)
def test_a_build_after_init_is_the_one_before_it(
    tmp_path: Path, run: Run, generator: Generator
) -> None:
    """All that init writes is what a build finds by itself, for each row of the table."""
    files = {"package.json": json.dumps({"dependencies": dict.fromkeys(generator.package, "1")})}
    for file in generator.files[:1]:
        name, _, word = file.partition(": ")
        files[name.replace("*", "x")] = (
            f"# {word}\n" if not name.endswith("json") else f'{{"{word}": 1}}'
        )
    site = generator.output[0].replace("*", "x")
    for page in ("index.html", "a.html", "b/index.html", "search.html", "200.html"):
        files[f"{site}/{page}"] = PAGE.format(generator.name, f"https://a.example/{page}")
    root = write_site(tmp_path / "project", files)
    if generator.content:  # so that its sources may date the pages
        Repo(root).commit(3, {"content/a.md": "# A"})
    os.chdir(root)
    sitemap = root / site / "sitemap.xml"
    before = run("build")
    text = sitemap.read_bytes() if sitemap.exists() else b""
    sitemap.unlink(missing_ok=True)
    assert run("init") == 0
    assert run("build") == before == 0
    assert sitemap.read_bytes() == text


def test_a_sitemap_of_another_tool_is_noticed(tmp_path: Path, run: Run) -> None:
    write_site(
        tmp_path, {"_config.yml": "", "_site/index.html": "", "_site/sitemap.xml": "<urlset/>"}
    )
    assert run("init") == 0
    assert (
        "note: another tool wrote _site/sitemap.xml, so the new one is named sitemap-pages.xml\n"
        "help: to replace it, remove this name, then pass --replace to build and remove jekyll-sitemap from the plugins\n"
    ) in run.out


HEXO = {
    "package.json": '{"dependencies": {"hexo": "^7.3.0"}}',
    "_config.yml": "url: https://a.example",
}


BOOK = {"_toc.yml": "root: intro", "_config.yml": "title: x\nlogo: logo.png"}


OTHERS = {
    "Hexo by its package": ({**HEXO, "public/index.html": "<p>"}, "Hexo, likely (package.json)"),
    "Hexo by its mark": ({"_config.yml": "x: y", "public/index.html": PAGE.format("Hexo 7.3.0", "")}, "Hexo, likely (its mark in index.html)"),
    "Jupyter Book without a mark": ({**BOOK, "_build/html/index.html": "<p>"}, "Jupyter Book, likely (_toc.yml)"),
    "another one in Jekyll's folder": ({"_config.yml": "x: y", "_site/index.html": PAGE.format("Cecil", "")}, "Cecil, likely (its mark in index.html)"),
    "Next beside a Jekyll file": ({"_config.yml": "x: y", "_site/index.html": SCRIPT.format("/_next/static/a.js")}, "Next, likely (its mark in index.html)"),
    "Zola, whose file has Hugo's name": ({"config.toml": "base_url = 'https://a.example'", "public/index.html": "<p>"}, "Zola, likely (config.toml)"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "said"), OTHERS.values(), ids=OTHERS)
def test_no_generator_is_chosen_that_the_pages_or_files_contradict(
    tmp_path: Path, run: Run, files: dict[str, str], said: str
) -> None:
    write_site(tmp_path, files)
    folder = next(path for path in files if path.endswith("index.html")).removesuffix("/index.html")
    assert run("init", folder) == 0
    assert run.out.splitlines()[0] == f"generator: {said}"


SOURCES = {
    "Next": {"next.config.js": "", "public/logo.svg": "", "app/page.js": ""},
    "Astro": {
        "astro.config.mjs": "",
        "public/favicon.ico": "",
        "public/index.html": "<p>not built</p>",
    },
    "Hexo": {**HEXO, "source/index.html": "<p>"},
    "of a generator nobody knows": {"package.json": "{}", "public/robots.txt": "", "dist/a.js": ""},
}


@pytest.mark.parametrize("files", SOURCES.values(), ids=SOURCES)
def test_a_source_folder_is_never_proposed(tmp_path: Path, run: Run, files: dict[str, str]) -> None:
    write_site(tmp_path, files)
    assert run("init") == 2
    assert run.err.startswith("error: no built site was found: there is no index.html ")
    assert not (tmp_path / "sitemapper.toml").exists()


def test_the_output_folder_that_a_project_file_names(tmp_path: Path, run: Run) -> None:
    write_site(
        tmp_path,
        {"mkdocs.yml": "site_dir: out/web", "public/index.html": "<p>", "docs/index.md": ""},
    )
    assert run("init") == 2
    write_site(tmp_path, {"out/web/index.html": "<p>"})
    assert run("init") == 0
    assert "site: out/web\n" in run.out


@pytest.mark.parametrize("is_link", [False, True])
def test_an_output_folder_outside_the_project_counts_only_if_the_command_line_names_it(
    tmp_path: Path, run: Run, is_link: bool
) -> None:
    """A clone could else name any folder of the machine, whose sitemap and robots.txt a build would replace."""
    www, clone = tmp_path.parent / f"www-{tmp_path.name}", "site_url: https://evil.example/\n"
    write_site(www, {"index.html": "<p>"})
    if is_link:
        (tmp_path / "site").symlink_to(www)
    else:
        clone += f"site_dir: {www}\n"
    write_site(tmp_path, {"mkdocs.yml": clone, "docs/index.md": ""})
    assert run("build") == 2
    where = tmp_path / "site" if is_link else www
    assert run.err == (
        f"error: mkdocs.yml (MkDocs) writes to {where}, which is outside {tmp_path}\n"
        "  help: if that is the site, pass its folder\n"
    )
    assert os.listdir(www) == ["index.html"]
    assert run("build", where) == 0
    assert (www / "sitemap.xml").exists()


@pytest.mark.parametrize("escape", ["\\u0000", "\\ud800"])
def test_a_name_that_cannot_be_one_is_not_taken(tmp_path: Path, run: Run, escape: str) -> None:
    text = f'{{"baseURL": "https://tea.dev/", "publishDir": "a{escape}b", "title": "x{escape}"}}'
    write_site(tmp_path, {"hugo.json": text, "public/index.html": "<p>"})
    assert run("build") == 0
    assert (tmp_path / "public/sitemap.xml").exists()


@pytest.mark.parametrize(
    ("file", "text", "folder", "ignored"),
    [
        ("conf.py", "import sphinx", "_build/html", ["/search.html", "genindex.html", "_static/"]),
        ("pelicanconf.py", "", "output", ["drafts/"]),
        ("Doxyfile", "", "html", ["search/"]),
        ("gatsby-config.js", "", "public", ["_gatsby/"]),
        ("next.config.js", "", "out", ["_not-found.html", "_not-found/"]),
    ],
)
def test_what_is_no_page_of_a_generator_is_ignored(
    tmp_path: Path, run: Run, file: str, text: str, folder: str, ignored: list[str]
) -> None:
    made = [f"{name}index.html" if name.endswith("/") else name for name in ("/", *ignored)]
    write_site(tmp_path, {file: text, **{f"{folder}/{name}": "<p>" for name in made}})
    assert run("init") == 0
    assert tomllib.loads((tmp_path / "sitemapper.toml").read_text())["ignore"] == ignored


DOCUTILS = '<meta name="generator" content="Docutils 0.19: https://docutils.sourceforge.io/">'
OPTIONS = '<script id="documentation_options" src="_static/documentation_options.js"></script>'


@pytest.mark.parametrize(
    ("info", "home"), [(True, ""), (True, DOCUTILS), (False, DOCUTILS + OPTIONS), (False, OPTIONS)]
)
def test_a_site_of_sphinx_without_its_project(
    tmp_path: Path, run: Run, info: bool, home: str
) -> None:
    """Debian removes .buildinfo. A page that is only called like Sphinx's search is listed: Django has one."""
    files = dict.fromkeys(["search.html", "genindex.html", "topics/db/search.html"], "")
    more = {".buildinfo": "# Sphinx build info version 1\n"} if info else {}
    write_site(tmp_path, {"index.html": home + "<p>Welcome.", **more, **files})
    assert run("build", tmp_path, "--base-url", BASE) == 0
    assert paths(tmp_path) == ["", "topics/db/search.html"]


@pytest.mark.parametrize("home", [DOCUTILS, "<p>Sphinx loads documentation_options.js"])
def test_a_site_that_may_be_of_sphinx_or_not(tmp_path: Path, run: Run, home: str) -> None:
    write_site(tmp_path, {"index.html": f"{home}<p>Welcome.", "search.html": "<p>"})
    assert run("build", tmp_path, "--base-url", BASE) == 0
    assert paths(tmp_path) == ["", "search.html"]


def test_what_a_generator_has_not_written_yet_is_only_a_remark(tmp_path: Path, run: Run) -> None:
    write_site(tmp_path, {"pelicanconf.py": "", "CNAME": "a.example", "output/index.html": "<p>"})
    assert run("init") == 0
    text = (tmp_path / "sitemapper.toml").read_text()
    assert (
        "ignore = []  # gitignore syntax, relative to the site; if the site gets such pages, add drafts/"
        in text
    )
    assert run("build", "--strict") == 0
