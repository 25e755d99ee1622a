"""The linter for anyone's sitemaps: rules with stable codes, a family a file. A new rule is a function and
a line in its family's tuple."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from ..errors import SitemapperError
from . import documents, indexes, pages
from .engine import OF_DOCUMENTS, OF_ENTRIES, validate
from .registry import Finding, Rule, Severity

__all__ = ["ALL", "Finding", "Rule", "Severity", "chosen", "rule_of", "validate"]

_EVERY = (*documents.FAULTS, *OF_ENTRIES, *OF_DOCUMENTS, *indexes.OF_LINKS, *pages.MISMATCHES)
ALL = tuple(sorted(_EVERY, key=lambda rule: rule.code))


def chosen(select: Sequence[str], disable: Sequence[str]) -> frozenset[str]:
    """The codes that `--select` and `--disable` leave; both take codes and their beginnings, such as SM2.

    Raises SitemapperError for what is no code.
    """
    wanted = tuple(map(_known, select)) or ("SM",)
    unwanted = tuple(map(_known, disable))
    return frozenset(r.code for r in ALL if r.code.startswith(wanted) and not r.code.startswith(unwanted))


def rule_of(code: str) -> Rule:
    """The rule of a code. Raises SitemapperError where there is none."""
    found = [rule for rule in ALL if rule.code == _known(code)]
    if not found:
        raise SitemapperError(f"{code}: is a family of rules; name one, such as {code}01")
    return found[0]


def _known(code: str) -> str:
    codes = [rule.code for rule in ALL]
    code = code.upper()
    if len(code) < len("SM1") or not any(known.startswith(code) for known in codes):
        near = get_close_matches(code, codes, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise SitemapperError(f"{code}: is no rule{hint} (`sitemapper rule` lists them)")
    return code
