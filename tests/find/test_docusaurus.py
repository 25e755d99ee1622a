"""Which folder of a versioned documentation of Docusaurus makes which pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitemapper.find.docusaurus import find_source_routes
from sitemapper.syntax.settings_files import parse

PRESET = "presets: [['classic', {{ docs: {} }}]]"
OLD = {"versioned_docs/version-2.0": "docs", "versioned_docs/version-1.0": "docs/1.0"}


def routes(
    root: Path, docs: str, settings: str = "", versions: str = '["2.0", "1.0"]'
) -> dict[str, str]:
    """The folders of sources with their pages; `docs` are the options of the documentation."""
    return routes_of(root, f"{PRESET.format(docs)}, {settings}", versions)


def routes_of(root: Path, settings: str, versions: str = '["2.0", "1.0"]') -> dict[str, str]:
    """The folders of sources with their pages, of a project with these settings."""
    (root / "versions.json").write_text(versions)
    config = f"export default {{ url: 'https://tea.example', {settings} }}"
    entries = {"docusaurus.config.js": parse(config, "docusaurus.config.js")}
    found = find_source_routes(str(root), entries)
    return {str(Path(route.folder).relative_to(root.parent)): route.pages for route in found}


@pytest.mark.parametrize(
    ("docs", "expected"),
    [
        ("{}", {"docs": "docs/next"} | OLD),
        ("{ path: './text' }", {"text": "docs/next"} | OLD),
        ("{ routeBasePath: '/' }", {"docs": "next", "versioned_docs/version-2.0": ""}),
        ("{ lastVersion: 'current' }", {"docs": "docs", "versioned_docs/version-2.0": "docs/2.0"}),
        ("{ lastVersion: '1.0' }", {"versioned_docs/version-1.0": "docs"}),
        ("{ versions: { current: { path: 'canary' } } }", {"docs": "docs/canary"} | OLD),
        (
            "{ versions: { '1.0': { path: 'old/1' } } }",
            {"versioned_docs/version-1.0": "docs/old/1"},
        ),
        ("{ includeCurrentVersion: false }", OLD),
    ],
)
def test_the_paths_of_versions(tmp_path: Path, docs: str, expected: dict[str, str]) -> None:
    named = {f"{tmp_path.name}/{folder}": pages for folder, pages in expected.items()}
    assert named.items() <= routes(tmp_path, docs).items()


@pytest.mark.parametrize("name", ["1\\u0000", "\\ud800", "a/../../../b", "a\\\\b"])
def test_a_version_whose_name_is_no_folder_has_no_route(tmp_path: Path, name: str) -> None:
    found = routes(tmp_path, "{ lastVersion: '2.0' }", versions=f'["{name}", "2.0"]')
    site = tmp_path.name
    assert found == {f"{site}/docs": "docs/next", f"{site}/versioned_docs/version-2.0": "docs"}


def test_the_current_files_may_stand_beside_the_project(tmp_path: Path) -> None:
    root = tmp_path / "website"
    root.mkdir()
    found = routes(root, "{ path: '../docs', lastVersion: 'current' }", versions='["1.0"]')
    old = {"website/versioned_docs/version-1.0": "docs/1.0"}
    assert found == {"docs": "docs"} | old


def test_translations_are_below_their_language(tmp_path: Path) -> None:
    for locale in ("de", "en"):
        (tmp_path / "i18n" / locale).mkdir(parents=True)
    found = routes(tmp_path, "{}", "i18n: { defaultLocale: 'en' }", '["1.0"]')
    below = f"{tmp_path.name}/i18n/{{}}/docusaurus-plugin-content-docs/{{}}"
    assert found[below.format("de", "current")] == "de/docs/next"
    assert found[below.format("de", "version-1.0")] == "de/docs"
    assert found[below.format("en", "version-1.0")] == "docs"


@pytest.mark.parametrize(
    "settings",
    [
        PRESET.format("{ lastVersion: process.env.LAST }"),
        PRESET.format("{ path: where() }"),
        PRESET.format("{ ...options() }"),
        PRESET.format("false"),
        PRESET.format("{ onlyIncludeVersions: ['current'] }"),
        PRESET.format("{ onlyIncludeVersions: [...recent, '1.0'] }"),
        PRESET.format("{ disableVersioning: true }"),
        PRESET.format("false") + ", plugins: [load()]",
        "presets: load()",
        "presets: [load(), ['classic', { docs: {} }]]",
        "presets: [['classic', options]]",
        "...shared",
        "plugins: load()",
        "plugins: [load()]",
    ],
)
def test_what_only_code_can_tell_gives_none(tmp_path: Path, settings: str) -> None:
    assert routes_of(tmp_path, settings) == {}


def test_a_plugin_that_only_code_can_tell_does_not_hide_the_preset(tmp_path: Path) -> None:
    expected = routes(tmp_path, "{}")
    assert routes(tmp_path, "{}", "plugins: [load(), () => ({ name: 'x' })]") == expected


@pytest.mark.parametrize("versions", ["", "{", "{}", "[1]", "[" * 9999])
def test_a_broken_list_of_versions(tmp_path: Path, versions: str) -> None:
    assert routes(tmp_path, "{}", versions=versions) == {f"{tmp_path.name}/docs": "docs"}
