"""What a build warns of when it decides about a page."""

from __future__ import annotations

import pytest
from support import BASE, Run, Site
from support.heads import canonical
from support.heard import heard


@pytest.mark.parametrize(
    ("files", "caution", "about"),
    [
        ({"a.html": canonical("/gone.html")}, "MISSING", "a.html (https://example.com/gone.html)"),
        ({"a.html": canonical("http://example.com/a.html")}, "SCHEME", "a.html"),
        ({"a.html": canonical("http://localhost:1313/a.html"), "b.html": ""}, "OTHER_ORIGIN", "http://localhost:1313"),
        ({"a.html": "", "_redirects": "/a.html /b 301"}, "HOST", "a.html, listed (_redirects:1: /a.html /b 301)"),
        ({"a.html": "", "_headers": "/a.html\n  X-Robots-Tag: noindex"}, "HOST", "a.html, not listed (_headers:2: X-Robots-Tag: noindex)"),
    ],
)  # fmt: skip
def test_warnings(site: Site, files: dict[str, str], caution: str, about: str) -> None:
    assert heard(site(files)).warned == {caution: (about,)}


def test_a_page_that_every_possible_host_leaves_out_is_a_warning_only_if_there_are_several(
    site: Site,
) -> None:
    root = site({"a.html": "", "b.html": "", "_headers": "/a.html\n  X-Robots-Tag: noindex\n"})
    assert heard(root, host="netlify").warned == {}
    assert "HOST" in heard(root).warned


@pytest.mark.parametrize(
    ("page", "href", "listed"),
    [("a.html", "/a.html", "/a"), ("a+b.html", "/a+b", "/a%2Bb"), ("a+b.html", "/a%2Bb", "/a%2Bb")],
)
def test_a_canonical_in_a_form_that_the_host_redirects(
    site: Site, page: str, href: str, listed: str
) -> None:
    """Cloudflare Workers redirect `/a.html` to `/a`, and `/a+b` to `/a%2Bb`."""
    root = site({page: canonical(href)})
    (root.parent / "wrangler.toml").write_text('[assets]\ndirectory = "public"\n')
    form = f"https://example.com{href}, listed as https://example.com{listed}"
    assert heard(root).warned == ({} if href == listed else {"FORM": (form,)})


def test_a_few_canonicals_of_other_sites_are_deliberate(site: Site, run: Run) -> None:
    pages = {f"{number}.html": "" for number in range(19)}
    elsewhere = {f"{x}.html": canonical(f"https://other.example/{x}") for x in "xy"}
    root = site(pages | elsewhere)
    assert run("build", str(root), "--base-url", BASE, "--strict", "-v") == 0
    assert "2 canonicals on another site: https://other.example" in run.out
    assert heard(root).warned == {}
    (root / "0.html").unlink()
    assert heard(root).warned == {"OTHER_ORIGIN": ("https://other.example",)}


def test_a_page_whose_forms_lead_to_each_other_stays_at_the_first(site: Site) -> None:
    rules = "/a.html /a 301!\n/a /a.html 301!\n"
    told = heard(site({"a.html": "", "_redirects": rules}), host="netlify")
    assert told.warned == {"CIRCLE": (f"{BASE}a.html",)}
    assert told.excluded == {}
