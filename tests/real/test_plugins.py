"""Our plugins in the oldest and the newest versions of their hosts: dates of git, in every clone the same."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from support import BASE
from support.git import Repo, day
from support.ledger import dates

from real.tools import CACHE, run

pytestmark = pytest.mark.real

RST = "{}\n#####\n\nText.\n"
MKDOCS = {
    "mkdocs.yml": f"site_name: Tea\nsite_url: {BASE}\ntheme: material\nplugins: [search, sitemapper]\n",
    "docs/index.md": "# Tea\n",
    "docs/guide/boil.md": "# Boil\n",
    "docs/über uns.md": "# Us\n",
}
SPHINX = {
    "conf.py": f'project = "Tea"\nhtml_baseurl = "{BASE}"\nhtml_theme = "furo"\n'
    'extensions = ["sphinx.ext.viewcode", "sitemapper.integrations.sphinx"]\nexclude_patterns = ["out"]\n',
    "index.rst": RST.format("Tea") + "\n.. toctree::\n\n   guide/boil\n   über uns\n",
    "guide/boil.rst": RST.format("Boil"),
    "über uns.rst": RST.format("Us"),
}
PELICAN = {
    "pelicanconf.py": f'SITENAME = "Tea"\nSITEURL = "{BASE.rstrip("/")}"\nTIMEZONE = "UTC"\nSTATIC_PATHS = []\n'
    'PLUGINS = ["sitemapper.integrations.pelican"]\nSLUGIFY_SOURCE = "basename"\n'
    'DIRECT_TEMPLATES = ["index"]\nCATEGORY_SAVE_AS = AUTHOR_SAVE_AS = ""\n'
    "FEED_ALL_ATOM = CATEGORY_FEED_ATOM = TRANSLATION_FEED_ATOM = AUTHOR_FEED_ATOM = AUTHOR_FEED_RSS = None\n",
    "content/guide/boil.rst": "Boil\n####\n\n:date: 2026-01-01\n\nText.\n",
    "content/pages/us.rst": RST.format("Us"),
}


class Host(NamedTuple):
    """A project, how it is built, and the dates of its URLs."""

    files: Mapping[str, str]
    command: tuple[str, ...]
    out: str
    dates: Mapping[str, str | None]


FOLDERS = {"": day(1), "guide/boil/": day(2), "%C3%BCber%20uns/": day(1)}
FILES = {"index.html": day(1), "guide/boil.html": day(2), "%C3%BCber%20uns.html": day(1)}
SPHINX_BUILD = ("sphinx-build", "-W", "-j", "2", "-b", "html", ".", "out")
HOSTS = {
    "mkdocs": Host(MKDOCS, ("mkdocs", "build", "--strict", "-f", "mkdocs.yml"), "site", FOLDERS),
    "sphinx": Host(SPHINX, SPHINX_BUILD, "out", FILES),
    "pelican": Host(PELICAN, ("pelican", "content", "--fatal=warnings"), "output",
        {"": None, "boil.html": day(2), "pages/us.html": day(1)}),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTS)
@pytest.mark.parametrize("age", ["oldest", "newest"])
def test_one_line_dates_the_pages_by_git_and_no_build_moves_a_date(
    age: str, name: str, tmp_path: Path
) -> None:
    host = HOSTS[name]
    (edited,) = (file for file in host.files if "boil" in file)
    repo = Repo(tmp_path / "project")
    repo.commit(1, {**host.files, ".gitignore": host.out})
    repo.commit(2, {edited: host.files[edited] + "\nMore.\n"})
    repo("clone", "--quiet", str(repo.root), str(tmp_path / "clone"))
    program, *args = host.command
    published = []
    for root in (repo.root, repo.root, tmp_path / "clone"):
        run(CACHE / age / "bin" / program, *args, cwd=root, env={"NO_MKDOCS_2_WARNING": "1"})
        assert dates(root / host.out) == host.dates
        assert [path.name for path in (root / host.out).glob("sitemap*")] == ["sitemap.xml"]
        published.append((root / host.out / "sitemap.xml").read_bytes())
    assert published[0] == published[1] == published[2]
