"""Where nothing names the host, one note says that the configuration of a server is not read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support import BASE, POSIX, Run, locs, write_site

ADVICE = 'If your server shows pages without `.html`, set `url_style = "clean"`; run `sitemapper verify` to check the live site.'


Project = Callable[..., Path]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A repository with a site in `dist`, and files whose text would break any reader. Commands run there."""

    def write(*files: str) -> Path:
        texts = dict.fromkeys(files, "{ <")
        root = write_site(tmp_path / "project", {".git/HEAD": "", "dist/a.html": "<p>", **texts})
        monkeypatch.chdir(root)
        return root

    return write


def notes(run: Run) -> list[str]:
    return [line for line in run.err.splitlines() if "is not read" in line]


@pytest.mark.parametrize(
    "file",
    [
        "nginx.conf", "Caddyfile", "render.yaml", "dist/web.config", "dist/serve.json", "dist/.surgeignore",
        "docker/nginx.conf", "nginx/default.conf",
    ],
)  # fmt: skip
def test_a_file_of_a_server_is_named_in_one_note(project: Project, run: Run, file: str) -> None:
    root = project(file)
    assert run("build", "dist", "--base-url", BASE) == 0
    assert notes(run) == [f"note: {Path(file)} is not read. {ADVICE}"]
    assert locs(root / "dist") == [f"{BASE}a.html"]  # as for any host that is not known


def test_init_writes_a_style_and_says_the_note(project: Project, run: Run) -> None:
    project("nginx.conf")
    assert run("init", "dist", "--base-url", BASE) == 0
    assert f"note: nginx.conf is not read. {ADVICE}\n" in run.out
    assert run("build") == 0
    assert notes(run) == []


def test_of_several_files_the_first_is_named(project: Project, run: Run) -> None:
    project("nginx.conf", "Caddyfile")
    assert run("check", "dist", "--base-url", BASE) == 1
    assert notes(run) == [f"note: Caddyfile is not read. {ADVICE}"]


@pytest.mark.parametrize(
    ("files", "setting"),
    [
        (("nginx.conf",), 'url_style = "directory"\n'),
        (("nginx.conf",), 'host = "apache"\n'),
        (("nginx.conf",), 'host = "none"\n'),
        (("nginx.conf", "dist/.htaccess"), ""),
        (("web.config", "dist/CNAME"), ""),
        (("server/nginx.conf",), ""),
    ],
)
def test_where_the_forms_are_known_or_the_file_is_elsewhere_there_is_no_note(
    project: Project, run: Run, files: tuple[str, ...], setting: str
) -> None:
    root = project(*files)
    (root / "sitemapper.toml").write_text(setting)
    assert run("build", "dist", "--base-url", BASE) == 0
    assert notes(run) == []


def test_a_style_that_the_generator_says_is_no_setting(project: Project, run: Run) -> None:
    root = project("nginx.conf")
    write_site(
        root,
        {"next.config.mjs": "", "out/a.html": "<p>"},
    )
    assert run("build", "out", "--base-url", BASE) == 0
    assert locs(root / "out") == [f"{BASE}a"]
    assert notes(run) == [f"note: nginx.conf is not read. {ADVICE}"]


@POSIX
def test_a_broken_link_is_named(project: Project, run: Run) -> None:
    root = project()
    (root / "nginx.conf").symlink_to("gone")
    assert run("build", "dist", "--base-url", BASE) == 0
    assert notes(run) == [f"note: nginx.conf is not read. {ADVICE}"]
