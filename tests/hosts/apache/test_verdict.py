"""`.htaccess` as it is run: each answer here is one of Apache 2.4 itself."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from support import locs, write_site
from support.heard import heard
from support.hosts import page

from sitemapper.hosts.apache import READER
from sitemapper.model import Reason

NOW = 1_780_272_000  # 2026-06-01
REWRITE = "RewriteEngine On\n"
PAGES = (
    "index.html", "about.html", "docs/index.html", "docs/about.html", "admin.html",
    "drafts/index.html", "drafts/d.html", "both.html", "both/index.html", "blog/post.html",
)  # fmt: skip
BASE = "https://example.com/"


class Built(NamedTuple):
    """The URLs that a build lists below the base, and the pages that it leaves out."""

    listed: set[str]
    excluded: dict[str, Reason]


def built(tmp_path: Path, files: dict[str, str], *, base: str = BASE, canonical: str = "") -> Built:
    """A build of PAGES with some `.htaccess`. `canonical` is the ending of pages in canonicals."""
    pages = {}
    for name in PAGES:
        path = name.removesuffix("index.html")
        if path == name and canonical:
            path = name.removesuffix(".html") + canonical.replace("bare", "")
        head = f'<link rel="canonical" href="{base}{path}">' if canonical else ""
        pages[name] = page(name).replace("<p>", f"{head}<p>")
    site = tmp_path / "site"
    write_site(site, pages | files)
    left_out = {path: reason for path, (reason, _) in heard(site, base_url=base).excluded.items()}
    listed = {loc.removeprefix(base) for loc in locs(site)}
    return Built(listed, left_out)


ALL = {name.removesuffix("index.html") for name in PAGES}
IDIOM = (
    REWRITE + "RewriteCond %{THE_REQUEST} ^[A-Z]{3,9}\\ /(.*)\\.html [NC]\n"
    "RewriteCond %{DOCUMENT_ROOT}/moved/%1 -f\nRewriteRule ^ /%1 [R=301,L]\n"
)


@pytest.mark.parametrize(
    "text",
    [
        # An escaped space does not end the word.
        IDIOM,
        REWRITE + "RewriteCond %{REQUEST_URI} ^/(?=wp-admin|xmlrpc)\nRewriteRule ^ - [F]\n",
        # AuthType alone demands nothing.
        "AuthType Basic\nAuthName x\n",
        REWRITE
        + "RewriteCond %{REQUEST_FILENAME}.html -f\nRewriteRule ^ %{REQUEST_URI}.html [L]\n",
        "RewriteEngine On\nRewriteCond %{HTTP_COOKIE} x\nRewriteRule ^ - [F]\n",
        "Redirect 301 /project/about.html /x\n",
        "SetEnvIf User-Agent bot X\nHeader set X-Robots-Tag noindex env=X\n",
        '<If "%{HTTP_USER_AGENT} =~ /bot/">\nRequire all denied\n</If>\n',
        "<Foo bar>\nRequire all denied\n</Foo>\n",
        "Require ip 10.0.0.1\n",
    ],
)
def test_every_page_is_listed(tmp_path: Path, text: str) -> None:
    assert built(tmp_path, {".htaccess": text}) == Built(ALL, {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'AuthType Basic\nAuthName x\n<Files "admin.html">\nRequire valid-user\n</Files>\n',
            {"admin.html": Reason.CLOSED},
        ),
        (
            'SetEnvIf Request_URI "^/drafts/" X\nHeader set X-Robots-Tag noindex env=X\n',
            {"drafts/index.html": Reason.NOINDEX, "drafts/d.html": Reason.NOINDEX},
        ),
        (
            '<If "%{REQUEST_URI} =~ m#^/drafts/#">\nHeader set X-Robots-Tag noindex\n</If>\n',
            {"drafts/index.html": Reason.NOINDEX, "drafts/d.html": Reason.NOINDEX},
        ),
        (
            '<If "%{REQUEST_URI} == \'/about.html\' || -n \'\'">\nRequire all denied\n</If>\n',
            {"about.html": Reason.CLOSED},
        ),
        (
            REWRITE + "RewriteRule ^(about|admin)\\.html$ /new/$1 [R=301,L]\n",
            {"about.html": Reason.REDIRECT, "admin.html": Reason.REDIRECT},
        ),
        ("ErrorDocument 410 /about.html\n", {"about.html": Reason.NOT_A_PAGE}),
    ],
)  # fmt: skip
def test_only_the_pages_of_a_rule_are_left_out(
    tmp_path: Path, text: str, expected: dict[str, Reason]
) -> None:
    excluded = built(tmp_path, {".htaccess": text}).excluded
    assert excluded == expected


CLEAN = (
    REWRITE
    + "RewriteCond %{THE_REQUEST} \\s/+(.+?)\\.html[\\s?] [NC]\nRewriteRule ^ /%1 [R=301,L]\n"
    "RewriteCond %{REQUEST_FILENAME} !-d\nRewriteCond %{REQUEST_FILENAME}.html -f\n"
    "RewriteRule ^(.*)$ $1.html [L]\n"
)


@pytest.mark.parametrize(
    ("text", "canonical", "expected"),
    [
        (REWRITE + "RewriteRule ^([^/]+)/$ $1.html\n", "/", "about/"),
        (REWRITE + "RewriteRule ^(.+?)/$ /$1.html\n", "/", "about/"),
        ("Options +MultiViews\n", "bare", "about"),
        (CLEAN, "", "about"),
        (CLEAN, "bare", "about"),
        ("Options -Indexes\n", "bare", "about.html"),
    ],
)
def test_a_page_is_listed_where_a_rule_shows_it(
    tmp_path: Path, text: str, canonical: str, expected: str
) -> None:
    found = built(tmp_path, {".htaccess": text}, canonical=canonical)
    assert expected in found.listed
    assert "about.html" not in found.excluded


def test_the_path_of_the_base_url_is_part_of_the_url(tmp_path: Path) -> None:
    text = "Redirect 301 /project/about.html /new\nRedirect 301 /admin.html /new\n"
    found = built(tmp_path, {".htaccess": text}, base="https://example.com/project/")
    assert found.excluded == {"about.html": Reason.REDIRECT}


def test_a_rule_to_another_host_warns_about_the_base_url(tmp_path: Path) -> None:
    text = (
        REWRITE + "RewriteCond %{HTTP_HOST} !^www\\. [NC]\n"
        "RewriteRule ^(.*)$ https://www.example.com/$1 [R=301,L]\nRewriteRule ^about /new [R]\n"
    )
    assert built(tmp_path, {".htaccess": text}).excluded == {"about.html": Reason.REDIRECT}
    warned = heard(tmp_path / "site", base_url=BASE).warned["BASE_URL"]
    assert warned == ("the rules of the host redirect all of it to https://www.example.com/",)


def test_a_file_in_a_deeper_folder_counts(tmp_path: Path) -> None:
    found = built(tmp_path, {"docs/.htaccess": "Require valid-user\n"})
    closed = {"docs/index.html": Reason.CLOSED, "docs/about.html": Reason.CLOSED}
    assert found.excluded == closed


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (REWRITE + "RewriteCond %{HTTP_COOKIE} x\nRewriteRule . /new [R]", "depends on a cookie"),
        (REWRITE + "RewriteRule (?=x) /new [R]", "expression not understood"),
        ("RedirectMatch (a)\\1 /new", "expression not understood"),
        ("Require ip 10", "depends on the visitor"),
        ("Foo bar", "not understood"),
        ("Header edit X-Robots-Tag a b", "edits what is not known"),
        ("<If \"%{HTTP_COOKIE} == 'x'\">\nRequire all denied\n</If>", "depends on a cookie"),
        ("<IfModule mod_foo.c>\nRequire all denied\n</IfModule>", "depends on the server's modules (mod_foo.c)"),
        ("<Files a.html>\nRequire all denied", "in a section without an end"),
    ],
)  # fmt: skip
def test_a_rule_that_is_not_known_is_named_with_the_reason(text: str, why: str) -> None:
    skipped = READER.read({".htaccess": text}, BASE, NOW).skipped
    assert [one.why for one in skipped] == [why]


def look(path: str) -> str:
    folders = {name.rpartition("/")[0] for name in PAGES}
    return "f" if path in PAGES else "d" if path in folders else ""


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        (REWRITE + "RewriteRule ^about x\nRewriteRule ^x$ docs/about.html", "/about", "/docs/about.html"),
        (REWRITE + "RewriteRule ^about$ docs/about.html [C]\nRewriteRule ^docs about.html", "/about", "/about.html"),
        (REWRITE + "RewriteRule ^about - [S=1]\nRewriteRule ^ /new [R]\nRewriteRule ^about$ about.html", "/about", "/about.html"),
        (REWRITE + "RewriteRule ^(.*)$ $1.html [END]", "/about", "/about.html"),
        (REWRITE + "RewriteRule ^index\\.html$ /new [R]", "/", None),  # R is not for subrequests
        (REWRITE + "RewriteRule ^index\\.html$ about.html", "/", "/about.html"),
        (REWRITE + "RewriteBase /docs/\nRewriteRule ^x$ about.html", "/x", "/docs/about.html"),
        ("Options +MultiViews", "/docs/about", "/docs/about.html"),
        ("DirectorySlash Off\n" + REWRITE + "RewriteCond %{REQUEST_FILENAME} -d\nRewriteRule ^(.*[^/])$ $1/index.html", "/docs", "/docs/index.html"),
        ("DirectoryIndex about.html", "/", "/about.html"),
    ],
)  # fmt: skip
def test_what_is_shown_at_a_url(text: str, path: str, expected: str | None) -> None:
    rules = READER.read({".htaccess": text}, BASE, NOW)
    effect = rules.effect(path, look)
    assert (effect and effect.target) == expected
    if expected:
        assert rules.effect(path, look, expected) is None


def test_rules_that_go_round_in_circles_show_nothing() -> None:
    text = REWRITE + "RewriteRule ^(.*)$ $1x"
    rules = READER.read({".htaccess": text}, BASE, NOW)
    assert rules.effect("/about.html", look) is not None


def test_a_repetition_in_a_repetition_has_no_groups() -> None:
    text = REWRITE + "RewriteRule ^((a|b)+)+out.html$ /x$1 [R]\nRewriteRule ^admin /new [R]"
    rules = READER.read({".htaccess": text}, BASE, NOW)
    assert rules.effect("/about.html", look) is None
    assert rules.effect("/admin.html", look) is not None


def test_the_url_of_a_folder_is_not_that_of_the_page_with_its_name(tmp_path: Path) -> None:
    canonicals = built(tmp_path, {".htaccess": "Options +MultiViews\n"}, canonical="bare")
    assert {"both/", "both.html"} <= canonicals.listed
