"""Every reason, in its order, with the origin that a person can act on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from conftest import BASE, NOW, Site, build, paths, settings
from hypothesis import given
from hypothesis import strategies as st

import sitemapper
from sitemapper import Excluded, Listener, Reason, SitemapperError
from sitemapper.syntax.robots import crawling


class Heard(NamedTuple):
    """What a build left out, with reason and origin, and the examples of its warnings by kind."""

    excluded: dict[str, tuple[Reason, str]]
    warned: dict[str, tuple[str, ...]]


def heard(root: Path, **values: Any) -> Heard:
    class Ears(Listener):
        def __init__(self) -> None:
            self.found: dict[str, tuple[Reason, str]] = {}

        def excluded(self, excluded: Excluded) -> None:
            self.found[excluded.path] = (excluded.reason, str(excluded.origin))

    ears = Ears()
    options = settings(root, **values).model_copy(update={"allow_empty": True})
    summary = sitemapper.build(options, now=NOW, listener=ears)
    return Heard(ears.found, {kind.name: examples for kind, _, examples in summary.warnings})


def page(inside: str) -> str:
    return f"<!doctype html><html><head>{inside}</head><body></body></html>"


def canonical(href: str) -> str:
    return page(f'<link rel="canonical" href="{href}">')


def refresh(content: str) -> str:
    return page(f'<meta http-equiv="refresh" content="{content}">')


NOINDEX = page('<meta name="robots" content="noindex">')
CASES: list[tuple[str, dict[str, str], dict[str, Any], list[str], dict[str, Reason]]] = [
    ("noindex", {"a.html": NOINDEX, "b.html": ""}, {}, ["b.html"], {"a.html": Reason.NOINDEX}),
    ("noindex, not respected", {"a.html": NOINDEX}, {"respect": {"noindex": False}}, ["a.html"], {}),
    ("unavailable since", {"a.html": page('<meta name=robots content="unavailable_after: 31 May 2026">')}, {}, [],
     {"a.html": Reason.NOINDEX}),
    ("available until later", {"a.html": page('<meta name=robots content="unavailable_after: 2026-06-02">')}, {}, ["a.html"], {}),
    ("no valid date", {"a.html": page('<meta name=robots content="unavailable_after: soon">')}, {}, ["a.html"], {}),
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
    ("canonical through base", {"a/b.html": page('<base href="/x/"><link rel=canonical href="../a/b.html">')}, {}, ["a/b.html"], {}),
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
    ("what is no html is not read", {"a.pdf": NOINDEX}, {"include": ["*.pdf"]}, ["a.pdf"], {}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "values", "listed", "excluded"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_verdicts(
    site: Site, files: dict[str, str], values: dict[str, Any], listed: list[str], excluded: dict[str, Reason]
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
            "_redirects": "/R.html /c.html 301!\n/r.html /c.html 301\n", "h.html": "", "r.html": "",
        }
    )  # fmt: skip
    assert {path: origin for path, (_, origin) in heard(root).excluded.items()} == {
        "a.html": 'a.html: <meta name="robots" content="noindex">',
        "b.html": 'b.html: <link rel="canonical" href="/c.html">',
        "d.html": 'd.html: <meta http-equiv="refresh"> to c.html',
        "h.html": "_headers:2: X-Robots-Tag: noindex",
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
        ({"a.html": "", "_redirects": "/a.html /b 301"}, "DISPUTED", "a.html (_redirects:1: /a.html /b 301)"),
        ({"a.html": "", "_headers": "/a.html\n  X-Robots-Tag: noindex"}, "HOST", "a.html (_headers:2: X-Robots-Tag: noindex)"),
    ],
)  # fmt: skip
def test_warnings(site: Site, files: dict[str, str], caution: str, about: str) -> None:
    assert heard(site(files)).warned == {caution: (about,)}


def test_a_preview_build_is_said_first_and_nothing_is_published(site: Site) -> None:
    root = site(
        {f"{n}.html": canonical(f"http://localhost:1313/{n}.html") for n in range(9)} | {"x.html": ""}
    )
    with pytest.raises(
        SitemapperError,
        match="9 pages name http://localhost:1313 in their canonicals, not https://example.com/",
    ):
        build(root)
    assert not (root / "sitemap.xml").exists()


def test_a_preview_header_on_everything_ends_in_an_error(site: Site) -> None:
    root = site({"a.html": "", "b.html": "", "_headers": "/*\n  X-Robots-Tag: noindex\n"})
    with pytest.raises(SitemapperError, match=r"no page to list \(left out: 2 noindex"):
        build(root, host="cloudflare")


@pytest.mark.parametrize(
    ("files", "values", "expected"),
    [
        ({"a.html": canonical("/a"), "b.html": canonical("/b"), "c.html": ""}, {}, ["a", "b", "c"]),
        ({"a.html": canonical("/a/"), "b/index.html": canonical("/b/"), "c.html": ""}, {}, ["a/", "b/", "c/"]),
        ({"a/index.html": canonical("/a/index.html"), "b/index.html": ""}, {}, ["a/index.html", "b/index.html"]),
        ({"a/index.html": canonical("/a/"), "b.html": ""}, {}, ["a/", "b.html"]),
        ({"a.html": ""}, {"host": "cloudflare"}, ["a"]),
        ({"a.html": "", "_headers": "/x\n  X-Robots-Tag: noindex"}, {"host": "cloudflare"}, ["a"]),
        ({"a.html": ""}, {}, ["a.html"]),
    ],
)  # fmt: skip
def test_auto_style_follows_the_evidence(
    site: Site, files: dict[str, str], values: dict[str, Any], expected: list[str]
) -> None:
    root = site(files)
    summary = build(root, url_style="auto", **values)
    assert paths(root) == expected
    assert any(note.startswith("url_style auto: ") for note in summary.notes)


ROBOTS = [
    ("longest match", "User-agent: *\nDisallow: /a\nAllow: /a/b\n", {"/a/x": False, "/a/b/c": True}),
    ("a tie allows", "User-agent: *\nDisallow: /a\nAllow: /a\n", {"/a": True}),
    ("wildcards and end", "User-agent: *\nDisallow: /*.pdf$\n", {"/a.pdf": False, "/a.pdfx": True, "/x/y.pdf": False}),
    ("groups of one agent merge", "User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", {"/a": False, "/b": False}),
    ("a Sitemap line ends no group", "User-agent: x\nSitemap: https://e.com/s.xml\nUser-agent: *\nDisallow: /a\n", {"/a": False}),
    ("a specific group is alone", "User-agent: *\nDisallow: /\n\nUser-agent: googlebot\nDisallow: /g\n", {"/a": False}),
    ("case of the path", "User-agent: *\nDisallow: /A\n", {"/a": True, "/A": False}),
    ("case of the key", "USER-AGENT: *\nDISALLOW: /a\n", {"/a": False}),
    ("escapes of unreserved", "User-agent: *\nDisallow: /foo/%62ar\n", {"/foo/bar": False}),
    ("not ASCII", "User-agent: *\nDisallow: /é\n", {"/%C3%A9": False}),
    ("empty Disallow", "User-agent: *\nDisallow:\n", {"/a": True}),
    ("byte order mark", "\ufeffUser-agent: *\nDisallow: /a\n", {"/a": False}),
    ("CR alone", "User-agent: *\rDisallow: /a\r", {"/a": False}),
    ("comments", "User-agent: * # all\nDisallow: /a # not this\n", {"/a": False}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "allowed"), [r[1:] for r in ROBOTS], ids=[r[0] for r in ROBOTS])
def test_robots_txt_is_read_as_rfc_9309_has_it(text: str, allowed: dict[str, bool]) -> None:
    rules = crawling(text.encode(), ("*",))
    assert {path: rules.forbids("https://example.com" + path) is None for path in allowed} == allowed


@given(
    st.lists(st.sampled_from(["User-agent: *", "Disallow: /a", "Disallow: /*b$", "Allow: /ab", "Disallow: /%61", "Disallow: /é", "Disallow:", "x"]))
    .map("\n".join) | st.text(max_size=80),
    st.text(alphabet="ab/%61é*$?", max_size=8),
)  # fmt: skip
def test_the_quick_look_at_robots_txt_forgets_no_rule(text: str, tail: str) -> None:
    rules = crawling(text.encode(), ("*",))
    loc = "https://example.com/" + quote(tail)
    assert (rules.forbids(loc) is None) == rules.agents[0].matcher.can_fetch(loc, "*")


def alternates(*pairs: tuple[str, str]) -> str:
    return page("".join(f'<link rel="alternate" hreflang="{lang}" href="{href}">' for lang, href in pairs))


def test_hreflang_alternates(site: Site) -> None:
    both = (("de", "/de/"), ("zh-Hans", "/zh/"), ("x-default", "/de/"), ("deutsch!", "/x/"))
    root = site({"de/index.html": alternates(*both), "zh/index.html": alternates(*both), "es/index.html": alternates(("es-419", "/es/"), ("de", "/de/"))})  # fmt: skip
    summary = build(root, hreflang=True)
    text = (root / "sitemap.xml").read_text()
    assert 'xmlns:xhtml="http://www.w3.org/1999/xhtml"' in text
    links = (
        '<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de/"/>'
        '<xhtml:link rel="alternate" hreflang="zh-Hans" href="https://example.com/zh/"/>'
        '<xhtml:link rel="alternate" hreflang="x-default" href="https://example.com/de/"/></url>'
    )
    assert text.count(links) == 2
    assert [(k.name, examples) for k, _, examples in summary.warnings] == [
        ("HREFLANG", ("https://example.com/de/ does not list https://example.com/es/",))
    ]
    assert paths(root) == ["de/", "es/", "zh/"]
    assert "xhtml" not in (build(root), (root / "sitemap.xml").read_text())[1]


def test_a_page_that_loses_its_permission_is_a_warning(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site({"a.html": "x", "b.html": "x"})
    real = sitemapper.site.read.read

    def deny(folder: Any, page: Any, limit: int) -> bytes:
        if page.path == "a.html":
            raise PermissionError(13, "Permission denied")
        return real(folder, page, limit)

    monkeypatch.setattr("sitemapper.site.read.read", deny)
    assert heard(root) == Heard(
        {"a.html": (Reason.UNREADABLE, "Permission denied")}, {"UNREADABLE": ("a.html (Permission denied)",)}
    )
