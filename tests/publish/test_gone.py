"""The fates of URLs that were published before: redirected, moved, withdrawn or lost."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support import BASE, Site, build, write_site
from support.heads import NOINDEX, canonical, head, refresh

from sitemapper import Fate, GoneUrl, Summary
from sitemapper.messages import Kind

# Many pages that stay, so that no loss stops a run.
STAYING = {f"stays/{n}.html": f"page {n}" for n in range(9)}

NETLIFY = {"host": "netlify", "url_style": "clean"}


def built(root: Path, **values: Any) -> Summary:
    return build(root, **{"max_drop": 100, **values})


def edited(site: Site, edits: Mapping[str, str | None], *names: str, **values: Any) -> Summary:
    """The build after edits of a site that was published with `names`; None deletes a page."""
    root = site({**dict.fromkeys(names or ("a.html",), ""), **STAYING})
    built(root, **values)
    for name, text in edits.items():
        (root / name).unlink(missing_ok=True)
        if text is not None:
            write_site(root, {name: text})
    return built(root, **values)


def fates(summary: Summary) -> dict[str, str]:
    """What became of each URL: `lost`, `redirected new.html`, with paths below the base."""
    told = {}
    for gone in summary.gone:
        name = "form" if gone.is_same_page else gone.fate.value
        told[gone.url.removeprefix(BASE)] = f"{name} {gone.target.removeprefix(BASE)}".strip()
    return told


def origins(summary: Summary) -> dict[str, str]:
    return {gone.url.removeprefix(BASE): str(gone.origin) for gone in summary.gone}


def test_a_page_that_is_deleted_is_lost(site: Site) -> None:
    root = site({"a.html": "", **STAYING})
    assert built(root).gone == ()
    (root / "a.html").unlink()
    assert built(root).gone == (GoneUrl(f"{BASE}a.html", Fate.LOST),)
    assert built(root).gone == ()  # it is said once


@pytest.mark.parametrize(
    ("after", "fate", "origin"),
    [
        (NOINDEX, "withdrawn", 'a.html: <meta name="robots" content="noindex">'),
        (refresh("0; url=/stays/1.html"), "redirected stays/1.html", "a.html: <meta http-equiv"),
        (refresh("0; url=/stays/9.html"), "lost stays/9.html", "a.html: <meta http-equiv"),
        (refresh("0; url=https://b.example/"), "redirected https://b.example/", "a.html: <meta"),
        (canonical("/stays/1.html"), "redirected stays/1.html", "a.html: <link"),
        (canonical("https://b.example/"), "redirected https://b.example/", "a.html: <link"),
        (canonical("/stays/9.html"), "withdrawn stays/9.html", "a.html: <link"),
    ],
)
def test_a_page_that_is_left_out_says_where_it_leads(
    site: Site, after: str, fate: str, origin: str
) -> None:
    summary = edited(site, {"a.html": after})
    assert fates(summary) == {"a.html": fate}
    assert origins(summary)["a.html"].startswith(origin)


@pytest.mark.parametrize(
    ("values", "origin"),
    [
        ({"ignore": ["*b.html"]}, "settings: *b.html"),
        ({"ignore": ["a/"]}, "settings: a/"),
        ({"rules": [{"match": ["a/b.html"], "list": False}]}, "settings: a/b.html"),
    ],
)
def test_a_page_that_the_configuration_leaves_out_is_withdrawn(
    site: Site, values: dict[str, Any], origin: str
) -> None:
    root = site({"a/b.html": "", **STAYING})
    built(root)
    summary = built(root, **values)
    assert fates(summary) == {"a/b.html": "withdrawn"}
    assert origins(summary) == {"a/b.html": origin}


def test_robots_txt_withdraws_pages(site: Site) -> None:
    summary = edited(site, {"robots.txt": "User-agent: *\nDisallow: /a\n"})
    assert fates(summary) == {"a.html": "withdrawn"}
    assert origins(summary) == {"a.html": "robots.txt:2: Disallow: /a"}


@pytest.mark.parametrize(
    ("redirects", "fate"),
    [
        ("/a /stays/1 301", "redirected stays/1"),
        ("/a /stays/1.html 301", "redirected stays/1.html"),
        ("/a https://b.example/x 301", "redirected https://b.example/x"),
        ("/a /b 301\n/b /c 302\n/c /stays/1 301", "redirected b"),  # chains are not followed
        ("/a /b 301", "lost b"),
        ("/* /stays/1 301", "lost"),  # a rule for all paths redirects no lost URL
        ("/a /b 301\n/* /stays/1 301", "lost b"),
        ("/a /stays/1 200", "redirected stays/1"),  # shows that page
        ("/* /stays/1 200", "lost"),  # so does it for any name, also a wrong one
        ("/a /404.html 410", "withdrawn"),
        ("/a /stays/1 301 Country=de", "lost"),
    ],
)
def test_the_rules_of_the_host_decide_where_no_file_is(
    site: Site, redirects: str, fate: str
) -> None:
    summary = edited(site, {"a.html": None, "_redirects": redirects}, **NETLIFY)
    assert fates(summary) == {"a": fate}
    if fate != "lost":
        assert origins(summary)["a"].startswith("_redirects:1: ")


def test_a_redirect_of_a_folder_is_expanded(site: Site) -> None:
    root = site({"old/a.html": "", "old/b c.html": "", "old/d.html": "", **STAYING})
    built(root, **NETLIFY)
    (root / "old").rename(root / "new")
    (root / "new/d.html").unlink()
    (root / "_redirects").write_text("/old/* /new/:splat 301")
    assert fates(built(root, **NETLIFY)) == {
        "old/a": "redirected new/a",
        "old/b%20c": "redirected new/b%20c",
        "old/d": "lost new/d",
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [("b.html", ""), ("b.html", NOINDEX), ("b.html", refresh("0; url=/no")), ("b.pdf", "%PDF")],
)
def test_only_what_is_at_the_old_url_decides(site: Site, name: str, text: str) -> None:
    summary = edited(site, {"a.html": refresh(f"0; url=/{name}"), name: text})
    assert fates(summary) == {"a.html": f"redirected {name}"}


@pytest.mark.parametrize(
    ("old_style", "new_style", "host"),
    [
        ("directory", "clean", {}),
        ("file", "clean", {}),
        ("bare", "clean", {}),
        ("clean", "directory", {"host": "netlify"}),  # which also shows b.html at /b
    ],
)
def test_a_form_that_the_server_knows_is_no_loss_and_no_warning(
    site: Site, old_style: str, new_style: str, host: dict[str, str]
) -> None:
    root = site({"a/index.html": "", "b.html": "", **STAYING})
    before = build(root, url_style=old_style, **host).listed
    summary = build(root, url_style=new_style, max_drop=0, **host)
    assert all(gone.is_same_page and gone.fate is Fate.REDIRECTED for gone in summary.gone)
    assert 0 < len(summary.gone) <= before
    assert Kind.FORMS not in {kind for kind, *_ in summary.warnings}


def test_one_warning_tells_of_all_forms_that_the_host_may_not_redirect(site: Site) -> None:
    root = site({"a/index.html": "", "b.html": "", "c.html": ""})
    built(root, url_style="slash")
    summary = built(root, url_style="clean")
    [(_, examples, count, _)] = [
        warning for warning in summary.warnings if warning.kind is Kind.FORMS
    ]
    assert count == 2
    assert examples == (f"{BASE}b/ is now {BASE}b", f"{BASE}c/ is now {BASE}c")


def test_an_extra_url_that_is_not_named_any_more_is_lost(site: Site) -> None:
    root = site(STAYING)
    urls = [{"loc": f"{BASE}app/"}, {"loc": f"{BASE}shop?id=1"}]
    built(root, urls=urls)
    assert fates(built(root)) == {"app/": "lost", "shop?id=1": "lost"}


def test_a_page_beside_a_folder_with_its_name_is_decided_like_in_a_build(site: Site) -> None:
    edits = {"a/index.html": None, "a.html": head("<title>a</title>")}
    assert fates(edited(site, edits, "a/index.html")) == {"a/": "form a.html"}


def test_a_rule_that_only_changes_the_form_of_any_url_does_not_lead_anywhere(site: Site) -> None:
    root = site({"a.html": "", **STAYING})
    built(root)
    (root / "vercel.json").write_text('{"cleanUrls": true}')
    (root / "a.html").unlink()
    told = fates(built(root, host="vercel", url_style="clean"))
    assert (told["a.html"], told["stays/1.html"]) == ("lost", "form stays/1")


def test_a_redirect_leads_to_a_listed_page_although_some_host_may_redirect_that_too(
    site: Site,
) -> None:
    rules = {"_redirects": "/a.html /stays/1.html\n/* / 301\n"}
    summary = edited(
        site, {"a.html": None, "b.html": None} | rules, "a.html", "b.html", "index.html"
    )
    # Cloudflare would redirect every page, Netlify none that has a file.
    assert fates(summary) == {"a.html": "redirected stays/1.html", "b.html": "lost"}


ALL_PATHS = [
    ("cloudflare", "_redirects", "/:all/* https://b.example/ 301\n/* https://b.example/ 301"),
    ("cloudflare", "_redirects", "/*.html /stays/1 301"),  # whatever its name is
    ("gitlab", "_redirects", "/* /stays/1.html 301"),
    ("vercel", "vercel.json", '{"redirects": [{"source": "/:path*", "destination": "/stays/1.html"}]}'),
]  # fmt: skip


@pytest.mark.parametrize(("host", "name", "text"), ALL_PATHS)
def test_a_rule_for_all_paths_redirects_no_lost_url(
    site: Site, host: str, name: str, text: str
) -> None:
    root = site({"a.html": "", **STAYING})
    # Some hosts redirect all pages then, and an extra URL is what is left to list.
    urls = [{"loc": f"{BASE}app/"}]
    built(root, urls=urls)
    (root / "a.html").unlink()
    write_site(root, {name: text})
    assert fates(built(root, urls=urls, host=host))["a.html"] == "lost"


@pytest.mark.parametrize("host", ["https://www.example.com/", "http://example.com/"])
def test_a_redirect_to_another_name_of_this_host_leads_to_its_pages(site: Site, host: str) -> None:
    rules = {"_redirects": f"/a.html {host}stays/1.html\n/b.html {host}no.html\n"}
    edits = {"a.html": None, "b.html": None} | rules
    assert fates(edited(site, edits, "a.html", "b.html", host="netlify")) == {
        "a.html": "redirected stays/1.html",
        "b.html": "lost no.html",
    }
