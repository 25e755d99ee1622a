"""Nothing is fetched and nothing is sent: no command opens a socket."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import BASE, write_site

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
    program = [sys.executable, "-c", WATCH, str(tmp_path / "heard.json"), *command]
    subprocess.run(
        program,
        cwd=tmp_path,
        check=True,
        capture_output=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert json.loads((tmp_path / "heard.json").read_text()) == [code, []]
