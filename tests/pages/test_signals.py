"""Every reason, in its order, with the origin that a person can act on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support import BASE, POSIX, Run, Site, build, locs, paths
from support.heads import NOINDEX, canonical, head, refresh
from support.heard import Heard, heard

import sitemapper
from sitemapper import Reason, SitemapperError

CASES: list[tuple[str, dict[str, str], dict[str, Any], list[str], dict[str, Reason]]] = [
    ("noindex", {"a.html": NOINDEX, "b.html": ""}, {}, ["b.html"], {"a.html": Reason.NOINDEX}),
    ("noindex, not respected", {"a.html": NOINDEX}, {"respect": {"noindex": False}}, ["a.html"], {}),
    ("unavailable since", {"a.html": head('<meta name=robots content="unavailable_after: 31 May 2026">')}, {}, [],
     {"a.html": Reason.NOINDEX}),
    ("unavailable by headers", {"a.html": "", "b.html": "", "_headers": "/a.html\n  X-Robots-Tag: unavailable_after: Sun, 31-May-26 15:00:00 PST\n"
     "/b.html\n  X-Robots-Tag: unavailable_after: 1 Jun 2026 15:00:00 PST"}, {}, ["b.html"], {"a.html": Reason.NOINDEX}),
    ("available until later", {"a.html": head('<meta name=robots content="unavailable_after: 2026-06-02">')}, {}, ["a.html"], {}),
    ("no valid date", {"a.html": head('<meta name=robots content="unavailable_after: soon">')}, {}, ["a.html"], {}),
    ("refresh", {"a.html": refresh("0; url=/b.html"), "b.html": ""}, {}, ["b.html"], {"a.html": Reason.REDIRECT}),
    ("refresh elsewhere", {"a.html": refresh("5; url=https://other.com/")}, {}, [], {"a.html": Reason.REDIRECT}),
    ("refresh of itself", {"a.html": refresh("30"), "b.html": refresh("30; url=b.html"), "c.html": refresh("9; url=/c?x"),
     "d/index.html": refresh("9;url=./")}, {}, ["a.html", "b.html", "c.html", "d/"], {}),
    ("refresh, not respected", {"a.html": refresh("0;url=/b")}, {"respect": {"refresh": False}}, ["a.html"], {}),
    ("canonical of itself", {"a.html": canonical(f"{BASE}a.html"), "b.html": canonical("b.html#top")}, {}, ["a.html", "b.html"], {}),
    ("canonical elsewhere", {"a.html": canonical("/b.html"), "b.html": ""}, {}, ["b.html"], {"a.html": Reason.CANONICAL}),
    ("canonical, not respected", {"a.html": canonical("/b.html")}, {"respect": {"canonical": False}}, ["a.html"], {}),
    ("canonical with a query", {"a.html": canonical("/a.html?page=1")}, {}, [], {"a.html": Reason.CANONICAL}),
    ("canonical in another style", {"a.html": canonical("/a"), "b.html": canonical("/b/"), "c/index.html": canonical("/c/index.html"),
     "d/index.html": canonical("/d")}, {}, ["a", "b/", "c/index.html", "d"], {}),
    ("canonical raw and encoded", {"a b&é.html": canonical("/a b&é.html"), "c d.html": canonical("/c%20d.html"), "~e.html": canonical("/%7ee.html")},
     {}, ["a%20b&%C3%A9.html", "c%20d.html", "~e.html"], {}),
    ("canonical through base", {"a/b.html": head('<base href="/x/"><link rel=canonical href="../a/b.html">')}, {}, ["a/b.html"], {}),
    ("twins through canonicals", {"b.html": canonical("/b/"), "b/index.html": ""}, {}, ["b/"], {"b.html": Reason.DUPLICATE}),
    ("twin excluded itself", {"b.html": "", "b/index.html": NOINDEX}, {"url_style": "slash"}, [],
     {"b.html": Reason.DUPLICATE, "b/index.html": Reason.NOINDEX}),
    ("disallowed", {"p/a.html": "", "b.html": "", "robots.txt": "User-agent: *\nDisallow: /p/\n"}, {}, ["b.html"], {"p/a.html": Reason.ROBOTS}),
    ("disallowed, not respected", {"a.html": "", "robots.txt": "User-agent: *\nDisallow: /\n"}, {"respect": {"robots": False}}, ["a.html"], {}),
    ("disallowed to one agent of two", {"a.html": "", "robots.txt": "User-agent: one\nDisallow: /\n"}, {"robots": {"agents": ["one", "two"]}},
     ["a.html"], {}),
    ("disallowed to both agents", {"a.html": "", "robots.txt": "User-agent: one\nUser-agent: two\nDisallow: /\n"},
     {"robots": {"agents": ["one", "two"]}}, [], {"a.html": Reason.ROBOTS}),
    ("a robots.txt below the root", {"a.html": "", "robots.txt": "User-agent: *\nDisallow: /\n"}, {"base_url": f"{BASE}docs/"}, ["docs/a.html"], {}),
    ("a rule before all", {"a.html": NOINDEX, "robots.txt": "User-agent: *\nDisallow: /\n"}, {"rules": [{"match": ["*.html"], "list": False}]}, [],
     {"a.html": Reason.RULE}),
    ("redirect before noindex before canonical", {"a.html": NOINDEX.replace("<head>", '<head><meta http-equiv=refresh content="0;url=/z"><link rel=canonical href=/z>')},
     {}, [], {"a.html": Reason.REDIRECT}),
    ("canonical in its own spelling", {"c++/index.html": canonical("/c%2B%2B/")}, {}, ["c%2B%2B/"], {}),
    ("app shell", {"200.html": "", "spa.html": '<!doctype html><head><script type="module" src="/a.js"></script></head><body><div id=app></div></body>',
     "index.html": "<title>x</title>"}, {}, [""], {"200.html": Reason.IGNORED, "spa.html": Reason.NOT_A_PAGE}),
    ("redirect of Next", {"a.html": '<!DOCTYPE html><html id="__next_error__"><head></head><body><script>x()</script></body></html>'}, {}, [], {"a.html": Reason.NOT_A_PAGE}),
    ("fragment", {"a/part.html": "<nav><a href=/>home</a></nav>"}, {}, [], {"a/part.html": Reason.NOT_A_PAGE}),
    ("fragment, not respected", {"a/part.html": "<nav><a href=/>home</a></nav>"}, {"respect": {"not_a_page": False}}, ["a/part.html"], {}),
    ("what is no html is not read", {"a.pdf": NOINDEX}, {"include": ["*.pdf"]}, ["a.pdf"], {}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "values", "listed", "excluded"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_verdicts(
    site: Site,
    files: dict[str, str],
    values: dict[str, Any],
    listed: list[str],
    excluded: dict[str, Reason],
) -> None:
    root = site(files)
    found = heard(root, **values).excluded
    assert sorted(paths(root)) == sorted(listed)
    assert {path: reason for path, (reason, _) in found.items()} == excluded


def test_origins_quote_what_decided(site: Site) -> None:
    root = site(
        {
            "a.html": NOINDEX, "b.html": canonical("/c.html"), "c.html": "", "d.html": refresh("0; url=c.html"),
            "p/x.html": "", "robots.txt": "# hi\nUser-agent: *\nDisallow: /p\n", "_headers": "/h.html\n  X-Robots-Tag: noindex\n",
            "i.html": head('<meta name=robots content="unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow">'),
            "_redirects": "/R.html /c.html 301!\n/r.html /c.html 301\n", "h.html": "", "r.html": "",
        }
    )  # fmt: skip
    assert {path: origin for path, (_, origin) in heard(root).excluded.items()} == {
        "a.html": 'a.html: <meta name="robots" content="noindex">',
        "b.html": 'b.html: <link rel="canonical" href="/c.html">',
        "d.html": 'd.html: <meta http-equiv="refresh"> to c.html',
        "h.html": "_headers:2: X-Robots-Tag: noindex",
        "i.html": "i.html: unavailable_after: 25 Jun 2010 15:00:00 PST",
        "p/x.html": "robots.txt:3: Disallow: /p",
        "r.html": "_redirects:2: /r.html /c.html 301",
    }


@pytest.mark.parametrize(
    ("files", "caution", "about"),
    [
        ({"a.html": canonical("/gone.html")}, "MISSING", "a.html (https://example.com/gone.html)"),
        ({"a.html": canonical("http://example.com/a.html")}, "SCHEME", "a.html"),
        ({"a.html": canonical("http://localhost:1313/a.html"), "b.html": ""}, "OTHER_ORIGIN", "http://localhost:1313"),
        ({"p/a.html": NOINDEX, "robots.txt": "User-agent: *\nDisallow: /p"}, "HIDDEN", "p/a.html"),
        ({"a.html": "", "_redirects": "/a.html /b 301"}, "HOST", "a.html, listed (_redirects:1: /a.html /b 301)"),
        ({"a.html": "", "_headers": "/a.html\n  X-Robots-Tag: noindex"}, "HOST", "a.html, not listed (_headers:2: X-Robots-Tag: noindex)"),
    ],
)  # fmt: skip
def test_warnings(site: Site, files: dict[str, str], caution: str, about: str) -> None:
    assert heard(site(files)).warned == {caution: (about,)}


def test_a_canonical_is_no_warning_where_it_decides_nothing(site: Site) -> None:
    root = site(
        {
            "a.html": NOINDEX.replace("<head>", "<head><link rel=canonical href=/gone.html>"),
            "b.html": "",
        }
    )
    assert heard(root).warned == {}


def test_a_preview_build_is_said_first_and_nothing_is_published(site: Site) -> None:
    root = site(
        {f"{n}.html": canonical(f"http://localhost:1313/{n}.html") for n in range(9)}
        | {"x.html": ""}
    )
    with pytest.raises(
        SitemapperError,
        match="9 pages name http://localhost:1313 in their canonicals, not https://example.com/",
    ):
        build(root)
    assert not (root / "sitemap.xml").exists()


def test_a_preview_header_on_everything_ends_in_an_error(site: Site) -> None:
    root = site({"a.html": "", "b.html": "", "_headers": "/*\n  X-Robots-Tag: noindex\n"})
    with pytest.raises(SitemapperError, match=r"no page to list \(excluded: 2 noindex"):
        build(root, host="cloudflare")


def test_a_page_that_loses_its_permission_is_a_warning(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site({"a.html": "x", "b.html": "x"})
    real = sitemapper.site.read.read

    def deny(folder: Any, page: Any, limit: int) -> bytes:
        if page.path == "a.html":
            raise PermissionError(13, "Permission denied")
        return real(folder, page, limit)

    monkeypatch.setattr("sitemapper.site.read.read", deny)
    assert heard(root) == Heard(
        {"a.html": (Reason.UNREADABLE, "Permission denied")},
        {"UNREADABLE": ("a.html (Permission denied)",)},
    )


@pytest.mark.parametrize(
    "charset",
    ["utf-32", "cp037", "utf-7", "idna", "punycode", "unicode_escape", "hz", "cp500", "base64"],
)
def test_no_charset_hides_a_noindex(site: Site, charset: str) -> None:
    meta = f'<meta charset="{charset}"><meta name="robots" content="noindex" data-x="é">'
    root = site(
        {
            "a.html": head(meta),
            "b.html": head(f"<!-- {meta} -->"),
            "c.html": head(meta).replace("é", "") + "<meta>",
        }
    )
    build(root)
    assert paths(root) == ["b.html"]


@pytest.mark.parametrize(("url", "base"), [("https://example.com", BASE), (".", BASE), ("https://example.com/docs", f"{BASE}docs/"), ("/docs", f"{BASE}docs/")])  # fmt: skip
def test_a_home_page_that_refreshes_or_names_itself_stays(site: Site, url: str, base: str) -> None:
    root = site(
        {
            "index.html": head(
                f'<meta http-equiv=refresh content="300;url={url}"><link rel=canonical href="{url}">'
            )
        }
    )
    build(root, base_url=base)
    assert locs(root) == [base]


def test_canonicals_in_other_spellings_name_the_same_page(site: Site) -> None:
    root = site(
        {
            "a.html": canonical("https://bücher.example/a.html"), "b.html": canonical("https://xn--bcher-kva.example/x/../b.html"),
            "c.html": canonical("https://BÜCHER.example:443/./c.html"), "d.html": canonical("https://bücher.example/\nd.html"),
            "e.html": canonical("\\e.html"), "f.html": canonical("https://bücher.example/a.html"),
        }
    )  # fmt: skip
    summary = build(root, base_url="https://bücher.example")
    assert [loc.rpartition("/")[2] for loc in locs(root)] == [
        "a.html",
        "b.html",
        "c.html",
        "d.html",
        "e.html",
    ]
    assert summary.excluded == {Reason.CANONICAL: 1}


@pytest.mark.parametrize("target", ["https://example.com//etc/hostname", "https://example.com/%2e%2e/%2e%2e/etc/hostname", "https://example.com/..%2f..%2fsecret.html", "../secret.html", "blog/../../secret.html"])  # fmt: skip
def test_nothing_outside_the_site_is_looked_at(
    site: Site, run: Run, tmp_path: Path, target: str
) -> None:
    root = site({"a.html": ""})
    (tmp_path / "secret.html").write_text("")
    assert run("explain", target, "--site", root, "--base-url", BASE) == 2
    root = site({"a.html": canonical(target)})
    assert [
        kind.name
        for kind, _, _ in build(
            root, max_drop=100, respect={"canonical": True}, urls=[{"loc": BASE + "x"}]
        ).warnings
    ] == ["MISSING"]


@pytest.mark.parametrize("name", ["a[b]", "c{d", "f|g", "x^y", 'q"r'])
def test_rules_with_characters_that_urls_encode_close_pages(site: Site, name: str) -> None:
    root = site(
        {"ok.html": "", f"{name}.html": "", "robots.txt": f"User-agent: *\nDisallow: /{name}\n"}
    )
    build(root)
    assert paths(root) == ["ok.html"]


def test_the_line_that_closes_a_page_is_of_the_agents_own_group(site: Site, run: Run) -> None:
    root = site(
        {
            "private/secret.html": "",
            "robots.txt": "User-agent: Bad\nDisallow: /private/secret\n\nUser-agent: *\nDisallow: /private\n",
        }
    )
    assert run("explain", "private/secret.html", "--site", root, "--base-url", BASE) == 0
    assert "robots.txt:5: Disallow: /private" in run.out


@POSIX
def test_a_canonical_that_leads_to_the_page_through_a_link_names_the_page(site: Site) -> None:
    """mike's default: `latest` is a link to a version, and every canonical names it."""
    page = canonical(f"{BASE}latest/")
    root = site({"2.0/index.html": page, "1.0/index.html": page, "index.html": ""})
    (root / "latest").symlink_to("2.0")
    left_out, _ = heard(root)
    assert paths(root) == ["", "latest/"]
    assert left_out["1.0/index.html"][0] is Reason.CANONICAL


@POSIX
@pytest.mark.parametrize("named", ["", "link.html"])
def test_a_link_to_a_page_of_the_site_is_a_duplicate_of_it(site: Site, named: str) -> None:
    root = site({"a.html": canonical(BASE + named) if named else "<title>a</title>"})
    (root / "link.html").symlink_to("a.html")
    left_out, _ = heard(root)
    assert paths(root) == [named or "a.html"]
    assert left_out["link.html"] == (
        Reason.DUPLICATE,
        "a.html: is what this symbolic link leads to",
    )


@POSIX
def test_a_link_to_a_page_that_is_ignored_is_the_page(site: Site) -> None:
    root = site({"store/a.html": "<title>a</title>"})
    (root / "a.html").symlink_to("store/a.html")
    build(root, ignore=["store/"])
    assert paths(root) == ["a.html"]


def test_a_redirect_of_the_host_counts_whatever_noindex_says(site: Site) -> None:
    root = site({"a.html": "", "b.html": "", "_redirects": "/a /b 301!\n/a.html /b 301!\n"})
    summary = build(root, host="netlify", respect={"noindex": False})
    assert (summary.listed, summary.excluded) == (1, {Reason.REDIRECT: 1})


def test_a_header_of_the_host_counts_only_where_noindex_is_respected(site: Site) -> None:
    root = site({"a.html": "", "b.html": "", "_headers": "/a*\n  X-Robots-Tag: noindex\n"})
    assert build(root, host="netlify").excluded == {Reason.NOINDEX: 1}
    assert build(root, host="netlify", respect={"noindex": False}).excluded == {}


def test_an_error_page_that_the_host_names_is_listed_only_on_demand(site: Site) -> None:
    root = site({"a.html": "", "lost.html": "", "_redirects": "/* /lost.html 404\n"})
    assert build(root, host="netlify").excluded == {Reason.NOT_A_PAGE: 1}
    assert build(root, host="netlify", respect={"not_a_page": False}).excluded == {}
