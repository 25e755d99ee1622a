"""A rule of the configuration says `list = false`."""

from ...model import Excluded, Reason
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page if the last matching rule that sets `list` says `list = false`.

    The origin is this rule.
    """
    if page.overrides.list:
        return None
    return Excluded(page.path, Reason.RULE, dict(page.overrides.origins)["list"])


def has_rules(policy: IndexPolicy) -> bool:
    """Says whether the configuration has `[[rules]]`."""
    return bool(policy.rules.values)


SIGNAL = Signal("rule", check, decides_by_path=has_rules, decides_by_content=False)
