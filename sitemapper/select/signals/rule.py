"""A rule of the configuration says `list = false`."""

from ...model import Excluded, Reason
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, _policy: IndexPolicy) -> Excluded | None:
    """Excludes a page for which `[[rules]]` of the configuration say `list = false`."""
    is_to_be_listed = page.overrides.list
    if is_to_be_listed:
        return None
    # Pairs of a key and its rule. If several rules set `list`, the last one decides, and `dict`
    # keeps the last one, too.
    rules_by_key = dict(page.overrides.origins)
    return Excluded(page.path, Reason.RULE, rules_by_key["list"])


def has_rules(policy: IndexPolicy) -> bool:
    """Says whether the configuration has `[[rules]]`."""
    return bool(policy.rules)


SIGNAL = Signal("rule", check, decides_by_path=has_rules, is_only_of_path=True)
