"""Findings that are known, and may have a last day."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from support import BASE, POSIX, Run, Site

FAULTY = "https://example.com/a b\nhttps://example.com/a|`b`\nhttps://example.com/c\nhttps://example.com/c\n"


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    path = tmp_path / "site map.txt"
    path.write_text(FAULTY)
    return path


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
