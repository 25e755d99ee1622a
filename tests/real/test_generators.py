"""Sites of real generators: we list what the generator's own sitemap lists, but for what is explained."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import locs

from . import sites
from .tools import BUILD, PLAIN, run, sitemapper

pytestmark = pytest.mark.real

Explained = dict[str, dict[str, str]]

RAW = "the generator writes it raw, the protocol wants RFC 3986"
REDIRECT = "a page that only forwards, which the generator knows"
MORE = "a list's further page, which Hugo never lists"
SEARCH = "the theme's search page"
STATIC = "copied by the generator as it is"
ERROR = "an error page, left out by default"


def hugo_lists(end: str) -> dict[str, str]:
    """The further pages of Hugo's lists; for each list, page 1 forwards to the list itself."""
    first = dict.fromkeys(
        (f"+{name}page/1{end}" for name in ("", "categories/", "posts/", "tags/", "tags/blue/")), REDIRECT
    )
    return first | dict.fromkeys((f"+{name}page/2{end}" for name in ("", "posts/", "tags/blue/")), MORE)


# site: {URL below the base, after + where only we list it and - where only the generator does: why}
EXPLAINED_PLAIN: Explained = {
    "mkdocs-directory": {"+old/": REDIRECT},
    "mkdocs-file": {"+old.html": REDIRECT, "+search.html": SEARCH},
    "sphinx-html": {"-404.html": ERROR, "-über uns.html": RAW, "+%C3%BCber%20uns.html": RAW},
    "sphinx-dirhtml": {"-404/": ERROR, "-über uns/": RAW, "+%C3%BCber%20uns/": RAW},
    "hugo": {"+old/": REDIRECT, "+static.html": STATIC, **hugo_lists("/")},
    "hugo-ugly": {"+old.html": REDIRECT, "+static.html": STATIC, **hugo_lists(".html")},
    "eleventy": {"-404.html": ERROR},
}
NOINDEX = "the page says noindex"


def judged(name: str, **more: str) -> dict[str, str]:
    """What is left of a site's differences once redirects are known, and what comes with noindex."""
    kept = {loc: why for loc, why in EXPLAINED_PLAIN[name].items() if why != REDIRECT}
    return kept | {f"-{loc.replace('_', '.')}": why for loc, why in more.items()}


EXPLAINED: Explained = {name: judged(name) for name in EXPLAINED_PLAIN} | {
    "sphinx-html": judged("sphinx-html", search_html=NOINDEX),
    "sphinx-dirhtml": judged("sphinx-dirhtml") | {"-search/": NOINDEX},
}
MODES: dict[str, tuple[list[str], Explained]] = {"plain": (PLAIN, EXPLAINED_PLAIN), "judged": ([], EXPLAINED)}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", sites.ALL)
def test_every_difference_is_explained(name: str, mode: str, tmp_path: Path) -> None:
    flags, explained = MODES[mode]
    out, base, own, style = sites.ALL[name](tmp_path)
    own.rename(tmp_path / "own.xml")
    summary = sitemapper(out, base, "--url-style", style, *flags)
    ours, theirs = locs(out), locs(tmp_path, "own.xml")
    assert summary["listed"] == len(ours) == len(set(ours))
    differences = {"+": set(ours) - set(theirs), "-": set(theirs) - set(ours)}
    found = {sign + loc.removeprefix(base) for sign, urls in differences.items() for loc in urls}
    assert sorted(found) == sorted(explained[name])


def test_the_generators_own_sitemap_is_not_replaced(tmp_path: Path) -> None:
    out, base, own, _ = sites.ALL["mkdocs-directory"](tmp_path)
    before = own.read_bytes()
    run(*BUILD, out, "--base-url", base, code=2)
    assert own.read_bytes() == before
