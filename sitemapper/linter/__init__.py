"""The linter for any sitemap: rules with stable codes, one file for each family.

A new rule is a function in its family's file and a line in the tuple at its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches

from ..errors import SitemapperError
from .engine import OF_DOCUMENTS, OF_ENTRIES, validate
from .rule import Finding, Rule, Severity
from .rules import documents, indexes, pages

__all__ = ["ALL", "Finding", "Rule", "Severity", "chosen", "judged", "rule_of", "validate"]

_EVERY = (*documents.FAULTS, *OF_ENTRIES, *OF_DOCUMENTS, *indexes.OF_LINKS, *pages.MISMATCHES)
ALL = tuple(sorted(_EVERY, key=lambda rule: rule.code))


def chosen(select: Sequence[str], disable: Sequence[str]) -> frozenset[str]:
    """The codes that `--select` and `--disable` leave. Both take codes and their beginnings, such as SM2.

    Raises SitemapperError for anything else.
    """
    wanted = tuple(_known(code) for code in _parted(select)) or ("SM",)
    unwanted = tuple(_known(code) for code in _parted(disable))
    codes = {r.code for r in ALL if r.code.startswith(wanted) and r not in pages.MISMATCHES}
    if not codes:
        raise SitemapperError(f"{', '.join(wanted)}: needs the pages", "run sitemapper check --against FILE")
    # Always on: a file that cannot be read hides what the other rules would find.
    codes |= {rule.code for rule in documents.FAULTS if rule.about is not documents.Unexpected}
    left = frozenset(code for code in codes if not code.startswith(unwanted))
    if not left & {code for code in codes if code.startswith(wanted)}:
        raise SitemapperError("--select and --disable leave no rule", "select a rule that is not disabled")
    return left


def judged(findings: Iterable[Finding], severities: Mapping[str, str]) -> Iterator[Finding]:
    """The findings with the severities that the configuration gives to rules; "off" leaves a rule out.

    Raises SitemapperError for a code that is none.
    """
    wanted = {rule_of(code).code: severity for code, severity in severities.items()}
    for finding in findings:
        severity = wanted.get(finding.code, finding.severity.value)
        if severity != "off":
            yield finding._replace(severity=Severity(severity))


def rule_of(code: str) -> Rule:
    """The rule with a code. Raises SitemapperError if there is none."""
    found = [rule for rule in ALL if rule.code == _known(code)]
    if not found:
        raise SitemapperError(
            f"{code} is a family of rules", f"name one of them, such as {_known(code)[:3]}01"
        )
    return found[0]


def _parted(codes: Sequence[str]) -> list[str]:
    return [code for text in codes for code in text.split(",") if code or not text]


def _known(code: str) -> str:
    codes = [rule.code for rule in ALL]
    typed, code = code, code.strip().upper()
    if len(code) < len("SM1") or not any(known.startswith(code) for known in codes):
        near = get_close_matches(code, codes, 1) if len(code) == len("SM101") else []
        help = f"did you mean {near[0]}?" if near else "sitemapper rule lists all rules"
        raise SitemapperError(f"{typed!r} is not a rule", help)
    return code
