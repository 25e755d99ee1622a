"""The recipes in "Versions" of docs/generators.md: each is run as it stands there, for two releases."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from support import BASE
from support.git import Repo, day
from support.ledger import dates

from real.tools import CACHE, ROOT, run

pytestmark = pytest.mark.real

PAGE = (
    (ROOT / "docs/generators.md").read_text().partition("\n## Versions\n")[2].partition("\n## ")[0]
)
BIN = CACHE / "versions" / "bin"
ENVIRONMENT = {
    # The sitemapper that is tested, wherever the tools of these recipes were installed.
    "PYTHONPATH": str(ROOT),
    "PATH": os.pathsep.join([str(BIN), os.environ["PATH"]]),
    "DOCUSAURUS_NO_UPDATE_CHECK": "1",
    "NO_MKDOCS_2_WARNING": "1",
    **{f"GIT_{role}_NAME": "x" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "x@y" for role in ("AUTHOR", "COMMITTER")},
}


def recipe(heading: str) -> tuple[dict[str, str], str]:
    """The files and the commands of a section."""
    section = PAGE.partition(f"\n### {heading}\n")[2].partition("\n### ")[0]
    files = dict(re.findall(r'(?ms)^```\w+ title="(.*?)"\n(.*?)^```$', section))
    [commands] = re.findall(r"(?ms)^```sh\n(.*?)^```$", section)
    return files, commands


def execute(commands: str, root: Path) -> None:
    run("bash", "-ec", commands, cwd=root, env=ENVIRONMENT)


def sitemaps(root: Path) -> list[str]:
    """All sitemaps of a site, whoever wrote them."""
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*sitemap*.xml*"))


def test_every_recipe_is_tried() -> None:
    with_commands = [part for part in PAGE.split("\n### ") if "\n```sh\n" in part]
    headings = [part.partition("\n")[0] for part in with_commands]
    assert headings == ["mike", "Sphinx", "Docusaurus"]


def test_mike(tmp_path: Path) -> None:
    """A release moves the dates of pages whose sources changed, and leaves one sitemap."""
    files, commands = recipe("mike")
    files["mkdocs.yml"] = "site_name: Tea\n" + files["mkdocs.yml"]
    repo = Repo(tmp_path / "tea")
    docs = {f"docs/{name}.md": f"# {name}\n" for name in ("index", "boil", "guide/index")}
    repo.commit(1, {**files, **docs, ".gitignore": "site\npages\n"})
    repo("init", "-q", "--bare", str(tmp_path / "origin"))
    repo("remote", "add", "origin", str(tmp_path / "origin"))
    execute(commands, repo.root)
    repo.commit(3, {"docs/boil.md": "# boil\n\nMore.\n"})
    execute(commands.replace("1.1", "1.2"), repo.root)
    repo("clone", "-q", "-b", "gh-pages", str(tmp_path / "origin"), str(tmp_path / "published"))
    published = tmp_path / "published"
    assert sorted(path.name for path in published.glob("*/boil")) == ["boil"] * 3
    assert sitemaps(published) == ["sitemap.xml"]
    assert dates(published) == {
        "docs/latest/": day(1), "docs/latest/boil/": day(3), "docs/latest/guide/": day(1),
    }  # fmt: skip
    assert repo("status", "--short") == ""


def test_mike_without_a_canonical_version(tmp_path: Path) -> None:
    files, _ = recipe("mike")
    config = files["mkdocs.yml"].replace("      canonical_version: latest\n", "")
    repo = Repo(tmp_path / "tea")
    docs = {f"docs/{name}.md": f"# {name}\n" for name in ("index", "boil")}
    repo.commit(1, {"mkdocs.yml": "site_name: Tea\n" + config, **docs, ".gitignore": "site\n"})
    execute("mike deploy 1.0", repo.root)
    repo.commit(2, {"docs/boil.md": "# boil\n\nMore.\n"})
    execute("mike deploy --update-aliases 1.1 latest", repo.root)
    published = tmp_path / "published"
    repo("clone", "-q", "-b", "gh-pages", str(repo.root), str(published))
    assert dates(published / "1.0") == {"docs/1.0/": day(1), "docs/1.0/boil/": day(1)}
    assert dates(published / "1.1") == {"docs/1.1/": day(1), "docs/1.1/boil/": day(2)}
    execute("sitemapper build . --base-url https://example.com/docs/", published)
    found = dates(published)
    folders = ("1.0", "1.1")
    assert list(found) == [f"docs/{of}/{name}" for of in folders for name in ("", "boil/")]
    # The first deploy wrote all pages that there were, so it dates none of them.
    assert [date is None for date in found.values()] == [True, True, False, False]


SPHINX = {
    "docs/index.rst": "Tea\n===\n\nText.\n\n.. toctree::\n\n   boil\n",
    "docs/boil.rst": "Boil\n====\n\nText.\n",
    ".gitignore": "site\nversions\n",
}


def sphinx_project(root: Path) -> Repo:
    """A project with a tag for 1.0, and a page that changed since."""
    files, _ = recipe("Sphinx")
    repo = Repo(root)
    repo.commit(1, {**files, **SPHINX})
    repo("tag", "1.0")
    repo.commit(2, {"docs/boil.rst": SPHINX["docs/boil.rst"] + "\nMore.\n"})
    return repo


def test_sphinx(tmp_path: Path) -> None:
    repo = sphinx_project(tmp_path / "tea")
    _, commands = recipe("Sphinx")
    for _ in range(2):
        execute(commands, repo.root)
        site = repo.root / "site"
        assert (site / "1.0/boil.html").exists()
        assert sitemaps(site) == ["stable/sitemap.xml"]
        assert dates(site / "stable") == {"stable/index.html": day(1), "stable/boil.html": day(2)}
    assert repo("status", "--short") == ""


def test_sphinx_with_canonicals_of_their_own(tmp_path: Path) -> None:
    repo = sphinx_project(tmp_path / "tea")
    _, commands = recipe("Sphinx")
    execute(
        commands.replace("example.com/stable/ versions", "example.com/1.0/ versions"), repo.root
    )
    site = repo.root / "site"
    assert sitemaps(site) == ["1.0/sitemap.xml", "stable/sitemap.xml"]
    assert dates(site / "1.0") == {"1.0/index.html": day(1), "1.0/boil.html": day(1)}
    assert dates(site / "stable") == {"stable/index.html": day(1), "stable/boil.html": day(2)}


def test_docusaurus(tmp_path: Path) -> None:
    files, commands = recipe("Docusaurus")
    modules = CACHE / "docusaurus" / "node_modules"
    config = """module.exports = { title: "Tea", url: "https://example.com", baseUrl: "/",
        presets: [["classic", { blog: false, sitemap: false }]] };"""
    repo = Repo(tmp_path / "tea")
    # webpack keeps a cache in this folder, which projects cannot share.
    (repo.root / "node_modules").mkdir()
    for module in modules.iterdir():
        if module.name != ".cache":
            (repo.root / "node_modules" / module.name).symlink_to(module)
    docs = {f"docs/{name}.md": f"# {name}\n" for name in ("boil", "guide/index")}
    docs["src/pages/index.md"] = "# Tea\n"
    ignored = {".gitignore": "node_modules\nbuild\n.docusaurus\n"}
    repo.commit(1, {"docusaurus.config.js": config, "package.json": "{}", **docs, **ignored})
    execute("npx docusaurus docs:version 1.0", repo.root)
    repo.commit(2, {})
    execute("npx docusaurus docs:version 2.0", repo.root)
    repo.commit(3, files)
    for _ in range(2):
        execute(f"export SITEMAPPER_BASE_URL={BASE}\n{commands}", repo.root)
        assert (repo.root / "build/docs/1.0/boil/index.html").exists()
        assert sitemaps(repo.root / "build") == ["sitemap.xml"]
        assert dates(repo.root / "build") == {"": None, "docs/boil": None, "docs/guide/": None}
