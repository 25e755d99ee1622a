"""The linter for sitemaps: rules with stable codes, one file for each family.

A new rule is a `Rule` in its family's file, its name in `ALL` there, and a `yield` in a check
below.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches

from ..errors import SitemapperError
from .engine import validate
from .model import Finding, Rule, Severity
from .rules import documents, entries, live, locs, pages

__all__ = [
    "ALL",
    "Finding",
    "Rule",
    "Severity",
    "apply_severities",
    "chosen",
    "rule_of",
    "validate",
]

_OF_FILES = (*documents.ALL, *entries.ALL, *locs.ALL)
ALL = tuple(sorted((*_OF_FILES, *pages.ALL, *live.ALL), key=lambda rule: rule.code))
_BY_CODE = {rule.code: rule for rule in (*ALL, *pages.OF_CHECK)}


def chosen(
    select: Sequence[str], disable: Sequence[str], *, is_live: bool = False
) -> frozenset[str]:
    """The codes of the rules to check, by `--select` and `--disable`.

    Both options take codes such as SM203, and prefixes such as SM2. Rules about the live host count
    with `is_live` only, for `verify`. Raises SitemapperError for any other text, and if no rule is
    left.
    """
    selected = _normalised(select) or ("SM",)
    disabled = _normalised(disable)
    rules = (*_OF_FILES, *live.ALL) if is_live else _OF_FILES
    codes = {rule.code for rule in rules if rule.code.startswith(selected)}
    if not codes:
        raise _of_another_command(selected)
    # Always on, because an unreadable file hides the findings of other rules.
    codes |= {rule.code for rule in documents.FATAL}
    enabled = frozenset(code for code in codes if not code.startswith(disabled))
    if not any(code.startswith(selected) for code in enabled):
        raise SitemapperError(
            "--select and --disable leave no rule", "select a rule that is not disabled"
        )
    return enabled


def _of_another_command(selected: tuple[str, ...]) -> SitemapperError:
    """The error for selected rules that another command checks."""
    names = ", ".join(selected)
    if any(rule.code.startswith(selected) for rule in pages.ALL):
        return SitemapperError(f"{names}: needs the pages", "run sitemapper check --against FILE")
    return SitemapperError(f"{names}: needs the live host", "run sitemapper verify")


def apply_severities(
    findings: Iterable[Finding], severities: Mapping[str, str]
) -> Iterator[Finding]:
    """The findings with the severities from the configuration. "off" drops a finding.

    Raises SitemapperError for an unknown code.
    """
    configured = {rule_of(code).code: severity for code, severity in severities.items()}
    for finding in findings:
        severity = configured.get(finding.code, finding.severity.value)
        if severity != "off":
            yield finding._replace(severity=Severity(severity))


def rule_of(code: str) -> Rule:
    """The rule with a code, in any case of letters.

    Raises SitemapperError if there is none, or for a family such as SM2.
    """
    if code in _BY_CODE:
        return _BY_CODE[code]
    normalised = _normalise(code)
    if normalised not in _BY_CODE:
        raise SitemapperError(
            f"{code} is a family of rules", f"name one of them, such as {normalised[:3]}01"
        )
    return _BY_CODE[normalised]


def _normalised(codes: Sequence[str]) -> tuple[str, ...]:
    """The codes and prefixes in upper case: "sm2,SM301," are "SM2" and "SM301".

    Raises SitemapperError for an unknown one.
    """
    normalised = []
    for text in codes:
        for code in text.split(","):
            is_gap = code == "" and text != ""  # an empty text alone is an error
            if not is_gap:
                normalised.append(_normalise(code))
    return tuple(normalised)


def _normalise(typed: str) -> str:
    """The code or prefix in upper case. Raises SitemapperError for an unknown one."""
    known = [rule.code for rule in ALL]
    code = typed.strip().upper()
    if len(code) >= len("SM1") and any(one.startswith(code) for one in known):
        return code
    is_whole_code = len(code) == len("SM101")
    near = get_close_matches(code, known, 1) if is_whole_code else []
    help = f"did you mean {near[0]}?" if near else "sitemapper rule lists all rules"
    raise SitemapperError(f"{typed!r} is not a rule", help)
