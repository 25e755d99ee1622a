"""`.htaccess` as Apache reads it. `tests/real/test_servers.py` compares with Apache itself."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
from support.cost import assert_linear

from sitemapper.hosts.apache import READER
from sitemapper.model import Reason

NOW = 1_780_272_000  # 2026-06-01
R, C, N, D = Reason.REDIRECT, Reason.CLOSED, Reason.NOINDEX, Reason.DUPLICATE
FILES = ("b.html", "a/index.html")
REWRITE = "RewriteEngine On\n"


def look(path: str) -> str:
    return "f" if path in FILES else "d" if path == "a" else ""


def reason(path: str, text: str, **deeper: str) -> Reason | None:
    texts = {".htaccess": text, **{f"{name}/.htaccess": other for name, other in deeper.items()}}
    rules = pickle.loads(pickle.dumps(READER.read(texts, "example.com", NOW)))
    effect = rules.effect(path, look)
    return effect and effect.reason


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("Redirect /b.html /new", "/b.html", R),
        ("Redirect 301 /a /new", "/a/x.html", R),
        ("Redirect permanent /a /new", "/ab.html", None),
        ("Redirect gone /a", "/a/", C),
        ("RedirectPermanent /b.html /new", "/b.html", R),
        ("RedirectMatch 302 ^/b(.*)$ /new$1", "/b.html", R),
        ("RedirectMatch 302 (?!x) /new", "/b.html", None),  # not read
        ("# Redirect /b.html /new", "/b.html", None),
        ("<IfModule mod_alias.c>\nRedirect /b.html /new\n</IfModule>", "/b.html", R),
        ("<If \"%{HTTP_HOST} == 'x'\">\nRedirect /b.html /new\n</If>", "/b.html", None),
        (REWRITE + r"RewriteRule ^b\.html$ /new [R=301,L]", "/b.html", R),
        (REWRITE + "RewriteRule ^B /new [R,NC]", "/b.html", R),
        (REWRITE + "RewriteRule ^b /new [L]", "/b.html", D),
        (REWRITE + "RewriteRule ^ index.html [L]", "/", None),
        (REWRITE + "RewriteRule ^b https://example.org/", "/b.html", R),
        (REWRITE + "RewriteRule ^b - [R=404,L]", "/b.html", C),
        (REWRITE + "RewriteRule ^b - [END]\nRewriteRule . /new [R]", "/b.html", None),
        (REWRITE + "RewriteRule ^b - [S=1]\nRewriteRule . /new [R]", "/b.html", None),
        ("RewriteRule . /new [R]\nRewriteEngine On", "/b.html", R),
        ("DirectoryIndex b.html index.html", "/", D),
        ("DirectoryIndex disabled", "/a/", D),
        ("DirectoryIndex index.php index.html", "/a/", None),
        ("", "/a", R),  # to the folder
        ("<IfModule !mod_alias.c>\nRedirect /b.html /new\n</IfModule>", "/b.html", None),
        ("</IfModule>\nRedirect /b.html /new", "/b.html", R),
        ("<Files *.html>\n<IfModule mod_headers.c>\nDeny from all\n</IfModule>\n</Files>", "/b.html", C),
        (r'Header set X-Robots-Tag "\"noindex', "/b.html", None),
        ("<Limit POST>\nRequire all denied\n</Limit>", "/b.html", None),
        ("<LimitExcept POST>\nRequire all denied\n</LimitExcept>", "/b.html", C),
        (REWRITE + "RewriteRule ^b - [F]", "/b.html", C),
        (REWRITE + "RewriteRule ^b - [L]\nRewriteRule . /new [R]", "/b.html", None),
        (REWRITE + "RewriteRule !^a /new [R]", "/b.html", R),
        ("RewriteRule . /new [R]", "/b.html", None),  # the engine is off
        (REWRITE + "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . /new [R]", "/b.html", None),
        (REWRITE + "RewriteCond %{REQUEST_FILENAME} -d\nRewriteRule . /new [R]", "/b.html", None),
        (REWRITE + "RewriteCond %{REQUEST_FILENAME} -f\nRewriteRule . /new [R]", "/b.html", R),
        (REWRITE + "RewriteCond %{HTTP_COOKIE} x\nRewriteRule . /new [R]", "/b.html", None),
        (REWRITE + "RewriteCond %{REQUEST_URI} ^/a [OR]\nRewriteCond %{REQUEST_URI} ^/b\nRewriteRule . /new [R]", "/b.html", R),
        (REWRITE + r"RewriteCond %{THE_REQUEST} \s/(.+)\.html[\s?] [NC]" + "\nRewriteRule ^ /%1 [R=301,L]", "/b.html", R),
        ('Header set X-Robots-Tag "noindex"', "/b.html", N),
        ('Header set X-Robots-Tag "noindex"\nHeader unset X-Robots-Tag', "/b.html", None),
        ('<Files "b.html">\nHeader set X-Robots-Tag "noindex"\n</Files>', "/b.html", N),
        ('<FilesMatch "\\.html$">\nHeader always append X-Robots-Tag noindex\n</FilesMatch>', "/a/", N),
        ('<Files "*.pdf">\nHeader set X-Robots-Tag "noindex"\n</Files>', "/b.html", None),
        ('<Files "[a-c].htm?">\nRequire all denied\n</Files>', "/b.html", C),
        ('<Files "[!b]*">\nRequire all denied\n</Files>', "/b.html", None),
        ("<Files [b*>\nRequire all denied\n</Files>", "/b.html", None),
        ('<FilesMatch "^(?!index)">\nRequire all denied\n</FilesMatch>', "/b.html", C),
        ("Require all denied", "/b.html", C),
        ("Deny from all", "/b.html", C),
        ("AuthType Basic\nRequire valid-user", "/b.html", C),
        ("Require all granted", "/b.html", None),
        ("ErrorDocument 404 /b.html", "/b.html", Reason.NOT_A_PAGE),
    ],
)  # fmt: skip
def test_directives(text: str, path: str, expected: Reason | None) -> None:
    assert reason(path, text) is expected


@pytest.mark.parametrize(
    ("text", "deeper", "expected"),
    [
        ("Require all denied", "Require all granted", None),
        ("Require all granted", "Require all denied", C),
        ('Header set X-Robots-Tag "noindex"', 'Header set X-Robots-Tag "all"', None),
        (REWRITE + "RewriteRule . /new [R]", "RewriteEngine Off", None),
        (
            REWRITE + "RewriteRule . /new [R]",
            REWRITE,
            None,
        ),  # rules of a deeper folder replace these
        (REWRITE + "RewriteRule . /new [R]", "Options -Indexes", R),
        ("", "Redirect /a/x.html /new", R),
    ],
)
def test_a_deeper_folder_wins(text: str, deeper: str, expected: Reason | None) -> None:
    assert reason("/a/x.html", text, a=deeper) is expected


def test_what_only_a_request_decides_is_named() -> None:
    text = REWRITE + "RewriteCond %{HTTP_COOKIE} x\nRewriteRule . /new [R]\n"
    line = text.splitlines().index("RewriteRule . /new [R]") + 1
    skipped = READER.read({".htaccess": text}, "example.com", NOW).skipped
    assert [str(unknown.origin) for unknown in skipped] == [
        f".htaccess:{line}: RewriteRule . /new [R]"
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["<Files {[}>", "{x}", '{"}', "{<a>\n}", "{DirectoryIndex a\n}", "{<a>\nDeny from all\n}"],
)
def test_a_hostile_file_takes_time_by_its_size(text: str) -> None:
    start, _, rest = text.partition("{")
    repeated, _, end = rest.partition("}")

    def prepare(size: int) -> Callable[[], object]:
        whole = start + repeated * (size // len(repeated)) + end
        return lambda: READER.read({".htaccess": whole}, "example.com", NOW)

    assert_linear(prepare, 400_000)
