"""`validate` as a user meets it: what it prints, and its exit codes."""

from __future__ import annotations

import gzip
import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support import BASE, POSIX, Run, Site, build
from support.sitemaps import LOC, locs, urlset

import sitemapper
from sitemapper import Severity


def test_validate_names_file_line_rule_and_fault(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_text(
        urlset(f"{LOC}<lastmod>yesterday</lastmod>", "<loc>https://example.com/über uns</loc>"),
        encoding="utf-8",
    )
    assert run("validate", "sitemap.xml") == 1
    assert run.out.splitlines() == [
        "sitemap.xml:3: SM203 error: lastmod 'yesterday' is not a W3C Datetime such as 2026-03-01T12:00:00+00:00",
        "sitemap.xml:4: SM303 error: https://example.com/über uns contains 'ü', which must be percent-encoded",
        "`sitemapper rule CODE` explains the rule and how to fix it",
        "2 errors in 1 file, 2 entries",
    ]
    assert run("validate", "sitemap.xml", "--disable", "SM2", "--disable", "sm303") == 0
    assert run.out == "no fault in 1 file, 2 entries\n"
    assert run("validate", "sitemap.xml", "--select", "SM203", "--format", "github") == 1
    assert run.out.startswith("::error file=sitemap.xml,line=3,title=SM203::lastmod 'yesterday' is")
    assert run("validate", "sitemap.xml", "--format", "json") == 1
    told = json.loads(run.out)
    assert (told["version"], told["errors"], told["warnings"]) == (1, 2, 0)
    assert told["files"] == [{"name": "sitemap.xml", "entries": 2}]
    assert told["findings"][0] | {"message": ""} == {
        "code": "SM203",
        "severity": "error",
        "file": "sitemap.xml",
        "line": 3,
        "message": "",
    }


def test_it_finds_no_session_id_in_what_build_wrote(site: Site, run: Run, tmp_path: Path) -> None:
    names = ("jsessionid", "PHPSESSID", "sid", "session_id", "cfid", "CFTOKEN", "aspsessionidq")
    (tmp_path / "urls.txt").write_text(
        "\n".join(f"{BASE}app{n}/?{name}=1" for n, name in enumerate(names))
    )
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\nextra = ["urls.txt"]\n')
    root = site({"index.html": ""})
    assert run("build", root) == 0
    assert run("validate", root) == 0
    assert "SM308" not in run.out


def test_a_file_that_cannot_be_read_is_told_whatever_is_selected(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.xml").write_text(urlset(LOC)[:-9])
    assert run("validate", "s.xml", "--select", "SM2") == 1
    assert "SM101" in run.out
    (tmp_path / "s.xml.gz").write_text(urlset(LOC))
    assert run("validate", "s.xml.gz") == 1
    assert run.out.startswith("s.xml.gz:1: SM109 error: is named .gz but is not compressed\n")


@pytest.mark.slow
@POSIX
def test_closed_streams_are_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "s.xml").write_text(locs(BASE))
    program = [sys.executable, "-m", "sitemapper", "validate", str(tmp_path / "s.xml")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        command = f"{shlex.join(program)} {closed}"
        done = subprocess.run(
            ["sh", "-c", command], env=environment, capture_output=True, text=True
        )
        assert (done.returncode, "Traceback" in done.stderr) == (0, False)


def test_text_between_entries_is_told_where_it_stands(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.xml").write_text(urlset(LOC).replace("</urlset>", "\n\nhere\n</urlset>"))
    assert run("validate", "s.xml") == 1
    assert run.out.startswith("s.xml:6: SM110 error: text between entries: 'here'\n")


def test_validate_reads_stdin(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(locs("/a").encode())))
    )
    assert run("validate", "-") == 1
    assert run.out.startswith("-:3: SM301 error: '/a' is not an absolute http or https URL\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("no.xml",), "no.xml: no such file\n  help: name a sitemap, a folder or -"),
        (
            ("empty",),
            "empty: contains no sitemap (*.xml, *.xml.gz, sitemap*.txt) and no robots.txt\n  help: name the folder of the sitemap",
        ),
        (
            ("s.xml", "--select", "SM999"),
            "'SM999' is not a rule\n  help: did you mean SM629?",
        ),
        (
            ("s.xml", "--disable", "foo"),
            "'foo' is not a rule\n  help: sitemapper rule lists all rules",
        ),
        (("s.xml", "--select", "S"), "'S' is not a rule\n  help: sitemapper rule lists all rules"),
    ],
)
def test_validate_says_what_it_cannot_do(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "s.xml").write_text(urlset(LOC))
    assert run("validate", *arguments) == 2
    assert run.err == f"error: {says}\n"


def test_the_api_gives_findings(tmp_path: Path) -> None:
    (tmp_path / "s.xml").write_text(locs("/a"))
    (finding,) = sitemapper.validate([str(tmp_path / "s.xml")], now=0)
    assert (finding.code, finding.severity, finding.line) == ("SM301", Severity.ERROR, 3)


@pytest.mark.parametrize(("severity", "code"), [("error", 1), ("warning", 0), ("off", 0)])
def test_rules_have_the_severities_of_the_configuration(
    tmp_path: Path, run: Run, severity: str, code: int
) -> None:
    (tmp_path / "s.txt").write_text(f"{BASE}c\n{BASE}c\n")
    (tmp_path / "sitemapper.toml").write_text(f'[validate]\nSM307 = "{severity}"\n')
    assert run("validate", "s.txt") == code
    assert (f"SM307 {severity}" in run.out) == (severity != "off")
    (tmp_path / "public").mkdir()
    (tmp_path / "public/c.html").write_text("<p>")
    (tmp_path / "sitemapper.toml").write_text(
        f'base_url = "{BASE}"\n[validate]\nSM507 = "{severity}"\n'
    )
    (tmp_path / "none.txt").write_text(f"{BASE}\n")
    run("check", "public", "--against", "none.txt", "--no-lastmod")
    assert (f"SM507 {severity}" in run.out) == (severity != "off")


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        (
            'SM307 = "fatal"',
            "sitemapper.toml:2: validate.SM307: must be one of error, warning, off, not 'fatal'",
        ),
        ('SM999 = "off"', "'SM999' is not a rule"),
    ],
)
def test_a_severity_that_is_none_is_an_error(
    tmp_path: Path, run: Run, toml: str, said: str
) -> None:
    (tmp_path / "s.txt").write_text(f"{BASE}c\n")
    (tmp_path / "sitemapper.toml").write_text(f"[validate]\n{toml}\n")
    assert run("validate", "s.txt") == 2
    assert said in run.err


def test_of_a_folder_what_is_left_over_is_noted(site: Site, run: Run) -> None:
    root = site({f"{n}.html": "" for n in range(4)})
    run("build", root, "--base-url", BASE, "--max-urls", "2", "--text", "--gzip", "also")
    assert run("validate", root) == 0
    assert run.err == ""
    (root / "old.xml").write_text(urlset(LOC))
    assert run("validate", root, "--strict") == 0
    left = f"note: neither robots.txt nor an index names {root}/old.xml"
    assert run.err.splitlines() == [left, "  help: delete files that no tool writes any more"]
    assert run("validate", root / "old.xml") == 0
    assert run.err == ""


def test_the_text_form_of_sitemaps_is_not_called_left_over(site: Site, run: Run) -> None:
    root = site({f"{n}.html": f"<title>{n}" for n in range(3)})
    build(root, sitemap={"text": True, "strategy": "stable", "max_urls": 2})
    assert run("validate", root) == 0
    assert "nor an index names" not in run.err
