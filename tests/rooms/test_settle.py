"""The base URL and the URL forms of a site, from all of its pages."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from support.rooms import BASE, canonical, commit, decide, git, page, write

from sitemapper.messages import PreviewError, SitemapperError

SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'


def sitemap(*urls: str) -> str:
    return SITEMAP.format("".join(f"<url><loc>{url}</loc></url>" for url in urls))


OURS = "<!-- sitemapper wrote this file; its next run will replace it -->"

# Files, settings, and the base URL with what named it.
BASES: list[tuple[str, dict[str, str], dict[str, Any], str]] = [
    ("a setting", {"index.html": page()}, {"base_url": "https://A.example/x"},
     "https://a.example/x/ options"),
    ("canonicals", {"index.html": canonical(BASE), "a/index.html": canonical(f"{BASE}a/")}, {},
     f"{BASE} the canonicals of 2 pages"),
    ("canonicals below a path", {"index.html": canonical("https://t.example/docs/"),
                                 "b.html": canonical("https://t.example/docs/b")}, {},
     "https://t.example/docs/ the canonicals of 2 pages"),
    ("one syndicated post", {"a.html": canonical(f"{BASE}a"), "b.html": canonical(f"{BASE}b"),
                             "c.html": canonical("https://other.example/c")}, {},
     f"{BASE} the canonicals of 2 pages"),
    ("a root that redirects", {"index.html": page('<meta http-equiv=refresh content="0; url=en/">'
                                                  f'<link rel=canonical href="{BASE}en/">'),
                               "en/index.html": canonical(f"{BASE}en/")}, {},
     f"{BASE} the canonicals of 1 page"),
    ("relative canonicals", {"index.html": canonical("/"), "CNAME": "tea.example"}, {},
     f"{BASE} CNAME"),
    ("canonicals that exclude no page", {"index.html": canonical(BASE)},
     {"respect": {"canonical": False}}, f"{BASE} the canonicals of 1 page"),
    ("og:url", {"index.html": page('<meta property="og:url" content="https://tea.example//">')}, {},
     f"{BASE} the home page's og:url"),
    ("the generator's sitemap", {"index.html": page(), "a/index.html": page(),
                                 "sitemap.xml": sitemap(BASE, f"{BASE}a/")}, {},
     f"{BASE} sitemap.xml"),
    ("a sitemap below a path", {"index.html": page(), "a/index.html": page(),
                                "sitemap.xml": sitemap("https://t.example/docs/",
                                                       "https://t.example/docs/a/")}, {},
     "https://t.example/docs/ sitemap.xml"),
    ("our own sitemap", {"index.html": page(), "sitemap.xml": OURS + sitemap(BASE)}, {},
     f"{BASE} sitemap.xml"),
    ("robots.txt", {"index.html": page(), "robots.txt": f"Sitemap: {BASE}map.xml", "map.xml": ""},
     {}, f"{BASE} robots.txt"),
    ("a feed", {"index.html": page(),
                "feed.xml": f"<rss><channel><title>T</title><link>{BASE}</link></channel></rss>"},
     {}, f"{BASE} feed.xml"),
    ("an Atom feed", {"index.html": page(), "atom.xml": f'<feed><link href="{BASE}atom.xml" '
                      f'rel="self"/><link href="{BASE}" rel="alternate"/></feed>'}, {},
     f"{BASE} atom.xml"),
    ("a query in a canonical", {"index.html": canonical(f"{BASE}?page=1"), "CNAME": "tea.example"},
     {}, f"{BASE} CNAME"),
    ("github.io beside a CNAME", {"index.html": canonical("https://ann.github.io/tea/"),
                                  "CNAME": "tea.example"}, {}, f"{BASE} CNAME"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "values", "expected"), [row[1:] for row in BASES], ids=[row[0] for row in BASES]
)
def test_the_base_url(
    files: dict[str, str], values: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    site = decide(write(tmp_path, files), **values).site
    assert f"{site.base_url} {site.base_url_origin}" == expected


PROJECTS: list[tuple[str, dict[str, str], str]] = [
    ("the generator's setting", {"hugo.toml": f'baseURL = "{BASE}"', "public/index.html": page()},
     f"{BASE} hugo.toml:1: baseURL"),
    ("a placeholder in it, and a CNAME", {"hugo.toml": 'baseURL = "https://example.org/"',
                                          "public/CNAME": "tea.example",
                                          "public/index.html": page()},
     f"{BASE} public/CNAME"),
    ("canonicals win", {"hugo.toml": 'baseURL = "https://old.example/"',
                        "public/index.html": canonical(BASE)},
     f"{BASE} the canonicals of 1 page"),
    ("few canonicals do not win", {"hugo.toml": f'baseURL = "{BASE}"', "public/a.html":
                                   canonical("https://other.example/a"), "public/b.html": page(),
                                   "public/index.html": page()}, f"{BASE} hugo.toml:1: baseURL"),
    ("http and https are one", {"hugo.toml": f'baseURL = "{BASE}"',
                                "public/index.html": canonical("http://tea.example/")},
     f"{BASE} hugo.toml:1: baseURL"),
    ("www. is another site", {"hugo.toml": f'baseURL = "{BASE}"',
                              "public/index.html": canonical("https://www.tea.example/")},
     "https://www.tea.example/ the canonicals of 1 page"),
    ("a homepage at a code host", {"package.json": '{"homepage": "https://github.com/a/b", "vite": 1,'
                                   '"dependencies": {"vite": "5"}}',
                                   "dist/index.html": page(), "dist/CNAME": "tea.example"},
     f"{BASE} dist/CNAME"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "expected"), [row[1:] for row in PROJECTS], ids=[row[0] for row in PROJECTS]
)
def test_the_base_url_of_a_project(files: dict[str, str], expected: str, tmp_path: Path) -> None:
    site = decide(write(tmp_path, files), "auto").site
    assert f"{site.base_url} {site.base_url_origin}" == expected


WORKFLOW = {".github/workflows/a.yml": "uses: actions/deploy-pages@v4"}
TEA = page(body='<a href="/tea/a.css">a</a>')


# Files, the branch that is checked out, and the address.
GITHUB: list[tuple[str, dict[str, str], str, str]] = [
    ("a workflow", {"index.html": page(), **WORKFLOW}, "main", "https://ann.github.io/tea/"),
    ("a workflow of MkDocs", {"index.html": page(), ".github/workflows/ci.yml":
     "run: mkdocs gh-deploy --force"}, "main", "https://ann.github.io/tea/"),
    ("links that fit", {"index.html": TEA, **WORKFLOW}, "main", "https://ann.github.io/tea/"),
    ("links to another address", {"index.html": page(body='<a href="/a.css">a</a>'), **WORKFLOW},
     "main", ""),
    ("a deployment to another address", {"index.html": page(), ".github/workflows/a.yml":
     "uses: peaceiris/actions-gh-pages@v4\nwith:\n  cname: tea.example"}, "main", ""),
    ("the branch of Pages", {"index.html": page()}, "gh-pages", "https://ann.github.io/tea/"),
    ("nothing deploys it", {"index.html": page()}, "main", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "branch", "expected"), [row[1:] for row in GITHUB], ids=[row[0] for row in GITHUB]
)
def test_the_address_of_github_pages(
    files: dict[str, str], branch: str, expected: str, tmp_path: Path
) -> None:
    commit(write(tmp_path, files))
    git(tmp_path, "branch", "-M", branch)
    git(tmp_path, "remote", "add", "origin", "git@github.com:Ann/tea.git")
    try:
        found = decide(tmp_path).site.base_url
    except SitemapperError:
        found = ""
    assert found == expected


def test_the_builder_of_a_host(tmp_path: Path) -> None:
    environment = {"NETLIFY": "true", "URL": "https://tea.example"}
    assert decide(write(tmp_path, "index.html"), environment=environment).site.base_url == BASE


# Files, and the beginning of the error with its help.
ERRORS: list[tuple[str, dict[str, str], str, str]] = [
    ("nothing names one", {"index.html": page()},
     "no base URL was found: no canonical names one, and no setting, CNAME or sitemap",
     'write base_url = "https://tea.example/" in sitemapper.toml, or pass --base-url'),
    ("this machine", {"index.html": canonical("http://localhost:4000/")},
     "the canonicals name http://localhost:4000/ (1 of 1)",
     "build the site again with its address"),
    ("an example", {"index.html": canonical("https://example.com/")},
     "the canonicals name https://example.com/ (1 of 1)", "build the site again"),
    ("no two thirds agree", {"a.html": canonical(f"{BASE}a"),
                             "b.html": canonical("https://other.example/b")},
     "no base URL was found", "write base_url"),
    ("a base that the sitemap lacks", {"index.html": page(body='<a href="/docs/a/">A</a>'),
                                       "a/index.html": page(body='<a href="/docs/">A</a>'),
                                       "sitemap.xml": sitemap(BASE, f"{BASE}a/")},
     "the base URL is not certain: sitemap.xml names https://tea.example/, but all links of the "
     "pages begin with /docs/", 'write base_url = "https://tea.example/docs/"'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "text", "help"), [row[1:] for row in ERRORS], ids=[row[0] for row in ERRORS]
)
def test_no_base_url(files: dict[str, str], text: str, help: str, tmp_path: Path) -> None:
    with pytest.raises(SitemapperError) as error:
        decide(write(tmp_path, files))
    assert error.value.text.startswith(text)
    assert error.value.help.startswith(help)


def test_a_preview_is_not_published(tmp_path: Path) -> None:
    preview = "https://deploy-preview-7--tea.netlify.app/"
    write(tmp_path, {"index.html": canonical(preview)})
    for values in ({}, {"base_url": preview}):
        with pytest.raises(PreviewError, match="deploy-preview-7--tea"):
            decide(tmp_path, **values)
    for variable, text in (("BASE_URL", preview), ("CONFIG", f'base_url = "{preview}"')):
        environment = {f"SITEMAPPER_{variable}": text}
        assert decide(tmp_path, environment=environment).site.base_url == preview


# Files, and the one warning.
FOUND: list[tuple[str, dict[str, str], list[str]]] = [
    ("www. in canonicals", {"CNAME": "tea.example", "a.html": canonical("https://www.tea.example/a")},
     ["the canonicals name https://www.tea.example/ (1 of 1), so the base URL is not "
      "https://tea.example/ (CNAME)"]),
    ("no www. in canonicals", {"CNAME": "www.tea.example", "a.html": canonical(f"{BASE}a")},
     ["the canonicals name https://tea.example/ (1 of 1), so the base URL is not "
      "https://www.tea.example/ (CNAME)"]),
    ("few canonicals", {"CNAME": "tea.example", "a.html": canonical("https://www.tea.example/a"),
                        "b.html": page(), "c.html": page()},
     ["the base URL is https://tea.example/ (CNAME), but the canonicals name "
      "https://www.tea.example/ (1 of 1)"]),
    ("http in canonicals", {"CNAME": "tea.example", "a.html": canonical("http://tea.example/a.html")},
     []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "warnings"), [row[1:] for row in FOUND], ids=[row[0] for row in FOUND]
)
def test_pages_and_a_base_url_that_was_found(
    files: dict[str, str], warnings: list[str], tmp_path: Path
) -> None:
    site = decide(write(tmp_path, files)).site
    assert [one.text for one in site.messages if one.code == "base-url"] == warnings


def test_a_written_base_url_stands_with_one_warning(tmp_path: Path) -> None:
    files = {name: canonical(f"https://old.example/{name}") for name in ("a.html", "b.html")}
    decided = decide(write(tmp_path, files), base_url=BASE)
    assert decided.site.base_url == BASE
    assert decided.site.messages[0].text == (
        f"the base URL is {BASE} (options), but the canonicals name https://old.example/ (2 of 2)"
    )


def test_pages_below_a_link_vote_for_all(tmp_path: Path) -> None:
    write(tmp_path, {"2.1/a.html": canonical(f"{BASE}latest/a.html"),
                     "2.1/b.html": canonical(f"{BASE}latest/b.html"),
                     "index.html": canonical(BASE)})  # fmt: skip
    (tmp_path / "latest").symlink_to("2.1")
    decided = decide(tmp_path)
    assert decided.site.base_url == BASE
    assert decided.paths == ". latest/a.html latest/b.html"


# Pages with canonicals (or without), settings, and the URLs that are listed.
FORMS: list[tuple[str, dict[str, str], dict[str, Any], str]] = [
    ("nothing shows a form", {"a/index.html": page(), "b.html": page()}, {}, "a/ b.html"),
    ("url_style", {"a/index.html": page(), "b.html": page()}, {"url_style": "clean"}, "a/ b"),
    ("bare", {"a/index.html": page(), "b.html": page()}, {"url_style": "bare"}, "a b"),
    ("file", {"a/index.html": page(), "b.html": page(), "index.html": page()},
     {"url_style": "file"}, "index.html a/index.html b.html"),
    ("canonicals of flat pages", {"a.html": canonical(f"{BASE}a"), "b.html": canonical(f"{BASE}b"),
                                  "c.html": page(), "d/index.html": page()}, {}, "a b c d/"),
    ("canonicals that exclude no page", {"a.html": canonical(f"{BASE}a"), "b.html": canonical("/c")},
     {"respect": {"canonical": False}}, "a b"),
    ("relative canonicals", {"a.html": canonical("/a"), "b.html": canonical("/b"),
                             "c/index.html": canonical("../c")}, {}, "a b c"),
    ("one of four has another", {"a.html": canonical(f"{BASE}a"), "b.html": page(),
                                 "c.html": page(), "d.html": page()}, {}, "a b.html c.html d.html"),
    ("folder pages without a slash", {"a/index.html": canonical(f"{BASE}a"),
                                      "b/index.html": canonical(f"{BASE}b")}, {}, "a b"),
    ("a known host", {"a/index.html": page(), "b.html": page()}, {"host": "cloudflare"}, "a/ b"),
    ("the generator's sitemap", {"a.html": page(), "b.html": page(),
                                 "sitemap.xml": sitemap(f"{BASE}a", f"{BASE}b")}, {}, "a b"),
    ("our own sitemap", {"a.html": page(), "sitemap.xml": OURS + sitemap(f"{BASE}a")}, {}, "a.html"),
    ("links to flat pages", {"a.html": page(body='<a href="/b">b</a>'),
                             "b.html": page(body='<a href="a">a</a>')}, {}, "a b"),
    ("a link too long to try all its parts", {"a.html": page(body=f'<a href="{BASE}{"x" * 200}#x">x</a>'
                                                                  '<a href="b">b</a>'),
                                              "b.html": page()}, {}, "a b"),
    ("links to parts of a page prove nothing", {"a.html": page(body='<a href="b">b</a><a href="#c">c</a>'
                                                                    '<a href="#d">d</a>'),
                                                "b.html": page()}, {}, "a b"),
    ("links to folders prove nothing", {"a/index.html": page(body='<a href="/b">b</a>'),
                                        "b/index.html": page()}, {}, "a/ b/"),
    ("the home page does not vote", {"index.html": canonical(f"{BASE}index.html"),
                                     "a/index.html": page()}, {}, "index.html a/"),
    ("names that are quoted", {"ü ö.html": canonical(f"{BASE}%C3%BC%20%c3%b6"),
                               "50%.html": canonical(f"{BASE}50%25")}, {}, "50%25 %C3%BC%20%C3%B6"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "values", "expected"), [row[1:] for row in FORMS], ids=[row[0] for row in FORMS]
)
def test_url_forms(
    files: dict[str, str], values: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    decided = decide(write(tmp_path, files), base_url=BASE, **values)
    assert decided.paths == expected
    assert not decided.messages


def test_our_own_packed_sitemap_shows_no_form(tmp_path: Path) -> None:
    packed = gzip.compress((OURS + sitemap(f"{BASE}a")).encode())
    files = {"mkdocs.yml": "site_name: Tea", "site/index.html": page(), "site/a.html": page()}
    write(tmp_path, {**files, "site/sitemap.xml.gz": packed})
    decided = decide(tmp_path, "site", base_url=BASE)
    assert decided.found.project.sitemaps[1] == "sitemap.xml.gz"
    assert decided.paths == ". a.html"


SLASHLESS = {
    f"{name}/index.html": page(
        f'<link rel="canonical" href="{BASE}{name}">', f'<a href="/{name}">x</a>'
    )
    for name in ("a", "b", "c")
}


def test_the_file_of_a_host_beside_the_site_counts_without_a_repository(tmp_path: Path) -> None:
    write(tmp_path, {"vercel.json": '{"cleanUrls": true}', "public/a.html": page()})
    assert decide(tmp_path, "public", base_url=BASE).paths == "a"


def test_canonicals_beat_a_guessed_host(tmp_path: Path) -> None:
    decided = decide(write(tmp_path, {"CNAME": "tea.example", **SLASHLESS}))
    assert decided.paths == "a b c"
    assert decided.messages == [
        "the canonicals have the form a, but github (CNAME) serves a/ or a/index.html",
    ]
    assert str(decided.site.forms_origin) == "the canonicals of most pages"


def test_a_host_that_is_written_knows_better(tmp_path: Path) -> None:
    decided = decide(write(tmp_path, SLASHLESS), host="github")
    assert decided.paths == "a/ b/ c/"
    assert decided.codes.count("url-form") == 1


def test_a_canonical_that_the_layout_gives_to_all_pages(tmp_path: Path) -> None:
    files = {f"p{n}/index.html": page(f'<link rel=canonical href="{BASE}">', f'<a href="/p{n}/">x</a>')
             for n in range(10)}  # fmt: skip
    files |= {"index.html": canonical(BASE), "about/index.html": canonical(f"{BASE}about/")}
    decided = decide(write(tmp_path, files))
    assert decided.paths == ". about/"
    assert decided.messages[0] == (
        f"10 pages name {BASE} as their canonical, and are left out, though they link to themselves"
    )
    assert decided.reasons["p1/index.html"].startswith("canonical elsewhere")
