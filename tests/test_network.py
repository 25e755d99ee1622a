"""Nothing is fetched and nothing is sent: no command opens a socket, but for those that are told to."""

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
import json, os, sys
events = []
wanted = ("socket.", "subprocess.", "os.system", "os.posix_spawn", "os.exec", "urllib.", "http.")
sys.addaudithook(lambda event, args: events.append(event) if event.startswith(wanted) else None)
from sitemapper.__main__ import main
answers = []
for folder, command in json.loads(sys.argv[2]):
    os.chdir(folder)
    code = main(command)
    answers.append([code, list(events)])
    events.clear()
with open(sys.argv[1], "w") as file:
    json.dump(answers, file)
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


COMMANDS: dict[tuple[str, ...], int] = {
    ("build", *SITE, "--lastmod", "ledger", "--lastmod", "mtime"): 0,
    ("build", *SITE, "--jobs", "1", "--no-cache"): 0,
    ("check", *SITE): 1,
    ("check", *SITE, "--against", "public"): 1,
    ("explain", "a.html", "--site", *SITE): 0,
    ("validate", "public"): 1,
    ("init", "public"): 0,
}


def test_no_command_opens_a_socket_or_starts_a_program(tmp_path: Path) -> None:
    folders = [tmp_path / str(n) for n in range(len(COMMANDS))]
    for folder in folders:
        write_site(folder / "public", PAGES)
    found = watched_each(list(zip(folders, COMMANDS, strict=True)), tmp_path)
    assert dict(zip(COMMANDS, found, strict=True)) == {
        c: (code, set()) for c, code in COMMANDS.items()
    }


def watched_each(
    commands: list[tuple[Path, tuple[str, ...]]], scratch: Path
) -> list[tuple[int, set[str]]]:
    """The exit code of each command in its folder, all in one process, and what Python told of it."""
    work = [(str(folder), command) for folder, command in commands]
    program = [sys.executable, "-c", WATCH, str(scratch / "events.json"), json.dumps(work)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(program, check=True, capture_output=True, env=environment)
    return [
        (code, set(events)) for code, events in json.loads((scratch / "events.json").read_text())
    ]


def watched(command: tuple[str, ...], cwd: Path) -> tuple[int, set[str]]:
    """The exit code of a command, and what Python told of it."""
    (answer,) = watched_each([(cwd, command)], cwd)
    return answer


@pytest.mark.slow
def test_the_live_ledger_is_fetched_only_where_no_other_is_kept(tmp_path: Path) -> None:
    write_site(tmp_path / "public", {"index.html": "<p>"})
    (tmp_path / "sitemapper.toml").write_text(
        'base_url = "http://127.0.0.1:1/"\nsite = "public"\nlastmod = ["ledger"]\n[ledger]\nlive = true\n'
    )
    code, events = watched(("build",), tmp_path)
    assert (code, "socket.connect" in events) == (2, True)
    for flags in (("--no-live",), ()):
        assert watched(("build", *flags), tmp_path) == (0, set())


@pytest.mark.slow
def test_submit_opens_one_unless_it_is_a_dry_run_or_has_nothing_to_send(tmp_path: Path) -> None:
    write_site(tmp_path / "public", {"index.html": "<p>"})
    site = ("public", "--base-url", "http://127.0.0.1:1/", "--key", "0123456789abcdef")
    for _ in range(2):
        assert watched(("build", *site[:3], "--changes", "none.tsv"), tmp_path) == (0, set())
    for flags in (("--changes", "none.tsv"), ("--dry-run", "--all")):
        assert watched(("submit", *site, *flags), tmp_path) == (0, set())
    code, events = watched(("submit", *site, "--all", "--wait", "0"), tmp_path)
    assert (code, "socket.connect" in events) == (2, True)
