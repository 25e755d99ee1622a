"""Findings for other programs: SARIF, JUnit, Markdown."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support import BASE, Run, Site
from support.cost import assert_linear

from sitemapper import Finding, Severity
from sitemapper.cli.findings import Findings
from sitemapper.cli.render import View, junit

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


@pytest.mark.slow
def test_junit_takes_linear_time() -> None:
    def prepare(n: int) -> Callable[[], object]:
        findings = Findings(few=n)
        findings.files = [(f"{i}.xml", 1) for i in range(n)]
        findings.gather(Finding("SM307", Severity.ERROR, file, 1, "twice") for file, _ in findings.files)
        return partial(attempt, findings, n)

    def attempt(findings: Findings, n: int) -> None:
        assert sum("<failure" in line for line in junit.findings(findings, View("validate"))) == n

    assert_linear(prepare, 20_000)


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
