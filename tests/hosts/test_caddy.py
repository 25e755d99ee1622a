"""A Caddyfile in the repository: what is plain is read, all else takes no page away."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, build, paths, settings, write_site

from sitemapper.hosts.caddy import READER
from sitemapper.hosts.find import find_host
from sitemapper.hosts.host import Host
from sitemapper.model import Reason

NOW = 1_780_272_000  # 2026-06-01
R, C, N = Reason.REDIRECT, Reason.CLOSED, Reason.NOINDEX
FILE = "Caddyfile"
SITE = {"/a/": "d", **dict.fromkeys(["/index.html", "/a/index.html", "/b.html"], "f")}


def site(text: str, name: str = "example.com") -> str:
    return f"{name} {{\nroot * /srv\n{text}\nfile_server\n}}\n"


def reason(path: str, text: str) -> Reason | None:
    rules = READER.read({FILE: site(text)}, BASE, NOW)
    effect = rules.effect(path, lambda seen: SITE.get(seen, ""))
    return effect and effect.reason


# Asked of Caddy 2.6.
@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("redir /b.html /x", "/b.html", R),
        ("redir /b.html /x", "/a/", None),
        ("redir /B* /x 301", "/b.html", R),  # the case of letters does not count
        ("redir https://example.org{uri} permanent", "/b.html", R),
        ("redir * https://{host}{uri}", "/b.html", None),  # to itself
        ("redir /b.html {http.vars.to}", "/b.html", None),
        ("basic_auth /a/* {\nbob hash\n}", "/a/", C),
        ("basicauth /a/* {\nbob hash\n}", "/b.html", None),
        ("respond /a/* 403", "/a/index.html", C),
        ('respond /b.html "gone" 410', "/b.html", C),
        ('respond /b.html "hello"', "/b.html", None),
        ("error /a/* 404", "/a/", C),
        ("header /b.html X-Robots-Tag noindex", "/b.html", N),
        ("header /b.html {\nX-Robots-Tag none\n}", "/b.html", N),
        ("header /b.html ?X-Robots-Tag none", "/b.html", None),
        ("header X-Robots-Tag {tag}", "/b.html", None),
        # The more specific header is set first, and replaced.
        ("header /b.html X-Robots-Tag noindex\nheader X-Robots-Tag all", "/b.html", None),
        ("header X-Robots-Tag noindex\nheader /b.html +X-Robots-Tag all", "/b.html", N),
        ("header X-Robots-Tag noindex\nheader /b.html -X-Robots-Tag", "/b.html", None),
        ("header /b.html >X-Robots-Tag noindex\nheader X-Robots-Tag all", "/b.html", N),
        ("@x path /a/* *.html\nheader @x X-Robots-Tag noindex", "/b.html", N),
        ("@x not path /a/*\nrespond @x 404", "/b.html", C),
        ("@x {\npath /a/*\nmethod GET HEAD\n}\nrespond @x 404", "/a/", C),
        ("@x path_regexp x ^/(a|c)\nrespond @x 404", "/a/", C),
        ("@x host www.example.com\nredir @x https://example.com{uri}", "/a/", None),
        ("@x remote_ip 10.0.0.0/8\nrespond @x 403", "/a/", None),
        ("@x {\nnot {\npath /a/*\n}\n}\nrespond @x 403", "/b.html", None),
        ("@x path_regexp (?=b)\nrespond @x 403", "/b.html", None),
        ("respond /[ab]* 403", "/b.html", None),
        # `handle` is before `respond`, and `redir` before both.
        ("handle {\nfile_server\n}\nrespond /a/* 403", "/a/", None),
        ("handle {\nfile_server\n}\nredir /a/* /x", "/a/", R),
        ("handle {\nfile_server\n}\nhandle /a/* {\nrespond 404\n}", "/a/", C),
        ("handle_path /a/* {\nrespond /index.html 404\n}", "/a/index.html", C),
        ("@x path_regexp ^/\nhandle @x {\nrespond 410\n}\nhandle /a/* {\n}", "/a/", C),
        ("route {\nrespond /a/* 403\nredir /a/* /x\n}", "/a/", C),
        ("handle /a/* {\nreverse_proxy app\n}\nrespond /a/* 403", "/a/", None),
        ("rewrite /b.html /c.html\nrespond /b.html 403", "/b.html", None),
        ("import other\nrespond /b.html 403", "/b.html", None),
        ("root /a/* /other\nrespond /a/* 403", "/a/", None),
        ("try_files {path} {path}.html\nrespond /b.html 403", "/b", C),
        ("try_files {path} /index.html\nrespond /b.html 403", "/b.html", C),
        ("try_files {path} {path}.html =404", "/a/", C),
        ("try_files {path} {path}.html =404", "/b", None),
        ("handle_errors {\nrewrite * /{err.status_code}.html\nfile_server\n}", "/404.html", Reason.NOT_A_PAGE),
    ],
)  # fmt: skip
def test_what_happens_to_a_page(text: str, path: str, expected: Reason | None) -> None:
    assert reason(path, text) is expected


# Asked of Caddy 2.6.
@pytest.mark.parametrize(
    ("text", "folder", "page", "clash"),
    [
        ("", "a/ a/index.html", "b.html", None),
        ("try_files {path} {path}/ /index.html", "a/ a/index.html", "b.html", None),
        ("try_files {path} {path}.html {path}/", "a/ a/index.html", "b.html b", "b.html b"),
        ("try_files {path} {path}/ {path}.html", "a/ a/index.html", "b.html b", "b.html"),
        ("handle {\ntry_files {path} {path}/index.html =404\n}", "a/ a a/index.html", "b.html", None),
        ("try_files {path} /index.html", "", "", None),
        ("try_files {path} {other}", "", "", None),
        ("rewrite /a /b", "", "", None),
        ("file_server {\nindex home.html\n}", "", "", None),
    ],
)  # fmt: skip
def test_forms(text: str, folder: str, page: str, clash: str | None) -> None:
    forms = READER.read({FILE: site(text)}, BASE, NOW).forms
    if forms is None:
        assert not folder
        return
    assert (" ".join(forms.folder), " ".join(forms.page)) == (folder, page)
    assert (forms.clash and forms.clash[0]) == clash


def test_what_is_not_read_is_named_with_its_line() -> None:
    text = (
        "encode gzip\nimport other\n@x header A b\nrespond @x 403\n"
        "handle /api/* {\nreverse_proxy app\n}\nfile_server {\nhide x\n}"
    )
    skipped = READER.read({FILE: site(text)}, BASE, NOW).skipped
    assert [str(unknown) for unknown in skipped] == [
        "Caddyfile:4: import other (an imported file is not read)",
        "Caddyfile:6: respond @x 403 (depends on the request)",
        "Caddyfile:8: reverse_proxy app (not understood)",
        "Caddyfile:11: hide x (not understood)",
    ]


def test_another_order_of_directives_leaves_nothing_known() -> None:
    text = "{\norder respond before redir\n}\n" + site("redir /b.html /x")
    rules = READER.read({FILE: text}, BASE, NOW)
    assert rules.effect("/b.html") is None
    assert [unknown.why for unknown in rules.skipped] == ["changes the order of directives"]


NOINDEX = "header X-Robots-Tag noindex"
NGINX = "server { server_name example.com; root /srv; }"


@pytest.mark.parametrize(
    ("files", "is_read"),
    [
        ({"Caddyfile": site(NOINDEX)}, True),
        ({"caddy/Caddyfile.prod": site(NOINDEX)}, True),
        ({"docker/web/Caddyfile": site(NOINDEX, ":80")}, True),
        ({"deploy/site.Caddyfile": site(NOINDEX)}, True),
        ({"dist/Caddyfile": site(NOINDEX)}, True),
        ({"Caddyfile": site(NOINDEX), "caddy/Caddyfile.dev": site("")}, True),
        ({"Caddyfile": site(NOINDEX), "caddy/Caddyfile": site("")}, False),  # differ
        ({"Caddyfile": site(NOINDEX), "nginx.conf": NGINX}, False),
        ({"Caddyfile": site(NOINDEX), "netlify.toml": ""}, False),
        ({"Caddyfile": "a {"}, False),
    ],
)
def test_which_file_counts(tmp_path: Path, files: dict[str, str], is_read: bool) -> None:
    project = tmp_path / "project"
    write_site(project, {".git/HEAD": "", "dist/a.html": "", **files})
    host = found(project / "dist")
    assert (host.names == ("caddy",)) is is_read
    if not is_read:
        assert any(note.startswith("found but not read: ") for note in host.notes)


def test_the_setting_names_caddy_beside_nginx(tmp_path: Path) -> None:
    files = {"Caddyfile": site(NOINDEX), "nginx.conf": NGINX}
    write_site(tmp_path / "project", {".git/HEAD": "", "dist/a.html": "", **files})
    assert found(tmp_path / "project/dist", "caddy").effects("/a.html") != [None]
    assert found(tmp_path / "project/dist", "nginx").names == ("nginx",)


def found(root: Path, configured: str = "auto") -> Host:
    setup = settings(root)
    return find_host(
        setup.site.root, configured=configured, builder="", base_url=BASE, cwd=setup.run.cwd
    )


def test_a_build_follows_the_file(tmp_path: Path) -> None:
    text = site("try_files {path} {path}.html\nbasic_auth /x/* {\nbob hash\n}")
    pages = dict.fromkeys(["dist/a.html", "dist/x/b.html"], "<p>")
    write_site(tmp_path / "project", {".git/HEAD": "", "Caddyfile": text, **pages})
    build(tmp_path / "project/dist")
    assert paths(tmp_path / "project/dist") == ["a.html"]
