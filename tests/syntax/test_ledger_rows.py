"""The rows of the ledger, read and written."""

from __future__ import annotations

import pytest

from sitemapper.model import LastMod, LedgerEntry
from sitemapper.syntax.ledger_rows import (
    listed_rows,
    parse_row,
    render_row,
)

DIGEST = "0001-0123456789abcdef"
MARCH = LastMod(0, "2026-03-01")


@pytest.mark.parametrize(
    ("entry", "date"),
    [
        (LedgerEntry(MARCH, DIGEST), "2026-03-01"),
        (LedgerEntry(None, DIGEST), "-"),
        (LedgerEntry(None, DIGEST, MARCH), ">2026-03-01"),
    ],
)
@pytest.mark.parametrize("is_listed", [True, False])
def test_a_row_reads_as_it_was_written(entry: LedgerEntry, date: str, is_listed: bool) -> None:
    row = render_row("caf%C3%A9/", entry, is_listed=is_listed)
    assert row.split("\t")[1] == date
    assert parse_row(row, lambda text: LastMod(0, text)) == ("café/", entry)
    assert bool([*listed_rows([row.encode()])]) is is_listed


@pytest.mark.parametrize(
    "row", ["", "a\t2026-03-01", f"a b\t-\t{DIGEST}", f"a\t>-\t{DIGEST}", "a\t-\tno digest"]
)
def test_what_is_no_row(row: str) -> None:
    assert parse_row(row, lambda text: LastMod(0, text)) is None
