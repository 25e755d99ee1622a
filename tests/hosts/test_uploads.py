"""What is not uploaded is not served: `.assetsignore`, `.vercelignore`, and `ignore` of Firebase."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import BASE, Run, write_site
from support.heard import heard
from support.hosts import unread_of

from sitemapper.hosts.choose import choose
from sitemapper.hosts.host import Host

NOW = 1_780_272_000  # 2026-06-01
PAGES = ("index.html", "about.html", "drafts/index.html", "drafts/a.html", "drafts/keep.html")
IGNORED = "# ours\n\ndrafts/*\n!drafts/keep.html\nabout.html\n"
LEFT = {"index.html", "drafts/keep.html"}
WORKER = '{"assets": {"directory": "public"}}'
PAGES_PROJECT = '{"pages_build_output_dir": "public"}'


def test_the_line_that_leaves_a_file_out_is_named() -> None:
    texts = {"wrangler.json": WORKER, ".assetsignore": IGNORED + "a\\\n"}
    host = choose("auto", texts, "example.com", NOW)
    assert [str(host.ignoring_line(page)) for page in PAGES] == [
        "None",
        ".assetsignore:5: about.html",
        ".assetsignore:3: drafts/*",
        ".assetsignore:3: drafts/*",
        "None",
    ]
    assert unread_of(host.rules[0]) == [".assetsignore:6: a\\"]


@pytest.mark.parametrize(
    ("files", "withheld"),
    [
        ({"wrangler.json": WORKER, "public/.assetsignore": IGNORED}, True),
        ({"wrangler.json": PAGES_PROJECT, "public/.assetsignore": IGNORED}, False),
        ({"public/.assetsignore": IGNORED}, False),
        ({"vercel.json": "{}", "public/.vercelignore": IGNORED}, False),
        ({"public/vercel.json": "{}", "public/.vercelignore": IGNORED}, True),
        ({"public/vercel.json": '{"buildCommand": "make"}', "public/.vercelignore": IGNORED}, False),
        ({"public/vercel.json": "{}", "public/.vercelignore": IGNORED, "public/package.json": '{"scripts": {"build": "make"}}'}, False),
    ],
)  # fmt: skip
def test_pages_that_are_not_uploaded_are_not_listed(
    tmp_path: Path, files: dict[str, str], withheld: bool
) -> None:
    project = tmp_path / "project"
    write_site(project, {".git/HEAD": "", **files, **{f"public/{page}": page for page in PAGES}})
    excluded = heard(project / "public").excluded
    left_out = {path for path, (reason, _) in excluded.items() if reason.value == "not deployed"}
    assert left_out == (set(PAGES) - LEFT if withheld else set())


def firebase(*globs: object) -> Host:
    text = json.dumps({"hosting": {"public": "public", "ignore": globs}}, indent=0)
    return choose("auto", {"firebase.json": text, "": "public"}, "example.com", NOW)


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("*.html", "a.html", "a/b.html"),
        ("**/*.html", "a.html a/b.html", "a/b.htm"),
        ("drafts/**", "drafts/a.html drafts/b/c.html", "drafts.html x/drafts/a.html"),
        ("**/drafts/**", "drafts/a.html x/drafts/a.html", "drafts.html"),
        ("drafts", "", "drafts/a.html"),
        ("a.@(html|htm)", "", "a.html"),  # not read
        ("!(a).html", "", "a.html b.html"),  # not read
    ],
)
def test_globs_of_firebase_are_for_files_below_public(glob: str, yes: str, no: str) -> None:
    host = firebase(glob)
    assert [path for path in yes.split() if host.ignoring_line(path) is None] == []
    assert [path for path in no.split() if host.ignoring_line(path)] == []


def test_explain_names_the_line_of_the_glob(tmp_path: Path, run: Run) -> None:
    text = '{"hosting": {"public": "public", "ignore": [\n"firebase.json",\n"drafts/**"\n]}}'
    write_site(tmp_path, {"firebase.json": text, "public/drafts/a.html": "a", "public/b.html": ""})
    assert run("explain", "drafts/a.html", "--site", "public", "--base-url", BASE) == 0
    assert run.out.splitlines() == [
        "drafts/a.html is not listed: not deployed",
        "  decided by  firebase.json:3: ignore drafts/**",
    ]


def test_a_page_that_some_possible_host_has_is_listed() -> None:
    texts = {"wrangler.json": WORKER, ".assetsignore": "a.html", "netlify.toml": ""}
    host = choose("auto", texts, "example.com", NOW)
    assert host.names == ("cloudflare", "netlify")
    assert host.ignoring_line("a.html") is None
    assert not host.may_ignore_files
