"""One test for each fault that reviews and users found in the judge; each is named after it."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import BASE, POSIX, Run, Site, build, locs, paths

from sitemapper import Reason


def head(tag: str) -> str:
    return f"<html><head>{tag}</head><body>"


def canonical(href: str) -> str:
    return head(f'<link rel="canonical" href="{href}">')


@pytest.mark.parametrize(
    "charset", ["utf-32", "cp037", "utf-7", "idna", "punycode", "unicode_escape", "hz", "cp500", "base64"]
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


@pytest.mark.parametrize("name", ["a[b]", "c{d", "f|g", "x^y", 'q"r'])
def test_rules_with_characters_that_urls_encode_close_pages(site: Site, name: str) -> None:
    root = site({"ok.html": "", f"{name}.html": "", "robots.txt": f"User-agent: *\nDisallow: /{name}\n"})
    build(root)
    assert paths(root) == ["ok.html"]


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
def test_nothing_outside_the_site_is_looked_at(site: Site, run: Run, tmp_path: Path, target: str) -> None:
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


def test_explain_takes_roundabout_paths_and_folders(site: Site, run: Run) -> None:
    root = site({"blog/a.html": "", "drafts/x.html": ""})
    for target in ("blog/../blog/a.html", "blog//a.html", "./blog/a.html"):
        assert run("explain", target, "--site", root, "--base-url", BASE) == 0
        assert run.out.startswith("blog/a.html is listed\n  loc         https://example.com/blog/a.html")
    for target in ("drafts/", "drafts", f"{BASE}drafts/"):
        assert run("explain", target, "--site", root, "--base-url", BASE, "--ignore", "drafts/") == 0
        assert run.out.startswith("drafts/ is not listed: ignored (the folder drafts/)")


def test_extra_urls_obey_robots_txt(site: Site) -> None:
    root = site({"a.html": "", "robots.txt": "User-agent: *\nDisallow: /private\n"})
    summary = build(root, urls=[{"loc": f"{BASE}private/x"}, {"loc": f"{BASE}public"}])
    assert paths(root) == ["a.html", "public"]
    assert summary.excluded == {Reason.ROBOTS: 1}


@pytest.mark.parametrize(
    ("text", "agent", "allowed"),
    [
        ("User-agent: Google\nDisallow: /x", "Googlebot", True),
        ("User-agent: Googlebot/2.1\nDisallow: /", "Googlebot", False),
        ("User-agent: GOOGLEBOT\nDisallow: /", "googlebot", False),
        ("User-agent: *\nCrawl-delay: 1\nUser-agent: other\nDisallow: /", "Googlebot", False),
        ("User-agent: *\nDisallow: /\nUser-agent: Googlebot\nAllow: /", "Googlebot", True),
    ],
)
def test_agents_are_whole_tokens(text: str, agent: str, allowed: bool) -> None:
    from sitemapper.syntax.robots import crawling

    assert (crawling(text.encode(), (agent,)).forbids(f"{BASE}x") is None) is allowed


def test_the_line_that_closes_a_page_is_of_the_agents_own_group(site: Site, run: Run) -> None:
    root = site(
        {
            "private/secret.html": "",
            "robots.txt": "User-agent: Bad\nDisallow: /private/secret\n\nUser-agent: *\nDisallow: /private\n",
        }
    )
    assert run("explain", "private/secret.html", "--site", root, "--base-url", BASE) == 0
    assert "robots.txt:5: Disallow: /private" in run.out


def test_a_page_of_open_elements_ends() -> None:
    import time

    from sitemapper.syntax.html import parse

    begun = time.monotonic()
    assert parse(b'<meta name="robots" content="noindex">' + b"<div>" * 2_000_000).noindex
    assert time.monotonic() - begun < 20


def test_an_extra_url_whose_file_excludes_itself_is_left_out(site: Site, run: Run) -> None:
    root = site(
        {
            "a.html": "",
            "thanks/index.html": head('<meta name="robots" content="noindex">'),
            "robots.txt": "User-agent: *\nDisallow: /app\n",
        }
    )
    (root.parent / "sitemapper.toml").write_text(
        f'base_url = "{BASE}"\nsite = "public"\n[[urls]]\nloc = "{BASE}thanks/"\n[[urls]]\nloc = "{BASE}app/"\n'
    )
    summary = build(root)
    assert paths(root) == ["a.html"]
    assert summary.excluded == {Reason.ROBOTS: 1, Reason.NOINDEX: 2}
    assert run("explain", f"{BASE}app/") == 0
    assert run.out.startswith(
        f"{BASE}app/ is not listed: disallowed by robots.txt\n  decided by  robots.txt:2"
    )
    assert run("explain", f"{BASE}thanks/") == 0
    assert "is not listed: noindex" in run.out


@POSIX
def test_no_page_behind_a_link_out_of_the_site_has_a_say(site: Site, tmp_path: Path) -> None:
    """Neither for an extra URL, which stays, nor for an alternate, which cannot be seen to answer."""
    (tmp_path / "outside").mkdir()
    secret = tmp_path / "outside" / "secret.html"
    secret.write_text('<meta name=robots content=noindex><link rel=alternate hreflang=en href="/a.html">')
    root = site({"a.html": '<link rel=alternate hreflang=de href="/out/secret.html">'})
    (root / "out").symlink_to(tmp_path / "outside")
    summary = build(root, hreflang=True, urls=[{"loc": f"{BASE}out/secret.html"}])
    assert locs(root) == [f"{BASE}a.html", f"{BASE}out/secret.html"]
    assert summary.excluded == {}
