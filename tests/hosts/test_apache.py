"""`.htaccess`: one small file for each sentence about what is read of it (docs/hosts-reference.md)."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from support import Run, locs, write_site
from support.cost import assert_linear
from support.heard import heard
from support.hosts import page, reason_at

from sitemapper.hosts.apache import READER
from sitemapper.hosts.host import HostRules
from sitemapper.model import Reason

NOW = 1_780_272_000  # 2026-06-01
BASE = "https://example.com/"
R, C, N, D = Reason.REDIRECT, Reason.CLOSED, Reason.NOINDEX, Reason.DUPLICATE
ON = "RewriteEngine On\n"


def rules_of(text: str, base_url: str = BASE, **deeper: str) -> HostRules:
    """The rules of a site's `.htaccess` and those of its folders, as a worker gets them."""
    texts = {".htaccess": text, **{f"{name}/.htaccess": other for name, other in deeper.items()}}
    return pickle.loads(pickle.dumps(READER.read(texts, base_url, NOW)))


def reason(path: str, text: str, base_url: str = BASE, **deeper: str) -> Reason | None:
    """What is done with the page at a path, None if it is left alone."""
    return reason_at(rules_of(text, base_url, **deeper), path)


def unread(text: str) -> list[str]:
    """The lines that are not read, and could take a page away."""
    return [f"{line.line}: {line.text}" for line in rules_of(text).unread]


# --- Redirect, RedirectMatch


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("Redirect /b.html /new", "/b.html", R),
        ("Redirect 301 /a /new", "/a/x.html", R),
        ("Redirect permanent /a /new", "/ab.html", None),
        ("Redirect seeother / https://new.example/", "/b.html", R),
        ("RedirectPermanent /b.html /new", "/b.html", R),
        ("RedirectTemp /a/ /new/", "/a/x.html", R),
        ('Redirect "/x y.html" "/new"', "/x%20y.html", R),
        ("Redirect gone /a", "/a/", C),
        ("Redirect 404 /b.html", "/b.html", C),
        ("RedirectMatch 302 ^/b(.*)$ /new$1", "/b.html", R),
        ("RedirectMatch 410 ^/b", "/b.html", C),
        ("Redirect 503 /b.html", "/b.html", None),
        ("Redirect /b.html", "/b.html", None),
        ("# Redirect /b.html /new", "/b.html", None),
    ],
)
def test_redirects_of_mod_alias(text: str, path: str, expected: Reason | None) -> None:
    assert reason(path, text) is expected


def target(path: str, text: str, base_url: str = BASE) -> str:
    rule = rules_of(text, base_url).move_at(path)
    assert rule
    return rule.target


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("Redirect 301 /a /new", "/a/x.html", "https://example.com/new/x.html"),
        ("Redirect 301 / https://b.example/", "/a/x", "https://b.example/a/x"),
        (r"RedirectMatch ^/(.)/(.*)\.html$ /$2/$1", "/a/x.html", "https://example.com/x/a"),
        (f"{ON}RewriteRule ^x/(.*)$ y/$1 [R]", "/x/z", "https://example.com/y/z"),
        (f"{ON}RewriteBase /a/\nRewriteRule ^x$ y [R]", "/x", "https://example.com/a/y"),
        (f"{ON}RewriteRule ^x$ /\\$1 [R]", "/x", "https://example.com/$1"),
    ],
)
def test_where_a_redirect_leads(text: str, path: str, expected: str) -> None:
    assert target(path, text) == expected


def test_mod_alias_counts_whatever_mod_rewrite_leaves_alone() -> None:
    text = f"Redirect 301 /b.html /new\n{ON}RewriteRule ^ - [L]"
    assert reason("/b.html", text) is R


# --- RewriteRule


@pytest.mark.parametrize(
    ("rule", "path", "expected"),
    [
        (r"^b\.html$ /new [R=301,L]", "/b.html", R),
        ("^B /new [redirect=permanent,last,nocase]", "/b.html", R),
        ("^b https://example.org/", "/b.html", R),
        ("!^a /new [R]", "/b.html", None),  # not read
        (r"^(b)\.html$ /$1/new [R]", "/b.html", R),
        ("^b - [F]", "/b.html", C),
        ("^b - [G]", "/b.html", C),
        ("^b - [R=404,L]", "/b.html", C),
        ("^b lost.html [L]", "/b.html", D),
        ("^b /index.php [L]", "/b.html", None),
        ("^b /nowhere.html [L]", "/b.html", D),  # or nothing
        ("^b https://backend/ [P]", "/b.html", None),
        ("^b https://%{HTTP_HOST}/new [R]", "/b.html", None),
        ("^b - [R=503,L]", "/b.html", None),
        (r"^é\.html$ /new [R]", "/%C3%A9.html", R),
        (r"^x\ y\.html$ /new [R]", "/x%20y.html", R),
    ],
)
def test_rewrite_rules(rule: str, path: str, expected: Reason | None) -> None:
    assert reason(path, f"{ON}RewriteRule {rule}") is expected


def test_rewrite_rules_count_only_with_their_engine() -> None:
    assert reason("/b.html", "RewriteRule . /new [R]") is None
    assert reason("/b.html", "RewriteRule . /new [R]\nRewriteEngine On") is R
    assert reason("/b.html", f"{ON}RewriteRule . /new [R]\nRewriteEngine Off") is None


@pytest.mark.parametrize(
    ("deeper", "expected"),
    [
        ("RewriteEngine Off", None),
        ("RewriteEngine On", None),
        ("RewriteRule ^y /new [R]", None),
        ("RewriteRule ^x /new [R]", R),
        ("Options -Indexes", R),
        (f"{ON}RewriteOptions InheritBefore", None),
    ],
)
def test_a_deeper_file_with_rewrite_rules_replaces_the_upper_one(
    deeper: str, expected: Reason | None
) -> None:
    assert reason("/a/x.html", f"{ON}RewriteRule . /new [R]", a=deeper) is expected


@pytest.mark.parametrize(
    "condition",
    [
        "%{REQUEST_FILENAME} -d", "%{REQUEST_FILENAME}.html -f", "%{HTTP_COOKIE} x", "%{REQUEST_URI} ^/b",
        "%{HTTPS} off", "%{HTTP_HOST} ^www\\.", "%{THE_REQUEST} html", "%{ENV:REDIRECT_STATUS} ^$",
    ],
)  # fmt: skip
def test_a_rule_with_a_condition_is_not_read_and_keeps_no_later_redirect_from_a_page(
    condition: str,
) -> None:
    rule = f"{ON}RewriteCond {condition}\nRewriteRule ^ /new [R]\n"
    assert reason("/b.html", rule) is None
    assert unread(rule) == [f"2: RewriteCond {condition}"]
    assert reason("/b.html", rule + "RewriteRule ^b /new [R]") is R


@pytest.mark.parametrize("tests", [["-f"], ["!-d"], ["-f", "!-d"]])
def test_a_rule_for_files_is_for_pages_at_the_names_of_their_files(tests: list[str]) -> None:
    conditions = "".join(f"RewriteCond %{{REQUEST_FILENAME}} {test}\n" for test in tests)
    rule = f"{ON}{conditions}RewriteRule ^ https://new/ [R]\n"
    assert unread(rule) == []
    assert reason("/b.html", rule) is R
    assert reason("/a/", rule) is None
    assert reason("/", rule) is None


@pytest.mark.parametrize(("test", "action"), [("-f", None), ("!-d", R)])
def test_a_rule_that_asks_for_a_file_redirects_no_page_that_is_gone(
    test: str, action: Reason | None
) -> None:
    rules = rules_of(f"{ON}RewriteCond %{{REQUEST_FILENAME}} {test}\nRewriteRule ^b /new [R]\n")
    rule = rules.move_at("/b.html", has_file=False)
    assert (rule and rule.action) is action


COOKIE = "RewriteCond %{HTTP_COOKIE} x\n"
NO_FILE = "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteCond %{REQUEST_FILENAME} !-d\n"


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("RewriteCond %{REQUEST_FILENAME} -s [OR]\nRewriteCond x y\nRewriteRule ^ - [L]", None),
        (f"{COOKIE}RewriteRule ^ - [L]", None),
        (f"{COOKIE}RewriteRule ^ - [END]", None),
        (f"{COOKIE}RewriteRule ^ /x", None),
        ("RewriteRule ^ - [S=1]", None),
        ("RewriteRule ^x - [C]", None),
        ("RewriteRule ^ - [N]", None),
        ("RewriteRule ^(?!x) - [L]", None),
        ("RewriteRule (", None),
        ("RewriteRule ^b /index.php", None),
        # These keep no later rule from a page.
        (f"{COOKIE}RewriteRule ^ - [F]", R),
        (f"{COOKIE}RewriteRule ^ - [E=X:1]", R),
        (f"{COOKIE}RewriteRule ^a - [L]", None),  # whatever its pattern is
        (NO_FILE + "RewriteRule . /index.php [L]", R),
        ("RewriteRule ^ - [L]", None),
    ],
)
def test_a_rule_behind_one_that_is_not_read_takes_no_page_away(
    before: str, expected: Reason | None
) -> None:
    assert reason("/b.html", f"{ON}{before}\nRewriteRule ^ https://new/ [R]") is expected


@pytest.mark.parametrize("section", ["Files b.html", 'If "x"'])
def test_rewrite_rules_in_a_section_are_not_read_and_may_replace_the_others(section: str) -> None:
    rule = "RewriteRule ^ /new [R]\n"
    text = f"{ON}{rule}<{section}>\n{ON}{rule}</{section.split()[0]}>\n"
    assert reason("/b.html", text) is None


# --- Clean URLs


DROPS = "RewriteCond %{THE_REQUEST} \\s/+(.+?)\\.html[\\s?] [NC]\nRewriteRule ^ /%1 [R=301,L]\n"
FINDS = "RewriteCond %{REQUEST_FILENAME}.html -f\nRewriteRule ^(.*)$ $1.html [L]\n"
CANONICAL = '<link rel="canonical" href="https://example.com/{}">'
LINK = '<a href="/b">b</a> <a href="/lost">lost</a>'


@pytest.mark.parametrize(
    ("text", "mark", "expected"),
    [
        (ON + FINDS, "", "b.html"),
        (ON + FINDS, CANONICAL, "b"),
        (ON + FINDS, LINK, "b"),
        (ON + DROPS + FINDS, CANONICAL, "b"),
        (ON + DROPS + FINDS, "", "b.html"),  # a condition
        (f"{ON}RewriteRule ^(.*)\\.html$ /$1 [R=301,L]\nOptions +MultiViews\n", "", "b"),
        (f"{ON}RewriteRule ^([^.]*[^/])$ %{{REQUEST_URI}}.html [L]\n", CANONICAL, "b"),
        (f"{ON}{NO_FILE}RewriteRule ^(.+?)/?$ /$1.html [L]\n", CANONICAL, "b"),
        (f"{ON}{COOKIE}RewriteRule ^([^.]+)$ $1.html [L]\n", CANONICAL, "b"),
        (f"{ON}{COOKIE}RewriteRule ^x /x [L]\n{FINDS}", CANONICAL, "b"),
        ("Options +MultiViews\n", CANONICAL, "b"),
        ("Options Indexes MultiViews\n", CANONICAL, "b"),
        ("Options -Indexes\n", CANONICAL, "b.html"),
    ],
)
def test_canonicals_and_then_links_choose_where_both_forms_answer(
    tmp_path: Path, text: str, mark: str, expected: str
) -> None:
    pages = {}
    for name in ("index.html", "b.html", "lost.html"):
        path = name.removesuffix("index.html").removesuffix(".html")
        pages[name] = page(name) + mark.format(path)
    root = write_site(tmp_path / "site", {".htaccess": text, **pages})
    assert heard(root).excluded == {}
    assert BASE + expected in locs(root)


def test_a_page_is_listed_at_its_full_name_where_a_rule_does_not_find_it(tmp_path: Path) -> None:
    text = f"{ON}RewriteCond %{{REQUEST_FILENAME}} !-f\nRewriteRule ^([^.]+)$ $1.html [L]\n"
    names = ("index.html", "a/index.html", "b.html")
    root = write_site(tmp_path / "site", {".htaccess": text, **{n: page(n) for n in names}})
    assert heard(root).excluded == {}
    assert BASE + "a/index.html" in locs(root)  # at a/, the rule looks for a/.html


@pytest.mark.parametrize(
    ("text", "with_full_name"),
    [
        ("DirectoryIndex b.html", {"a/", "a/b/"}),
        ("DirectoryIndex disabled", {"a/", "a/b/"}),
        ("DirectoryIndex b.html index.html", set()),  # if b.html is there
        ("DirectoryIndex index.php index.html", set()),
        ("DirectoryIndex index.htm index.html", set()),
        ("<IfModule !x.c>\nDirectoryIndex b.html\n</IfModule>", set()),
        (f"{ON}RewriteRule ^(.+?)/$ /$1.html", {"a/b/"}),
        (f"{ON}RewriteCond %{{REQUEST_FILENAME}} !-d\nRewriteRule ^(.+?)/?$ /$1.html", set()),
    ],
)
def test_an_index_page_that_a_folder_does_not_show_has_its_full_name(
    tmp_path: Path, text: str, with_full_name: set[str]
) -> None:
    folders = ("", "a/", "a/b/", "c/")
    pages = {f"{folder}index.html": page(folder) for folder in folders}
    top = {".htaccess": "# Without it, no folder is searched.", "a/.htaccess": text}
    root = write_site(tmp_path / "site", {**pages, **top})
    assert heard(root).excluded == {}
    names = {f"{f}index.html" if f in with_full_name else f for f in folders}
    assert set(locs(root)) == {BASE + name for name in names}


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("ErrorDocument 404 /lost.html", "/lost.html", Reason.NOT_A_PAGE),
        ("ErrorDocument 403 /lost.html", "/lost.html", Reason.NOT_A_PAGE),
        ("ErrorDocument 404 /index.html", "/", None),
        ("ErrorDocument 404 /a/index.html", "/a/", None),
        ("ErrorDocument 404 lost.html", "/lost.html", None),
    ],
)
def test_the_page_of_error_document(text: str, path: str, expected: Reason | None) -> None:
    assert reason(path, text) is expected


# --- Headers and access


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ('Header set X-Robots-Tag "noindex"', "/b.html", N),
        ("Header always set X-Robots-Tag noindex,nofollow", "/b.html", N),
        ("Header set X-Robots-Tag nofollow", "/b.html", None),
        ("Header set X-Robots-Tag noindex\nHeader unset X-Robots-Tag", "/b.html", None),
        ("Header set X-Robots-Tag noindex\nHeader set X-Robots-Tag all", "/b.html", None),
        ("Header set X-Robots-Tag all\nHeader set X-Robots-Tag noindex", "/b.html", N),
        ("Header set X-Robots-Tag noindex env=X", "/b.html", None),
        ('Header set X-Robots-Tag noindex "expr=true"', "/b.html", None),
        ("Header set X-Robots-Tag noindex\nHeader unset X-Robots-Tag env=X", "/b.html", None),
        ("Header set X-Robots-Tag noindex\nHeader add X-Robots-Tag noindex env=X", "/b.html", N),
        ("Header add X-Robots-Tag noindex", "/b.html", None),
        ('<Files "*.pdf">\nHeader set X-Robots-Tag noindex\n</Files>', "/b.html", None),
        ("<Files b.html>\nHeader unset X-Robots-Tag\n</Files>\nHeader set X-Robots-Tag noindex", "/b.html", None),
        ("<If true>\nHeader unset X-Robots-Tag\n</If>\nHeader set X-Robots-Tag noindex", "/b.html", None),
        ("Header set X-Other noindex", "/b.html", None),
    ],
)  # fmt: skip
def test_headers(text: str, path: str, expected: Reason | None) -> None:
    assert reason(path, text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Require all denied", C),
        ("Require all denied\nHeader set X-Robots-Tag all", C),
        ("Header set X-Robots-Tag noindex\nRequire all denied\nHeader unset X-Robots-Tag", C),
        ("AuthType Basic\nRequire valid-user", C),
        ("Require user me", C),
        ("Require group us", C),
        ("Order deny,allow\nDeny from all", C),
        ("Deny from all\nOrder allow,deny", C),
        ("<Files b.html>\nRequire all denied\n</Files>", None),
        # Not alone in their section.
        ("Deny from all\nAllow from 10.0.0.1", None),
        ("Deny from all\nSatisfy Any", None),
        ("Require all denied\nRequire ip 10.0.0.1", None),
        ("Require valid-user\nRequire expr true", None),
        # A section may open what is closed around it, one that is not read, too.
        ("Require all denied\n<Files b.html>\nRequire all granted\n</Files>", None),
        ("<Files b.html>\nRequire all granted\n</Files>\nRequire all denied", None),
        ("Require all denied\n<If true>\nRequire all granted\n</If>", None),
        ("Require all denied\n<RequireAny>\nRequire ip 10.0.0.1\n</RequireAny>", None),
        ("Require all granted", None),
        ("Deny from 10.0.0.1", None),
        ("<Limit POST>\nRequire all denied\n</Limit>", None),
        ("<RequireAll>\nRequire all denied\n</RequireAll>", None),
        ("<Foo x>\nRequire all denied\n</Foo>", None),
        # Modules count as present.
        ("<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>", C),
        ("<IfModule !mod_authz_core.c>\nDeny from all\n</IfModule>", None),
        ("<IfModule !x.c>\n<IfModule y.c>\nDeny from all\n</IfModule>\n</IfModule>", None),
        ("</IfModule>\nRequire all denied", C),
        # Only these characters end a line.
        ("Require all\u2028denied", None),
        ("#\u2028Require all denied", None),
        ("#\x0cRequire all denied", None),
        ("Require all \\\r\ndenied\r\n", C),
        ("Require all denied\\\n", C),
    ],
)  # fmt: skip
def test_who_may_enter(text: str, expected: Reason | None) -> None:
    assert reason("/b.html", text) is expected


@pytest.mark.parametrize(
    ("text", "deeper", "expected"),
    [
        ("Require all denied", "Require all granted", None),
        ("Require all denied", "Require ip 10.0.0.1", None),
        ("Deny from all", "Order allow,deny", None),
        ("Deny from all", "Allow from all", None),
        ("Deny from all", "Options -Indexes", C),
        ("Require all granted", "Require all denied", C),
        ("Header set X-Robots-Tag noindex", "Header set X-Robots-Tag all", None),
        # Sections are merged after the lines of all folders.
        ("<Files x.html>\nHeader unset X-Robots-Tag\n</Files>", "Header set X-Robots-Tag noindex", None),
        ("Header unset X-Robots-Tag", "Header set X-Robots-Tag noindex", N),
        ("", "Redirect /a/x.html /new", R),
        ("Redirect /a/x.html /new", "Redirect gone /a/x.html", C),
    ],
)  # fmt: skip
def test_a_deeper_file_comes_below_the_upper_one(
    text: str, deeper: str, expected: Reason | None
) -> None:
    assert reason("/a/x.html", text, a=deeper) is expected


def test_the_path_of_the_base_url_is_part_of_the_url() -> None:
    text = (
        "Redirect 301 /docs/b.html /new\nRedirect 301 /lost.html /new\n"
        f"{ON}RewriteRule ^a/x\\.html$ /docs/b.html [R]\nErrorDocument 404 /docs/lost.html\n"
    )
    below = "https://example.com/docs/"
    assert reason("/b.html", text, below) is R
    assert reason("/lost.html", text, below) is Reason.NOT_A_PAGE
    assert target("/a/x.html", text, below) == f"{below}b.html"


# --- What is not read


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{ON}RewriteRule (?=x) /new [R]", ["2: RewriteRule (?=x) /new [R]"]),
        (f"{ON}RewriteRule ^(.*)$ index.php [L]", ["2: RewriteRule ^(.*)$ index.php [L]"]),
        (f"{ON}RewriteRule ^x - [C]", ["2: RewriteRule ^x - [C]"]),
        ("RedirectMatch (a)\\1 /new", ["1: RedirectMatch (a)\\1 /new"]),
        ("<If true>\nRedirect / /new\n</If>", ["2: Redirect / /new"]),
        ("Require ip 10\nRequire all granted", ["1: Require ip 10"]),
        ("Deny from all\nAllow from 10", ["1: Deny from all"]),
        ("Header edit X-Robots-Tag a b", ["1: Header edit X-Robots-Tag a b"]),
        ("Header set X-Robots-Tag noindex env=X", ["1: Header set X-Robots-Tag noindex env=X"]),
        # Lines that take no page away.
        (f"{ON}{COOKIE}RewriteRule ^ - [E=X:1]", []),
        (f"{ON}{COOKIE}{FINDS}", []),
        ("AddType text/html .x\nExpiresActive On\nHeader set X-Other y\nAllow from all", []),
        ("<IfModule !x.c>\nRedirect / /new\n</IfModule>", []),
    ],
)
def test_lines_that_could_take_a_page_away_and_are_not_read(text: str, lines: list[str]) -> None:
    assert unread(text) == lines


def test_init_check_and_verbose_say_it(tmp_path: Path, run: Run) -> None:
    write_site(tmp_path / "site", {".htaccess": "Require ip 10", "index.html": page("index.html")})

    def says_it(*words: str) -> bool:
        run(*words, "--base-url", BASE)
        return (
            "1 line of .htaccess is not read, such as .htaccess:1: Require ip 10"
            in run.out + run.err
        )

    assert not says_it("build", "site")
    assert says_it("build", "site", "--verbose")
    assert says_it("check", "site")
    assert says_it("check", "site", "--format", "json")
    assert says_it("init", "site")


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["<Files {[}>", "{x}", '{"}', "{<a>\n}", "{DirectoryIndex a\n}", "{<a>\nDeny from all\n}", "{a\\\n}"],
)  # fmt: skip
def test_a_hostile_file_takes_time_by_its_size(text: str) -> None:
    start, _, rest = text.partition("{")
    repeated, _, end = rest.partition("}")

    def prepare(size: int) -> Callable[[], object]:
        whole = start + repeated * (size // len(repeated)) + end
        return lambda: READER.read({".htaccess": whole}, BASE, NOW)

    assert_linear(prepare, 400_000)
