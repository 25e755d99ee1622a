"""Findings as JUnit's XML."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support import BASE, Run
from support.cost import assert_linear

from sitemapper import Finding, Severity
from sitemapper.cli.findings import Findings, ValidateOptions
from sitemapper.cli.render import junit


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
    assert all(
        case.find("failure") is not None
        for case in ElementTree.fromstring(run.out).iter("testcase")
    )


@pytest.mark.slow
def test_junit_takes_linear_time() -> None:
    def prepare(n: int) -> Callable[[], object]:
        findings = Findings("validate", ValidateOptions(verbose=True))
        findings.files = [(f"{i}.xml", 1) for i in range(n)]
        findings.gather(
            Finding("SM307", Severity.ERROR, file, 1, "twice") for file, _ in findings.files
        )
        return partial(attempt, findings, n)

    def attempt(findings: Findings, n: int) -> None:
        assert sum("<failure" in line for line in junit.findings(findings, False)) == n

    assert_linear(prepare, 20_000)
