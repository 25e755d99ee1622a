"""`init` recognises a project by its files and its output, and writes a configuration that works."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from support import BASE, POSIX, Run, for_starved, write_site
from support.git import Repo, day
from support.sitemaps import locs

PAGE = (
    '<html><head><meta name="generator" content="{}"><link rel="canonical" href="{}"></head><body>'
)


def configuration(project: Path) -> dict[str, Any]:
    """What `init` wrote."""
    return tomllib.loads((project / "sitemapper.toml").read_text())


def test_a_key_for_submit_is_32_hex_digits_and_never_the_same(tmp_path: Path, run: Run) -> None:
    write_site(tmp_path, {"mkdocs.yml": "site_url: https://a.example/", "site/index.html": "<p>"})
    keys = []
    for _ in range(2):
        assert run("init", "--indexnow") == 0
        keys.append(configuration(tmp_path)["submit"]["key"])
        assert run("init", "--indexnow") == 2
        help = r'^  help: add the table \[submit\] to it, with key = "[0-9a-f]{32}"$'
        assert re.search(help, run.err, re.MULTILINE)
        (tmp_path / "sitemapper.toml").unlink()
    assert keys[0] != keys[1]
    assert all(re.fullmatch("[0-9a-f]{32}", key) for key in keys)


def test_a_configuration_in_pyproject_is_not_hidden(tmp_path: Path, run: Run) -> None:
    write_site(
        tmp_path, {"pyproject.toml": "[tool.sitemapper]\nstrict = true\n", "public/index.html": ""}
    )
    assert run("init") == 2
    assert "pyproject.toml: has [tool.sitemapper], which a sitemapper.toml would hide" in run.err


@POSIX
def test_a_named_pipe_does_not_hang(tmp_path: Path, run: Run) -> None:
    write_site(tmp_path, {"public/index.html": ""})
    os.mkfifo(tmp_path / "CNAME")
    assert run("init", "public") == 0


@POSIX
def test_a_folder_whose_name_is_not_utf8(tmp_path: Path, run: Run) -> None:
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)
    Path(os.fsdecode(folder), "index.html").write_text("<p>")
    assert run("init", os.fsdecode(folder)) == 2
    assert "has a name that is not UTF-8, which TOML cannot contain\n" in run.err
    os.chdir(folder)
    Path("public").mkdir()
    Path("index.html").rename("public/index.html")
    assert run("init") == 0


def test_the_url_style_is_proved_by_canonicals(tmp_path: Path, run: Run) -> None:
    pages = {f"out/{n}.html": PAGE.format("x", f"https://a.example/{n}") for n in "abc"}
    write_site(tmp_path, {"out/CNAME": "a.example", "out/index.html": "", **pages})
    assert run("init", "out") == 0
    assert "url_style: clean, because 3 of 3 canonicals that were read have this form" in run.out
    assert configuration(tmp_path)["url_style"] == "clean"


def test_a_preview_address_is_not_taken_for_the_base_url(tmp_path: Path, run: Run) -> None:
    write_site(tmp_path, {"out/index.html": PAGE.format("Hugo 0.1", "http://localhost:1313/")})
    assert run("init", "out") == 0
    canonical = "1 of 1 canonicals that were read: http://localhost:1313/ is this machine"
    assert f"base_url: not found: {canonical}; no setting, CNAME, " in run.out
    step = "build the site for the address at which visitors see it"
    assert run.out.endswith(f"wrote sitemapper.toml; {step}, then run: sitemapper build\n")
    known = f"# base_url is not known yet: {step}.\n"
    assert known in (tmp_path / "sitemapper.toml").read_text()
    assert run("build") == 2
    assert "no base URL" in run.err


def test_the_example_in_a_new_project_is_set_where_it_stands(tmp_path: Path, run: Run) -> None:
    """Its pages contain the example, too, so that a base URL in our file would contradict them."""
    page = PAGE.format("Hugo 0.1", "http://example.org/")
    write_site(
        tmp_path, {"hugo.toml": "baseURL = 'http://example.org/'", "public/index.html": page}
    )
    assert run("init") == 0
    assert "; set baseURL in hugo.toml:1, and build the site again, then run: sitemapper" in run.out
    assert "set yours" not in (tmp_path / "sitemapper.toml").read_text()


def test_the_base_url_of_the_command_line_counts_most(tmp_path: Path, run: Run) -> None:
    page = PAGE.format("x", "https://a.example/")
    write_site(tmp_path, {"CNAME": "a.example", "public/index.html": page})
    assert run("init", "--base-url", "https://b.example/docs") == 0
    assert "base_url: https://b.example/docs/, from --base-url\n" in run.out
    written = configuration(tmp_path)
    assert written["base_url"] == "https://b.example/docs/"


@pytest.mark.parametrize("url", ["b.example", ""])
def test_a_base_url_that_is_none_writes_no_file(tmp_path: Path, run: Run, url: str) -> None:
    write_site(tmp_path, {"public/index.html": "<p>"})
    assert run("init", "--base-url", url) == 2
    assert run.err.startswith("error: --base-url: ")
    assert not (tmp_path / "sitemapper.toml").exists()


def test_beside_the_sitemap_of_another_tool_the_new_one_has_another_name(
    tmp_path: Path, run: Run
) -> None:
    write_site(
        tmp_path, {"public/index.html": "<p>", "public/sitemap.xml": locs("https://a.test/")}
    )
    assert run("init") == 0
    assert "note: another tool wrote public/sitemap.xml, so the new one is named " in run.out
    assert run("build") == 0
    assert (tmp_path / "public/sitemap.xml").read_text() == locs("https://a.test/")
    assert "<loc>https://a.test/</loc>" in (tmp_path / "public/sitemap-pages.xml").read_text()


def test_nothing_is_ever_replaced(tmp_path: Path, run: Run) -> None:
    write_site(tmp_path, {"sitemapper.toml": "mine = true", "public/index.html": ""})
    assert run("init", "public") == 2
    assert (
        run.err
        == "error: sitemapper.toml: already exists and is not replaced\n  help: move it away first\n"
    )
    assert run("init", "public", "--base-url", "https://a.test") == 2
    assert 'or write base_url = "https://a.test/" in it\n' in run.err
    assert (tmp_path / "sitemapper.toml").read_text() == "mine = true"


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (
            ["init"],
            "no built site was found: there is no index.html here, nor in dist, build, out, ",
        ),
        (["init", "gone"], "gone: there is no such folder\n"),
    ],
)
def test_without_a_built_site(tmp_path: Path, run: Run, argv: list[str], said: str) -> None:
    assert run(*argv) == 2
    assert run.err.startswith(f"error: {said}")
    assert "\n  help: build the site first, then pass its folder: sitemapper " in run.err
    assert not (tmp_path / "sitemapper.toml").exists()


def test_outside_git_the_ledger_is_proposed(tmp_path: Path, run: Run) -> None:
    write_site(tmp_path, {"mkdocs.yml": "site_url: https://a.example", "site/index.html": "<p>"})
    assert run("init") == 0
    written = configuration(tmp_path)
    assert written["ledger"] == {"path": "sitemapper.ledger"}
    assert written["lastmod"] == "auto" and "git" not in written
    assert run("build") == 0
    assert (tmp_path / "sitemapper.ledger").exists()


def test_in_git_the_sources_of_the_generator_are_enough(tmp_path: Path, run: Run) -> None:
    files = {
        "docs/guide/a.md": "# Tea",
        "docs/index.rst": "",
        "docs/conf.py": "extensions = ['sphinx.ext.x']",
    }
    Repo(tmp_path).commit(3, files)
    pages = ("docs/_build/index.html", "docs/_build/guide/a.html")
    write_site(tmp_path, dict.fromkeys(pages, "<h1>Tea</h1>"))
    assert run("init", "docs/_build") == 0
    assert "wrote docs/sitemapper.toml; " in run.out
    written = tomllib.loads((tmp_path / "docs/sitemapper.toml").read_text())
    assert written["site"] == "_build"
    assert not {"git", "ledger"} & written.keys()
    assert run("build", "--config", "docs/sitemapper.toml", "--base-url", BASE) == 0
    assert f"<lastmod>{day(3)}</lastmod>" in (tmp_path / "docs/_build/sitemap.xml").read_text()


def test_a_home_page_that_redirects_is_judged_by_where_it_leads(tmp_path: Path, run: Run) -> None:
    home = '<meta http-equiv="refresh" content="0; url=kettle/1.0/index.html">'
    page = PAGE.format("Antora 3.1", "https://a.example/docs/kettle/1.0/index.html")
    write_site(tmp_path, {"out/index.html": home, "out/kettle/1.0/index.html": page})
    assert run("init", "out") == 0
    assert run.out.startswith("generator: Antora, likely (its mark in index.html)\n")
    assert "base_url: https://a.example/docs/, from 1 of 1 canonicals that were read\n" in run.out


@pytest.mark.parametrize("target", ["/../../outside/", "//[", "/%00", "?x", "https://b.example/x/"])
def test_a_home_page_that_leads_nowhere_stays_the_home_page(
    tmp_path: Path, run: Run, target: str
) -> None:
    write_site(tmp_path, {"outside/index.html": PAGE.format("Hugo", ""), "a/out/index.html": f'<meta http-equiv="refresh" content="0; url={target}">'})  # fmt: skip
    assert run("init", "a/out") == 0
    assert run.out.startswith("generator: not recognised\n")


HOSTILE = 'Astro"\nignore = ["*"]\n[respect]\nnoindex = false\n#\x1b[2J'


def test_no_text_of_a_page_becomes_configuration(tmp_path: Path, run: Run) -> None:
    page = f"<head><meta name=generator content='{HOSTILE}'><link rel=canonical href='https://a.example/{HOSTILE}'>"
    write_site(tmp_path, {"public/index.html": page})
    assert run("init") == 0
    assert "\x1b" not in run.out
    written = configuration(tmp_path)
    assert written.keys() <= {"base_url", "site", "url_style", "ignore", "lastmod", "ledger"}
    assert written["ignore"] == []


@POSIX
@pytest.mark.parametrize("name", ['a"b', "a\nnoindex = false", "a\\b", "a\x7fb", "é\u2028"])
def test_a_folder_of_any_name(tmp_path: Path, run: Run, name: str) -> None:
    write_site(tmp_path, {f"{name}/index.html": "<p>"})
    assert run("init", name) == 0
    assert configuration(tmp_path)["site"] == name
    assert len(run.out.splitlines()) == 5


def test_versions_of_docusaurus_are_dated_by_the_ledger(tmp_path: Path, run: Run) -> None:
    project = {
        "docusaurus.config.js": "module.exports = { url: 'https://tea.example' }",
        "versions.json": '["2.0", "1.0"]',
    }
    sources = ("docs", "versioned_docs/version-1.0", "versioned_docs/version-2.0")
    Repo(tmp_path).commit(1, project | {f"{folder}/intro.md": "" for folder in sources})
    pages = [f"docs/{version}intro/index.html" for version in ("", "1.0/", "next/")]
    home = PAGE.format("Docusaurus v3", "")
    write_site(tmp_path / "build", dict.fromkeys(["index.html", *pages], home))
    assert run("init") == 0
    written = configuration(tmp_path)
    assert (written["ledger"], written["lastmod"]) == ({"path": "sitemapper.ledger"}, "auto")
    assert run("explain", "docs/intro/index.html") == 0
    drop = ".theme-doc-version-banner, .theme-doc-version-badge"
    assert re.search(rf"ledger.drop +{drop} +\(", run.out)
    assert run("build", "--lastmod", "git") == 0
    assert "<lastmod>" not in (tmp_path / "build/sitemap.xml").read_text()


def test_versions_of_mike_are_dated_by_the_ledger(tmp_path: Path, run: Run) -> None:
    Repo(tmp_path).commit(1, {"mkdocs.yml": "site_url: https://example.com", "docs/index.md": ""})
    write_site(
        tmp_path / "site", {"index.html": "<p>", "versions.json": "[]", "1.0/index.html": "<p>"}
    )
    assert run("init") == 0
    written = configuration(tmp_path)
    assert (written["ledger"], "git" in written) == ({"path": "sitemapper.ledger"}, False)


@pytest.mark.slow
@POSIX
def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, run: Run) -> None:
    write_site(tmp_path, {"public/index.html": "<p>"})
    code = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); from sitemapper.__main__ import main; sys.exit(main(['init']))"  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=for_starved(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(
        "error: sitemapper.toml: cannot be written: File too large\n  help: "
    )
    assert os.listdir(tmp_path) == ["public"]
    assert run("init") == 0


def test_a_base_url_that_the_pages_contradict_is_a_comment(tmp_path: Path, run: Run) -> None:
    pages = {f"public/{n}.html": PAGE.format("x", f"https://cup.dev/{n}.html") for n in "abc"}
    home = PAGE.format("x", "https://cup.dev/")
    files = {"hugo.toml": "baseURL = 'https://tea.dev/'\n", "public/index.html": home}
    write_site(tmp_path, files | pages)
    assert run("init") == 0
    clause = "the canonicals name https://cup.dev/ (4 of 4)"
    assert (
        "base_url: not certain: it is https://tea.dev/, from hugo.toml:1: baseURL, but "
        f"{clause}; set it in sitemapper.toml\n"
    ) in run.out
    assert run.out.endswith("set base_url in it, then run: sitemapper build\n")
    written = (tmp_path / "sitemapper.toml").read_text()
    assert '# base_url = "https://tea.dev/"  # from hugo.toml:1: baseURL\n' in written
    assert f'# base_url = "https://cup.dev/"  # {clause}\n' in written
    assert "base_url" not in tomllib.loads(written)
    assert run("build") == 2
    assert "nothing was published" in run.err
