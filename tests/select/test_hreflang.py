"""The language versions that a page's hreflang links name, and those that are left out."""

from __future__ import annotations

import pytest
from support import BASE, Site, build
from support.heads import alternates


def test_a_version_that_is_not_there_is_left_out_with_a_warning(site: Site) -> None:
    """But not one that is a URL of the configuration, or a page to choose a language."""
    versions = {"de": "/de/", "en": "/en/", "fr": "/fr/", "pl": "/pl/", "x-default": "/choose"}
    root = site(dict.fromkeys(("de/index.html", "en/index.html"), alternates(*versions.items())))
    summary = build(root, hreflang=True, urls=[{"loc": f"{BASE}pl/"}])
    assert [(kind.name, count, examples) for kind, examples, count, _ in summary.warnings] == [
        ("HREFLANG_MISSING", 2, (f"{BASE}de/ names {BASE}fr/", f"{BASE}en/ names {BASE}fr/"))
    ]
    text = (root / "sitemap.xml").read_text()
    assert text.count("<xhtml:link") == 2 * 4
    assert 'hreflang="fr"' not in text


def test_a_version_that_a_rule_of_the_host_leads_on_is_not_missing(site: Site) -> None:
    links = alternates(("de", "/de/"), ("fr", "/fr/"))
    root = site({"de/index.html": links, "_redirects": "/fr/ /de/ 301!\n"})
    summary = build(root, hreflang=True, host="netlify")
    assert "HREFLANG_MISSING" not in {kind.name for kind, *_ in summary.warnings}


def test_a_version_is_spelled_as_its_own_canonical(site: Site) -> None:
    both = alternates(("de", "/de/"), ("en", "/en/"))
    named = both.replace("<head>", '<head><link rel="canonical" href="/en">')
    root = site({"de/index.html": both, "en/index.html": named})
    assert build(root, hreflang=True).warnings == ()
    text = (root / "sitemap.xml").read_text()
    assert text.count(f'hreflang="en" href="{BASE}en"/>') == 2
    assert f"<loc>{BASE}en</loc>" in text


@pytest.mark.parametrize(
    ("more", "is_fault"),
    [
        (("fr", "https://example.fr/"), False),  # a version on another site cannot be asked
        (("x-default", "/"), False),  # a page to choose a language need not answer
        (("fr", "/"), True),
    ],
)
def test_which_versions_have_to_answer(site: Site, more: tuple[str, str], is_fault: bool) -> None:
    root = site({"index.html": "", "de/index.html": alternates(("de", "/de/"), more)})
    kinds = [kind.name for kind, *_ in build(root, hreflang=True).warnings]
    assert kinds == ["HREFLANG"] * is_fault
    language, url = more
    link = f'hreflang="{language}" href="{url if "//" in url else BASE}"/>'
    assert link in (root / "sitemap.xml").read_text()


def test_without_the_setting_no_versions_are_listed(site: Site) -> None:
    links = alternates(("de", "/de/"), ("en", "/en/"))
    root = site({"de/index.html": links, "en/index.html": links})
    build(root, hreflang=False)
    assert "hreflang" not in (root / "sitemap.xml").read_text()
