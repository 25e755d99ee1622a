"""Which pages are listed, at which URLs, and why the others are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.rooms import BASE, canonical, decide, page, write

from sitemapper.messages import SitemapperError
from sitemapper.model import Facts


def meta(content: str, name: str = "robots") -> str:
    return page(f'<meta name="{name}" content="{content}">')


def refresh(target: str) -> str:
    return page(f'<meta http-equiv="refresh" content="0; url={target}">')


# The page `a/index.html` (of a site with the home page, `b.html` and `c.html`), more files,
# settings, and why the page is left out; "" if it is listed.
REASONS: list[tuple[str, str, dict[str, str], dict[str, Any], str]] = [
    ("an ordinary page", page(), {}, {}, ""),
    ("noindex", meta("noindex"), {}, {},
     'noindex: a/index.html: <meta name="robots" content="noindex">'),
    ("NOINDEX in capitals", meta("NOFOLLOW, NOINDEX", "ROBOTS"), {}, {}, "noindex: "),
    ("none for googlebot", meta("none", "googlebot"), {}, {}, "noindex: "),
    ("noindex for news only", meta("noindex", "googlebot-news"), {}, {}, ""),
    ("max-image-preview:none", meta("max-image-preview:none"), {}, {}, ""),
    ("a date that has passed", meta("unavailable_after: 25 Jun 2010 15:00:00 PST"), {}, {},
     "noindex: "),
    ("a date with a comma", meta("unavailable_after: Wed, 01 May 2024 12:00:00 GMT, nofollow"), {},
     {}, "noindex: "),
    ("a date to come", meta("unavailable_after: 2030-01-01"), {}, {}, ""),
    ("noindex that does not count", meta("noindex"), {}, {"respect": {"noindex": False}}, ""),
    ("a refresh to another page", refresh("/c.html"), {}, {},
     'redirect: a/index.html: <meta http-equiv="refresh"> to /c.html'),
    ("a refresh to itself", refresh("./"), {}, {}, ""),
    ("a refresh to another site", refresh("https://other.example/"), {}, {}, "redirect: "),
    ("a refresh that does not count", refresh("/c.html"), {}, {"respect": {"refresh": False}}, ""),
    ("a canonical of another page", canonical("/c.html"), {}, {},
     'canonical elsewhere: a/index.html: <link rel="canonical" href="/c.html">'),
    ("a canonical with a fragment", canonical(f"{BASE}a/#top"), {}, {}, ""),
    ("a canonical of another site", canonical("https://other.example/a/"), {}, {},
     "canonical elsewhere: "),
    ("a canonical of the longer alias", canonical(f"{BASE}x/a/"), {"x/a/index.html": page()}, {},
     "canonical elsewhere: "),
    ("a canonical that does not count", canonical("/c.html"), {}, {"respect": {"canonical": False}},
     ""),
    ("a base element", page('<base href="/x/"><link rel=canonical href="../a/">'), {}, {}, ""),
    ("robots.txt", page(), {"robots.txt": "User-agent: *\nDisallow: /a/"}, {},
     "disallowed by robots.txt: robots.txt:2: Disallow: /a/"),
    ("the longest rule", page(), {"robots.txt": "User-agent: *\nDisallow: /\nAllow: /a"}, {}, ""),
    ("a group for another crawler", page(), {"robots.txt": "User-agent: x\nDisallow: /"}, {}, ""),
    ("robots.txt that does not count", page(), {"robots.txt": "User-agent: *\nDisallow: /a/"},
     {"respect": {"robots": False}}, ""),
    ("robots.txt below a path", page(), {"robots.txt": "User-agent: *\nDisallow: /"},
     {"base_url": "https://tea.example/docs/"}, ""),
    ("a rule", page(), {}, {"rules": [{"match": ["a/"], "list": False}]},
     "unlisted by a rule: options: a/"),
    ("a rule with an exception", page(), {},
     {"rules": [{"match": ["*.html", "!/a/"], "list": False}]}, ""),
    ("an empty file", "", {}, {}, "not a page: "),
    ("a feed", '<?xml version="1.0"?><rss></rss>', {}, {}, "not a page: "),
    ("a redirect of Netlify", page(), {"_redirects": "/a/ /c.html 301!", "netlify.toml": ""},
     {"host": "netlify"}, "redirect: _redirects:1: /a/ /c.html 301!"),
    ("an unforced one", page(), {"_redirects": "/a/ /c.html 301"}, {"host": "netlify"}, ""),
    ("the same on Cloudflare", page(), {"_redirects": "/a/ /c 301"}, {"host": "cloudflare"},
     "redirect: "),
    ("on an unknown host", page(), {"_redirects": "/a/ /c 301"}, {}, ""),
    ("a rewrite", page(), {"_redirects": "/* /index.html 200"}, {"host": "netlify"}, ""),
    ("a rule for all paths", page(), {"_redirects": "/* /404.html 404!"}, {"host": "netlify"}, ""),
    ("410", page(), {"_redirects": "/a/ /gone 410!"}, {"host": "netlify"}, "closed by the host: "),
    ("X-Robots-Tag", page(), {"_headers": "/a/*\n  X-Robots-Tag: noindex"}, {"host": "netlify"},
     "noindex: _headers:2"),
    ("X-Robots-Tag on an unknown host", page(), {"_headers": "/a/*\n  X-Robots-Tag: noindex"}, {},
     "noindex: "),
    ("a header on another host", page(),
     {"_headers": "https://:project.pages.dev/*\n  X-Robots-Tag: noindex"}, {"host": "cloudflare"},
     ""),
    ("GitHub reads no rules", page(), {"_redirects": "/a/ /c 301!"}, {"host": "github"}, ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "files", "values", "reason"), [row[1:] for row in REASONS], ids=[r[0] for r in REASONS]
)
def test_why_a_page_is_left_out(
    text: str, files: dict[str, str], values: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    site = {"index.html": page(), "a/index.html": text, "b.html": page(), "c.html": page(), **files}
    decided = decide(write(tmp_path, site), **{"base_url": BASE, **values})
    found = decided.reasons.get("a/index.html", "")
    assert found.startswith(reason) and bool(found) is bool(reason)
    assert (f"{decided.site.base_url}a/" in decided.urls) is (reason == "")


def test_a_fact_excludes_pages_unless_it_stands_before_these() -> None:
    """Pages that only have the facts before `robots` are listed without a further look."""
    harmless = (
        "canonical", "base", "alternates", "images", "og_url", "title", "h1", "date",
        "text_length", "digest",
    )  # fmt: skip
    assert Facts._fields[: Facts._fields.index("robots")] == harmless


# Files, settings, and the listed URLs.
URLS: list[tuple[str, dict[str, str], dict[str, Any], str]] = [
    ("its own canonical in another form", {"a.html": canonical(f"{BASE}a"), "b.html": page(),
                                           "c.html": page()}, {}, "a b.html c.html"),
    ("two files for one URL", {"b.html": page(), "b/index.html": page()}, {"url_style": "slash"},
     "b/"),
    ("a.html and a/index.html", {"a.html": page(), "a/index.html": page()}, {}, "a.html a/"),
    ("a canonical that is another file's URL", {"b.html": canonical(f"{BASE}b/"),
                                                "b/index.html": page()}, {}, "b/"),
    ("a canonical in another spelling", {"c++/index.html": canonical(f"{BASE}c%2B%2B/"),
                                         "d.html": page()}, {}, "c++/ d.html"),
    ("a bare name of two files", {"b.html": page(), "b/index.html": page()}, {"url_style": "bare"},
     "b"),
    ("http in canonicals", {"a.html": canonical("http://tea.example/a.html"), "b.html": page()}, {},
     "a.html b.html"),
    ("a canonical in a form that the host redirects", {"a.html": canonical(f"{BASE}a/"),
                                                       "b.html": page()},
     {"host": "cloudflare", "url_style": "file"}, "a b.html"),
    ("a redirect to another form", {"a.html": page(), "_redirects": "/a.html /a 301!"},
     {"host": "netlify"}, "a"),
    ("extra URLs", {"a.html": page()}, {"urls": [{"loc": f"{BASE}app/"}, {"loc": f"{BASE}a.html"},
                                                 {"loc": f"{BASE}x?sid=1&b=2#c"}]},
     "a.html app/ x?b=2"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "values", "expected"), [row[1:] for row in URLS], ids=[row[0] for row in URLS]
)
def test_the_urls(
    files: dict[str, str], values: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    assert decide(write(tmp_path, files), **{"base_url": BASE, **values}).paths == expected


# Files, settings, and the codes of the warnings.
WARNINGS: list[tuple[str, dict[str, str], dict[str, Any], list[str]]] = [
    ("a canonical that is not there", {"a.html": canonical(f"{BASE}gone/")}, {},
     ["canonical-missing"]),
    ("http and https", {"a.html": canonical("http://tea.example/a.html")}, {},
     ["canonical-scheme"]),
    ("hreflang without links", {"a.html": page()}, {"hreflang": True}, ["no-alternates"]),
    ("nothing", {"a.html": page()}, {}, []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "values", "codes"), [row[1:] for row in WARNINGS], ids=[row[0] for row in WARNINGS]
)
def test_warnings(
    files: dict[str, str], values: dict[str, Any], codes: list[str], tmp_path: Path
) -> None:
    assert decide(write(tmp_path, files), base_url=BASE, **values).codes == codes


def test_values_of_rules_and_sections(tmp_path: Path) -> None:
    decided = decide(
        write(tmp_path, "a.html blog/b.html blog/old/c.html"),
        base_url=BASE,
        rules=[
            {"match": ["*"], "priority": 0.5},
            {"match": ["blog/b.html"], "priority": 0.00001},
            {"match": ["blog/", "!blog/old/"], "changefreq": "weekly"},
            {"match": "blog/b.html", "lastmod": "2026-03-01"},
        ],
        sitemaps=[{"name": "blog", "match": ["blog/"]}],
    )
    assert [tuple(one.values) for one in decided.selected.listed] == [
        (None, "0.5", None, ""),
        ("weekly", "0.0", "2026-03-01", "blog"),
        (None, "0.5", None, "blog"),
    ]


def test_an_extra_url_outside_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SitemapperError) as error:
        decide(write(tmp_path, "a.html"), base_url=BASE, urls=[{"loc": "https://b.example/"}])
    assert str(error.value) == (
        "options: loc: https://b.example/ is not below https://tea.example/\n"
        "help: a sitemap may only list URLs of its host, at or below its own folder"
    )


def versions(*names: str, more: str = "") -> str:
    links = "".join(f'<link rel="alternate" hreflang="{name}" href="/{name}/">' for name in names)
    return page(links + more)


def test_language_versions(tmp_path: Path) -> None:
    files = {"de/index.html": versions("de", "en"), "en/index.html": versions("de", "en")}
    files["de/index.html"] = files["de/index.html"].replace("Tea.", "<img src='pot.jpg'>")
    decided = decide(write(tmp_path, files), base_url=BASE, hreflang=True, images=True)
    alternates = (("de", f"{BASE}de/"), ("en", f"{BASE}en/"))
    assert [one.alternates for one in decided.selected.listed] == [alternates] * 2
    assert not decided.messages


def test_versions_that_are_left_out_or_one_sided(tmp_path: Path) -> None:
    files = {
        "de/index.html": versions("de", "en", "fr"),
        "en/index.html": versions("en"),
        "fr/index.html": versions("de", "fr", more='<meta name="robots" content="noindex">'),
    }
    decided = decide(write(tmp_path, files), base_url=BASE, hreflang=True)
    assert decided.selected.listed[0].alternates == (("de", f"{BASE}de/"), ("en", f"{BASE}en/"))
    assert decided.messages == [
        f"1 alternate left out, because the pages are not listed: {BASE}de/ names {BASE}fr/",
        "1 hreflang link missing, and search engines ignore links that are not mutual: "
        f"{BASE}en/ does not list {BASE}de/",
    ]


def test_images_of_the_main_content(tmp_path: Path) -> None:
    body = "<main><img src='pot.jpg'><img src='/cup.png'><img src='pot.jpg'></main>"
    decided = decide(write(tmp_path, {"a/index.html": page(body=body)}), base_url=BASE, images=True)
    assert decided.selected.listed[0].images == (f"{BASE}a/pot.jpg", f"{BASE}cup.png")


def test_a_link_to_a_folder_lists_pages_where_canonicals_name_them(tmp_path: Path) -> None:
    write(tmp_path, {"2.1/a.html": canonical(f"{BASE}latest/a.html"), "2.1/b.html": page()})
    (tmp_path / "latest").symlink_to("2.1")
    decided = decide(tmp_path, base_url=BASE)
    assert decided.paths == "2.1/b.html latest/a.html"
    assert decided.reasons == {
        "2.1/a.html": 'canonical elsewhere: 2.1/a.html: <link rel="canonical" '
        f'href="{BASE}latest/a.html">',
        "latest/b.html": "duplicate URL: 2.1/b.html: is the page to which this link leads",
    }


def test_a_link_to_an_ignored_folder_leads_to_ordinary_pages(tmp_path: Path) -> None:
    write(tmp_path, "2.1/a.html index.html")
    (tmp_path / "latest").symlink_to("2.1")
    for ignored in ("/2.1/", "/2.1/**"):
        assert decide(tmp_path, base_url=BASE, ignore=[ignored]).paths == ". latest/a.html"
