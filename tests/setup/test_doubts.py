"""Canonicals and links that contradict the base URL."""

from __future__ import annotations

import pytest
from support import BASE, NOW, Run, Site, asking, build, settings
from support.heads import links

import sitemapper


def canonicals(base: str, *names: str) -> dict[str, str]:
    pages = {name: name.removesuffix("index.html").removesuffix(".html") for name in names}
    return {
        name: f'<link rel="canonical" href="{base}{form}"><p>{name}' for name, form in pages.items()
    }


PAGES = ("index.html", "a.html", "b/index.html", "b/\u00e9.html")


@pytest.mark.parametrize(
    ("files", "base_url", "other"),
    [
        (canonicals(f"{BASE}tea/", *PAGES), BASE, f"4 of 5 pages have canonicals below {BASE}tea/"),
        (canonicals("/tea/", *PAGES), BASE, f"4 of 5 pages have canonicals below {BASE}tea/"),
        (canonicals(BASE, *PAGES), f"{BASE}tea/", f"4 of 5 pages have canonicals below {BASE}"),
        (canonicals(f"{BASE}tea/", *PAGES), f"{BASE}tea/", None),
        # The home page's counts alone.
        (
            canonicals(f"{BASE}tea/", *PAGES[:2]),
            BASE,
            f"2 of 3 pages have canonicals below {BASE}tea/",
        ),
        (canonicals(f"{BASE}tea/", *PAGES[1:3]), BASE, None),
        (
            canonicals(f"{BASE}tea/", *PAGES[:3]) | canonicals(BASE, PAGES[3]),
            BASE,
            f"3 of 5 pages have canonicals below {BASE}tea/",
        ),
        # Those of another version, unless all pages have them.
        (canonicals(f"{BASE}coffee/", *PAGES), f"{BASE}tea/", None),
        (
            canonicals(f"{BASE}coffee/", *PAGES, "x.html"),
            f"{BASE}tea/",
            f"5 of 5 pages have canonicals below {BASE}coffee/",
        ),
        (dict.fromkeys(PAGES, f'<link rel="canonical" href="{BASE}tea/"><p>'), BASE, None),
        (canonicals("http://example.com/", *PAGES), BASE, None),
        (canonicals(f"{BASE}en/", *PAGES) | {f"en/{name}": "<p>" for name in PAGES}, BASE, None),
        (
            {name: f"<!-- {text} -->" for name, text in canonicals("/tea/", *PAGES).items()},
            BASE,
            None,
        ),
        # Other hosts have a warning of their own.
        (canonicals("https://cup.test/", *PAGES[:1]), BASE, None),
    ],
)
def test_canonicals_below_another_base_url_are_a_warning(
    site: Site, files: dict[str, str], base_url: str, other: str | None
) -> None:
    root = site({"x.html": "<p>"} | files)
    found = asking(settings(root, base_url=base_url), allow_empty=True)
    warnings = sitemapper.build(found, now=NOW).warnings
    assert [about for kind, _, about in warnings if kind.name == "BASE_URL"] == (
        [(f"it is {base_url}, but {other}",)] if other else []
    )


def test_where_all_canonicals_are_below_another_base_url_the_error_names_it(
    site: Site, run: Run
) -> None:
    assert run("build", site(canonicals(f"{BASE}tea/", *PAGES)), "--base-url", BASE) == 2
    assert run.err.endswith(
        "no page to list (excluded: 4 canonical elsewhere; --dry-run --excluded - lists them), so nothing was "
        f"published\n  help: correct base_url: it is {BASE}, but 4 of 4 pages have canonicals below "
        f"{BASE}tea/; --allow-empty publishes an empty sitemap\n"
    )


BELOW_TEA = {
    f"p{n}.html": '<link href = "/tea/a.css"><script src=/tea/a.js></script>'
    + links("/tea/", "/tea/p1.html")
    for n in range(3)
}


@pytest.mark.parametrize(
    ("files", "base_url", "expected"),
    [
        (BELOW_TEA, BASE, "12 of 12"),
        (BELOW_TEA | {"x.html": links("/about")}, BASE, "12 of 13"),
        (BELOW_TEA | {"x.html": links("/about", "/", "https://a.example/", "p1.html")}, BASE, None),
        (BELOW_TEA | {"tea/a.css": ""}, BASE, None),
        (BELOW_TEA, f"{BASE}tea/", None),
        ({"index.html": links("/tea/", "/tea/a")}, BASE, None),
        ({"index.html": links(*(f"//cdn.example/{n}" for n in range(20)))}, BASE, None),
    ],
)
def test_a_base_url_without_the_path_of_the_site_is_a_warning(
    site: Site, files: dict[str, str], base_url: str, expected: str | None
) -> None:
    """The site is served at /tea/, as its links and assets say, and the user forgets it."""
    warnings = build(site(files), base_url=base_url).warnings
    what = "links and assets that begin with / begin with /tea/"
    sentence = f"{BASE} has no path, but {expected} {what}: should it be {BASE}tea/?"
    assert [about for kind, _, about in warnings if kind.name == "BASE_URL"] == (
        [(sentence,)] if expected else []
    )


NAMES = ("index.html", "a/index.html", "b/index.html", "c/index.html")
AT_ROOT = {name: links("/", "/a/", "/b/", "/c/") for name in NAMES}
BELOW_DOCS = {name: links("/docs/", "/docs/a/", "/docs/b/", "/docs/c/") for name in NAMES}
FULL = {
    name: links(*(f"https://www.site.test/{page}" for page in ("", "a/", "b/", "c/")))
    for name in NAMES
}
# A menu of a sister site with pages of the same names.
SISTER = {name: links("/", "/a/", "/b/", "c/", "https://www.site.test/a/") for name in NAMES}
# A manual whose menu leads to other parts of the host.
WITH_MENU = {name: links("/pricing", "/about/", "/blog/", "a/") for name in NAMES}
ROOT, DOCS, WWW = "https://site.test/", "https://site.test/docs/", "https://www.site.test/"


@pytest.mark.parametrize(
    ("detected", "files", "right"),
    [
        (ROOT, canonicals(DOCS, *NAMES), DOCS),
        (DOCS, canonicals(ROOT, *NAMES), ROOT),
        (ROOT, canonicals(WWW, *NAMES), WWW),
        (ROOT, canonicals(WWW, *NAMES[:3]) | canonicals(ROOT, *NAMES[3:]), WWW),
        (ROOT, canonicals(ROOT, *NAMES[:3]) | canonicals(WWW, *NAMES[3:]), None),
        (DOCS, canonicals("http://site.test/docs/", *NAMES), None),
        (DOCS, AT_ROOT, ROOT),
        (ROOT, BELOW_DOCS, DOCS),
        (ROOT, AT_ROOT, None),
        (DOCS, BELOW_DOCS, None),
        (DOCS, WITH_MENU, None),
        # A menu of the host, of which one page has the name of one of ours.
        (DOCS, {name: links("/", "/a/", "/pricing/", "b/") for name in NAMES}, None),
        # A menu that leads to a manual of its own, with pages of the same names.
        (ROOT, {name: links("/docs/", "/docs/a/", "/docs/b/", "/a/") for name in NAMES}, None),
        # Articles that appeared on another host first.
        (
            ROOT,
            canonicals(ROOT, NAMES[0])
            | canonicals("https://paper.test/", *NAMES[1:])
            | dict.fromkeys(("x.html", "y.html", "z.html"), "<p>"),
            None,
        ),
        (DOCS, canonicals("https://site.test/latest/", *NAMES), "https://site.test/latest/"),
        # An old version, whose pages name the latest one.
        (DOCS, canonicals("https://site.test/latest/", *NAMES[:3]) | {NAMES[3]: "<p>"}, None),
        (ROOT, FULL, WWW),
        (WWW, FULL, None),
        (ROOT, SISTER, None),
        (
            DOCS,
            {name: head + AT_ROOT[name] for name, head in canonicals(DOCS, *NAMES).items()},
            None,
        ),
    ],
)
def test_a_base_url_that_was_found_is_not_used_against_most_pages(
    site: Site,
    run: Run,
    detected: str,
    files: dict[str, str],
    right: str | None,
) -> None:
    root = site({f"public/{name}": text for name, text in files.items()})
    (root / "hugo.toml").write_text(f'baseURL = "{detected}"\n')
    code = run("build", root / "public", "--max-drop", "100")
    if right is None:
        assert code == 0, run.err
        return
    assert code == 2
    assert f"the base URL is {detected} (" in run.err
    assert "hugo.toml:1: baseURL), but " in run.err
    assert f"  help: if {right} is right, pass it as --base-url; else build " in run.err
    assert not (root / "public/sitemap.xml").exists()
    # Somebody who says it is right gets a warning at most.
    assert run("build", root / "public", "--base-url", right) == 0


FULL_AND_PLAIN = {name: text + links("/a/", "/b/", "/nowhere/") for name, text in FULL.items()}


@pytest.mark.parametrize(
    ("files", "base_url", "said"),
    [
        (
            AT_ROOT,
            f"{BASE}docs/",
            f"16 of 16 links and assets that begin with / name files of this site only below {BASE}",
        ),
        (
            FULL_AND_PLAIN,
            BASE,
            f"12 of 20 links and assets of the first pages name its files below {WWW}",
        ),
    ],
)
def test_a_written_base_url_that_links_contradict_is_a_warning(
    site: Site, files: dict[str, str], base_url: str, said: str
) -> None:
    warnings = build(site(files), base_url=base_url).warnings
    assert [about for kind, _, about in warnings if kind.name == "BASE_URL"] == [
        (f"it is {base_url}, but {said}",)
    ]


PLAIN = dict.fromkeys(("index.html", "a.html", "b.html"), "<p>Tea.")
URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
OF_CUP = {
    "sitemap.xml": URLSET.format("<url><loc>https://cup.test/a</loc></url>"),
    "robots.txt": "Sitemap: https://cup.test/x.xml\n",
    "feed.xml": "<rss><channel><item><link>https://cup.test/a</link></item></channel></rss>",
    "index.html": '<meta property="og:url" content="https://cup.test/"><p>',
}
OF_SITE = {name: text.replace("cup", "site") for name, text in OF_CUP.items()}


@pytest.mark.parametrize(
    ("files", "witnesses"),
    [
        ({name: OF_CUP[name]}, f"{place} names https://cup.test/")
        for name, place in [
            ("sitemap.xml", "public/sitemap.xml"),
            ("robots.txt", "public/robots.txt"),
            ("feed.xml", "public/feed.xml"),
            ("index.html", "the home page's og:url"),
        ]
    ]
    + [
        (
            OF_CUP,
            "the home page's og:url names https://cup.test/ and public/sitemap.xml names "
            "https://cup.test/",
        ),
        ({"feed.xml": OF_CUP["feed.xml"], "sitemap.xml": OF_SITE["sitemap.xml"]}, ""),
        ({"feed.xml": OF_CUP["feed.xml"], "CNAME": "site.test"}, ""),
        (
            OF_CUP | {"sitemap.xml": OF_SITE["sitemap.xml"]},
            "the home page's og:url names https://cup.test/ and public/feed.xml names "
            "https://cup.test/",
        ),
        (
            OF_CUP | {"a.html": '<link rel="canonical" href="https://site.test/a">'},
            "the home page's og:url names",
        ),
        # The home page names another page of the site.
        ({"index.html": '<meta property="og:url" content="https://site.test/a"><p>'}, ""),
    ],
)
def test_a_setting_that_other_witnesses_outvote_is_not_used(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], witnesses: str
) -> None:
    root = site({f"public/{name}": text for name, text in (PLAIN | files).items()})
    (root / "hugo.toml").write_text('baseURL = "https://site.test/"\n')
    monkeypatch.chdir(root)
    code = run("build")
    if not witnesses:
        assert code == 0, run.err
        return
    assert code == 2
    assert f"the base URL is https://site.test/ (hugo.toml:1: baseURL), but {witnesses}" in run.err
    assert "help: if https://cup.test/ is right, pass it as --base-url; else build" in run.err
    assert run("build", "--base-url", "https://site.test/") == 0
    assert "base_url may be wrong: it is https://site.test/, but " in run.err


def test_our_own_sitemap_does_not_hold_a_site_at_its_old_address(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site({f"public/{name}": text for name, text in PLAIN.items()})
    monkeypatch.chdir(root)
    for address in ("https://old.test/", "https://site.test/"):
        (root / "hugo.toml").write_text(f'baseURL = "{address}"\n')
        assert run("build", "--max-drop", "100") == 0, run.err
        assert f"base_url {address}" in run.out


def test_the_url_of_the_builder_is_a_witness_beside_a_setting(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site({f"public/{name}": text for name, text in PLAIN.items()})
    (root / "hugo.toml").write_text('baseURL = "https://site.test/docs/"\n')
    monkeypatch.chdir(root)
    monkeypatch.setenv("NETLIFY", "true")
    monkeypatch.setenv("URL", "https://cup.test")
    assert run("build") == 2
    assert "but environment: URL names https://cup.test/, so nothing was published" in run.err
    assert run("build", "--base-url", "https://site.test/docs/", "--strict") == 0
    monkeypatch.setenv("URL", "https://site.test")
    assert run("build") == 0


@pytest.mark.parametrize("number", range(8))
def test_of_hosts_with_as_many_links_the_first_one_of_the_pages_counts(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    hosts = (f"first{number}.test", f"second{number}.test")
    names = [f"{letter}.html" for letter in "abcdef"]
    page = links(*(f"https://{host}/{name}" for name in names for host in hosts))
    root = site({f"public/{name}": page for name in ("index.html", *names)})
    monkeypatch.chdir(root)
    assert run("build", "--base-url", "https://site.test/") == 0
    assert f"name its files below https://{hosts[0]}/" in run.err


@pytest.mark.parametrize("number", range(8))
def test_of_hosts_with_as_many_links_that_of_the_base_url_counts(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    hosts = (f"other{number}.test", "site.test")
    names = [f"{letter}.html" for letter in "abcdef"]
    page = links(*(f"https://{host}/{name}" for name in names for host in hosts))
    cup = {"public/robots.txt": "Sitemap: https://cup.test/x.xml\n"}
    root = site(cup | {f"public/{name}": page for name in ("index.html", *names)})
    monkeypatch.chdir(root)
    assert run("build", "--base-url", "https://site.test/", "--strict") == 0, run.err
