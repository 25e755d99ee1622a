"""`verify` of a built site that nginx serves: right, and broken in one way at a time."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from support import Run, write_site
from support.hosts import page

from real.host_engines import free_port, running
from real.host_sites import DECODED

pytestmark = pytest.mark.real

TITLES = {"index": "Tea", "a/index": "About", "b/index": "Brewing", "c/index": "Cups", "c/d/index": "Dishes"}  # fmt: skip
PAGES = {f"{n}.html": f"<!doctype html><title>{t}</title><p>{t}" for n, t in TITLES.items()}
NAMES = {name: page(name) for name in DECODED}
CONFIG = """\
{user} daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; events {{}}
http {{
  access_log off;
  types {{ text/html html htm; application/xhtml+xml xhtml; application/xml xml; text/plain txt; }}
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
  uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  server {{ listen 127.0.0.1:{port}; root {folder}/live; {rules} }}
}}
"""
STORE = "error_page 404 = @denied; location @denied { return 403; }"
WALL = "location = /robots.txt {} location = /sitemap.xml {} location / { return 403; }"
WELCOME = "default_type text/html; return 200 '<title>Welcome to nginx!</title><h1>Welcome to nginx!</h1>';"


def serve_and_verify(
    folder: Path, run: Run, pages: dict[str, str], rules: str = "", gone: tuple[str, ...] = ()
) -> tuple[int, list[str]]:
    """Builds a site, serves a copy of it, and verifies it; the exit code and the findings."""
    base = f"http://127.0.0.1:{free_port()}/"
    (folder / "sitemapper.toml").write_text(f'base_url = "{base}"\nsite = "public"\nlastmod = []\n')
    write_site(folder / "public", pages)
    assert run("build") == 0, run.err
    folder.chmod(0o755)
    (folder / "public").rename(folder / "live")
    write_site(folder / "public", pages)  # what was built is at hand, as in a job that deploys
    for name in ("sitemap.xml", "robots.txt"):
        (folder / "public" / name).write_bytes((folder / "live" / name).read_bytes())
    for path in gone:
        (folder / "live" / path).rename(folder / path.replace("/", "-"))
    port = int(base.rpartition(":")[2].strip("/"))
    user = "user root;" if os.geteuid() == 0 else ""
    config = CONFIG.format(user=user, folder=folder, port=port, rules=rules)
    (folder / "nginx.conf").write_text(config)
    with running(["nginx", "-e", "stderr", "-c", folder / "nginx.conf"], folder / "live", port):
        code = run("verify", "--all", "--rate", "0")
    lines = [line.replace(base, "/") for line in run.out.splitlines() if ": SM" in line]
    return code, [re.sub(r"^\S+: (SM\d+) \w+: ", r"\1 ", line) for line in lines]


@pytest.mark.parametrize(
    ("rules", "gone", "code", "found"),
    [
        pytest.param(STORE, (), 0, [], id="right"),
        pytest.param("", ("a", "c/d"), 1, ["SM621 answers 404: /a/, /c/d/"], id="missing"),
        pytest.param(STORE, ("a", "b", "c"), 1, ["SM621 answers 403: /a/, /b/, /c/ and 1 more"], id="missing-in-a-store"),
        pytest.param("location /a/ { index none; }", (), 1, ["SM621 answers 403: /a/"], id="no-index"),
        pytest.param(f"location = /a/ {{ {WELCOME} }}", (), 1,
            ["SM633 shows “Welcome to nginx!” instead of the built page: /a/"], id="default-page"),
        pytest.param("location = /a/ { rewrite ^ /index.html break; }", (), 1,
            ["SM633 shows “Tea” instead of the built page: /a/"], id="another-page"),
        pytest.param("location /b/ { types {} default_type application/octet-stream; }", (), 1,
            ["SM630 its content type is application/octet-stream: /b/"], id="download"),
        pytest.param("location /c/ { return 301 /a/; }", (), 1,
            ["SM623 redirects to another page: /c/ -> /a/, /c/d/ -> /a/"], id="redirects"),
        pytest.param(WALL, (), 0,
            ["SM603 refuses this program with 403, but may let crawlers in: /, /a/, /b/ and 2 more"], id="wall"),
    ],
)  # fmt: skip
def test_a_site_behind_nginx(
    tmp_path: Path, run: Run, rules: str, gone: tuple[str, ...], code: int, found: list[str]
) -> None:
    assert serve_and_verify(tmp_path, run, PAGES, rules, gone) == (code, found)


def test_hard_names_behind_nginx(tmp_path: Path, run: Run) -> None:
    """Each listed URL shows its own page, whatever the name of its file."""
    assert serve_and_verify(tmp_path, run, NAMES) == (0, [])
