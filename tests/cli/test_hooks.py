"""What hooks, workflows and shells ask of the command line: exit codes, short options, completion."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support import BASE, Run, Site, write_site

FROM = ("public", "--base-url", BASE)
PAGES = {"index.html": "<p>", "a.html": "<p>"}


def test_exit_code_tells_whether_anything_was_written(site: Site, run: Run) -> None:
    root = site(PAGES)
    assert run("build", *FROM, "--exit-code", "--dry-run") == 1
    assert run("build", *FROM, "--exit-code") == 1
    assert "created  sitemap.xml" in run.out
    assert run("build", *FROM, "--exit-code") == 0
    (root / "sitemap.xml").unlink()
    assert run("build", *FROM) == 0
    (root / "b.html").write_text("<p>")
    assert run("build", *FROM, "--exit-code") == 1
    assert "updated  sitemap.xml" in run.out


def test_a_build_in_the_form_of_github(site: Site, run: Run) -> None:
    site({**PAGES, "robots.txt": f"Sitemap: {BASE}old.xml\n"})
    assert run("build", *FROM, "--format", "github") == 0
    assert run.out.splitlines() == [
        f"::notice title=sitemap::{BASE}sitemap.xml: 2 listed, 2 added",
        f"::warning title=sitemap::robots.txt names a sitemap that does not exist: {BASE}old.xml"
        "%0Ahelp: remove the line from robots.txt",
    ]
    assert run.err == ""
    assert run("build", *FROM, "--format", "github", "--strict") == 1
    assert run("check", *FROM, "--format", "github") == 0
    assert run.out.startswith("::warning title=sitemap::robots.txt names")


def test_errors_come_first_because_github_shows_ten(tmp_path: Path, run: Run) -> None:
    entries = (
        "<url><loc>https://e.com/a</loc><lastmod>2999-01-01</lastmod></url><url><loc>x</loc></url>"
    )
    xml = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
    write_site(tmp_path, {"sitemap.xml": xml})
    assert run("validate", "sitemap.xml") == 1
    assert run.out.index("warning:") < run.out.index("error:")
    assert run("validate", "sitemap.xml", "--format", "github") == 1
    assert run.out.index("::error") < run.out.index("::warning")


def test_required_pages_come_before_files(site: Site, run: Run) -> None:
    root = site(PAGES)
    (root.parent / "sitemapper.toml").write_text('[check]\nrequired = ["/pricing/"]\n')
    assert run("check", *FROM, "--format", "github") == 1
    assert run.out.splitlines()[0].startswith("::error title=required page::")


def test_short_options(site: Site, run: Run) -> None:
    site({f"{n}.html": "<p>" for n in range(20)})
    assert run("-V") == 0
    assert run.out.startswith("sitemapper ")
    assert run("build", *FROM, "-q", "-o", "out", "--max-urls", "1") == 0
    assert run.out == ""
    assert run("build", *FROM, "-v", "-o", "out", "--max-urls", "1") == 0
    assert "sitemap-20.xml" in run.out
    assert run("validate", "out", "-q") == 0
    assert run.out == ""


def test_a_shell_completes_commands_and_options() -> None:
    words = "sitemapper build --exit"
    asked = {"_SITEMAPPER_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": "2"}
    command = (sys.executable, "-m", "sitemapper")
    done = subprocess.run(command, env=os.environ | asked, capture_output=True, text=True)
    assert done.stdout.split() == ["--exit-code"]
