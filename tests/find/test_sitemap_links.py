"""Pages that link to another sitemap than the one that is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, Run, Site


def link(href: str) -> str:
    return f'<!doctype html><html><head><link rel="sitemap" href="{href}"></head><p>Tea.'


@pytest.mark.parametrize(
    "href", ["/sitemap-index.xml", "sitemap-index.xml", f"{BASE}sitemap-index.xml"]
)
def test_a_link_to_another_name_is_noted_with_the_setting(site: Site, run: Run, href: str) -> None:
    root = site({"index.html": link(href)})
    assert run("build", root, "--base-url", BASE) == 0
    assert (
        "note: index.html links to sitemap-index.xml as the sitemap, but sitemap.xml is written\n"
        '  help: set name = "sitemap-index.xml" under [sitemap], or correct <link rel="sitemap">\n'
    ) in run.err


@pytest.mark.parametrize(
    "page",
    [
        link("/sitemap.xml"),
        link("/sitemap.xml.gz"),
        link("https://tea.dev/sitemap-index.xml"),
        f"<!-- {link('/sitemap-index.xml')} -->",
        "<p>Tea.",
    ],
)
def test_links_to_the_own_sitemap_or_another_host_are_no_note(
    site: Site, run: Run, page: str
) -> None:
    assert run("build", site({"index.html": page}), "--base-url", BASE) == 0
    assert "as the sitemap" not in run.err


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"index.html": link("/sitemap-index.xml")}, "sitemap-index.xml"),
        # A sitemap of another tool stays beside the name that `init` proposes.
        ({"index.html": link("/sitemap.xml"), "sitemap.xml": "<urlset/>"}, "sitemap-pages.xml"),
    ],
)
def test_with_a_name_of_its_own_the_note_is_gone(
    site: Site, run: Run, tmp_path: Path, files: dict[str, str], name: str
) -> None:
    root = site(files)
    (tmp_path / "sitemapper.toml").write_text(f'[sitemap]\nname = "{name}"\n')
    assert run("build", root, "--base-url", BASE) == 0
    assert "as the sitemap" not in run.err
    assert (root / name).exists()


def test_a_name_in_another_folder_cannot_be_set(site: Site, run: Run) -> None:
    assert run("build", site({"index.html": link("/maps/all.xml")}), "--base-url", BASE) == 0
    assert '  help: correct <link rel="sitemap">\n' in run.err
