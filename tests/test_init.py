"""`init` recognises a project by its files and its output, and writes a configuration that works."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
from conftest import POSIX, Run, write_site

from sitemapper.commands.generators import ALL, Generator
from sitemapper.lastmod.git import compile_map

PAGE = '<html><head><meta name="generator" content="{}"><link rel="canonical" href="{}"></head><body>'


def project(tmp_path: Path, files: dict[str, str]) -> Path:
    return write_site(tmp_path, files)


@pytest.mark.parametrize(
    ("name", "files", "base_url", "source"),
    [
        ("MkDocs", {"mkdocs.yml": "site_name: x\nsite_url: https://a.example/docs\n", "site/index.html": PAGE.format("mkdocs-1.6.1", "")}, "https://a.example/docs/", "mkdocs.yml"),
        ("Hugo", {"hugo.toml": "title = 'x'\nbaseURL = 'https://a.example/'\n", "public/index.html": PAGE.format("Hugo 0.111.3", "")}, "https://a.example/", "hugo.toml"),
        ("Jekyll", {"_config.yml": 'url: "https://a.example"\nbaseurl: "/blog" # sub\n', "_site/index.html": PAGE.format("Jekyll v4.3", "")}, "https://a.example/blog/", "_config.yml"),
        ("Sphinx", {"conf.py": "extensions = ['sphinx.ext.autodoc']\nimport os; os.abort()\nhtml_baseurl = 'https://a.example/en/'\n", "_build/html/index.html": PAGE.format("Docutils 0.21: https://docutils.sourceforge.io/", "")}, "https://a.example/en/", "conf.py"),
        ("Eleventy", {"eleventy.config.js": "export default {}", "CNAME": "a.example\n", "_site/index.html": PAGE.format("Eleventy v2.0.1", "")}, "https://a.example/", "CNAME"),
        ("Astro", {"astro.config.mjs": "export default defineConfig({\n  site: 'https://a.example',\n})", "dist/index.html": PAGE.format("Astro v5.1", "")}, "https://a.example/", "astro.config.mjs"),
        ("Docusaurus", {"docusaurus.config.js": "const config = {\n  url: 'https://a.example',\n  baseUrl: '/d/',\n}", "build/index.html": PAGE.format("Docusaurus v3.6.3", "")}, "https://a.example/d/", "docusaurus.config.js"),
    ],
)  # fmt: skip
def test_generators(
    tmp_path: Path, run: Run, name: str, files: dict[str, str], base_url: str, source: str
) -> None:
    project(tmp_path, files)
    folder = next(path for path in files if path.endswith("index.html")).removesuffix("/index.html")
    assert run("init", folder) == 0
    assert run.out.startswith(f"generator: {name}, certain (")
    assert f"base_url: {base_url}, from {source}\n" in run.out
    written = tomllib.loads((tmp_path / "sitemapper.toml").read_text())
    assert (written["base_url"], written["site"]) == (base_url, folder)
    assert run("build", "--dry-run") == 0


@pytest.mark.parametrize(
    ("files", "base_url"),
    [
        ({"_config.yml": "author:\n  url: https://twitter.com/me\nurl: https://real.com\n", "_site/index.html": ""}, "https://real.com/"),
        ({"docusaurus.config.js": "const c = {\n  projects: [{\n    url: 'https://foo.org'}],\n  url: 'https://real.com',\n}", "build/index.html": ""}, "https://real.com/"),
        ({"hugo.toml": "baseURL = 'https://real.com'\n[params]\nbaseURL = 'https://cdn.com/'\n", "public/index.html": ""}, "https://real.com/"),
        ({"config.toml": "[params]\nbaseURL = 'https://cdn.com/'\n", "public/index.html": ""}, None),
        ({"pelicanconf.py": "SITEURL = 'https://real.com'\nimport os; os.abort()\n", "output/index.html": ""}, "https://real.com/"),
        ({"eleventy.config.js": "plugin(sitemap, {\n  sitemap: {\n    hostname: 'https://real.com',\n  }})", "_site/index.html": ""}, "https://real.com/"),
        ({"hugo.json": '{"baseURL": "https://real.com", "params": {"url": "x"}}', "public/index.html": ""}, "https://real.com/"),
    ],
)  # fmt: skip
def test_only_the_projects_own_address_is_taken(
    tmp_path: Path, run: Run, files: dict[str, str], base_url: str | None
) -> None:
    project(tmp_path, files)
    assert run("init") == 0
    assert tomllib.loads((tmp_path / "sitemapper.toml").read_text()).get("base_url") == base_url


def test_vitepress_with_clean_urls(tmp_path: Path, run: Run) -> None:
    project(
        tmp_path,
        {
            ".vitepress/config.mts": "export default {\n  cleanUrls: true,\n  sitemap: { hostname: 'https://real.com' }\n}",
            ".vitepress/dist/a.html": "",
        },
    )
    assert run("init") == 0
    written = tomllib.loads((tmp_path / "sitemapper.toml").read_text())
    assert (written["url_style"], written["site"]) == ("clean", ".vitepress/dist")


def test_the_mark_is_looked_for_where_the_generator_writes(tmp_path: Path, run: Run) -> None:
    project(
        tmp_path,
        {"hugo.toml": "baseURL = 'https://a.example'", "public/index.html": PAGE.format("Hugo 0.1", "")},
    )
    assert run("init") == 0
    assert run.out.startswith("generator: Hugo, certain (hugo.toml and its mark in index.html)")


def test_a_configuration_in_pyproject_is_not_hidden(tmp_path: Path, run: Run) -> None:
    project(tmp_path, {"pyproject.toml": "[tool.sitemapper]\nstrict = true\n", "public/index.html": ""})
    assert run("init") == 2
    assert "pyproject.toml: has [tool.sitemapper], which a sitemapper.toml would hide" in run.err


@POSIX
def test_a_named_pipe_does_not_hang(tmp_path: Path, run: Run) -> None:
    project(tmp_path, {"public/index.html": ""})
    os.mkfifo(tmp_path / "CNAME")
    assert run("init", "public") == 0


def test_a_project_file_alone_is_likely_and_finds_the_folder(tmp_path: Path, run: Run) -> None:
    project(tmp_path, {"hugo.yaml": "baseURL: https://a.example\n", "public/index.html": "<html>"})
    assert run("init") == 0
    assert "generator: Hugo, likely (hugo.yaml)\nsite: public\n" in run.out


def test_the_mark_alone_is_likely(tmp_path: Path, run: Run) -> None:
    project(tmp_path, {"out/index.html": PAGE.format("Astro v5", "https://a.example/")})
    assert run("init", "out") == 0
    assert "generator: Astro, likely (its mark in index.html: astro v5)" in run.out
    assert "base_url: https://a.example/, from the canonical of index.html" in run.out


def test_the_url_style_is_proved_by_canonicals(tmp_path: Path, run: Run) -> None:
    pages = {f"out/{n}.html": PAGE.format("x", f"https://a.example/{n}") for n in "abc"}
    project(tmp_path, {"CNAME": "a.example", "out/index.html": "", **pages})
    assert run("init", "out") == 0
    assert "url_style: clean, because 3 of 3 canonicals looked at are written so" in run.out
    assert tomllib.loads((tmp_path / "sitemapper.toml").read_text())["url_style"] == "clean"


def test_a_preview_address_is_not_taken_for_the_base_url(tmp_path: Path, run: Run) -> None:
    project(tmp_path, {"out/index.html": PAGE.format("Hugo 0.1", "http://localhost:1313/")})
    assert run("init", "out") == 0
    assert "base_url: not found; put it into the file" in run.out
    assert run("build") == 2
    assert "base_url: is missing" in run.err


def test_the_generators_own_sitemap_is_noticed(tmp_path: Path, run: Run) -> None:
    project(tmp_path, {"hugo.toml": "baseURL = 'https://a.example/'", "public/index.html": "", "public/sitemap.xml": "<urlset/>"})  # fmt: skip
    assert run("init") == 0
    assert (
        'will not be replaced: put disableKinds = ["sitemap"] at the top of Hugo\'s configuration' in run.out
    )


def test_nothing_is_ever_replaced(tmp_path: Path, run: Run) -> None:
    project(tmp_path, {"sitemapper.toml": "mine = true", "public/index.html": ""})
    assert run("init", "public") == 2
    assert "is there already and is not replaced" in run.err
    assert (tmp_path / "sitemapper.toml").read_text() == "mine = true"


@pytest.mark.parametrize("argv", [["init"], ["init", "gone"]])
def test_without_a_built_site(tmp_path: Path, run: Run, argv: list[str]) -> None:
    assert run(*argv) == 2
    assert "; build the site first, then name it" in run.err
    assert not (tmp_path / "sitemapper.toml").exists()


def test_outside_git_the_ledger_is_proposed(tmp_path: Path, run: Run) -> None:
    project(tmp_path, {"mkdocs.yml": "site_url: https://a.example", "site/index.html": "<p>"})
    assert run("init") == 0
    written = tomllib.loads((tmp_path / "sitemapper.toml").read_text())
    assert written["lastmod"] == ["ledger", "mtime"]
    assert "git" not in written


def test_in_git_the_sources_are_proposed(tmp_path: Path, run: Run) -> None:
    files = dict.fromkeys(("docs/guide/a.md", "docs/index.rst", "docs/_build/x.ipynb", "README.md"), "")
    files |= {"docs/conf.py": "extensions = ['sphinx.ext.autodoc']", "docs/_build/index.html": "<p>"}
    project(tmp_path, {**files, ".git/HEAD": "ref: refs/heads/main"})
    assert run("init", "docs/_build") == 0
    written = tomllib.loads((tmp_path / "sitemapper.toml").read_text())
    assert written["lastmod"] == ["git"]
    assert written["git"]["map"] == [
        {
            "page": "{path}/index.html",
            "source": ["docs/{path}.rst", "docs/{path}.md", "docs/{path}/index.rst", "docs/{path}/index.md"],
        },
        {"page": "{path}.html", "source": ["docs/{path}.rst", "docs/{path}.md"]},
    ]


@pytest.mark.parametrize("generator", ALL, ids=[generator.name for generator in ALL])
def test_every_proposed_template_compiles(generator: Generator) -> None:
    for page, sources in generator.maps:
        compile_map(page, sources.split())


def test_sphinx_with_source_and_build_apart_is_found(tmp_path: Path, run: Run) -> None:
    write_site(tmp_path, {"source/conf.py": "# Sphinx\n", "build/html/index.html": "<p>"})
    assert run("init") == 0
    assert 'site = "build/html"' in (tmp_path / "sitemapper.toml").read_text()


def test_a_folder_of_no_generator_says_so(run: Run) -> None:
    assert run("init") == 2
    assert run.err.startswith(
        "error: no generator's project file is here, and none of the folders site, public, "
    )
    assert run.err.endswith("; build the site first, then name it: sitemapper init DIR\n")
