"""What a person types, reads and gets back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support import BASE, Run, Site, unmeasured, write_site

import sitemapper


def test_version(run: Run) -> None:
    for flag in ("--version", "-V"):
        assert run(flag) == 0
        assert run.out == f"sitemapper {sitemapper.__version__}\n"


def test_a_site_that_the_file_or_the_environment_names_wrong(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\nsite = "pubic"\n')
    assert run("explain", "index.html") == 2
    assert run.err.startswith(f"error: sitemapper.toml:2: site: {tmp_path}/pubic: does not exist\n")
    monkeypatch.setenv("SITEMAPPER_SITE", "pulic")
    assert run("build") == 2
    assert run.err.startswith(
        f"error: environment: SITEMAPPER_SITE: site: {tmp_path}/pulic: does not exist\n"
    )
    assert run("build", "pblic") == 2
    assert run.err.startswith(f"error: {tmp_path}/pblic: does not exist\n")


def test_a_typo_in_the_file_is_named_before_the_site_that_it_hides(
    tmp_path: Path, run: Run
) -> None:
    place = "elsewhere/x.toml"
    write_site(tmp_path, {place: f'base_url = "{BASE}"\nsiet = "public"\n', "public/a.html": ""})
    assert run("build", "--config", place) == 2
    assert run.err == f"error: {place}:2: siet: unknown key\n  help: did you mean 'site'?\n"


def test_many_files_are_summed_up(site: Site, run: Run) -> None:
    root = site({f"{n:02}.html": "" for n in range(30)})
    assert run("build", root, "--base-url", BASE, "--max-urls", 1) == 0
    assert "  created  sitemap-10.xml  1 URL\n           and 22 more created\n" in run.out
    assert run("build", root, "--base-url", BASE, "--max-urls", 1, "--verbose") == 0
    assert run.out.count("kept ") == 32


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["build", "public/a.html", "--base-url", BASE], "a.html: is not a folder"),
        (["explain", "a.html", "public"], "pass the site's folder with --site FOLDER"),
        (["build", "public", "--base-url", "example.com"], "is not an absolute http or https URL"),
        (
            ["build", "public", "--base-url", BASE, "--config", "x.toml"],
            "x.toml: does not exist\n  help: check the path after --config",
        ),
        (
            ["build", "public", "--base-url", BASE, "--ignore", "a\\"],
            "error: --ignore: 'a\\\\' is not a gitignore pattern",
        ),
        (
            ["build", "public", "--base-url", BASE, "--url-style", "dirctory"],
            "error: --url-style: must be one of auto, directory, clean, slash, bare, file, not 'dirctory'\n"
            "  help: did you mean 'directory'?\n",
        ),
        (
            ["build", "public", "--max-urls", "many"],
            "error: --max-urls: must be a number, not 'many'\n",
        ),
        (["build", "-q", "-o"], "error: Option '-o' requires an argument.\n"),
        (["build", "public", "--base-ulr", BASE], "error: No such option: --base-ulr"),
        (
            ["explain"],
            "error: Missing argument 'PAGE'.\n  help: see sitemapper explain --help\n",
        ),
        (["bild"], "No such command"),
    ],
)
def test_bad_input_is_exit_code_2_and_a_sentence(
    site: Site, run: Run, argv: list[str], said: str
) -> None:
    root = site({"a.html": ""})
    assert run(*argv) == 2
    assert said in run.err
    assert run.out == ""
    assert sorted(p.name for p in root.iterdir()) == ["a.html"]


def test_flags_mean_what_the_file_means(site: Site, run: Run) -> None:
    root = site({"a/b.html": "", "c.pdf": ""})
    flags = "--include *.pdf --url-style clean --no-lastmod --text --gzip also --index always --no-robots".split()
    assert run("build", root, "--base-url", BASE, *flags) == 0
    assert sorted(p.name for p in root.iterdir() if p.is_file()) == [
        "c.pdf", "sitemap-1.xml", "sitemap-1.xml.gz", "sitemap.txt", "sitemap.txt.gz", "sitemap.xml", "sitemap.xml.gz"
    ]  # fmt: skip
    assert (root / "sitemap.txt").read_text() == f"{BASE}a/b\n{BASE}c.pdf\n"


def test_importing_the_package_is_light() -> None:
    code = "import sys, sitemapper; sitemapper.__version__; print({'pydantic', 'typer'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.slow
def test_a_plain_build_loads_nothing_that_only_other_runs_need(site: Site) -> None:
    root = site({"index.html": "<title>a</title>", "a.html": "<a href='/'>&amp;</a>"})
    code = (
        "import sys; from sitemapper.__main__ import main;"
        f"main(['build', {str(root)!r}, '--base-url', {BASE!r}, '--quiet']);"
        "print(*sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=unmeasured()
    )
    others = {
        "asyncio", "dateutil", "html.entities", "idna", "multiprocessing", "pathspec",
        "protego", "rich", "sqlite3", "ssl", "tomllib", "urllib3", "yaml",
        "sitemapper.cli.findings", "sitemapper.cli.report.page",
        "sitemapper.cli.tracked", "sitemapper.read.content", "sitemapper.lastmod.git",
        "sitemapper.linter", "sitemapper.net.client", "sitemapper.run.pool",
    }  # fmt: skip
    assert others.intersection(ran.stdout.split()) == set()


def test_an_interrupted_run_says_so_and_leaves_what_was_published(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site({"a.html": "", "b.html": ""})
    command = ("build", root, "--base-url", "https://example.com")
    assert run(*command) == 0
    before = {path.name: path.read_bytes() for path in root.iterdir()}
    (root / "c.html").write_text("")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sitemapper.publish.write._rename_all", interrupted)
    assert run(*command) == 130
    assert run.err == "interrupted; the published files are complete\n"
    assert {path.name: path.read_bytes() for path in root.iterdir()} == before | {"c.html": b""}


def test_the_summary_tells_who_dated_what(site: Site, run: Run) -> None:
    root = site({"a.html": '<meta name="date" content="2024-05-01">', "b.html": "", "c.html": ""})
    command = ("build", root, "--base-url", BASE)
    assert run(*command, "--lastmod", "page", "--lastmod", "mtime") == 0
    assert "  3 dated (2 mtime, 1 page)\n" in run.out
    assert run(*command, "--lastmod", "page", "--max-drop", "100") == 0
    assert "  1 dated by page\n" in run.out
    assert run("explain", "b.html", "--site", *command[1:], "--lastmod", "page") == 0
    assert "lastmod     none  (no date from page)\n" in run.out


def test_the_summary_says_that_no_page_got_a_date(site: Site, run: Run) -> None:
    command = ("build", site({"a.html": ""}), "--base-url", BASE)
    assert run(*command, "--lastmod", "page") == 0
    assert run.out.splitlines()[1:3] == ["  1 page listed", "  no page has a date"]
    assert run(*command, "--no-lastmod") == 0
    assert "date" not in run.out


def test_the_program_alone_shows_its_help(run: Run) -> None:
    assert run() == 2
    assert run.err.startswith("Usage: sitemapper [OPTIONS] COMMAND") and "help:" not in run.err


def test_a_command_shows_only_the_flags_that_change_what_it_does(site: Site, run: Run) -> None:
    root = site({"a.html": ""})
    assert run("explain", "--help") == 0
    assert "--gzip" not in run.out
    assert run("explain", "a.html", "--site", root, "--gzip", "also", "--base-url", BASE) == 0
