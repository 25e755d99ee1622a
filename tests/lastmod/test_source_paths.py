"""The paths that the page of a source file may have."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pytest

from sitemapper.lastmod.source_paths import (
    names_like_sources,
    path_by_route,
    route_of,
    without_endings,
)
from sitemapper.model import SourceRoute
from sitemapper.syntax.source_text import SourceFacts


def like_sources(names: list[str], routes: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    return names_like_sources(names, "", ["public"], routes)


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


ROUTES = {"docs": "docs/next", "docs/api": "api"}
DOCS = SourceRoute("docs", "docs/next")


def test_neither_the_versions_of_a_folder_nor_their_translations_without_a_route() -> None:
    names = [
        "docs/a.md",
        "versioned_docs/version-1/a.md",
        "i18n/de/docs/version-1/a.md",
        "blog/a.md",
    ]
    assert like_sources(names) == ["blog/a.md"]
    assert like_sources(names, ROUTES) == ["docs/a.md", "blog/a.md"]
    assert like_sources(names[:1]) == ["docs/a.md"]


def test_the_innermost_route_counts() -> None:
    assert route_of("docs/api/a.md", ROUTES) == SourceRoute("docs/api", "api")
    assert route_of("docs/a.md", ROUTES) == DOCS
    assert route_of("docs-old/a.md", ROUTES) is None


@pytest.mark.parametrize(
    ("name", "names", "page"),
    [
        ("docs/intro.md", (), "docs/next/intro"),
        ("docs/01-Basics/02-intro.mdx", (), "docs/next/basics/intro"),
        ("docs/tea/index.md", (), "docs/next/tea"),
        ("docs/tea/README.md", (), "docs/next/tea"),
        ("docs/tea/Tea.md", (), "docs/next/tea"),
        ("docs/index.md", (), "docs/next"),
        ("docs/tea/a.md", ("green",), "docs/next/tea/green"),
        ("docs/tea/a.md", ("../green",), "docs/next/green"),
        ("docs/tea/a.md", ("/green",), "docs/next/green"),
        ("docs/tea/a.md", ("/",), "docs/next"),
    ],
)
def test_the_page_of_a_file_with_a_route(name: str, names: tuple[str, ...], page: str) -> None:
    assert path_by_route(name, SourceFacts(names=names), DOCS) == tuple(page.split("/"))
