"""A rule for the form of a page's URL that the site would use is about the page."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from support import Site, paths
from support.heads import canonical
from support.heard import heard

FEW = dict.fromkeys(("index.html", "old.html", "old2/index.html"), "")


def vercel(*redirects: tuple[str, str], **more: object) -> dict[str, str]:
    rules = [{"source": source, "destination": target} for source, target in redirects]
    return {"vercel.json": json.dumps({**more, "redirects": rules})}


def netlify(redirects: str = "", headers: str = "") -> dict[str, str]:
    return {
        "netlify.toml": "[build]\npublish = '.'\n",
        "_redirects": redirects,
        "_headers": headers,
    }


def cloudflare(redirects: str = "", headers: str = "") -> dict[str, str]:
    return {
        "wrangler.toml": "pages_build_output_dir = '.'\n",
        "_redirects": redirects,
        "_headers": headers,
    }


@pytest.mark.parametrize(
    ("files", "listed"),
    [
        # `/old/` and `/old2` still answer 200.
        (vercel(("/old", "/new"), cleanUrls=True), ["", "old2/"]),
        (vercel(("/old2/", "/new")), ["", "old.html"]),
        (vercel(("/old.html", "/old"), cleanUrls=True), ["", "old", "old2/"]),
        (vercel(("/old", "/old/"), cleanUrls=True), ["", "old/", "old2/"]),
        (vercel(("/:x", "/:x/"), cleanUrls=True), ["", "old/", "old2/"]),
        (vercel(("/old2(.*)", "/new$9")), ["", "old.html", "old2/"]),  # to a place that is not known
        # Netlify serves `/old.html` and `/old`, `/old2/` and `/old2/index.html`.
        (netlify("/old2/ /new 301!"), ["", "old.html"]),
        (netlify("/old2/* /new/:splat 301!"), ["", "old.html"]),
        (netlify("/old.html /old 301!"), ["", "old", "old2/"]),
        (netlify("/*.html /:splat 301!"), ["", "old", "old2/"]),
        (netlify("/old.html https://example.com/old?x 301!"), ["", "old", "old2/"]),
        (netlify("/old.html /old 301!\n/old /new 301!"), ["", "old2/"]),
        (netlify("/old.html /old 301!\n/old /404.html 404!"), ["", "old2/"]),
        (netlify("/old2/ /old2/ 301!"), ["", "old.html", "old2/"]),  # ignored
        (netlify("/old.html /new 301"), ["", "old.html", "old2/"]),
        (netlify(headers="/old2/\n  X-Robots-Tag: noindex"), ["", "old.html"]),
        (netlify(headers="/old2/\n  Basic-Auth: me:secret"), ["", "old.html"]),
        # Cloudflare serves `/old` only.
        (cloudflare("/old /new"), ["", "old2/"]),
        (cloudflare("/old.html /new"), ["", "old", "old2/"]),
        (cloudflare("/old2/ /new"), ["", "old"]),
        (cloudflare("/old /old"), ["", "old2/"]),  # without end
        (cloudflare("/old /old/"), ["", "old2/"]),  # where it does not show the page
        # Only some of the hosts that read this file redirect to another form.
        ({"_redirects": "/old.html /old 301"}, ["", "old.html", "old2/"]),
    ],
)  # fmt: skip
def test_no_loophole_is_listed(files: Mapping[str, str], listed: list[str], site: Site) -> None:
    root = site({**FEW, **files})
    heard(root)
    assert paths(root) == listed


@pytest.mark.parametrize(
    ("files", "href", "listed"),
    [
        (netlify("/old /new 301!"), "/old", []),
        (netlify("/old.html /new 301!"), "/old", ["old"]),  # the rule is about another form
        (netlify("/old.html /new 301!"), "/old.html", []),
        (netlify("/old /old.html 301!"), "/old", ["old.html"]),
        (netlify(headers="/old\n  X-Robots-Tag: noindex"), "/old", []),
        (cloudflare("/old.html /new"), "/old.html", []),
        (cloudflare(headers="/old\n  X-Robots-Tag: noindex"), "/old.html", []),
        (cloudflare(), "/old.html", ["old"]),  # Cloudflare redirects it by itself
        (vercel(("/old/", "/new"), cleanUrls=True), "/old/", []),
        (vercel(("/old/", "/new"), cleanUrls=True), "/old", ["old"]),
        (vercel(cleanUrls=True), "/old.html", ["old"]),
    ],
)
def test_the_form_of_the_canonical_comes_first(
    files: Mapping[str, str], href: str, listed: list[str], site: Site
) -> None:
    root = site({"index.html": "", "old.html": canonical(href), **files})
    heard(root)
    assert paths(root)[1:] == listed


@pytest.mark.parametrize(
    "files",
    [
        netlify("/* / 301!"),
        netlify("/* /index.html 200!"),
        cloudflare("/* /home 301"),
        vercel(("/(.*)", "https://example.org/$1")),
    ],
)
def test_a_catch_all_that_hides_pages_is_one_warning(files: Mapping[str, str], site: Site) -> None:
    found = heard(site({**FEW, **files}))
    assert set(found.warned) == {"CATCH_ALL"}
    pages = [about.partition(" ")[0] for about in found.warned["CATCH_ALL"]]
    assert {"old.html", "old2/index.html"} <= set(pages)


def test_a_catch_all_for_missing_pages_is_no_warning(site: Site) -> None:
    assert heard(site({**FEW, **netlify("/* / 301")})).warned == {}
    assert heard(site({**FEW, **netlify("/* /old.html 404")})).warned == {}


def test_the_rule_is_the_origin(site: Site) -> None:
    root = site({**FEW, **netlify("# moved\n/old2/ /new 301!")})
    reason, origin = heard(root).excluded["old2/index.html"]
    assert (reason.value, origin) == ("redirect", "_redirects:2: /old2/ /new 301!")
