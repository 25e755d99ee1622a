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
from support import BASE, POSIX, Run, Site
from support.sitemaps import LOC, locs, urlset


def test_rules_are_chosen_and_findings_have_a_file_a_line_and_a_rule(
    run: Run, tmp_path: Path
) -> None:
    entries = (f"{LOC}<lastmod>yesterday</lastmod>", "<loc>https://example.com/über uns</loc>")
    (tmp_path / "sitemap.xml").write_text(urlset(*entries), encoding="utf-8")
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
    urls = [f'[[urls]]\nloc = "{BASE}app{n}/?{name}=1"\n' for n, name in enumerate(names)]
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\n' + "".join(urls))
    root = site({"index.html": ""})
    assert run("build", root) == 0
    assert run("validate", root) == 0
    assert "SM308" not in run.out


def test_a_file_that_cannot_be_read_is_told_whatever_is_selected(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.xml").write_text(urlset(LOC)[:-9])
    assert run("validate", "s.xml", "--select", "SM2") == 1
    assert "SM101" in run.out


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


def test_validate_reads_stdin(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(locs("/a").encode())))
    )
    assert run("validate", "-") == 1
    assert run.out.startswith("-:3: SM301 error: '/a' is not an absolute http or https URL\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("no.xml",), "no.xml: no such file\n  help: pass a sitemap, a folder or -"),
        (
            ("empty",),
            "empty: contains no sitemap (*.xml, *.xml.gz, sitemap*.txt) and no robots.txt\n  help: pass the sitemap's folder",
        ),
        (
            ("s.xml", "--select", "SM999"),
            "'SM999' is not a rule\n  help: did you mean SM629?",
        ),
        (
            ("s.xml", "--disable", "foo"),
            "'foo' is not a rule\n  help: docs/rules.md lists all rules",
        ),
        (
            ("s.xml", "--select", "sm110"),
            "SM110: sitemapper no longer has this rule\n  help: docs/rules.md lists all rules",
        ),
        (
            ("s.xml", "--disable", "SM203,SM5"),
            "SM5: sitemapper no longer has this rule\n  help: docs/rules.md lists all rules",
        ),
    ],
)
def test_validate_says_what_it_cannot_do(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "s.xml").write_text(urlset(LOC))
    assert run("validate", *arguments) == 2
    assert run.err == f"error: {says}\n"


def test_severities_of_the_configuration_left(tmp_path: Path, run: Run) -> None:
    (tmp_path / "s.txt").write_text(f"{BASE}c\n")
    (tmp_path / "sitemapper.toml").write_text('[validate]\nSM307 = "off"\n')
    assert run("validate", "s.txt") == 2
    assert run.err == (
        "error: sitemapper.toml:1: validate: unknown key\n"
        "  help: remove it; to leave out rules, pass --disable CODE\n"
    )


def test_of_a_folder_what_is_left_over_is_noted(site: Site, run: Run) -> None:
    root = site({f"{n}.html": "" for n in range(4)})
    run("build", root, "--base-url", BASE, "--max-urls", "2", "--text", "--gzip", "also")
    assert run("validate", root) == 0
    assert run.err == ""
    (root / "old.xml").write_text(urlset(LOC))
    assert run("validate", root, "--strict") == 0
    left = f"note: neither robots.txt nor an index lists {root}/old.xml, so crawlers may miss it"
    assert run.err.splitlines() == [
        left,
        "  help: list it there, or delete what no tool writes any more",
    ]
    assert run("validate", root / "old.xml") == 0
    assert run.err == ""
