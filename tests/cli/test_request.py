"""What a command line asks for, and what it cannot ask for at once."""

from __future__ import annotations

import pytest
from support import Run


@pytest.mark.parametrize(
    ("argv", "pair"),
    [
        ("build --no-lastmod --lastmod page", "--no-lastmod cannot be used with --lastmod"),
        ("build --no-lastmod --ledger l", "--no-lastmod cannot be used with --ledger"),
        ("build -q -v", "--quiet cannot be used with --verbose"),
        ("validate . -q -v", "--quiet cannot be used with --verbose"),
    ],
)
def test_flags_that_contradict_each_other(run: Run, argv: str, pair: str) -> None:
    assert run(*argv.split()) == 2
    other = pair.rpartition(" ")[2]
    assert run.err == f"error: {pair}\n  help: leave out {other}\n"


def test_a_url_in_place_of_the_folder(run: Run) -> None:
    assert run("build", "https://a.example/") == 2
    assert run.err == (
        "error: https://a.example/: is not a folder\n"
        "  help: pass a URL as --base-url https://a.example/\n"
    )
