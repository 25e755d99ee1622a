"""Our plugins in the oldest and the newest versions of their hosts: dates of git, in every clone the same."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from support import BASE, write_site
from support.git import Repo, day
from support.ledger import dates

from real.tools import CACHE, run

pytestmark = pytest.mark.real

QUIETLY = {"NO_MKDOCS_2_WARNING": "1"}
RST = "{}\n#####\n\nText.\n"
MKDOCS = {
    "mkdocs.yml": f"site_name: Tea\nsite_url: {BASE}\ntheme: THEME\nplugins: [search, sitemapper]\n",
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
    """A project, how it is built, and the URLs: the home, the page that is edited, another."""

    files: Mapping[str, str]
    command: tuple[str, ...]
    out: str
    urls: tuple[str, str, str]


PAGES = ("", "guide/boil/", "%C3%BCber%20uns/")
FILES = ("index.html", "guide/boil.html", "%C3%BCber%20uns.html")


def mkdocs(theme: str, program: str = "mkdocs") -> Host:
    files = MKDOCS | {"mkdocs.yml": MKDOCS["mkdocs.yml"].replace("THEME", theme)}
    return Host(files, (program, "build", "--strict", "-f", "mkdocs.yml"), "site", PAGES)


def sphinx(builder: str, urls: tuple[str, str, str]) -> Host:
    return Host(SPHINX, ("sphinx-build", "-W", "-j", "2", "-b", builder, ".", "out"), "out", urls)


HOSTS = {
    "mkdocs-readthedocs": mkdocs("readthedocs"),
    "mkdocs-material": mkdocs("material"),
    "sphinx-html": sphinx("html", FILES),
    "sphinx-dirhtml": sphinx("dirhtml", PAGES),
    "pelican": Host(PELICAN, ("pelican", "content", "--fatal=warnings"), "output", ("", "boil.html", "pages/us.html")),
}  # fmt: skip
CASES = {
    f"{name}-{age}": (host, age) for name, host in HOSTS.items() for age in ("oldest", "newest")
}
CASES["properdocs-newest"] = (mkdocs("material", "properdocs"), "newest")


def built(root: Path, host: Host, age: str) -> Path:
    program, *args = host.command
    run(CACHE / age / "bin" / program, *args, cwd=root, env=QUIETLY)
    return root / host.out


@pytest.mark.parametrize("case", CASES)
def test_one_line_dates_the_pages_by_git_and_no_build_moves_a_date(
    case: str, tmp_path: Path
) -> None:
    host, age = CASES[case]
    repo = Repo(tmp_path / "project")
    repo.commit(1, {**host.files, ".gitignore": host.out})
    (edited,) = (name for name in host.files if "boil" in name)
    repo.commit(2, {edited: host.files[edited] + "\nMore.\n"})
    out = built(repo.root, host, age)
    home, boil, us = host.urls
    found = dates(out)
    assert found == {home: None if "pelican" in case else day(1), boil: day(2), us: day(1)}
    assert [path.name for path in out.glob("sitemap*")] == ["sitemap.xml"]
    written = (out / "sitemap.xml").read_bytes()
    assert (built(repo.root, host, age) / "sitemap.xml").read_bytes() == written
    shutil.rmtree(out)
    assert (built(repo.root, host, age) / "sitemap.xml").read_bytes() == written
    repo("clone", "--quiet", str(repo.root), str(tmp_path / "clone"))
    assert (built(tmp_path / "clone", host, age) / "sitemap.xml").read_bytes() == written


@pytest.mark.parametrize("name", HOSTS)
def test_a_shallow_clone_gives_no_date_and_the_host_says_why(name: str, tmp_path: Path) -> None:
    host = HOSTS[name]
    repo = Repo(tmp_path / "project")
    repo.commit(1, {**host.files, ".gitignore": host.out})
    repo.commit(2, {"x": "x"})
    repo("clone", "--quiet", "--depth=1", f"file://{repo.root}", str(tmp_path / "clone"))
    said = printed(tmp_path / "clone", host)
    assert set(dates(tmp_path / "clone" / host.out).values()) == {None}
    is_quiet = name == "pelican"  # shows only warnings, unless it is asked for more
    assert ("this is a shallow clone" in said) is not is_quiet


def printed(root: Path, host: Host, *flags: str, code: int = 0) -> str:
    """Builds with the newest host, and returns all that it prints."""
    program, *args = host.command
    command = [str(CACHE / "newest/bin" / program), *args, *flags]
    return run("bash", "-c", 'exec "$@" 2>&1', "bash", *command, cwd=root, env=QUIETLY, code=code)


def test_ours_replaces_that_of_sphinx_sitemap_with_a_warning(tmp_path: Path) -> None:
    host = sphinx("html", FILES)
    write_site(
        tmp_path, {**SPHINX, "conf.py": SPHINX["conf.py"] + 'extensions.append("sphinx_sitemap")\n'}
    )
    for _ in range(2):
        said = printed(tmp_path, host, "-E", "-a", code=1)  # -W makes the warning an error
        assert "sitemap.xml was generated" in said
        assert "out/sitemap.xml, which another tool wrote: 5 earlier URLs lost" in said
        assert set(dates(tmp_path / host.out)) == set(host.urls)
