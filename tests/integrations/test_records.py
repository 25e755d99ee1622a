"""After a build by a plugin, `explain`, `check` and a build by hand in the project give the plugin's answer."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mkdocs.commands.build import build as mkdocs_build
from mkdocs.config import load_config
from sphinx.cmd.build import main as sphinx_build
from support import BASE, POSIX, Run, write_site
from support.git import Repo, day
from support.ledger import dates

MKDOCS = {
    "mkdocs.yml": "site_name: Tea\nsite_url: https://example.com/\nsite_dir: out/site\ntheme: readthedocs\n"
    "plugins:\n  - search\n  - sitemapper:\n      ignore: [drafts/]\n",
    "docs/index.md": "# Tea",
    "docs/boil.md": "# Boil",
    "docs/drafts/a.md": "# A",
}
SPHINX = {
    "docs/conf.py": 'project = "Tea"\nhtml_baseurl = "https://example.com/"\nhtml_theme = "basic"\n'
    'extensions = ["sitemapper.integrations.sphinx"]\n',
    "docs/index.rst": "Tea\n===\n\n.. toctree::\n\n   boil\n",
    "docs/boil.rst": "Boil\n====\n\n.. include:: ../NEWS.txt\n",
    "NEWS.txt": "A kettle.",
}
PELICAN = {
    "pelicanconf.py": 'SITENAME = "Tea"\nSITEURL = "https://example.com"\nTIMEZONE = "UTC"\n'
    'PLUGINS = ["sitemapper.integrations.pelican"]\nARTICLE_URL = ARTICLE_SAVE_AS = "a/{slug}.html"\n',
    "content/posts/boil.rst": "Boil\n####\n\n:date: 2026-01-01\n:slug: kettle\n\nText.\n",
}


def mkdocs(root: Path) -> None:
    mkdocs_build(load_config(str(root / "mkdocs.yml")))


def sphinx(root: Path, *flags: str) -> None:
    assert sphinx_build(["-q", *flags, "-b", "html", str(root / "docs"), str(root / "out")]) == 0


def pelican(root: Path) -> None:
    command = (sys.executable, "-m", "pelican", "content")
    assert subprocess.run(command, cwd=root, capture_output=True, check=False).returncode == 0


def project(root: Path, files: dict[str, str], edit: str) -> Path:
    """Written on the first of January; one source is edited on the second."""
    repo = Repo(write_site(root, files))
    repo.commit(1, {".gitignore": "out\noutput\n"})
    repo.commit(2, {edit: files[edit] + "\nMore.\n"})
    os.chdir(root)
    return root


@pytest.fixture
def tea(tmp_path: Path) -> Path:
    """A project of MkDocs after its build, in which the test is."""
    root = project(tmp_path / "tea", MKDOCS, "docs/boil.md")
    mkdocs(root)
    return root


@pytest.fixture
def kettle(tmp_path: Path) -> Path:
    """One of Sphinx."""
    root = project(tmp_path / "tea", SPHINX, "NEWS.txt")
    sphinx(root)
    return root


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "generate", "edit", "page", "source", "site"),
    [
        (MKDOCS, mkdocs, "docs/boil.md", "boil/", "docs/boil.md", "out/site"),
        (SPHINX, sphinx, "NEWS.txt", "boil.html", "docs/boil.rst, NEWS.txt", "out"),
        pytest.param(
            PELICAN, pelican, "content/posts/boil.rst", "a/kettle.html", "content/posts/boil.rst", "output",
            marks=pytest.mark.slow,
        ),
    ],
    ids=["mkdocs", "sphinx", "pelican"],
)  # fmt: skip
def test_the_project_gives_the_answer_of_the_plugin(
    tmp_path: Path,
    run: Run,
    files: dict[str, str],
    generate: Callable[[Path], None],
    edit: str,
    page: str,
    source: str,
    site: str,
) -> None:
    """Neither the folder nor the URL nor the source of a page is named anywhere but in the generator."""
    root = project(tmp_path / "tea", files, edit)
    generate(root)
    published = dates(root / site)
    assert published[page] == day(2)
    assert run("explain", page) == 0
    assert f"  loc         {BASE}{page}  " in run.out
    assert f"  lastmod     {day(2)}  (git)" in run.out
    assert f"  source      {edit}  (commit " in run.out
    assert "  published   in sitemap.xml\n" in run.out
    assert (run("check"), run.err) == (0, "")
    assert "is what a build would write" in run.out
    assert (run("build"), run.err) == (0, "")
    assert dates(root / site) == published


@pytest.mark.slow
def test_a_page_of_a_deleted_source_does_not_have_the_time_of_its_build(
    tea: Path, run: Run
) -> None:
    (tea / "docs/boil.md").unlink()  # after the build, and this is not committed
    assert run("build", "--lastmod", "git", "--lastmod", "mtime") == 0
    assert dates(tea / "out/site") == {"": day(1), "boil/": None}


def test_a_folder_below_the_root_of_the_repository_will_do(tea: Path, run: Run) -> None:
    os.chdir(tea / "docs")
    assert (run("check"), run.err) == (0, "")


@pytest.mark.slow
def test_a_project_anywhere_in_the_repository_will_do(tmp_path: Path, run: Run) -> None:
    files = {f"docs/html/{name}": text for name, text in MKDOCS.items()}
    root = project(tmp_path / "tea", files, "docs/html/docs/boil.md")
    mkdocs(root / "docs/html")
    written = (root / "docs/html/out/site/sitemap.xml").read_text()
    assert (run("check"), run.err) == (0, "")
    assert (run("build"), run.err) == (0, "")
    assert (run("build", "docs/html/out/site"), run.err) == (0, "")
    assert (root / "docs/html/out/site/sitemap.xml").read_text() == written
    os.chdir(root / "docs")
    assert (run("check"), run.err) == (0, "")


def test_explain_names_the_plugin_that_leaves_a_page_out(tea: Path, run: Run) -> None:
    assert run("explain", "drafts/a/") == 0
    assert "decided by  mkdocs.yml: sitemapper: drafts/\n" in run.out
    assert run("explain", "search.html") == 0
    assert "decided by  built-in default: /search.html\n" in run.out


def test_the_summary_says_what_was_taken_from_the_plugin(tea: Path, run: Run) -> None:
    assert run("build") == 0
    assert "\n  base_url https://example.com/ (mkdocs.yml: site_url)\n" in run.out
    assert run("build", "-v") == 0
    assert "\n  site out/site (mkdocs.yml: sitemapper)\n" in run.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "flags", "origin"),
    [
        ("", (), "conf.py: html_baseurl"),
        ("", ("-D", f"html_baseurl={BASE}"), "sphinx-build: -D html_baseurl"),
        (f'sitemapper_options = {{"base_url": "{BASE}"}}\n', (), "conf.py: sitemapper_options"),
    ],
)
def test_the_base_url_of_sphinx_is_said_to_stand_where_it_does(
    tmp_path: Path, run: Run, more: str, flags: tuple[str, ...], origin: str
) -> None:
    files = SPHINX | {"docs/conf.py": SPHINX["docs/conf.py"] + more}
    sphinx(project(tmp_path / "tea", files, "NEWS.txt"), *flags)
    assert run("build", "--dry-run") == 0
    assert f"\n  base_url {BASE} ({origin})\n" in run.out


def test_a_file_may_lie_elsewhere_than_the_generator(kettle: Path, run: Run) -> None:
    (kettle / "sitemapper.toml").write_text("hreflang = true\n")
    assert run("explain", "boil.html") == 0
    assert f"  lastmod     {day(2)}  (git)" in run.out


def test_flags_and_the_file_come_before_the_record(tea: Path, run: Run) -> None:
    (tea / "sitemapper.toml").write_text("lastmod = []\n")
    assert run("explain", "boil/") == 0
    assert f"  loc         {BASE}boil/  " in run.out
    assert "  lastmod     none" in run.out
    assert run("explain", "boil/", "--ignore", "boil/") == 0
    assert "decided by  --ignore: boil/\n" in run.out


def test_another_folder_is_not_the_site_of_the_plugin(tea: Path, run: Run) -> None:
    write_site(tea / "other", {"boil/index.html": ""})
    assert (
        run("explain", "boil/index.html", "--site", "other", "--base-url", "https://other.example/")
        == 0
    )
    assert "https://other.example/boil/" in run.out
    assert "docs/boil.md" not in run.out


NOTE = "note: mkdocs.yml uses the plugin, which has left no current record of a build: run mkdocs build"


def edit_configuration(tea: Path) -> None:
    text = (tea / "mkdocs.yml").read_text()
    (tea / "mkdocs.yml").write_text(text.replace("[drafts/]", "[boil/]"))


def record(tea: Path) -> Path:
    [path] = (tea.parent / "cache" / "sitemapper").glob("*.plugin")
    return path


def let_others_write(tea: Path) -> None:
    record(tea).chmod(0o666)


def replace_by_pipe(tea: Path) -> None:
    path = record(tea)
    path.unlink()
    os.mkfifo(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "spoil",
    [
        edit_configuration,
        lambda tea: record(tea).unlink(),
        lambda tea: record(tea).write_bytes(record(tea).read_bytes()[:-9]),
        lambda tea: record(tea).write_text(
            record(tea).read_text().replace("https://example.com/", "tea")
        ),
        lambda tea: record(tea).write_text('{"version": 2}'),
        pytest.param(let_others_write, marks=POSIX),
        pytest.param(
            replace_by_pipe, marks=pytest.mark.skipif(os.name == "nt", reason="pipes are of POSIX")
        ),
    ],
)
def test_a_record_that_is_stale_missing_or_damaged_is_none(
    tea: Path, run: Run, spoil: Callable[[Path], object]
) -> None:
    """Then templates tell the sources, and a note says what to run."""
    spoil(tea)
    assert run("explain", "boil/index.html", "--site", "out/site", "--base-url", BASE) == 0
    assert run.err.startswith(NOTE)
    mkdocs(tea)
    assert (run("check"), run.err) == (0, "")


def test_where_only_the_plugin_knows_the_url_the_error_names_what_to_run(
    kettle: Path, run: Run
) -> None:
    (kettle / "docs/conf.py").write_text(SPHINX["docs/conf.py"] + "language = 'de'\n")
    assert run("check", "out") == 2
    assert run.err.startswith("error: no base URL: docs/conf.py uses the plugin, which has left")
    assert "run make html for its settings" in run.err


@pytest.mark.slow
def test_a_site_that_is_gone_has_no_record(tea: Path, run: Run) -> None:
    (tea / "out").rename(tea / "gone")
    assert run("build", "gone/site", "--base-url", BASE, "--dry-run") == 0
    assert NOTE in run.err


@pytest.mark.slow
def test_without_the_cache_there_is_no_record_and_no_note(
    tea: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("build", "out/site", "--base-url", BASE, "--dry-run", "--no-cache") == 0
    assert NOTE not in run.err
    monkeypatch.setenv("SITEMAPPER_CACHE", str(tea.parent / "kept"))
    assert run("explain", "boil/index.html", "--site", "out/site", "--base-url", BASE) == 0
    assert run.err.startswith(NOTE)
    mkdocs(tea)
    assert [path.suffix for path in (tea.parent / "kept").iterdir()] == [".plugin"]


@pytest.mark.slow
def test_it_is_neither_in_the_site_nor_in_the_repository(tea: Path) -> None:
    assert record(tea).is_file()
    status = subprocess.run(("git", "status", "--short"), cwd=tea, capture_output=True, check=True)
    assert status.stdout == b""
    assert list((tea / "out").rglob("*.plugin")) == []


@pytest.mark.slow
@POSIX
def test_only_its_user_may_write_it(tea: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who shares the cache folder could else choose the next build's site and base URL."""
    assert record(tea).stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr(os, "geteuid", lambda: record(tea).stat().st_uid + 1)
    assert run("explain", "boil/index.html", "--site", "out/site", "--base-url", BASE) == 0
    assert run.err.startswith(NOTE)
