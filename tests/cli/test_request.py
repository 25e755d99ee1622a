"""What a command line asks for, and what it cannot ask for at once."""

from __future__ import annotations

import pytest
from support import Run


@pytest.mark.parametrize(
    ("argv", "pair"),
    [
        ("build --no-lastmod --lastmod page", "--no-lastmod and --lastmod"),
        ("build --no-lastmod --ledger l", "--no-lastmod and --ledger"),
        ("build --cache c --no-cache", "--cache and --no-cache"),
        ("build -q -v", "--quiet and --verbose"),
        ("validate . -q -v", "--quiet and --verbose"),
        ("check --against s.xml --max-urls 5", "--against and --max-urls"),
        ("check --against s.xml --gzip also", "--against and --gzip"),
        ("check --against s.xml --changes c", "--against and --changes"),
    ],
)
def test_flags_that_contradict_each_other(run: Run, argv: str, pair: str) -> None:
    assert run(*argv.split()) == 2
    other = pair.rpartition(" ")[2]
    assert run.err == f"error: {pair} exclude each other\n  help: leave out {other}\n"
