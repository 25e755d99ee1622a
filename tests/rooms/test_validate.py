"""`validate`: which rules and files are checked, and what is printed."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest
from support.rooms import Command, write
from support.sitemaps import LOC, index, locs, urlset

BASE = "https://tea.example/"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return Command(capsys)


@pytest.mark.parametrize(("line", "code"), [("", 1), ("respect.robots = false", 0)])
def test_robots_txt_counts_as_in_a_build(here: Path, run: Command, line: str, code: int) -> None:
    robots = "User-agent: *\nDisallow: /\n\nUser-agent: Bingbot\nAllow: /\n"
    write(here, {"site/robots.txt": robots, "site/s.xml": locs(BASE), "sitemapper.toml": line})
    assert run("validate", "site") == code
    assert ("SM406" in run.out) == bool(code)


def test_rules_are_chosen_and_unreadable_files_told_whatever_is_selected(
    here: Path, run: Command
) -> None:
    write(
        here,
        {"a.xml": urlset(f"{LOC}<lastmod>x</lastmod>", "<loc>/b</loc>"), "b.xml": urlset(LOC)[:-9]},
    )
    assert run("validate", "a.xml", "b.xml", "--select", "SM3", "--format", "json") == 1
    told = json.loads(run.out)
    assert [(one["file"], one["code"], one["severity"]) for one in told["findings"]] == [
        ("a.xml", "SM301", "error"),
        ("b.xml", "SM101", "error"),
    ]
    assert told["files"] == [{"name": "a.xml", "entries": 2}, {"name": "b.xml", "entries": 1}]


BROKEN = urlset(f"{LOC}<lastmod>x</lastmod>", f"<loc>{BASE}ü</loc>", f"<loc>{BASE}?sid=1</loc>")
DATE = "lastmod 'x' is not a W3C Datetime such as 2026-03-01T12:00:00+00:00"
MIXED = f"{BASE}ü contains 'ü', which must be percent-encoded"
HOST = f"{BASE}ü is not on https://example.com like the first entry"
SESSION = f"{BASE}?sid=1 contains a session ID, sid"
OTHER = f"{BASE}?sid=1 is not on https://example.com like the first entry"


def test_findings_are_printed_as_text(here: Path, run: Command) -> None:
    write(here, {"s.xml": BROKEN})
    assert run("validate", "s.xml") == 1
    assert (
        run.out
        == f"""\
s.xml:3: SM203 error: {DATE}
s.xml:4: SM303 error: {MIXED}
s.xml:4: SM305 error: {HOST}
s.xml:5: SM305 error: {OTHER}
s.xml:5: SM308 warning: {SESSION}
docs/checks.md explains the rules and how to fix the findings
4 errors, 1 warning in 1 file, 3 entries
"""
    )
    assert run("validate", "s.xml", "--select", "SM203,SM308", "-q") == 1
    assert run.out == f"s.xml:3: SM203 error: {DATE}\n"


@pytest.mark.parametrize(
    ("flags", "code", "out"),
    [
        ("--disable SM2,SM3", 0, "no fault in 1 file, 3 entries\n"),
        ("--select SM308", 0, f"s.xml:5: SM308 warning: {SESSION}\ndocs/checks.md explains the rules and how to fix the findings\n1 warning in 1 file, 3 entries\n"),
        ("--select SM308 --strict -q", 1, f"s.xml:5: SM308 warning: {SESSION}\n"),
        ("--select SM308 -q", 0, ""),
    ],
)  # fmt: skip
def test_warnings_fail_only_strict_runs(
    here: Path, run: Command, flags: str, code: int, out: str
) -> None:
    write(here, {"s.xml": BROKEN})
    assert (run("validate", "s.xml", *flags.split()), run.out) == (code, out)


def test_of_many_findings_the_first_twenty_are_shown(here: Path, run: Command) -> None:
    write(here, {"s.xml": locs(*(f"{BASE}#{n}" for n in range(30)))})
    assert run("validate", "s.xml") == 1
    assert run.out.splitlines()[20:] == [
        "s.xml: and 10 more SM304",
        "docs/checks.md explains the rules and how to fix the findings",
        "30 errors in 1 file, 30 entries",
    ]
    run("validate", "s.xml", "--verbose")
    assert len(run.out.splitlines()) == 32
    run("validate", "s.xml", "--format", "json")
    assert json.loads(run.out)["more"] == [{"file": "s.xml", "code": "SM304", "count": 10}]


def test_findings_are_printed_as_json(here: Path, run: Command) -> None:
    sitemaps = index(f"<loc>{BASE}a.xml</loc>")
    robots = f"Sitemap: {BASE}i.xml\n"
    files = {"robots.txt": robots, "i.xml": sitemaps, "a.xml": locs(BASE), "old.xml": BROKEN}
    write(here, {f"site/{name}": text for name, text in files.items()})
    assert run("validate", "site", "--format", "json", "--select", "SM203") == 1
    told = json.loads(run.out)
    assert (told["version"], told["errors"], told["warnings"], told["more"]) == (2, 1, 0, [])
    assert told["files"] == [
        {"name": "site/robots.txt", "entries": 0},
        {"name": "site/i.xml", "entries": 1},
        {"name": "site/a.xml", "entries": 1},
        {"name": "site/old.xml", "entries": 3},
    ]
    assert told["findings"] == [
        {
            "file": "site/old.xml",
            "line": 3,
            "code": "SM203",
            "message": DATE,
            "severity": "error",
        }
    ]
    assert told["messages"] == []


def test_findings_are_annotations_on_github(
    here: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(here, {"a,b.xml": f"{BASE}?sid=1\n/%0A\n", "summary": ""})
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary")
    assert run("validate", "a,b.xml", "--format", "github") == 1
    assert run.out == (
        "::error file=a%2Cb.xml,line=2,title=SM301::'/%250A' is not an absolute http or https URL\n"
        f"::warning file=a%2Cb.xml,line=1,title=SM308::{SESSION}\n"
    )
    assert (
        (here / "summary")
        .read_text()
        .startswith("### sitemapper validate\n\n```text\na,b.xml:1: SM308 warning: ")
    )


def test_stdin_is_validated(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(locs("/a").encode())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(packed)))
    assert run("validate", "-") == 1
    assert run.out.startswith("-:3: SM301 error: '/a' is not an absolute http or https URL\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("no.xml", "no.xml: no such file\n  help: pass a sitemap, a folder, a URL or -"),
        (
            "s.xml --select SM6",
            "SM6: this command has no such rule\n"
            "  help: docs/checks.md lists the rules of validate and verify",
        ),
        (
            "http://127.0.0.1:1/s.xml",
            "http://127.0.0.1:1/robots.txt: nothing answers at 127.0.0.1:1\n",
        ),
    ],
)
def test_what_cannot_be_validated_is_an_error(
    here: Path, run: Command, arguments: str, says: str
) -> None:
    write(here, {"s.xml": BROKEN})
    assert run("validate", *arguments.split()) == 2
    assert run.err.startswith(f"error: {says}")
    assert run.out == ""
