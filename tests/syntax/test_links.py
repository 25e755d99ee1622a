"""What the links of a page name, as absolute URLs."""

from __future__ import annotations

import pytest
from support import BASE

from sitemapper.model import Alternates, LinkedPage, Metadata, PageFacts
from sitemapper.syntax.links import absolute_alternates, base_of, resolve_alternates, resolve_images

LOC = f"{BASE}docs/a.html"


@pytest.mark.parametrize(
    ("base", "src", "url"),
    [
        (None, "b.png", f"{BASE}docs/b.png"),
        (None, "/b.png", f"{BASE}b.png"),
        (None, "//cdn.example/b.png", "https://cdn.example/b.png"),
        (None, "ü b.png", f"{BASE}docs/%C3%BC%20b.png"),
        ("/img/", "b.png", f"{BASE}img/b.png"),
        ("https://cdn.example/", "b.png", "https://cdn.example/b.png"),
    ],
)
def test_an_image_is_relative_to_the_base_of_its_page(base: str | None, src: str, url: str) -> None:
    assert resolve_images(PageFacts(Metadata(base=base), images=(src,)), LOC) == (url,)


def test_each_image_comes_once_and_none_is_too_long() -> None:
    facts = PageFacts(images=("b.png", "./b.png", "x" * 2_048, "http://["))
    assert resolve_images(facts, LOC) == (f"{BASE}docs/b.png",)


def test_a_base_that_is_no_url_does_not_count() -> None:
    assert base_of(Metadata(base="http://["), LOC) == LOC


DE, FR = f"{BASE}de/", f"{BASE}fr/"
OWN = (DE, {DE, f"{DE}index.html"})  # its URL, and the forms that name it


def versions(*alternates: tuple[str, str]) -> Alternates:
    return absolute_alternates(Metadata(alternates=alternates), DE)


def test_versions_that_name_each_other_are_written() -> None:
    both = versions(("de", "index.html"), ("fr", "/fr/"))
    links, warnings = resolve_alternates(both, *OWN, {FR: LinkedPage(FR, (("de", DE), ("fr", FR)))})
    assert (links, warnings) == ((("de", DE), ("fr", FR)), [])


def test_a_version_may_be_spelled_in_another_way() -> None:
    own = f"{DE}c%2B%2B"
    both = (("de", f"{DE}c++"), ("fr", FR))
    links, warnings = resolve_alternates(
        versions(*both), own, {f"{DE}c++"}, {FR: LinkedPage(FR, both)}
    )
    assert (links, warnings) == ((("de", own), ("fr", FR)), [])


def test_a_version_that_does_not_answer_is_named_in_a_warning() -> None:
    links, warnings = resolve_alternates(
        versions(("de", DE), ("fr", FR)), *OWN, {FR: LinkedPage(FR, ())}
    )
    assert links == (("de", DE), ("fr", FR))
    assert [warning.subjects for warning in warnings] == [(f"{FR} does not list {DE}",)]


def test_a_version_on_another_site_cannot_be_asked() -> None:
    links, warnings = resolve_alternates(
        versions(("de", DE), ("fr", "https://example.fr/")), *OWN, {}
    )
    assert (links, warnings) == ((("de", DE), ("fr", "https://example.fr/")), [])


@pytest.mark.parametrize(
    ("languages", "is_fault"),
    [(["x-default"], False), (["X-Default"], False), (["x-default", "fr"], True)],
)
def test_a_page_to_choose_a_language_need_not_answer(languages: list[str], is_fault: bool) -> None:
    chooser = versions(("de", DE), *((language, BASE) for language in languages))
    links, warnings = resolve_alternates(chooser, *OWN, {BASE: LinkedPage(BASE, ())})
    assert links == (("de", DE), *((language, BASE) for language in languages))
    assert bool(warnings) == is_fault
