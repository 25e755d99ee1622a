"""The numbers of options, and their defaults."""

from __future__ import annotations

import pytest
from support import BASE, Run, Site


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (
            ["build", "--base-url", BASE, "--jobs", "0"],
            "--jobs: must be 1 or more, not 0",
        ),
        (["verify", BASE, "--sample", "0"], "--sample: must be 1 or more, not 0"),
        (["verify", BASE, "--rate", "-0.5"], "--rate: must be 0 or more, not -0.5"),
        (["verify", BASE, "--timeout", "0"], "--timeout: must be 0.001 or more, not 0.0"),
        (["verify", BASE, "--timeout", "nan"], "--timeout: must be 0.001 or more, not nan"),
        (
            ["verify", BASE, "--timeout", "inf"],
            "--timeout: must be less than 1,000,000,000, not inf",
        ),
        (["verify", BASE, "--max-time", "-1"], "--max-time: must be 0.001 or more, not -1.0"),
        (["verify", BASE, "--wait", "-1"], "--wait: must be 0 or more, not -1.0"),
        (["submit", "--all", "--wait", "-1"], "--wait: must be 0 or more, not -1.0"),
    ],
)
def test_a_number_that_no_run_can_use_is_an_error(
    site: Site, run: Run, argv: list[str], message: str
) -> None:
    site({"a.html": ""})
    assert run(*argv) == 2
    assert run.err == f"error: {message}\n"


def test_the_help_names_the_default_of_a_number(run: Run) -> None:
    assert run("verify", "--help") == 0
    words = " ".join(run.out.split())
    assert "Requests per second; 0 for no limit [default: 10]" in words
    assert "Time limit for the run [default: 900]" in words
