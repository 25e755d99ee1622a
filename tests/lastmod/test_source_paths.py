"""The paths that the page of a source file may have."""

from __future__ import annotations

import pytest

from sitemapper.lastmod.source_paths import names_like_sources, without_endings


def like_sources(names: list[str]) -> list[str]:
    return names_like_sources(names, "", ["public"])


@pytest.mark.parametrize(
    "name",
    [
        "public/a.html",
        ".github/a.md",
        "docs/_includes/a.md",
        "layouts/a.html",
        "content/_index.md",
        "src/pages/[slug].astro",
        "a.png",
    ],
)
def test_what_makes_no_page(name: str) -> None:
    assert like_sources([name, "content/templates/a.md"]) == ["content/templates/a.md"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.b/tea.html.MD", "a.b/tea"),
        ("folder.md/tea", "folder.md/tea"),
        (".md", ""),
        ("tea" + ".md" * 11, "tea.md.md"),
    ],
)
def test_a_path_without_endings(path: str, expected: str) -> None:
    assert without_endings(path) == expected


def test_neither_the_versions_of_a_folder_nor_their_translations() -> None:
    names = [
        "docs/a.md",
        "versioned_docs/version-1/a.md",
        "i18n/de/docs/version-1/a.md",
        "blog/a.md",
    ]
    assert like_sources(names) == ["blog/a.md"]
    assert like_sources(names[:1]) == ["docs/a.md"]
