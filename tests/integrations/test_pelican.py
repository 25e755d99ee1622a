"""The plugin of Pelican in a real build, in a process of its own: Pelican changes how all others log."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import paths, write_site
from support.git import Repo, day
from support.ledger import dates

pytestmark = pytest.mark.slow

CONFIG = """
SITENAME = "Tea"
SITEURL = "https://example.com"
TIMEZONE = "UTC"
STATIC_PATHS = ["static", "extra"]
ARTICLE_EXCLUDES = ["static"]
EXTRA_PATH_METADATA = {"extra/robots.txt": {"path": "robots.txt"}}
SLUGIFY_SOURCE = "basename"
FEED_ALL_ATOM = CATEGORY_FEED_ATOM = TRANSLATION_FEED_ATOM = AUTHOR_FEED_ATOM = AUTHOR_FEED_RSS = None
PLUGINS = ["sitemapper.integrations.pelican"]
"""
PAGE = "Title\n#####\n\n:date: 2026-01-01\n{}\n\nText.\n"
CONTENTS = {
    "content/boil.rst": PAGE.format(""),
    "content/brew.rst": PAGE.format(""),
    "content/pages/about.rst": PAGE.format(""),
    "content/pages/secret.rst": PAGE.format(":status: hidden\n:save_as: secret [1].html\n:url: x"),
    "content/draft.rst": PAGE.format(":status: draft"),
    "content/static/static.html": "<p>",
    "content/extra/humans.txt": "",
}
LISTS = {"", "archives.html", "authors.html", "categories.html", "category/misc.html", "tags.html"}


def run(root: Path, *, more: str = "", code: int = 0) -> str:
    """Builds a site with the theme and the lists that Pelican has by default; returns what it said."""
    (root / "pelicanconf.py").write_text(CONFIG + more)
    environment = os.environ | {"COLUMNS": "1000"}
    command = (sys.executable, "-m", "pelican", "content", "--verbose", "--fatal=errors")
    done = subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8", env=environment)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Written on the first of January, an article edited on the second."""
    repo = Repo(write_site(tmp_path / "project", CONTENTS))
    repo.commit(1, {".gitignore": "output"})
    repo.commit(2, {"content/brew.rst": PAGE.format("") + "\nMore.\n"})
    return repo.root


def test_articles_and_pages_have_dates_of_git_and_lists_have_none(project: Path) -> None:
    said, out = run(project), project / "output"
    found = dates(out)
    assert {path for path, date in found.items() if date is None} == LISTS
    assert {path: date for path, date in found.items() if date} == {
        "boil.html": day(1), "brew.html": day(2), "pages/about.html": day(1), "static/static.html": day(1)
    }  # fmt: skip
    assert "https://example.com/sitemap.xml: 10 pages listed, 2 excluded; dated: 4 by git" in said
    assert (out / "secret [1].html").exists()
    assert (out / "drafts/draft.html").exists()
    run(project)
    assert dates(out) == found


@pytest.mark.parametrize("more", ["SITEURL = ''", "RELATIVE_URLS = True"])
def test_a_preview_has_no_sitemap(more: str, project: Path) -> None:
    assert "no sitemap without SITEURL or with RELATIVE_URLS" in run(project, more=more)
    assert not (project / "output/sitemap.xml").exists()


def test_options_are_the_keys_of_the_configuration(project: Path) -> None:
    write_site(project, {"sitemap.toml": 'ignore = ["/tags.html"]\n'})
    run(project, more='SITEMAPPER = {"config": "sitemap.toml", "ignore": ["/categor*"]}')
    assert LISTS - set(paths(project / "output")) == {
        "tags.html",
        "categories.html",
        "category/misc.html",
    }


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('["drafts/"]', "pelicanconf.py: SITEMAPPER: must be a dictionary, not ['drafts/']"),
        ('{"config": "gone.toml"}', "gone.toml: does not exist"),
    ],
)
def test_a_mistake_in_an_option_ends_the_build_before_it_begins(
    more: str, message: str, project: Path
) -> None:
    said = run(project, more=f"SITEMAPPER = {more}", code=1)
    assert message in said and "help: " in said
    assert "Traceback" not in said
    assert not (project / "output").exists()


def test_a_guard_ends_the_build_without_a_traceback(project: Path) -> None:
    said = run(project, more='SITEMAPPER = {"ignore": ["*"]}', code=1)
    assert "no page to list" in said and "Traceback" not in said


def test_warnings_are_of_pelican(project: Path) -> None:
    write_site(project, {"content/extra/robots.txt": "Sitemap: https://example.com/old.xml\n"})
    said = [line for line in run(project).splitlines() if "WARNING" in line]
    assert "robots.txt lists a sitemap that does not exist" in "".join(said)
