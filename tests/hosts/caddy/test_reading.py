"""A Caddyfile in the repository: what is plain is read, all else takes no page away."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, build, paths, settings, write_site
from support.caddy import FILE, NOW, caddyfile, read

from sitemapper.hosts.caddy import READER
from sitemapper.hosts.find import find_host
from sitemapper.hosts.host import Host


def test_what_is_not_read_is_named_with_its_line() -> None:
    text = (
        "encode gzip\nimport other\n@x header A b\nrespond @x 403\n"
        "handle /api/* {\nreverse_proxy app\n}\nfile_server {\nhide x\n}"
    )
    skipped = read(text).skipped
    assert [str(unknown) for unknown in skipped] == [
        "Caddyfile:4: import other (an imported file is not read)",
        "Caddyfile:6: respond @x 403 (depends on the request)",
        "Caddyfile:8: reverse_proxy app (not understood)",
        "Caddyfile:11: hide x (not understood)",
    ]


def test_another_order_of_directives_leaves_nothing_known() -> None:
    text = "{\norder respond before redir\n}\n" + caddyfile("redir /b.html /x")
    rules = READER.read({FILE: text}, BASE, NOW)
    assert rules.effect("/b.html") is None
    assert [unknown.why for unknown in rules.skipped] == ["changes the order of directives"]


NOINDEX = "header X-Robots-Tag noindex"
NGINX = "server { server_name example.com; root /srv; }"


@pytest.mark.parametrize(
    ("files", "is_read"),
    [
        ({"Caddyfile": caddyfile(NOINDEX)}, True),
        ({"caddy/Caddyfile.prod": caddyfile(NOINDEX)}, True),
        ({"docker/web/Caddyfile": caddyfile(NOINDEX, ":80")}, True),
        ({"deploy/site.Caddyfile": caddyfile(NOINDEX)}, True),
        ({"dist/Caddyfile": caddyfile(NOINDEX)}, True),
        ({"Caddyfile": caddyfile(NOINDEX), "caddy/Caddyfile.dev": caddyfile("")}, True),
        ({"Caddyfile": caddyfile(NOINDEX), "caddy/Caddyfile": caddyfile("")}, False),  # differ
        ({"Caddyfile": caddyfile(NOINDEX), "nginx.conf": NGINX}, False),
        ({"Caddyfile": caddyfile(NOINDEX), "netlify.toml": ""}, False),
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
    files = {"Caddyfile": caddyfile(NOINDEX), "nginx.conf": NGINX}
    write_site(tmp_path / "project", {".git/HEAD": "", "dist/a.html": "", **files})
    assert found(tmp_path / "project/dist", "caddy").effects("/a.html") != [None]
    assert found(tmp_path / "project/dist", "nginx").names == ("nginx",)


def found(root: Path, configured: str = "auto") -> Host:
    setup = settings(root)
    return find_host(
        setup.site.root, configured=configured, builder="", base_url=BASE, cwd=setup.run.cwd
    )


def test_a_build_follows_the_file(tmp_path: Path) -> None:
    text = caddyfile("try_files {path} {path}.html\nbasic_auth /x/* {\nbob hash\n}")
    pages = dict.fromkeys(["dist/a.html", "dist/x/b.html"], "<p>")
    write_site(tmp_path / "project", {".git/HEAD": "", "Caddyfile": text, **pages})
    build(tmp_path / "project/dist")
    assert paths(tmp_path / "project/dist") == ["a.html"]
