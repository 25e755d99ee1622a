"""Results as JSON."""

from __future__ import annotations

import json

from support import BASE, Run, Site


def test_check_has_the_keys_of_a_build_and_two_more(site: Site, run: Run) -> None:
    root = site({"a.html": ""})
    assert run("build", root, "--base-url", BASE, "--dry-run", "--format", "json") == 0
    dry = json.loads(run.out)
    assert run("check", root, "--base-url", BASE, "--format", "json") == 1
    check = json.loads(run.out)
    assert check.keys() - dry.keys() == {"same", "required"}
    assert (check["same"], check["dry_run"], check["listed"]) == (False, True, 1)
    assert check["files"] == dry["files"]
    assert (
        [row["url"] for row in check["changes"]["added"]]
        == dry["changes"]["added"]
        == [f"{BASE}a.html"]
    )


def test_quiet_and_json_exclude_each_other(site: Site, run: Run) -> None:
    root = site({"a.html": ""})
    assert run("check", root, "--base-url", BASE, "--quiet", "--format", "json") == 2
    assert run.err == (
        "error: --quiet cannot be used with --format json\n  help: leave out --quiet\n"
    )
