"""The linter for sitemaps: rules with stable codes, one file for each family.

A new rule is a `Rule` in its family's file, its name in `ALL` there, and a `yield` in a check
below.
"""

from collections.abc import Sequence
from difflib import get_close_matches

from ..errors import SitemapperError
from .engine import validate
from .model import Finding, Rule, Severity
from .rules import documents, entries, live, locs

__all__ = [
    "ALL",
    "Finding",
    "Rule",
    "Severity",
    "chosen",
    "validate",
]

_OF_FILES = (*documents.ALL, *entries.ALL, *locs.ALL)
ALL = tuple(sorted((*_OF_FILES, *live.ALL), key=lambda rule: rule.code))
# Codes that rules had before. No other rule gets one of them.
_LEFT = frozenset(
    [
        "SM110", "SM202", "SM208", "SM210", "SM211", "SM213", "SM214", "SM403",
        *(f"SM50{number}" for number in range(1, 10)),
        "SM608", "SM609", "SM615", "SM628", "SM634",
    ]
)  # fmt: skip
_ALL_RULES = "docs/rules.md lists all rules"


def chosen(
    select: Sequence[str], disable: Sequence[str], *, is_live: bool = False
) -> frozenset[str]:
    """Chooses the rules to check by `--select` and `--disable`, and returns their codes.

    Both flags take codes and prefixes: SM2 selects SM201 to SM212. Without `--select`, all rules of
    the command are selected. Rules about files that cannot be read are always selected. Of all
    these, the rules of `--disable` are left out. `is_live` is True for `verify`, which also has
    rules about the live host.

    Raises SitemapperError for a text that is no code, for rules that only `verify` checks, and if
    no selected rule is left.
    """
    selected = _normalise_codes(select) or ("SM",)
    disabled = _normalise_codes(disable)
    rules = (*_OF_FILES, *live.ALL) if is_live else _OF_FILES
    codes = {rule.code for rule in rules if rule.code.startswith(selected)}
    if not codes:
        names = ", ".join(selected)
        raise SitemapperError(f"{names}: needs the live host", "run sitemapper verify")
    # Rules about unreadable files: such a file would hide the findings of the selected rules.
    codes |= {rule.code for rule in documents.FATAL}
    enabled = frozenset(code for code in codes if not code.startswith(disabled))
    if not any(code.startswith(selected) for code in enabled):
        raise SitemapperError(
            "--select and --disable leave no rule", "select a rule that is not disabled"
        )
    return enabled


def _normalise_codes(option_values: Sequence[str]) -> tuple[str, ...]:
    """Splits the values of an option into codes and prefixes: ["sm2,SM301,"] → "SM2", "SM301".

    Raises SitemapperError for a code or a prefix that no rule has.
    """
    normalised = []
    for value in option_values:
        for code in value.split(","):
            # A comma too many does no harm, but `--select ""` is an error.
            is_gap = code == "" and value != ""
            if not is_gap:
                normalised.append(_normalise_code(code))
    return tuple(normalised)


def _normalise_code(typed: str) -> str:
    """Puts a code or prefix into upper case without spaces: " sm203" → "SM203".

    Raises SitemapperError if no rule has it, or none has it any more. For a whole code such as
    "SM230", the help names the most similar code, SM203.
    """
    known_codes = [rule.code for rule in ALL]
    code = typed.strip().upper()
    if len(code) >= len("SM1"):
        if any(known.startswith(code) for known in known_codes):
            return code
        if any(left.startswith(code) for left in _LEFT):
            raise SitemapperError(f"{code}: sitemapper no longer has this rule", _ALL_RULES)
    is_whole_code = len(code) == len("SM101")
    near = get_close_matches(code, known_codes, 1) if is_whole_code else []
    help = f"did you mean {near[0]}?" if near else _ALL_RULES
    raise SitemapperError(f"{typed!r} is not a rule", help)
