"""Generators and `sitemapper build` after them, as README has it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from support import locs
from support.git import Repo

from real.tools import CACHE, NODE_MODULES, run

pytestmark = pytest.mark.real

ASTRO = CACHE / "astro" / "node_modules"
DOCUSAURUS = CACHE / "docusaurus" / "node_modules"
MARKDOWN = "# Title\n"
HTML = "---\n---\n<!doctype html><title>Title</title>"


class Project(NamedTuple):
    """The sources of a site, the folder that it is built into, its URLs, and the packages of Node."""

    sources: Mapping[str, str]
    out: str
    urls: set[str]
    modules: Path | None = None


PROJECTS = {
    "Astro": Project({f"src/pages/{n}.md": MARKDOWN for n in ("index", "boil")}, "dist", {"", "boil/"}, ASTRO),
    "Jekyll": Project({f"{n}.html": HTML for n in ("index", "boil")}, "_site", {"", "boil.html"}),
}  # fmt: skip

PAGE = "<!doctype html><title>{{ .Title }}</title>"
OWN_BASE = "https://tea.dev/"  # sitemapper takes no example for the base URL
SITE = '"https://tea.dev"'
# With the base URL in the generator's own settings where it has a key for it.
OF_README = {
    "Hugo": Project(
        {
            # Hugo lists tags and categories in its sitemap even if no layout shows them.
            "hugo.toml": f'baseURL = {SITE}\ndisableKinds = ["taxonomy", "term"]',
            "layouts/index.html": PAGE, "layouts/_default/single.html": PAGE,
            **dict.fromkeys(("content/_index.md", "content/boil.md"), "---\ntitle: Title\n---\ntext"),
        },
        "public", {"", "boil/"},
    ),
    "Jekyll": PROJECTS["Jekyll"]._replace(
        sources=PROJECTS["Jekyll"].sources | {"_config.yml": f"url: {SITE}\n"}
    ),
    "Astro": PROJECTS["Astro"]._replace(
        sources=PROJECTS["Astro"].sources | {"astro.config.mjs": f"export default {{ site: {SITE} }};"}
    ),
    "Eleventy": Project(
        {"CNAME": "tea.dev", "eleventy.config.js": 'module.exports = (c) => { c.addPassthroughCopy("CNAME"); };',
         **{f"{n}.md": MARKDOWN for n in ("index", "boil")}},
        "_site", {"", "boil/"}, NODE_MODULES,
    ),
    "Docusaurus": Project(
        {
            "docusaurus.config.js": f"""module.exports = {{ title: "Title", url: {SITE}, baseUrl: "/",
                presets: [["classic", {{ blog: false, sitemap: false }}]] }};""",
            "src/pages/index.md": MARKDOWN, "docs/boil.md": MARKDOWN,
        },
        "build", {"", "docs/boil"}, DOCUSAURUS,
    ),
    "VitePress": Project(
        {
            "package.json": '{"type": "module"}',
            ".vitepress/config.js": f"export default {{ cleanUrls: true, sitemap: {{ hostname: {SITE} }} }};",
            "index.md": f"{MARKDOWN}\n[Boil](boil.md)\n", "boil.md": MARKDOWN,
        },
        ".vitepress/dist", {"", "boil"}, NODE_MODULES,
    ),
}  # fmt: skip
COMMANDS = {
    "Hugo": "hugo",
    "Jekyll": "jekyll build",
    "Astro": "npx astro build",
    "Eleventy": "npx eleventy",
    "Docusaurus": "npx docusaurus build",
    "VitePress": "npx vitepress build",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_build_after_the_generator_gives_a_sitemap_of_ours(name: str, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "project")
    repo.commit(1, OF_README[name].sources)
    build_twice(OF_README[name], f"{COMMANDS[name]} && sitemapper build", repo.root, OWN_BASE)


def build_twice(project: Project, command: str, root: Path, base: str) -> None:
    """Runs a command in a project, and looks at the sitemap after each run."""
    if project.modules:
        (root / "node_modules").symlink_to(project.modules)
    folders = [os.path.dirname(sys.executable), str(CACHE / "newest" / "bin"), os.environ["PATH"]]
    environment = {"PATH": os.pathsep.join(folders), "DOCUSAURUS_NO_UPDATE_CHECK": "1"}
    for _ in range(2):
        run("bash", "-ec", command, cwd=root, env=environment)
        assert set(locs(root / project.out)) == {base + url for url in project.urls}
        assert "sitemapper wrote this file" in (root / project.out / "sitemap.xml").read_text()
