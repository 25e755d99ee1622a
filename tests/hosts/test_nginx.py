"""A configuration of nginx in the repository: what is plain is read, all else takes no page away."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, build, paths, settings, write_site

from sitemapper.hosts.find import find_host
from sitemapper.hosts.host import Host
from sitemapper.hosts.nginx import READER
from sitemapper.model import Reason

NOW = 1_780_272_000  # 2026-06-01
R, C, N = Reason.REDIRECT, Reason.CLOSED, Reason.NOINDEX
FILE = "nginx.conf"


def server(text: str, name: str = "example.com") -> str:
    return f"server {{\n  server_name {name};\n  root /srv;\n{text}\n}}\n"


def reason(path: str, text: str, *files: str) -> Reason | None:
    rules = READER.read({FILE: server(text)}, BASE, NOW)
    effect = rules.effect(path, lambda seen: "f" if seen in files else "")
    return effect and effect.reason


# Asked of nginx 1.22.
@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("location = /a.html { return 301 /b.html; }", "/a.html", R),
        ("location = /a.html { return 301 /b.html; }", "/a.htm", None),
        ("location /a/ { return 301 https://example.com$request_uri; }", "/a/b.html", None),
        ("location /a/ { return 410; }", "/a/b.html", C),
        ("location /a/ { internal; }", "/a/b.html", C),
        ("location /a/ { deny all; }", "/a/b.html", C),
        ("location /a/ { allow all; deny all; }", "/a/b.html", None),
        ('location /a/ { auth_basic "x"; }', "/a/b.html", C),
        ('auth_basic "x"; location /a/ { auth_basic off; }', "/a/b.html", None),
        ('auth_basic "x"; location /a/ { auth_basic off; }', "/b.html", C),
        ("location /a/ { deny all; } location ~ b { }", "/a/b.html", None),
        ("location ^~ /a/ { deny all; } location ~ b { }", "/a/b.html", C),
        ("location /a/ { deny all; } location ~ (?=b) { }", "/a/b.html", None),
        ("location ~* \\.HTML$ { deny all; }", "/a/", C),  # by its index page
        ("rewrite ^/a\\.html$ /b.html permanent;", "/a.html", R),
        ("rewrite ^/a\\.html$ /b.html last;", "/a.html", None),
        ("rewrite ^/a /b.html last; rewrite ^/a\\.html$ /b.html redirect;", "/a.html", None),
        ("rewrite ^/a\\.html$ https://example.org/;", "/a.html", R),
        ("if ($host = x) { return 403; }", "/a.html", None),
        ("add_header X-Robots-Tag noindex;", "/a.html", N),
        ("add_header X-Robots-Tag $tag;", "/a.html", None),
        ("add_header X-Robots-Tag noindex; location /a { add_header A b; }", "/a.html", None),
        ("error_page 404 /lost.html;", "/lost.html", Reason.NOT_A_PAGE),
        ("location / { proxy_pass http://app; deny all; }", "/a.html", None),
        ("location /a/ { try_files $uri =404; }", "/a/", C),
        ("location /a/ { try_files $uri =404; }", "/a/index.html", None),
        ("location /a/ { try_files $uri $uri/index.html =404; }", "/a/", None),
        ("location /a/ { try_files $uri @app; }", "/a/", None),
    ],
)  # fmt: skip
def test_what_happens_to_a_page(text: str, path: str, expected: Reason | None) -> None:
    assert reason(path, text, "/a/index.html") is expected


@pytest.mark.parametrize(
    ("text", "folder", "page"),
    [
        ("", "a/ a/index.html", "b.html"),
        ("try_files $uri $uri/ =404;", "a/ a/index.html", "b.html"),
        ("location / { try_files $uri $uri.html $uri/ =404; }", "a/ a/index.html", "b.html b"),
        ("location / { try_files $uri $uri/ $uri.html =404; }", "a/ a/index.html", "b.html b"),
        ("location / { try_files $uri @app; }", "", ""),
        ("index home.html;", "", ""),
    ],
)
def test_forms(text: str, folder: str, page: str) -> None:
    forms = READER.read({FILE: server(text)}, BASE, NOW).forms
    assert (
        (forms.folder, forms.page) == (tuple(folder.split()), tuple(page.split()))
        if forms
        else not folder
    )


def test_what_is_not_read_is_named_with_its_line() -> None:
    text = "if ($a) { return 403; }\ninclude more.conf;\ninclude mime.types;\nlocation /api/ { proxy_pass http://b; }"
    skipped = READER.read({FILE: server(text)}, BASE, NOW).skipped
    assert [str(unknown) for unknown in skipped] == [
        "nginx.conf:4: if ($a) (depends on the request)",
        "nginx.conf:5: include more.conf (an included file is not read)",
        "nginx.conf:7: proxy_pass http://b (not understood)",
    ]


NOINDEX = "add_header X-Robots-Tag noindex;"


@pytest.mark.parametrize(
    ("files", "is_read"),
    [
        ({"nginx.conf": "http {" + server(NOINDEX) + "}"}, True),
        ({"nginx/site.conf": server(NOINDEX)}, True),
        ({"docker/web/nginx-site.conf": server(NOINDEX)}, True),
        ({"nginx/site.conf": server(NOINDEX, "_")}, True),  # alone
        ({"nginx/site.conf": server(NOINDEX) + server("", "other.example")}, True),
        ({"nginx/site.conf": server(NOINDEX, "a.example") + server("", "b.example")}, False),
        ({"nginx/staging.conf": server(NOINDEX)}, False),
        ({"nginx/site.conf": server(NOINDEX), "deploy/nginx.conf": server("")}, False),  # differ
        ({"nginx/site.conf": server(NOINDEX), "deploy/nginx.conf": server(NOINDEX)}, True),
        ({"nginx/site.conf": server(NOINDEX), "netlify.toml": ""}, False),
        ({"nginx/site.conf": "server {"}, False),
    ],
)
def test_which_file_counts(tmp_path: Path, files: dict[str, str], is_read: bool) -> None:
    project = tmp_path / "project"
    write_site(project, {".git/HEAD": "", "dist/a.html": "", **files})
    host = found(project / "dist")
    assert (host.names == ("nginx",)) is is_read
    if not is_read and "nginx/staging.conf" not in files:
        assert any(note.startswith("found but not read: ") for note in host.notes)


def test_the_setting_names_nginx_beside_other_hosts(tmp_path: Path) -> None:
    files = {"nginx.conf": server(NOINDEX), "netlify.toml": "", "dist/.htaccess": "Foo"}
    write_site(tmp_path / "project", {".git/HEAD": "", "dist/a.html": "", **files})
    assert found(tmp_path / "project/dist", "nginx").effects("/a.html") != [None]
    (tmp_path / "project/nginx.conf").unlink()
    assert found(tmp_path / "project/dist", "nginx").effects("/a.html") == [None]


def found(root: Path, configured: str = "auto") -> Host:
    setup = settings(root)
    return find_host(
        setup.site.root, configured=configured, builder="", base_url=BASE, cwd=setup.run.cwd
    )


def test_a_build_follows_the_file(tmp_path: Path) -> None:
    text = server("location / { try_files $uri $uri.html $uri/ =404; }\nlocation /x/ { deny all; }")
    pages = dict.fromkeys(["dist/a.html", "dist/x/b.html"], "<p>")
    write_site(tmp_path / "project", {".git/HEAD": "", "nginx/site.conf": text, **pages})
    build(tmp_path / "project/dist")
    assert paths(tmp_path / "project/dist") == ["a.html"]
