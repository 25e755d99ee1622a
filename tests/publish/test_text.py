"""The text form of a sitemap: URLs and nothing else."""

from __future__ import annotations

from support import BASE, Site, build

from sitemapper.model import LastMod, Listed
from sitemapper.publish import formats


def test_a_line_is_a_url_as_it_is_without_xml() -> None:
    entry = Listed("a&b.html", f"{BASE}a&b.html", priority="0.5")
    render = formats.by_extension("txt").render
    assert render([entry], [LastMod(0, "1970-01-01")]) == [f"{BASE}a&b.html\n"]


def test_the_text_form_goes_when_it_is_switched_off(site: Site) -> None:
    root = site({"a.html": "", "ä.html": ""})
    build(root, sitemap={"text": True})
    assert (root / "sitemap.txt").read_bytes() == f"{BASE}a.html\n{BASE}%C3%A4.html\n".encode()
    build(root)
    assert not (root / "sitemap.txt").exists()


def test_a_text_file_of_somebody_else_stays(site: Site) -> None:
    root = site({"a.html": "", "sitemap.txt": "https://example.com/theirs"})
    build(root)
    assert (root / "sitemap.txt").read_text() == "https://example.com/theirs"
