"""Which files in the folders above a site configure nginx, and which one serves its base URL."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import BASE, write_site

from sitemapper.hosts.server_files import ServerFiles, find_server

SERVER = "server { server_name example.com; root /srv; }"
OTHER = "server { server_name a.example; root /a; }\nserver { server_name b.example; root /b; }"


def found(project: Path, files: dict[str, str], base_url: str = BASE) -> ServerFiles:
    write_site(project, {"dist/a.html": "", **files})
    folders = [str(project / "dist"), str(project)]
    return find_server(folders, base_url, str(project))


def names(files: tuple[str, ...]) -> list[str]:
    return [file.replace(os.sep, "/") for file in files]


@pytest.mark.parametrize(
    ("file", "is_seen"),
    [
        ("nginx.conf", True),
        ("site.conf", False),
        ("nginx/site.conf", True),
        ("conf.d/a/site.conf", True),
        ("docker/site.conf", False),
        ("docker/web/default.conf", True),
        ("deploy/site.nginx", True),
        ("dist/nginx.conf", False),  # in the site
        ("dist/nginx/site.conf", True),
        ("dist/conf.d/site.conf", True),
        ("deploy/test/nginx.conf", False),
        ("nginx/latest.conf", True),
    ],
)
def test_the_names_of_files_that_are_looked_at(tmp_path: Path, file: str, is_seen: bool) -> None:
    server = found(tmp_path, {file: SERVER})
    assert names(server.files) == ([file] if is_seen else [])
    assert list(server.texts.values()) == ([SERVER] if is_seen else [])


def test_a_file_for_other_names_is_found_but_does_not_count(tmp_path: Path) -> None:
    server = found(tmp_path, {"nginx.conf": OTHER, "nginx/site.conf": SERVER})
    assert names(server.files) == ["nginx.conf", "nginx/site.conf"]
    assert names(tuple(server.texts)) == ["nginx/site.conf"]


def test_of_two_files_that_differ_none_counts(tmp_path: Path) -> None:
    server = found(tmp_path, {"nginx.conf": SERVER, "deploy/nginx.conf": SERVER + "\n# new"})
    assert (len(server.files), dict(server.texts)) == (2, {})


def test_no_file_counts_for_a_base_url_with_a_path(tmp_path: Path) -> None:
    server = found(tmp_path, {"nginx.conf": SERVER}, f"{BASE}docs/")
    assert (names(server.files), dict(server.texts)) == (["nginx.conf"], {})
