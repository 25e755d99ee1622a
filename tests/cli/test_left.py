"""What earlier versions had, and what stands in."""

from __future__ import annotations

import pytest
from support import Run


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (
            "check public --against old.xml",
            "--against: use `check --previous OLD.xml` to compare sitemaps, and `validate` for faults",
        ),
        ("rule", "rule: docs/rules.md explains the rules"),
        ("rule SM203", "rule: docs/rules.md explains the rules"),
        ("validate s.xml --format sarif", "--format sarif: use --format json"),
        ("check --format junit", "--format junit: use --format json"),
        (
            "verify --format=markdown",
            "--format markdown: use --format github, which adds the findings to the summary of the job",
        ),
    ],
)
def test_what_has_left_is_answered_by_what_stands_in(run: Run, argv: str, said: str) -> None:
    assert run(*argv.split()) == 2
    assert (run.out, run.err) == ("", f"error: {said}\n")
