"""Nothing is fetched and nothing is sent: no command opens a socket, but for the two that are told to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import BASE, write_site

# Python tells of each socket that it makes, connects or binds, and of each program that it starts.
WATCH = """
import json, sys
heard = []
wanted = ("socket.", "subprocess.", "os.system", "os.posix_spawn", "os.exec", "urllib.", "http.")
sys.addaudithook(lambda event, args: heard.append(event) if event.startswith(wanted) else None)
from sitemapper.__main__ import main
code = main(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    json.dump([code, heard], file)
"""
PAGES = {
    "index.html": f'<html><head><link rel="canonical" href="{BASE}"><link rel="alternate" hreflang="de" href="http://x.example/">',
    "a.html": '<html><head><meta http-equiv="refresh" content="0; url=http://127.0.0.1:1/"></head>',
    "robots.txt": "Sitemap: http://127.0.0.1:1/sitemap.xml\nUser-agent: *\nDisallow: /b\n",
    "other.xml": '<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x"><urlset/>',
    "third.xml": '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap>'
    "<loc>http://127.0.0.1:1/s.xml</loc></sitemap></sitemapindex>",
    "s.xml": "<urlset/>",
}
SITE = ("public", "--base-url", BASE)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("build", *SITE, "--lastmod", "ledger", "--lastmod", "mtime"), 0),
        (("build", *SITE, "--jobs", "1", "--no-cache"), 0),
        (("check", *SITE), 1),
        (("check", *SITE, "--against", "public"), 1),
        (("explain", "a.html", "--site", *SITE), 0),
        (("validate", "public"), 1),
        (("init", "public"), 0),
    ],
)
def test_no_command_opens_a_socket_or_starts_a_program(
    command: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    write_site(tmp_path / "public", PAGES)
    assert watched(command, tmp_path) == (code, set())


def watched(command: tuple[str, ...], cwd: Path) -> tuple[int, set[str]]:
    """The exit code of a command, and what Python told of it."""
    program = [sys.executable, "-c", WATCH, str(cwd / "heard.json"), *command]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(program, cwd=cwd, check=True, capture_output=True, env=environment)
    code, heard = json.loads((cwd / "heard.json").read_text())
    return code, set(heard)


def test_the_live_ledger_is_fetched_only_where_no_other_is_kept(tmp_path: Path) -> None:
    write_site(tmp_path / "public", {"index.html": "<p>"})
    (tmp_path / "sitemapper.toml").write_text(
        'base_url = "http://127.0.0.1:1/"\nsite = "public"\nlastmod = ["ledger"]\n[ledger]\nlive = true\n'
    )
    code, heard = watched(("build",), tmp_path)
    assert (code, "socket.connect" in heard) == (2, True)
    for flags in (("--no-live",), ()):
        assert watched(("build", *flags), tmp_path) == (0, set())


def test_submit_opens_one_unless_it_is_a_dry_run_or_has_nothing_to_send(tmp_path: Path) -> None:
    write_site(tmp_path / "public", {"index.html": "<p>"})
    site = ("public", "--base-url", "http://127.0.0.1:1/", "--key", "0123456789abcdef")
    for _ in range(2):
        assert watched(("build", *site[:3], "--changes", "none.tsv"), tmp_path) == (0, set())
    for flags in (("--changes", "none.tsv"), ("--dry-run", "--all")):
        assert watched(("submit", *site, *flags), tmp_path) == (0, set())
    code, heard = watched(("submit", *site, "--all", "--wait", "0"), tmp_path)
    assert (code, "socket.connect" in heard) == (2, True)
