"""Findings for other programs, findings that are known, and severities of one's own."""

from __future__ import annotations

import json
import os
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support import BASE, POSIX, Run, Site
from support.cost import few_seconds_of_cpu

from sitemapper import Finding, Severity
from sitemapper.cli.findings import Findings
from sitemapper.cli.machines import junit

FAULTY = "https://example.com/a b\nhttps://example.com/a|`b`\nhttps://example.com/c\nhttps://example.com/c\n"


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    path = tmp_path / "site map.txt"
    path.write_text(FAULTY)
    return path


def test_sarif_names_rules_places_and_severities(faulty: Path, run: Run) -> None:
    assert run("validate", "site map.txt", "--format", "sarif") == 1
    log = json.loads(run.out)
    assert log["version"] == "2.1.0"
    (sarif,) = log["runs"]
    rules = sarif["tool"]["driver"]["rules"]
    first, *_, last = sarif["results"]
    assert (first["ruleId"], first["level"]) == ("SM303", "error")
    assert (last["ruleId"], last["level"]) == ("SM307", "warning")
    assert [rules[one["ruleIndex"]]["id"] for one in sarif["results"]] == [
        one["ruleId"] for one in sarif["results"]
    ]
    assert all(rule["help"]["text"] and rule["shortDescription"]["text"] for rule in rules)
    place = first["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "site%20map.txt"}, "region": {"startLine": 1}}
    assert run("validate", faulty, "--format", "sarif") == 1
    assert f'"uri": "{faulty.as_uri()}"' in run.out
    assert sarif["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


def test_sarif_is_capped_with_a_note(tmp_path: Path, run: Run) -> None:
    (tmp_path / "many.txt").write_text("".join(f"{BASE}a b{n}\n" for n in range(5001)))
    assert run("validate", "many.txt", "--format", "sarif") == 1
    (sarif,) = json.loads(run.out)["runs"]
    assert len(sarif["results"]) == 5000
    (note,) = sarif["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "1 more finding: the first 5,000 are in this file"


def test_junit_has_a_suite_for_each_file(faulty: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "good.txt").write_text(BASE)
    assert run("validate", "good.txt", "site map.txt", "--format", "junit") == 1
    good, bad = ElementTree.fromstring(run.out)
    assert good.attrib == {"name": "good.txt", "tests": "1", "failures": "0", "errors": "0"}
    failures = [case.find("failure") is not None for case in bad.iter("testcase")]
    assert (bad.get("name"), bad.get("tests"), bad.get("failures")) == (
        "site map.txt",
        str(len(failures)),
        str(sum(failures)),
    )
    assert failures.count(False) == 1  # a warning
    assert run("validate", "site map.txt", "--format", "junit", "--strict") == 1
    assert all(case.find("failure") is not None for case in ElementTree.fromstring(run.out).iter("testcase"))


def test_junit_takes_linear_time() -> None:
    found = Findings(verbose=True)
    found.files = [(f"{n}.xml", 1) for n in range(20_000)]
    found.gather(Finding("SM307", Severity.ERROR, file, 1, "twice") for file, _ in found.files)
    with few_seconds_of_cpu(5):
        assert sum("<failure" in line for line in junit(found, strict=False)) == 20_000


def test_markdown_holds_any_text_in_a_table(faulty: Path, run: Run) -> None:
    assert run("validate", "site map.txt", "--format", "markdown") == 1
    lines = run.out.splitlines()
    assert lines[0].startswith("**sitemapper**: ") and lines[0].endswith("in 1 file, 4 entries")
    assert lines[1:4] == ["", "| rule | where | what |", "|---|---|---|"]
    assert any("| `` https://example.com/a\\|`b` contains '\\|'" in line for line in lines)


@pytest.mark.parametrize("form", ["sarif", "junit", "markdown"])
def test_check_speaks_these_formats_too(site: Site, run: Run, form: str) -> None:
    root = site({"a.html": ""})
    check = ("check", root, "--base-url", BASE, "--format", form)
    assert run(*check) == 1
    assert "would be created by sitemapper build" in run.out
    assert run("build", root, "--base-url", BASE) == 0
    assert run(*check) == 0
    assert "would be" not in run.out
    assert form != "junit" or 'tests="1" failures="0"' in run.out
    assert run(*check, "--excluded", "-") == 2
    assert "would both write to stdout" in run.err
    (root / "other.txt").write_text(f"{BASE}gone.html\n")
    assert run(*check, "--against", root / "other.txt") == 1
    assert "SM501" in run.out


def test_known_findings_are_no_failures(faulty: Path, tmp_path: Path, run: Run) -> None:
    known = tmp_path / "known.toml"
    assert run("validate", "site map.txt", "--write-baseline", "known.toml") == 0
    assert "wrote known.toml" in run.err
    assert run("validate", "site map.txt", "--strict", "--baseline", "known.toml") == 0
    assert run.out == "no fault in 1 file, 4 entries\n"
    faulty.write_text(f"{BASE}new page\n" + FAULTY)  # the others are one line further down
    assert run("validate", "site map.txt", "--baseline", "known.toml") == 1
    assert [line for line in run.out.splitlines() if "SM" in line and "rule" not in line] == [
        "site map.txt:1: SM303 error: https://example.com/new page contains ' ', which must be percent-encoded"
    ]
    faulty.write_text(f"{BASE}\n")
    assert run("validate", "site map.txt", "--baseline", "known.toml") == 0
    assert "entries not found any more" in run.err
    assert run("validate", "site map.txt", "--write-baseline", "known.toml") == 0
    assert "[[known]]" not in known.read_text()


def test_an_entry_may_have_a_last_day(tmp_path: Path, run: Run) -> None:
    (tmp_path / "s.txt").write_text(f"{BASE}a b\n")
    assert run("validate", "s.txt", "--write-baseline", "known.toml") == 0
    known = tmp_path / "known.toml"
    text = known.read_text()
    today = datetime.now(UTC).date()
    for until, code in ((today + timedelta(2), 0), (today - timedelta(2), 1)):
        known.write_text(f"{text}until = {until}\n")
        assert run("validate", "s.txt", "--baseline", "known.toml") == code
    assert "known.toml: the last day of 1 known finding is over" in run.err
    assert run("validate", "s.txt", "--write-baseline", "known.toml") == 0
    assert known.read_text() == f"{text}until = {date.isoformat(today - timedelta(2))}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<urlset>", "known.toml: is not a baseline"),
        (f"base_url = '{BASE}'", "known.toml: is not a baseline: it has the key 'base_url'"),
        ("known = 1", "known.toml: known: must be a list of tables"),
        ("[[known]]\ncode = 'SM303'", "known.toml: known[0]: must have the texts code, file and message"),
        ("[[known]]\ncode=''\nfile=''\nmessage=''\nuntil='soon'", "may have a date, until"),
    ],
)
def test_what_is_no_baseline_is_an_error_and_not_replaced(
    tmp_path: Path, run: Run, text: str, said: str
) -> None:
    (tmp_path / "s.txt").write_text(f"{BASE}a b\n")
    (tmp_path / "known.toml").write_text(text)
    for flag in ("--baseline", "--write-baseline"):
        assert run("validate", "s.txt", flag, "known.toml") == 2
        assert said in run.err
    assert (tmp_path / "known.toml").read_text() == text


@POSIX
def test_a_baseline_can_be_written_into_a_pipe(tmp_path: Path, run: Run) -> None:
    (tmp_path / "s.txt").write_text(f"{BASE}a b\n")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run("validate", "s.txt", "--write-baseline", "pipe") == 0
        assert b"[[known]]" in os.read(reader, 1 << 16)
    finally:
        os.close(reader)


def test_baselines_need_findings(site: Site, tmp_path: Path, run: Run) -> None:
    root = site({"a.html": ""})
    assert run("check", root, "--base-url", BASE, "--baseline", "known.toml") == 2
    assert "need --against" in run.err
    (tmp_path / "other.txt").write_text(f"{BASE}gone.html\n")
    against = ("check", root, "--base-url", BASE, "--against", "other.txt")
    assert run(*against, "--baseline", "gone.toml") == 2
    assert "gone.toml" in run.err
    assert run(*against, "--write-baseline", "known.toml") == 0
    assert run(*against, "--baseline", "known.toml") == 0
    assert run(*against, "--baseline", "known.toml", "--write-baseline", "known.toml") == 2


@pytest.mark.parametrize(("severity", "code"), [("error", 1), ("warning", 0), ("off", 0)])
def test_rules_have_the_severities_of_the_configuration(
    tmp_path: Path, run: Run, severity: str, code: int
) -> None:
    (tmp_path / "s.txt").write_text(f"{BASE}c\n{BASE}c\n")
    (tmp_path / "sitemapper.toml").write_text(f'[validate]\nSM307 = "{severity}"\n')
    assert run("validate", "s.txt") == code
    assert (f"SM307 {severity}" in run.out) == (severity != "off")
    (tmp_path / "public").mkdir()
    (tmp_path / "public/c.html").write_text("")
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\n[validate]\nSM507 = "{severity}"\n')
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
def test_a_severity_that_is_none_is_an_error(tmp_path: Path, run: Run, toml: str, said: str) -> None:
    (tmp_path / "s.txt").write_text(f"{BASE}c\n")
    (tmp_path / "sitemapper.toml").write_text(f"[validate]\n{toml}\n")
    assert run("validate", "s.txt") == 2
    assert said in run.err
