"""The findings of `validate` for a few files, and what every rule is tried with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sitemapper.linter import ALL, Finding, Severity, validate

from . import NOW, write_site

Files = str | bytes | Mapping[str, str | bytes]


def codes(family: str) -> list[str]:
    """The codes of a family: those of `SM1` are SM101, SM102, …"""
    return [rule.code for rule in ALL if rule.code.startswith(family)]


def findings_in(folder: Path, files: Files) -> list[Finding]:
    """What `validate` finds in a folder with these files; text alone is a sitemap.xml."""
    write_site(folder, {"sitemap.xml": files} if isinstance(files, str | bytes) else files)
    return list(validate([str(folder)], now=int(NOW.timestamp())))


def assert_rule_tells_apart(code: str, bad: Files, good: Files, folder: Path) -> None:
    """The bad files break the rule; the good ones break neither it nor any other that is an error."""
    assert code in [finding.code for finding in findings_in(folder / "bad", bad)]
    assert [
        f
        for f in findings_in(folder / "good", good)
        if f.severity is Severity.ERROR or f.code == code
    ] == []
