"""Which addresses a site cannot have: those of new projects and of previews."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Run, write_site

STARTERS = [
    ("hugo.toml", "baseURL = 'https://example.org/'\ntitle = 'My New Hugo Site'", "public", "baseURL"),
    ("docusaurus.config.js", "export default {url: 'https://your-docusaurus-site.example.com'}", "build", "url"),
    ("publishconf.py", "SITEURL = 'https://example.com'", "output", "SITEURL"),
    ("nanoc.yaml", "base_url: http://example.com", "output", "base_url"),
    ("antora-playbook.yml", "site: {url: 'https://example.com'}", "build/site", "site.url"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "site", "key"), STARTERS)
def test_the_address_in_a_starter_is_to_be_set_and_the_site_built_again(
    tmp_path: Path, run: Run, name: str, text: str, site: str, key: str
) -> None:
    address = text[text.index("http") :].rstrip("'`)}")
    page = f'<link rel="canonical" href="{address}"><p>Tea.'
    write_site(tmp_path, {name: text, f"{site}/index.html": page})
    assert run("build") == 2
    line = text[: text.index(address)].count("\n") + 1
    assert f"\n  help: set {key} in {name}:{line}, and build the site again\n" in run.err
    tea = {
        path: text.replace(address, "https://tea.dev/")
        for path, text in {name: text, f"{site}/index.html": page}.items()
    }
    write_site(tmp_path, tea)
    assert run("build") == 0, run.err
    assert run.out.startswith("https://tea.dev/sitemap.xml")
