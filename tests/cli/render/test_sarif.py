"""Findings as SARIF."""

from __future__ import annotations

import json
from pathlib import Path

from support import BASE, Run


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
