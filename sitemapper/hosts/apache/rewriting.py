"""RewriteRule and RewriteCond, as they are written (mod_rewrite).

A rule that cannot be read keeps its place: it is unknown for each URL.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...model import Origin
from ..host import NOT_UNDERSTOOD
from .expressions import Expression
from .patterns import Pattern
from .request import ROOTS, Context, Files, is_file_test, kind_of_file, why_text_unknown
from .truth import Truth, negated

_OF_FOLDER = re.compile(r"FILENAME\}|DOCUMENT_ROOT\}", re.IGNORECASE)
_FILE_TEST = re.compile(r"-[a-zA-Z]+\Z")
_STATUS = {"permanent": 301, "temp": 302, "seeother": 303, "gone": 410}
_FLAG_NAMES = {
    "l": "L", "last": "L", "end": "END", "r": "R", "redirect": "R", "f": "F", "forbidden": "F",
    "g": "G", "gone": "G", "c": "C", "chain": "C", "s": "S", "skip": "S", "nc": "NC",
    "nocase": "NC", "pt": "PT", "passthrough": "PT", "qsa": "QSA", "qsappend": "QSA",
    "ns": "NS", "nosubreq": "NS", "dpi": "DPI", "discardpath": "DPI", "e": "E", "env": "E",
    "n": "N", "next": "N", "p": "P", "proxy": "P",
    # These change nothing that decides where a page is shown.
    "ne": "", "noescape": "", "qsd": "", "qsdiscard": "", "qsl": "", "qslast": "", "b": "",
    "bnp": "", "co": "", "cookie": "", "t": "", "type": "", "bctls": "", "bne": "",
    "unsafeallow3f": "", "unsafeprefixstat": "", "unc": "",
    "h": "H", "handler": "H",
}  # fmt: skip
# The flags of a rule without a target that lets the rules after it be judged as before.
_HARMLESS = {"E", "NC", "NS", "", "QSA"}


class Flags(NamedTuple):
    """The flags of a rule: their short names, the status of a redirect, the rules to skip."""

    names: frozenset[str] = frozenset()
    status: int = 0
    skipped: int = 0
    variables: tuple[str, ...] = ()


class Condition(NamedTuple):
    """A RewriteCond. `test` is a pattern, the text after `=`, or a test of a file, such as `-f`.

    `unknown` says why it cannot be decided, "" if it can.
    """

    subject: str = ""
    test: Pattern | Expression | str = ""
    is_not: bool = False
    is_or: bool = False
    ignores_case: bool = False
    unknown: str = ""


class ConditionResult(NamedTuple):
    """Whether a condition holds, and its groups if it is a pattern that matched."""

    holds: Truth
    groups: Sequence[str] | None = ()


class RewriteRule(NamedTuple):
    """A RewriteRule with its conditions. `pattern` is None if it cannot be read.

    `unknown` says why the rule is unknown for each URL, or may be for some.
    """

    pattern: Pattern | None
    is_not: bool
    target: str
    flags: Flags
    conditions: tuple[Condition, ...]
    origin: Origin
    is_certain: bool = True
    source: str = ""

    @property
    def may_leave(self) -> bool:
        """Whether it ends the request: the page is not shown at the URL if the rule applies."""
        return bool({"F", "G", "R"} & self.flags.names)

    @property
    def refusal(self) -> int:
        """The status of the answer if it is no redirect, 0 if the rule gives none."""
        if "F" in self.flags.names:
            return 403
        if "G" in self.flags.names:
            return 410
        return 0 if 300 <= self.flags.status < 400 else self.flags.status

    @property
    def hides_later_rules(self) -> bool:
        """Whether it is not known what the rules after it do, if it is not known itself."""
        if self.is_harmless:
            return False
        return not self.may_leave or "C" in self.flags.names

    @property
    def is_harmless(self) -> bool:
        """Whether the rules after it do not depend on it, and the page neither."""
        return self.target == "-" and self.flags.names <= _HARMLESS


def read_flags(text: str) -> Flags:
    """The flags in brackets. Raises ValueError for one that Apache does not have."""
    names: set[str] = set()
    status = 302
    skipped = 0
    variables = []
    for flag in text.strip().strip("[]").split(","):
        name, _, value = flag.strip().partition("=")
        if not name:
            continue
        key = name.lower()
        if key not in _FLAG_NAMES:
            raise ValueError(f"unknown flag {name}")
        names.add(_FLAG_NAMES[key])
        if _FLAG_NAMES[key] == "R" and value:
            status = _STATUS.get(value.lower()) or int(value)
        elif _FLAG_NAMES[key] == "S":
            skipped = int(value or 1)
        elif _FLAG_NAMES[key] == "E":
            variables.append(value)
    return Flags(frozenset(names), status, skipped, tuple(variables))


def read_rule(
    words: Sequence[str], conditions: Sequence[Condition], origin: Origin
) -> tuple[RewriteRule, str]:
    """A rule, and why it may be unknown, "" if it is known for all URLs."""
    expression, target, flags_text = (*words, "", "", "")[:3]
    is_not = expression.startswith("!")
    flags = Flags(frozenset("L"))
    pattern = None
    why = "" if len(words) > 1 else NOT_UNDERSTOOD
    try:
        flags = read_flags(flags_text)
        ignores_case = "NC" in flags.names
        pattern = Pattern(expression.removeprefix("!"), ignores_case=ignores_case)
    except ValueError:
        why = "expression not understood"
    whys = [why, *(one.unknown for one in conditions), why_text_unknown(target)]
    if {"P", "H"} & flags.names:
        whys.append("the answer comes from a program")
    rule = RewriteRule(pattern, is_not, target, flags, tuple(conditions), origin)
    rule = rule._replace(source=expression)
    is_certain = not why and not {"P", "H"} & flags.names
    return rule._replace(is_certain=is_certain), next(filter(None, whys), "")


def read_condition(words: Sequence[str]) -> Condition:
    """A RewriteCond."""
    subject, test, flags_text = (*words, "", "", "")[:3]
    flags = {flag.strip().lower() for flag in flags_text.strip("[]").split(",")}
    is_not = test.startswith("!")
    condition = Condition(
        subject,
        is_not=is_not,
        is_or=not flags.isdisjoint(("or", "ornext")),
        ignores_case=not flags.isdisjoint(("nc", "nocase")),
        unknown=why_text_unknown(subject),
    )
    if len(words) < 2:
        return condition._replace(unknown=NOT_UNDERSTOOD)
    try:
        return condition._replace(test=_read_test(condition, test.removeprefix("!")))
    except ValueError:
        return condition._replace(unknown="expression not understood")


def _read_test(condition: Condition, test: str) -> Pattern | Expression | str:
    """What a condition tests. Raises ValueError."""
    if condition.subject.lower() == "expr":
        return Expression(test)
    if test.startswith("=") or _FILE_TEST.match(test):
        return test
    if test.startswith(("<", ">", "-lt", "-gt", "-eq", "-le", "-ge", "-ne")):
        raise ValueError(test)
    return Pattern(test, ignores_case=condition.ignores_case)


def evaluate(condition: Condition, context: Context, files: Files) -> ConditionResult:
    """Whether a condition holds for a request.

    It is unknown if it depends on the folder in which the site lies on the server.
    """
    if condition.unknown:
        return ConditionResult(None, None)
    result = _evaluate_at(condition, context, files)
    if _OF_FOLDER.search(condition.subject) and isinstance(condition.test, Pattern):
        other = _evaluate_at(condition, context._replace(root=ROOTS[1]), files)
        if other.holds != result.holds:
            return ConditionResult(None, None)
        if other.groups != result.groups:
            return result._replace(groups=None)
    return result


def _evaluate_at(condition: Condition, context: Context, files: Files) -> ConditionResult:
    test = condition.test
    if isinstance(test, Expression):
        holds = test.holds(context, files)
        return ConditionResult(negated(holds) if condition.is_not else holds)
    text = context.expand(condition.subject)
    if text is None:
        return ConditionResult(None, None)
    if isinstance(test, Pattern):
        is_match = test.matches(text)
        groups = test.groups(text) if is_match and not condition.is_not else ()
        return ConditionResult(is_match != condition.is_not, groups)
    result = _compare(test, text, condition, context, files)
    return ConditionResult(negated(result) if condition.is_not else result)


def _compare(test: str, text: str, condition: Condition, context: Context, files: Files) -> Truth:
    """The result of a test that is no pattern: `=text`, or one of a file."""
    if not test.startswith("="):
        if text == condition.subject:
            return None  # the file of a program, such as a mark for maintenance
        return is_file_test(test, kind_of_file(files, context.root, text))
    expected = test[1:].strip('"')
    if condition.ignores_case:
        return text.lower() == expected.lower()
    return text == expected
