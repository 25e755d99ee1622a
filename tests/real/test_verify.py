"""`verify` of a built site that nginx serves: right, and broken in one way at a time."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from support import Run, write_site

from real.host_engines import free_port, running

pytestmark = pytest.mark.real

PAGES = {
    path: f"<!doctype html><title>{title}</title><p>{title}"
    for path, title in {
        "index.html": "Tea",
        "a/index.html": "About",
        "b/index.html": "Brewing",
        "c/index.html": "Cups",
        "c/d/index.html": "Dishes",
        "c/e/index.html": "Earl Grey",
    }.items()
}
LOGIN = "<!doctype html><title>Sign in</title><form><input type=password name=p></form>"
CONFIG = """\
{user} daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; events {{}}
http {{
  access_log off;
  types {{ text/html html; application/xml xml; text/plain txt; }}
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
  uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  server {{ listen 127.0.0.1:{port}; root {folder}/live; {rules} }}
}}
"""
WALL = "location = /robots.txt {} location = /sitemap.xml {} location / { return 403; }"


@pytest.mark.parametrize(
    ("rules", "gone", "code", "found"),
    [
        pytest.param("", (), 0, [], id="right"),
        pytest.param("error_page 404 = @denied; location @denied { return 403; }", (), 0, [], id="store"),
        pytest.param("", ("a", "c/d"), 1, ["SM621 answers 404: /a/, /c/d/"], id="missing"),
        pytest.param(
            "error_page 404 = @denied; location @denied { return 403; }", ("a", "b", "c"), 1,
            ["SM621 answers 403: /a/, /b/, /c/ and 2 more"], id="missing-in-a-store",
        ),
        pytest.param(
            "location /c/ { deny all; }", (), 1, ["SM621 answers 403: /c/, /c/d/, /c/e/"], id="closed-folder"
        ),
        pytest.param(
            "location = /a/ { deny all; }", (), 1, ["SM621 answers 403: /a/"], id="closed-page"
        ),
        pytest.param("location /a/ { index none; }", (), 1, ["SM621 answers 403: /a/"], id="no-index"),
        pytest.param("location /a/ { return 401; }", (), 1, ["SM621 answers 401: /a/"], id="password"),
        pytest.param(
            "location = /a/ { default_type text/html; return 200 '<title>Welcome to nginx!</title><h1>Welcome to nginx!</h1>'; }",
            (), 1, ["SM633 shows “Welcome to nginx!” instead of the built page: /a/"], id="default-page",
        ),
        pytest.param(
            "location = /a/ { default_type text/html; return 200 '<title>About</title><p>In March'; }",
            (), 0, ["SM635 shows another text than the built page: /a/"], id="last-deployment",
        ),
        pytest.param(
            "location = /robots.txt { return 200 '# BEGIN Cloudflare Managed content\nUser-agent: GPTBot\nDisallow: /\n# END Cloudflare Managed Content\n\nSitemap: $scheme://$http_host/sitemap.xml\n'; }",
            (), 0, [], id="managed-robots",
        ),
        pytest.param(
            WALL, (), 0,
            ["SM603 refuses this program with 403, but may let crawlers in: /, /a/, /b/ and 2 more"], id="wall",
        ),
        pytest.param(
            "location /a/ { index none; autoindex on; }", (), 1,
            ["SM633 shows “Index of /a/” instead of the built page: /a/"], id="list-of-files",
        ),
        pytest.param(
            "location = /a/ { rewrite ^ /index.html break; }", (), 1,
            ["SM633 shows “Tea” instead of the built page: /a/"], id="another-page",
        ),
        pytest.param(
            "location = /a/ { rewrite ^ /login.html break; }", (), 1,
            ["SM633 shows “Sign in” instead of the built page: /a/"], id="login",
        ),
        pytest.param(
            "location /b/ { types {} default_type application/octet-stream; }", (), 1,
            ["SM630 its content type is application/octet-stream: /b/"], id="download",
        ),
        pytest.param(
            "location /b/ { types {} default_type text/html; return 200; }", (), 1,
            ["SM633 answers 200 with an empty body: /b/"], id="empty",
        ),
        pytest.param(
            "location /b/ { add_header Content-Encoding gzip; }", (), 1,
            ["SM622 the body is not compressed as its Content-Encoding says: /b/"], id="encoding",
        ),
        pytest.param(
            "location = /robots.txt { types {} default_type text/html; return 200 '<html>'; }", (), 1,
            ["SM602 is an HTML page"], id="robots",
        ),
        pytest.param("location = /sitemap.xml { return 403; }", (), 2, ["SM603 refuses this program with 403, but may let crawlers in"], id="nothing"),
        pytest.param("location /c/ { return 301 /a/; }", (), 1, ["SM623 redirects to another page: /c/, /c/d/, /c/e/"], id="redirects"),
    ],
)  # fmt: skip
def test_a_site_behind_nginx(
    tmp_path: Path, run: Run, rules: str, gone: tuple[str, ...], code: int, found: list[str]
) -> None:
    port = free_port()
    (tmp_path / "sitemapper.toml").write_text(
        f'base_url = "http://127.0.0.1:{port}/"\nsite = "public"\nlastmod = []\n'
    )
    write_site(tmp_path / "public", PAGES)
    assert run("build") == 0, run.err
    tmp_path.chmod(0o755)
    (tmp_path / "public").rename(tmp_path / "live")
    write_site(tmp_path / "public", PAGES)  # what was built is at hand, as in a job that deploys
    for name in ("sitemap.xml", "robots.txt"):
        (tmp_path / "public" / name).write_bytes((tmp_path / "live" / name).read_bytes())
    write_site(tmp_path / "live", {"login.html": LOGIN})
    for path in gone:
        (tmp_path / "live" / path).rename(tmp_path / path.replace("/", "-"))
    user = "user root;" if os.geteuid() == 0 else ""
    config = CONFIG.format(user=user, folder=tmp_path, port=port, rules=rules)
    (tmp_path / "nginx.conf").write_text(config)
    command = ["nginx", "-e", "stderr", "-c", tmp_path / "nginx.conf"]
    with running(command, tmp_path / "live", port):
        assert run("verify", "--rate", "0") == code, run.out + run.err
    base = f"http://127.0.0.1:{port}/"
    lines = [line.replace(base, "/") for line in run.out.splitlines() if ": SM" in line]
    assert [
        re.sub(r"^\S+: (SM\d+) \w+: ", r"\1 ", re.sub(" -> /a/", "", line)) for line in lines
    ] == found
