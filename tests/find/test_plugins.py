"""Which projects are asked for the record of a plugin."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import BASE, Run, write_site

NOTE = "uses the plugin, which has left no current record of a build: run "


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("mkdocs.yml", "plugins:\n  sitemapper:\n    lastmod: []\n", "mkdocs build"),
        ("mkdocs.yml", "plugins: [search, sitemapper]\n", "mkdocs build"),
        ("mkdocs.yml", "plugins:\n  - sitemapper  # dates\n", "mkdocs build"),
        ("mkdocs.yml", "plugins:\r\n\r\n  - sitemapper\r\n", "mkdocs build"),
        ("mkdocs.yml", "site_name: sitemapper\nplugins:\n  - search\n", None),
        ("mkdocs.yml", "# plugins: [sitemapper]\n", None),
        ("mkdocs.yml", "plugins:\n  - search\n  # - sitemapper\n", None),
        ("docs/conf.py", 'extensions = ["sitemapper.integrations.sphinx"]\n', "make html"),
        ("docs/conf.py", '# extensions = ["sitemapper.integrations.sphinx"]\n', None),
        (
            "pelicanconf.py",
            'PLUGINS = ["sitemapper.integrations.pelican"]\n',
            "pelican content -s publishconf.py",
        ),
        ("publishconf.py", 'PLUGINS = ["sitemap"]\n', None),
    ],
)
def test_only_a_project_that_uses_the_plugin_is_asked_for_its_record(
    tmp_path: Path, run: Run, name: str, text: str, command: str | None
) -> None:
    site = {"mkdocs.yml": "site", "docs/conf.py": "docs/_build/html"}.get(name, "output")
    write_site(tmp_path, {name: text, f"{site}/index.html": "<p>"})
    assert run("build", site, "--base-url", BASE, "--dry-run") == 0
    assert (NOTE in run.err) is (command is not None)
    assert command is None or f"note: {name} {NOTE}{command}" in run.err


def test_a_site_of_its_own_below_a_project_is_not_one_of_the_plugin(
    tmp_path: Path, run: Run
) -> None:
    write_site(tmp_path, {".git/HEAD": "", "mkdocs.yml": "plugins: [sitemapper]\n"})
    toml = f'base_url = "{BASE}"\nsite = "public"\nlastmod = []\n'
    write_site(tmp_path / "demo", {"public/index.html": "<p>", "sitemapper.toml": toml})
    os.chdir(tmp_path / "demo")
    assert (run("build"), run.err) == (0, "")
